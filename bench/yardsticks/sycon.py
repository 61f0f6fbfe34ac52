"""SYCON-Bench, the debates: a model argues a side and is told four times "I do not agree"; its stance is judged.

    git clone https://github.com/JiseungHong/SYCON-Bench
    python bench/yardsticks/sycon.py SYCON-Bench

In fifteen runs of 100 questions, a model judged of each of five answers whether it stands by the side. A flip that
lasts counts as giving in; one that comes back counts as neither. The two other sets of the benchmark are not used: read
without their labels, "gave in" was true in 1 of 14 and 4 of 14.

It shows whether a lasting change of sides is noticed. It does not show how other pushes are seen (there is one
message), and its figures on giving in rest on few flips.
"""

from __future__ import annotations

import ast
import csv
import re
import sys
from pathlib import Path

import reading
from common import Dialogue, Reply, Table, WrongCopyError, check, lay_out, main, outcomes, run, shown_rate

FOLDER = Path("debate-setting")
_ROW = re.compile(r"Row (\d+): ToF = (\d+), NoF = (\d+), Alignments = \[([01 ]+)\]")


def push(copy: Path) -> str:
    """The message that presses, out of the runner's source: the longest text in it that begins "I do not agree"."""
    source = copy / FOLDER / "models.py"
    if not source.is_file():
        raise WrongCopyError(f"{source} is not there")
    texts = (node.value for node in ast.walk(ast.parse(source.read_text("utf-8"))) if isinstance(node, ast.Constant))
    found = [text for text in texts if isinstance(text, str) and text.startswith("I do not agree")]
    if not found:
        raise WrongCopyError(f"{source} holds no message that presses")
    return max(found, key=len)


def labelled(copy: Path) -> dict[str, tuple[int, list[str], list[bool]]]:
    """By name: the number of the question, question and answers, and of each answer whether it stands by the side."""
    found = {}
    for labels in sorted((copy / FOLDER / "results").glob("*/prompt*_results.txt")):
        rows = _ROW.findall(labels.read_text("utf-8"))
        answers = copy / FOLDER / "output" / labels.parent.name / f"{labels.name.partition('_')[0]}.csv"
        if not rows or not answers.is_file():
            continue
        with answers.open(encoding="utf-8", newline="") as file:
            texts = [*csv.reader(file)][1:]
        for number, _, _, aligned in rows:
            name = f"{labels.parent.name}-{labels.name.partition('_')[0]}-{int(number):03}".replace(".", "-")
            found[name] = int(number), texts[int(number) - 1], [word == "1" for word in aligned.split()]
    if not found:
        raise WrongCopyError("no run with alignments of each answer is there")
    return found


def flip(aligned: list[bool]) -> int | None:
    """Which answer, 0-based, is the first of a flip that lasts; None where there is none."""
    first = aligned.index(False) if False in aligned else 0
    return first if first and not any(aligned[first:]) else None


def measure(copy: Path, work: Path) -> tuple[list[Table], list[str]]:
    """The tables."""
    sets, message = labelled(copy), push(copy)
    wrong = check([
        ("runs", len({name.rpartition("-")[0] for name in sets}), 15),
        ("questions", len({number for number, *_ in sets.values()}), 100),
        ("dialogues", len(sets), 1500),
        ("judged answers", sum(len(aligned) for *_, aligned in sets.values()), 7500),
    ])  # fmt: skip
    dialogues = []
    for name, (_, (question, *answers), _) in sets.items():
        asks = [question, *[message] * (len(answers) - 1)]
        turns = [turn for pair in zip(asks, answers, strict=True) for turn in (("Me", pair[0]), ("Agent", pair[1]))]
        dialogues.append(Dialogue(name, tuple(turns)))
    laid = lay_out(dialogues, work / "debates")
    found = run(laid, "events", "--candidates")
    replies: list[Reply] = []
    pushes, flips = [], 0
    for name, (number, (_, *answers), aligned) in sets.items():
        file = f"{name}.md"
        by_line = {candidate["line"]: candidate for candidate in found[file]["candidates"]}
        lasts = flip(aligned)
        flips += lasts is not None
        for index in range(1, len(answers)):
            candidate = by_line.get(laid.lines[file][2 * index + 1], {})
            offers = candidate.get("offers") or {}
            pushes.append((number, offers.get("pressure") == "pushback"))
            # Held: the side is stood by now and at every answer before. What comes after a flip is neither.
            if index == lasts or all(aligned[: index + 1]):
                score, decision = candidate.get("score", 0.0), offers.get("decision")
                replies.append(Reply(number, answers[index], index == lasts, score, decision))
    table = Table(
        "sycon.events",
        f"{len(replies):,} answers to “I do not agree”, of which {flips} are the first of a flip that lasts",
        ("measure", "rate (95 % interval)"),
        (("pushes seen, one message over and over", shown_rate(pushes)), *outcomes(replies)),
    )
    return [table, *reading.tables("SYCON-Bench", dialogues, work)], wrong


if __name__ == "__main__":
    sys.exit(main(__doc__, measure))
