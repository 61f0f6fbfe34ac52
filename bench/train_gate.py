"""Learn what the signals of the English pack are worth, and write it into the pack.

Logistic regression over the features of `mdtally.gate.shape`, with a ridge and with each weight's sign fixed where
language leaves no doubt. It learns from the labelled debates (later turns, in English) and from `training-turns.md`; a
debate weighs as the root of its number of turns, so that no long one decides alone. Plain coordinate steps on the
standard library: the same labels give the same weights to the last printed digit.

    python bench/train_gate.py --shared ../shared           # prints what it would write
    python bench/train_gate.py --shared ../shared --write   # writes mdtally/packs/en.toml
"""

from __future__ import annotations

import argparse
import math
import re
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

PROJECT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(PROJECT), str(PROJECT / "bench")]

from labelled import Labelled, read  # noqa: E402

from mdtally.gate import judge  # noqa: E402
from mdtally.gate.evidence import Evidence, gather  # noqa: E402
from mdtally.gate.language import detect_language  # noqa: E402
from mdtally.gate.pack import Pack, Weights, load  # noqa: E402
from mdtally.gate.shape import features, sign, thin_features  # noqa: E402

RIDGE = 20.0
"""How strongly weights are held near nought."""
OWN = 1.2
"""What a training turn weighs beside a labelled one."""
SHIFT = 0.12
"""Added to the bias: a missed objection costs more than a missed echo, because it flags honest work."""
THIN_SHIFT = 0.9
"""Added to the bias of the second question, whose labels are few: where precision and recall of warnings meet."""
DATE = "2026-11-21"
TURN = re.compile(r"- ([svn])(!?) \| (.*)")


class Example(NamedTuple):
    """A turn to learn from: its debate ("" for an own one), its features and its labels; None is unsettled."""

    file: str
    text: str
    prior: tuple[tuple[str, str], ...]
    evidence: Evidence
    features: dict[str, float]
    disagrees: bool | None
    sent_back: bool | None


def own_examples(pack: Pack) -> list[Example]:
    """The training turns."""
    text = (PROJECT / "bench" / "training-turns.md").read_text("utf-8")
    prior = (("Ana", ""), ("Ben", ""))
    matches = [match for match in map(TURN.match, text.splitlines()) if match]
    return [example("", match[3], prior, pack, match[1] == "s", bool(match[2])) for match in matches]


def labelled_examples(rows: Sequence[Labelled], pack: Pack) -> list[Example]:
    """The labelled turns of the debates in the pack's language."""
    spoken: dict[str, list[str]] = {}
    for row in rows:
        spoken.setdefault(row.file, []).append(row.text or "")
    languages = {file: detect_language(texts) for file, texts in spoken.items()}
    found = []
    for row in rows:
        if row.text and languages[row.file] == pack.language:
            label = row.label["disagreement"]
            disagrees = label in ("substantive", "stand_down") if label and row.later else None
            found.append(example(row.file, row.text, row.prior, pack, disagrees, row.label["should_flag"]))
    return found


def example(
    file: str,
    text: str,
    prior: tuple[tuple[str, str], ...],
    pack: Pack,
    disagrees: bool | None,
    sent_back: object,
) -> Example:
    evidence = gather(text, [speaker for speaker, _ in prior], pack)
    found = features(evidence, pack, [said for _, said in prior])
    return Example(file, text, prior, evidence, found, disagrees, None if sent_back is None else bool(sent_back))


def fit(examples: Sequence[Example], pack: Pack) -> Weights:
    """The weights that explain the examples: first who takes issue, then who of the others is thin."""
    settled = [e for e in examples if e.disagrees is not None]
    bias, learnt = _regress(
        [e.features for e in settled], [bool(e.disagrees) for e in settled], [e.file for e in settled], pack
    )
    bias += SHIFT
    weights = Weights(
        DATE,
        bias,
        {name[7:]: value for name, value in learnt.items() if name.startswith("family:")},
        {name[6:]: value for name, value in learnt.items() if name.startswith("shape:")},
    )
    learning = replace(pack, weights=weights)
    rows, labels, files = [], [], []
    for e in examples:
        verdict = judge.weigh(e.text, e.prior, e.evidence, learning)
        if e.sent_back is None or (verdict.disagrees and e.prior):
            continue
        rows.append(thin_features(e.evidence, e.features, e.text, e.prior, verdict.score))
        labels.append(e.sent_back)
        files.append(e.file)
    thin_bias, thin = _regress(rows, labels, files, pack)
    return replace(weights, thin_bias=thin_bias + THIN_SHIFT, thin={name[5:]: value for name, value in thin.items()})


