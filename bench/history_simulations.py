"""How often what `history` shows is wrong: the tables of docs/reference/statistics.md, from simulated logs.

Each session has a rate of its own, drawn from a Beta distribution around the log's rate, so that events within a
session are correlated by rho. Sessions have ten events, or 4 to 14 where a table says so.

    python bench/history_simulations.py [LOGS] [TABLE...]

1,000 logs a row by default; the tables are coverage, settled, differences, helped, trend, spikes and ceilings.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from math import log as ln
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from mdtally.log.series.ceiling import suggest
from mdtally.log.series.contrasts import difference
from mdtally.log.series.rates import FEWEST_SESSIONS, Clusters, deff, is_settled, log_ratio
from mdtally.log.series.spikes import spikes
from mdtally.text.intervals import wilson

RHOS = (0.0, 0.1, 0.2, 0.3)
LOOKS = 30
Counts = list[tuple[int, int]]


def log(draw: random.Random, rate: float, rho: float, sessions: int, sizes: Sequence[int] = (10,)) -> list[str]:
    """The events of sessions alike, each in order."""
    found = []
    for _ in range(sessions):
        own = draw.betavariate(rate * (1 - rho) / rho, (1 - rate) * (1 - rho) / rho) if rho else rate
        found.append("".join("P" if draw.random() < own else "T" for _ in range(draw.choice(sizes))))
    return found


def counts(sessions: Sequence[str]) -> Counts:
    """(successes, events) of each session."""
    return [(one.count("P"), len(one)) for one in sessions]


def growing(pairs: Counts) -> Iterator[Clusters]:
    """The log after each session."""
    clusters = Clusters()
    for pair in pairs:
        clusters.add(*pair)
        yield clusters


def row(*cells: object) -> None:
    """A row of a table: shares with three digits."""
    shown = (f"{cell:.3f}" if isinstance(cell, float) else str(cell) for cell in cells)
    print(f"| {' | '.join(shown)} |", flush=True)


def heading(*names: str) -> None:
    """The heading of a table."""
    print(f"\n| {' | '.join(names)} |\n| {' | '.join(['---'] * len(names))} |")


def coverage(logs: int) -> None:
    """Misses of the intervals looked at once, and of the sequence looked at after every one of 100 sessions."""
    heading("rate", "rho", "plain, 20 sessions", "deflated, 20", "deflated, 100", "sequence, ever in 100")
    for rate in (0.1, 0.2):
        for rho in RHOS:
            draw = random.Random(1)
            missed: Counter[str] = Counter()
            for _ in range(logs):
                ever = False
                for number, clusters in enumerate(growing(counts(log(draw, rate, rho, 100))), start=1):
                    effect = clusters.design_effect().deff
                    k, n = clusters.successes / effect, clusters.events / effect
                    ever = ever or log_ratio(k, n, rate) >= ln(20)
                    if number in (20, 100):
                        low, high = wilson(k, n)
                        missed[f"deflated {number}"] += not low <= rate <= high
                    if number == 20:
                        low, high = wilson(clusters.successes, clusters.events)
                        missed["plain"] += not low <= rate <= high
                missed["sequence"] += ever
            row(
                f"{rate:g}",
                str(rho),
                *(missed[name] / logs for name in ("plain", "deflated 20", "deflated 100", "sequence")),
            )


def settled(logs: int) -> None:
    """A true rate at the ceiling itself: logs that are told within thirty looks that it is more, or no more; and
    pressed rates, of which a session has one to four."""
    heading("ceiling = rate", "events a session", "rho", "told more", "told no more", "either")
    for rate, sizes in ((0.2, (10,)), (0.2, (4, 6, 8, 10, 14)), (0.1, (10,)), (0.2, (1, 2, 3, 4))):
        for rho in RHOS:
            draw = random.Random(2)
            told: Counter[str] = Counter()
            for _ in range(logs):
                answers = set()
                for seen in growing(counts(log(draw, rate, rho, LOOKS, sizes))):
                    if is_settled(seen, rate):
                        answers.add("more" if seen.successes > rate * seen.events else "no more")
                told.update([*answers, "either"] if answers else [])
            many = f"{min(sizes)} to {max(sizes)}" if len(sizes) > 1 else sizes[0]
            row(f"{rate:g}", many, str(rho), *(told[name] / logs for name in ("more", "no more", "either")))


def differences(logs: int) -> None:
    """How often the interval of a difference holds the true one, looked at once; 6 to 14 events a session."""
    heading("sessions", "rates", "rho", "holds the difference")
    for sessions in ((10, 10), (20, 20), (40, 40), (40, 10)):
        for rates in ((0.2, 0.2), (0.3, 0.15), (0.1, 0.1)):
            for rho in RHOS:
                draw, held = random.Random(3), 0
                for _ in range(logs):
                    first, other = (
                        Clusters(counts(log(draw, rate, rho, many, (6, 8, 10, 14))))
                        for rate, many in zip(rates, sessions, strict=True)
                    )
                    low, high = difference(first, other).interval_deflated
                    held += low <= rates[1] - rates[0] <= high
                row(f"{sessions[0]} and {sessions[1]}", f"{rates[0]:g}, {rates[1]:g}", str(rho), held / logs)


def helped(logs: int) -> None:
    """Twenty sessions before a change that changes nothing, thirty looks since: logs that are told that it did."""
    heading("rate", "rho", "told it fell", "told it rose")
    for rate in (0.1, 0.2, 0.4):
        for rho in RHOS:
            draw = random.Random(4)
            told: Counter[str] = Counter()
            for _ in range(logs):
                before = Clusters(counts(log(draw, rate, rho, 20, (6, 8, 10, 14))))
                answers = set()
                for since in growing(counts(log(draw, rate, rho, LOOKS, (6, 8, 10, 14)))):
                    found = difference(before, since)
                    if found.settled:
                        answers.add("fell" if found.difference < 0 else "rose")
                told.update(answers)
            row(f"{rate:g}", str(rho), told["fell"] / logs, told["rose"] / logs)


def trend(logs: int) -> None:
    """Logs of sessions alike that are told within thirty looks, from ten sessions on, that one half differs."""
    heading("rate", "rho", "told a trend")
    for rate in (0.1, 0.2):
        for rho in RHOS:
            draw, told = random.Random(5), 0
            for _ in range(logs):
                pairs = counts(log(draw, rate, rho, 2 * FEWEST_SESSIONS + LOOKS))
                halves = ((pairs[: end // 2], pairs[end // 2 : end]) for end in range(10, len(pairs) + 1))
                told += any(difference(*map(Clusters, both), alpha=0.025).settled for both in halves)
            row(f"{rate:g}", str(rho), told / logs)


def standing_out(logs: int) -> None:
    """Logs of sessions alike in which some session stands out."""
    heading("sessions", "rho", "a session stands out, at a rate of .1", "at .2")
    for sessions in (20, 60):
        for rho in RHOS:
            shares = []
            for rate in (0.1, 0.2):
                draw = random.Random(6)
                found = 0
                for _ in range(logs):
                    pairs = counts(log(draw, rate, rho, sessions))
                    found += bool(spikes([pairs])[0])
                shares.append(found / logs)
            row(sessions, str(rho), *shares)


def ceilings(logs: int) -> None:
    """Suggested ceilings of models whose true rate is known, after 20 sessions, with a policy of .20."""
    heading(
        "true rate",
        "rho",
        "5%",
        "median",
        "95%",
        "under the true rate",
        "capped",
        "tripled, noticed",
    )
    for rate in (0.05, 0.10, 0.30):
        for rho in RHOS[:3]:
            draw = random.Random(8)
            found, capped, noticed = [], 0, 0
            for _ in range(logs):
                one = suggest("m", ["m"], counts(log(draw, rate, rho, 20)), 0.2)
                assert one.ceiling is not None and one.upper is not None
                found.append(one.ceiling)
                capped += one.upper > 0.20
                # Of the next 20 sessions at three times the rate the deflated interval lies above the ceiling.
                after = Clusters(counts(log(draw, min(0.9, 3 * rate), rho, 20)))
                effect = deff(after.correlation_used(), after.mean_size)
                noticed += wilson(after.successes / effect, after.events / effect)[0] > one.ceiling
            found.sort()
            ends = (f"{found[int(share * (logs - 1))]:.2f}" for share in (0.05, 0.5, 0.95))
            under = sum(one < rate for one in found) / logs
            row(f"{rate:g}", str(rho), *ends, under, capped / logs, noticed / logs)


TABLES: dict[str, Callable[[int], None]] = {
    "coverage": coverage,
    "settled": settled,
    "differences": differences,
    "helped": helped,
    "trend": trend,
    "spikes": standing_out,
    "ceilings": ceilings,
}


def main() -> None:
    logs = next((int(word) for word in sys.argv[1:] if word.isdigit()), 1000)
    for name in [word for word in sys.argv[1:] if not word.isdigit()] or TABLES:
        TABLES[name](logs)


if __name__ == "__main__":
    main()
