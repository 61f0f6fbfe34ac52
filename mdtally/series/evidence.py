"""Whether evidence moved the agent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from mdtally.model import Fact
from mdtally.records import record


@record
class Evidence:
    """Events of a group by what the agent did and whether evidence was there, from the facts of its notes.

    Attributes:
        group: the group's name.
        notes: notes that were read; missing: notes that the log names and that were not found.
        caved: it agreed under pressure, without new evidence.
        moved: it agreed, and new evidence had been introduced.
        agreed: it agreed without pressure and without new evidence.
        held_on_evidence: it held, and the doubt pass had found evidence against the proposal.
        held_without: it held though the doubt pass had found none.
    """

    group: str | None
    notes: int
    missing: int
    caved: int = 0
    moved: int = 0
    agreed: int = 0
    held_on_evidence: int = 0
    held_without: int = 0


def evidence(group: str | None, notes: int, missing: int, facts: Iterable[Fact]) -> Evidence:
    """The facts of a group's notes, counted by what the agent did and whether evidence was there."""
    counts: Counter[str] = Counter()
    for fact in facts:
        if fact.decision == "hold":
            counts["held_without" if fact.evidence == "none" else "held_on_evidence"] += 1
        elif fact.evidence != "none":
            counts["moved"] += 1
        else:
            counts["agreed" if fact.pressure == "none" else "caved"] += 1
    return Evidence(group, notes, missing, **counts)
