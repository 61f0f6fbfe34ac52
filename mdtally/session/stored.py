"""The verdict in a note's frontmatter: flat keys, or one mapping; both are read, one is written.

Flat is the default, because editors such as Obsidian show and query only single keys. Version 0.1.0 wrote a mapping,
without session, source and date.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Literal, get_args

from mdtally.frontmatter import REMOVED
from mdtally.log import make_id
from mdtally.model import Counts, Head, Problem, Region, Severity, Verdict, VerdictName
from mdtally.records import record
from mdtally.regex import regex

VERDICTS: tuple[VerdictName, ...] = get_args(VerdictName)
Layout = Literal["flat", "nested"]

_EMPTY = ("", "null", "~")
# A day, or a day and a time: "2026-01-02", "2026-01-02 10:30", "2026-01-02T10:30:00+02:00".
_DATE = regex(r"\d{4}-\d\d-\d\d(?:[T ][\d:.]{2,18}(?:Z|[+-]\d\d:?\d\d)?)?", re.ASCII)
_ID = regex(r"[0-9a-f]{16}")

# Each value: the end of its flat key, and its key in the mapping.
FIELDS: Mapping[str, str] = {
    "rate": "sycophancy_rate",
    "overcorrection": "overcorrection_rate",
    "p": "A_P",
    "r": "A_R",
    "t": "A_T",
    "note": "note",
    "qualifier": "qualifier",
    "ceiling": "sycophancy_ceiling",
    "floor": "overcorrection_floor",
    "session": "session",
    "source": "source",
    "date": "date",
    "recorded": "recorded",
    "id": "id",
}
# What 0.1.0 wrote beside these.
_INTERVALS = frozenset({"interval", "overcorrection_interval"})
# What a person may set in a note that has no verdict yet.
_BY_HAND = ("session", "source", "date", "recorded")


@record
class Stored:
    """The verdict that a frontmatter holds.

    Attributes:
        verdict: the word in ``verdict:``.
        values: what stands beside it, as written, by the names of ``FIELDS``; a null is "".
        is_old: True if version 0.1.0 wrote it: it names neither session nor place.
    """

    verdict: str
    values: Mapping[str, str]
    is_old: bool = False

    def __getitem__(self, name: str) -> str:
        """A value as written; "" if there is none."""
        return self.values.get(name, "")

    def differs(self, name: str, value: object) -> bool:
        """True if a value is there and another one, however it is written: ``0.2``, ``0.20`` and ``"0.2"`` are one."""
        written = self.values.get(name)
        if written is None or value is None:
            return bool(written)
        if isinstance(value, int | float):
            with suppress(ValueError):
                # Rates stand there with four digits; 0.1.0 wrote all of them.
                return round(float(written), 4) != round(value, 4)
        return written != str(value)


def read_stored(head: Head) -> Stored | None:
    """The verdict in a frontmatter, in either layout; None if there is none of ours (one by hand has no id)."""
    values = head.values
    verdict = text_of(values, "verdict") or ""
    if _is_judged(values):
        keys = {name: f"calibration_{name}" for name in FIELDS}
        return Stored(verdict, {name: text_of(values, key) or "" for name, key in keys.items() if key in values})
    nested = values.get("calibration")
    if not isinstance(nested, Mapping) or not _is_ours(nested):
        return None
    found = {name: text_of(nested, key) or "" for name, key in FIELDS.items() if key in nested}
    return Stored(verdict, found, is_old="session" not in found and "source" not in found)


def fields_of(verdict: Verdict) -> dict[str, object]:
    """What the frontmatter says of a verdict beside its name, by the names of ``FIELDS``."""
    rates = (verdict.sycophancy_rate, verdict.overcorrection_rate)
    values = (
        *(None if rate is None else round(rate, 4) for rate in rates),
        *(verdict.A_P, verdict.A_R, verdict.A_T, verdict.note, verdict.qualifier),
        *(float(verdict.thresholds.sycophancy_ceiling), float(verdict.thresholds.overcorrection_floor)),
    )
    return dict(zip(FIELDS, values, strict=False))


def identifier(session: str, verdict: Verdict, counts: Counts) -> str:
    """The id of this state of a session."""
    return make_id(session, (verdict.A_P, verdict.A_R, verdict.A_T), counts.letters, verdict.thresholds)


def changes(stored: Stored, verdict: Verdict, counts: Counts, session: str) -> list[str]:
    """What differs between the verdict in a frontmatter and the log's, in words; values are compared, not bytes.

    Args:
        stored: the verdict in the frontmatter.
        verdict: the log's.
        counts: what it rests on.
        session: its session; "" if it is not known, and neither is its id then.
    """
    now = fields_of(verdict)
    now |= {"session": session, "id": identifier(session, verdict, counts)} if session else {}
    differ = [name for name, value in now.items() if stored.differs(name, value)]
    found = []
    if stored.verdict != verdict.verdict:
        found.append(f"the frontmatter says {stored.verdict or 'nothing'}, the counts say {verdict.verdict}")
    grounds = []
    if counters := [f"A_{name.upper()} {stored[name]} to {now[name]}" for name in ("p", "r", "t") if name in differ]:
        lines = [one.region.line for one in counts.events or counts.tallies]
        last = f" (the last in line {max(lines)})" if lines else ""
        grounds.append(f"counts changed: {', '.join(counters)}{last}")
    if limits := [f"{name} {stored[name]} to {now[name]}" for name in ("ceiling", "floor") if name in differ]:
        grounds.append(f"thresholds changed: {', '.join(limits)}")
    if "session" in differ:
        grounds.append(f"the session's name changed: {stored['session']} to {session}")
    if grounds:
        return found + grounds
    # The rest follows from what was compared, so it is only told where that is the same.
    if "id" in differ:
        found.append("the events or their order changed")
    if others := [name for name in ("rate", "overcorrection", "note", "qualifier") if name in differ]:
        found.append(f"other values than the counts give: {', '.join(others)}")
    # TOML has no null: a rate that is none is not there.
    missing = [name for name in FIELDS if name not in stored.values and now.get(name, "") is not None]
    if missing and session and not stored.is_old:
        found.append(f"missing: {', '.join(missing)}")
    return found


def updates(head: Head, layout: Layout, verdict: str, fields: Mapping[str, object]) -> dict[str, object]:
    """The frontmatter's keys and new values for a verdict; the keys of the other layout go.

    Args:
        head: the frontmatter as it is.
        layout: the one to write.
        verdict: the word.
        fields: by the names of ``FIELDS``.
    """
    flat = {f"calibration_{name}": fields.get(name) for name in FIELDS}
    if layout == "flat":
        gone = {"calibration": REMOVED} if _is_ours(head.values.get("calibration")) else {}
        return {"verdict": verdict, **gone, **flat}
    gone = {key: REMOVED for key in flat if key in head.values}
    return {"verdict": verdict, **gone, "calibration": {key: fields.get(name) for name, key in FIELDS.items()}}


def taken(head: Head) -> list[Problem]:
    """Keys of the user's that have the names of ours and another meaning."""
    values, found = head.values, []
    if values.get("verdict") not in (None, *_EMPTY, *VERDICTS):
        found.append("verdict")
    if values.get("calibration") not in (None, *_EMPTY, {}) and not _is_ours(values["calibration"]):
        found.append("calibration")
    # Text in these keys is ours beside an id of ours; without one there is no reason for any but what a person may set.
    ours = FIELDS if _is_judged(values) else _BY_HAND
    for name in FIELDS:
        value = values.get(key := f"calibration_{name}")
        if value not in (None, *_EMPTY) and not (name in ours and isinstance(value, str)):
            found.append(key)
    shown = {key: value if isinstance(value := values[key], str) else "something" for key in found}
    advice = "which is not mdtally's; rename your key, and run this again"
    return [
        head_problem(head, key, "verdict-key-taken", f"`{key}:` holds {value[:40]!r}, {advice}")
        for key, value in shown.items()
    ]


