"""The whole way from a chat to a picture: who speaks, the events, the verdict. Each step asks only what is open."""

from __future__ import annotations

from collections.abc import Generator
from functools import partial
from typing import Any

from mdtally import transcript
from mdtally.ask.picture import picture_of
from mdtally.ask.port import (
    LEAVES,
    Judge,
    Look,
    Question,
    Request,
    Steps,
    Tell,
    ask_to_end,
    ask_until_answered,
    rewrite,
)
from mdtally.ask.speakers import WhoSpeaks, open_offer, person_question, reading_question
from mdtally.ask.walk import NOTHING, EventWalk
from mdtally.check.readings import with_values
from mdtally.check.reports import VerdictReport
from mdtally.check.settling import advice, every_offer
from mdtally.events import FEW, Candidate, candidates
from mdtally.events.replies import Answers, is_unasked, open_replies, unanswered_replies
from mdtally.session import REVIEWED, reviewed_on
from mdtally.text.document import Document
from mdtally.text.frontmatter import REMOVED
from mdtally.text.model import Refusal
from mdtally.text.percent import count
from mdtally.text.records import record, replace
from mdtally.text.source import encode

VERDICT = Question(
    "verdict", "Write this verdict into the note and its calibration log?", {"y": "yes, write it", "n": "no"}
)


class Review:
    """A review of one chat, which can be left at any question and begun again.

    Attributes:
        walk: its step over the turns that may hold an event.
        is_judged: True if the verdict stands in the note.
    """

    def __init__(self, walk: EventWalk, *, is_copy: bool = False, day: str = "", model: str = "") -> None:
        self.walk, self.is_judged, self._day = walk, False, day
        self._is_copy, self._speakers = is_copy, WhoSpeaks(model)
        self._found = VerdictReport("")

    def run(self) -> Steps:
        """Who speaks, the events, the verdict, the picture; of a labeler's copy the events alone.

        A copy is compared line by line and is no session: its frontmatter says at most that it was reviewed.
        """
        while True:
            ending = "done" if self._is_copy else (yield from self._speakers.run())
            if ending == "done":
                ending = yield from self.walk.run()
            if ending == "done":
                yield from self._write_review_day()
                ending = yield from (self._end() if self._is_copy else self._verdict())
            if ending == "done" and not self._is_copy:
                yield Tell(about=picture_of((yield Look()), self._found.verdict, self._found.problems))
            if ending in ("done", "quit"):
                return ending
            if (yield from self.walk.step_back(ending)) == "done":
                continue
            if self._speakers.written:
                yield from self.walk.reopen()
            if self._is_copy or (yield from self._speakers.back()) != "done":
                yield Tell(NOTHING[ending])
            else:
                self.walk.begin_again()

    def _write_review_day(self) -> Generator[Request, Any, None]:
        """Write the day into the frontmatter if every reply that is asked about has its answer."""
        document: Document = yield Look()
        found, answers = candidates(document), self.walk.answers
        is_open = unanswered_replies(document, answers) or is_unasked(document, answers) or self.walk.unshown
        is_new = self.walk.has_answered or not reviewed_on(document.head)
        if is_open or not (self._day and found.ranked and found.sure and is_new):
            return
        why_not = "that all is answered was not written into its frontmatter: {}"
        changed = yield from rewrite(lambda document: with_values(document, {REVIEWED: self._day}), why_not)
        if changed:
            self.walk.open_again = partial(_opened_bytes, *changed)

    def _verdict(self) -> Steps:
        """Show the verdict, and write it down on a yes; nothing is asked if it stands there already."""
        report: VerdictReport = yield Judge(write=False)
        self._found = report
        if self.walk.unshown:
            yield Tell(f"not shown, and open: {count(self.walk.unshown, 'reply')} that may hold an event")
        if self.walk.left_out and is_unasked((yield Look()), self.walk.answers):
            yield Tell(f"nothing asked, so not reviewed: {unlikely(self.walk.left_out)}; --all asks about them")
        elif self.walk.left_out:
            yield Tell(f"not asked about: {unlikely(self.walk.left_out)}; --all asks about them, too")
        if report.verdict and report.stale:
            pressed = yield from ask_until_answered(VERDICT, replace(report, stale=()))
            if pressed == "y":
                report = yield Judge(write=True)
                self.is_judged = report.state == "written"
                yield Tell(about=report)
            return LEAVES.get(pressed, "done")
        self.is_judged = report.state == "current"
        yield Tell(about=report)
        if self.walk.tagged or self._speakers.written or (self.walk.at and not self.walk.is_finished):
            # No question follows the last answer, and it can be taken back here.
            return (yield from self._end())
        return "done"

    def _end(self) -> Steps:
        return ask_to_end(is_all=not self.walk.unshown)


def _opened_bytes(before: Document, after: Document, document: Document) -> bytes | Refusal:
    """The file without the day of a review, which an edit wrote into its frontmatter."""
    if document.source.head == after.source.head:
        return encode(replace(document.source, head=before.source.head, head_format=before.source.head_format))
    return with_values(document, {REVIEWED: REMOVED})


@record
class OpenQuestions:
    """What a review would ask, for who is not there to be asked.

    Attributes:
        unreadable: what to do first, if nothing can be asked because it is not known who speaks; "" if it is.
        reading, person: the questions about who speaks; None if that is known.
        events: the turns that may hold an event and have no tag or answer, in the order in which a review asks.
        left_out: how many turns without either are not among them.
        unread: whose language has no cues, in a sentence; "" if both have some.
        is_unasked: True if there are such, and nothing is asked about and nobody has looked at any.
    """

    unreadable: str
    reading: Question | None
    person: Question | None
    events: tuple[Candidate, ...]
    left_out: int
    unread: str
    is_unasked: bool

    @property
    def is_any(self) -> bool:
        """True if something is open, other than the verdict."""
        return bool(self.unreadable or self.reading or self.person or self.events)


def unlikely(left_out: int) -> str:
    """How many replies a review does not ask about, and why."""
    return f"{left_out} {'reply' if left_out == 1 else 'replies'} in which nothing looks like an event"


def open_questions(document: Document, answers: Answers | None = None, *, is_all: bool = False) -> OpenQuestions:
    """What a review of a document would ask, up to the verdict, of its likely events or of all replies.

    ``answers`` are those that were given before.
    """
    offered = every_offer(document)
    # Where a guess is no offer either, a person points at lines first, or says it paragraph by paragraph.
    is_asked = offered or not transcript.read(document).unsure
    named = open_offer(document, offered[0] if offered else None) if is_asked else None
    found = candidates(document)
    known = answers or Answers()
    replies = open_replies(document, known)
    likely = replies if is_all else unanswered_replies(document, known)
    if len(found.ranked) <= FEW:
        likely.sort(key=lambda one: one.run.line)
    unreadable = "" if found.ranked or offered or named else advice(document)
    who = reading_question(offered) if offered else None, person_question(named) if named else None
    unasked = not is_all and is_unasked(document, known)
    return OpenQuestions(unreadable, *who, tuple(likely), len(replies) - len(likely), found.unread, unasked)
