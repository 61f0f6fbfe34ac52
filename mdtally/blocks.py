"""Body to blocks, with the lines they stand on.

mistune knows Markdown but not where it stood, so its parser is watched while it works: in a rule the state's cursor is
the offset of the block's first character and the return value the offset past it. Leaf blocks (headings, fences, code,
HTML, definitions, paragraphs) are mistune's. Block quotes and lists are taken apart here, because there mistune
lets a quote swallow the heading below it, puts a quote behind the list that ended it, and recurses once for each quote
and list that follow each other. A container hands its children one line for each of its own lines, so a child's line is
the container's plus a constant.

This module is the only importer of mistune; `document` imports it when somebody asks for blocks.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from re import Match
from typing import Any

from mistune.block_parser import BlockParser
from mistune.core import BlockState
from mistune.helpers import BLOCK_TAGS, PRE_TAGS

from mdtally.model import Block, BlockKind
from mdtally.text import closes_fence, opens_fence

__all__ = ["parse"]

MAX_DEPTH = 64
"""Containers nested deeper than this are read as text of their parent: nobody writes them, and the stack has an end."""

_KINDS: dict[str, BlockKind] = {
    "paragraph": "paragraph",
    "heading": "heading",
    "thematic_break": "rule",
    "block_html": "html",
    "definition": "definition",
    "block_quote": "quote",
    "list": "list",
    "list_item": "item",
}

_CONTAINERS = ("block_quote", "list")
# What of a line may stand before its text: only there do tabs matter to the structure.
_PREFIX_WITH_TAB = re.compile(r"[ >*+\-0-9.)]*\t[ \t>*+\-0-9.)]*")
_QUOTE_MARK = re.compile(r" {0,3}> ?")
_ITEM_MARK = re.compile(r"(?P<indent> {0,3})(?P<marker>[*+-]|[0-9]{1,9}[.)])(?P<gap> *)(?=(?P<text>.*)$)")
_NESTED_MARKS = re.compile(r"(?: {0,3}(?:>|[*+-](?= |$)|[0-9]{1,9}[.)](?= |$)) ?)+")
_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]|$)")
_RULE = re.compile(r" {0,3}(?:(?:-[ \t]*){3,}|(?:_[ \t]*){3,}|(?:\*[ \t]*){3,})$")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-+)[ \t]*$")
# What opens an HTML block in the middle of a paragraph; mistune's own pattern for it misses "<div>".
_HTML_START = re.compile(
    r" {0,3}<(?:!--|\?|!\[CDATA\[|![A-Z]"
    rf"|(?:{'|'.join(PRE_TAGS)})(?=[\s>]|$)|/?(?:{'|'.join(BLOCK_TAGS)})(?=[\s>]|/>|$))",
    re.IGNORECASE,
)
_LONE_TAG = re.compile(r" {0,3}</?[A-Za-z][^<>]*>[ \t]*$")
# An HTML block that a closing mark ends, whatever stands between.
_HTML_ENDS = (("<!--", "-->"), ("<?", "?>"), ("<![cdata[", "]]>"))
_RAW_TAG = re.compile(r"<(pre|script|style|textarea)(?=[\s>]|$)", re.IGNORECASE)


def parse(lines: Sequence[str], *, first_line: int = 1) -> tuple[Block, ...]:
    """Parse the lines of a body into blocks.

    Args:
        lines: lines without their line ends, and without frontmatter or BOM.
        first_line: the number in the file of the first of them.

    Returns:
        the top-level blocks in order; a container's blocks are its children. Every line that is not blank belongs to
        a block. Time grows with the number of characters.
    """
    state = _State()
    state.first_line = first_line
    state.process(_join([_expand_tabs(line) for line in lines]))
    _PARSER.parse(state)
    return _to_blocks(state.tokens)


class _State(BlockState):
    """A stretch of source being parsed, which knows the file line of each of its offsets."""

    first_line = 1
    level = 0

    def process(self, src: str) -> None:
        super().process(src)
        self._line_starts = [0, *(match.end() for match in re.finditer("\n", src))]
        self.lazy: frozenset[int] = frozenset()

    def line_at(self, offset: int) -> int:
        return self.first_line + bisect_right(self._line_starts, offset) - 1

    def line_from(self, offset: int) -> str:
        """The rest of a line with its newline; mistune has such a method, but not before 3.4."""
        end = self.src.find("\n", offset)
        return self.src[offset:] if end < 0 else self.src[offset : end + 1]

    def add_paragraph(self, text: str) -> None:
        super().add_paragraph(text)
        self._mark_paragraph(len(text))

    def append_paragraph(self) -> int | None:
        end = super().append_paragraph()
        if end is not None:
            self._mark_paragraph(end - self.cursor)
        return end

    def _mark_paragraph(self, size: int) -> None:
        token = self.tokens[-1]
        token.setdefault("line", self.line_at(self.cursor))
        token["end_line"] = self.line_at(self.cursor + size - 1)

    def child(self, lines: list[str], first_line: int, lazy: list[int]) -> _State:
        """The state of a container's inside.

        Args:
            lines: the container's lines without its marks.
            first_line: file line of the first.
            lazy: indices of the lines that belong to it without a mark.
        """
        child = type(self)(self)
        # Its own: mistune keeps a cache of one source's blank lines there, which parent and child would take in turns.
        child.env = {"ref_links": {}}
        child.process(_join(lines))
        child.first_line = first_line
        child.level = self.level + 1
        starts = child._line_starts
        child.lazy = frozenset(starts[index] for index in lazy)
        return child


class _Parser(BlockParser):
    """mistune's block parser, watched, with containers of our own."""

    state_cls = _State

    def __init__(self) -> None:
        super().__init__()
        self._leaf_rules = [rule for rule in self.rules if rule not in _CONTAINERS]

    # -- watching -----------------------------------------------------------------------------------------------------

    def parse_method(self, m: Match[str], state: Any) -> int | None:
        start = state.cursor
        end = super().parse_method(m, state)
        if end:
            self._mark(state, start, end)
        return end

    def _parse_indent_code_fast(self, state: Any) -> int | None:
        start = state.cursor
        end = super()._parse_indent_code_fast(state)
        if end:
            self._mark(state, start, end)
        return end

    @staticmethod
    def _mark(state: _State, start: int, end: int) -> None:
        token = state.last_token()
        if not token or "end_line" in token:
            return
        token["line"] = state.line_at(start)
        source = state.src[start:end]
        token["end_line"] = state.line_at(start + max(len(source.rstrip()), 1) - 1)
        if token["type"] == "block_code" and token.get("style") == "fenced":
            token["closed"] = _is_closed_fence(source)
            if not token["closed"]:
                token["end_line"] = state.line_at(end - 1)
        elif token["type"] == "block_html":
            token["closed"] = _is_closed_html(token["raw"])

    # -- leaves -------------------------------------------------------------------------------------------------------

    def parse_setex_heading(self, m: Match[str], state: Any) -> int | None:
        if state.cursor in state.lazy:
            return None
        last = state.last_token()
        underlines = last and last["type"] == "paragraph"
        end = super().parse_setex_heading(m, state)
        if underlines:
            last["end_line"] = state.line_at(state.cursor)
        return end

    def parse_ref_link(self, m: Match[str], state: Any) -> int | None:
        last = state.last_token()
        end = super().parse_ref_link(m, state)
        if end and not (last and last["type"] == "paragraph"):
            state.append_token({"type": "definition"})
        return end

    def parse_raw_html(self, m: Match[str], state: Any) -> int | None:
        end = super().parse_raw_html(m, state)
        if end is None and _LONE_TAG.match(state.line_from(state.cursor)):
            # mistune does not know "<tag />" alone on a line, which exporters write between turns.
            end = state.find_line_end()
            while end < state.cursor_max and state.line_from(end).strip():
                end += len(state.line_from(end))
            state.append_token({"type": "block_html", "raw": state.get_text(end)})
        return end

    # -- containers ---------------------------------------------------------------------------------------------------

    def parse_block_quote(self, m: Match[str], state: Any) -> int:
        lines: list[str] = []
        lazy: list[int] = []
        inside = _Inside()
        position: int = state.cursor
        while position < state.cursor_max:
            line = state.line_from(position)
            mark = _QUOTE_MARK.match(line)
            if mark:
                text = line[mark.end() :].rstrip("\n")
                inside.read(text)
            elif inside.paragraph_open and not _starts_block(line):
                text = line.rstrip("\n")
                lazy.append(len(lines))
            else:
                break
            lines.append(text)
            position += len(line)
        child = state.child(lines, state.line_at(state.cursor), lazy)
        self._parse_inside(child)
        state.append_token({"type": "block_quote", "children": child.tokens})
        return position

    def parse_list(self, m: Match[str], state: Any) -> int | None:  # type: ignore[override]
        first = _ITEM_MARK.match(state.line_from(state.cursor).rstrip("\n"))
        number = first["marker"][:-1] if first else ""
        if first is None or not first["text"].strip() or (number and int(number) != 1):
            # An empty item, or a list that does not begin at 1, can't interrupt a paragraph. mistune also takes
            # digits of other scripts for a list's number: that is text.
            end: int | None = state.append_paragraph()
            if end or first is None:
                return end
        items = []
        position: int = state.cursor
        item: Match[str] | None = first
        while item:
            position, token, item = self._read_item(item, position, state)
            items.append(token)
        state.append_token(
            {"type": "list", "children": items, "line": items[0]["line"], "end_line": items[-1]["end_line"]}
        )
        return position

    def _read_item(
        self, mark: Match[str], position: int, state: _State
    ) -> tuple[int, dict[str, Any], Match[str] | None]:
        """Read one item; gives the offset past it, its token, and the mark of the item that follows it, if any."""
        first_line = state.line_at(position)
        gap = len(mark["gap"])
        # One space, then, is the mark's; five and more open indented code.
        used = gap if 1 <= gap <= 4 and mark["text"].strip() else 1
        width = len(mark["indent"]) + len(mark["marker"]) + used
        text = state.line_from(position).rstrip("\n")[width:]
        lines, lazy, inside = [text], [], _Inside()
        inside.read(text)
        position += len(state.line_from(position))
        end, size = position, 1
        following: Match[str] | None = None
        blank_above = not text.strip()
        ended = False  # an item can begin with at most one blank line
        while position < state.cursor_max:
            line = state.line_from(position)
            bare = line.rstrip("\n")
            if not bare.strip():
                ended = ended or (size == 1 and not lines[0].strip())
                inside.read("")
                lines.append("")
                blank_above = True
            elif bare.startswith(" " * width):
                if ended:
                    break
                inside.read(bare[width:])
                lines.append(bare[width:])
                blank_above = False
                end, size = position + len(line), len(lines)
            elif _RULE.match(bare):
                break
            elif (sibling := _ITEM_MARK.match(bare)) and _is_mark(sibling):
                if sibling["marker"][-1] == mark["marker"][-1]:
                    following = sibling
                    end = position
                break
            elif inside.paragraph_open and not blank_above and not _starts_block(line):
                lazy.append(len(lines))
                lines.append(bare)
                end, size = position + len(line), len(lines)
            else:
                break
            position += len(line)
        child = state.child(lines[:size], first_line, lazy)
        self._parse_inside(child)
        token = {
            "type": "list_item",
            "children": child.tokens,
            "line": first_line,
            "end_line": first_line + size - 1,
        }
        return end, token, following

    def _parse_inside(self, child: _State) -> None:
        self.parse(child, self._leaf_rules if child.level >= MAX_DEPTH else self.rules)


