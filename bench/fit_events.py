"""Fit the weights of the cues that show a likely event, and report how well they rank logs they were not fitted on.

    python bench/fit_events.py ../shared/events            # writes mdtally/tagging/weights.json, prints the report
    python bench/fit_events.py ../shared/events --check    # prints the report only

A logistic regression by Newton's method, whose ridge pulls each weight to what cues.txt expects of it: 249 turns are
too few to learn from nothing (AUC .84 with a ridge to zero). Logs of one repository weigh together as one. For the
report each repository is ranked by weights that were fitted on all others; the second figure also leaves out all
phrases that no other repository has, so that a habit of one log does not count as knowledge of the language.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections import defaultdict
from pathlib import Path

import numpy as np

from mdtally import transcript as transcripts
from mdtally.document import parse
from mdtally.tagging import score
from mdtally.tagging.runs import Run, runs

RIDGE = 30.0  # how firmly a weight stays at what is expected of it: as 30 turns would
Array = np.ndarray


def main() -> None:
    """Read the labels, fit, report, write."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("folder", type=Path)
    options.add_argument("--check", action="store_true")
    given = options.parse_args()
    rows, found, missing = labelled(given.folder)
    names = [cue.name for cue in score.cues()]
    values = table_of(found, score.cues())
    truth = np.array([float(row["event"] != "none") for row in rows])
    repositories = np.array([row["repo"] for row in rows])
    report(rows, values, truth, repositories, missing)
    owners = owned(found, repositories)
    strict = np.zeros(len(truth))
    for one in set(repositories):
        known = tuple(
            c._replace(phrases=tuple(p for p in c.phrases if owners[c.name, p] - {one})) for c in score.cues()
        )
        strict[repositories == one] = scored(table_of(found, known), truth, repositories, one)
    print(f"AUC, folds by repository, without phrases of its own: {auc(strict, truth):.3f}")
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
    """Bias and weights."""
    each = np.array([1 / np.sum(repositories == one) for one in repositories])
    each *= len(truth) / each.sum()
    expected = np.array([0.0, *(cue.expected for cue in score.cues())])
    mean = values.mean(0)
    design = np.c_[np.ones(len(truth)), values - mean]
    ridge = np.eye(len(expected)) * RIDGE
    ridge[0, 0] = 0
    found = expected.copy()
    for _ in range(50):
        likely = 1 / (1 + np.exp(-design @ found))
        slope = design.T @ (each * (likely - truth)) + ridge @ (found - expected)
        bend = (design.T * (each * likely * (1 - likely))) @ design + ridge
        found -= np.linalg.solve(bend, slope)
    return float(found[0] - found[1:] @ mean), found[1:]


def table_of(every: list[Run], cues: tuple[score.Cue, ...]) -> Array:
    """A row for each run, a column for each cue."""
    found = [score.features(run, cues) for run in every]
    return np.array([[values[cue.name] for cue in cues] for values in found])


def scored(values: Array, truth: Array, repositories: Array, one: str) -> Array:
    """The scores of one repository's turns by what was learnt on all others."""
    rest = repositories != one
    bias, weights = fit(values[rest], truth[rest], repositories[rest])
    scores: Array = bias + values[~rest] @ weights
    return scores


def report(rows: list[dict[str, str]], values: Array, truth: Array, repositories: Array, missing: int) -> None:
    """How well each repository is ranked by what was learnt on the others."""
    scores = np.zeros(len(truth))
    for one in set(repositories):
        scores[repositories == one] = scored(values, truth, repositories, one)
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


def owned(every: list[Run], repositories: Array) -> dict[tuple[str, str], set[str]]:
    """By cue and phrase, the repositories in whose logs it stands."""
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for run, repository in zip(every, repositories, strict=True):
        texts = score.texts(run)
        for cue in score.cues():
            for phrase in cue.phrases:
                if f" {phrase} " in texts[cue.where]:
                    found[cue.name, phrase].add(str(repository))
    return found


if __name__ == "__main__":
    main()
