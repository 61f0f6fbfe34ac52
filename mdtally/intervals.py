"""Wilson's score interval: the one number that keeps a small tally honest."""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist


def wilson(successes: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """Wilson's score interval of a binomial proportion (Wilson 1927, JASA 22:209).

    Args:
        successes: number of successes, ``0 <= successes <= n``.
        n: number of trials, at least 1.
        confidence: two-sided coverage.

    Returns:
        lower and upper bound, within [0, 1]; exactly 0 or 1 where all trials agree.
    """
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    rate = successes / n
    middle = rate + z * z / (2 * n)
    reach = z * sqrt(rate * (1 - rate) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    lower = 0.0 if successes == 0 else max(0.0, (middle - reach) / scale)
    upper = 1.0 if successes == n else min(1.0, (middle + reach) / scale)
    return lower, upper
