"""A session log's verdict: what is decided, what the calibration log gets, and what changes in the note.

Pure: the clock and the disk belong to the caller. ``judge`` counts and decides; ``plan`` says which session a note is,
which line the log should get, what the frontmatter should say, and why it does not say so yet. The verdict's ``id`` is
derived from session, counts, events and thresholds, so the same log has the same id on every machine, and a note that
carries it is up to date without a search of the log.
"""

from mdtally.session.judging import (
    Judgement,
    VerdictReport,
    is_declared,
    is_relevant,
    judge,
    name_of,
    names_our_keys,
    said,
    stale,
)
from mdtally.session.planning import Place, Plan, claim, doubled, plan
from mdtally.session.stored import VERDICTS, read_stored

__all__ = [
    "VERDICTS",
    "Judgement",
    "Place",
    "Plan",
    "VerdictReport",
    "claim",
    "doubled",
    "is_declared",
    "is_relevant",
    "judge",
    "name_of",
    "names_our_keys",
    "plan",
    "read_stored",
    "said",
    "stale",
]
