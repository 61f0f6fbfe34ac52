"""Fit the weights of the cues that show a likely event, and report how well they rank logs they were not fitted on.

    python bench/fit_events.py ../shared/events            # writes mdtally/tagging/weights.json, prints the report
    python bench/fit_events.py ../shared/events --check    # prints the report only

A logistic regression with a ridge, by Newton's method. Logs of one repository weigh together as one. For the report
each repository is ranked by weights that were fitted on all others. A cue's phrase that only one repository has is
named: it may be a habit of that log rather than of the language.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
from collections import defaultdict
from pathlib import Path

import numpy as np

from mdtally import transcript as transcripts
from mdtally.document import parse
from mdtally.tagging import score
from mdtally.tagging.runs import Run, runs

RIDGE = 30.0
Array = np.ndarray


def main() -> None:
    """Read the labels, fit, report, write."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("folder", type=Path)
    options.add_argument("--check", action="store_true")
    given = options.parse_args()
    rows, found, missing = labelled(given.folder)
    names = [cue.name for cue in score.cues()]
    values = np.array([[score.features(run)[name] for name in names] for run in found])
    truth = np.array([float(row["event"] != "none") for row in rows])
    repositories = np.array([row["repo"] for row in rows])
    report(rows, values, truth, repositories, missing)
    print("phrases that one repository alone has:", ", ".join(lonely(found, repositories)) or "none")
    bias, weights = fit(values, truth, repositories)
    for name, weight in zip(names, weights, strict=True):
        print(f"  {name:16} {weight:+.2f}")
    if not given.check:
        fitted = {name: round(weight, 3) for name, weight in zip(names, weights.tolist(), strict=True)}
        target = Path(score.__file__).with_name("weights.json")
        target.write_text(json.dumps({"bias": round(bias, 3), **fitted}, indent=1) + "\n")


def labelled(folder: Path) -> tuple[list[dict[str, str]], list[Run], int]:
    """The labels with their repository, their runs, and how many labelled turns are no run of an agent's."""
    with (folder / "MANIFEST.tsv").open() as file:
        repository = {row["file"]: row["repo"] for row in csv.DictReader(file, delimiter="\t")}
    by_file: dict[str, dict[int, Run]] = {}
    rows, found, missing = [], [], 0
    for line in (folder / "labels.jsonl").read_text().splitlines():
        row = json.loads(line)
        name = row["file"]
        if name not in by_file:
            by_file[name] = {run.line: run for run in read(folder / "logs" / name)}
        run = by_file[name].get(row["line"])
        missing += run is None
        if run is not None:
            rows.append({**row, "repo": repository[name]})
            found.append(run)
    return rows, found, missing


def read(path: Path) -> tuple[Run, ...]:
    """Every run of a log."""
    document = parse(path.read_bytes())
    return runs(document, transcripts.read(document))


def fit(values: Array, truth: Array, repositories: Array) -> tuple[float, Array]:
    """Bias and weights; the ridge holds on standardised cues, so that rare ones stay small."""
    each = np.array([1 / np.sum(repositories == one) for one in repositories])
    each *= len(truth) / each.sum()
    mean, spread = values.mean(0), values.std(0) + 1e-9
    design = np.c_[np.ones(len(truth)), (values - mean) / spread]
    ridge = np.eye(design.shape[1]) * RIDGE
    ridge[0, 0] = 0
    found = np.zeros(design.shape[1])
    for _ in range(50):
        likely = 1 / (1 + np.exp(-design @ found))
        slope = design.T @ (each * (likely - truth)) + ridge @ found
        bend = (design.T * (each * likely * (1 - likely))) @ design + ridge
        found -= np.linalg.solve(bend, slope)
    weights = found[1:] / spread
    return float(found[0] - weights @ mean), weights


def report(rows: list[dict[str, str]], values: Array, truth: Array, repositories: Array, missing: int) -> None:
    """How well each repository is ranked by what was learnt on the others."""
    scores = np.zeros(len(truth))
    for one in set(repositories):
        rest = repositories != one
        bias, weights = fit(values[rest], truth[rest], repositories[rest])
        scores[~rest] = bias + values[~rest] @ weights
    turns, events = len(truth), int(truth.sum())
    print(f"labelled turns: {turns}, not found as an agent's: {missing}, events: {events}")
    print(f"AUC, folds by repository: {auc(scores, truth):.3f}")
    order = np.argsort(-scores)
    first = set(order[: turns // 2].tolist())
    print(f"events in the first half of all turns: {truth[order[: turns // 2]].sum() / events:.3f}")
    kept, by_file = 0.0, defaultdict(list)
    for place in order:
        by_file[rows[place]["file"]].append(place)
    for places in by_file.values():
        kept += truth[places[: (len(places) + 1) // 2]].sum()
    print(f"events in the first half of their own log: {kept / events:.3f}")
    groups: dict[str, list[int]] = defaultdict(list)
    for place, row in enumerate(rows):
        if row["event"] != "none":
            for key in (row["event"], f"{row['decision']} {row['pressure']}", row["confidence"]):
                groups[key].append(place)
    for key, places in sorted(groups.items()):
        none = truth == 0
        measured = auc(np.r_[scores[places], scores[none]], np.r_[np.ones(len(places)), np.zeros(none.sum())])
        half = sum(place in first for place in places) / len(places)
        print(f"  {key:16} {len(places):3} events: AUC {measured:.3f}, first half {half:.2f}")
    for one in sorted(set(repositories)):
        mine = repositories == one
        if 0 < truth[mine].sum() < mine.sum():
            measured = auc(scores[mine], truth[mine])
            print(f"  {one:44} {int(truth[mine].sum()):3} of {int(mine.sum()):3}: AUC {measured:.2f}")


def auc(scores: Array, truth: Array) -> float:
    """How often an event is ranked above a turn that is none."""
    yes, no = scores[truth == 1], scores[truth == 0]
    return float(((yes[:, None] > no).sum() + 0.5 * (yes[:, None] == no).sum()) / len(yes) / len(no))


def lonely(every: list[Run], repositories: Array) -> list[str]:
    """Phrases that stand in the logs of exactly one repository."""
    found: dict[str, set[str]] = defaultdict(set)
    for run, repository in zip(every, repositories, strict=True):
        texts = score.texts(run)
        for cue in score.cues():
            for phrase in cue.phrases:
                if re.search(rf"(?<![\w']){re.escape(phrase)}(?![\w'])", texts[cue.where]):
                    found[f"{cue.name}: {phrase}"].add(str(repository))
    return sorted(phrase for phrase, where in found.items() if len(where) == 1)


if __name__ == "__main__":
    main()
