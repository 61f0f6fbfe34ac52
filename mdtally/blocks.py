"""Which lines of a body belong to one paragraph, heading or rule.

That is mistune's knowledge, so this module is its only importer, and it is imported only for files that mention a
counter. mistune has no part in code and comments, which `lines` finds and the caller blanks, nor in quotes and lists:
their marks are taken off here, line by line, because mistune lets a quote swallow the heading below it and recurses
once for each quote and list that follow each other. mistune does not say where a block stood, but blocks come in order
and every line with text is in one, so their lines are counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from mistune.block_parser import BlockParser
from mistune.core import BlockState

from mdtally.lines import is_rule
from mdtally.regex import regex

BlockKind = Literal["paragraph", "heading", "rule"]
_KINDS: dict[str, BlockKind] = {"paragraph": "paragraph", "heading": "heading", "thematic_break": "rule"}
_QUOTES = regex(r"(?:[ \t]*>)*[ \t]*")
_ITEM = regex(r"(?:(?:[-*+]|[0-9]{1,9}[.)])(?:[ \t]+|$)|>[ \t]*)+")
_PARSER = BlockParser()
_PARSER.rules = ["atx_heading", "setex_heading", "thematic_break", "blank_line"]


class Block(NamedTuple):
    """A block of text: what it is, and its first and last line in the file, 1-based. A table is a paragraph."""

    kind: BlockKind
    line: int
    end_line: int


def parse(lines: Sequence[str], *, first_line: int = 1) -> Iterator[Block]:
    """The blocks of a body, in order, those in quotes and lists among them.

    A block ends where a quote or a list item begins. Every line with text other than marks belongs to a block. The
    lines come without line ends, code and comments; `first_line` is the number in the file of the first.
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
        if item:
            text = text[item.end() :]
            deeper += item.group().count(">")
        depth = deeper
        texts.append(text if text.strip() else "")
        numbers += [number] if text.strip() else []
    state = BlockState()
    state.process("".join(f"{text}\n" for text in texts))
    _PARSER.parse(state)
    at = 0
    for token in state.tokens:
        if token["type"] in _KINDS:
            size = token.get("text", "").strip("\n").count("\n") + 1 if token.get("style") != "atx" else 1
            size += token.get("style") == "setext"
            yield Block(_KINDS[token["type"]], numbers[at], numbers[at + size - 1])
            at += size
