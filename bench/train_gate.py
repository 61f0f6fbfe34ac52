"""Learn what the signals of the English pack are worth, and write it into the pack.

Logistic regression over the features of `mdtally.gate.shape`, with a ridge and with each weight's sign fixed where
language leaves no doubt. It learns from the labelled debates (in English), from the readings of further public ones in
`public-turns.tsv`, and from `training-turns.md`; a debate weighs as the root of its number of turns, so that no long
one decides alone. Newton's method from a fixed start: the same labels give the same weights to the last printed digit.
Needs numpy; the gate itself doesn't.

    python bench/train_gate.py --shared ../shared           # prints what it would write
    python bench/train_gate.py --shared ../shared --write   # writes mdtally/packs/en.toml
"""

from __future__ import annotations

import argparse
import math
import re
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

PROJECT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(PROJECT), str(PROJECT / "bench")]

import numpy as np  # noqa: E402
from labelled import Labelled, read  # noqa: E402
from public_turns import stored  # noqa: E402

from mdtally.gate.evidence import gather  # noqa: E402
from mdtally.gate.language import detect_language  # noqa: E402
from mdtally.gate.pack import Pack, Weights, load  # noqa: E402
from mdtally.gate.weigh import Before, Reading, decide, reading, scored, sign  # noqa: E402

RIDGE = 20.0
"""How strongly weights are held near nought."""
WORD_RIDGE = 250.0
"""The same for the small words: there are many of them, and each says little."""
LEAST_SPREAD = 0.1
"""What the rate of a small word varies by, at least: without it a rare one would get a weight that decides alone."""
OWN = 3.0
"""What a training turn weighs beside a labelled one."""
SHIFT = 0.35
"""Added to the bias: a missed objection costs more than a missed echo, because it flags honest work."""
FOLDS = 8
"""Into how many groups of debates the scores for the second question are split."""
THIN_SHIFT = 1.0
"""Added to the bias of the second question, whose labels are few: where precision and recall of warnings meet."""
ECHO_SHIFT = 0.5
"""Added to the bias of the third question, for the same end."""
DATE = "2026-11-22"
TURN = re.compile(r"- ([svn])(!?) \| (.*)")


class Example(NamedTuple):
    """A turn to learn from: its debate ("" for an own one), whether others spoke before, what the gate reads in it, and
    its labels; None is unsettled."""

    file: str
    later: bool
    reading: Reading
    disagrees: bool | None
    sent_back: bool | None
    echo: bool | None


def own_examples(pack: Pack) -> list[Example]:
    """The training turns."""
    text = (PROJECT / "bench" / "training-turns.md").read_text("utf-8")
    prior = (("Ana", ""), ("Ben", ""))
    matches = [match for match in map(TURN.match, text.splitlines()) if match]
    return [example("", match[3], Before.of(prior), pack, match[1] == "s", bool(match[2]), None) for match in matches]


def labelled_examples(rows: Sequence[Labelled], pack: Pack) -> list[Example]:
    """The labelled turns of the debates in the pack's language."""
    spoken: dict[str, list[str]] = {}
    for row in rows:
        spoken.setdefault(row.file, []).append(row.text or "")
    languages = {file: detect_language(texts) for file, texts in spoken.items()}
    found = []
    for row in rows:
        if row.text and languages[row.file] == pack.language:
            disagrees = _disagrees(row.label["disagreement"], row.later)
            standing = Before.of(row.prior, row.debate)
            labels = (disagrees, row.label["should_flag"], row.label["echo"])
            found.append(example(row.file, row.text, standing, pack, *labels))
    return found


def public_examples() -> list[Example]:
    """The turns of public debates that are kept as numbers."""
    return [
        Example(t.debate, t.later, t.reading, _disagrees(t.disagreement, t.later), t.sent_back, t.echo)
        for t in stored()
    ]


def _disagrees(label: object, later: bool) -> bool | None:
    """What a label says of the first question, which is asked of later turns only; None where that is not settled."""
    return label in ("substantive", "stand_down") if label and later else None


def example(
    file: str, text: str, standing: Before, pack: Pack, disagrees: bool | None, sent_back: object, echo: object
) -> Example:
    evidence = gather(text, [speaker for speaker, _ in standing.prior], pack)
    read = reading(text, standing, evidence, pack)
    sent_back, echo = (None if label is None else bool(label) for label in (sent_back, echo))
    return Example(file, bool(standing.prior), read, disagrees, sent_back, echo)


def fit(examples: Sequence[Example], pack: Pack) -> Weights:
    """The weights that explain the examples: who takes issue, who would be sent back, and who restates."""
    settled = [e for e in examples if e.disagrees is not None]
    weights = _first(settled, pack)
    # The further questions see scores of weights that have not seen the debate, as they will on other debates.
    folds = {file: n % FOLDS for n, file in enumerate(sorted({e.file for e in examples}))}
    learning = [_first([e for e in settled if folds[e.file] != fold], pack) for fold in range(FOLDS)]
    rows = [scored(e.reading, decide(e.reading, learning[folds[e.file]]).score) for e in examples]

    def learn(labels: Sequence[bool | None], signs: bool) -> tuple[float, dict[str, float]]:
        known = [
            (row, label, e.file) for row, label, e in zip(rows, labels, examples, strict=True) if label is not None
        ]
        bias, found = _regress(*zip(*known, strict=True), pack, signs=signs)
        return bias, {name.partition(":")[2]: value for name, value in found.items()}

    thin_bias, thin = learn([e.sent_back for e in examples], signs=True)
    # Who shares no words with anybody is no echo by definition.
    echo_bias, echo = learn([None if e.reading.apart else e.echo for e in examples], signs=False)
    return replace(weights, thin_bias=thin_bias + THIN_SHIFT, thin=thin, echo_bias=echo_bias + ECHO_SHIFT, echo=echo)


