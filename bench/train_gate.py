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
from pathlib import Path
from typing import NamedTuple

PROJECT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(PROJECT), str(PROJECT / "bench")]

from labelled import Labelled, read  # noqa: E402

from mdtally.gate.evidence import gather  # noqa: E402
from mdtally.gate.language import detect_language  # noqa: E402
from mdtally.gate.pack import Pack, Weights, load  # noqa: E402
from mdtally.gate.shape import features, sign  # noqa: E402

RIDGE = 20.0
"""How strongly weights are held near nought."""
OWN = 1.2
"""What a training turn weighs beside a labelled one."""
SHIFT = 0.12
"""Added to the bias: a missed objection costs more than a missed echo, because it flags honest work."""
DATE = "2026-11-21"
TURN = re.compile(r"- ([svn])(!?) \| (.*)")


class Example(NamedTuple):
    """A turn to learn from: its debate ("" for an own one), its features and whether it takes issue."""

    file: str
    features: dict[str, float]
    disagrees: bool


def own_examples(pack: Pack) -> list[Example]:
    """The training turns."""
    text = (PROJECT / "bench" / "training-turns.md").read_text("utf-8")
    found = []
    for match in map(TURN.match, text.splitlines()):
        if match:
            evidence = gather(match.group(3), ["Ana", "Ben"], pack)
            found.append(Example("", features(evidence, pack), match.group(1) == "s"))
    return found


def labelled_examples(rows: Sequence[Labelled], pack: Pack) -> list[Example]:
    """The later turns with a settled label, of the debates in the pack's language."""
    spoken: dict[str, list[str]] = {}
    for row in rows:
        spoken.setdefault(row.file, []).append(row.text or "")
    languages = {file: detect_language(texts) for file, texts in spoken.items()}
    return [
        Example(row.file, row_features(row, pack), row.label["disagreement"] in ("substantive", "stand_down"))
        for row in rows
        if row.later and row.label["disagreement"] and row.text and languages[row.file] == pack.language
    ]


def row_features(row: Labelled, pack: Pack) -> dict[str, float]:
    evidence = gather(row.text or "", [speaker for speaker, _ in row.prior], pack)
    return features(evidence, pack, [said for _, said in row.prior])


def fit(examples: Sequence[Example], pack: Pack) -> Weights:
    """The weights that explain the examples."""
    names = sorted(examples[0].features)
    sizes = Counter(example.file for example in examples if example.file)
    scale = math.sqrt(sum(sizes.values()) / max(len(sizes), 1))
    weight = [scale / math.sqrt(sizes[e.file]) if e.file else OWN for e in examples]
    columns, centres, widths = [], [], []
    for name in names:
        column = [example.features[name] for example in examples]
        centre = sum(column) / len(column)
        width = math.sqrt(sum((value - centre) ** 2 for value in column) / len(column)) or 1.0
        columns.append([(value - centre) / width for value in column])
        centres.append(centre)
        widths.append(width)
    signs = [sign(name, pack) for name in names]
    target = [1.0 if example.disagrees else 0.0 for example in examples]
    found, bias = _descend(columns, target, weight, signs)
    learnt = {name: value / width for name, value, width in zip(names, found, widths, strict=True)}
    bias -= sum(learnt[name] * centre for name, centre in zip(names, centres, strict=True))
    return Weights(
        DATE,
        bias + SHIFT,
        {name[7:]: value for name, value in learnt.items() if name.startswith("family:")},
        {name[6:]: value for name, value in learnt.items() if name.startswith("shape:")},
    )


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


def score(weights: Weights, example: dict[str, float]) -> float:
    """What weights make of a turn: 0 or more is disagreement."""
    total = weights.bias
    for name, value in example.items():
        table, _, key = name.partition(":")
        total += value * (weights.families if table == "family" else weights.shape).get(key, 0.0)
    return total


def as_toml(weights: Weights) -> str:
    """The pack's ``[weights]`` table; weights that round to nought are left out."""

    def table(title: str, values: dict[str, float]) -> list[str]:
        kept = {name: round(value, 3) for name, value in sorted(values.items()) if round(value, 3)}
        return ["", f"[weights.{title}]", *(f'"{name}" = {value}' for name, value in kept.items())]

    lines = ["[weights]", f'trained = "{weights.trained}"', f"bias = {weights.bias:.3f}"]
    lines += table("families", dict(weights.families)) + table("shape", dict(weights.shape))
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
