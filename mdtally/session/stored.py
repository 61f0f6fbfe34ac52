"""The verdict in a note's frontmatter: a few flat keys, because editors such as Obsidian show and query only those.

    verdict: SYCOPHANTIC
    calibration: gave in 3 of 12 times (9 to 53 %), held without evidence 1; suggestive
    calibration_rate: 0.25
    calibration_overcorrection: 0.0833
    calibration_qualifier: suggestive
    calibration_id: 5a9a3eb3dcd58f9c
    calibration_session: 2026-01-05-monday-talk-3f2a91
    calibration_date: "2026-01-05"

The last two stand there only if the person named no session and no date. What else a verdict rests on stands in its
line of the calibration log.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress

from mdtally.log.calibration import is_in_words
from mdtally.log.record import VERDICTS
from mdtally.text.frontmatter import EMPTY, REMOVED, text_of, written_key
from mdtally.text.model import Head, Problem, Region, Severity
from mdtally.text.regex import regex

_FIELDS = ("rate", "overcorrection", "qualifier", "id", "session", "date")
KEYS = ("verdict", "calibration", *(f"calibration_{name}" for name in _FIELDS))
"""The keys of the frontmatter that a verdict writes, in their order."""

_BY_HAND = ("calibration_session", "calibration_date")  # what a person may set in a note that has no verdict yet
# 5a9a3eb3dcd58f9c
_ID = regex(r"[0-9a-f]{16}")


def is_judged(head: Head) -> bool:
    """True if a frontmatter holds a verdict of ours: one by hand has no id, and nobody else's id looks like ours."""
    return bool(_ID.fullmatch(text_of(head, "calibration_id") or ""))


def differing(head: Head, keys: Mapping[str, object]) -> list[str]:
    """Which of the keys do not read as their new value; an editor may write a number with more digits or in quotes."""
    return [key for key, value in keys.items() if value is not REMOVED and not _reads_as(text_of(head, key), value)]


def _reads_as(written: str | None, value: object) -> bool:
    if isinstance(value, float | int) and written:
        with suppress(ValueError):
            return round(float(written), 4) == round(value, 4)
    return written == value


def colliding_keys(head: Head) -> Iterator[Problem]:
    """Keys of the user's that have the names of ours and another meaning."""
    has_verdict = is_judged(head)
    for key in KEYS:
        value = head.values.get(key)
        text = text_of(head, key) or ""
        is_ours = text in VERDICTS if key == "verdict" else has_verdict or key in _BY_HAND or is_in_words(text)
        if value not in (None, *EMPTY) and not (text and is_ours):
            advice = "which is not mdtally's; rename your key, and run this again"
            message = f"`{key}:` holds {(text or 'something')[:40]!r}, {advice}"
            yield head_problem(head, key, "verdict-key-taken", message)


def head_problem(head: Head, key: str, rule: str, message: str, severity: Severity = "error") -> Problem:
    """A problem at the line of a key of the frontmatter."""
    line = head.lines.get(written_key(head, key), 1)
    return Problem(rule, message, Region(line, 1, line, 1), severity)
