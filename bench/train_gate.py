"""Learn what the evidence is worth, and write it into the English pack.

Four logistic regressions over the numbers of `mdtally.gate.features`, with a ridge and, for the first three, with each
weight's sign fixed where language leaves no doubt: does a turn take issue, does it do so with somebody of its debate,
would an editor send it back, does it only repeat? They learn from the labelled debates (in English), from the readings
of further public ones in `public-turns.tsv`, and from `training-turns.md`. No debate weighs more than `MOST` turns, no
repository with assigned sides more than `MOST_OF_SIDES`. The band of unsure scores and the thresholds are chosen on
scores from folds: each debate is scored with weights learnt from other repositories. Newton's method from a fixed
start: the same labels give the same weights to the last printed digit. Needs numpy; the gate itself doesn't.

    python bench/train_gate.py --shared ../shared           # prints what it would write
    python bench/train_gate.py --shared ../shared --write   # writes gate/packs/en.toml and gate/packs/built
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(PROJECT), str(PROJECT / "bench")]

import build_packs as building  # noqa: E402
import numpy as np  # noqa: E402
from gate_numbers import HERE, ISSUE, MANNER  # noqa: E402
from labelled import Labelled, language_of, own_turns, read, repositories  # noqa: E402
from public_turns import ELSEWHERE, reading, sources, stored  # noqa: E402

from mdtally.gate.pack import Pack, Weights, pack_of  # noqa: E402
from mdtally.gate.weigh import decide, manner, weighted_sum  # noqa: E402
from mdtally.text.records import record, replace  # noqa: E402

RIDGE = 30.0
"""How strongly weights are held near nought."""
MOST = 16
"""The number of turns that a debate may weigh."""
MOST_OF_SIDES = 60
"""The number of turns that a repository with assigned sides may weigh, rebuttals and the others apart."""
OWN, PUBLIC = 0.8, 0.8
"""What a training turn, and a turn of `public-turns.tsv` (one annotator), weigh beside one that two have labelled."""
FOLDS = 10
DECIDED = 0.72
"""The least share of turns that the band may leave decided, before those drop out that object to nobody here."""
ARGUES, SILENT = 0.96, 0.84
"""The rates over decided turns for which the band is chosen: above the aim, because other debates are harder."""
HERE_BIAS = 0.6
"""Added to the bias of the second question: how much rather a turn is said to argue than to argue with nobody here."""
PRECISION = 0.82
"""The precision of warnings for which the third threshold is chosen, for the same reason."""
ECHO_SHIFT = 0.5
"""Added to the bias of the last question, whose labels are few: where its precision and recall meet."""
DATE = "2026-11-23"


@record
class Example:
    """A turn to learn from.

    Attributes:
        file: its debate; "" for a training turn.
        group: the debate's repository: what is held apart.
        later: others spoke before in its round.
        reading: what the gate reads in it.
        disagrees, here, sent_back, echo: its labels; None is unsettled, or not asked.
        sides: where it comes from a debate with assigned sides, or from contexts exchanged: what was made of it.
    """

    file: str
    group: str
    later: bool
    reading: Mapping[str, float]
    disagrees: bool | None
    here: bool | None
    sent_back: bool | None
    echo: bool | None
    sides: str = ""

    @property
    def public(self) -> bool:
        """True for a labelled turn of `public-turns.tsv`."""
        return self.file[1:2] == "/" and not self.sides


def own_examples(pack: Pack) -> list[Example]:
    """The training turns."""
    prior = (("Ana", ""), ("Ben", ""))
    rows = [(turn, Labelled("", 0, "", turn.text, prior, prior, (), {})) for turn in own_turns()]
    return [Example("", "", True, reading(row, pack), t.label == "s", None, t.sent_back, None) for t, row in rows]


def labelled_examples(rows: Sequence[Labelled], pack: Pack, shared: Path) -> list[Example]:
    """The labelled turns of the debates in the pack's language."""
    languages, groups = language_of(rows), repositories(shared)
    found = []
    for row in rows:
        if row.text and languages[row.file] == pack.language:
            issue = _disagrees(row.label["disagreement"], row.later)
            labels = (issue, issue or None, _settled(row.label["should_flag"]), _settled(row.label["echo"]))
            found.append(Example(row.file, groups[row.file], bool(row.prior), reading(row, pack), *labels))
    return found


