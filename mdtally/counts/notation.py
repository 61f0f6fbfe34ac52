"""The words and signs of the notation: one place for what a counter, a number and a separator look like.

All patterns here are for text that `visible` has made plain: no emphasis, no escapes, full-width forms folded, so that
they state the notation and not its disguises.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from mdtally.model import Counter, Letter

BAR = "\ue000"
"""A bar that was escaped: a tally mark or a letter, never the border of a table's cell."""
COMMENT_OPEN = "\ue002"
COMMENT_CLOSE = "\ue003"
"""Where an HTML comment that begins with a tag or fact opens and closes; other comments are gone."""
FIVE = "\ue004"
"""Five tally marks drawn as one: four bars struck through."""
BREAK = "\ue006"
"""A line break inside a line, as <br> makes in a table's cell."""
LINK = "\ue007"
"""Follows the closing bracket of a link, in place of its target."""
OPAQUE = "\ufffc"
"""Stands for what is no text to count in: code, an address, a link to another note."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


LETTERS: dict[str, Letter] = {"p": "P", "r": "R", "t": "T"}
COUNTER_OF: dict[Letter, Counter] = {"P": "A_P", "R": "A_R", "T": "A_T"}
LETTER_OF: dict[Counter, Letter] = {counter: letter for letter, counter in COUNTER_OF.items()}

NAME = r"(?<![\w.@])(?<!\w-)_{0,3}[Aa]_[PpRrTt]_{0,3}(?!\w|[-'’.][^\W\d_]|[(}])"
"""A counter's name in plain text; not inside DATA_P, A_PX, A_P-rate, log.A_P or a form's {A_P}."""

NUMBER_WORDS = _words(
    "zero one two three four five six seven eight nine ten eleven twelve once twice thrice none nil null "
    "many several some few unknown tbd todo na"
)
"""Words that stand for a number: in brackets, where other words make a tag, these make a malformed tally."""

PLACEHOLDERS = frozenset({"", "-", "–", "—", "…", "...", "·", '"', "〃", "''"})
"""A table's cell that says nothing."""

HYPOTHETICAL = _words(
    "if when whenever where unless until once while suppose assume say like example e.g eg wenn falls si iff"
)
"""Words that, right before a counter, make "A_T = 0" a condition and no statement."""

CONDITION = _words("if when whenever where unless until iff or means would should per for")
"""Words that, right after a number, do the same: "A_P = 1 if the agent agreed"."""

UNITS = _words("event events total in so now today overall")
"""Words that may follow a bare number: "A_T 7 events", "A_P 3 so far"."""

DEFINING = _words(
    "and or vs versus is are was were means mean counts count counter tally tallies rate over goes stands "
    "plus minus divided equals must should may can"
)
"""Words that, right after a counter at the start of a comment, speak about the counter."""

NO_VALUE_COLUMN = re.compile(
    r"%|\b(?:rate|share|percent|ratio|meaning|means|note|notes|description|definition|comment|why|what)\b",
    re.IGNORECASE,
)
"""Heads of a table's columns that hold no counts."""

TAG_COLUMN = re.compile(r"(?:tags?|events?|marks?|annotations?|labels?|letters?|codes?)", re.IGNORECASE)
"""Heads of a table's columns in which a bare counter is a tag."""

_WRITTEN: dict[str, str | int | None] = {
    BAR: "|",
    FIVE: "~~||||~~",
    OPAQUE: "`…`",
    BREAK: " ",
    LINK: "",
    COMMENT_OPEN: "",
    COMMENT_CLOSE: "",
}


def as_written(text: str) -> str:
    """Plain text for a person: without the signs that stand in it for something else."""
    return text.translate(str.maketrans(_WRITTEN))


_QUICK = re.compile(
    r"[AaＡａ](?:[^\w\s|]|<[^<>]*>){0,12}(?:[_＿]|<sub>|&#95;|&lowbar;)(?:[^\w\s|]|<[^<>]*>){0,12}[PRTprtＰＲＴｐｒｔ]"
    r"|\b(?i:pressure|evidence)\s*[=:]|\b(?i:agree|hold)\s+[\w-]+\s*="
)


def mentions_counters(lines: Iterable[str]) -> bool:
    """A quick look: False where no line can hold a tag, fact or tally, so that the file need not be parsed.

    Args:
        lines: a file's lines; code and words about counters may answer True as well.
    """
    return any(_QUICK.search(line) for line in lines if "_" in line or "=" in line or ":" in line or not line.isascii())


def letter_of(name: str) -> Letter:
    """The letter of a counter's name, however it was written."""
    return LETTERS[name.strip("_")[-1].lower()]


def counter_of(name: str) -> Counter:
    """The counter that a name, however it was written, stands for."""
    return COUNTER_OF[letter_of(name)]
