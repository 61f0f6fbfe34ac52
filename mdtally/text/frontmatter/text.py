"""What YAML and TOML heads share: their fences, how a value is written in both, and failures with their place."""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import Final

from mdtally.text.chars import in_quotes
from mdtally.text.model import HeadFormat, Problem, Region, Source, Span
from mdtally.text.records import record, replace
from mdtally.text.regex import regex
from mdtally.text.source import line_starts

REMOVED: Final = object()
"""As a new value: the key and its value go; comments beside them stay."""

LONGEST = 64 * 1024
"""Characters of a head. Of 1,313 heads of documentation the longest has 742; one of a megabyte is an attack."""

# "---", then "---" or "..."; "+++", then "+++".
FENCES: dict[HeadFormat, tuple[re.Pattern[str], re.Pattern[str]]] = {
    "yaml": (regex(r"---[ \t]*[\r\n]"), regex(r"(?<=[\r\n])(?:---|\.\.\.)[ \t]*(?:\r\n|\r|\n|\Z)")),
    "toml": (regex(r"\+\+\+[ \t]*[\r\n]"), regex(r"(?<=[\r\n])\+\+\+[ \t]*(?:\r\n|\r|\n|\Z)")),
}

# "two words, 50%": read as that string by every YAML reader when unquoted, in flow and in block style.
_PLAIN = regex(r"[A-Za-z_](?:[A-Za-z0-9_ .+/%()=-]*[A-Za-z0-9_.+/%()=-])?")
# "key-1": a key that TOML takes without quotes.
_BARE = regex(r"[A-Za-z0-9_-]+")
# Words that some version of YAML reads as a boolean, null or number.
_RESERVED = frozenset(["y", "n", "yes", "no", "on", "off", "true", "false", "null", "none", "nan", "inf", "infinity"])


class HeadError(Exception):
    """A head that can't be read or changed: the offset in the text between its fences (-1 is the line above), and a
    sentence for a person."""

    def __init__(self, offset: int, message: str) -> None:
        super().__init__(message)
        self.offset, self.message = offset, message


@record
class Pairs:
    """The top-level pairs of the text between two fences: the values, the offset of each key, and where its value
    stands."""

    values: dict[str, object]
    keys: dict[str, int]
    spans: dict[str, Span]


def cut_off(source: Source) -> Source:
    """A source with the head that its text opens with, its closing fence and that line's end, cut off its body."""
    for syntax, (opening, closing) in FENCES.items():
        opened = opening.match(source.body)
        if opened and (closed := closing.search(source.body, opened.end())):
            size = closed.end()
            return replace(source, head=source.body[:size], body=source.body[size:], head_format=syntax)
    return source


def inner(head: str) -> tuple[int, int]:
    """Where the text between the two fences of a head starts and ends."""
    starts = line_starts(head)
    # A closing fence without a line end is the last line, too.
    last = starts[-1] if starts[-1] < len(head) else starts[-2]
    return starts[1], max(starts[1], last)


def problem_at(source: Source, error: HeadError) -> Problem:
    """The problem that a failure is reported as, at its place in the file."""
    starts = line_starts(source.head)
    offset = inner(source.head)[0] + error.offset if source.head and error.offset >= 0 else 0
    line = bisect_right(starts, offset)
    column = offset - starts[line - 1] + 1
    return Problem("invalid-frontmatter", error.message, Region(line, column, line, column))


# -- Values as they are written ---------------------------------------------------------------------------------------


def read_back(value: object) -> object:
    """What a value reads back as: a scalar as the string it is written as, in lists and mappings, too.

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
        return {str(key): read_back(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, bytes):
        return [read_back(item) for item in value]
    raise HeadError(0, f"{value!r:.40} can't be written into a frontmatter")


def pair(key: str, value: object, syntax: HeadFormat) -> str:
    """A key and its value on one line: ``rate: 0.25``, ``rate = 0.25``."""
    name = key if syntax == "toml" and _BARE.fullmatch(key) else as_written(key, syntax)
    return f"{name}{': ' if syntax == 'yaml' else ' = '}{as_written(value, syntax)}"


def as_written(value: object, syntax: HeadFormat) -> str:
    """A value on one line, such that other programs read the same from it; text that needs no quotes has none in YAML.

    Raises:
        HeadError: no head can hold the value.
    """
    if isinstance(value, Mapping):
        return "{" + ", ".join(pair(str(key), item, syntax) for key, item in value.items()) + "}"
    if not isinstance(value, str):
        known = read_back(value)
        return known if isinstance(known, str) else "[" + ", ".join(as_written(item, syntax) for item in value) + "]"  # type: ignore[attr-defined]
    if syntax == "yaml" and _PLAIN.fullmatch(value) and value.lower() not in _RESERVED:
        return value
    return in_quotes(value)
