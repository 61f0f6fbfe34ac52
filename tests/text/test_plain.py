"""Markdown to plain text: the marks are gone, every character is found again, and it takes time in proportion."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from steps import count_steps

from mdtally.text.plain import OPAQUE, Kind, to_plain


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("**A\\_P**: 3", "A_P: 3"),
        ("_A_P_ __x__ snake_case", "A_P x snake_case"),
        ("* a * b **c**", "* a * b c"),
        ("a `b *c*` d", f"a {OPAQUE} d"),
        ("a ``b ` c`` `open", f"a {OPAQUE} open"),
        ("`a\n\nb`", "a\n\nb"),  # nothing reaches over a blank line
        ("a [b *c*](http://x.y 'z') ![d](e.png)", "a b c d"),
        ("[a](said twice) [b](<c d>)", "[a](said twice) b"),
        ("see https://x.org/a_b, <mailto:a@b>", f"see {OPAQUE}, {OPAQUE}"),
        ("==a== b == c a==b", "a b == c a==b"),
        ("~~a *b*~~ c~", "a b c~"),
        ("<b>a</b><br>c <code>d</code> <del>e</del>", f"a\nc {OPAQUE} e"),
        ("a <!-- b --> c <!-- d", "a  c <!-- d"),
        ("a %%b%% c 100%% d %% e", "a  c 100%% d %% e"),
        ("a[^1] b", "a b"),
        ("Ａ＿Ｐ：5", "A_P:5"),
        ("a\u00a0b\tc", "a b c"),
        ("A\u200b_P", "A_P"),
        ("a&nbsp;b&#95;c &amp; &bogus;", "a b_c & &bogus;"),
        ("\\[a\\] b\\\nc", "[a] b\nc"),
        ("1 < 2 & 3 > 2", "1 < 2 & 3 > 2"),
        ("$a$", "$a$"),
    ],
)
def test_marks_are_taken_off(written: str, plain: str) -> None:
    assert to_plain(written).text == plain


def test_the_caller_says_what_is_shown() -> None:
    """Each kind of piece, what stands between its marks, and all of it."""
    seen = []

    def show(kind: Kind, inner: str, whole: str) -> str | None:
        seen.append((kind, inner, whole))
        return None if kind == "code" else ""

    assert to_plain("`*a*` [b](c) ~~d~~ $<!--e-->", show).text == "*a*   "
    assert seen == [
        ("code", "*a*", "`*a*`"),
        ("link", "b", "[b](c)"),
        ("struck", "d", "~~d~~"),
        ("math", "$", "$"),
        ("comment", "e", "<!--e-->"),
    ]


@pytest.mark.parametrize(
    ("written", "part", "original"),
    [
        ("x **A\\_P**: 3", "A_P", "A\\_P"),
        ("x **A\\_P**: 3", "A_P: 3", "A\\_P**: 3"),
        ("a `b` c", OPAQUE, "`b`"),
        ("a [b](c) d", "b d", "b](c) d"),
        ("&amp;", "&", "&amp;"),
    ],
)
def test_the_way_back(written: str, part: str, original: str) -> None:
    plain = to_plain(written)
    start = plain.text.index(part)
    span = plain.span(start, start + len(part))
    assert written[span.start : span.end] == original


MARKS = [
    "*",
    "**",
    "_",
    "`",
    "``",
    "~~",
    "==",
    "<!--",
    "-->",
    "[",
    "](",
    ")",
    "<code>",
    "</code>",
    "<br>",
    "\\",
    "$",
    "&amp;",
]
TEXTS = st.lists(
    st.sampled_from([*MARKS, "a", "B9", " ", "\n", "\n\n", "&amp;", "\u200b", "é", "：", "https://x"])
).map("".join)


@given(TEXTS)
def test_whatever_the_text(text: str) -> None:
    """Every character of plain text has its place, in order, and a copied one is the same character there."""
    plain = to_plain(text)
    last = 0
    for at in range(len(plain.text)):
        span = plain.span(at, at + 1)
        assert last <= span.start < span.end <= len(text)
        last = span.start
        if plain.text[at] in "aB9é":
            assert plain.text[at] in text[span.start : span.end]


@pytest.mark.parametrize("unit", ["~~a ", "==a ", "[a](", "[", "<a ", "<!-- ", "<code>", "` `` ", "](", "**a", "_a"])
def test_work_grows_with_the_size(unit: str) -> None:
    """Ten times the text takes at most eleven times the steps of the interpreter, whatever is left open."""
    to_plain(unit)  # expressions are compiled when first used
    assert count_steps(lambda: to_plain(unit * 1000)) <= 11 * count_steps(lambda: to_plain(unit * 100))
