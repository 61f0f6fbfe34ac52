"""Single sessions that stand out, which a pooled rate hides.

Nineteen sessions in which the agent gave in once of ten times, and one in which it did six times, pool to 12.5 %: under
a ceiling of 20 %, and yet something happened in that one. Two questions are asked of each session. Does it hold more of
all the events in question than a fair deal among the sessions would give it (the hypergeometric tail, with
Benjamini and Hochberg over all that is shown)? And, plainly: is it above the ceiling while the rolling rate is not?

A session under ten events says little by itself, so small ones are pooled, in their order, until there are ten.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, MutableSequence, Sequence
from itertools import accumulate, chain, islice, repeat
from operator import sub
from typing import NamedTuple

from mdtally.intervals import ENOUGH
from mdtally.series.tails import beta_binomial, hypergeometric_tail

FALSE_DISCOVERY_RATE = 0.05
_LARGE = 400
"""Events of a session beyond which its size changes the chance no more."""


class Units(NamedTuple):
    """Sessions as they are judged: by themselves, or small ones together.

    Attributes:
        of: for each session, the index of its unit; -1 where it has no events or its pool is still too small.
        sizes: events of each unit; last: the index of the last session in it.
    """

    of: MutableSequence[int]
    sizes: MutableSequence[int]
    last: MutableSequence[int]


def pool(sizes: Sequence[int]) -> Units:
    """Pool small sessions, in their order, until they have enough events; others stand alone."""
    units = Units(array("i", [-1]) * len(sizes), array("i"), array("i"))
    waiting: list[int] = []
    together = 0
    for index, size in enumerate(sizes):
        members = [index]
        if 0 < size < ENOUGH:
            waiting.append(index)
            together += size
            if together < ENOUGH:
                continue
            members, size, waiting, together = waiting, together, [], 0
        if size:
            for member in members:
                units.of[member] = len(units.last)
            units.sizes.append(size)
            units.last.append(index)
    return units


def pooled(successes: Sequence[int], units: Units) -> Sequence[int]:
    """The successes of each unit."""
    sums = array("i", [0]) * len(units.last)
    for k, unit in zip(successes, units.of, strict=True):
        if k and unit >= 0:
            sums[unit] += k
    return sums


def tail(successes: int, size: int, all_successes: int, all_events: int) -> float | None:
    """The chance of so many successes or more in a session or pool, were those of its group dealt out among all events.

    The group's counts include it. None where the others have fewer than ten events and can't be a standard.
    """
    others = all_events - size
    return None if others < ENOUGH else hypergeometric_tail(successes, size, all_successes - successes, others)


def tails(units: Iterable[tuple[int, int]], all_successes: int, all_events: int) -> dict[tuple[int, int], float]:
    """The tail of each unit that can be judged, by its (successes, size); thousands of units share a few dozen."""
    found = ((unit, tail(*unit, all_successes, all_events)) for unit in set(units))
    return {unit: value for unit, value in found if value is not None}


def cutoff(tails: Counter[float]) -> float:
    """The largest of these tails, each with how often it occurs, that is a spike; -1 where none is.

    By Benjamini and Hochberg (1995): the expected share of false ones among those at or under it is 5 % at most.
    """
    total, rank, largest = tails.total(), 0, -1.0
    for value in sorted(tails):
        rank += tails[value]
        if value * total / rank <= FALSE_DISCOVERY_RATE:
            largest = value
    return largest


def rolling(counts: Iterable[int], window: int) -> Sequence[int]:
    """Sums of the last ``window`` counts, at each of them."""
    sums = array("q", accumulate(counts, initial=0))
    return array("i", map(sub, islice(sums, 1, None), chain(repeat(0, min(window - 1, len(sums))), sums)))


def chance_above(size: int, limit: float, rate: float, rho: float) -> float:
    """The chance that a session of that size is above the limit by chance alone, at a rate that is not.

    Events of a session are alike, so its counts scatter as a beta-binomial's do.
    """
    size = min(size, _LARGE)
    return sum(chance for k, chance in enumerate(beta_binomial(rate, rho, size)) if k / size > limit)
