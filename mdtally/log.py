"""A line of the calibration log, to a record and back.

The log outlives the program that wrote it, is merged by git and edited by hand. So a line is read strictly, and what
can't be read says which of the usual accidents happened to it; statistics then leave it out and say so, instead of
counting half a line. Keys that this version does not know are passed over: a later one may add some to the same schema.

``from_line`` reads a line by the standard library and says what is wrong with it. Who reads a whole log takes
``decoded``: msgspec checks the types as it reads, 2 µs a line instead of ten, but takes 20 ms to import.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache, lru_cache
from types import NoneType
from typing import Any, Literal, cast, get_args, get_type_hints

from mdtally.model import Thresholds, VerdictName
from mdtally.records import field_names, record
from mdtally.regex import regex

SCHEMA = 2
"""Version of the line's form. Schema 1 had neither ``project`` nor ``date``; its lines are read for ever."""
_MOST_EVENTS = 2**31 - 1

# The time a line was recorded, and the day (or day and time) of its session: "2026-01-02T03:04:05Z", "2026-01-02".
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
        session: its name, the key within one log.
        project: the project it belongs to, which together with the session is the key over several logs; None in lines
            of schema 1.
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
    for name, kinds in _types().items():
        if name not in values:
            return BadLine("schema", f"'{name}' is missing")
        value = values[name]
        if isinstance(value, bool) or not isinstance(value, kinds):
            wanted = " or ".join(map(_named, kinds))
            return BadLine("schema", f"'{name}' is {_named(type(value))}, where {wanted} belongs")
    if values["verdict"] not in get_args(VerdictName):
        return BadLine("schema", "'verdict' is none of the four verdicts")
    if values["schema"] == 1:
        values["date"] = values["date"] or values["recorded"][:10]
    found = LogRecord(**{name: values[name] for name in FIELDS})
    fault = _fault(found)
    return BadLine("schema", fault) if fault else found


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
    fault = _fault(found)
    return BadLine("schema", fault) if fault else cast("LogRecord", found)


def make_id(session: str, counts: tuple[int, int, int], events: str | None, thresholds: Thresholds) -> str:
    """The id of one state of one session: the same on every machine, and another one as soon as the verdict's
    grounds change.

    Args:
        session: its name.
        counts: A_P, A_R and A_T.
        events: the ordered events over P, R and T; None where only tallies are known.
        thresholds: the exact thresholds.

    Returns:
        16 hexadecimal digits.
    """
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
def _types() -> dict[str, tuple[type, ...]]:
    """By field, the types that JSON may have for it."""
    plain: dict[str, tuple[type, ...]] = {"verdict": (str,), "schema": (int,)}
    for name, kind in get_type_hints(LogRecord).items():
        parts = get_args(kind) or (kind,)
        plain.setdefault(name, (*parts, int) if float in parts else parts)
    return plain


def _named(kind: type) -> str:
    return {str: "a text", int: "a whole number", float: "a number", NoneType: "null"}.get(kind, "something else")


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


def _fault(found: LogRecord) -> str:
    """What can't be in a record whose types are right; "" where nothing is wrong."""
    rates = found.sycophancy_rate, found.overcorrection_rate
    return (
        _fault_of_counts(found.A_P, found.A_R, found.A_T, *rates, found.events)
        or ("" if _RECORDED.fullmatch(found.recorded) else "'recorded' is not a UTC time such as 2026-01-02T03:04:05Z")
        or _fault_of_the_rest(found.schema, found.date, found.sycophancy_ceiling, found.overcorrection_floor)
    )


# Both repeat from line to line, so most lines of a long log are looked up.
@lru_cache(maxsize=1 << 14)
def _fault_of_counts(
    progressive: int, regressive: int, total: int, sycophancy: float | None, over: float | None, events: str | None
) -> str:
    if not (0 <= progressive and 0 <= regressive and 0 <= total <= _MOST_EVENTS):
        name = "A_P" if progressive < 0 else "A_R" if regressive < 0 else "A_T"
        return f"'{name}' is not a count"
    if progressive + regressive > total:
        return "A_P + A_R is more than A_T"
    if not _fits(sycophancy, progressive, total):
        return "'sycophancy_rate' does not fit the counts"
    if not _fits(over, regressive, total):
        return "'overcorrection_rate' does not fit the counts"
    if events is None:
        return ""
    if (events.count("P"), events.count("R"), len(events)) != (progressive, regressive, total):
        return "'events' does not fit the counts"
    if events.count("T") != total - progressive - regressive:
        return "'events' holds other letters than P, R and T"
    return ""


@lru_cache(maxsize=1 << 14)
def _fault_of_the_rest(schema: int, date: str, ceiling: float, floor: float) -> str:
    if schema not in (1, SCHEMA):
        newer = schema > SCHEMA
        return f"schema {schema!r:.40}, written by a newer mdtally" if newer else "'schema' is 1 or 2"
    if schema > 1 and not _DATE.fullmatch(date):
        return "'date' is not a day such as 2026-01-02"
    if not 0 <= ceiling <= 1:
        return "'sycophancy_ceiling' is not a number from 0 to 1"
    if not 0 <= floor <= 1:
        return "'overcorrection_floor' is not a number from 0 to 1"
    return ""


def _fits(rate: float | None, count: int, total: int) -> bool:
    """True where a rate is the count's share of the total: null without events."""
    if rate is None or total == 0:
        return rate is None and total == 0
    return abs(rate - count / total) <= 1e-9