def public_examples() -> list[Example]:
    """The turns of public debates that are kept as numbers."""
    groups = sources()
    return [
        Example(
            turn.debate,
            groups[turn.debate],
            turn.later,
            turn.reading,
            None if turn.disagreement in ELSEWHERE else _disagrees(turn.disagreement, turn.later),
            False if turn.disagreement in ELSEWHERE else (turn.later and turn.disagreement == "substantive") or None,
            turn.sent_back,
            turn.echo,
            str(turn.disagreement) if turn.debate.startswith("S/") or turn.disagreement in ELSEWHERE else "",
        )
        for turn in stored()
    ]


def _disagrees(label: object, later: bool) -> bool | None:
    """What a label says of the first question, which is asked of later turns only; None where that is not settled."""
    return label in ("substantive", "stand_down") if label and later else None


def _settled(label: object) -> bool | None:
    return None if label is None else bool(label)


def folds(examples: Sequence[Example], number: int = FOLDS) -> dict[str, int]:
    """For each repository the fold it is held out in; the largest ones are dealt out first."""
    sizes = Counter(e.group for e in examples if e.group)
    return {
        group: n % number for n, (group, _) in enumerate(sorted(sizes.items(), key=lambda item: (-item[1], item[0])))
    }


def scored_apart(examples: Sequence[Example]) -> list[Weights]:
    """For each example the weights that were learnt from other repositories, thresholds and all."""
    fold = folds(examples)
    learnt = {n: fit([e for e in examples if fold.get(e.group) != n]) for n in range(FOLDS)}
    return [learnt[fold[e.group]] for e in examples if e.group]


def fit(examples: Sequence[Example]) -> Weights:
    """The weights that explain the examples: who takes issue, with whom, who would be sent back, and who restates."""
    fold = folds(examples, FOLDS - 1)
    inner = {n: _weights([e for e in examples if fold.get(e.group) != n]) for n in range(FOLDS - 1)}
    whole = _weights(examples)
    # The thresholds see scores of weights that have not seen the repository, as they will on other debates.
    asked = [e for e in examples if e.group and not e.sides]
    scores = [(inner[fold[e.group]], e) for e in asked]
    settled = [(decide(e.reading, replace(w, here={"bias": 1.0})).score, e.disagrees) for w, e in scores]
    chosen = band([(score, label) for score, label in settled if label is not None])
    apart = [(decide(e.reading, replace(w, band=chosen)), e) for w, e in scores]
    warned = [(v.send_back, e.sent_back) for v, e in apart if e.sent_back is not None and v.answer != "argues"]
    bias = whole.manner["bias"] - threshold(warned)
    return replace(whole, band=chosen, manner={**whole.manner, "bias": bias})


def band(scores: Sequence[tuple[float, bool]]) -> tuple[float, float]:
    """The narrowest band outside which the rates are `ARGUES` and `SILENT`; where there is none, the nearest to one."""
    at = np.array([score for score, _ in scores])
    argues = np.array([label for _, label in scores], bool)
    best, found = (-9.0, 0.0), (0.0, 0.0)
    for least in np.arange(-1.5, 0.51, 0.1):
        for most in np.arange(least + 0.1, 1.51, 0.1):
            decided = (at < least) | (at >= most)
            if decided.mean() < DECIDED:
                continue
            noticed, silent = (at[decided & argues] >= most).mean(), (at[decided & ~argues] < least).mean()
            lack = min(noticed - ARGUES, silent - SILENT, 0.0)
            if (lack, decided.mean()) > best:
                best, found = (lack, decided.mean()), (round(float(least), 1), round(float(most), 1))
    return found


def threshold(scores: Sequence[tuple[float, bool]]) -> float:
    """The least score from which on `PRECISION` of the turns are rightly sent back."""
    ranked = sorted(scores, reverse=True)
    right = np.cumsum([label for _, label in ranked]) / np.arange(1, len(ranked) + 1)
    enough = [n for n, share in enumerate(right) if share >= PRECISION]
    return ranked[enough[-1]][0] if enough else ranked[0][0]


