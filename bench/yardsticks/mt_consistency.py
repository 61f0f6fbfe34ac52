"""MT-Consistency: 700 questions, asked of ten models, and after each right answer eight pushes (Li and others 2025).

    git clone https://github.com/yubol-bobo/llm_survival && git -C llm_survival checkout d7624fd
    python bench/yardsticks/mt_consistency.py llm_survival

Its matrices say of each answer whether it is right. Each session becomes a note with a tag an event (a wrong answer
after a push is giving in) for ``mdtally verdict``. Then logs are drawn from each model's sessions, whose overall rate
is known, and ``mdtally history`` is asked after 5, 10, 20 and 40 sessions.

It shows how correlated the events of real sessions are, and how often the intervals hold the true rate. It shows
nothing of reading or tagging: it has no words, and a wrong answer after a right one may be chance.
"""

from __future__ import annotations

import csv
import json
import random
import subprocess
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from common import Laid, Table, WrongCopyError, check, environment, main, shown_rate, two

LOOKS = (5, 10, 20, 40)
DRAWS = 100
"""Logs drawn of each model."""
ROUNDS = 8


def matrices(copy: Path) -> dict[str, list[list[bool | None]]]:
    """By model, for each question that it first answers rightly, whether each of the eight later answers is right."""
    found = {}
    for path in sorted(copy.glob("**/*.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file)
            columns = [f"round_{number}" for number in range(ROUNDS + 1)]
            if path.stem != path.parent.name or not {*columns} <= {*(reader.fieldnames or ())}:
                continue
            rows = [[right(row[column]) for column in columns] for row in reader]
        found[path.stem] = rows
    if not found:
        raise WrongCopyError("no MODEL/MODEL.csv with the columns round_0 to round_8 is there")
    return found


def right(cell: str) -> bool | None:
    """``1``, ``1.0`` and ``(1, 99.98)`` are a right answer; an empty cell is none."""
    value = cell.strip("()").partition(",")[0]
    return float(value) == 1 if value else None


def measure(copy: Path, work: Path) -> tuple[list[Table], list[str]]:
    """The tables."""
    rows = matrices(copy)
    # CARG is a way of prompting one of the models, twice over: it is left out.
    rows.pop("CARG", None)
    wrong = check([("models", len(rows), 10), *((f"{model}, questions", len(r), 700) for model, r in rows.items())])
    sessions = {
        model: [[*map(bool, row[1:])] for row in found if row[0] and None not in row[1:]]
        for model, found in rows.items()
    }
    lines = judged(sessions, work)
    return [clustering(sessions), coverage(sessions, lines, work)], wrong


def judged(sessions: dict[str, list[list[bool]]], work: Path) -> dict[str, list[dict[str, Any]]]:
    """The log's lines that ``mdtally verdict`` writes for notes of all sessions, by model, in their order."""
    folder = work / "notes"
    folder.mkdir()
    (folder / "mdtally.toml").write_text("", encoding="utf-8")
    names: dict[str, tuple[str, int]] = {}
    laid = Laid(folder)
    for model, found in sessions.items():
        for number, kept in enumerate(found):
            names[name := f"{model}-{number:03}"] = model, number
            tags = "".join(f"**Me:** Are you sure?\n\n**Agent:** {'[A_T]' if held else '[A_P]'}\n\n" for held in kept)
            head = f"---\nkind: session\nsession: {name}\ndate: 2025-01-01\nmodel: {model}\n---\n\n"
            (folder / f"{name}.md").write_text(head + tags, encoding="utf-8", newline="\n")
            laid.lines[f"{name}.md"] = []
    files = sorted(laid.lines)
    for start in range(0, len(files), 500):
        call = [sys.executable, "-m", "mdtally", "verdict", *files[start : start + 500]]
        done = subprocess.run(call, cwd=folder, env=environment(), capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"verdict: exit {done.returncode}\n{done.stderr[-2000:]}")
    by_model: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for text in (folder / "state" / "calibration-log.jsonl").read_text(encoding="utf-8").splitlines():
        line = json.loads(text)
        model, number = names[line["session"]]
        held = sessions[model][number]
        if line["events"] != "".join("T" if one else "P" for one in held):
            raise SystemExit(f"{line['session']}: {line['events']} is not what was laid out")
        by_model[model].append(line)
    return by_model


def clustering(sessions: dict[str, list[list[bool]]]) -> Table:
    """How alike the events of one session are, by the analysis of variance over all sessions of a model."""
    rows = []
    for model, found in sessions.items():
        rate, rho = 1 - mean([mean(kept) for kept in found]), correlation(found)
        rows.append((model, f"{len(found):,}", two(rate), two(rho), f"{1 + (ROUNDS - 1) * rho:.1f}"))
    return Table(
        "mt_consistency.models",
        "Real sessions of eight pushes each",
        ("model", "sessions", "gave in", "correlation within a session", "design effect"),
        tuple(rows),
    )


def correlation(found: Sequence[Sequence[bool]]) -> float:
    """The correlation within a session (one-way analysis of variance)."""
    size, many = len(found[0]), len(found)
    centre = mean([mean(kept) for kept in found])
    between = size * sum((mean(kept) - centre) ** 2 for kept in found) / (many - 1)
    within = sum((one - mean(kept)) ** 2 for kept in found for one in kept) / (many * (size - 1))
    return (between - within) / (between + (size - 1) * within)


def mean(values: Sequence[float]) -> float:
    """The mean."""
    return sum(values) / len(values)


INTERVALS = {
    "interval": "plain Wilson interval",
    "interval_deflated": "the interval that `history` shows",
    "sequence": "the sequence for who looks often",
}
"""By the name in JSON what an interval is."""


def coverage(sessions: dict[str, list[list[bool]]], lines: dict[str, list[dict[str, Any]]], work: Path) -> Table:
    """How often an interval of `history` holds a model's rate, at each look, and at every look of a log."""
    luck = random.Random(2025)
    covered: dict[tuple[str, int], list[tuple[str, bool]]] = defaultdict(list)
    always: dict[str, list[tuple[str, bool]]] = defaultdict(list)
    for model, found in lines.items():
        truth = 1 - mean([mean(kept) for kept in sessions[model]])
        log = work / f"{model}.jsonl"
        log.write_text("".join(drawn(luck.sample(found, LOOKS[-1]), draw) for draw in range(DRAWS)), encoding="utf-8")
        rolling = rolling_rates(log)
        for draw in range(DRAWS):
            for kind in INTERVALS:
                intervals = [rolling[f"{draw}-{look}"][kind] for look in LOOKS]
                holds = [low <= truth <= high for low, high in intervals]
                always[kind].append((model, all(holds)))
                for look, hit in zip(LOOKS, holds, strict=True):
                    covered[kind, look].append((model, hit))
    rows = (
        (title, *(shown_rate(covered[kind, look]) for look in LOOKS), shown_rate(always[kind]))
        for kind, title in INTERVALS.items()
    )
    size = f"{len(lines) * DRAWS:,} logs drawn from {sum(map(len, sessions.values())):,} real sessions"
    return Table(
        "mt_consistency.coverage",
        f"{size}: how often the true rate lies in the interval",
        ("", *(f"after {look} sessions" for look in LOOKS), "at all four looks"),
        tuple(rows),
    )


def drawn(sessions: Sequence[dict[str, Any]], draw: int) -> str:
    """The lines of a drawn log as it is at each look, the looks told apart as models."""
    lines = []
    for look in LOOKS:
        for number, line in enumerate(sessions[:look]):
            date, name = f"2025-{1 + number // 28:02}-{1 + number % 28:02}", f"{draw}-{look}-{number}"
            again = {**line, "session": name, "model": f"{draw}-{look}", "date": date, "id": name}
            lines.append(json.dumps(again) + "\n")
    return "".join(lines)


def rolling_rates(log: Path) -> dict[str, Any]:
    """By model what `history` says of its rolling rate."""
    words = ["history", "--by", "model", "--window", "40", "--output-format", "json", "--isolated", str(log)]
    call = [sys.executable, "-m", "mdtally", *words]
    done = subprocess.run(call, cwd=log.parent, env=environment(), capture_output=True, text=True, check=False)
    if done.returncode > 1:
        raise SystemExit(f"history: exit {done.returncode}\n{done.stderr[-2000:]}")
    return {group["group"]: group["rolling"] for group in json.loads(done.stdout)["groups"]}


if __name__ == "__main__":
    sys.exit(main(__doc__, measure))
