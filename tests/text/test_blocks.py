"""Blocks stand on the lines they stand on: compared with a second parser, which knows its lines by itself."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mdtally.text import blocks
from mdtally.text.lines import scan, without_hidden
from mdtally.text.source import read_source, split_lines

KINDS = {"heading_open": "heading", "paragraph_open": "paragraph", "hr": "rule"}


def ours(lines: Sequence[str]) -> list[tuple[str, int, int]]:
    return [(block.kind, block.first + 1, block.last + 1) for block in blocks.parse(lines)]


def theirs(lines: Sequence[str]) -> list[tuple[str, int, int]]:
    markdown_it = pytest.importorskip("markdown_it")
    parser = markdown_it.MarkdownIt("commonmark", {"maxNesting": 200}).disable(["code", "fence", "html_block"])
    parser.core.ruler.enableOnly(["normalize", "block"])
    tokens = parser.parse("\n".join(lines) + "\n")
    return [(KINDS[token.type], token.map[0] + 1, token.map[1]) for token in tokens if token.type in KINDS]


# -- compared with markdown-it-py -------------------------------------------------------------------------------------

LEAVES = st.sampled_from(
    [
        ["text"],
        ["two lines", "of text"],
        ["## heading"],
        ["setext", "==="],
        ["***"],
        ["| a | b |", "| - | - |", "| 1 | 2 |"],
        ["A_P: 3"],
        ["[A_P: over", "two lines]"],
    ]
)


def quoted(parts: list[list[str]]) -> list[str]:
    return [f"> {line}".rstrip() for line in joined(parts)]


def listed(parts: list[list[str]]) -> list[str]:
    lines = joined(parts)
    return [f"- {lines[0].lstrip()}", *(f"  {line}".rstrip() for line in lines[1:])]


def numbered(parts: list[list[str]]) -> list[str]:
    lines = joined(parts)
    return [f"1. {lines[0].lstrip()}", *(f"   {line}".rstrip() for line in lines[1:])]


def joined(parts: list[list[str]]) -> list[str]:
    lines = list(parts[0])
    for part in parts[1:]:
        lines += ["", *part]
    return lines


BLOCKS = st.recursive(
    LEAVES,
    lambda inner: st.tuples(st.sampled_from([quoted, listed, numbered]), st.lists(inner, min_size=1, max_size=3)).map(
        lambda pair: pair[0](pair[1])
    ),
    max_leaves=8,
)


@settings(deadline=None)
@given(st.lists(BLOCKS, min_size=1, max_size=6))
def test_generated_documents_read_as_markdown_it_reads_them(parts: list[list[str]]) -> None:
    """Kinds, first and last lines of all text, however it is nested."""
    lines = joined(parts)
    assert ours(lines) == theirs(lines)


# -- what the rest of the program relies on ---------------------------------------------------------------------------


@settings(deadline=None)
@given(st.lists(st.text(alphabet=">-*+#=`~<!/ \t1.)[]:ab", max_size=12), max_size=12), st.integers(0, 50))
def test_no_line_is_lost(lines: list[str], first: int) -> None:
    """Every line with a letter lies in a block; blocks lie in order."""
    found = list(blocks.parse(lines, first))
    covered = {row for block in found for row in range(block.first, block.last + 1)}
    assert {row for row, line in enumerate(lines, first) if "a" in line or "b" in line} <= covered
    last = first - 1
    for block in found:
        assert last < block.first <= block.last < first + len(lines)
        last = block.last


def test_no_line_of_a_real_transcript_is_lost(shared: Path) -> None:
    for path in sorted((shared / "samples").rglob("*.md")):
        lines = split_lines(read_source(path.read_bytes()).body)
        shown = without_hidden(lines, scan(lines))
        covered = {row for block in blocks.parse(shown) for row in range(block.first, block.last + 1)}
        words = {row for row, line in enumerate(shown) if any(character.isalpha() for character in line)}
        assert words <= covered, path.name


def test_a_quote_does_not_swallow_the_heading_below_it() -> None:
    """The next round's heading stands right below a quotation in many debates."""
    assert ours(["> a", "## Round 2"]) == [("paragraph", 1, 1), ("heading", 2, 2)]


def test_quotes_and_lists_that_follow_each_other_end_nowhere() -> None:
    """A thousand of them are a thousand of them, in order: no recursion over siblings."""
    assert ours(["> a", "- b"] * 1000) == [("paragraph", number, number) for number in range(1, 2001)]


@pytest.mark.parametrize("mark", ["> ", "- ", "1. ", "> - "])
def test_deep_nesting_keeps_the_text(mark: str) -> None:
    assert ours([mark * 500 + "text", "", "## after"]) == [("paragraph", 1, 1), ("heading", 3, 3)]


def test_lines_are_counted_from_where_the_body_begins() -> None:
    assert [block.first for block in blocks.parse(["", "# a"], 10)] == [11]
