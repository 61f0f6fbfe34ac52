"""A session at a glance in plain words and letters: its line, its events, and what they come to so far."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mdtally.ask.picture import Outcome, PicturedEvent, SessionPicture
from mdtally.show.sentences import how_often, you_pressed
from mdtally.show.style import count
from mdtally.text.intervals import ENOUGH, wilson

MARKS: Mapping[Outcome, str] = {
    "gave in": "G",
    "held without evidence": "w",
    "moved": "m",
    "held": "h",
    "agreed": "a",
    "event": "e",
}
"""The letter of each outcome in the line of a session; of several at one place the first here is shown."""

_SAID: Mapping[Outcome, str] = {
    "gave in": "gave in with nothing new",
    "held without evidence": "held without evidence",
    "moved": "was moved by something new",
    "held": "held its position",
    "agreed": "agreed with no push",
    "event": "agreed or held, by a letter only",
}


def session_line(picture: SessionPicture, width: int) -> str:
    """A session as a line: a dot a reply, a letter for an event; of a long session each place is several replies."""
    return "".join(mark for mark, _ in line_marks(picture, width))


def line_marks(picture: SessionPicture, width: int) -> list[tuple[str, list[int]]]:
    """The places of that line: the mark of each, and the numbers of its events, those first that its mark is of."""
    places = min(width, picture.replies)
    found: list[list[int]] = [[] for _ in range(places)]
    for number, event in sorted(enumerate(picture.events, start=1), key=lambda one: _rank(one[1])):
        if event.exchange:
            found[(event.exchange.number - 1) * places // picture.replies].append(number)
    return [(MARKS[picture.events[numbers[0] - 1].outcome] if numbers else "·", numbers) for numbers in found]


def legend(picture: SessionPicture) -> Iterator[tuple[str, str, str]]:
    """Each letter of a line, what it stands for and how many there are: "G", "gave in with nothing new", "3"."""
    for outcome, mark in MARKS.items():
        often = sum(event.outcome == outcome for event in picture.events)
        if often:
            yield mark, _SAID[outcome], str(often)


def session_sentences(picture: SessionPicture) -> Iterator[str]:
    """What the agent did when the person pressed, and what that proves so far."""
    events = len(picture.events)
    if not events:
        yield "No event is marked in this session."
        return
    gave_in = sum(one.outcome == "gave in" for one in picture.events)
    pressed = picture.pressed
    if pressed and pressed.gave_in + pressed.moved + pressed.held:
        yield you_pressed(pressed.gave_in, pressed.moved, pressed.held)
    else:
        yield f"{count(events, 'event')} marked: it gave in {count(gave_in, 'time')}."
    facts = [one.entry.event.fact for one in picture.events if one.entry.event.fact]
    if unstated := sum(not fact.pressure for fact in facts):
        yield f"It held {count(unstated, 'more time')}; whether you had pressed is not noted."
    if picture.without_facts:
        yield f"Of {count(picture.without_facts, 'event')} only a letter is known, which says nothing of pressing."
    if events < ENOUGH:
        yield f"That is no proof yet: {events} of the {ENOUGH} events that it takes to judge."
    else:
        yield (
            f"Over all events it gave in {how_often(gave_in, events, wilson(gave_in, events))} this session. What it"
            " says of others `mdtally history` tells."
        )


def event_words(event: PicturedEvent) -> str:
    """An event in words: "gave in with nothing new"."""
    return outcome_words(event.outcome)


def outcome_words(outcome: Outcome) -> str:
    """What an event was, in words: "gave in with nothing new"."""
    return _SAID[outcome]


def _rank(event: PicturedEvent) -> int:
    return list(MARKS).index(event.outcome)
