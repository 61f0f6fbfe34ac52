"""The scanner of lines: what is code, a heading or a comment, and that it takes time in proportion to the file."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from steps import count_steps

from mdtally.text.layout import COMMENT, FENCE, INDENTED, RAW, Heading, Layout
from mdtally.text.lines import is_rule, scan


def show(text: str, *labels: int) -> tuple[str, Layout]:
    """The kinds of a text's lines, a character a line: "." for text, else F, I, R or C."""
    layout = scan(text.split("\n"), 0, labels)
    return "".join(".FIRC"[kind] for kind in layout.kinds), layout


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("a\n```\nb\n```\nc", ".FFF."),
        ("~~~ py\n```\n~~~\nc", "FFF."),
        ("````\n```\nb\n```\n````\nc", "FFFFF."),
        ("```\nb\n`````\nc", "FFF."),
        ("``` a`b\nc", ".."),  # backticks behind the mark: a code span
        ("    ```\n\na", "I.."),
        ("text\n    ```\na", "..."),
        ("- a\n  ```\n  b\n  ```\n- c", ".FFF."),
        ("- ```\n  b\n  ```\nc", "FFF."),
        ("* a\n  * ```\n    b\n    ```\n* c", ".FFF."),
        ("1. a\n\n     ```\n     b\n     ```\nc", "..FFF."),
        ("- a\n  - b\n\n    ```\n    c\n\nd", "...FF.."),  # the item's end closes it
        ("> ```\n> b\n> ```\nc", "FFF."),
        ("> ```\n> b\n\nc", "FF.."),  # the quote's end closes it
        ("> > ```\n> > b\n> c", "FF."),
        ("- a\n\n  > ```\n  > b\n  > ```\n\n    - c", "..FFF.."),
        ("a\n\n    b\n\tc\nd", "..II."),
        ("a\n    b", ".."),
        ("# a\n    b", ".I"),
        ("- a\n\n    b\n\n      c\n\nd\n\n    e", "....I...I"),
        ("- a\n    - b\n\n        c\n\n          d", "....." + "I"),
        (">     a\n> b", "I."),
        ("<pre>\na\n</pre>\nb", "RRR."),
        ("<PRE>a</pre>\nb", "R."),
        ("<pre>\nb", ".."),  # never closed: text
        ("<div>\na\n</div>", "..."),
        ("a\n<!--\nb\n\nc\n-->\nd", ".CCCCC."),
        ("a <!-- b\nc --> d\ne", "..."),
        ("a <!-- b\nc -->\nd", ".C."),
        ("a <!-- b\n\nc -->", "..."),  # ends with its paragraph, so nothing closes it
        ("<!-- a\n\nb\n\n<!-- c -->", "....."),  # another one opens first
        ("`<!--`\na\n-->", "..."),
        ("\\<!-- a\n-->", ".."),
        ("%%\na\n%%\nb", "CCC."),
        ("%% a\nb %%\nc", "CC."),
        ("100%% a\nb\n50%%", "..."),
        ("%% a %% b\nc\n%% d %%", "..."),
        ("%%time\na\n%%", "..."),
    ],
)
def test_what_is_hidden(text: str, kinds: str) -> None:
    assert show(text)[0] == kinds


def test_kinds_have_names() -> None:
    assert (FENCE, INDENTED, RAW, COMMENT) == (1, 2, 3, 4)


@pytest.mark.parametrize(
    ("text", "headings"),
    [
        ("# A\n##  B ##\n### C#\n#D\n####### E\n#", [(0, 1, "A"), (1, 2, "B"), (2, 3, "C#")]),
        ("   ## A\n\n    ## B", [(0, 2, "A")]),
        ("A\n=====\n\nB\n---", [(0, 1, "A"), (3, 2, "B")]),
        ("That is all.\n---\n\nB", []),  # a row between posts
        ("a\nb\n---", []),
        ("- a\n---", []),
        ("> a\n---", []),
        ("# A\n---", [(0, 1, "A")]),
        ("```\n# A\n```\n<!--\n# B\n-->\n# C", [(6, 1, "C")]),
        ("> # A", []),
    ],
)
def test_headings(text: str, headings: list[tuple[int, int, str]]) -> None:
    assert tuple(show(text)[1].headings) == tuple(Heading(*each) for each in headings)


