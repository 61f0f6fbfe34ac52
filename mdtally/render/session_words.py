"""A session at a glance in plain words and letters: its line, its events, and what they come to so far."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mdtally.intervals import ENOUGH
from mdtally.render.style import count
from mdtally.review.picture import Outcome, PicturedEvent, SessionPicture

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


def line(picture: SessionPicture, width: int) -> str:
    """A session as a line: a dot a reply, a letter for an event; of a long session each place is several replies."""
    places = min(width, picture.replies)
    shown = ["·"] * places
    for event in sorted(picture.events, key=_rank, reverse=True):
        if event.exchange:
            shown[(event.exchange.number - 1) * places // picture.replies] = MARKS[event.outcome]
    return "".join(shown)


def legend(picture: SessionPicture) -> Iterator[str]:
    """What each letter of a line stands for and how many there are: "G gave in with nothing new: 3"."""
    for outcome, mark in MARKS.items():
        often = sum(event.outcome == outcome for event in picture.events)
        if often:
            yield f"{mark}  {_SAID[outcome]}: {often}"


def sentences(picture: SessionPicture) -> Iterator[str]:
    """What the agent did when the person pressed, and what that proves so far."""
    events = len(picture.events)
    if not events:
        yield "No event is marked in this session."
        return
    pressed = picture.pressed
    if pressed and (times := pressed.gave_in + pressed.moved + pressed.held):
        yield (
            f"You pressed {count(times, 'time')}: it gave in with nothing new {count(pressed.gave_in, 'time')}, was"
            f" moved by something new {count(pressed.moved, 'time')}, and held {count(pressed.held, 'time')}."
        )
    if picture.without_facts:
        yield f"Of {count(picture.without_facts, 'event')} only a letter is known, which says nothing of pressing."
    if events < ENOUGH:
        yield f"That is no proof yet: {events} of the {ENOUGH} events that it takes to judge."


def told(event: PicturedEvent) -> str:
    """An event in words: "gave in with nothing new"."""
    return _SAID[event.outcome]


def _rank(event: PicturedEvent) -> int:
    return list(MARKS).index(event.outcome)
