"""How often a group whose true rate lies exactly on its ceiling is ever told to be settled, at a look each session.

    python bench/settled_simulations.py [--logs 4000] [--sessions 100]

Sessions of one size; the chance of a session is drawn from a beta distribution with the correlation given. "Told" are
logs in which it was settled at least once (.05 is allowed); "takes" is the median number of sessions until a true rate
of half the ceiling is settled, "took" the same without the margins. Of ten groups, a log is told if any of them is.
"""

from __future__ import annotations

import argparse

import numpy as np
from scipy.special import gammaln

from mdtally.log.series.rates import ALPHA, FEWEST_IF_ALIKE, FEWEST_SESSIONS, PRIOR, PRIOR_RHO, PRIOR_SESSIONS, SURE
from mdtally.text.intervals import ENOUGH

CEILING = 0.2


def settled(successes: np.ndarray, size: int, groups: int, *, margins: bool = True) -> np.ndarray:
    """Of logs (rows) whether they are settled after each session (columns), as `rates.is_settled` says."""
    count = np.arange(1, successes.shape[1] + 1, dtype=float)
    events, total, squares = count * size, successes.cumsum(1), (successes.astype(float) ** 2).cumsum(1)
    with np.errstate(divide="ignore", invalid="ignore"):
        between = (squares / size - total * total / events) / (count - 1)
        within = (total - squares / size) / (events - count)
        spread = between + (size - 1) * within
        estimate = np.clip((between - within) / spread, 0, 1)
        drawn = (PRIOR_SESSIONS * PRIOR_RHO + (count - 1) * estimate) / (PRIOR_SESSIONS + count - 1)
    used = np.where((spread > 0) & (count > 1), drawn, PRIOR_RHO)
    error = np.sqrt(2 / (size * (size - 1) * np.maximum(1, count - 1))) * (1 - used) * (1 + (size - 1) * used)
    deff = 1 + (size - 1) * np.minimum(1, used + margins * (SURE * error + used * used))
    s, n = total / deff, events / deff
    a, b = PRIOR
    mixture = gammaln(a + s) + gammaln(b + n - s) - gammaln(a + b + n) - gammaln(a) - gammaln(b) + gammaln(a + b)
    ratio = mixture - s * np.log(CEILING) - (n - s) * np.log1p(-CEILING)
    fewest = np.maximum(FEWEST_SESSIONS, margins * FEWEST_IF_ALIKE * used)
    return (n >= ENOUGH) & (count >= fewest) & (ratio >= np.log(groups / ALPHA))


def logs(dice: np.random.Generator, number: int, sessions: int, size: int, rate: float, rho: float) -> np.ndarray:
    """The successes of each session (columns) of many logs (rows)."""
    chance = np.full((number, sessions), rate)
    if rho:
        weight = 1 / rho - 1
        chance = dice.beta(rate * weight, (1 - rate) * weight, (number, sessions))
    return dice.binomial(size, chance)


def main() -> None:
    """Print the table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--logs", type=int, default=4000)
    options.add_argument("--sessions", type=int, default=100)
    given = options.parse_args()
    dice = np.random.default_rng(7)
    print("| size | correlation | told, one group | told, ten groups | takes | took |")
    print("| --- | --- | --- | --- | --- | --- |")
    for size in (10, 20, 50):
        for rho in (0.0, 0.1, 0.2, 0.3, 0.5):
            at = logs(dice, given.logs, given.sessions, size, CEILING, rho)
            one, ten = (settled(at, size, groups).any(1) for groups in (1, 10))
            of_ten = ten[: len(ten) // 10 * 10].reshape(-1, 10).any(1)
            below = logs(dice, given.logs, given.sessions, size, CEILING / 2, rho)
            takes, took = (_median(settled(below, size, 1, margins=margins)) for margins in (True, False))
            print(f"| {size} | {rho} | {one.mean():.3f} | {of_ten.mean():.3f} | {takes:.0f} | {took:.0f} |")


def _median(found: np.ndarray) -> float:
    return float(np.median(np.where(found.any(1), found.argmax(1) + 1, found.shape[1] + 1)))


if __name__ == "__main__":
    main()
