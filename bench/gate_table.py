"""Print how right the gate is: the figures of docs/gate.md.

Every debate is scored with weights, band and thresholds that were learnt from other repositories. The public debates
are at hand as numbers only (`public-turns.tsv`, one annotator), the labelled ones as text (two annotators; with
``--turns mdtally`` as the reader finds them, participants declared). Intervals are for debates, not for turns: 95 of
100 draws of as many debates lie within.

    python bench/gate_table.py --shared ../shared [--turns mdtally|joined|truth]
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

PROJECT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(PROJECT), str(PROJECT / "bench")]

from labelled import Labelled, language_of, read  # noqa: E402
from train_gate import Example, everything, fit, scored_apart  # noqa: E402

from mdtally.gate import check_response, judge, pack  # noqa: E402
from mdtally.gate.echo import Before  # noqa: E402
from mdtally.gate.evidence import gather  # noqa: E402
from mdtally.gate.fold import visible_words  # noqa: E402
from mdtally.gate.opinion import NEAR, Opinion  # noqa: E402
from mdtally.gate.pack import Weights  # noqa: E402
from mdtally.gate.result import Failure  # noqa: E402
from mdtally.gate.weigh import Verdict, decide, weigh  # noqa: E402
from mdtally.records import replace  # noqa: E402

KINDS = {
    "A": "work meetings, retrospectives",
    "B": "two-sided debates",
    "C": "free talk between models",
    "D": "boards, committees",
    "E": "all sorts",
}
"""What the public debates are, by the folder of their name."""
RIGHT = 0.85
"""How often the second reader is right of whom the last figures tell."""


class Seen(NamedTuple):
    """A labelled turn and what the gate says of it.

    Attributes:
        debate: which one.
        later: layer 2 is asked of it.
        issue: it takes issue or stands down; None where that is not settled.
        sent_back, performative, echo: its other labels.
        answer: of layer 2.
        warned: a warning stands on it.
        kinds: what it fails.
        asked: a second reader would be asked about it.
        chance: how likely a warning then is; without a question, as it is.
    """

    debate: str
    later: bool
    issue: bool | None
    sent_back: bool | None
    performative: bool | None
    echo: bool | None
    answer: str
    warned: bool
    kinds: frozenset[str]
    asked: bool
    chance: float


def _chance(verdict: Verdict, issue: object, sent_back: object, warns: Callable[[Verdict], bool]) -> float:
    """How likely a warning is where a reader that is right `RIGHT` of the times settles a turn with these labels."""
    total = 0.0
    for issue_right, back_right in itertools.product((True, False), repeat=2):
        opinion = Opinion(
            "yes" if bool(issue) is issue_right else "no", "yes" if bool(sent_back) is back_right else "no", ""
        )
        weight = (RIGHT if issue_right else 1 - RIGHT) * (RIGHT if back_right else 1 - RIGHT)
        total += weight * warns(opinion.settle(verdict))
    return total


def of_numbers(example: Example, weights: Weights) -> Seen:
    """A public turn. Its words are not at hand, so what it fails is told from its numbers."""
    verdict = decide(example.reading, weights)
    found = example.reading.features

    def fails(verdict: Verdict) -> frozenset[str]:
        kinds = {"agreement_padding": found["praise"] > 0, "echo": verdict.echo, "vague_objection": found["vague"] > 0}
        kinds["no_disagreement_signal"] = example.later and verdict.answer == "silent"
        return frozenset(kind for kind, there in kinds.items() if there)

    def warns(verdict: Verdict) -> bool:
        kinds = fails(verdict)
        return verdict.answer != "argues" and ("vague_objection" in kinds or (verdict.send_back >= 0 and bool(kinds)))

    asked = (example.later and verdict.answer == "unsure") or _is_near(verdict)
    chance = _chance(verdict, example.disagrees, example.sent_back, warns) if asked else float(warns(verdict))
    labels = (example.disagrees, example.sent_back, None, example.echo)
    return Seen(example.file, example.later, *labels, verdict.answer, warns(verdict), fails(verdict), asked, chance)


def _is_near(verdict: Verdict) -> bool:
    return verdict.answer != "argues" and abs(verdict.send_back) < NEAR


def of_text(row: Labelled, weights: Weights | None, language: str | None) -> Seen:
    """A labelled turn, judged with these weights where it is in their language."""
    label = row.label
    issue = label["disagreement"] in ("substantive", "stand_down") if label["disagreement"] and row.later else None
    labels = (issue, label["should_flag"], label["performative"], label["echo"])
    known = pack.load(language) if language else None
    if row.text is None or known is None:
        # A turn that the reader does not find is never flagged: an error of reading, counted where it hurts.
        return Seen(row.file, row.later, *labels, "unsure", False, frozenset(), False, 0.0)  # type: ignore[arg-type]
    known = replace(known, weights=weights) if weights else known
    evidence = gather(row.text, [name for name, _ in row.prior], known)
    before = Before(row.prior, row.debate or row.prior)
    words = visible_words(row.text)
    verdict = weigh(row.text, words, before, evidence, known)

    def fails(verdict: Verdict) -> list[Failure]:
        options = {"strict": False, "min_words": 12, "filler": False}
        return judge.judge(str(row.text), words, before, evidence, verdict, **options)  # type: ignore[arg-type]

    def warns(verdict: Verdict) -> bool:
        return any(failure.severity != "info" for failure in fails(verdict))

    kinds = frozenset(failure.kind for failure in fails(verdict))
    answer = "silent" if "too_short" in kinds else verdict.answer
    open_phrase = words < judge.REASONED_WORDS and any(f.layer == 1 for f in fails(verdict))
    asked = "too_short" not in kinds and ((row.later and answer == "unsure") or _is_near(verdict) or open_phrase)
    chance = _chance(verdict, issue, label["should_flag"], warns) if asked else float(warns(verdict))
    return Seen(row.file, row.later, *labels, answer, warns(verdict), kinds, asked, chance)  # type: ignore[arg-type]


Measure = Callable[[Sequence[Seen]], tuple[float, float]]
"""A part and the whole it is of."""


def _settled(seen: Iterable[Seen]) -> list[Seen]:
    return [s for s in seen if s.issue is not None]


def _rate(turns: Iterable[Seen], issue: bool, hit: Callable[[Seen], bool], decided: bool) -> tuple[float, float]:
    chosen = [s for s in turns if s.issue is issue and not (decided and s.answer == "unsure")]
    return sum(map(hit, chosen)), len(chosen)


def _share(chosen: Sequence[Seen], hit: Callable[[Seen], bool]) -> tuple[float, float]:
    return sum(map(hit, chosen)), len(chosen)


def _opinion(turns: Iterable[Seen], issue: bool, hit: Callable[[Seen], bool]) -> tuple[float, float]:
    """The expected rate where a second reader settles the unsure turns."""
    chosen = [s for s in turns if s.issue is issue]
    return sum(RIGHT if s.answer == "unsure" else hit(s) for s in chosen), len(chosen)


def _warned(turns: Iterable[Seen], precision: bool, opinion: bool) -> tuple[float, float]:
    """Precision or recall of warnings; with a second reader, as expected."""
    known = [(s, s.chance if opinion else float(s.warned)) for s in turns if s.sent_back is not None]
    right = sum(chance for s, chance in known if s.sent_back)
    return right, sum(chance for _, chance in known) if precision else sum(bool(s.sent_back) for s, _ in known)


MEASURES: dict[str, Measure] = {
    "decided (coverage)": lambda t: _share(_settled(t), lambda s: s.answer != "unsure"),
    "decided: takes issue, told": lambda t: _rate(t, True, lambda s: s.answer == "argues", True),
    "decided: takes none, told": lambda t: _rate(t, False, lambda s: s.answer == "silent", True),
    "all: takes issue, no MDT102": lambda t: _rate(t, True, lambda s: s.answer != "silent", False),
    "all: takes none, MDT102 or 103": lambda t: _rate(t, False, lambda s: s.answer == "silent", False),
    "warnings: precision": lambda t: _warned(t, True, False),
    "warnings: recall": lambda t: _warned(t, False, False),
    "with an opinion: turns asked": lambda t: _share(t, lambda s: s.asked),
    "with an opinion: takes issue": lambda t: _opinion(t, True, lambda s: s.answer == "argues"),
    "with an opinion: takes none": lambda t: _opinion(t, False, lambda s: s.answer == "silent"),
    "with an opinion: precision": lambda t: _warned(t, True, True),
    "with an opinion: recall": lambda t: _warned(t, False, True),
}


def interval(turns: Sequence[Seen], measure: Measure, draws: int = 400) -> tuple[float, float]:
    """The middle 95 % of the measure over draws of as many debates, with replacement, from a fixed seed."""
    debates: dict[str, list[Seen]] = defaultdict(list)
    for turn in turns:
        debates[turn.debate].append(turn)
    groups, chance = list(debates.values()), random.Random(1)
    drawn = [measure([s for group in chance.choices(groups, k=len(groups)) for s in group]) for _ in range(draws)]
    shares = sorted(part / whole for part, whole in drawn if whole)
    return (shares[len(shares) // 40], shares[-1 - len(shares) // 40]) if shares else (0.0, 1.0)


def report(title: str, turns: Sequence[Seen]) -> None:
    """Print every measure of a set of turns."""
    print(f"{title}: {len(turns)} turns of {len({turn.debate for turn in turns})} debates")
    for name, measure in MEASURES.items():
        part, whole = measure(turns)
        if whole:
            low, high = interval(turns, measure)
            print(f"  {name:32} {part:6.1f}/{whole:<6.1f} {part / whole:.3f}  ({low:.2f} to {high:.2f})")


def single_rules(turns: Sequence[Seen]) -> None:
    """Precision and recall of single rules against their own labels."""
    for title, kind, label in (
        ("agreement padding", "agreement_padding", lambda s: s.performative),
        ("published phrases", "forbidden_phrase", lambda s: s.performative),
        ("echo", "echo", lambda s: s.echo),
        ("vague objection, by the editor", "vague_objection", lambda s: s.sent_back),
    ):
        known = [s for s in turns if label(s) is not None]
        fired = [s for s in known if kind in s.kinds]
        right = sum(bool(label(s)) for s in fired)
        print(f"  {title:32} right in {right} of {len(fired)}, finds {right} of {sum(bool(label(s)) for s in known)}")


def sentences(path: Path) -> None:
    """How many of the hard sentences come out as a careful reader wants."""
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line]
    right, literal, wrong = 0, 0, []
    settled = [row for row in rows if not row["debatable"]]
    for row in settled:
        result = check_response(row["text"], row["prior_speakers"], language=row["lang"])
        if result.ok == (row["ideal"] == "pass"):
            right += 1
        else:
            unsure = ", unsure" if result.issue and result.issue.answer == "unsure" else ""
            wrong.append(f"{row['id']} ({row['ideal']}{unsure})")
    for row in rows:
        found = check_response(row["text"], row["prior_speakers"], matching="literal").failures
        kinds = {failure.kind for failure in found}
        expect = row["expect"]
        literal += (
            [failure.detail for failure in found if failure.kind == "forbidden_phrase"] == expect["forbidden_phrase"]
            and ("no_disagreement_signal" in kinds) == expect["no_disagreement_signal"]
            and ("too_short" in kinds) == expect["too_short"]
        )
    print(f"Hard sentences: {right} of {len(settled)} as a careful reader wants; not: {', '.join(wrong) or 'none'}")
    print(f"  literal matching equals the published design on {literal} of {len(rows)}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, default=PROJECT.parent / "shared")
    parser.add_argument("--turns", choices=("truth", "mdtally", "joined"), default="truth")
    options = parser.parse_args()
    english = pack.load("en")
    assert english is not None
    # Learnt on the true turns whatever is measured: the weights of the pack were, too.
    examples = everything(options.shared, english)
    apart = list(zip((e for e in examples if e.group), scored_apart(examples), strict=True))
    public = [of_numbers(example, weights) for example, weights in apart if example.file[1:2] == "/"]
    report("Public debates, held apart by repository", public)
    for letter, kind in KINDS.items():
        report(f"  of them {kind}", [turn for turn in public if turn.debate.startswith(f"{letter}/")])
    rows = read(options.shared, options.turns)
    languages = language_of(rows)
    held = {example.file: weights for example, weights in apart}
    labelled = [of_text(row, held.get(row.file), languages[row.file]) for row in rows]
    report("Labelled debates, held apart by repository", labelled)
    single_rules(labelled)
    whole = fit(examples)
    report(
        "Labelled debates, with weights that have seen them",
        [of_text(row, whole if languages[row.file] == "en" else None, languages[row.file]) for row in rows],
    )
    if (options.shared / "gate-cases.jsonl").exists():
        sentences(options.shared / "gate-cases.jsonl")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