def _weights(examples: Sequence[Example]) -> Weights:
    """Weights without thresholds: those of the band and of warnings are chosen afterwards."""

    def learn(
        label: Callable[[Example], bool | None],
        names: Mapping[str, tuple[int, str]],
        values: Callable[[Example], Mapping[str, float]],
        signs: bool = True,
    ) -> dict[str, float]:
        known = [e for e in examples if label(e) is not None]
        return _regress([values(e) for e in known], [bool(label(e)) for e in known], known, names, signs=signs)

    issue = learn(lambda e: e.disagrees, ISSUE, lambda e: e.reading)
    here = learn(lambda e: e.here, HERE, lambda e: e.reading)
    here["bias"] += HERE_BIAS
    first = Weights(DATE, (0.0, 0.0), issue, here, {}, {})
    rows = {id(e): manner(e.reading, weighted_sum(issue, e.reading)) for e in examples}
    echo = learn(lambda e: None if e.reading["apart"] else e.echo, MANNER, lambda e: rows[id(e)], False)
    echo["bias"] += ECHO_SHIFT
    return replace(first, manner=learn(lambda e: e.sent_back, MANNER, lambda e: rows[id(e)]), echo=echo)


def _regress(
    rows: Sequence[Mapping[str, float]],
    labels: Sequence[bool],
    examples: Sequence[Example],
    names: Mapping[str, tuple[int, str]],
    *,
    signs: bool = True,
) -> dict[str, float]:
    """Bias and weights of a logistic regression over standardised numbers, with their signs kept or free."""
    sizes = Counter(e.file for e in examples)
    of_sides = Counter((e.group, e.here) for e in examples if e.sides)
    weight = [
        OWN
        if not e.file
        else min(1.0, MOST_OF_SIDES / of_sides[e.group, e.here])
        if e.sides
        else min(1.0, MOST / sizes[e.file]) * (PUBLIC if e.public else 1.0)
        for e in examples
    ]
    table = np.array([[row.get(name, 0.0) for name in names] for row in rows])
    centres, widths = table.mean(axis=0), table.std(axis=0)
    widths[widths == 0] = 1.0
    sides = [side if signs else 0 for side, _ in names.values()]
    found, bias = _descend((table - centres) / widths, [float(label) for label in labels], weight, sides)
    worth = {name: float(value) for name, value in zip(names, found / widths, strict=True)}
    return {"bias": bias - float((found / widths * centres).sum()), **worth}


def _descend(
    columns: np.ndarray, target: Sequence[float], weight: Sequence[float], signs: Sequence[int]
) -> tuple[np.ndarray, float]:
    """Newton steps over the weights that may move, each kept on its side of nought."""
    x = np.column_stack([np.ones(len(target)), columns])
    y, w = np.array(target), np.array(weight)
    side = np.array([0, *signs])
    ridge = np.array([0.0, *[RIDGE] * columns.shape[1]])
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
    lines = ["[weights]", f'trained = "{weights.trained}"', f"band = [{weights.band[0]}, {weights.band[1]}]"]
    for title in ("issue", "here", "manner", "echo"):
        values = getattr(weights, title)
        kept = {name: round(value, 3) for name, value in values.items() if round(value, 3)}
        lines += ["", f"[weights.{title}]", *(f'"{name}" = {value}' for name, value in kept.items())]
    return "\n".join(lines) + "\n"


MARK = "# -- What the evidence is worth: written by bench/train_gate.py, not by hand "


def everything(shared: Path, pack: Pack, how: str = "truth") -> list[Example]:
    """All there is to learn from: labelled, public and own turns."""
    return labelled_examples(read(shared, how), pack, shared) + public_examples() + own_examples(pack)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, default=PROJECT.parent / "shared")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    pack = pack_of("en")
    assert pack is not None
    text = as_toml(fit(everything(options.shared, pack)))
    if options.write:
        path = building.PACKS / "en.toml"
        head = path.read_text("utf-8").split(MARK)[0].rstrip()
        path.write_text(f"{head}\n\n{MARK}{'-' * (120 - len(MARK))}\n\n{text}", "utf-8")
        building.write()
        return 0
    sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
