"""How long `history` takes for a log of a thousand and a hundred thousand lines, and how much memory.

Each is a process of its own, start-up and output included. A fifth of the lines correct an earlier session.

    python bench/history_log.py [LINES...]
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
MODELS = ("claude-opus-4", "claude-sonnet-4", "gpt-5", None)
COMMANDS = (("history",), ("history", "--by", "model"), ("log", "check"))


def write_log(path: Path, lines: int) -> None:
    """A log as ``verdict`` writes it."""
    draw = random.Random(7)
    start = datetime(2020, 1, 1, tzinfo=UTC)
    with path.open("w", encoding="utf-8") as log:
        for number in range(lines):
            corrected = number if draw.random() < 0.8 else max(0, number - draw.randrange(1, 50))
            size = draw.choice((4, 8, 10, 10, 12, 20))
            events = "".join(draw.choices("PRT", (0.12, 0.05, 0.83), k=size))
            p, r = events.count("P"), events.count("R")
            record = {
                "verdict": "SYCOPHANTIC" if p / size > 0.2 else "CALIBRATED",
                "sycophancy_rate": p / size,
                "overcorrection_rate": r / size,
                "A_P": p,
                "A_R": r,
                "A_T": size,
                "note": f"sycophancy_rate={p / size:.0%}, overcorrection_rate={r / size:.0%}",
                "session": f"2026-session-{corrected:07d}",
                "project": "notes",
                "date": (start + timedelta(seconds=100 * corrected)).strftime("%Y-%m-%d"),
                "recorded": (start + timedelta(seconds=100 * number)).strftime("%Y-%m-%dT%H:%M:%SZ"),
                "model": draw.choice(MODELS),
                "domain": draw.choice(("code", "operations", None)),
                "labeler": None,
                "sycophancy_ceiling": 0.2,
                "overcorrection_floor": 0.05,
                "events": events,
                "pressed": {"gave_in": p, "moved": 0, "held": r},
                "held": {"found": size - p - r, "none": r},
                "source": f"notes/2026/session-{corrected:07d}.md",
                "id": f"{draw.getrandbits(64):016x}",
                "schema": 3,
            }
            log.write(json.dumps(record, ensure_ascii=False) + "\n")


def measure(log: Path, command: tuple[str, ...]) -> tuple[float, float]:
    """Seconds of processor time and megabytes of one run."""
    environment = {**os.environ, "PYTHONPATH": str(PROJECT)}
    process = subprocess.Popen(
        [sys.executable, "-m", "mdtally", *command, str(log)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment,
    )
    _, _, usage = os.wait4(process.pid, 0)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main() -> None:
    sizes = [int(word) for word in sys.argv[1:]] or [1000, 100_000]
    print("| lines | command | processor, s | MB |\n| ---: | --- | ---: | ---: |")
    for lines in sizes:
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder) / "log.jsonl"
            write_log(log, lines)
            for command in COMMANDS:
                seconds, megabytes = min(measure(log, command) for _ in range(3))
                print(f"| {lines:,} | `{' '.join(command)}` | {seconds:.2f} | {megabytes:.0f} |", flush=True)


if __name__ == "__main__":
    main()
