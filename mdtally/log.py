"""A line of the calibration log, to a record and back.

The log outlives the program that wrote it, is merged by git and edited by hand. So a line is read strictly, and what
can't be read says which of the usual accidents happened to it. Keys that this version does not know are passed over.

``from_line`` takes the standard library; ``decoded``, for whole logs, msgspec, which checks the types as it reads: 2 µs
a line instead of ten, but 20 ms to import.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any, Literal, cast, get_args, get_type_hints

from mdtally.model import Thresholds, VerdictName
from mdtally.records import field_names, record
from mdtally.regex import regex

SCHEMA = 2
"""Version of the line's form. Schema 1 had neither ``project`` nor ``date``; its lines are read for ever."""
_MOST_EVENTS = 2**31 - 1

# "2026-01-02T03:04:05Z"; "2026-01-02", or with a time behind it.
_RECORDED = regex(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z", re.ASCII)
_DATE = regex(r"\d{4}-\d\d-\d\d(?:[T ][\d:.]{2,18}(?:Z|[+-]\d\d:?\d\d)?)?", re.ASCII)
_CONFLICT = regex(r"(?:<{7}|>{7}|\|{7})(?: |$)|={7}$")
# What JSON would let through and a reader of lines or a terminal would not: C1 controls, DEL, Unicode line ends.
_TO_ESCAPE = regex("[\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff]")


@record
class LogRecord:
    """One line of the calibration log: one verdict on one state of one session. The keys of a line, in this order.

    Attributes:
        verdict, sycophancy_rate, overcorrection_rate, A_P, A_R, A_T, note: the verdict's seven fields.
        session: its name, the key within one log; project: with it the key over several; None in lines of schema 1.
        date: when the session took place, ISO 8601, a day or a day and a time; "" stands for the day of ``recorded``.
        recorded: when the line was written, UTC, ISO 8601 with "Z".
        model, domain: as the note's frontmatter says, or None.
        sycophancy_ceiling, overcorrection_floor: the thresholds it was decided with.
        events: the ordered events over P, R and T; None where only tallies are known.
        source: path of the note, relative to the log's root, with forward slashes.
        id: derived from session, counts, events and thresholds.
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
    model: str | None
    domain: str | None
    sycophancy_ceiling: float
    overcorrection_floor: float
    events: str | None
    source: str
    id: str
    schema: int = SCHEMA


FIELDS: tuple[str, ...] = field_names(LogRecord)
_IF_MISSING = {"project": None, "date": "", "schema": SCHEMA}


@record
class BadLine:
    """A line that is no record.

    Attributes:
        kind: "empty"; "torn", half a line or two in one; "conflict", a mark git left; "foreign", another program's;
            "schema", ours but with a field that can't be, or of a newer version.
        reason: the same for a person, in one line.
    """

    kind: Literal["empty", "torn", "conflict", "foreign", "schema"]
    reason: str


def to_line(record: LogRecord) -> str:
    """A record as one line of JSON, without a line end.

    The keys stand in the record's order. Text stays readable; control characters and Unicode line ends are escaped.

    Raises:
        ValueError: a number is NaN or infinite.
    """
    values = {name: getattr(record, name) for name in FIELDS}
    if record.schema == 1:
        del values["project"], values["date"]
    else:
        values["date"] = record.date or record.recorded[:10]
    text = json.dumps(values, ensure_ascii=False, allow_nan=False)
    return _TO_ESCAPE.sub(lambda match: f"\\u{ord(match.group()):04x}", text)


def from_line(line: str | bytes) -> LogRecord | BadLine:
    """The record that a line holds, as text or as it stands in the file, or why it holds none."""
    try:
        text = (line.encode("utf-8", "surrogatepass") if isinstance(line, str) else line).decode("utf-8").strip()
    except UnicodeDecodeError as error:
        return BadLine("foreign", f"not UTF-8 (byte {error.start + 1} of the line)")
    if not text:
        return BadLine("empty", "an empty line")
    if _CONFLICT.match(text):
        return BadLine("conflict", "a merge conflict's mark: keep the lines of both sides, and remove the marks")
    try:
        # Unlike msgspec, it reads half characters, which paths that are not UTF-8 have.
        values = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        if text.startswith("{") or text.endswith("}"):
            return BadLine("torn", "half a line, or two lines in one: a write was cut short")
        return BadLine("foreign", "not JSON")
    if not isinstance(values, dict) or not {"verdict", "session"} & values.keys():
        return BadLine("foreign", "JSON, but no line of a calibration log")
    values = {**_IF_MISSING, **values}
    if missing := [name for name in FIELDS if name not in values]:
        return BadLine("schema", f"'{missing[0]}' is missing")
    if wrong := [name for name, kinds in _types().items() if type(values[name]) not in kinds]:
        return _bad_field(wrong[0], values[wrong[0]])
    if values["verdict"] not in get_args(VerdictName):
        return _bad_field("verdict", values["verdict"])
    if values["schema"] == 1:
        values["date"] = values["date"] or values["recorded"][:10]
    return _checked(LogRecord(**{name: values[name] for name in FIELDS}))


def decoded(line: bytes) -> LogRecord | BadLine:
    """The same for who reads a million lines: something with the record's attributes, or why there is nothing."""
    decode, known_errors = _decoder()
    try:
        # In a key that it does not know, msgspec passes over bytes that are no UTF-8.
        line.isascii() or line.decode()
        found = decode(line)
    except known_errors:
        return from_line(line)
    if found.schema == 1:
        found.date = found.date or found.recorded[:10]
    return _checked(found)


def make_id(session: str, counts: tuple[int, int, int], events: str | None, thresholds: Thresholds) -> str:
    """16 hexadecimal digits for one state of one session, with the exact thresholds: the same on every machine, and
    others as soon as the verdict's grounds change. ``counts`` are A_P, A_R and A_T."""
    try:
        # The standard library's own, which takes a tenth of the time that OpenSSL takes to load.
        from _sha256 import sha256  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        from hashlib import sha256

    grounds = [session, *counts, events, str(thresholds.sycophancy_ceiling), str(thresholds.overcorrection_floor)]
    return str(sha256(json.dumps(grounds).encode()).hexdigest()[:16])


# -- Checks -----------------------------------------------------------------------------------------------------------


@cache
def _decoder() -> tuple[Callable[[bytes], Any], tuple[type[Exception], ...]]:
    """What takes a line apart, and its errors."""
    import msgspec

    fields = [
        (name, kind, _IF_MISSING[name]) if name in _IF_MISSING else (name, kind)
        for name, kind in get_type_hints(LogRecord).items()
    ]
    decode = msgspec.json.Decoder(msgspec.defstruct("Line", fields, kw_only=True)).decode
    return decode, (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)


@cache
def _types() -> dict[str, tuple[object, ...]]:
    """By field, the types that JSON may have for it."""
    kinds = {name: get_args(kind) or (kind,) for name, kind in get_type_hints(LogRecord).items()}
    numbers = {name: (*parts, int) if float in parts else parts for name, parts in kinds.items()}
    return {**numbers, "verdict": (str,)}


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


def _bad_field(name: str, value: object) -> BadLine:
    newer = " (a newer mdtally wrote it)" if name == "schema" else ""
    return BadLine("schema", f"'{name}' can't be {json.dumps(value):.40} here{newer}")


def _checked(found: Any) -> LogRecord | BadLine:
    """The record, where its fields fit each other; their types are right."""
    name = _misfit(found.A_P, found.A_R, found.A_T, found.sycophancy_rate, found.overcorrection_rate, found.events)
    name = name or _misset(found.schema, found.date, found.sycophancy_ceiling, found.overcorrection_floor)
    if not _RECORDED.fullmatch(found.recorded):
        name = name or "recorded"
    return _bad_field(name, getattr(found, name)) if name else cast("LogRecord", found)


# Both give the first field that can't be, or "". What they look at repeats, so most lines of a long log are looked up.
@lru_cache(maxsize=1 << 14)
def _misfit(p: int, r: int, t: int, sycophancy: float | None, over: float | None, events: str | None) -> str:
    rest = t - p - r
    holds = {
        "A_P": p >= 0,
        "A_R": r >= 0,
        "A_T": rest >= 0 and t <= _MOST_EVENTS,
        "sycophancy_rate": _is_share(sycophancy, p, t),
        "overcorrection_rate": _is_share(over, r, t),
        "events": events is None or (len(events), *map(events.count, "PRT")) == (t, p, r, rest),
    }
    return next((name for name, holds_here in holds.items() if not holds_here), "")


@lru_cache(maxsize=1 << 14)
def _misset(schema: int, date: str, ceiling: float, floor: float) -> str:
    holds = {
        "schema": schema in (1, SCHEMA),
        "date": schema == 1 or _DATE.fullmatch(date),
        "sycophancy_ceiling": 0 <= ceiling <= 1,
        "overcorrection_floor": 0 <= floor <= 1,
    }
    return next((name for name, holds_here in holds.items() if not holds_here), "")


def _is_share(rate: float | None, count: int, total: int) -> bool:
    """True where a rate is the count's share of the total: null without events."""
    if rate is None or total == 0:
        return rate is None and total == 0
    return 0 <= rate <= 1 and abs(rate - count / total) <= 1e-9
