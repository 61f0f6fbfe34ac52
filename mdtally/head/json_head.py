"""JSON heads: one object that opens the file, as Hugo reads it.

The standard decoder reads each value and says where it ends, so only the object's outermost level is walked here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from mdtally.head.common import HeadError, Lines, Splice, boolean, line_start, number, quoted, spliced, visible
from mdtally.head.common import written as _written
from mdtally.model import Source

KEEPS_NO_ORDER = False

_BLANK = re.compile(r"[ \t\r\n]*")

# What the standard decoder says -> what to say to a person.
ADVICE = (
    ("Expecting property name", "a key in double quotes has to stand here (no comma before a closing brace)"),
    ("Expecting ',' delimiter", "a comma or a closing bracket is missing before this place"),
    ("Expecting ':' delimiter", "a colon is missing after the key"),
    ("Expecting value", "a value is missing; text has to stand in double quotes"),
    ("Invalid control character", "a quote is not closed on its line, or a control character stands inside"),
    ("escape", "a backslash in quotes has to be doubled"),
)


@dataclass(frozen=True, slots=True)
class _Pair:
    """A top-level key and its value, with the offsets of both in the head."""

    key: str
    key_start: int
    key_end: int
    value: object
    start: int
    end: int


class _DuplicateKeyError(Exception):
    pass


def parse(source: Source) -> tuple[dict[str, object], dict[str, int]] | None:
    """The values and the lines of a head's top-level keys.

    Raises:
        HeadError: it is not valid JSON, or repeats a key.
    """
    lines = Lines(source.head)
    values: dict[str, object] = {}
    key_lines: dict[str, int] = {}
    for pair in _pairs(source.head):
        if pair.key in values:
            raise HeadError(pair.key_start, _twice(pair.key))
        values[pair.key] = _as_written(pair.value)
        key_lines[pair.key] = lines.line(pair.key_start)
    return values, key_lines


def edit(source: Source, updates: Mapping[str, object]) -> str:
    """The head with top-level keys set; see ``mdtally.head.edit``."""
    text = source.head
    pairs = _pairs(text)
    is_tall = bool(re.search(r"[\r\n]", text[: text.rindex("}")]))
    layout = _Layout(text, pairs, source.newline if is_tall else "")
    known = {pair.key: pair for pair in pairs}
    splices = [
        Splice(known[key].start, known[key].end, layout.value(value, layout.indent))
        for key, value in updates.items()
        if key in known and not _is_same(known[key].value, value)
    ]
    missing = [
        f"{layout.lead}{quoted(key)}{layout.colon}{layout.value(value, layout.indent)}"
        for key, value in updates.items()
        if key not in known
    ]
    if missing:
        at = pairs[-1].end if pairs else text.index("{") + 1
        comma = "," if is_tall else layout.comma
        splices.append(Splice(at, at, (comma if pairs else "") + comma.join(missing)))
    return spliced(text, splices)


def written(updates: Mapping[str, object]) -> dict[str, object]:
    """What the updates read back as."""
    return {key: _written(value) for key, value in updates.items()}


class _Layout:
    """How a head writes its pairs, so that new ones look like them."""

    def __init__(self, text: str, pairs: list[_Pair], newline: str) -> None:
        self.newline = newline
        self.indent = "  "
        self.colon = ": "
        self.comma = ", "
        if pairs:
            first = pairs[0]
            separator = text[first.key_end : first.start]
            self.colon = separator if separator.strip(" ") == ":" else ": "
            before = text[line_start(text, first.key_start) : first.key_start]
            self.indent = before if not before.strip() else "  "
        if len(pairs) > 1:
            between = text[pairs[0].end : pairs[1].key_start]
            self.comma = between if between.strip(" ") == "," else ", "
        self.lead = newline + self.indent if newline else ""

    def value(self, value: object, indent: str) -> str:
        """A value as text: mappings over several lines where the head is, all else on one line."""
        if isinstance(value, Mapping) and value and self.newline:
            deeper = indent + self.indent
            pairs = [
                f"{self.newline}{deeper}{quoted(str(key))}{self.colon}{self.value(item, deeper)}"
                for key, item in value.items()
            ]
            return "{" + ",".join(pairs) + self.newline + indent + "}"
        if isinstance(value, Mapping):
            pairs = [f"{quoted(str(key))}{self.colon}{self.value(item, indent)}" for key, item in value.items()]
            return "{" + self.comma.join(pairs) + "}"
        if isinstance(value, list | tuple):
            return "[" + self.comma.join(self.value(item, indent) for item in value) + "]"
        if value is None:
            return "null"
        if isinstance(value, bool):
            return boolean(value)
        if isinstance(value, int | float):
            return number(value)
        return quoted(str(_written(value)))


class _Number(str):
    """A number as it was written; a str of its own kind, so that 1 and "1" differ when an edit compares them."""

    __slots__ = ()


def _pairs(text: str) -> list[_Pair]:
    """The pairs of the object a text opens with, in order."""
    decoder = json.JSONDecoder(
        parse_float=_Number, parse_int=_Number, parse_constant=_Number, object_pairs_hook=_unique, strict=True
    )
    pairs: list[_Pair] = []
    at = _skip(text, text.index("{") + 1)
    if text[at : at + 1] == "}":
        return pairs
    while True:
        key_start = at
        if text[at : at + 1] != '"':
            raise HeadError(at, _explain("Expecting property name"))
        key, key_end = _decode(decoder, text, at)
        at = _skip(text, key_end)
        if text[at : at + 1] != ":":
            raise HeadError(at, _explain("Expecting ':' delimiter"))
        start = _skip(text, at + 1)
        value, end = _decode(decoder, text, start)
        pairs.append(_Pair(str(key), key_start, key_end, value, start, end))
        at = _skip(text, end)
        mark = text[at : at + 1]
        if mark == "}":
            return pairs
        if mark != ",":
            raise HeadError(at, _explain("Expecting ',' delimiter"))
        at = _skip(text, at + 1)


def _decode(decoder: json.JSONDecoder, text: str, at: int) -> tuple[object, int]:
    try:
        value, end = decoder.raw_decode(text, at)
    except json.JSONDecodeError as error:
        raise HeadError(error.pos, _explain(error.msg)) from None
    except _DuplicateKeyError as error:
        raise HeadError(at, _twice(str(error))) from None
    except RecursionError:
        raise HeadError(at, "the frontmatter is nested too deeply") from None
    return value, end


def _skip(text: str, at: int) -> int:
    match = _BLANK.match(text, at)
    return match.end() if match else at


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    values: dict[str, object] = {}
    for key, value in pairs:
        if key in values:
            raise _DuplicateKeyError(key)
        values[key] = value
    return values


def _explain(problem: str) -> str:
    advice = next((advice for words, advice in ADVICE if words.lower() in problem.lower()), problem)
    return f"the frontmatter is not valid JSON: {advice}"


def _twice(key: str) -> str:
    return f"the key '{visible(key)}' stands twice in the frontmatter; remove one of the two"


def _as_written(value: object) -> object:
    if isinstance(value, dict):
        return {key: _as_written(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_as_written(item) for item in value]
    return str(value) if isinstance(value, str) else _written(value)


def _is_same(old: object, new: object) -> bool:
    """True where a decoded value is a new one already, its type included."""
    if isinstance(new, Mapping):
        return (
            isinstance(old, dict)
            and old.keys() == new.keys()
            and all(_is_same(item, new[key]) for key, item in old.items())
        )
    if isinstance(new, list | tuple):
        return isinstance(old, list) and len(old) == len(new) and all(map(_is_same, old, new))
    if isinstance(new, bool) or new is None:
        return old is new
    if isinstance(new, int | float):
        return isinstance(old, _Number) and str(old) == number(new)
    return isinstance(old, str) and not isinstance(old, _Number) and old == new
