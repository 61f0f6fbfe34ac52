"""Exact probabilities of counts.

Three-sigma limits are the usual way to flag a session, and at ten events they raise 5 to 12 times the false alarms
they promise. These probabilities are exact at every size, and as cheap.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import exp, fsum, lgamma


def hypergeometric_at_least(k: int, n: int, others_k: int, others_n: int) -> float:
    """The probability that k or more of all successes fall among these n events, wherever they fall by chance.

    It compares a session's k of n with the others' counts without a rate to plug in (Fisher 1935): the successes of all
    are dealt out among all events. With few others it is as unsure as it should be.
    """
    successes, events = k + others_k, n + others_n
    if k <= max(0, n - (events - successes)):
        return 1.0
    if k <= n * successes / events:
        # Sum on the short side of the mean, so that terms fall from the first and the sum can stop.
        return 1.0 - hypergeometric_at_least(n - k + 1, n, events - successes - (n - k + 1), others_n)
    first = _log_choose(successes, k) + _log_choose(events - successes, n - k) - _log_choose(events, n)
    ratios = (
        (successes - i) * (n - i) / ((i + 1) * (events - successes - n + i + 1)) for i in range(k, min(n, successes))
    )
    return _sum_of(first, ratios)


def beta_binomial(rate: float, rho: float, n: int) -> list[float]:
    """Probabilities of 0 to n successes in a session whose events have that rate and correlation.

    Built up event by event as Polya's urn: no gamma functions, exact at a correlation of 0.
    """
    weights = [1.0]
    for i in range(n):
        scale = 1 - rho + rho * i
        hit = [(rate * (1 - rho) + rho * k) / scale for k in range(i + 1)]
        stayed = [w * (1 - h) for w, h in zip(weights, hit, strict=True)]
        moved = [w * h for w, h in zip(weights, hit, strict=True)]
        weights = [a + b for a, b in zip([*stayed, 0.0], [0.0, *moved], strict=True)]
    return weights


def _sum_of(first: float, ratios: Iterable[float]) -> float:
    """The sum of falling terms: e to the power ``first``, then each in its ratio to the one before."""
    terms, term = [1.0], 1.0
    for ratio in ratios:
        term *= ratio
        terms.append(term)
        if term < 1e-18:
            break
    return min(1.0, exp(first) * fsum(terms))


def _log_choose(n: int, k: int) -> float:
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)