def test_a_fence_that_is_never_closed_is_text_and_reported() -> None:
    kinds, layout = show("a\n```py\nb\n# C")
    assert kinds == "...."
    assert [(fence.first, fence.last, fence.closing) for fence in layout.fences] == [(1, None, "```")]
    assert layout.headings


def test_a_fence_that_is_never_closed_ends_at_a_label() -> None:
    kinds, layout = show("```\na\n**Ada:** b\nc", 2)
    assert kinds == "FF.."
    assert layout.fences[0].recovered


def test_a_well_made_fence_may_quote_a_label() -> None:
    kinds, layout = show("Look:\n\n```\n**Ada:** b\n```\nc", 3)
    assert kinds == "..FFF."
    assert not layout.fences[0].recovered


def test_a_fence_around_nearly_all_is_none_if_a_label_is_in_it() -> None:
    text = "```\n**Ada:** b\n\n    c\n\n**Ben:** d\n```"
    assert show(text, 1, 5)[0] == "C..I..C"
    assert show(text.replace("```", "<pre>", 1).replace("```", "</pre>"), 1, 5)[0] == "C..I..C"
    kinds, layout = show(text)
    assert kinds == "FFFFFFF"
    assert layout.fences[0].is_around
    assert layout.is_in_doubt


def test_plain_fences_that_hold_every_given_label_are_none() -> None:
    """Who pastes a chat into a note puts it into a fence; a language's name, or a label outside, makes it code.

    A label in other code changes nothing.
    """
    lines = "Notes\n\nof mine\n```\nMe: a\nBot: b\n```\n~~~ text\nMe: c\n~~~\n``` sh\nd\n```".split("\n")
    cases = (
        ((4, 5, 8), "...C..CC.CFFF"),
        ((4, 5), "...C..CFFFFFF"),
        ((2, 4, 5), "...FFFFFFFFFF"),
        ((4,), "...FFFFFFFFFF"),
    )
    for labels, kinds in (*cases, ((4, 5, 11), "...C..CFFFFFF")):
        layout = scan(lines, 0, labels, scan(lines).opened_by(labels))
        assert "".join(".FIRC"[kind] for kind in layout.kinds) == kinds
    assert scan(lines, 0, (4, 5, 8)).kinds == scan(lines).kinds


def test_a_pasted_closing_fence_ends_at_a_label() -> None:
    """A line that looks like the end of a fence further up, or in which another fence opens, is believed to a label."""
    assert show("text\n```\n\n**Ada:** b\n```\nc", 3)[0] == ".FF..."
    assert show("```\na\n**Ada:** b\n```py\nc\n```\n", 2)[0] == "FF.FFF."


def test_fences_inside_a_fence_are_named() -> None:
    assert show("```\na\n```py\nb\n```\nc")[1].fences[0].inner == 2
    assert show("```\na\n```\n\n```py\nb\n```")[1].fences[0].inner is None


def test_places_of_comments() -> None:
    layout = show("a <!-- b --> `<!--` <!-- c\nd --> e\n\n<!-- f")[1]
    places = [(each.first, each.column, each.last, each.end, each.closed) for each in layout.comments]
    assert places == [(0, 2, 0, 12, True), (0, 20, 1, 5, True), (3, 0, 3, 4, False)]


def test_lines_above_the_body_are_text() -> None:
    assert scan(["---", "```", "---", "```", "a", "```"], 3).kinds == b"\0\0\0\1\1\1"


def test_rules() -> None:
    assert all(map(is_rule, ("---", "* * *", "___", "   - - -  ")))
    assert not any(map(is_rule, ("--", "--- a", "    ---", "-*-", "")))


PIECES = ["```", "````", "~~~", "```py", "<!--", "-->", "%%", "<pre>", "</pre>", "> ", "- ", "1. ", "    ", "\t", "# "]


