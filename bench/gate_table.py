"""Print how right the gate is: the figures of docs/reference/gate.md.

Every debate is scored with weights, band and thresholds that were learnt from other repositories. The public debates
are at hand as numbers only (`public-turns.tsv`, one annotator, or assigned sides), the labelled ones as text (two
annotators; with ``--turns mdtally`` as the reader finds them, participants declared). Intervals are for debates, not
for turns: 95 of 100 draws of as many debates lie within.

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

PROJECT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(PROJECT), str(PROJECT / "bench")]

from labelled import Labelled, language_of, read  # noqa: E402
from public_turns import ELSEWHERE  # noqa: E402
from train_gate import Example, everything, fit, scored_apart  # noqa: E402

from mdtally.gate import check as gate_check  # noqa: E402
from mdtally.gate import check_response, judge, pack  # noqa: E402
from mdtally.gate.echo import Before  # noqa: E402
from mdtally.gate.evidence import gather  # noqa: E402
from mdtally.gate.opinion import NEAR, is_open  # noqa: E402
from mdtally.gate.pack import Weights  # noqa: E402
from mdtally.gate.result import Opinion  # noqa: E402
from mdtally.gate.weigh import WeighedTurn, decide, settle_stance, weigh  # noqa: E402
from mdtally.text.records import record, replace  # noqa: E402

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
TOO_SHORT = 1.67
"""Above this "short", which is eleven words and fewer, layer 3 flags a turn."""


@record
class Seen:
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
        sides: what was made of it, where sides were assigned or contexts exchanged.
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
    sides: str = ""


def _chance(weighed: WeighedTurn, issue: object, sent_back: object, warns: Callable[[WeighedTurn], bool]) -> float:
    """How likely a warning is where a reader that is right `RIGHT` of the times settles a turn with these labels."""
    total = 0.0
    for issue_right, back_right in itertools.product((True, False), repeat=2):
        opinion = Opinion(
            "yes" if bool(issue) is issue_right else "no", "yes" if bool(sent_back) is back_right else "no", ""
        )
        weight = (RIGHT if issue_right else 1 - RIGHT) * (RIGHT if back_right else 1 - RIGHT)
        total += weight * warns(settle_stance(weighed, opinion, None))
    return total


def of_numbers(example: Example, weights: Weights) -> Seen:
    """A public turn. Its words are not at hand, so what it fails is told from its numbers."""
    found = example.reading
    weighed = decide(example.reading, weights)
    too_short = found["short"] > TOO_SHORT

    def fails(weighed: WeighedTurn) -> frozenset[str]:
        kinds = {"agreement_padding": found["praise"] > 0, "echo": weighed.echo, "vague_objection": found["vague"] > 0}
        kinds["no_disagreement_signal"] = example.later and weighed.answer == "silent"
        return frozenset(kind for kind, there in kinds.items() if there)

    def warns(weighed: WeighedTurn) -> bool:
        kinds = fails(weighed)
        return weighed.answer != "argues" and ("vague_objection" in kinds or (weighed.send_back >= 0 and bool(kinds)))

    asked = not too_short and ((example.later and weighed.is_doubted) or _is_near(weighed))
    chance = _chance(weighed, example.disagrees, example.sent_back, warns) if asked else float(warns(weighed))
    return Seen(
        example.file, example.later, example.disagrees, example.sent_back, None, example.echo,
        "silent" if too_short else weighed.answer, too_short or warns(weighed), fails(weighed), asked, chance,
        example.sides,
    )  # fmt: skip


def _is_near(weighed: WeighedTurn) -> bool:
    return weighed.answer != "argues" and abs(weighed.send_back) < NEAR


def of_text(row: Labelled, weights: Weights | None, language: str | None, opinion: Opinion | None = None) -> Seen:
    """A labelled turn, judged with these weights where it is in their language, and as a second reader settles it."""
    label = row.label
    issue = label["disagreement"] in ("substantive", "stand_down") if label["disagreement"] and row.later else None
    labels = (issue, label["should_flag"], label["performative"], label["echo"])
    known = pack.pack_of(language) if language else None
    if row.text is not None and known is None:
        prior = [(name, "") for name, _ in row.prior]
        told = gate_check(row.text, prior, language=None, opinion=opinion)
        answer, warned = told.issue.answer if told.issue else "unsure", any(f.severity != "info" for f in told.failures)
        kinds, asked = frozenset(failure.kind for failure in told.failures), is_open(told)
        return Seen(row.file, row.later, *labels, answer, warned, kinds, asked, float(warned))  # type: ignore[arg-type]
    if row.text is None or known is None:
        # A turn that the reader does not find is never flagged: an error of reading, counted where it hurts.
        return Seen(row.file, row.later, *labels, "unsure", False, frozenset(), False, 0.0)  # type: ignore[arg-type]
    known = replace(known, weights=weights) if weights else known
    evidence = gather(row.text, [name for name, _ in row.prior], known)
    before = Before(row.prior, row.debate or row.prior, row.speaker)
    weighed = settle_stance(weigh(row.text, before, evidence, known), opinion, None)

    def failures(weighed: WeighedTurn) -> tuple[judge.Failure, ...]:
        return judge.judge(str(row.text), before, evidence, weighed).failures

    def warns(weighed: WeighedTurn) -> bool:
        return any(failure.severity != "info" for failure in failures(weighed))

    kinds = frozenset(failure.kind for failure in failures(weighed))
    answer = "silent" if "too_short" in kinds and not opinion else weighed.answer
    asked = is_open(judge.judge(row.text, before, evidence, weighed))
    chance = _chance(weighed, issue, label["should_flag"], warns) if asked else float(warns(weighed))
    return Seen(row.file, row.later, *labels, answer, warns(weighed), kinds, asked, chance)  # type: ignore[arg-type]


Measure = Callable[[Sequence[Seen]], tuple[float, float]]
"""A part and the whole it is of."""


def _share(chosen: Sequence[Seen], hit: Callable[[Seen], bool]) -> tuple[float, float]:
    return sum(map(hit, chosen)), len(chosen)


def _settled(seen: Iterable[Seen]) -> list[Seen]:
    return [s for s in seen if s.issue is not None]


def _rate(turns: Iterable[Seen], issue: bool, answer: str) -> tuple[float, float]:
    decided = [s for s in turns if s.issue is issue and s.answer != "unsure"]
    return _share(decided, lambda s: s.answer == answer)


def _opinion(turns: Iterable[Seen], issue: bool, answer: str) -> tuple[float, float]:
    """The expected rate where a second reader settles the unsure turns."""
    chosen = [s for s in turns if s.issue is issue]
    return sum(RIGHT if s.answer == "unsure" else s.answer == answer for s in chosen), len(chosen)


def _warned(turns: Iterable[Seen], precision: bool, opinion: bool) -> tuple[float, float]:
    """Precision or recall of warnings; with a second reader, as expected."""
    known = [(s, s.chance if opinion else float(s.warned)) for s in turns if s.sent_back is not None]
    right = sum(chance for s, chance in known if s.sent_back)
    return right, sum(chance for _, chance in known) if precision else sum(bool(s.sent_back) for s, _ in known)


MEASURES: dict[str, Measure] = {
    "decided": lambda t: _share(_settled(t), lambda s: s.answer != "unsure"),
    "objections noticed": lambda t: _rate(t, True, "argues"),
    "silence told": lambda t: _rate(t, False, "silent"),
    "all: objections without MDT102": lambda t: _share([s for s in t if s.issue], lambda s: s.answer != "silent"),
    "warnings right": lambda t: _warned(t, True, False),
    "warnings found": lambda t: _warned(t, False, False),
    "with an opinion: turns asked": lambda t: _share(t, lambda s: s.asked),
    "with an opinion: noticed": lambda t: _opinion(t, True, "argues"),
    "with an opinion: silence told": lambda t: _opinion(t, False, "silent"),
    "with an opinion: warnings right": lambda t: _warned(t, True, True),
    "with an opinion: warnings found": lambda t: _warned(t, False, True),
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


def report(title: str, turns: Sequence[Seen], short: bool = False) -> None:
    """Print every measure of a set of turns; of a short report, the first ones on a line."""
    measures = dict(itertools.islice(MEASURES.items(), 3)) if short else MEASURES
    print(f"{title}: {len(turns)} turns of {len({turn.debate for turn in turns})} debates", end=":" if short else "\n")
    for name, measure in measures.items():
        part, whole = measure(turns)
        if short:
            print(f"  {name} {part / max(whole, 1):.2f}", end="")
        elif whole:
            low, high = interval(turns, measure)
            print(f"  {name:32} {part:6.1f}/{whole:<6.1f} {part / whole:.3f}  ({low:.2f} to {high:.2f})")
    print(end="\n" if short else "")


def sides(turns: Sequence[Seen]) -> None:
    """Print how often each sort of turn with assigned sides, or behind another's context, argues and is silent."""
    for kind in ("substantive", *ELSEWHERE):
        for title, chosen in (("", turns), ("of them S/DB", [t for t in turns if t.debate.startswith("S/DB")])):
            some = [turn for turn in chosen if turn.sides == kind]
            name = title or ("rebuttals, closings" if kind == "substantive" else kind)
            if some:
                argues, silent, warned = (
                    sum(map(hit, some)) / len(some)
                    for hit in (
                        lambda t: t.answer == "argues", lambda t: t.answer == "silent", lambda t: t.warned,
                    )
                )  # fmt: skip
                print(f"  {name:22} {len(some):4} turns: argues {argues:.2f}, silent {silent:.2f}, warned {warned:.2f}")


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
    settled = [row for row in rows if not row.get("debatable")]
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
        expect = row.get("expect", {})
        literal += bool(expect) and (
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
    # Learnt on the true turns whatever is measured: the weights of the pack were, too.
    examples = everything(options.shared, pack.load_or_english("en"))
    apart = list(zip((e for e in examples if e.group), scored_apart(examples), strict=True))
    numbers = [(example, of_numbers(example, weights)) for example, weights in apart if example.file[1:2] == "/"]
    print("Assigned sides and exchanged contexts, held apart by repository")
    sides([seen for example, seen in numbers if example.sides])
    public = [seen for example, seen in numbers if example.public]
    report("Public debates, held apart by repository", public)
    for letter, kind in KINDS.items():
        report(f"  of them {kind}", [turn for turn in public if turn.debate.startswith(f"{letter}/")], short=True)
    rows = read(options.shared, options.turns)
    languages = language_of(rows)
    held = {example.file: weights for example, weights in apart}
    labelled = [of_text(row, held.get(row.file), languages[row.file]) for row in rows]
    report("Labelled debates, held apart by repository", labelled)
    single_rules(labelled)
    whole = fit(examples)
    seen = [of_text(row, whole if languages[row.file] == "en" else None, languages[row.file]) for row in rows]
    report("Labelled debates, with weights that have seen them", seen, short=True)
    if (options.shared / "gate-cases.jsonl").exists():
        sentences(options.shared / "gate-cases.jsonl")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
