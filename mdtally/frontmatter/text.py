"""What the syntaxes of frontmatter share: places, failures, and scalars as all of them write them."""

from __future__ import annotations

import json
import math
import re
from bisect import bisect_right
from collections.abc import Mapping
from typing import Final

from mdtally.model import Problem, Region, Source

REMOVED: Final = object()
"""As a new value: the key and its value go; comments beside them stay."""

_LINE_END = re.compile(r"\r\n|\r|\n")
# What a double-quoted string can't hold as it is in YAML or TOML, beyond what JSON escapes: DEL, the C1 controls, the
# Unicode line ends, a BOM, and what is no character.
_UNWRITABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


class HeadError(Exception):
    """A head that can't be read or changed: the offset into ``source.head``, and a sentence for a person."""

    def __init__(self, offset: int, message: str) -> None:
        super().__init__(message)
        self.offset = offset
        self.message = message


def line_starts(text: str) -> list[int]:
    """The offsets at which lines start: ``bisect_right(line_starts(text), offset)`` is the line of an offset."""
    return [0, *(match.end() for match in _LINE_END.finditer(text))]


def problem_at(source: Source, error: HeadError) -> Problem:
    """The problem that a failure is reported as, at its place in the file."""
    starts = line_starts(source.head)
    line = bisect_right(starts, error.offset)
    column = error.offset - starts[line - 1] + 1
    return Problem("invalid-frontmatter", error.message, Region(line, column, line, column))


def inner(head: str) -> tuple[int, int]:
    """Where the text between the two fences of a head starts and ends."""
    first = _LINE_END.search(head)
    start = first.end() if first else len(head)
    closing = head.rstrip(" \t\r\n")
    return start, max(start, max(closing.rfind("\n"), closing.rfind("\r")) + 1)


def visible(text: str) -> str:
    """A key as a message may show it: on one line, what can't be seen escaped, and not longer than a person reads."""
    text = "".join(c if c.isprintable() else c.encode("unicode_escape", "replace").decode() for c in text)
    return text if len(text) <= 100 else text[:97] + "..."


def doubled(key: str) -> str:
    """What is said of a key that a mapping has twice."""
    return f"the key '{visible(key)}' stands twice in the frontmatter; remove one of the two"


def toml_fault(error: Exception, text: str) -> tuple[int, int, str]:
    """Line, column (both from 1 on) and words for what the standard library says of a text that is not valid TOML."""
    said = str(error)
    place = re.search(r" \(at (?:line (\d+), column (\d+)|end of document)\)$", said)
    if place is None:
        return 1, 1, "it is nested too deeply" if isinstance(error, RecursionError) else "a number in it is too long"
    lines = text.rstrip().split("\n")
    line, column = (int(place[1]), int(place[2])) if place[1] else (len(lines), max(1, len(lines[-1])))
    return line, column, said[0].lower() + said[1 : place.start()]


def written(value: object) -> object:
    """What a value reads back as: a scalar as the string it is written as, a mapping with such.

    Raises:
        HeadError: no head can hold the value.
    """
    if isinstance(value, str) or value is REMOVED:
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "null"
    if isinstance(value, int) or (isinstance(value, float) and math.isfinite(value)):
        text = repr(value)
        # YAML 1.1 takes an exponent only behind a decimal point: 1e-05 would be a string.
        return text.replace("e", ".0e") if "e" in text and "." not in text else text
    if isinstance(value, Mapping):
        return {str(key): written(item) for key, item in value.items()}
    raise HeadError(0, f"{value!r:.40} can't be written into a frontmatter")


def scalar(value: object) -> str:
    """A scalar such that JSON, YAML 1.1 and 1.2 and TOML read the same from it; text in double quotes."""
    if not isinstance(value, str):
        return str(written(value))
    return _UNWRITABLE.sub(lambda match: f"\\u{ord(match.group()):04x}", json.dumps(value, ensure_ascii=False))
