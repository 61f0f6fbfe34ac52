"""Differences between two groups' rates: did a new rule help, is one model pressed into more than another?

The interval is Newcombe's (Statistics in Medicine 17, 1998, method 10): the ends of both rates' Wilson intervals,
combined, each for as many independent events as its group's are worth. The correlation is that of both groups' sessions
together, as it was estimated: drawn towards the usual one, the interval would be too wide where events are independent
(bench/history_simulations.py). *Settled* is claimed by the ends of both confidence sequences, combined likewise, so it
holds however often one looks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import sqrt

from mdtally.log.series.rates import ALPHA, FEWEST_SESSIONS, Clusters, confidence_sequence, deff
from mdtally.text.intervals import ENOUGH, wilson
from mdtally.text.model import Interval
from mdtally.text.records import record


@record
class Difference:
    """How much another group's rate is above a first one's, in shares of 1.

    Attributes:
        difference: the other group's rate less the first one's; below 0 the other's is lower.
        interval_deflated: 95 % interval (over all differences that are shown together), for who looks once.
        sequence: the same for who looks as often as they like.
        settled: True where that leaves out 0, on ten events' worth and five sessions of either group.
    """

    difference: float
    interval_deflated: Interval
    sequence: Interval
    settled: bool


def difference(first: Clusters, other: Clusters, *, alpha: float = ALPHA) -> Difference:
    """The difference of two groups with events; interval and sequence may be wrong with a probability of alpha."""
    rates, worths = _rates(first, other)
    ends = [confidence_sequence(p * n, n, alpha) for p, n in zip(rates, worths, strict=True)]
    at_any_time = difference_range(rates, ends)
    enough = min(worths) >= ENOUGH and min(first.count, other.count) >= FEWEST_SESSIONS
    settled = enough and not at_any_time[0] <= 0 <= at_any_time[1]
    return Difference(rates[1] - rates[0], looked_once(first, other, alpha=alpha), at_any_time, settled)


def looked_once(first: Clusters, other: Clusters, *, alpha: float = ALPHA) -> Interval:
    """The interval of a difference for who looks once."""
    rates, worths = _rates(first, other)
    return difference_range(rates, [wilson(p * n, n, 1 - alpha) for p, n in zip(rates, worths, strict=True)])


def standardised_difference(pairs: Sequence[tuple[Clusters, Clusters]]) -> Difference:
    """The difference of two sides over several groups, each weighing by its share of the events of both sides."""
    total = sum(first.events + other.events for first, other in pairs)
    found = [((first.events + other.events) / total, difference(first, other)) for first, other in pairs]
    middle = sum(weight * one.difference for weight, one in found)

    def together(ends: Callable[[Difference], Interval]) -> Interval:
        below = sum((weight * (one.difference - ends(one)[0])) ** 2 for weight, one in found)
        above = sum((weight * (ends(one)[1] - one.difference)) ** 2 for weight, one in found)
        return middle - sqrt(below), middle + sqrt(above)

    low, high = at_any_time = together(lambda one: one.sequence)
    worths = zip(*(_rates(*pair)[1] for pair in pairs), strict=True)
    enough = all(min(first.count, other.count) >= FEWEST_SESSIONS for first, other in pairs)
    settled = enough and min(map(sum, worths)) >= ENOUGH and not low <= 0 <= high
    return Difference(middle, together(lambda one: one.interval_deflated), at_any_time, settled)


def pooled_correlation(first: Clusters, other: Clusters) -> float:
    """The within-session correlation of two groups, as estimated, weighted by their sessions; 0 where none can tell."""
    weights = [(max(0, group.count - 1), group.estimate() or 0.0) for group in (first, other)]
    total = sum(weight for weight, _ in weights)
    return sum(weight * rho for weight, rho in weights) / total if total else 0.0


def _rates(first: Clusters, other: Clusters) -> tuple[list[float], list[float]]:
    """Both rates, and how many independent events they rest on."""
    rho = pooled_correlation(first, other)
    worths = [group.events / deff(rho, group.mean_size) for group in (first, other)]
    return [group.successes / group.events for group in (first, other)], worths


def difference_range(rates: list[float], ends: list[Interval]) -> Interval:
    """The interval of a difference from those of its two rates (Newcombe's square-and-add)."""
    (first, other), ((low_first, high_first), (low_other, high_other)) = rates, ends
    low = other - first - sqrt((other - low_other) ** 2 + (high_first - first) ** 2)
    high = other - first + sqrt((high_other - other) ** 2 + (first - low_first) ** 2)
    return low, high
