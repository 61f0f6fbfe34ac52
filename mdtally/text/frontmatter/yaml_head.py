"""What stands between the fences of a YAML head.

The values are built from the nodes of ``yaml.compose``, not by a YAML constructor: the nodes know where each value
stands, and aliases can be counted while they are followed, so that a few lines of nested aliases don't become
gigabytes. PyYAML's reader in Python is used and not that in C, which takes other texts for valid and ends the whole
process at a hundred thousand open brackets.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import count
from typing import Any

import yaml

from mdtally.text import datafiles
from mdtally.text.frontmatter.text import HeadError, Pairs
from mdtally.text.model import Span
from mdtally.text.regex import regex
from mdtally.text.safe import excerpt

_MAX_NODES = 50_000
_MAX_DEPTH = 64

# What a mapping can begin with: a key and a colon, a brace, or a mark of an unusual key.
_OPENING = regex(r"""["']|[{?&!*]|[^#\s-][^\n]*:(?=\s|\Z)|-[^\s-][^\n]*:(?=\s|\Z)""")
# Blank lines and "# comments" above the first key.
_COMMENTS = regex(r"(?:[ \t]*(?:#[^\n]*)?\n)*")
# "kind: debate" behind blank lines has to look like a key: "Ada: I think so." between two ruled lines is a speaker.
_LATE_KEY = regex(r"""["']?(?:[a-z][\w.-]*|A_[PRT])["']?[ \t]*:(?=\s|\Z)|\{""")
# "Session: x": what shows that a text which is not valid YAML was meant as a head.
_KEY_LINE = regex(r"""["']?[^\W\d][\w.-]*["']?[ \t]*:(?=\s|\Z)""")

# What PyYAML says -> what to say to a person.
ADVICE = [row.split(" => ") for row in datafiles.rows(__file__, "yaml-advice.txt")]

# Contexts of which the opening is the place to look at, not where PyYAML noticed.
_AT_OPENING = ("quoted", "simple key", "flow sequence", "flow mapping")


def pairs_of(text: str) -> Pairs | None:
    """The pairs of a text, scalars as they are written; None where it is not a mapping, and thus no head.

    Raises:
        HeadError: it is meant as a head, but is not valid YAML, or repeats a key.
    """
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    if not plain.strip():
        return Pairs({}, {}, {})
    if not is_meant(plain):
        return None
    try:
        root = _compose(text)
        if root is None or root.id != "mapping":
            return None
        values: Any = _build(root, 0, count(1))
    except HeadError as error:
        if fault := _meant_fault(plain, error):
            raise fault from None
        return None
    pairs = [(key.value, key.start_mark.index, _span(value)) for key, value in root.value]
    keys = {name: at for name, at, _ in pairs}
    # The value of an alias stands where its anchor does, and may be others' value as well.
    return Pairs(values, keys, {name: span for name, at, span in pairs if at <= span.start <= span.end})


def is_meant(text: str) -> bool:
    """True if a text between two fences can be a mapping; most prose between two ruled lines is told without a parser.

    Args:
        text: with line feeds as line ends.
    """
    first = _start(text)
    opening = _LATE_KEY if "\n\n" in f"\n{text[:first]}" else _OPENING
    return bool(opening.match(text[first:].lstrip(" \t")))


def _start(text: str) -> int:
    """The offset behind the blank lines and comments that a text begins with."""
    above = _COMMENTS.match(text)
    return above.end() if above else 0


def _meant_fault(text: str, error: HeadError) -> HeadError | None:
    """What is wrong with a text that is not valid YAML; None if it was never meant as a head, but is prose.

    It was meant as one if its first paragraph is of keys for the most. If that is YAML and no key follows it, the
    closing line of the head is missing, and the one that was found is a ruled line of the body.
    """
    first, _, rest = text[_start(text) :].partition("\n\n")
    lines = [line for line in first.split("\n") if line and line[0] not in " \t-#"]
    if not first.startswith("{") and 2 * sum(bool(_KEY_LINE.match(line)) for line in lines) < max(1, len(lines)):
        return None
    rest = rest.lstrip("\n")
    if rest and rest[0] not in " \t-" and not _KEY_LINE.match(rest):
        with suppress(HeadError):
            root = _compose(first)
            if root and root.id == "mapping":
                message = "the frontmatter that opens in line 1 is not closed below its last key"
                return HeadError(-1, f"{message}; put a line `---` there")
    return error


def _compose(text: str) -> Any:
    """The node tree of a text."""
    try:
        return yaml.compose(text, Loader=yaml.BaseLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        if error.context and error.context_mark and any(words in error.context for words in _AT_OPENING):
            mark = error.context_mark
        # What is missing at the end is told on the last line that has text, not on the fence below.
        offset = min(mark.index if mark else 0, max(0, len(text.rstrip()) - 1))
        complaint = str(error.problem or error.context)
        what = next((words for part, words in ADVICE if part in complaint), " ".join(complaint.split()))
    except yaml.reader.ReaderError as error:
        name = f"U+{error.character:04X}" if isinstance(error.character, int) else repr(error.character)
        offset, what = error.position, f"it holds a control character ({name})"
    except (ValueError, OverflowError, yaml.YAMLError):
        offset, what = 0, "an escape names no character"
    raise HeadError(offset, f"the frontmatter is not valid YAML: {what}")


def _span(node: Any) -> Span:
    """Where a value stands; a list or mapping on lines of its own ends behind the last value in it."""
    last = node
    while last.id != "scalar" and not last.flow_style and last.value:
        last = last.value[-1][1] if last.id == "mapping" else last.value[-1]
    return Span(node.start_mark.index, last.end_mark.index)


def _build(node: Any, depth: int, numbers: Iterator[int]) -> object:
    """The value of a node; aliases are followed within bounds, for which each value takes one of the numbers."""
    if next(numbers) > _MAX_NODES:
        raise _error(node, f"the frontmatter's aliases unfold to more than {_MAX_NODES:,} values")
    # Also what ends an alias that stands inside its own anchor.
    if depth > _MAX_DEPTH:
        raise _error(node, f"the frontmatter is nested more than {_MAX_DEPTH} levels deep")
    if node.id == "scalar":
        return node.value
    if node.id == "sequence":
        return [_build(item, depth + 1, numbers) for item in node.value]
    values: dict[str, object] = {}
    for key, value in node.value:
        if key.id != "scalar":
            raise _error(key, "the frontmatter is not valid YAML: put quotes around a value with braces in it")
        if key.value in values:
            raise _error(key, f"the key '{excerpt(key.value)}' stands twice in the frontmatter; remove one of the two")
        values[key.value] = _build(value, depth + 1, numbers)
    return values


def _error(node: Any, message: str) -> HeadError:
    return HeadError(node.start_mark.index, message)
