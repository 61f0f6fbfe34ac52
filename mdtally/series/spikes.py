"""Single sessions that stand out, which a pooled rate hides.

Nineteen sessions in which the agent gave in once of ten times, and one in which it did six times, pool to 12.5 %: under
a ceiling of 20 %, and yet something happened in that one. Two questions are asked of each session. Does it hold more of
all the events in question than a fair deal among the sessions would give it (the hypergeometric tail, with
Benjamini-Hochberg over all that is shown)? And, plainly: is it above the ceiling while the rolling rate is not?

A session under ten events says little by itself, so small ones are pooled, in their order, until there are ten.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import accumulate, chain, islice, repeat
from operator import sub

from mdtally.intervals import ENOUGH
from mdtally.records import record
from mdtally.series.tails import benjamini_hochberg, beta_binomial, hypergeometric_tail

FALSE_DISCOVERY_RATE = 0.05
_LARGE = 400
"""Events of a session beyond which its size changes the chance no more."""


@record
class Units:
    """Sessions as they are judged: by themselves, or small ones together.

    Attributes:
        of: for each session, the index of its unit; -1 where it has no events or its pool is still too small.
        sizes: events of each unit.
        last: for each unit, the index of the last session in it.
    """

    of: Sequence[int]
    sizes: Sequence[int]
    last: Sequence[int]


def pool(sizes: Sequence[int]) -> Units:
    """Pool small sessions, in their order, until they have enough events; others stand alone."""
    of = array("i", [-1]) * len(sizes)
    units, last = array("i"), array("i")
    waiting: list[int] = []
    together = 0
    for index, n in enumerate(sizes):
        if n >= ENOUGH:
            of[index] = len(last)
        elif n:
            waiting.append(index)
            together += n
            if together < ENOUGH:
                continue
            for member in waiting:
                of[member] = len(last)
            n, waiting, together = together, [], 0
        else:
            continue
        units.append(n)
        last.append(index)
    return Units(of=of, sizes=units, last=last)


def pooled(successes: Sequence[int], units: Units) -> Sequence[int]:
    """The successes of each unit."""
    sums = array("i", [0]) * len(units.last)
    for k, unit in zip(successes, units.of, strict=True):
        if k and unit >= 0:
            sums[unit] += k
    return sums


def tail(successes: int, size: int, all_successes: int, all_events: int) -> float | None:
    """The chance of so many successes or more in a session, were those of its group dealt out among all events.

    Args:
        successes, size: the session's (or pool's) counts.
        all_successes, all_events: the group's counts, the session included.

    Returns:
        the tail; None where the others have fewer than ten events and can't be a standard.
    """
    others = all_events - size
    if others < ENOUGH:
        return None
    return hypergeometric_tail(successes, size, all_successes - successes, others)


def tails(units: Iterable[tuple[int, int]], all_successes: int, all_events: int) -> dict[tuple[int, int], float]:
    """The tail of each unit that can be judged, by its (successes, size); thousands of units share a few dozen."""
    found = ((unit, tail(*unit, all_successes, all_events)) for unit in set(units))
    return {unit: value for unit, value in found if value is not None}


def cutoff(found: Counter[float]) -> float:
    """The largest tail that Benjamini and Hochberg flag, of tails with how often each occurs; below 0 for none."""
    values = list(found)
    adjusted = benjamini_hochberg(values, list(found.values()))
    flagged = (value for value, one in zip(values, adjusted, strict=True) if one <= FALSE_DISCOVERY_RATE)
    return max(flagged, default=-1.0)


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
