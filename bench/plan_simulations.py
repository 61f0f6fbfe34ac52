"""How often what `plan` promises in four of five logs is told after as many sessions as it says.

    python bench/plan_simulations.py [--logs 1000]

A cell is the share of logs that `history`'s own tests tell, the right way round, and the number of sessions. The chance
of a session is drawn from a beta distribution with the correlation given; the ceiling is .20.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from mdtally.log.series.contrasts import difference
from mdtally.log.series.plan import Plan, plan
from mdtally.log.series.rates import Clusters, is_settled

CEILING = 0.2
RATES = (0.0, 0.02, 0.05, 0.1, 0.3, 0.5, 1.0)
CHANGES = ((0.0, 0.1), (0.05, 0.02), (0.2, 0.1), (0.1, 0.2), (0.3, 0.5), (0.5, 0.3), (1.0, 0.8))
RHOS = (0.0, 0.1, 0.3)
SIZES = (5, 15, 40)
Cell = tuple[float, int | None]


def log(dice: np.random.Generator, rate: float, rho: float, size: int, sessions: int) -> Clusters:
    """A log of sessions alike."""
    chance = np.full(sessions, rate)
    if rho and 0 < rate < 1:
        chance = dice.beta(rate * (1 / rho - 1), (1 - rate) * (1 / rho - 1), sessions)
    return Clusters((int(successes), size) for successes in dice.binomial(size, chance))


def decisive(dice: np.random.Generator, planned: Plan) -> Iterator[bool]:
    """Of log after log whether it is decisive, the right way round."""
    while True:
        found = log(dice, planned.rate, planned.rho, planned.session_size, planned.sessions or 0)
        is_above = found.successes > CEILING * found.events
        yield is_settled(found, CEILING) and is_above == (planned.rate > CEILING)


def changed(dice: np.random.Generator, planned: Plan, *, settled: bool) -> Iterator[bool]:
    """Of log after log whether its change is settled, or shows in one look, the right way round."""
    sessions = (planned.settled if settled else planned.one_look) or 0
    while True:
        before = log(dice, planned.before, planned.rho, planned.session_size, planned.have or sessions)
        found = difference(before, log(dice, planned.since, planned.rho, planned.session_size, sessions))
        low, high = found.interval_deflated
        is_told = found.settled if settled else not low <= 0 <= high
        yield is_told and (found.difference > 0) == (planned.since > planned.before)


def share(told: Iterator[bool], logs: int) -> float:
    """The share of so many logs that are told."""
    return sum(next(told) for _ in range(logs)) / logs


def cells(dice: np.random.Generator, logs: int, planned: Plan, change: bool) -> list[Cell]:
    """What is told after as many sessions as planned; 0 where none are."""
    ways: list[tuple[int | None, Callable[[], Iterator[bool]]]] = [
        (planned.sessions, lambda: decisive(dice, planned)),
    ]
    if change:
        ways = [
            (planned.one_look, lambda: changed(dice, planned, settled=False)),
            (planned.settled, lambda: changed(dice, planned, settled=True)),
        ]
    return [(share(way(), logs) if sessions else 0.0, sessions) for sessions, way in ways]


def main() -> None:
    """Print both tables, and the range of all shares."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--logs", type=int, default=1000)
    logs = options.parse_args().logs
    dice = np.random.default_rng(11)
    shares = []
    for change, what in ((False, RATES), (True, CHANGES)):
        names = [f"{name}rho {rho:g}" for rho in RHOS for name in (("one look, ", "settled, ") if change else ("",))]
        print(f"\n| {'from, to' if change else 'rate'} | events a session | {' | '.join(names)} |")
        print(f"| --- | --- |{' ---: |' * len(names)}")
        for rates, size in product(what, SIZES):
            shown = []
            for rho in RHOS:
                given = {"before": rates[0], "since": rates[1]} if isinstance(rates, tuple) else {"rate": rates}
                found = cells(dice, logs, plan(CEILING, rho=rho, session_size=size, **given), change)
                # A rate of 0 or 1 has no luck: such a log is told, or it is not.
                shares += [told for told, sessions in found if sessions and rates not in (0.0, 1.0)]
                shown += [f"{told:.2f} ({sessions})" if sessions else "never" for told, sessions in found]
            name = f"{rates[0]:g}, {rates[1]:g}" if isinstance(rates, tuple) else f"{rates:g}"
            print(f"| {name} | {size} | {' | '.join(shown)} |", flush=True)
    print(f"\n{len(shares)} shares of logs with luck, from {min(shares):.3f} to {max(shares):.3f}")


if __name__ == "__main__":
    main()
