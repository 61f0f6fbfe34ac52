"""One rate over a group's sessions: pooled, with its uncertainty, and whether it is settled.

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

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, reduce
from math import exp, inf, lgamma, log, log1p, sqrt
from operator import add

from mdtally.text.intervals import ENOUGH, wilson
from mdtally.text.model import Interval
from mdtally.text.records import record

ALPHA = 0.05
PRIOR_RHO, PRIOR_SESSIONS = 0.20, 10
"""The correlation assumed before the log has told, and how many sessions that weighs: so much that the confidence
sequence misses in fewer than 5 of 100 logs up to a true correlation of .20 (bench/history_simulations.py)."""
PRIOR = (0.5, 0.5)
"""The mixture's Beta(a, b): Jeffreys', which favours no rate much and is narrow near 0, where good rates lie."""
FEWEST_SESSIONS, FEWEST_IF_ALIKE = 5, 60
"""Sessions below which nothing is settled, as the correlation is a guess until then; and that many times the
correlation, where that is more: of a few sessions that are all alike inside, some are all one way by chance."""
SURE = 0.5
"""How many of its standard errors the correlation is taken higher before something is called settled: with that and its
square, at most 5 of 100 logs at their ceiling are told (bench/settled_simulations.py)."""
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
        sequence: a confidence sequence, deflated likewise, that holds however often one looks.
        worth: how many independent events these are worth.
    """

    sessions: int
    successes: int
    events: int
    rate: float | None = None
    interval: Interval | None = None
    interval_deflated: Interval | None = None
    sequence: Interval | None = None
    worth: float = 0.0

    @property
    def is_enough(self) -> bool:
        """True from ten events' worth and five sessions on; before, nothing is settled."""
        return self.worth >= ENOUGH and self.sessions >= FEWEST_SESSIONS


class Clusters:
    """Running sums over sessions with events, from which the correlation follows at any time.

    Attributes:
        count: sessions; events, successes: totals.
        squares: by size of a session, the sum of successes squared; sizes: the sum of sizes squared.
    """

    __slots__ = ("count", "events", "sizes", "squares", "successes")

    def __init__(self, sessions: Iterable[tuple[int, int]] | None = None) -> None:
        """Take in the (successes, events) of sessions."""
        self.count = self.events = self.successes = self.sizes = 0.0
        self.squares: dict[int, float] = {}
        for (successes, size), times in Counter(sessions).items() if sessions else ():
            self.add(successes, size, times)

    def add(self, successes: int, size: int, times: int = 1) -> None:
        """Take in a session, or several alike; one without events says nothing."""
        if size:
            self.count += times
            self.events += times * size
            self.successes += times * successes
            self.squares[size] = self.squares.get(size, 0) + times * successes * successes
            self.sizes += times * size * size

    def grown(self, times: float) -> Clusters:
        """So many times these sessions."""
        grown = Clusters()
        grown.count, grown.events, grown.successes = times * self.count, times * self.events, times * self.successes
        grown.squares = {size: times * total for size, total in self.squares.items()}
        grown.sizes = times * self.sizes
        return grown

    @property
    def mean_size(self) -> float:
        """The mean size of a session as an event sees it: sizes weighted by themselves."""
        return self.sizes / self.events if self.events else 1.0

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

    def correlation_used(self) -> float:
        """The correlation to deflate by: the estimate so far, drawn towards the usual one."""
        estimated = self.estimate()
        if estimated is None:
            return PRIOR_RHO
        weight = self.count - 1
        return (PRIOR_SESSIONS * PRIOR_RHO + weight * estimated) / (PRIOR_SESSIONS + weight)

    def used_to_settle(self) -> float:
        """The correlation to deflate by before something is called settled: higher, as strong ones are underestimated.

        The standard error is that of sessions of the mean size (Donner 1986).
        """
        used, size = self.correlation_used(), self.mean_size
        error = 0.0
        if size > 1:
            error = sqrt(2 / (size * (size - 1) * max(1.0, self.count - 1))) * (1 - used) * deff(used, size)
        return min(1.0, used + SURE * error + used * used)

    def design_effect(self) -> DesignEffect:
        """All of it, with the design effect of the mean session."""
        used = self.correlation_used()
        return DesignEffect(self.estimate(), used, self.mean_size, deff(used, self.mean_size))

    def rate(self, effect: float | None = None, alpha: float = ALPHA, sequence_effect: float | None = None) -> Rate:
        """The pooled rate, deflated by a design effect, of the sessions if none is given; alpha is the sequence's, and
        the last argument its own design effect, if it has one."""
        if not self.events:
            return Rate(0, 0, 0)
        successes, events = int(self.successes), int(self.events)
        effect = self.design_effect().deff if effect is None else effect
        surely = sequence_effect or effect
        return Rate(
            sessions=int(self.count),
            successes=successes,
            events=events,
            rate=successes / events,
            interval=wilson(successes, events),
            interval_deflated=wilson(successes / effect, events / effect),
            sequence=confidence_sequence(successes / surely, events / surely, alpha),
            worth=events / effect,
        )