class _Inside:
    """Whether a container's last line leaves a paragraph open, so that a line without its mark still belongs to it."""

    def __init__(self) -> None:
        self.paragraph_open = False
        self._fence: str | None = None
        self._html_end: str | None = None

    def read(self, line: str) -> None:
        marks = None if self.paragraph_open and line.startswith("    ") else _NESTED_MARKS.match(line)
        text = line[marks.end() :] if marks and not _RULE.match(line) else line
        if self._fence:
            self.paragraph_open = False
            if closes_fence(text, self._fence) or closes_fence(text.lstrip(), self._fence):
                self._fence = None
        elif self._html_end is not None:
            self.paragraph_open = False
            if (self._html_end in text.lower()) if self._html_end else not text.strip():
                self._html_end = None
        elif not text.strip():
            self.paragraph_open = False
        elif fence := opens_fence(text):
            self._fence = fence
            self.paragraph_open = False
        elif _HTML_START.match(text) or (not self.paragraph_open and _LONE_TAG.match(text)):
            self.paragraph_open = False
            end = _html_end(text.lstrip())
            if not end or end not in text.lower():
                self._html_end = end or ""
        elif _HEADING.match(text) or _RULE.match(text) or (self.paragraph_open and _UNDERLINE.match(text)):
            self.paragraph_open = False
        else:
            # Four spaces are indented code, which no line without a mark can continue.
            self.paragraph_open = self.paragraph_open or not text.startswith("    ")


