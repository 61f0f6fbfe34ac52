"""How well the dialogues of a set are read back, declared and undeclared: the same measure for every set."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from common import Dialogue, Table, bare, heading, inline, lay_out, run, shown_rate

FORMS = (inline, heading, bare)
OUTCOMES = ("exact", "unsure", "wrong")


def tables(name: str, dialogues: Sequence[Dialogue], work: Path) -> list[Table]:
    """One row over all forms of labels, for the table that all sets share.

    A dialogue is read exactly (each turn begins where it was laid out), or said to be unsure, or wrong without that.
    """
    pooled = []
    for declared in (True, False):
        hits: dict[str, list[tuple[int, bool]]] = {outcome: [] for outcome in OUTCOMES}
        for form in FORMS:
            laid = lay_out(dialogues, work / f"{name}-{declared}-{form.__name__}", form, declared=declared)
            for number, (file, found) in enumerate(sorted(run(laid, "turns").items())):
                exact = [turn["line"] for turn in found["turns"]] == laid.lines[file]
                unsure = found["reading"] in ("unsure", "none")
                outcome = "unsure" if unsure else "exact" if exact else "wrong"
                for key in OUTCOMES:
                    hits[key].append((number, key == outcome))
        pooled.append([shown_rate(found).partition(",")[0] for found in hits.values()])
    turns = sum(len(dialogue.turns) for dialogue in dialogues)
    size = f"{len(dialogues):,} dialogues, {turns:,} turns"
    return [
        Table(
            f"{name}.reading",
            "Read back, over three forms of labels (`**Me:** text`, `### Me`, `Me: text`)",
            ("", "voices declared", "not declared", "said to be unsure", "wrong, and not said so"),
            ((f"{name}: {size}", pooled[0][0], *pooled[1]),),
        ),
    ]
