"""The records that pass between the readers of one log: what an annotation says, before anything is added up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mdtally.model import Counter, Fact, Letter


@dataclass(frozen=True, slots=True)
class Increment:
    """A tag or fact: so many events of one letter.

    Attributes:
        letter: of the events.
        count: how many.
        start, end: the annotation's span in its run.
        fact: the fact it was written as, or None.
        note: its words.
    """

    letter: Letter
    count: int
    start: int
    end: int
    fact: Fact | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Stated:
    """A tally: a stated running total.

    Attributes:
        counter: of which.
        value: the total.
        start, end: the statement's span in its run.
        past: True for an earlier value of a row that goes on: it may not fall, but asserts nothing about tags.
    """

    counter: Counter
    value: int
    start: int
    end: int
    past: bool = False


@dataclass(frozen=True, slots=True)
class Malformed:
    """An annotation that can't be read.

    Attributes:
        rule: "tally-malformed" or "fact-malformed".
        message, hint: as in a Problem.
        start, end: its span in its run.
    """

    rule: Literal["tally-malformed", "fact-malformed"]
    message: str
    start: int
    end: int
    hint: str = ""


Mark = Increment | Stated | Malformed

MOST_EVENTS = 999
"""One annotation that stands for more events than this is a slip of the pen."""


def increment(
    letter: Letter, count: int, start: int, end: int, fact: Fact | None = None, note: str = ""
) -> Increment | Malformed:
    """An Increment, or what is wrong with so many events."""
    if count > MOST_EVENTS:
        return Malformed(
            "tally-malformed",
            f"one tag stands for {count} events, which can't be right",
            start,
            end,
            f"a tag may stand for up to {MOST_EVENTS} events; a running total is written A_{letter}: {count}",
        )
    return Increment(letter, count, start, end, fact, note)
