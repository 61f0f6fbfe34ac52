"""Decoding and the lossless cut: whatever the bytes, the parts joined are the bytes again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdtally.text import frontmatter
from mdtally.text.model import Source
from mdtally.text.source import UnreadableError, encode, line_starts, lines_with_ends, read_source, split_lines


def cut(data: bytes) -> Source:
    return frontmatter.read(read_source(data))[0]


PIECES = st.lists(
    st.sampled_from(
        ["---", "+++", "...", "{", "}", "a: 1", "a = 1", "", " ", "text", "\r", "\r\n", "\n", "\x0c", "\u2028"]
    ),
    max_size=20,
).map("".join)


@given(PIECES | st.text(alphabet=st.characters(exclude_characters="\0", exclude_categories=["Cs"])), st.booleans())
def test_the_parts_joined_are_the_file(text: str, bom: bool) -> None:
    """No byte is lost or changed between reading and encoding, with any newline and with or without a BOM."""
    data = ("\ufeff" if bom else "").encode() + text.encode()
    assert encode(cut(data)) == data


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_utf_16_with_a_bom_is_read_and_written_back(codec: str) -> None:
    """Some editors on Windows save notes as UTF-16; they come back as the same bytes."""
    data = "\ufeff---\na: 1\n---\nGrüße\n".encode(codec)
    source = cut(data)
    assert source.head == "---\na: 1\n---\n"
    assert encode(source) == data


@pytest.mark.parametrize(
    ("text", "head"),
    [
        ("---\na: 1\n---\nbody", "---\na: 1\n---\n"),
        ("---\r\na: 1\r\n---\r\nbody", "---\r\na: 1\r\n---\r\n"),
        ("---\ra: 1\r---\rbody", "---\ra: 1\r---\r"),
        ("---  \na: 1\n...\nbody", "---  \na: 1\n...\n"),
        ("---\na: 1\n---", "---\na: 1\n---"),
        ("+++\na = 1\n+++\nbody", "+++\na = 1\n+++\n"),
        ("---\n\na: 1\n---\n", "---\n\na: 1\n---\n"),
        ("---\na: 1\n", ""),  # never closed
        ("----\na: 1\n----\n", ""),
        ("text\n---\na: 1\n---\n", ""),
        ("{% include x %}\n", ""),
        ('{"a": 1}\nbody', ""),
    ],
)
def test_where_the_head_ends(text: str, head: str) -> None:
    """A head is what opens the file, with its closing fence and that line's end."""
    assert cut(text.encode()).head == head


@pytest.mark.parametrize(
    ("data", "words"), [(b"a\0b", "NUL"), (b"ok\n\xff\xfe\xfa", "line 2"), (b"\x89PNG\r\n\x1a\n\0\0", "NUL")]
)
def test_what_is_no_text_says_so(data: bytes, words: str) -> None:
    """Binary and badly encoded files get one clear sentence."""
    with pytest.raises(UnreadableError, match=words):
        read_source(data)


def test_lines_end_at_newlines_only() -> None:
    """Form feeds and Unicode separators are characters of a line."""
    assert split_lines("a\nb\r\nc\rd\x0ce\u2028f\n") == ("a", "b", "c", "d\x0ce\u2028f")
    assert split_lines("") == ()
    assert split_lines("\n") == ("",)


@given(PIECES)
def test_lines_with_their_ends_are_the_text(text: str) -> None:
    """The three ways to take a text by lines agree."""
    lines = lines_with_ends(text)
    assert "".join(lines) == text
    assert tuple(line.rstrip("\r\n") for line in lines) == split_lines(text)
    assert [text[start:].startswith(line) for start, line in zip(line_starts(text), lines, strict=False)].count(
        False
    ) == 0
