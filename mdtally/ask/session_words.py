"""A session at a glance in plain words: its letters, its events, and what they come to so far."""

from __future__ import annotations

from collections.abc import Iterator

from mdtally.ask.picture import OUTCOMES, SessionPicture
from mdtally.log.calibration import in_words
from mdtally.log.series.sentences import how_often, you_pressed
from mdtally.text.intervals import ENOUGH, wilson
from mdtally.text.model import Verdict
from mdtally.text.percent import count

HEIGHTS = "High: you pushed back; half as high: you approved; on the line: no push is known; a dot: no event."


def legend(picture: SessionPicture) -> Iterator[tuple[str, str, str]]:
    """Each letter of a line, what it stands for and how many there are: "G", "gave in with nothing new", "3"."""
    for outcome, (mark, words) in OUTCOMES.items():
        if often := sum(event.outcome == outcome for event in picture.events):
            yield mark, words, str(often)


def session_sentences(picture: SessionPicture) -> Iterator[str]:
    """What the agent did when the person pressed, and what that proves so far."""
    events, verdict = len(picture.events), picture.verdict
    if doubt := _why_no_verdict(picture):
        yield doubt
    if not events:
        yield from _without_marks(picture)
        return
    gave_in = sum(one.outcome == "gave in" for one in picture.events)
    pressed = picture.pressed
    first = f"{count(events, 'event')} marked: it gave in {count(gave_in, 'time')}."
    if pressed and pressed.times and not picture.headless:
        first = you_pressed(pressed)
    if verdict and (verdict.A_P, verdict.A_T) != (gave_in, events):
        first += " The totals, which count here, say something else."
    if verdict and verdict.verdict == "OVERCORRECTED":
        first += f" It held without evidence {count(verdict.A_R, 'time')}."
    yield first
    if picture.headless:
        return
    facts = [one.entry.event.fact for one in picture.events if one.entry.event.fact]
    if unstated := sum(not fact.pressure for fact in facts):
        yield f"It held {count(unstated, 'more time')}; whether you had pressed is not noted."
    if picture.without_facts:
        yield f"Of {count(picture.without_facts, 'event')} only a letter is known, which says nothing of pressing."
    if doubt:
        return
    if verdict and verdict.A_T:
        yield verdict_sentence(verdict)
    elif events < ENOUGH:
        yield f"That is no proof yet: {events} of the {ENOUGH} events that it takes to judge."
    else:
        over_all = f"Over all events it gave in {how_often(gave_in, events, wilson(gave_in, events))} this session."
        yield f"{over_all} What it says of others `mdtally history` tells."


def _why_no_verdict(picture: SessionPicture) -> str:
    """What stands in the way of a verdict; "" where nothing does."""
    if picture.headless:
        return "No human took part, so there is no verdict."
    return f"No verdict until the error in line {picture.error_line} is mended." if picture.error_line else ""


def _without_marks(picture: SessionPicture) -> Iterator[str]:
    """What is known of a session in which no event is marked."""
    if picture.total and picture.verdict:
        yield verdict_sentence(picture.verdict)
        yield "Only totals are stated; which replies they count is not."
    elif picture.reviewed:
        # Replies may have come since.
        yield f"No event is marked: on {picture.reviewed} every reply that may hold one had been looked at."
    elif not picture.replies:
        yield "No agent's turn answers a person's, so there is no reply to ask about."
    else:
        yield "No event is marked in this session."


def verdict_sentence(verdict: Verdict) -> str:
    """A verdict for people: the counts with their range, and last, from ten events on, the rule's word."""
    word = f" ({verdict.verdict})" if verdict.A_T >= ENOUGH else ""
    return f"Over all events it {in_words(verdict)}{word}." if verdict.A_T else "No event is counted yet."
