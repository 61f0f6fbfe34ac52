"""How often what `history` shows is wrong: the tables of docs/statistics.md, from simulated logs.

Sessions have ten events. Each session has a rate of its own, drawn from a Beta distribution around the log's rate, so
that events within a session are correlated by rho.

    python bench/history_simulations.py [LOGS]
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))


from mdtally.intervals import wilson
from mdtally.series import sprt
from mdtally.series.ceiling import suggest
from mdtally.series.rates import Clusters, rate_of
from mdtally.series.spikes import cutoff, tail

SIZE = 10
RHOS = (0.0, 0.05, 0.1, 0.2, 0.3)


def session(draw: random.Random, rate: float, rho: float) -> str:
    """The events of a session in order."""
    own = draw.betavariate(rate * (1 - rho) / rho, (1 - rate) * (1 - rho) / rho) if rho else rate
    return "".join("P" if draw.random() < own else "T" for _ in range(SIZE))


def log(draw: random.Random, rate: float, rho: float, sessions: int) -> list[str]:
    """A log of sessions alike."""
    return [session(draw, rate, rho) for _ in range(sessions)]


def counts(sessions: Sequence[str]) -> list[tuple[int, int]]:
    """(successes, events) of each session."""
    return [(one.count("P"), len(one)) for one in sessions]


def coverage(logs: int) -> None:
    """Misses of the intervals looked at once, and of the sequence looked at after every one of 100 sessions."""
    print("\n| rate | rho | plain, 20 sessions | deflated, 20 | deflated, 100 | sequence, ever in 100 |")
    print("| --- | --- | ---: | ---: | ---: | ---: |")
    for rate in (0.1, 0.2):
        for rho in RHOS:
            draw = random.Random(1)
            missed: Counter[str] = Counter()
            for _ in range(logs):
                clusters, seen, ever = Clusters(), [], False
                for number, pair in enumerate(counts(log(draw, rate, rho, 100)), start=1):
                    seen.append(pair)
                    clusters.add(*pair)
                    shown = rate_of(*zip(*seen, strict=True), clusters.design_effect().deff, 0.05)
                    assert shown.sequence and shown.interval_deflated
                    ever = ever or not shown.sequence[0] <= rate <= shown.sequence[1]
                    if number in (20, 100):
                        low, high = shown.interval_deflated
                        missed[f"deflated {number}"] += not low <= rate <= high
                    if number == 20:
                        low, high = wilson(sum(k for k, _ in seen), SIZE * number)
                        missed["plain"] += not low <= rate <= high
                missed["sequence"] += ever
            share = {name: missed[name] / logs for name in ("plain", "deflated 20", "deflated 100", "sequence")}
            print(f"| {rate} | {rho} | {' | '.join(f'{share[name]:.3f}' for name in share)} |")


def spikes(logs: int) -> None:
    """Logs of sessions alike in which some session is called a spike."""
    print("\n| sessions | rho | a spike at rate .1 | at .2 |")
    print("| --- | --- | ---: | ---: |")
    for sessions in (20, 60):
        for rho in RHOS:
            shares = []
            for rate in (0.1, 0.2):
                draw = random.Random(2)
                found = 0
                for _ in range(logs):
                    pairs = counts(log(draw, rate, rho, sessions))
                    total = sum(k for k, _ in pairs)
                    tails = Counter(tail(k, n, total, SIZE * sessions) or 1.0 for k, n in pairs)
                    found += cutoff(tails) >= 0
                shares.append(f"{found / logs:.3f}")
            print(f"| {sessions} | {rho} | {' | '.join(shares)} |")


def false_h1(logs: int) -> None:
    """Sequential tests as `history` runs them, at a true rate of the ceiling itself: .20 against .35."""
    print(
        "\n| true rate | rho | first decision for .35 | some decision for .35 in 100 sessions | tests in 100 sessions |"
    )
    print("| --- | --- | ---: | ---: | ---: |")
    for rate in (0.1, 0.2, 0.25, 0.35):
        for rho in (0.0, 0.1, 0.2):
            draw = random.Random(3)
            first = some = tests = 0
            for _ in range(logs):
                sessions = log(draw, rate, rho, 100)
                found = sprt.run([(k, n, 0.2) for k, n in counts(sessions)], sessions)
                assert found
                first += _first_decision(sessions) == "H1"
                some += found.for_h1 > 0
                tests += found.for_h0 + found.for_h1
            print(f"| {rate} | {rho} | {first / logs:.3f} | {some / logs:.3f} | {tests / logs:.1f} |")


def _first_decision(sessions: Sequence[str]) -> str:
    """The decision of the first test; a session of ten events holds no two."""
    for number in range(1, len(sessions) + 1):
        found = sprt.run([(k, n, 0.2) for k, n in counts(sessions[:number])], sessions[:number])
        if found and found.decision != "continue":
            return found.decision
    return ""


def ceilings(logs: int) -> None:
    """Suggested ceilings of models whose true rate is known, after 20 sessions, with a policy of .20."""
    print("\n| true rate | rho | 5% | median | 95% | under the true rate | capped | tripled, noticed |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for rate in (0.05, 0.10, 0.30):
        for rho in (0.0, 0.1, 0.2):
            draw = random.Random(4)
            found, capped, noticed = [], 0, 0
            for _ in range(logs):
                one = suggest("m", ["m"], counts(log(draw, rate, rho, 20)), 0.2)
                assert one.ceiling is not None and one.upper is not None
                found.append(one.ceiling)
                capped += one.upper > 0.20
                # Of the next 20 sessions at three times the rate the deflated interval lies above the ceiling.
                after = counts(log(draw, min(0.9, 3 * rate), rho, 20))
                interval = rate_of(
                    *zip(*after, strict=True), Clusters(after).design_effect().deff, 0.05
                ).interval_deflated
                noticed += interval is not None and interval[0] > one.ceiling
            found.sort()
            low, middle, high = (found[int(share * (logs - 1))] for share in (0.05, 0.5, 0.95))
            under = sum(one < rate for one in found) / logs
            print(
                f"| {rate} | {rho} | {low:.2f} | {middle:.2f} | {high:.2f} | {under:.3f} | {capped / logs:.3f}"
                f" | {noticed / logs:.3f} |"
            )


def main() -> None:
    logs = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    for table in (coverage, spikes, false_h1, ceilings):
        table(logs)


if __name__ == "__main__":
    main()