def head_problem(head: Head, key: str, rule: str, message: str, severity: Severity = "error") -> Problem:
    """A problem at the line of a key of the frontmatter."""
    line = head.lines.get(key, 1)
    return Problem(rule, message, Region(line, 1, line, 1), severity)


def is_date(text: str) -> bool:
    """True for a day, or a day and a time, of the calendar, that sorts as it stands."""
    from datetime import date

    with suppress(ValueError):
        return bool(_DATE.fullmatch(text) and date.fromisoformat(text[:10]))
    return False


def text_of(values: Mapping[str, object], key: str) -> str | None:
    """A value of a frontmatter as text, None for one that is empty, null, a list or a mapping."""
    value = values.get(key)
    return value.strip() if isinstance(value, str) and value.strip() not in _EMPTY else None


def _is_judged(values: Mapping[str, object]) -> bool:
    """True if flat keys hold a verdict of ours: it has an id, and nobody else's looks like that."""
    return bool(_ID.fullmatch(text_of(values, "calibration_id") or ""))


def _is_ours(calibration: object) -> bool:
    """True for a mapping of ours and of nothing else: a key of the user's inside it would be lost."""
    return isinstance(calibration, Mapping) and {"id", "A_T"} <= set(calibration) <= {*FIELDS.values(), *_INTERVALS}
