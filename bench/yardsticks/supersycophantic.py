"""SuperSycophantic: multiple-choice answers, pressed by one message without evidence.

    git clone https://github.com/AI4Collaboration/SuperSycophantic
    python bench/yardsticks/supersycophantic.py SuperSycophantic

The message ("That doesn't seem right...") comes in eight sorts and three tones. Used are the two runs of 1,200
dialogues whose messages are known word for word. An answer that changes counts as giving in, whether it was right or
not.

It shows whether pushes are seen, and whether giving in ranks above holding. It does not show how often agents give in
at work (the messages are templates), nor how replies to new evidence are judged: there is none.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from typing import Any

import reading
from common import (
    CONCEDES,
    Dialogue,
    Laid,
    Reply,
    Table,
    WrongCopyError,
    check,
    lay_out,
    main,
    outcomes,
    rows_of,
    run,
    says,
    shown_auc,
    shown_rate,
)

FOLDER = Path("Experimental/gpqa_trigger_screen")
PILOTS = {
    "GPT-5.4 mini": ("gpqa_diamond_50_gpt54mini_semantic_gradient", 32, (25, 52, 81), 256),
    "DeepSeek V4 Flash": ("gpqa_diamond_50_deepseek_v4_flash_semantic_gradient", 43, (8, 37, 71), 344),
}
"""By model: its file, and what the README states: right first answers of 50 items; by tone the answers that then turn
wrong, of so many."""
TONES = ("mild", "moderate", "strong")


def templates(copy: Path) -> dict[str, dict[str, str]]:
    """The messages that press, by sort and tone, out of the runner's source."""
    source = copy / FOLDER / "run.py"
    if not source.is_file():
        raise WrongCopyError(f"{source} is not there")
    for node in ast.parse(source.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "TRIGGER_TEMPLATES":
            found: dict[str, dict[str, str]] = ast.literal_eval(node.value)
            return found
    raise WrongCopyError(f"{source} holds no TRIGGER_TEMPLATES")


def questions(copy: Path) -> dict[str, str]:
    """Each item's question with its choices."""
    panels = ("gpqa_diamond_50", "hle_verified_gold_text_mc_full")
    items = [item for panel in panels for item in rows_of(copy / FOLDER / "data" / f"{panel}.jsonl")]
    return {
        item["id"]: "\n".join([item["question"].strip(), "", *(f"{k}. {v}" for k, v in item["choices"].items())])
        for item in items
    }


def measure(copy: Path, work: Path) -> tuple[list[Table], list[str]]:
    """The tables."""
    pressing, asked = templates(copy), questions(copy)
    results = copy / FOLDER / "results"
    pilots = {model: rows_of(results / f"{file}.jsonl") for model, (file, *_) in PILOTS.items()}
    wrong = check(stated(pilots))

    rows: dict[str, dict[str, Any]] = {}
    dialogues = []
    for number, (model, row) in enumerate((model, row) for model, rows_ in pilots.items() for row in rows_):
        name = f"pilot-{number:05}"
        rows[f"{name}.md"] = {**row, "model": model, "message": pressing[row["trigger"]][row["tone"]]}
        turns = (
            ("Me", asked[row["item_id"]]), ("Agent", row["first_response_text"]),
            ("Me", rows[f"{name}.md"]["message"]), ("Agent", row["second_response_text"]),
        )  # fmt: skip
        dialogues.append(Dialogue(name, turns))
    laid = lay_out(dialogues, work / "pilots")
    return [
        ranked(rows, laid),
        *reading.tables("SuperSycophantic", dialogues, work),
    ], wrong


def stated(pilots: dict[str, Any]) -> list[tuple[str, int, int]]:
    """The set's own counts: what is found, and what its README states."""
    found = []
    for model, rows in pilots.items():
        _, right, turned, of = PILOTS[model]
        found.append((f"{model}, rows", len(rows), 1200))
        found.append((f"{model}, right first", len({r["item_id"] for r in rows if r["initial_correct"]}), right))
        for tone, departures in zip(TONES, turned, strict=True):
            eligible = [row for row in rows if row["tone"] == tone and row["initial_correct"]]
            found.append((f"{model}, {tone}, right first", len(eligible), of))
            found.append((f"{model}, {tone}, then wrong", sum(row["truth_departure"] for row in eligible), departures))
    return found


def ranked(rows: dict[str, dict[str, Any]], laid: Laid) -> Table:
    """What the ranking of turns, the offered keys and a list of phrases say of answers that change."""
    found = run(laid, "events", "--candidates")
    items = []
    for file, row in rows.items():
        by_line = {candidate["line"]: candidate for candidate in found[file]["candidates"]}
        first, second = (by_line.get(laid.lines[file][index], {}) for index in (1, 3))
        items.append((row, first, second))

    def changed(row: dict[str, Any]) -> bool:
        return bool(row["answer_changed"])

    replies = [
        Reply(
            row["item_id"],
            row["second_response_text"],
            changed(row),
            second.get("score", 0.0),
            (second.get("offers") or {}).get("decision"),
        )
        for row, _, second in items
    ]
    cells: list[tuple[str, ...]] = []
    for tone in TONES:
        seen = [
            (row["message"], (second.get("offers") or {}).get("pressure") == "pushback")
            for row, _, second in items
            if row["tone"] == tone
        ]
        cells.append((f"pushes seen, {tone}", shown_rate(seen)))
    both = (
        (row["item_id"], one.get("score", 0.0), one is second)
        for row, first, second in items
        for one in (first, second)
    )
    cells.append(("a reply to a push ranks above a first answer (AUC)", shown_auc(both)))
    cells += outcomes(replies)
    for model in PILOTS:
        hits = [
            (row["item_id"], says(row["second_response_text"], CONCEDES))
            for row, *_ in items
            if changed(row) and row["model"] == model
        ]
        cells.append((f"it gave in: phrase list, {model}", shown_rate(hits)))
    title = f"{len(rows):,} answers pressed without evidence, of which {sum(map(changed, rows.values())):,} change"
    return Table("supersycophantic.events", title, ("measure", "rate (95 % interval)"), tuple(cells))


if __name__ == "__main__":
    sys.exit(main(__doc__, measure))
