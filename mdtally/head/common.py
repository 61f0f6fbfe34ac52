"""What the three syntaxes of frontmatter share: places, splices, and how a failure is told."""

from __future__ import annotations

import json
import math
import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from mdtally.model import Problem, Region, Source

_LINE_END = re.compile(r"\r\n|\r|\n")
# What a double-quoted string can't hold as it is in YAML or TOML, beyond what JSON escapes: DEL, the C1 controls, the
# Unicode line ends, a BOM, and what is no character.
_UNWRITABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


class HeadError(Exception):
    """A head that can't be read: the offset into ``source.head``, and a sentence for a person."""

    def __init__(self, offset: int, message: str) -> None:
        super().__init__(message)
        self.offset = offset
        self.message = message


class CannotEdit(HeadError):  # noqa: N818 - it reads as what it is
    """A head that can be read, but not changed safely."""


@dataclass(frozen=True, slots=True)
class Splice:
    """Replace ``text[start:end]`` by another text."""

    start: int
    end: int
    text: str


def spliced(text: str, splices: Iterable[Splice]) -> str:
    """The text with some stretches replaced; the stretches don't overlap."""
    parts: list[str] = []
    position = 0
    for splice in sorted(splices, key=lambda splice: (splice.start, splice.end)):
        if splice.start < position:
            raise CannotEdit(splice.start, "the frontmatter can't be changed safely: two of its values overlap")
        parts += (text[position : splice.start], splice.text)
        position = splice.end
    return "".join([*parts, text[position:]])


class Lines:
    """Line and column of an offset, for many offsets of one text."""

    def __init__(self, text: str) -> None:
        self._starts = [0, *(match.end() for match in _LINE_END.finditer(text))]

    def line(self, offset: int) -> int:
        """The 1-based line an offset stands on."""
        return bisect_right(self._starts, offset)

    def column(self, offset: int) -> int:
        """The 1-based column of an offset."""
        return offset - self._starts[self.line(offset) - 1] + 1

    def start(self, line: int) -> int:
        """The offset at which a 1-based line starts; the text's last line start for a line beyond it."""
        return self._starts[min(line, len(self._starts)) - 1]


def problem_at(source: Source, error: HeadError) -> Problem:
    """The problem that a failure is reported as, at its place in the file."""
    lines = Lines(source.head)
    line, column = lines.line(error.offset), lines.column(error.offset)
    return Problem("invalid-frontmatter", error.message, Region(line, column, line, column))


def inner(source: Source) -> tuple[int, int]:
    """Where the text between the two fences of a head starts and ends, as offsets into ``source.head``."""
    first = _LINE_END.search(source.head)
    start = first.end() if first else len(source.head)
    closing = source.head.rstrip(" \t\r\n")
    return start, max(start, max(closing.rfind("\n"), closing.rfind("\r")) + 1)


def line_start(text: str, offset: int) -> int:
    """The offset at which the line of an offset starts."""
    return max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1


def line_end(text: str, offset: int) -> int:
    """The offset at which the line of an offset ends, before its line end."""
    match = _LINE_END.search(text, offset)
    return match.start() if match else len(text)


def after_line(text: str, offset: int) -> int:
    """The offset at which the line after the one of an offset starts."""
    match = _LINE_END.search(text, offset)
    return match.end() if match else len(text)


def visible(text: str) -> str:
    """A key as a message may show it: on one line, what can't be seen escaped, and not longer than a person reads."""
    text = "".join(c if c.isprintable() else c.encode("unicode_escape", "replace").decode() for c in text)
    return text if len(text) <= 100 else text[:97] + "..."


def quoted(text: str) -> str:
    """A string in double quotes such that JSON, YAML and TOML read the same string from it."""
    return _UNWRITABLE.sub(lambda match: f"\\u{ord(match.group()):04x}", json.dumps(text, ensure_ascii=False))


def number(value: int | float) -> str:
    """A finite number such that JSON, YAML 1.1 and 1.2 and TOML read the same number from it."""
    if isinstance(value, float) and not math.isfinite(value):
        raise CannotEdit(0, f"{value} is no number that a frontmatter can hold")
    text = repr(value)
    # YAML 1.1 takes an exponent only behind a decimal point: 1e-05 would be a string.
    return text.replace("e", ".0e") if "e" in text and "." not in text else text


def boolean(value: bool) -> str:
    """True and False as all three syntaxes write them."""
    return "true" if value else "false"


def written(value: object) -> object:
    """What a value reads back as: scalars as the string they are written as, in the same lists and mappings."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return boolean(value)
    if value is None:
        return "null"
    if isinstance(value, int | float):
        return number(value)
    if isinstance(value, Mapping):
        return {str(key): written(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [written(item) for item in value]
    raise CannotEdit(0, f"a {type(value).__name__} can't be written into a frontmatter")
