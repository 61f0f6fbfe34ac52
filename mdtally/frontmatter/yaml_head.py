"""YAML heads: ``---`` above, ``---`` or ``...`` below.

The values are built from the nodes of ``yaml.compose``, not by a YAML constructor: the nodes know where each value
stands, and aliases can be counted while they are followed, so that a few lines of nested aliases don't become
gigabytes.
"""

from __future__ import annotations

from bisect import bisect_right
from contextlib import suppress
from typing import Any

from mdtally.frontmatter.text import HeadError, doubled, inner, line_starts
from mdtally.regex import regex

_MAX_NODES = 50_000
_MAX_DEPTH = 64

# What a mapping can begin with: a key and a colon, a brace, or a mark of an unusual key.
_OPENING = regex(r"""["']|[{?&!*]|[^#\s-][^\n]*:(?=\s|\Z)|-[^\s-][^\n]*:(?=\s|\Z)""")
_COMMENTS = regex(r"(?:[ \t]*(?:#[^\n]*)?\n)*")
# A key behind blank lines has to look like one: "Ada: I think so." between two ruled lines is a speaker's turn.
_LATE_KEY = regex(r"""["']?(?:[a-z][\w.-]*|A_[PRT])["']?[ \t]*:(?=\s|\Z)|\{""")
# One word and a colon at the start of a line: what shows that a text which is not valid YAML was meant as a head.
_KEY_LINE = regex(r"""["']?[^\W\d][\w.-]*["']?[ \t]*:(?=\s|\Z)""")
# "title: A debate", "agents: [Ana, Ben]": lines that mean the same to everybody, without a YAML reader.
_TEXT = r"[^\W_](?:[\w .+/%()'-]*[\w.+/%()'-])?"
_PLAIN_LINE = regex(
    rf"(?P<key>[A-Za-z]\w*):[ ]+(?:(?P<text>{_TEXT}|\d[\dT:.-]*Z)|\"(?P<quoted>[ \w.,:;+/%()'=-]*)\""
    rf"|\[[ ]*(?P<list>{_TEXT}(?:,[ ]*{_TEXT})*)[ ]*\])[ ]*"
)

# What PyYAML says -> what to say to a person.
ADVICE = (
    ("mapping values are not allowed", "there is a second ': ' on this line; put quotes around the whole value"),
    ("found character '\\t'", "there is a tab here; YAML takes only spaces for indentation"),
    ("that cannot start any token", "a value can't begin with this character; put quotes around the value"),
    ("could not find expected ':'", "this line is not of the form 'key: value'"),
    ("found unexpected", "the quote that opens here is never closed"),
    ("expected ',' or", "the bracket or brace that opens here is never closed, or a comma is missing in it"),
    ("found undefined alias", "a value that begins with '*' has to stand in quotes"),
    ("found unknown escape", "a backslash in double quotes has to be doubled"),
    ("expected <block end>", "this line's indentation or punctuation does not fit the lines above it"),
    ("another document", "a second '---' document starts here; a frontmatter is one mapping"),
)

# Contexts of which the opening is the place to look at, not where PyYAML noticed.
_AT_OPENING = ("quoted", "simple key", "flow sequence", "flow mapping")


def parse(head: str) -> tuple[dict[str, object], dict[str, int]] | None:
    """The values and the lines of a head's top-level keys; None where it is no mapping, and thus no head.

    Raises:
        HeadError: it is meant as a head, but is not valid YAML, or repeats a key.
    """
    start, end = inner(head)
    plain = head[start:end].replace("\r\n", "\n").replace("\r", "\n")
    if not plain.strip():
        return {}, {}
    if quick := _plain_lines(plain):
        return quick
    above = _COMMENTS.match(plain)
    first = above.end() if above else 0
    # Most prose between two thematic breaks is told without a parser, which would read all of it first.
    opening = _LATE_KEY if "\n\n" in f"\n{plain[:first]}" else _OPENING
    if not opening.match(plain[first:].lstrip(" \t")):
        return None
    import frontmatter

    reader: Any = _Reader(head[start:end], start)
    try:
        values, _ = frontmatter.parse(head, handler=reader)
    except HeadError as error:
        if fault := _meant(plain[first:], error):
            raise fault from None
        return None
    if reader.root is None or reader.root.id != "mapping":
        return None
    starts = line_starts(head)
    return dict(values), {
        str(key.value): bisect_right(starts, start + key.start_mark.index) for key, _ in reader.root.value
    }