def _starts_block(line: str) -> bool:
    """True where a line begins a block of its own although the paragraph above it is open."""
    bare = line.rstrip("\n")
    if not bare.strip():
        return True
    mark = _ITEM_MARK.match(bare)
    return bool(
        (mark and _is_mark(mark))
        or _QUOTE_MARK.match(bare)
        or _HEADING.match(bare)
        or _RULE.match(bare)
        or opens_fence(bare)
        or _HTML_START.match(bare)
    )


def _is_mark(mark: Match[str]) -> bool:
    """True where a bullet or number is followed by a space or by nothing: "-1" is no list item."""
    return bool(mark["gap"]) or not mark["text"]


def _is_closed_fence(source: str) -> bool:
    first, _, rest = source.partition("\n")
    fence = opens_fence(first)
    last = rest.rstrip("\n").rpartition("\n")[2]
    return bool(fence and rest and closes_fence(last, fence))


def _html_end(source: str) -> str:
    """The mark that ends an HTML block which opens like this; "" for one that a blank line ends."""
    lowered = source[:40].lower()
    for opening, ending in _HTML_ENDS:
        if lowered.startswith(opening):
            return ending
    raw = _RAW_TAG.match(source)
    return f"</{raw.group(1).lower()}>" if raw else ""


def _is_closed_html(source: str) -> bool:
    source = source.lstrip()
    end = _html_end(source)
    return not end or end in source.lower()[2:]