def _regress(
    rows: Sequence[dict[str, float]], labels: Sequence[bool], files: Sequence[str], pack: Pack
) -> tuple[float, dict[str, float]]:
    """Bias and weights of a logistic regression over standardised features."""
    names = sorted(rows[0])
    sizes = Counter(file for file in files if file)
    scale = math.sqrt(sum(sizes.values()) / max(len(sizes), 1))
    weight = [scale / math.sqrt(sizes[file]) if file else OWN for file in files]
    columns, centres, widths = [], [], []
    for name in names:
        column = [row[name] for row in rows]
        centre = sum(column) / len(column)
        width = math.sqrt(sum((value - centre) ** 2 for value in column) / len(column)) or 1.0
        columns.append([(value - centre) / width for value in column])
        centres.append(centre)
        widths.append(width)
    signs = [sign(name, pack) for name in names]
    found, bias = _descend(columns, [float(label) for label in labels], weight, signs)
    learnt = {name: value / width for name, value, width in zip(names, found, widths, strict=True)}
    return bias - sum(learnt[name] * centre for name, centre in zip(names, centres, strict=True)), learnt


def _descend(
    columns: Sequence[Sequence[float]], target: Sequence[float], weight: Sequence[float], signs: Sequence[int]
) -> tuple[list[float], float]:
    """Newton steps, one coordinate at a time, each clipped to the sign its weight may have."""
    score = [0.0] * len(target)
    found = [0.0] * len(columns)
    bias = 0.0
    for _ in range(200):
        moved = 0.0
        chance = [1 / (1 + math.exp(-value)) for value in score]
        slope = [w * (p - y) for w, p, y in zip(weight, chance, target, strict=True)]
        bend = [w * p * (1 - p) + 1e-9 for w, p in zip(weight, chance, strict=True)]
        # One weighted least-squares problem a round, solved by sweeps over its coordinates.
        residual = [-g / b for g, b in zip(slope, bend, strict=True)]
        for _ in range(4):
            step = sum(b * r for b, r in zip(bend, residual, strict=True)) / sum(bend)
            bias += step
            moved = max(moved, abs(step))
            residual = [r - step for r in residual]
            for n, column in enumerate(columns):
                curve = sum(b * x * x for b, x in zip(bend, column, strict=True)) + RIDGE
                pull = sum(b * x * r for b, x, r in zip(bend, column, residual, strict=True)) - RIDGE * found[n]
                new = found[n] + pull / curve
                if signs[n] > 0:
                    new = max(new, 0.0)
                elif signs[n] < 0:
                    new = min(new, 0.0)
                step = new - found[n]
                if step:
                    found[n] = new
                    residual = [r - step * x for r, x in zip(residual, column, strict=True)]
                    moved = max(moved, abs(step))
        score = [bias + sum(found[n] * column[row] for n, column in enumerate(columns)) for row in range(len(target))]
        if moved < 1e-7:
            break
    return found, bias


def as_toml(weights: Weights) -> str:
    """The pack's ``[weights]`` table; weights that round to nought are left out."""

    def table(title: str, values: dict[str, float]) -> list[str]:
        kept = {name: round(value, 3) for name, value in sorted(values.items()) if round(value, 3)}
        return ["", f"[weights.{title}]", *(f'"{name}" = {value}' for name, value in kept.items())]

    lines = ["[weights]", f'trained = "{weights.trained}"', f"bias = {weights.bias:.3f}"]
    lines.append(f"thin_bias = {weights.thin_bias:.3f}")
    lines += table("families", dict(weights.families)) + table("shape", dict(weights.shape))
    lines += table("thin", dict(weights.thin))
    return "\n".join(lines) + "\n"


MARK = "# -- What the evidence is worth: written by bench/train_gate.py, not by hand "


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, default=PROJECT.parent / "shared")
    parser.add_argument("--turns", choices=("truth", "mdtally"), default="truth")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    pack = load("en")
    assert pack is not None
    examples = labelled_examples(read(options.shared, options.turns), pack) + own_examples(pack)
    text = as_toml(fit(examples, pack))
    if options.write:
        path = PROJECT / "mdtally" / "packs" / "en.toml"
        head = path.read_text("utf-8").split(MARK)[0].rstrip()
        path.write_text(f"{head}\n\n{MARK}{'-' * (120 - len(MARK))}\n\n{text}", "utf-8")
    else:
        sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
