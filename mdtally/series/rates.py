"""One rate over a group's sessions: pooled, with its uncertainty, whether it is settled, and where it is going.

**Events of one session are alike.** At a within-session correlation rho, n sessions of m events carry as much as
``n m / (1 + (m - 1) rho)`` independent events (Kish 1965). An interval or test that ignores this misses two to three
times as often as it says. The estimate is the ANOVA estimator for binary clusters (Ridout, Demetrio and Firth,
"Estimating intraclass correlation for binary data", Biometrics 55, 1999), which a reader can check by hand.

**Looking daily.** A 95 % interval is wrong in 5 of 100 cases if one looks once, at a number of events fixed beforehand.
A confidence sequence is wrong *at any time* in at most 5 of 100, at the price of width: Robbins, "Statistical methods
related to the law of the iterated logarithm" (Annals of Mathematical Statistics 41, 1970), with the beta-binomial
mixture as in Howard, Ramdas, McAuliffe and Sekhon, "Time-uniform, nonparametric, nonasymptotic confidence sequences"
(Annals of Statistics 49, 2021). For the true rate p, the likelihood ratio

    B(a + successes, b + failures) / B(a, b) / (p^successes (1 - p)^failures)

of a Beta(a, b) mixture against p is a martingale from 1, so by Ville's inequality it ever reaches 1/alpha with
probability alpha at most; the sequence holds every p for which it has not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from math import floor, lgamma, log, log1p, sqrt
from operator import add
from typing import Literal

from mdtally.intervals import ENOUGH, normal_quantile, wilson
from mdtally.model import Interval
from mdtally.records import record

Trend = Literal["up", "down", "unclear"]

PRIOR_RHO, PRIOR_SESSIONS = 0.20, 10
"""The correlation assumed before the log has told, and how many sessions that weighs: so much that the confidence
sequence misses in fewer than 5 of 100 logs up to a true correlation of .20 (bench/history_simulations.py)."""
PRIOR = (0.5, 0.5)
"""The mixture's Beta(a, b): Jeffreys', which favours no rate much and is narrow near 0, where good rates lie."""
_FEW = 4
"""Sessions of either half below which there is no trend to speak of."""
_TOO_MANY = 100_000
"""Events beyond which it is no use to say how many more would settle something."""


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


@record
class Rate:
    """A rate over several sessions, with what it can and can't say.

    Attributes:
        sessions: those with events; successes, events: its numerator and denominator.
        rate: None without events, as are the intervals.
        interval: the plain Wilson interval, as if all events were independent.
        interval_deflated: the same for as many independent events as these are worth; the one to show.
        sequence: a confidence sequence, deflated likewise; worth: how many independent events these are worth.
    """

    sessions: int
    successes: int
    events: int
    rate: float | None = None
    interval: Interval | None = None
    interval_deflated: Interval | None = None
    sequence: Interval | None = None
    worth: float = 0.0


class Clusters:
    """Running sums over sessions with events, from which the correlation follows at any time.

    Attributes:
        count: sessions; events, successes: totals.
        squares: by size of a session, the sum of successes squared; sizes: the sum of sizes squared.
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
        # If every event is alike there is nothing to correlate.
        return None if spread <= 0 else min(1.0, max(0.0, (between - within) / spread))

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


def rate_of(all_successes: Sequence[int], sizes: Sequence[int], deff: float, alpha: float) -> Rate:
    """The pooled rate of sessions with events, deflated by a design effect; alpha is the sequence's."""
    successes, events = sum(all_successes), sum(sizes)
    if not events:
        return Rate(0, 0, 0)
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


def confidence_sequence(
    successes: float, n: float, alpha: float = 0.05, prior: tuple[float, float] = PRIOR
) -> tuple[float, float]:
    """Lower and upper end of the confidence sequence after n events; (0, 1) without events.

    Args:
        successes, n: what was seen since the start of the sequence; neither has to be whole.
        alpha: probability of ever missing the true rate; prior: the mixture's Beta(a, b).
    """
    if not 0 <= successes <= n:
        raise ValueError(f"{successes} successes in {n} trials")
    if n == 0:
        return 0.0, 1.0
    a, b = prior
    failures = n - successes
    level = _log_beta(a + successes, b + failures) - _log_beta(a, b) - log(1 / alpha)

    def excess(p: float) -> float:
        return level - successes * log(p) - failures * log1p(-p)

    rate = successes / n
    lower = 0.0 if successes == 0 else _crossing(excess, inside=rate, outside=0.0)
    upper = 1.0 if failures == 0 else _crossing(excess, inside=rate, outside=1.0)
    return lower, upper


def spent(alpha: float, start: int) -> float:
    """The share of alpha for a window's sequence that starts at session ``start`` (1-based).

    Over all starts the shares add up to alpha, so the windows' sequences are right all at once.
    """
    return alpha / (start * (start + 1))


def _crossing(excess: Callable[[float], float], *, inside: float, outside: float) -> float:
    """Where ``excess`` passes zero between a rate inside the sequence and an end that is outside, by bisection."""
    for _ in range(200):
        middle = (inside + outside) / 2
        if middle in (inside, outside):
            break
        if excess(middle) < 0:
            inside = middle
        else:
            outside = middle
    return outside


def _log_beta(a: float, b: float) -> float:
    return lgamma(a) + lgamma(b) - lgamma(a + b)
