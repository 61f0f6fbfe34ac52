"""Fits the weights of reading by structure, and says how well pages are read that were held apart.

    python bench/fit_reader.py FOLDER... [--ordinary LIST] [--write]

A folder holds `NN-owner-repository-....md` with `.truth.json` beside it (`turns`: line, speaker, optional), or case
files with `<!-- expect-turn -->` lines, which are written to be hard. LIST names ordinary Markdown files, one a line,
that hold no turns. Pages of one repository weigh, and are held apart, together. The figures are of held-out pages with
a truth of their own; `--write` then fits on all pages and writes `transcript/weights.json`.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

PROJECT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(PROJECT))

from mdtally.text import document  # noqa: E402
from mdtally.text.source import UnreadableError  # noqa: E402
from mdtally.transcript import exporters, structure  # noqa: E402
from mdtally.transcript.declared import Declared  # noqa: E402
from mdtally.transcript.labels.shapes import Label, candidates  # noqa: E402
from mdtally.transcript.page import Page, page_of  # noqa: E402

FOLDS = 8
NEGATIVE = {"name": 0.02, "style": 0.5}
"""Weight of an ordinary page, which holds no turns: whether anybody speaks there is the shape's business."""
SILENT = {"name": 0.3, "style": 1.0}
"""Weight of a page without turns that was taken into a set because it looks as if it had some."""
CASE = 2
"""How many pages of one repository a case file counts as."""
PENALTY = {"name": 1.0, "style": 0.5, "exact": 0.3}
UNSURE, SHOWN, SURE = 0.05, 0.2, 0.75
"""From which scores on a page is said to be unsure, the turns of its best shape are shown, and a reading is sure."""

Rows = list[Mapping[str, float]]


class Item(NamedTuple):
    """A page with its truth: lines (0-based) of turns, and those of them that need not be found."""

    path: Path
    group: str
    page: Page
    labels: list[Label]
    names: dict[str, tuple[list[Label], dict[str, structure.Features]]]
    truth: set[int]
    optional: set[int]
    is_case: bool
    is_ordinary: bool

    def weight(self, what: str) -> float:
        return 1.0 if self.truth else NEGATIVE[what] if self.is_ordinary else SILENT[what]

    def is_exact(self, lines: set[int]) -> bool:
        return bool(self.truth) and self.truth - self.optional <= lines <= self.truth


class Judged(NamedTuple):
    """What was made of a held-out page: its best shape's score, the reading's lines, and what tells if it is exact."""

    item: Item
    score: float
    lines: set[int]
    features: structure.Features
    may_be_sure: bool


def truth_of(path: Path) -> tuple[set[int], set[int], bool] | None:
    """Lines of turns, those that are optional, and whether the file is a case; None without a truth."""
    beside = path.with_suffix(".truth.json")
    if beside.exists():
        turns = json.loads(beside.read_text(encoding="utf-8"))["turns"]
        return {turn["line"] - 1 for turn in turns}, {turn["line"] - 1 for turn in turns if turn.get("optional")}, False
    lines = path.read_text(encoding="utf-8").split("\n")
    if "lookalikes" in path.parts:
        return set(), set(), True
    if not any("<!-- expect" in line for line in lines):
        return None
    found: set[int] = set()
    for number, line in enumerate(lines):
        if line.startswith("<!-- expect-turn"):
            below = re.search(r"below=(\d+)", line)
            text = [n for n in range(number + 1, len(lines)) if lines[n].strip() and "<!--" not in lines[n]]
            found.add(text[int(below[1] if below else 1) - 1])
    return found, set(), True


def repository(path: Path) -> str:
    """What a page is held apart with: its owner and repository, else its own number, else its folder."""
    if named := re.match(r"\d+-([^-]+-[^-]+)", path.stem):
        return named[1]
    return f"{path.parent.name}/{path.stem}" if path.stem[:2].isdecimal() else path.parent.name


def items(folders: Iterable[str], ordinary: Path | None) -> list[Item]:
    """Every page with its truth; ordinary files have no turns."""
    paths = [path for folder in folders for path in sorted(Path(folder).rglob("*.md"))]
    known = {path: truth_of(path) for path in paths}
    listed = {Path(line) for line in ordinary.read_text().split("\n") if line} if ordinary else set()
    found: list[Item] = []
    for path, truth in {**known, **dict.fromkeys(listed, (set[int](), set[int](), False))}.items():
        if truth is None:
            continue
        try:
            page = page_of(document.parse(path.read_bytes()), Declared())
        except (OSError, UnreadableError):
            continue
        group = path.stem if truth[2] else repository(path)
        layout = page.layout_with(sorted(truth[0]))
        labels = candidates(page.lines, page.first, layout)
        found.append(Item(path, group, page, labels, structure.name_scores(page, labels), *truth, path in listed))
    return found


def fit(rows: Rows, wanted: Sequence[bool], weight: Sequence[float], penalty: float) -> dict[str, float]:
    """Weights of a logistic regression with an L2 penalty, by Newton's method."""
    names = sorted({name for row in rows for name in row})
    matrix = np.array([[row.get(name, 0.0) for name in names] + [1.0] for row in rows])
    target, sample = np.array(wanted, dtype=float), np.array(weight, dtype=float)
    ridge = penalty * np.eye(len(names) + 1)
    ridge[-1, -1] = 1e-3
    beta = np.zeros(len(names) + 1)
    for _ in range(40):
        chance = 1 / (1 + np.exp(-np.clip(matrix @ beta, -30, 30)))
        slope = matrix.T @ (sample * (chance - target)) + ridge @ beta
        curve = (matrix * (sample * chance * (1 - chance))[:, None]).T @ matrix + ridge
        step = np.linalg.solve(curve, slope)
        beta -= step
        if np.abs(step).max() < 1e-6:
            break
    return {name: round(float(value), 3) for name, value in zip([*names, "bias"], beta, strict=True)}


