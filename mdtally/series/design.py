"""How alike the events of one session are.

Ten events of one session are not ten independent ones: the same person, the same topic, the same mood of the model.
At a within-session correlation rho, n sessions of m events carry as much as ``n m / (1 + (m - 1) rho)`` independent
events (Kish 1965). An interval or test that ignores this misses two to three times as often as it says.

The estimate is the ANOVA estimator for binary clusters (Ridout, Demetrio and Firth, "Estimating intraclass
correlation for binary data", Biometrics 55, 1999), which a reader can check by hand.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import reduce
from operator import add

from mdtally.records import record

PRIOR_RHO = 0.20
"""The correlation assumed before the log has told: so much that the confidence sequence misses in fewer than 5 of 100
logs up to a true correlation of .20 (bench/history_simulations.py), which half of it does not achieve."""
PRIOR_SESSIONS = 10
"""How many sessions that assumption weighs: an estimate from a handful of sessions is mostly noise, and often 0."""


@record
class DesignEffect:
    """How alike the events of one session are, and what that costs.

    Attributes:
        rho: estimate of the within-session correlation, 0 to 1; None where it can't be estimated.
        used: the correlation that intervals and tests are deflated by: the estimate drawn towards a usual one.
        m: mean session size, weighted by size.
        deff: the design effect ``1 + (m - 1) used``: how many events are worth one independent one.
    """

    rho: float | None
    used: float
    m: float
    deff: float


class Clusters:
    """Running sums over sessions, from which the correlation follows at any time.

    Attributes:
        count: sessions with events.
        events, successes: totals.
        squares: by size of a session, the sum of successes squared.
        sizes: sum of sizes squared.
    """

    __slots__ = ("count", "events", "sizes", "squares", "successes")

    def __init__(self, sessions: Iterable[tuple[int, int]] = ()) -> None:
        self.count = self.events = self.successes = self.sizes = 0
        self.squares: Counter[int] = Counter()
        for (successes, size), times in Counter(sessions).items():
            self.add(successes, size, times)

    def add(self, successes: int, size: int, times: int = 1) -> None:
        """Take in a session, or several alike; one without events says nothing."""
        if size:
            self.count += times
            self.events += times * size
            self.successes += times * successes
            self.squares[size] += times * successes * successes
            self.sizes += times * size * size

    def estimate(self) -> float | None:
        """The within-session correlation, cut to 0 to 1; None where the sessions can't tell."""
        count, events, successes = self.count, self.events, self.successes
        if count < 2 or events <= count:
            return None
        # By size and one after another, as the macros for DuckDB do: so the last digit is the same.
        squares = reduce(add, (total / size for size, total in sorted(self.squares.items())))
        between = (squares - successes * successes / events) / (count - 1)
        within = (successes - squares) / (events - count)
        size = (events - self.sizes / events) / (count - 1)
        spread = between + (size - 1) * within
        # Every event alike: no variation, so nothing to correlate.
        if spread <= 0:
            return None
        return min(1.0, max(0.0, (between - within) / spread))

    def used(self) -> float:
        """The correlation to deflate by: the estimate so far, drawn towards the usual one."""
        seen = self.estimate()
        weight = self.count - 1
        return PRIOR_RHO if seen is None else (PRIOR_SESSIONS * PRIOR_RHO + weight * seen) / (PRIOR_SESSIONS + weight)

    def design_effect(self) -> DesignEffect:
        """All of it, with the design effect of the mean session."""
        # The mean size as an event sees it: sizes weighted by themselves.
        size = self.sizes / self.events if self.events else 1.0
        used = self.used()
        return DesignEffect(rho=self.estimate(), used=used, m=size, deff=deff(used, size))


def deff(correlation: float, size: float) -> float:
    """The design effect of sessions of that size: by how much the variance of a pooled rate is multiplied."""
    return 1 + (size - 1) * correlation if size > 1 else 1.0
