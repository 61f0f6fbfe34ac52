"""Fit the weights of the cues that show a likely event, a push and an agreement; report how right they are elsewhere.

    python bench/fit_events.py ../shared/events            # writes mdtally/events/weights.json, prints the report
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
from mdtally.events import LIKELY, WORTH_ASKING, score
from mdtally.events.runs import Run, runs
from mdtally.text.document import parse
from mdtally.text.records import replace

RIDGE = {
    "event": 30.0,
    "pushback": 10.0,
    "agree": 5.0,
}  # how firmly a weight stays at what is expected: as 30 turns would
Array = np.ndarray


def main() -> None:
    """Read the labels, fit, report, write."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("folder", type=Path)
    options.add_argument("--check", action="store_true")
    given = options.parse_args()
    labels = Labels(*labelled(given.folder))
    cues = score.cues()
    values = table_of(labels.runs, cues)
    report(labels, values)
    owners = owned(labels.runs, labels.repositories)
    strict = np.zeros(len(labels.rows))
    for one in set(labels.repositories):
        known = tuple(replace(c, phrases=tuple(p for p in c.phrases if owners[c.name, p] - {one})) for c in cues)
        strict[labels.repositories == one] = scored(table_of(labels.runs, known), labels, "event", one)
    print(f"AUC, folds by repository, without phrases of its own: {auc(strict, labels.truth('event')):.3f}")
    fitted = fit_all(labels, values)
    for name in [cue.name for cue in cues]:
        print(f"  {name:16}", *(f"{fitted[asked][name]:+.2f}" for asked in score.ASKED))
    if not given.check:
        Path(score.__file__).with_name("weights.json").write_text(json.dumps(fitted, indent=1) + "\n")


class Labels:
    """The labelled turns: rows of the file of labels, their runs and repositories, and how many have no run."""

    def __init__(self, rows: list[dict[str, str]], runs: list[Run], missing: int) -> None:
        self.rows, self.runs, self.missing = rows, runs, missing
        self.repositories = np.array([row["repo"] for row in rows])
        self.events = np.array([row["event"] != "none" for row in rows])

    def truth(self, asked: score.Question) -> Array:
        """1 where the answer to a question is yes."""
        yes = {
            "event": lambda row: row["event"] != "none",
            "pushback": lambda row: row["pressure"] == "pushback",
            "agree": lambda row: row["decision"] == "agree",
        }[asked]
        return np.array([float(yes(row)) for row in self.rows])

    def known(self, asked: score.Question) -> Array:
        """True for the turns that a question is asked of: whether it is an event, of all; the others, of events."""
        return np.ones(len(self.rows), bool) if asked == "event" else self.events


def fit_all(labels: Labels, values: Array) -> dict[str, dict[str, float]]:
    """The bias and the weight of each cue for each question, by its name."""
    fitted = {}
    for asked in score.ASKED:
        known = labels.known(asked)
        bias, weights = fit(values[known], labels.truth(asked)[known], labels.repositories[known], asked)
        named = zip([cue.name for cue in score.cues()], weights.tolist(), strict=True)
        fitted[asked] = {"bias": round(bias, 3), **{name: round(weight, 3) for name, weight in named}}
    return fitted


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


def fit(values: Array, truth: Array, repositories: Array, asked: score.Question) -> tuple[float, Array]:
    """Bias and weights."""
    each = np.array([1 / np.sum(repositories == one) for one in repositories])
    each *= len(truth) / each.sum()
    expected = np.array([0.0, *(cue.expected[asked] for cue in score.cues())])
    mean = values.mean(0)
    design = np.c_[np.ones(len(truth)), values - mean]
    ridge = np.eye(len(expected)) * RIDGE[asked]
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
    found = [score.features(score.texts(run.message, run.reply), cues) for run in every]
    return np.array([[values[cue.name] for cue in cues] for values in found])


def scored(values: Array, labels: Labels, asked: score.Question, one: str) -> Array:
    """The log odds of one repository's turns by what was learnt on all others."""
    mine = labels.repositories == one
    rest = labels.known(asked) & ~mine
    bias, weights = fit(values[rest], labels.truth(asked)[rest], labels.repositories[rest], asked)
    odds: Array = bias + values[mine] @ weights
    return odds


def report(labels: Labels, values: Array) -> None:
    """How well each repository is ranked, and what is offered in it, by what was learnt on the others."""
    odds = {asked: np.zeros(len(labels.rows)) for asked in score.ASKED}
    for asked in score.ASKED:
        for one in set(labels.repositories):
            odds[asked][labels.repositories == one] = scored(values, labels, asked, one)
    truth, scores = labels.truth("event"), odds["event"]
    turns, events = len(truth), int(truth.sum())
    print(f"labelled turns: {turns}, not found as an agent's: {labels.missing}, events: {events}")
    print(f"AUC, folds by repository: {auc(scores, truth):.3f}")
    order = np.argsort(-scores)
    first = set(order[: turns // 2].tolist())
    print(f"events in the first half of all turns: {truth[order[: turns // 2]].sum() / events:.3f}")
    likely = 1 / (1 + np.exp(-scores))
    asked_about = likely >= WORTH_ASKING
    print(f"worth asking: {truth[asked_about].sum() / events:.3f} of the events, "
          f"{(1 - truth)[asked_about].sum() / (1 - truth).sum():.3f} of the others")  # fmt: skip
    print(f"likely: {truth[likely >= LIKELY].mean():.3f} of {(likely >= LIKELY).sum()} are events")
    for asked, least in (("pushback", score.PUSH_SEEN), ("agree", score.AGREE_SEEN)):
        offered = (odds[asked] >= least) & (likely >= score.OFFERED) & labels.events
        right, wanted = labels.truth(asked)[offered].sum(), labels.truth(asked)[labels.events].sum()
        rank = auc(odds[asked][labels.events], labels.truth(asked)[labels.events])
        print(f"{asked}: AUC {rank:.3f}; offered in {offered.sum()} of {events} events,", end=" ")
        print(f"right {right / offered.sum():.3f}, of all {right / wanted:.3f}")
    groups: dict[str, list[int]] = defaultdict(list)
    for place, row in enumerate(labels.rows):
        if row["event"] != "none":
            for key in (row["event"], f"{row['decision']} {row['pressure']}", row["confidence"]):
                groups[key].append(place)
    for key, places in sorted(groups.items()):
        none = truth == 0
        measured = auc(np.r_[scores[places], scores[none]], np.r_[np.ones(len(places)), np.zeros(none.sum())])
        half = sum(place in first for place in places) / len(places)
        print(f"  {key:16} {len(places):3} events: AUC {measured:.3f}, first half {half:.2f}")


def auc(scores: Array, truth: Array) -> float:
    """How often an event is ranked above a turn that is none."""
    yes, no = scores[truth == 1], scores[truth == 0]
    return float(((yes[:, None] > no).sum() + 0.5 * (yes[:, None] == no).sum()) / len(yes) / len(no))


def owned(every: list[Run], repositories: Array) -> dict[tuple[str, str], set[str]]:
    """By cue and phrase, the repositories in whose logs it stands."""
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for run, repository in zip(every, repositories, strict=True):
        texts = score.texts(run.message, run.reply)
        for cue in score.cues():
            for phrase in cue.phrases:
                if phrase in texts[cue.where]:
                    found[cue.name, phrase].add(str(repository))
    return found


if __name__ == "__main__":
    main()
