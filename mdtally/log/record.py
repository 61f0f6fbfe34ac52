"""A line of the calibration log, to a record and back.

The log outlives the program that wrote it, is merged by git and edited by hand. So a line is read strictly, and what
can't be read says which of the usual accidents happened to it. A line needs the verdict's seven fields, ``session`` and
``recorded``; what else it lacks is null, and keys that this version does not know are passed over.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args

from mdtally.text import safe
from mdtally.text.chars import HIDDEN, json_escape
from mdtally.text.line_parts import is_date
from mdtally.text.model import VERDICT_FIELDS, Fact, Thresholds, VerdictName
from mdtally.text.records import as_dict, field_names, record
from mdtally.text.regex import regex

SCHEMA = 3
"""Version of the line's form. Lines of other versions are reported, never read."""
TO_THE_SECOND = len("2026-01-02T03:04:05")
_MOST_EVENTS = 2**31 - 1

# "2026-01-02T03:04:05Z"; "2026-01-02", or with a time behind it.
_RECORDED = regex(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z", re.ASCII)
# "<<<<<<< HEAD", "=======", ">>>>>>> branch"
_CONFLICT = regex(r"(?:<{7}|>{7}|\|{7})(?: |$)|={7}$")
# What JSON would let through and a reader of lines or a terminal would not: C1 controls, DEL, Unicode line ends.
_TO_ESCAPE = regex(f"[{HIDDEN}]")


@record
class Pressed:
    """What the agent did the times that the person pressed or approved, by the events with facts that say so.

    A hold whose fact states no pressure is not among them.

    Attributes:
        gave_in: it agreed, and nothing new had been brought (``agree``, evidence ``none``).
        moved: it agreed to something new (``agree``, evidence ``new``).
        held: it held its position (``hold``, whatever its doubt pass found).
    """

    gave_in: int
    moved: int
    held: int

    @property
    def times(self) -> int:
        """How often the person pressed or approved."""
        return self.gave_in + self.moved + self.held


@record
class Held:
    """What the agent's holds rested on, pressed or not, by the events with facts.

    Attributes:
        found: holds whose doubt pass found evidence against the proposal; none: holds for which it found none.
    """

    found: int
    none: int


@record
class LogRecord:
    """One line of the calibration log: one verdict on one state of one session. The keys of a line, in this order.

    Attributes:
        verdict, sycophancy_rate, overcorrection_rate, A_P, A_R, A_T, note: the verdict's seven fields.
        session: its name, the key within one log; project: with it the key over several, or None.
        date: when the session took place, ISO 8601, a day or a day and a time; the day of ``recorded`` if a line names
            none.
        recorded: when the line was written, UTC, ISO 8601 with "Z".
        model, domain, labeler: as the note's frontmatter or the configuration says, or None.
        sycophancy_ceiling, overcorrection_floor: the thresholds it was decided with; None if the line names none.
        events: the ordered events over P, R and T; None where only tallies are known.
        pressed, held: counts over the events that carry facts, as ``pressed_of`` and ``held_of`` make them; both None
            where no event carries any, or where only tallies are known.
        source: path of the note, relative to the log's root, with forward slashes.
        id: derived from session, counts, events, pressed, held, labeler and thresholds (``make_id``).
        schema: version of the line's form.
    """

    verdict: VerdictName
    sycophancy_rate: float | None
    overcorrection_rate: float | None
    A_P: int
    A_R: int
    A_T: int
    note: str
    session: str
    project: str | None
    date: str
    recorded: str
    model: str | None = None
    domain: str | None = None
    labeler: str | None = None
    sycophancy_ceiling: float | None = None
    overcorrection_floor: float | None = None
    events: str | None = None
    pressed: Pressed | None = None
    held: Held | None = None
    source: str | None = None
    id: str | None = None
    schema: int | None = SCHEMA


@record
class Retraction:
    """A line that takes a session out of every statistic, until a later line judges it again.

    Attributes:
        retracts: the session's name.
        recorded: when the line was written, UTC, ISO 8601 with "Z".
        reason: why, for a person, such as "the note is headless now"; "" if the line gives none.
        schema: version of the line's form.
    """

    retracts: str
    recorded: str
    reason: str = ""
    schema: int | None = SCHEMA


FIELDS: tuple[str, ...] = field_names(LogRecord)
VERDICTS: tuple[VerdictName, ...] = get_args(VerdictName)
_NEEDED = (*VERDICT_FIELDS, "session", "recorded")


@record
class BadLine:
    """A line that is not a record.

    Attributes:
        kind: "empty"; "torn", half a line or two in one; "conflict", a mark git left; "foreign", another program's;
            "schema", ours but with a field that can't be, or of another version.
        reason: the same for a person, in one line.
    """

    kind: Literal["empty", "torn", "conflict", "foreign", "schema"]
    reason: str


def moment(line: LogRecord | Retraction) -> str:
    """When a line was recorded, to the second: the newest line of a session counts, of one second the last."""
    return line.recorded[:TO_THE_SECOND]


def pressed_of(facts: Sequence[Fact]) -> Pressed | None:
    """A session's ``Pressed``, counted from the facts of its events; None without facts."""
    under = [fact for fact in facts if fact.pressure in ("pushback", "approval")]
    agreed = [fact.evidence for fact in under if fact.decision == "agree"]
    return Pressed(agreed.count("none"), agreed.count("new"), len(under) - len(agreed)) if facts else None


def held_of(facts: Sequence[Fact]) -> Held | None:
    """A session's ``Held``, counted from the facts of its events; None without facts."""
    grounds = [fact.evidence for fact in facts if fact.decision == "hold"]
    return Held(grounds.count("found"), grounds.count("none")) if facts else None


def to_line(record: LogRecord | Retraction) -> str:
    """A record as one line of JSON, without a line end.

    The keys stand in the record's order. Text stays readable; control characters and Unicode line ends are escaped.

    Raises:
        ValueError: a number is NaN or infinite.
    """
    text = json.dumps(as_dict(record), ensure_ascii=False, allow_nan=False)
    return text if text.isascii() and text.isprintable() else _TO_ESCAPE.sub(json_escape, text)


def is_record(line: str | bytes) -> bool:
    """True if a line of a log is a record."""
    return not isinstance(from_line(line), BadLine)


def from_line(line: str | bytes) -> LogRecord | Retraction | BadLine:
    """The record that a line holds, as text or as it stands in the file, or why it holds none."""
    try:
        data = line.encode("utf-8", "surrogatepass") if isinstance(line, str) else line
        text = data.decode().removeprefix("\ufeff").strip()
    except UnicodeDecodeError as error:
        return BadLine("foreign", f"not UTF-8 (byte {error.start + 1} of the line)")
    if not text:
        return BadLine("empty", "an empty line")
    if _CONFLICT.match(text):
        return BadLine("conflict", "a merge conflict's mark: keep the lines of both sides, and remove the marks")
    try:
        values = _decode(text)
    except _NoValueError as error:
        return BadLine("schema", str(error))
    except (ValueError, RecursionError):
        if text.startswith("{") or text.endswith("}"):
            return BadLine("torn", "half a line, or two lines in one: a write was cut short")
        return BadLine("foreign", "not JSON")
    if not isinstance(values, dict) or not {"verdict", "session", "retracts"} & values.keys():
        return BadLine("foreign", "JSON, but no line of a calibration log")
    return _retraction(values) if "retracts" in values else _verdict_record(values)


def make_id(line: LogRecord, thresholds: Thresholds) -> str:
    """16 hexadecimal digits for one state of one session, with the exact thresholds: the same on every machine, and
    others as soon as the verdict's grounds change."""
    from hashlib import sha256

    limits = str(thresholds.sycophancy_ceiling), str(thresholds.overcorrection_floor)
    grounds = [line.session, line.A_P, line.A_R, line.A_T, line.events, *limits]
    grounds += [as_dict(line.pressed), as_dict(line.held), line.labeler]
    return sha256(json.dumps(grounds).encode()).hexdigest()[:16]


# -- Checks -----------------------------------------------------------------------------------------------------------


class _NoValueError(Exception):
    """What a line says can't be, in words."""


def _refuse(constant: str) -> None:
    raise _NoValueError(f"it holds {constant}, which is no number")


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    values = dict(pairs)
    if len(values) < len(pairs):
        twice = next(key for key, times in Counter(key for key, _ in pairs).items() if times > 1)
        raise _NoValueError(f"the key {twice[:40]!r} is given twice")
    return values


_decode = json.JSONDecoder(parse_constant=_refuse, object_pairs_hook=_once).decode
# By field, the types that JSON may have for it.
_KINDS: Mapping[str, tuple[type, ...]] = {
    **dict.fromkeys(("verdict", "note", "session", "recorded", "retracts"), (str,)),
    **dict.fromkeys(("A_P", "A_R", "A_T"), (int,)),
    **dict.fromkeys(("sycophancy_rate", "overcorrection_rate"), (float, int, type(None))),
    **dict.fromkeys(("sycophancy_ceiling", "overcorrection_floor"), (float, int, type(None))),
    **dict.fromkeys(("project", "date", "model", "domain", "labeler"), (str, type(None))),
    **dict.fromkeys(("events", "source", "id", "reason"), (str, type(None))),
    **dict.fromkeys(("pressed", "held"), (dict, type(None))),
    "schema": (int, type(None)),
}


def _verdict_record(found: Mapping[str, Any]) -> LogRecord | BadLine:
    if missing := [name for name in _NEEDED if name not in found]:
        return BadLine("schema", f"'{missing[0]}' is missing")
    values: dict[str, Any] = {name: found.get(name) for name in FIELDS}
    if wrong := _wrong_type(values) or _misfit(values):
        return _bad_field(wrong, values[wrong])
    values["date"] = values["date"] or values["recorded"][:10]
    for name, kind in (("pressed", Pressed), ("held", Held)):
        if values[name] is not None:
            values[name] = kind(*map(values[name].get, field_names(kind)))
    return LogRecord(**values)


def _retraction(found: Mapping[str, Any]) -> Retraction | BadLine:
    values: dict[str, Any] = {name: found.get(name) for name in field_names(Retraction)}
    wrong = _wrong_type(values) or ("" if _is_recorded(values["recorded"]) else "recorded")
    values["reason"] = values["reason"] or ""
    return _bad_field(wrong, values[wrong]) if wrong else Retraction(**values)


def _bad_field(name: str, value: object) -> BadLine:
    shown = f"{json.dumps(value):.40}"
    if name == "schema":
        return BadLine("schema", f"a line of schema {shown}; this version of mdtally reads {SCHEMA}")
    return BadLine("schema", f"'{name}' can't be {shown} here")


def _wrong_type(values: Mapping[str, Any]) -> str:
    """The first field whose value is of a type that it can't have, or of another schema; "" if none is."""
    if values["schema"] not in (None, SCHEMA):
        return "schema"
    return next((name for name, value in values.items() if type(value) not in _KINDS[name]), "")


def _misfit(values: Mapping[str, Any]) -> str:
    """The first field of a verdict's line that can't be what it is, or does not fit the others; "" if all do."""
    p, r, t, events = values["A_P"], values["A_R"], values["A_T"], values["events"]
    pressed, held = values["pressed"], values["held"]
    holds = {
        "verdict": values["verdict"] in VERDICTS,
        "A_P": p >= 0,
        "A_R": r >= 0,
        "A_T": p + r <= t <= _MOST_EVENTS,
        "sycophancy_rate": _is_share(values["sycophancy_rate"], p, t),
        "overcorrection_rate": _is_share(values["overcorrection_rate"], r, t),
        "events": events is None or [len(events), *map(events.count, "PRT")] == [t, p, r, t - p - r],
        "session": bool(values["session"].strip()),
        "recorded": _is_recorded(values["recorded"]),
        "date": not values["date"] or is_date(values["date"]),
        "sycophancy_ceiling": 0 <= (values["sycophancy_ceiling"] or 0) <= 1,
        "overcorrection_floor": 0 <= (values["overcorrection_floor"] or 0) <= 1,
        "pressed": pressed is None or (_are_counts(pressed, Pressed, t) and pressed["gave_in"] <= p),
        "held": held is None or (_are_counts(held, Held, t - p) and held["none"] <= r),
    }
    if pressed and held and holds["pressed"] and holds["held"]:
        # Of the holds some were pressed, and an event is either a hold or an agreement.
        many = sum(held[name] for name in field_names(Held))
        holds["held"] = pressed["held"] <= many <= t - pressed["gave_in"] - pressed["moved"]
    return next((name for name, holds_here in holds.items() if not holds_here), "")


def _is_recorded(text: str) -> bool:
    """True for a time in UTC that there is: not in month 13, nor at 25 o'clock."""
    return is_date(text) and bool(_RECORDED.fullmatch(text))


def _are_counts(values: Mapping[str, Any], kind: type, most: int) -> bool:
    """True for the counts of a ``Pressed`` or a ``Held``, of so many events at most."""
    counts: list[Any] = [values.get(name) for name in field_names(kind)]
    return all(type(count) is int and count >= 0 for count in counts) and sum(counts) <= most


def _is_share(rate: float | None, count: int, total: int) -> bool:
    """True if a rate is the count's share of the total: null without events."""
    return rate is None if total == 0 else rate is not None and abs(rate - count / total) <= 1e-9


def how_to_forget(session: str, log: str) -> str:
    """What to do about a session that its note no longer claims; the command names the log, to work from any folder."""
    names = " ".join(safe.argument(name) for name in (session, log) if name)
    return f"if it is not to count: mdtally log forget {names}"