def _plain_lines(text: str) -> tuple[dict[str, object], dict[str, int]] | None:
    """The values and lines of a head whose every line is a key with a plain text or a list of such; else None."""
    values: dict[str, object] = {}
    places: dict[str, int] = {}
    for number, line in enumerate(text.removesuffix("\n").split("\n"), 2):
        match = _PLAIN_LINE.fullmatch(line)
        if match is None or match["key"] in values:
            return None
        words = match["list"]
        value = match["quoted"] if match["text"] is None else match["text"]
        values[match["key"]] = value if words is None else [word.strip() for word in words.split(",")]
        places[match["key"]] = number
    return values, places


def _meant(text: str, error: HeadError) -> HeadError | None:
    """What is wrong with a text that is not valid YAML; None if it was never meant as a head, but is prose.

    It was meant as one if its first paragraph is of keys for the most. If that paragraph is YAML and no key follows it,
    the head's closing line is missing, and the one that was found is a ruled line of the body.
    """
    first, _, rest = text.partition("\n\n")
    keys = [line for line in first.split("\n") if line and line[0] not in " \t-#"]
    if not first.startswith("{") and 2 * sum(bool(_KEY_LINE.match(line)) for line in keys) < max(1, len(keys)):
        return None
    rest = rest.lstrip("\n")
    if rest and rest[0] not in " \t-" and not _KEY_LINE.match(rest):
        with suppress(HeadError):
            root = _compose(first, 0)
            if root and root.id == "mapping":
                message = "the frontmatter that opens in line 1 is not closed below its last key"
                return HeadError(0, f"{message}; put a line `---` there")
    return error


def _compose(text: str, shift: int) -> Any:
    """The node tree of a text; errors have their offset shifted by that of the text in the head."""
    import yaml

    try:
        return yaml.compose(text, Loader=yaml.BaseLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        if error.context and error.context_mark and any(words in error.context for words in _AT_OPENING):
            mark = error.context_mark
        # What is missing at the end is told on the last line that has text, not on the fence below.
        offset = min(mark.index if mark else 0, max(0, len(text.rstrip()) - 1))
        said = str(error.problem or error.context)
        what = next((words for part, words in ADVICE if part in said), " ".join(said.split()))
    except yaml.reader.ReaderError as error:
        name = f"U+{error.character:04X}" if isinstance(error.character, int) else repr(error.character)
        offset, what = error.position, f"it holds a control character ({name})"
    except (ValueError, OverflowError, yaml.YAMLError):
        offset, what = 0, "an escape names no character"
    raise HeadError(shift + offset, f"the frontmatter is not valid YAML: {what}")


class _Reader:
    """What python-frontmatter reads with: the cut that was made already, and scalars that stay as they were written."""

    def __init__(self, text: str, shift: int) -> None:
        self.root: Any = None
        self._text = text
        self._shift = shift
        self._nodes = 0

    def split(self, _: str) -> tuple[str, str]:
        return self._text, ""

    def load(self, text: str) -> Any:
        self.root = _compose(text, self._shift)
        return self._build(self.root, 0) if self.root else None

    def _build(self, node: Any, depth: int) -> Any:
        """The value of a node; aliases are followed within bounds."""
        self._nodes += 1
        if self._nodes > _MAX_NODES:
            raise self._error(node, f"the frontmatter's aliases unfold to more than {_MAX_NODES:,} values")
        # Also what ends an alias that stands inside its own anchor.
        if depth > _MAX_DEPTH:
            raise self._error(node, f"the frontmatter is nested more than {_MAX_DEPTH} levels deep")
        if node.id == "scalar":
            return node.value
        if node.id == "sequence":
            return [self._build(item, depth + 1) for item in node.value]
        values: dict[str, object] = {}
        for key, value in node.value:
            if key.id != "scalar":
                raise self._error(key, "the frontmatter is not valid YAML: put quotes around a value with braces in it")
            if key.value in values:
                raise self._error(key, doubled(key.value))
            values[key.value] = self._build(value, depth + 1)
        return values

    def _error(self, node: Any, message: str) -> HeadError:
        return HeadError(self._shift + node.start_mark.index, message)
