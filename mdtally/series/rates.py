"""One rate over a group's sessions: pooled, with its uncertainty, whether it is settled, and where it is going."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, sqrt

from mdtally.intervals import ENOUGH, normal_quantile, wilson
from mdtally.series.records import Rate, Trend
from mdtally.series.sequence import confidence_sequence

_FEW = 4
"""Sessions of either half below which there is no trend to speak of."""
_TOO_MANY = 100_000
"""Events beyond which it is no use to say how many more would settle something."""


def rate_of(all_successes: Sequence[int], sizes: Sequence[int], deff: float, alpha: float) -> Rate:
    """The pooled rate of sessions with events, deflated by a design effect; alpha is the sequence's."""
    successes, events = sum(all_successes), sum(sizes)
    if not events:
        return Rate(0, 0, 0, None, None, None, None, 0.0)
    return Rate(
        sessions=len(sizes),
        successes=successes,
        events=events,
        rate=successes / events,
        interval=wilson(successes, events),
        interval_deflated=wilson(successes / deff, events / deff),
        sequence=confidence_sequence(successes / deff, events / deff, alpha),
        worth=events / deff,
    )


def settled(rate: Rate, limit: float | None, deff: float) -> tuple[bool, int | None]:
    """Whether the deflated interval lies on one side of the limit; and about how many more events it would take."""
    if limit is None or rate.rate is None or rate.interval_deflated is None:
        return False, None
    low, high = rate.interval_deflated
    # The limit itself is no failure.
    if rate.events >= ENOUGH and (low > limit or high <= limit):
        return True, 0
    if rate.rate == limit or not 0 < limit < 1:
        return False, None
    # Wilson's interval holds the rates that a score test does not reject, so its end passes the limit where the score
    # of the observed rate, (rate - limit) / sqrt(limit (1 - limit) / n), passes the normal quantile.
    z = normal_quantile(0.975)
    needed = deff * (floor(z * z * limit * (1 - limit) / (rate.rate - limit) ** 2) + 1)
    more = max(1, ENOUGH - rate.events, round(needed) - rate.events)
    return False, more if more <= _TOO_MANY else None


def trend(successes: Sequence[int], sizes: Sequence[int], deff: float) -> Trend:
    """Whether the newer half of the sessions differs from the older half by more than chance (a deflated z test)."""
    half = len(sizes) // 2
    if half < _FEW:
        return "unclear"
    (k0, k1), (n0, n1) = ((sum(part[:half]), sum(part[half:])) for part in (successes, sizes))
    common = (k0 + k1) / (n0 + n1)
    spread = sqrt(deff * common * (1 - common) * (1 / n0 + 1 / n1))
    if not spread or abs(k1 / n1 - k0 / n0) <= normal_quantile(0.975) * spread:
        return "unclear"
    return "up" if k1 / n1 > k0 / n0 else "down"
