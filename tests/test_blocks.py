"""Blocks stand on the lines they stand on: compared with a second parser, which knows its lines by itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mdtally import blocks
from mdtally.model import Block
from mdtally.source import read, split_lines

Place = tuple[str, int, int]

KINDS = {
    "heading_open": "heading",
    "paragraph_open": "paragraph",
    "blockquote_open": "quote",
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "list_item_open": "item",
    "fence": "fence",
    "code_block": "indented",
    "html_block": "html",
    "hr": "rule",
}


def walk(found: Sequence[Block]) -> Iterator[Block]:
    for block in found:
        yield block
        yield from walk(block.children)


def without_blank_end(lines: Sequence[str], start: int, end: int) -> int:
    """Parsers differ on whether the blank lines below a block are its own; nobody needs to know."""
    while end > start and not lines[end - 1].strip(" >\t"):
        end -= 1
    return end


def ours(lines: Sequence[str]) -> list[Place]:
    return [
        (block.kind, block.line, without_blank_end(lines, block.line, block.end_line))
        for block in walk(blocks.parse(lines))
        if block.kind != "definition"
    ]


def theirs(lines: Sequence[str]) -> list[Place]:
    markdown_it = pytest.importorskip("markdown_it")
    parser = markdown_it.MarkdownIt("commonmark", {"maxNesting": 200})
    parser.core.ruler.enableOnly(["normalize", "block"])
    places = []
    for token in parser.parse("\n".join(lines) + "\n"):
        if token.type in KINDS:
            start, end = token.map
            places.append((KINDS[token.type], start + 1, without_blank_end(lines, start + 1, end)))
    return places


# -- compared with markdown-it-py -------------------------------------------------------------------------------------

LEAVES = st.sampled_from(
    [
        ["text"],
        ["two lines", "of text"],
        ["## heading"],
        ["setext", "==="],
        ["***"],
        ["```python", "code", "", "# more", "```"],
        ["~~~", "```", "~~~"],
        ["<!-- a comment", "", "over lines -->"],
        ["<div>", "text", "</div>"],
        ["<session id='1' />"],
        ["| a | b |", "| - | - |", "| 1 | 2 |"],
        ["    indented", "", "    code"],
        ["A_P: 3"],
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
    """Kinds, first and last lines of all blocks, however nested."""
    lines = joined(parts)
    assert ours(lines) == theirs(lines)


@settings(deadline=None)
@given(
    st.lists(
        st.sampled_from(
            # Without empty items and indented code: there the two parsers, and others, read such a jumble differently.
            ["> a", "- b", "1. c", "## d", "e", "", "```", "  f", "> - g", ">", "---"]
        ),
        max_size=10,
    )
)
def test_lines_in_any_order_read_as_markdown_it_reads_them(lines: list[str]) -> None:
    """Blocks that interrupt one another without blank lines between, as in notes typed in haste."""
    assert ours(lines) == theirs(lines)


def test_real_transcripts_read_as_markdown_it_reads_them(shared: Path) -> None:
    """No difference in any block of any real transcript."""
    for path in sorted((shared / "samples").rglob("*.md")):
        lines = split_lines(read(path.read_bytes()).body)
        assert ours(lines) == theirs(lines), path.name


# -- what the rest of the program relies on ---------------------------------------------------------------------------


@settings(deadline=None)
@given(st.lists(st.text(alphabet=">-*+#=`~<!/ \t1.)[]:ab", max_size=12), max_size=12), st.integers(1, 50))
def test_no_line_is_lost(lines: list[str], first_line: int) -> None:
    """Every line that is not blank lies in a top-level block; blocks lie in order, children in their parents."""
    found = blocks.parse(lines, first_line=first_line)
    covered = {number for block in found for number in range(block.line, block.end_line + 1)}
    assert {first_line + index for index, line in enumerate(lines) if line.strip()} <= covered
    last = first_line - 1
    for block in found:
        assert last < block.line <= block.end_line < first_line + len(lines)
        last = block.end_line
    for parent in walk(found):
        assert all(parent.line <= child.line <= child.end_line <= parent.end_line for child in parent.children)


def test_a_quote_does_not_swallow_the_heading_below_it() -> None:
    """The next round's heading stands right below a quotation in many debates."""
    quote, heading = blocks.parse(["> a", "## Round 2"])
    assert (quote.kind, quote.end_line) == ("quote", 1)
    assert (heading.kind, heading.line, heading.level, heading.text) == ("heading", 2, 2, "Round 2")


