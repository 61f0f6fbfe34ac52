"""Golden values for the statistics, from scipy and statsmodels, written to series.json.

    python tests/golden/make_series.py

The tests compare with the committed file where scipy is missing, and with scipy itself where it is there.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

TARGET = Path(__file__).with_name("series.json")


def wilson(k: int, n: int, confidence: float) -> list[float]:
    from statsmodels.stats.proportion import proportion_confint

    return [float(end) for end in proportion_confint(k, n, 1 - confidence, method="wilson")]


def sequence(k: int, n: int, alpha: float) -> list[float]:
    """The beta-binomial mixture's interval, by scipy's root finder on scipy's log-beta."""
    from numpy import log, log1p
    from scipy.optimize import brentq
    from scipy.special import betaln

    a = b = 0.5

    def excess(p: float) -> float:
        return float(betaln(a + k, b + n - k) - betaln(a, b) - k * log(p) - (n - k) * log1p(-p) + log(alpha))

    rate = k / n
    low = 0.0 if k == 0 else brentq(excess, 1e-300, min(rate, 1 - 1e-16), xtol=1e-15, rtol=1e-14)
    high = 1.0 if k == n else brentq(excess, rate or 1e-300, 1 - 1e-16, xtol=1e-15, rtol=1e-14)
    return [low, high]


def benjamini_hochberg(p_values: list[float]) -> list[float]:
    from statsmodels.stats.multitest import multipletests

    return [float(value) for value in multipletests(p_values, method="fdr_bh")[1]]


def correlation(sessions: list[list[int]]) -> float:
    """The ANOVA estimator from a one-way analysis of variance over the single events."""
    from scipy.stats import f_oneway

    events = [[1] * k + [0] * (n - k) for k, n in sessions]
    sizes = [n for _, n in sessions]
    total, count = sum(sizes), len(sessions)
    size = (total - sum(n * n for n in sizes) / total) / (count - 1)
    ratio = float(f_oneway(*events).statistic)
    return min(1.0, max(0.0, (ratio - 1) / (ratio + size - 1)))


def hypergeometric_at_least(k: int, n: int, others_k: int, others_n: int) -> float:
    from scipy.stats import hypergeom

    return float(hypergeom.sf(k - 1, n + others_n, k + others_k, n))


def kappa(square: list[list[int]]) -> float:
    from statsmodels.stats.inter_rater import cohens_kappa

    return float(cohens_kappa(square, return_results=False))


def cases() -> dict[str, list[list[Any]]]:
    """The arguments of every golden value; drawn once, from a fixed seed."""
    draw = random.Random(12)
    counts = [(0, 1), (1, 1), (0, 10), (1, 10), (3, 12), (6, 10), (10, 10), (49, 50), (25, 200), (137, 1000), (0, 5000)]
    counts += [(draw.randint(0, n), n) for n in (7, 15, 23, 64, 311, 4096, 100_000)]
    sessions = []
    for spread in (0.05, 0.15, 0.4):
        one = []
        for _ in range(25):
            n = draw.choice([4, 8, 10, 12, 20])
            rate = draw.betavariate(0.2 * (1 - spread) / spread, 0.8 * (1 - spread) / spread)
            one.append([sum(draw.random() < rate for _ in range(n)), n])
        sessions.append(one)
    squares = [[[draw.randint(0, 30) for _ in range(4)] for _ in range(4)] for _ in range(5)]
    for square in squares:
        square[3][3] = 0
    return {
        "wilson": [[k, n, confidence] for k, n in counts for confidence in (0.8, 0.95, 0.99)],
        "sequence": [[k, n, 0.05] for k, n in counts],
        "benjamini_hochberg": [[[draw.random() ** 3 for _ in range(size)]] for size in (1, 2, 20, 100)],
        "correlation": [[one] for one in [*sessions, [[1, 10]] * 19 + [[6, 10]]]],
        "hypergeometric_at_least": [
            [5, 10, 1, 10],
            [6, 10, 9, 190],
            [2, 12, 1, 400],
            [0, 10, 3, 40],
            [9, 20, 900, 20_000],
        ],
        "kappa": [[square] for square in squares],
    }


def main() -> None:
    values = {
        name: [[*arguments, globals()[name](*arguments)] for arguments in every] for name, every in cases().items()
    }
    lines = [
        f"  {json.dumps(name)}: [\n" + ",\n".join(f"    {json.dumps(row)}" for row in rows) + "\n  ]"
        for name, rows in values.items()
    ]
    TARGET.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
