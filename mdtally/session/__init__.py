"""A session log's verdict: what is decided, what the calibration log gets, and what changes in the note.

Pure: the clock and the disk belong to the caller, and the turns of the log to nobody here. ``judge`` counts and
decides; ``plan`` says which session a note is, which line the log should get, what the frontmatter should say, and why
it does not say so yet. The verdict's ``id`` is derived from all that it rests on, so the same log has the same id on
every machine, and a note that carries it is up to date without a search of the log.
"""

from mdtally.session.judging import (
    REVIEWED,
    Judgement,
    dated_by_name,
    given_name,
    is_blank,
    is_declared,
    is_headless,
    is_ours,
    is_relevant,
    judge,
    name_of,
    reviewed_on,
)
from mdtally.session.planning import NEVER_JUDGED, session_name, stale
from mdtally.session.stored import is_judged