def test_quotes_and_lists_that_follow_each_other_end_nowhere() -> None:
    """A thousand of them are a thousand of them, in order: no recursion over siblings."""
    found = blocks.parse(["> a", "- b"] * 1000)
    assert [(block.kind, block.line) for block in found] == [
        (kind, number) for number, kind in enumerate(["quote", "list"] * 1000, 1)
    ]


@pytest.mark.parametrize("mark", ["> ", "- ", "1. ", "> - "])
@pytest.mark.parametrize("depth", [21, 40, 500])
def test_deep_nesting_keeps_the_text(mark: str, depth: int) -> None:
    """Beyond 20 levels blocks still nest; beyond any sense the text stays where it is."""
    found = blocks.parse([mark * depth + "text", "", "## after"])
    kinds = [block.kind for block in walk(found)]
    containers = sum(kind in ("quote", "list") for kind in kinds)
    assert containers == min(depth * (1 + (mark == "> - ")), blocks.MAX_DEPTH)
    assert kinds[-2:] == ["paragraph", "heading"]


@pytest.mark.parametrize(
    ("lines", "closed", "info"),
    [
        (["```python title=x", "a", "```"], True, "python title=x"),
        (["```", "a"], False, ""),
        (["```", "a", "``"], False, ""),
        (["````", "```", "a", "```"], False, ""),
        (["~~~", "a", "```"], False, ""),
        (["```", "a", "````  "], True, ""),
        (["```"], False, ""),
        (["```", "```"], True, ""),
    ],
)
def test_a_fence_knows_its_info_and_whether_it_is_closed(lines: list[str], closed: bool, info: str) -> None:
    (fence,) = blocks.parse(lines)
    assert (fence.kind, fence.closed, fence.text, fence.end_line) == ("fence", closed, info, len(lines))


def test_a_fence_in_a_quote_is_open_when_the_quote_ends() -> None:
    """The quote's end closes it for a renderer; that nobody closed it is still known."""
    quote, paragraph = blocks.parse(["> ```", "> a", "text"])
    assert (quote.end_line, quote.children[0].closed, paragraph.line) == (2, False, 3)


@pytest.mark.parametrize(
    ("lines", "closed", "end_line"),
    [
        (["<!-- a -->"], True, 1),
        (["<!-- a", "", "b -->"], True, 3),
        (["<!-- a", "", "b"], False, 3),
        (["<pre>", "", "b"], False, 3),
        (["<div>", "b"], True, 2),
    ],
)
def test_html_knows_whether_it_is_closed(lines: list[str], closed: bool, end_line: int) -> None:
    (html,) = blocks.parse(lines)
    assert (html.kind, html.closed, html.end_line) == ("html", closed, end_line)


def test_a_definition_is_a_block() -> None:
    """A link's definition has no text, but its line is somebody's."""
    assert [block.kind for block in blocks.parse(["[a]: https://example.org", "", "text"])] == [
        "definition",
        "paragraph",
    ]


def test_digits_of_other_scripts_open_no_list() -> None:
    """mistune takes them for a list's number."""
    assert [block.kind for block in blocks.parse(["١. a"])] == ["paragraph"]


def test_lines_are_counted_from_where_the_body_begins() -> None:
    assert blocks.parse(["", "# a"], first_line=10)[0].line == 11
