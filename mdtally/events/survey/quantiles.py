"""Quantiles of the beta and of Student's t distribution, which the standard library has not.

Both rest on the regularised incomplete beta function, by its continued fraction (NIST Digital Library of Mathematical
Functions, 8.17.22): equal to scipy's to ten digits.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from math import exp, inf, lgamma, log, log1p, sqrt

_MOST_STEPS = 1000


def beta_at_most(x: float, a: float, b: float) -> float:
    """The probability that a Beta(a, b) variable is at most x: the regularised incomplete beta function."""
    if not 0 < x < 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):  # the fraction converges quickly below the mean
        return 1 - beta_at_most(1 - x, b, a)
    # Lentz's way to evaluate a continued fraction from the front.
    value = ratio = 1.0
    inverse = 0.0
    for part in _parts(x, a, b):
        inverse = 1 / (1 + part * inverse)
        ratio = 1 + part / ratio
        value *= ratio * inverse
        if abs(ratio * inverse - 1) < 1e-16:
            break
    return exp(_log_density(x, a, b) + log(x) + log1p(-x) - log(a)) / value


@cache
def beta_quantile(probability: float, a: float, b: float) -> float:
    """The x that a Beta(a, b) variable is at most with a probability strictly between 0 and 1."""
    low, high, x = 0.0, 1.0, a / (a + b)
    for _ in range(_MOST_STEPS):
        excess = beta_at_most(x, a, b) - probability
        low, high = (low, x) if excess > 0 else (x, high)
        density = exp(min(700.0, _log_density(x, a, b)))
        newton = x - excess / density if density else inf
        nearer = newton if low < newton < high else (low + high) / 2
        if abs(nearer - x) <= 1e-15 * x:
            break
        x = nearer
    return x


@cache
def t_quantile(probability: float, freedom: float) -> float:
    """The quantile of Student's t with so many degrees of freedom, for a probability from .9 up to 1, exclusive."""
    # freedom over (freedom + t squared) is Beta(freedom / 2, 1 / 2).
    share = beta_quantile(2 * (1 - probability), freedom / 2, 0.5)
    return sqrt(freedom * (1 - share) / share)


def _parts(x: float, a: float, b: float) -> Iterator[float]:
    """The numerators of the continued fraction."""
    for m in range(_MOST_STEPS):
        yield -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        yield (m + 1) * (b - m - 1) * x / ((a + 2 * m + 1) * (a + 2 * m + 2))


def _log_density(x: float, a: float, b: float) -> float:
    return (a - 1) * log(x) + (b - 1) * log1p(-x) + lgamma(a + b) - lgamma(a) - lgamma(b)
