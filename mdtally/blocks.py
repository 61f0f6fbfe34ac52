"""Which lines of a body belong to one paragraph, heading, rule or link definition.

That is mistune's knowledge, so this module is its only importer, and it is imported only for files that mention a
counter. mistune has no part in code and comments, which `lines` finds and the caller blanks, nor in quotes and lists:
their marks are taken off here, line by line, because mistune lets a quote swallow the heading below it and recurses
once for each quote and list that follow each other. mistune does not know where a block stood, so its parser
is watched while it works: the state's cursor is the offset of a block's first character.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from re import Match
from typing import Any, Literal, NamedTuple

from mistune.block_parser import BlockParser
from mistune.core import BlockState

from mdtally.lines import is_rule
from mdtally.regex import regex

BlockKind = Literal["paragraph", "heading", "rule", "definition"]


class Block(NamedTuple):
    """A block of text: what it is, and its first and last line in the file, 1-based. A table is a paragraph."""

    kind: BlockKind
    line: int
    end_line: int


_KINDS: dict[str, BlockKind] = {
    "paragraph": "paragraph",
    "heading": "heading",
    "thematic_break": "rule",
    "definition": "definition",
}
_RULES = ["atx_heading", "setex_heading", "thematic_break", "ref_link", "blank_line"]
_QUOTES = regex(r"(?:[ \t]*>)*[ \t]*")
_ITEM = regex(r"(?:(?:[-*+]|[0-9]{1,9}[.)])(?:[ \t]+|$)|>[ \t]*)+")


def parse(lines: Sequence[str], *, first_line: int = 1) -> tuple[Block, ...]:
    """Parse the lines of a body into blocks.

    Args:
        lines: lines without line ends, frontmatter, BOM, code and comments.
        first_line: the number in the file of the first of them.

    Returns:
        the blocks in order, those in quotes and lists among them. A block ends where a quote or a list item begins.
        Every line with text other than marks belongs to a block. Time grows with the number of characters.
    """
    texts: list[str] = []
    numbers: list[int] = []
    depth = 0
    for number, line in enumerate(lines, first_line):
        quotes = _QUOTES.match(line)
        text = line[quotes.end() :] if quotes else line
        deeper = quotes.group().count(">") if quotes else 0
        item = None if is_rule(text) else _ITEM.match(text)
        if item or deeper > depth:
            texts.append("")
            numbers.append(number)
        if item:
            text = text[item.end() :]
            deeper += item.group().count(">")
        depth = deeper
        texts.append(text)
        numbers.append(number)
    state = _State()
    state.process("".join(f"{text}\n" if text.strip() else "\n" for text in texts))
    _PARSER.parse(state)
    tokens = [token for token in state.tokens if token["type"] in _KINDS]
    return tuple(Block(_KINDS[token["type"]], numbers[token["first"]], numbers[token["last"]]) for token in tokens)


class _State(BlockState):
    """A source being parsed, which knows the index of the line of each of its offsets."""

    def process(self, src: str) -> None:
        super().process(src)
        self._starts = [0, *(match.end() for match in re.finditer("\n", src))]

    def line_at(self, offset: int) -> int:
        return bisect_right(self._starts, offset) - 1

    def add_paragraph(self, text: str) -> None:
        super().add_paragraph(text)
        self.mark_paragraph(len(text))

    def append_paragraph(self) -> int | None:
        end = super().append_paragraph()
        if end is not None:
            self.mark_paragraph(end - self.cursor)
        return end

    def mark_paragraph(self, size: int) -> None:
        token = self.tokens[-1]
        token.setdefault("first", self.line_at(self.cursor))
        token["last"] = self.line_at(self.cursor + size - 1)


class _Parser(BlockParser):
    """mistune's block parser without containers, code and HTML, watched."""

    state_cls = _State

    def __init__(self) -> None:
        super().__init__()
        self.rules = list(_RULES)

    def parse_method(self, m: Match[str], state: Any) -> int | None:
        start = state.cursor
        end = super().parse_method(m, state)
        token = state.last_token()
        if end and token and "last" not in token:
            token["first"] = state.line_at(start)
            token["last"] = state.line_at(start + max(len(state.src[start:end].rstrip()), 1) - 1)
        return end

    def parse_setex_heading(self, m: Match[str], state: Any) -> int | None:
        last = state.last_token()
        underlines = last and last["type"] == "paragraph"
        end = super().parse_setex_heading(m, state)
        if underlines:
            last["last"] = state.line_at(state.cursor)
        return end

    def parse_ref_link(self, m: Match[str], state: Any) -> int | None:
        last = state.last_token()
        end = super().parse_ref_link(m, state)
        if end and not (last and last["type"] == "paragraph"):
            state.append_token({"type": "definition"})
        return end


_PARSER = _Parser()