def _first(settled: Sequence[Example], pack: Pack) -> Weights:
    """The weights of the first question alone."""
    bias, learnt = _regress(
        [e.reading.features for e in settled], [bool(e.disagrees) for e in settled], [e.file for e in settled], pack
    )
    return Weights(
        DATE,
        bias + SHIFT,
        {name[7:]: value for name, value in learnt.items() if name.startswith("family:")},
        {name[6:]: value for name, value in learnt.items() if name.startswith("shape:")},
        words={name[5:]: value for name, value in learnt.items() if name.startswith("word:")},
    )


def _regress(
    rows: Sequence[Mapping[str, float]],
    labels: Sequence[bool],
    files: Sequence[str],
    pack: Pack,
    *,
    signs: bool = True,
) -> tuple[float, dict[str, float]]:
    """Bias and weights of a logistic regression over standardised features, with their signs kept or free."""
    names = sorted({name for row in rows for name in row})
    sizes = Counter(file for file in files if file)
    scale = math.sqrt(sum(sizes.values()) / max(len(sizes), 1))
    weight = [scale / math.sqrt(sizes[file]) if file else OWN for file in files]
    table = np.array([[row.get(name, 0.0) for name in names] for row in rows])
    centres, widths = table.mean(axis=0), table.std(axis=0)
    widths[widths == 0] = 1.0
    words = np.array([name.startswith("word:") for name in names])
    widths[words] = np.maximum(widths[words], LEAST_SPREAD)
    sides = [sign(name, pack) if signs else 0 for name in names]
    ridge = np.where(words, WORD_RIDGE, RIDGE)
    found, bias = _descend((table - centres) / widths, [float(label) for label in labels], weight, sides, ridge)
    learnt = {name: float(value) for name, value in zip(names, found / widths, strict=True)}
    return bias - sum(learnt[name] * float(centre) for name, centre in zip(names, centres, strict=True)), learnt


def _descend(
    columns: np.ndarray,
    target: Sequence[float],
    weight: Sequence[float],
    signs: Sequence[int],
    ridges: np.ndarray,
) -> tuple[np.ndarray, float]:
    """Newton steps over the weights that may move, each kept on its side of nought."""
    x = np.column_stack([np.ones(len(target)), columns])
    y, w = np.array(target), np.array(weight)
    side = np.array([0, *signs])
    ridge = np.concatenate([[0.0], ridges])
    found = np.zeros(x.shape[1])

    def loss(at: np.ndarray) -> float:
        z = x @ at
        return float((w * (np.logaddexp(0, z) - y * z)).sum() + (ridge * at**2).sum() / 2)

    for _ in range(200):
        chance = 1 / (1 + np.exp(-(x @ found)))
        slope = x.T @ (w * (chance - y)) + ridge * found
        free = ~((found == 0) & (side != 0) & (slope * side > 0))
        if np.abs(slope[free]).max() < 1e-9:
            break
        bend = (x[:, free] * (w * chance * (1 - chance))[:, None]).T @ x[:, free] + np.diag(ridge[free])
        step = np.zeros_like(found)
        step[free] = np.linalg.solve(bend, slope[free])
        now, size = loss(found), 1.0
        while True:
            new = found - size * step
            new[new * side < 0] = 0.0
            if loss(new) <= now or size < 1e-6:
                break
            size /= 2
        if np.abs(new - found).max() < 1e-10:
            break
        found = new
    return found[1:], float(found[0])


def as_toml(weights: Weights) -> str:
    """The pack's ``[weights]`` table; weights that round to nought are left out."""

    def table(title: str, values: dict[str, float]) -> list[str]:
        kept = {name: round(value, 3) for name, value in sorted(values.items()) if round(value, 3)}
        return ["", f"[weights.{title}]", *(f'"{name}" = {value}' for name, value in kept.items())]

    lines = ["[weights]", f'trained = "{weights.trained}"', f"bias = {weights.bias:.3f}"]
    lines += [f"thin_bias = {weights.thin_bias:.3f}", f"echo_bias = {weights.echo_bias:.3f}"]
    lines += table("families", dict(weights.families)) + table("shape", dict(weights.shape))
    lines += table("thin", dict(weights.thin)) + table("echo", dict(weights.echo))
    lines += table("words", dict(weights.words))
    return "\n".join(lines) + "\n"


MARK = "# -- What the evidence is worth: written by bench/train_gate.py, not by hand "


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, default=PROJECT.parent / "shared")
    parser.add_argument("--turns", choices=("truth", "mdtally", "joined"), default="joined")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    pack = load("en")
    assert pack is not None
    examples = labelled_examples(read(options.shared, options.turns), pack) + public_examples() + own_examples(pack)
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
