"""YAML heads: ``---`` above, ``---`` or ``...`` below.

The values are built from the nodes of ``yaml.compose``, not by a YAML constructor: the nodes know whether a scalar was
quoted and where it stands, and aliases can be counted while they are followed, so that a few lines of nested aliases
don't become gigabytes. An edit replaces a value between its marks. PyYAML's end mark of a block lies behind the
comments that follow it, so the end used here is the end of the block's last scalar.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from mdtally.head.common import (
    CannotEdit,
    HeadError,
    Lines,
    Splice,
    after_line,
    boolean,
    inner,
    line_end,
    line_start,
    number,
    quoted,
    spliced,
    visible,
)
from mdtally.head.common import written as _written
from mdtally.model import Source

KEEPS_NO_ORDER = False

_MAX_NODES = 50_000
_MAX_DEPTH = 64

# A colon with a space behind it: what every mapping has that is not written in braces.
_ANY_COLON = re.compile(r":(?=\s|\Z)")
# One word and a colon at the start of a line: what shows that a text which is not valid YAML was meant as a head.
_KEY_LINE = re.compile(r"""^[ ]*["']?[^\W\d][\w.-]*["']?[ \t]*:(?=\s|\Z)""", re.MULTILINE)
_COLON = re.compile(r"[ \t]*:(?=[\s,\[\]{}\"']|\Z)")
# Strings that every YAML reader takes as that string when unquoted, in flow and in block style.
_PLAIN = re.compile(r"[A-Za-z_](?:[\w .+/%()=-]*[\w.+/%()=-])?\Z", re.ASCII)
# Words that some version of YAML reads as a boolean, null or number.
_RESERVED = frozenset(["y", "n", "yes", "no", "on", "off", "true", "false", "null", "none", "nan", "inf", "infinity"])

# What PyYAML says -> what to say to a person; the first that is contained in PyYAML's words is taken.
ADVICE = (
    ("mapping values are not allowed", "there is a second ': ' on this line; put quotes around the whole value"),
    ("mapping keys are not allowed", "a value that begins with '?' has to stand in quotes"),
    ("sequence entries are not allowed", "a list begins on the line below its key"),
    ("found character '\\t'", "there is a tab here; YAML takes only spaces for indentation"),
    ("that cannot start any token", "a value can't begin with this character; put quotes around the value"),
    ("could not find expected ':'", "this line is not of the form 'key: value'"),
    ("found unexpected end of stream", "the quote that opens here is never closed"),
    ("found unexpected document separator", "the quote that opens here is never closed"),
    ("found '<stream end>'", "a bracket or brace that opens above is never closed"),
    ("expected ',' or", "the bracket or brace that opens here is never closed, or a comma is missing in it"),
    ("found undefined alias", "a value that begins with '*' has to stand in quotes"),
    ("expected alphabetic or numeric character", "a value that begins with '*' or '&' has to stand in quotes"),
    ("second occurrence", "two values have the same anchor (the word behind '&')"),
    ("found undefined tag handle", "a value that begins with '!' has to stand in quotes"),
    ("expected URI", "a value that begins with '!' has to stand in quotes"),
    ("expected chomping or indentation", "a value that begins with '|' or '>' has to stand in quotes"),
    ("found unknown escape character", "a backslash in double quotes has to be doubled, or use single quotes"),
    ("expected escape sequence", "a backslash in double quotes has to be doubled, or use single quotes"),
    (
        "<block end>, but found '<scalar>'",
        "something stands behind a value that ends here; put quotes around all of it",
    ),
    ("expected <block end>", "this line's indentation or punctuation does not fit the lines above it"),
    ("expected the node content", "a value is missing, or begins with a character that has to stand in quotes"),
    ("expected '<document start>'", "a line can't begin with '%'"),
    ("but found another document", "a second '---' document starts here; a frontmatter is one mapping"),
)

# Contexts of which the opening is the place to look at, not where PyYAML noticed.
_AT_OPENING = ("quoted", "simple key", "flow sequence", "flow mapping")


def parse(source: Source) -> tuple[dict[str, object], dict[str, int]] | None:
    """The values and the lines of a head's top-level keys; None where it is no mapping, and thus no head.

    Raises:
        HeadError: it is meant as a head, but is not valid YAML, or repeats a key.
    """
    start, end = inner(source)
    text = source.head[start:end]
    if not text.strip():
        return {}, {}
    in_braces = text.lstrip().startswith("{")
    # Most prose between two thematic breaks is told without a parser, which would read all of it first.
    if not in_braces and not _ANY_COLON.search(text):
        return None
    import frontmatter
    from frontmatter.default_handlers import YAMLHandler

    class AsWritten(YAMLHandler):
        """The shared reader, given the cut that was made losslessly and scalars that stay as they were written."""

        root: Any = None

        def split(self, _: str) -> tuple[str, str]:
            return text, ""

        def load(self, fm: str, **_: object) -> Any:
            self.root = _compose(fm, start)
            return _Builder(start).build(self.root) if self.root else None

    handler = AsWritten()
    try:
        values, _ = frontmatter.parse(source.head, handler=handler)
    except HeadError:
        if in_braces or _KEY_LINE.search(text.replace("\r", "\n")):
            raise
        return None
    if handler.root is None or handler.root.id != "mapping":
        return None
    lines = Lines(source.head)
    keys = handler.root.value
    return dict(values), {str(key.value): lines.line(start + key.start_mark.index) for key, _ in keys}


def edit(source: Source, updates: Mapping[str, object]) -> str:
    """The head with top-level keys set; see ``mdtally.head.edit``.

    Raises:
        CannotEdit: the value is written in a way that can't be replaced safely.
    """
    newline = source.newline
    if source.head_format is None:
        return newline.join(["---", *_block(updates, ""), "---", ""])
    start, end = inner(source)
    text = source.head[start:end]
    root = _compose(text, start) if text.strip() else None
    if root is None:
        splices = [Splice(0, 0, "".join(line + newline for line in _block(updates, "")))]
    else:
        splices = _Editor(text, start, newline).changes(root, updates)
    return source.head[:start] + spliced(text, splices) + source.head[end:]


def written(updates: Mapping[str, object]) -> dict[str, object]:
    """What the updates read back as."""
    return {key: _written(value) for key, value in updates.items()}


# -- Reading ----------------------------------------------------------------------------------------------------------


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
        raise HeadError(shift + offset, _explain(str(error.problem or error.context))) from None
    except yaml.reader.ReaderError as error:
        name = f"U+{error.character:04X}" if isinstance(error.character, int) else repr(error.character)
        message = f"the frontmatter holds a control character ({name}), which YAML does not allow"
        raise HeadError(shift + error.position, message) from None
    except RecursionError:
        raise HeadError(shift, "the frontmatter is nested too deeply") from None
    except (ValueError, OverflowError, yaml.YAMLError):
        raise HeadError(shift, "the frontmatter is not valid YAML: an escape names no character") from None


def _explain(problem: str) -> str:
    advice = next((advice for words, advice in ADVICE if words in problem), "")
    return f"the frontmatter is not valid YAML: {advice or ' '.join(problem.split())}"


class _Builder:
    """Builds the values of a node tree, following aliases within bounds."""

    def __init__(self, shift: int) -> None:
        self._shift = shift
        self._nodes = 0

    def build(self, node: Any, depth: int = 0) -> Any:
        self._nodes += 1
        if self._nodes > _MAX_NODES:
            raise self._error(node, f"the frontmatter's aliases unfold to more than {_MAX_NODES:,} values")
        # Also what ends an alias that stands inside its own anchor.
        if depth > _MAX_DEPTH:
            raise self._error(node, f"the frontmatter is nested more than {_MAX_DEPTH} levels deep")
        if node.id == "scalar":
            return node.value
        if node.id == "sequence":
            return [self.build(item, depth + 1) for item in node.value]
        values: dict[str, object] = {}
        for key, value in node.value:
            if key.id != "scalar":
                raise self._error(key, "the frontmatter is not valid YAML: put quotes around a value with braces in it")
            if key.value in values:
                raise self._error(
                    key, f"the key '{visible(key.value)}' stands twice in the frontmatter; remove one of the two"
                )
            values[key.value] = self.build(value, depth + 1)
        return values

    def _error(self, node: Any, message: str) -> HeadError:
        return HeadError(self._shift + node.start_mark.index, message)


# -- Editing ----------------------------------------------------------------------------------------------------------


class _Editor:
    """Turns updates into splices of one head's text."""

    def __init__(self, text: str, shift: int, newline: str) -> None:
        import yaml

        self._text = text
        self._shift = shift
        self._newline = newline
        self._tokens: list[Any] = list(yaml.scan(text, Loader=yaml.BaseLoader))
        self._resolver: Any = yaml.SafeLoader("")

    def changes(self, mapping: Any, updates: Mapping[str, object]) -> list[Splice]:
        """The splices that give a mapping's keys new values and add those it has not."""
        places = {key.value: number for number, (key, _) in enumerate(mapping.value)}
        starts = [key.start_mark.index for key, _ in mapping.value]
        if starts != sorted(set(starts)):
            raise self._cannot(mapping, "an alias stands in the place of a key")
        splices: list[Splice] = []
        for name, new in updates.items():
            if name not in places:
                continue
            place = places[name]
            key, old = mapping.value[place]
            limit = starts[place + 1] if place + 1 < len(starts) else mapping.end_mark.index
            if not self._is_same(old, new):
                self._refuse_references(key, limit)
                splices += self._replace(mapping, key, old, new)
        missing = {name: new for name, new in updates.items() if name not in places}
        return [*splices, self._append(mapping, missing)] if missing else splices

    def _append(self, mapping: Any, missing: Mapping[str, object]) -> Splice:
        if not mapping.flow_style:
            column = mapping.start_mark.column
            lines = _block(missing, " " * column)
            return Splice(len(self._text), len(self._text), "".join(line + self._newline for line in lines))
        closing = mapping.end_mark.index - 1
        tokens = [token for token in self._tokens if token.end_mark.index <= closing]
        last = tokens[-1]
        comma = "" if last.id in (",", "{") else ", "
        lead = comma or (" " if last.id == "," else "")
        at = last.end_mark.index
        pairs = ", ".join(f"{_scalar(name)}: {_inline(new)}" for name, new in missing.items())
        # A key with an empty value, as in "{a}": "{a, b: 1}" reads the same.
        return Splice(at, at, lead + pairs)

    def _replace(self, mapping: Any, key: Any, old: Any, new: object) -> list[Splice]:
        """The splices that put a new value in an old one's place, in block style where its surroundings allow it."""
        text = self._text
        colon = _COLON.match(text, key.end_mark.index)
        if colon is None:
            raise self._cannot(key, f"the key '{visible(key.value)}' is written in an unusual form")
        if isinstance(new, Mapping) and old.id == "mapping" and {item.value for item, _ in old.value} == set(new):
            return self.changes(old, new)
        start, end = old.start_mark.index, self._end(old)
        in_block = not mapping.flow_style
        old_is_block = old.id != "scalar" and not old.flow_style
        new_is_block = in_block and isinstance(new, Mapping) and bool(new)
        first_line = line_start(text, start)
        if new_is_block and old_is_block:
            assert isinstance(new, Mapping)
            indent = " " * max(old.start_mark.column, mapping.start_mark.column + 2)
            block = self._newline.join(_block(new, indent))
            return [Splice(first_line, *self._without_comment(end, block + self._newline, indent, block))]
        if new_is_block:
            assert isinstance(new, Mapping)
            block = self._newline.join(_block(new, " " * (mapping.start_mark.column + 2)))
            if first_line > colon.end():
                return [Splice(first_line, end, block)]
            after = line_end(text, end)
            return [Splice(colon.end(), end, ""), Splice(after, after, self._newline + block)]
        if old_is_block:
            indent = " " * (mapping.start_mark.column + 2)
            removed = Splice(first_line, *self._without_comment(end, "", indent, None))
            return [Splice(colon.end(), colon.end(), " " + _inline(new)), removed]
        lead = " " if start == colon.end() else ""
        tail = " " if text[end : end + 1] == "#" else ""
        return [Splice(start, end, lead + _inline(new) + tail)]

    def _without_comment(self, end: int, above: str, indent: str, alone: str | None) -> tuple[int, str]:
        """End and text of a splice over a block: a comment behind its last value gets a line of its own below.

        Args:
            end: where the block's last value ends.
            above: the new text above the comment.
            indent: the comment's indentation.
            alone: the new text where there is no comment; None to remove the block's last line end, too.
        """
        rest = self._text[end : line_end(self._text, end)]
        if rest.strip():
            return end + len(rest) - len(rest.lstrip()), above + indent
        return (after_line(self._text, end), "") if alone is None else (end, alone)

    def _end(self, node: Any) -> int:
        """Where a value's text ends: before the blank lines and comments that follow it."""
        if node.id == "scalar":
            end: int = node.end_mark.index
            if node.style in ("|", ">"):
                end = node.start_mark.index + len(self._text[node.start_mark.index : end].rstrip())
            return end
        if node.flow_style or not node.value:
            return int(node.end_mark.index)
        last = node.value[-1]
        return self._end(last[1] if node.id == "mapping" else last)

    def _is_same(self, node: Any, value: object) -> bool:
        """True where a node reads as a value already, its type included, so that nothing has to change."""
        if isinstance(value, Mapping):
            if node.id != "mapping" or len(node.value) != len(value):
                return False
            return all(key.value in value and self._is_same(item, value[key.value]) for key, item in node.value)
        if isinstance(value, list | tuple):
            if node.id != "sequence" or len(node.value) != len(value):
                return False
            return all(map(self._is_same, node.value, value))
        if node.id != "scalar":
            return False
        plain = node.style is None
        is_text = self._resolver.resolve(type(node), node.value, (plain, not plain)) == "tag:yaml.org,2002:str"
        return bool(node.value == _written(value) and is_text == isinstance(value, str))

    def _refuse_references(self, key: Any, limit: int) -> None:
        for token in self._tokens:
            if key.end_mark.index <= token.start_mark.index < limit and token.id in ("<anchor>", "<alias>", "<tag>"):
                raise self._cannot(token, f"the value of '{visible(key.value)}' has an anchor, alias or tag")

    def _cannot(self, at: Any, why: str) -> CannotEdit:
        message = f"the frontmatter can't be changed safely: {why}; change it by hand"
        return CannotEdit(self._shift + at.start_mark.index, message)


# -- Writing ----------------------------------------------------------------------------------------------------------


def _block(values: Mapping[str, object], indent: str) -> Sequence[str]:
    """A mapping in block style, one line a scalar or list."""
    lines: list[str] = []
    for key, value in values.items():
        if isinstance(value, Mapping) and value:
            lines.append(f"{indent}{_scalar(key)}:")
            lines += _block(value, indent + "  ")
        else:
            lines.append(f"{indent}{_scalar(key)}: {_inline(value)}")
    return lines


def _inline(value: object) -> str:
    """A value in flow style, on one line."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_scalar(key)}: {_inline(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_inline, value)) + "]"
    return _scalar(value)


def _scalar(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return boolean(value)
    if isinstance(value, int | float):
        return number(value)
    text = str(_written(value))
    return text if _PLAIN.match(text) and text.lower() not in _RESERVED else quoted(text)