def shares(data: Iterable[Item]) -> dict[str, float]:
    """By repository, the square root of how many pages it counts as."""
    found: dict[str, float] = defaultdict(float)
    for item in data:
        found[item.group] += CASE if item.is_case else 1
    return {group: count**0.5 for group, count in found.items()}


def train(data: Sequence[Item]) -> dict[str, Any]:
    """The scores of names and of shapes, from pages with truth."""
    share = shares(data)
    rows: Rows = []
    wanted: list[bool] = []
    weight: list[float] = []
    for item in data:
        for members, features in item.names.values():
            if item.truth and not any(label.row in item.truth for label in members):
                continue  # a name is judged in the shape that is the page's form
            for key, values in features.items():
                places = [label.row for label in members if label.name.key == key]
                if item.optional.intersection(places):
                    continue
                rows.append(values)
                wanted.append(len(item.truth.intersection(places)) * 2 > len(places))
                scale = item.weight("name") / share[item.group]
                weight.append(scale * ((1 + len(places)) / len(features)) ** 0.5)
    model: dict[str, Any] = {"name": fit(rows, wanted, weight, PENALTY["name"]), "style": {"bias": 0.0}}
    use(model)
    rows, wanted, weight = [], [], []
    for item in data:
        announced = structure.is_announced(item.page)
        for group in structure.score_features(item.page, item.names):
            right = sum(label.row in item.truth for label in group.chosen)
            rows.append(structure.style_features(item.page, group, announced=announced))
            wanted.append(bool(item.truth) and right * 2 > max(len(item.truth), len(group.chosen)))
            weight.append(item.weight("style") / share[item.group])
    return {**model, "style": fit(rows, wanted, weight, PENALTY["style"])}


def use(model: Mapping[str, Any]) -> None:
    """Let the reader use these weights."""
    structure.weights = lambda: model  # type: ignore[assignment]


def judge(item: Item) -> Judged:
    """The best reading of a page with the weights in use."""
    found = structure.score_features(item.page, item.names)
    if not found or found[0].score < SHOWN:
        return Judged(item, found[0].score if found else 0.0, set(), {}, False)
    chosen = structure.with_companion(item.page, found[0], found[1:])
    sure = structure.may_be_sure(item.page, found, chosen, structure.by_structure(item.page, item.labels))
    lines = {label.row for label in chosen}
    return Judged(item, found[0].score, lines, structure.exact_features(found[0], chosen), sure)


def fit_exact(judged: Sequence[Judged]) -> dict[str, float]:
    """Weights that tell whether a reading is exact."""
    share = shares(one.item for one in judged)
    weight = [(0.3 if one.item.is_case else 1.0) / share[one.item.group] for one in judged]
    return fit(
        [one.features for one in judged], [one.item.is_exact(one.lines) for one in judged], weight, PENALTY["exact"]
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--ordinary", type=Path)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    data = items(given.folders, given.ordinary)
    fold = {group: place * 7 % FOLDS for place, group in enumerate(sorted({item.group for item in data}))}
    judged: list[Judged] = []
    for number in range(FOLDS):
        use(train([item for item in data if fold[item.group] != number]))
        judged += [judge(item) for item in data if fold[item.group] == number]
    # Found files are numbered; what an exporter's signature tells needs no guess.
    found = (one for one in judged if one.item.path.stem[:2].isdecimal())
    real = [one for one in found if not [*exporters.signed_readings(one.item.page)]]
    total: Counter[str] = Counter()
    for one in real:
        required = one.item.truth - one.item.optional
        total.update(pages=bool(one.item.truth), exact=one.item.is_exact(one.lines), turns=len(required),
                     found=len(required & one.lines), false=len(one.lines - one.item.truth))  # fmt: skip
    print(f"held-out pages with turns: {total['exact']} of {total['pages']} exact")
    print(f"turns: {total['found']} of {total['turns']} found, {total['false']} false")
    ordinary = [one for one in judged if one.item.is_ordinary]
    for above in (0.03, 0.05, 0.1, 0.2, 0.3):
        doubtful = {one.item.path for one in judged if one.score >= above or structure.is_announced(one.item.page)}
        silent = sum(bool(one.item.truth) and one.item.path not in doubtful for one in real)
        unsure = sum(one.item.path in doubtful for one in ordinary)
        print(f"unsure from {above} on: {silent} pages missed silently, {unsure} of {len(ordinary)} ordinary unsure")
    readings = [one for one in judged if one.lines]
    chances: dict[Path, float] = {}
    for number in range(FOLDS):
        weight = fit_exact([one for one in readings if fold[one.item.group] != number])
        for one in readings:
            if fold[one.item.group] == number:
                chances[one.item.path] = structure.logistic(weight, one.features)
    for threshold in (0.6, 0.65, 0.7, 0.72, 0.75, 0.8):
        sure = [one for one in [*real, *ordinary] if chances.get(one.item.path, 0) >= threshold and one.may_be_sure]
        right, lines = sum(one.item.is_exact(one.lines) for one in sure), sum(len(one.lines) for one in sure)
        turns = sum(len(one.lines & one.item.truth) for one in sure)
        print(f"sure from {threshold} on: {len(sure)} pages, {right} of them exact; {turns} of {lines} turns right")
    if given.write:
        model = {**train(data), "exact": fit_exact(readings), "unsure": UNSURE, "shown": SHOWN, "sure": SURE}
        place = PROJECT / "mdtally" / "transcript" / "weights.json"
        place.write_text(json.dumps(model, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
