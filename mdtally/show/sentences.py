"""Sentences that a session and a log have in common: what the agent did when the person pressed, and how often."""

from __future__ import annotations

from mdtally.show.style import count
from mdtally.text.model import Interval
from mdtally.text.percent import ends, in_100

SAYS_NOTHING = 0.75
"""The width of a range from which on it says nothing."""


def you_pressed(gave_in: int, moved: int, held: int, interval: Interval | None = None) -> str:
    """``You pressed 9 times: it gave in 3, was moved 1, held 5.``; with an interval also the rate, and what fits."""
    times = gave_in + moved + held
    pressed = f"You pressed {count(times, 'time')}: it gave in"
    if interval is None:
        return f"{pressed} {gave_in}, was moved {moved}, held {held}."
    low, high = ends(interval)
    return (
        f"{pressed} with nothing new {count(gave_in, 'time')} ({in_100(gave_in / times)} in 100; anything from {low} to"
        f" {high} fits), was moved by something new {count(moved, 'time')}, and held {count(held, 'time')}."
    )


def how_often(successes: int, events: int, interval: Interval, *limits: float) -> str:
    """``35 times of 232, about 15 in 100; anything from 10 to 22 fits``; of limits the rate is told apart."""
    about = "" if successes in (0, events) else f", about {in_100(successes / events, *limits)} in 100"
    low, high = ends(interval, *limits)
    if interval[1] - interval[0] > SAYS_NOTHING:
        return f"{count(successes, 'time')} of {events:,}, which says nothing yet: they are too few, or too alike"
    return f"{count(successes, 'time')} of {events:,}{about}; anything from {low} to {high} fits"
