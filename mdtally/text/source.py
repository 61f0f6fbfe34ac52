"""Bytes to text, once, without losing one of them; and where lines end.

Markdown libraries strip, re-end and normalise what they read; a tool that edits other people's notes must not. So the
file is decoded here, such that its text encoded is the bytes again; ``frontmatter`` cuts it into head and body. Nobody
else decodes, and nobody else splits lines: a line ends at LF, CRLF or CR only (``str.splitlines`` also splits at form
feeds and at U+2028, which people paste into notes).
"""

from __future__ import annotations

from io import StringIO
from itertools import accumulate

from mdtally.text.model import Source
from mdtally.text.regex import regex

# LF, CRLF, CR
LINE_END = regex(r"\r\n|\r|\n")
BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))


class UnreadableError(ValueError):
    """The bytes are not text; the message says why, in words for a person."""


def read_source(data: bytes) -> Source:
    """The text of a file, with all of it in ``body``: the frontmatter is not cut off yet.

    Args:
        data: the whole file.

    Returns:
        a Source with ``encode(source) == data``.

    Raises:
        UnreadableError: the bytes are not UTF-8 (or UTF-16 with a BOM), or hold NUL characters.
    """
    encoding = next((name for mark, name in BOMS if data.startswith(mark)), "utf-8")
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        if b"\0" in data[:8192]:
            raise UnreadableError("not a text file (it holds NUL bytes)") from None
        line = count_lines(data[: error.start].decode("latin-1")) + 1
        raise UnreadableError(f"not UTF-8 at line {line} (byte {error.start}); save the file as UTF-8") from None
    if "\0" in text:
        raise UnreadableError("not a text file (it holds NUL bytes)")
    bom = "\ufeff" if text.startswith("\ufeff") else ""
    newline = LINE_END.search(text)
    return Source(encoding, bom, newline.group() if newline else "\n", head="", body=text[len(bom) :])


def encode(source: Source) -> bytes:
    """The bytes of a source: of the file it was read from, or of an edited one."""
    return (source.bom + source.text).encode(source.encoding)


# -- Lines ------------------------------------------------------------------------------------------------------------


def split_lines(text: str) -> tuple[str, ...]:
    """Every line without its line end; a final newline ends the last line and opens no further one."""
    lines = LINE_END.split(text) if "\r" in text else text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return tuple(lines)


def lines_with_ends(text: str) -> list[str]:
    """Every line with its line end; joined they are the text."""
    return list(StringIO(text, newline=""))


def line_starts(text: str) -> list[int]:
    """The offsets at which lines start: ``bisect_right(line_starts(text), offset)`` is the line of an offset."""
    if "\r" in text:
        return [0, *(match.end() for match in LINE_END.finditer(text))]
    return [0, *accumulate(len(line) + 1 for line in text.split("\n")[:-1])]


def count_lines(text: str) -> int:
    """The number of line ends in a text: how many lines a text stands above what follows it."""
    return len(LINE_END.findall(text))