def deff(correlation: float, size: float) -> float:
    """The design effect of sessions of that size: by how much the variance of a pooled rate is multiplied."""
    return 1 + (size - 1) * correlation if size > 1 else 1.0


def rolling_rates(counts: Sequence[tuple[int, int]], window: int, correlation: float) -> list[tuple[float, Interval]]:
    """At each session with events, given as (successes, events), the rate of the last ``window`` ones, and what fits
    with it, deflated."""
    windows = (Clusters(counts[max(0, end - window) : end]) for end in range(1, len(counts) + 1))
    with_effect = ((one, deff(correlation, one.mean_size)) for one in windows)
    return [(one.successes / one.events, wilson(one.successes / by, one.events / by)) for one, by in with_effect]


def is_settled(sessions: Clusters, limit: float | None, groups: int = 1) -> bool:
    """True if the confidence sequence of sessions lies on one side of the limit, on enough events and sessions.

    So many groups that are shown together share the 5 % of being wrong. The limit itself is not a failure: a rate at
    most there is not above it, and none is above 1.
    """
    effect = deff(sessions.used_to_settle(), sessions.mean_size)
    fewest_sessions = max(FEWEST_SESSIONS, FEWEST_IF_ALIKE * sessions.correlation_used())
    if limit is None or sessions.events < ENOUGH * effect or sessions.count < fewest_sessions:
        return False
    if limit == 1:
        return True
    return log_ratio(sessions.successes / effect, sessions.events / effect, limit) >= log(groups / ALPHA)


def events_to_settle(is_settled: Callable[[float], bool], events: float) -> int | None:
    """About how many more events settle something, if they are like those so far: 0 if it is settled, None if no likely
    number does.

    Args:
        is_settled: tells whether it is settled once there are so many times the events.
        events: those so far, of the sessions that become more.
    """
    total = fewest(lambda n: is_settled(n / events), round(events)) if events else None
    return None if total is None else total - round(events)


def fewest(holds: Callable[[int], bool], start: int = 1) -> int | None:
    """The fewest number from ``start`` on for which something holds that then goes on holding; None if none does."""
    high = start
    while not holds(high):
        high *= 2
        if high > _TOO_MANY:
            return None
    return bisect_left(range(high), True, max(start, high // 2), key=holds)


def confidence_sequence(successes: float, n: float, alpha: float = ALPHA) -> Interval:
    """Lower and upper end of the confidence sequence after n events; (0, 1) without events.

    Args:
        successes, n: what was seen since the start of the sequence; neither has to be whole.
        alpha: probability of ever missing the true rate.
    """
    if n == 0:
        return 0.0, 1.0

    height = log(1 / alpha) - _log_mixture(successes, n)
    lower = 0.0 if successes == 0 else exp(-_softplus(_crossing(n - successes, n, height)))
    upper = 1.0 if successes == n else exp(-_softplus(-_crossing(successes, n, height)))
    return lower, upper


def alpha_share(alpha: float, start: int) -> float:
    """The share of alpha for a window's sequence that starts at session ``start`` (1-based).

    Over all starts the shares add up to alpha, so the windows' sequences are right all at once.
    """
    return alpha / (start * (start + 1))


def _crossing(successes: float, n: float, height: float) -> float:
    """The log odds of the sequence's upper end, at which the likelihood has fallen by ``height``, by Newton's method.

    In log odds the curve is convex, so from a point beyond the end each step stays beyond it. The first one is the end
    for a straight line below the curve.
    """
    odds, step = height / (n - successes), 1.0
    while step > 1e-9:  # the error after it is about its square
        above = _softplus(odds)
        step = (n * above - successes * odds - height) / (n * exp(odds - above) - successes)
        odds -= step
    return odds


def _softplus(odds: float) -> float:
    """The logarithm of 1 + e^odds, which is that of 1 / (1 - p)."""
    return max(odds, 0.0) + log1p(exp(-abs(odds)))


def log_ratio(successes: float, n: float, p: float) -> float:
    """The logarithm of the mixture's likelihood ratio against a rate; infinite for one that rules out what was seen."""
    failures = n - successes
    if (p == 0 and successes) or (p == 1 and failures):
        return inf
    return _log_mixture(successes, n) - (successes and successes * log(p)) - (failures and failures * log1p(-p))


@lru_cache(8)  # it is asked for at many rates
def _log_mixture(successes: float, n: float) -> float:
    a, b = PRIOR
    return _log_beta(a + successes, b + n - successes) - _log_beta(a, b)


def _log_beta(a: float, b: float) -> float:
    return lgamma(a) + lgamma(b) - lgamma(a + b)
