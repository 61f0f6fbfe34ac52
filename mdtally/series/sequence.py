"""A confidence sequence: an interval that stays right for those who look after every session.

A 95 % interval is wrong in 5 of 100 cases if one looks once, at a number of events fixed beforehand. Nobody keeps a log
that way. Looked at after each session, some interval will miss the true rate sooner or later in far more than 5
of 100 logs. A confidence sequence is wrong *at any time* in at most 5 of 100, at the price of width.

Robbins, "Statistical methods related to the law of the iterated logarithm" (Annals of Mathematical Statistics 41,
1970), with the beta-binomial mixture as in Howard, Ramdas, McAuliffe and Sekhon, "Time-uniform, nonparametric,
nonasymptotic confidence sequences" (Annals of Statistics 49, 2021): for the true rate p, the likelihood ratio

    B(a + successes, b + failures) / B(a, b) / (p^successes (1 - p)^failures)

of a Beta(a, b) mixture against p is a martingale from 1, so by Ville's inequality it ever reaches 1/alpha with
probability alpha at most; the sequence holds every p for which it has not.
"""

from __future__ import annotations

from collections.abc import Callable
from math import lgamma, log, log1p

PRIOR = (0.5, 0.5)
"""The mixture's Beta(a, b): Jeffreys', which favours no rate much and is narrow near 0, where good rates lie."""


def confidence_sequence(
    successes: float, n: float, alpha: float = 0.05, prior: tuple[float, float] = PRIOR
) -> tuple[float, float]:
    """The confidence sequence's interval after n events.

    Args:
        successes: from 0 to n; neither has to be whole.
        n: events since the start of the sequence, which must not depend on the events themselves.
        alpha: probability of ever missing the true rate.
        prior: the mixture's Beta(a, b).

    Returns:
        lower and upper end; (0, 1) without events.
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
    """The share of alpha for a sequence that starts at session ``start`` (1-based).

    A window that slides starts anew at each session. Shares of ``alpha / (start (start + 1))`` add up to alpha over all
    starts, so the windows' sequences are right all at once, whichever one looks at.
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