@given(
    st.lists(st.lists(st.sampled_from([*PIECES, "a", "---", " ", "`", "==="]), max_size=4).map("".join), max_size=14)
)
def test_whatever_the_lines(lines: list[str]) -> None:
    """Places lie in the file; what is closed is hidden; labels are never indented code."""
    layout = scan(lines)
    assert len(layout.kinds) == len(layout.hidden) == len(lines)
    for fence in layout.fences:
        assert fence.first < len(lines)
        assert fence.last is None or fence.first <= fence.last < len(lines)
        if fence.last is not None:
            assert all(layout.hidden[fence.first : fence.last + 1])
    for comment in layout.comments:
        opened = lines[comment.first][comment.column :]
        assert opened.startswith(comment.mark)
        if comment.closed:
            assert lines[comment.last][: comment.end].endswith("-->" if comment.mark == "<!--" else "%%")
    assert not any(layout.hidden[heading.row] for heading in layout.headings)
    labels = [index for index in range(len(lines)) if lines[index]]
    assert INDENTED not in scan(lines, 0, labels).kinds


@pytest.mark.parametrize(
    "unit",
    [
        "````\n~~~~\n```x",
        "<!-- a",
        "a <!-- a",
        "<pre>",
        "> ```",
        "- a\n     ```\n   x",
        "%% a\nb",
        "- a\n    - b\n\n     c",
    ],
)
def test_work_grows_with_the_size(unit: str) -> None:
    """Ten times the lines take at most eleven times the steps of the interpreter, whatever is left open."""
    lines = (unit + "\n").split("\n")
    scan(lines)  # expressions are compiled when they are first used
    assert count_steps(lambda: scan(lines * 400)) <= 11 * count_steps(lambda: scan(lines * 40))


# -- compared with markdown-it-py, on Markdown that is well made ------------------------------------------------------

LEAVES = st.sampled_from(
    [
        ["text"],
        ["two lines", "of text"],
        ["## heading"],
        ["***"],
        ["```python", "code", "", "# more", "```"],
        ["~~~", "```", "~~~"],
        ["````", "```", "a", "```", "````"],
        ["    indented", "", "    code"],
        ["| a | b |", "| - | - |"],
        ["<!-- a comment", "", "over lines -->"],
    ]
)


def joined(parts: list[list[str]]) -> list[str]:
    return [line for part in parts for line in ["", *part]][1:]


def quoted(parts: list[list[str]]) -> list[str]:
    return [f"> {line}".rstrip() for line in joined(parts)]


def listed(parts: list[list[str]]) -> list[str]:
    # An item that begins with code or a comment is written by nobody.
    lines = joined([["text"], *parts])
    return [f"- {lines[0]}", *(f"  {line}".rstrip() for line in lines[1:])]


def numbered(parts: list[list[str]]) -> list[str]:
    lines = joined([["text"], *parts])
    return [f"12. {lines[0]}", *(f"    {line}".rstrip() for line in lines[1:])]


BLOCKS = st.recursive(
    LEAVES,
    lambda inner: st.tuples(st.sampled_from([quoted, listed, numbered]), st.lists(inner, min_size=1, max_size=3)).map(
        lambda pair: pair[0](pair[1])
    ),
    max_leaves=8,
)


@given(st.lists(BLOCKS, min_size=1, max_size=6))
def test_code_is_what_markdown_it_calls_code(parts: list[list[str]]) -> None:
    """Fences and indented code, however they are nested; blank lines belong to anybody."""
    markdown_it = pytest.importorskip("markdown_it")
    lines = joined(parts)
    code: set[int] = set()
    for token in markdown_it.MarkdownIt("commonmark", {"maxNesting": 200}).parse("\n".join(lines) + "\n"):
        if token.type in ("fence", "code_block"):
            code.update(range(*token.map))
    kinds = scan(lines).kinds
    shown = {index for index, line in enumerate(lines) if line.strip(" >")}
    assert {index for index in shown if kinds[index] in (FENCE, INDENTED)} == code & shown


def test_a_blank_that_is_no_space_is_no_title() -> None:
    """A line of a character that only Unicode counts as white space, above a row of hyphens, was a crash."""
    assert [heading.text for heading in scan(["\x85", "---", "", "x", "---"]).headings] == ["x"]
