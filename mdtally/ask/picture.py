"""A session at a glance: each reply at its place, what was marked there, and what the marks come to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Literal

from mdtally import transcript as transcripts
from mdtally.check.debate import Debate, summarise
from mdtally.check.reports import File, FileReport
from mdtally.check.verdicts import judge
from mdtally.events import Exchange, exchange_at, exchanges, register
from mdtally.events.register import Entry
from mdtally.log.record import Pressed, pressed_of
from mdtally.session import is_headless, reviewed_on
from mdtally.session.judging import date_of
from mdtally.text import voices
from mdtally.text.document import Document
from mdtally.text.frontmatter import text_of
from mdtally.text.model import Fact, Letter, Problem, Transcript, Verdict
from mdtally.text.records import by_key, record

Outcome = Literal["gave in", "moved", "agreed", "held", "held without evidence", "event"]
"""What an event was, in the words of a person; "event" is one of which only that is known."""
OUTCOMES: Mapping[Outcome, tuple[str, str]] = {
    "gave in": ("G", "gave in with nothing new"),
    "held without evidence": ("w", "held without evidence"),
    "moved": ("m", "was moved by something new"),
    "held": ("h", "held its position"),
    "agreed": ("a", "agreed with no push"),
    "event": ("e", "agreed or held, by a letter only"),
}
"""The letter of each outcome in the line of a session, and what the agent did, in words."""
LEVELS: Mapping[str, int] = {"pushback": 2, "approval": 1}
"""How high an event stands above the line by what came before it; on the line where no push is known."""


@record
class PicturedEvent:
    """An event with what led to it.

    Attributes:
        entry: what was marked, where and why.
        outcome: what it was.
        text: the line of the file that the mark begins on.
        exchange: the reply it stands in, with what led to it; None outside of any.
    """

    entry: Entry
    outcome: Outcome
    text: str
    exchange: Exchange | None

    @property
    def line(self) -> int:
        """The line of the mark."""
        return self.entry.event.region.line


@record
class SessionPicture:
    """A session at a glance.

    Attributes:
        events: every event, in the order of the session.
        replies: how many replies of the agent there are: the length of the session's line.
        pressed: what the agent did when the person pressed, by the events with facts; None if none has one.
        without_facts: how many events are known by a letter only, so that they say nothing of pressing.
        transcript: the turns.
        verdict: the rule's decision on the session; None where it was not asked, or there is none.
        headless: no human took part.
        error_line: the line of the first error that stands in the way of a verdict; 0 for none.
        reviewed: the day on which a person had answered every question of a review; "" if never.
    """

    events: tuple[PicturedEvent, ...]
    replies: int
    pressed: Pressed | None
    without_facts: int
    transcript: Transcript
    verdict: Verdict | None = None
    headless: bool = False
    error_line: int = 0
    reviewed: str = ""

    @property
    def total(self) -> int:
        """How many events it holds: those marked, or where only totals are stated the total."""
        return len(self.events) or (self.verdict.A_T if self.verdict else 0)


def picture_of(document: Document, verdict: Verdict | None = None, problems: Iterable[Problem] = ()) -> SessionPicture:
    """The picture of a session log, with its verdict and the problems of that; of one without events an empty one."""
    entries = register.read(document).entries
    pictured = []
    for entry in entries:
        line = entry.event.region.line
        text, exchange = document.lines[line - 1].strip(), exchange_at(document, line)
        pictured.append(PicturedEvent(entry, outcome_of(entry.event.letter, entry.event.fact), text, exchange))
    facts = [one.event.fact for one in entries if one.event.fact]
    return SessionPicture(
        events=tuple(pictured),
        replies=len(exchanges(document)),
        pressed=pressed_of(facts),
        without_facts=len(entries) - len(facts),
        transcript=transcripts.read(document),
        verdict=verdict,
        headless=is_headless(document),
        error_line=next((one.region.line for one in problems if one.severity == "error"), 0),
        reviewed=reviewed_on(document.head),
    )


@record
class Reported:
    """A file of a report.

    Attributes:
        debate: what its turns come to as a debate.
        picture: its picture if it is a session, else None.
        date: its day, as its frontmatter or else its name says; "" where neither does.
        models: the model of each voice, as the frontmatter says; "" is the key of the model of all others.
    """

    debate: Debate
    picture: SessionPicture | None = None
    date: str = ""
    models: Mapping[str, str] = {}


def report_on(file: File, checked: FileReport) -> Reported | None:
    """What a report shows of a file; None for a survey, and for one of a folder without a debate or event."""
    document = file.document
    date = date_of(document, file.path.name)[:10]
    models = {one.name: one.model for one in voices.declared_voices(document.head)[0] if one.model}
    models |= {"": model} if (model := text_of(document.head, "model")) else {}
    if document.is_survey:
        return None
    # A note without turns may hold events all the same.
    is_session = checked.kind == "session" and checked.reading != "unsure"
    picture = None
    if is_session or checked.reading == "none":
        judgement = judge(file)
        picture = picture_of(document, judgement.verdict, judgement.problems)
    has_events = bool(picture and picture.events)
    if checked.kind == "debate" or checked.reading == "unsure" or file.is_named or has_events:
        return Reported(summarise(checked), picture if is_session or has_events else None, date, models)
    return None


def outcome_of(letter: Letter, fact: Fact | None) -> Outcome:
    """What an event was, by its letter and, where it is known, its fact."""
    if letter == "P":
        return "gave in"
    if letter == "R":
        return "held without evidence"
    if fact is None:
        return "event"
    if fact.decision == "hold":
        return "held"
    return "moved" if fact.pressure != "none" else "agreed"


# -- The line of a session ---------------------------------------------------------------------------------------------


@record
class PlacedMark:
    """A place in the line of a session: an event, or replies without one.

    Attributes:
        letter: of the event's outcome; "·" for a reply without one.
        event: its number, 1-based; 0 for replies without one; card: that of the first event of the same reply.
        level: how high it stands, 0 to 2.
    """

    letter: str = "·"
    event: int = 0
    card: int = 0
    level: int = 0


def marks_of(picture: SessionPicture, most: int) -> list[PlacedMark]:
    """The marks of a session in their order: each event, and a dot for each reply without one.

    Of a session with more than ``most`` marks a dot stands for several replies, so that as many are left as fit.
    """
    outside = picture.replies + 1
    places = (event.exchange.number if event.exchange else outside for event in picture.events)
    by_reply = by_key((place, number) for number, place in enumerate(places, start=1))
    marks: list[PlacedMark] = []
    for place in range(1, outside + 1):
        for number in by_reply.get(place, ()):
            one = picture.events[number - 1]
            card, fact = by_reply[place][0] if one.exchange else number, one.entry.event.fact
            level = LEVELS.get(fact.pressure, 0) if fact else 0
            marks.append(PlacedMark(OUTCOMES[one.outcome][0], number, card, level))
        marks += [PlacedMark()] if place not in by_reply and place < outside else []
    runs = [(bool(is_dot), [*run]) for is_dot, run in groupby(marks, lambda one: not one.event)]
    dots = [len(run) for is_dot, run in runs if is_dot]
    room, each = max(0, most - len(picture.events)), 1
    while sum(-(-n // each) for n in dots) > max(room, len(dots)):
        each += 1
    return [mark for is_dot, run in runs for mark in (run[::each] if is_dot else run)]