def _join(lines: Sequence[str]) -> str:
    """The source of these lines; one of spaces alone is empty, or mistune takes it for indented code."""
    return "".join(f"{line}\n" if line.strip(" \t") else "\n" for line in lines)


def _expand_tabs(line: str) -> str:
    """The line with the tabs before its text as spaces: a tab stop is a multiple of four columns of the file."""
    if "\t" not in line:
        return line
    prefix = _PREFIX_WITH_TAB.match(line)
    return prefix.group().expandtabs(4) + line[prefix.end() :] if prefix else line


def _to_blocks(tokens: list[dict[str, Any]]) -> tuple[Block, ...]:
    return tuple(_to_block(token) for token in tokens if token["type"] != "blank_line")


def _to_block(token: dict[str, Any]) -> Block:
    kind: BlockKind
    text = ""
    if token["type"] == "block_code":
        kind = "fence" if token.get("style") == "fenced" else "indented"
        text = token.get("attrs", {}).get("info", "")
    else:
        kind = _KINDS[token["type"]]
        if kind == "heading":
            text = token["text"].strip()
        elif kind == "html":
            text = token["raw"].rstrip("\n")
    return Block(
        kind=kind,
        line=token["line"],
        end_line=token["end_line"],
        level=token.get("attrs", {}).get("level", 0) if kind == "heading" else 0,
        text=text,
        closed=token.get("closed", True),
        children=_to_blocks(token.get("children", [])),
    )


_PARSER = _Parser()
