"""Bytes to text, once, without losing one of them.

Markdown libraries strip, re-end and normalise what they read; a tool that edits other people's notes must not. So the
file is decoded here and cut in two, head and body, such that the parts joined and encoded are the bytes again. Nobody
else decodes, and nobody else splits lines: a line ends at LF, CRLF or CR only (``str.splitlines`` also splits at form
feeds and at U+2028, which people paste into notes).
"""

from __future__ import annotations

import json
import re
from typing import Literal

from mdtally.model import Source
from mdtally.records import replace
from mdtally.regex import regex

_LINE_END = regex(r"\r\n|\r|\n")
_BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
HeadFormat = Literal["yaml", "toml", "json"]
_FENCES: dict[HeadFormat, tuple[re.Pattern[str], re.Pattern[str]]] = {
    "yaml": (regex(r"---[ \t]*[\r\n]"), regex(r"(?<=[\r\n])(?:---|\.\.\.)[ \t]*(?:\r\n|\r|\n|\Z)")),
    "toml": (regex(r"\+\+\+[ \t]*[\r\n]"), regex(r"(?<=[\r\n])\+\+\+[ \t]*(?:\r\n|\r|\n|\Z)")),
}
# A JSON head, as against a template tag such as "{% include %}": a brace, then a key or the closing brace.
_JSON_HEAD = regex(r'\{\s*["}]')


class UnreadableError(ValueError):
    """The bytes are no text; the message says why, in words for a person."""


def read(data: bytes) -> Source:
    """Decode a file and cut its frontmatter off.

    Args:
        data: the whole file.

    Returns:
        a Source with ``encode(source) == data``.

    Raises:
        UnreadableError: the bytes are not UTF-8 (or UTF-16 with a BOM), or hold NUL characters.
    """
    encoding = next((name for mark, name in _BOMS if data.startswith(mark)), "utf-8")
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        if b"\0" in data[:8192]:
            raise UnreadableError("not a text file (it holds NUL bytes)") from None
        line = len(_LINE_END.findall(data[: error.start].decode("latin-1"))) + 1
        raise UnreadableError(f"not UTF-8 at line {line} (byte {error.start}); save the file as UTF-8") from None
    if "\0" in text:
        raise UnreadableError("not a text file (it holds NUL bytes)")
    bom = "\ufeff" if text.startswith("\ufeff") else ""
    text = text[len(bom) :]
    newline = _LINE_END.search(text)
    size, head_format = _find_head(text)
    return Source(
        encoding=encoding,
        bom=bom,
        newline=newline.group() if newline else "\n",
        head=text[:size],
        body=text[size:],
        head_format=head_format,
    )


def encode(source: Source) -> bytes:
    """The bytes of a source: of the file it was read from, or of an edited one."""
    return (source.bom + source.head + source.body).encode(source.encoding)


def without_head(source: Source) -> Source:
    """The same file read as having no frontmatter: what looked like a head was text."""
    return replace(source, head="", body=source.text, head_format=None)


def split_lines(text: str) -> tuple[str, ...]:
    """Every line without its line end; a final newline ends the last line and opens no further one."""
    lines = _LINE_END.split(text)
    if lines[-1] == "":
        lines.pop()
    return tuple(lines)


def count_lines(text: str) -> int:
    """The number of line ends in a text: how many lines a text stands above what follows it."""
    return len(_LINE_END.findall(text))


def _find_head(text: str) -> tuple[int, HeadFormat | None]:
    """Length and syntax of the head a text opens with; (0, None) where it opens with none."""
    for syntax, (opening, closing) in _FENCES.items():
        if opened := opening.match(text):
            closed = closing.search(text, opened.end())
            return (closed.end(), syntax) if closed else (0, None)
    return _json_head(text) if _JSON_HEAD.match(text) else (0, None)


def _json_head(text: str) -> tuple[int, HeadFormat | None]:
    try:
        _, size = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        # Broken JSON is still a head where a line with the closing brace alone ends it; its reader says what is wrong.
        closing = re.search(r"^\}[ \t]*$", text.replace("\r", "\n"), re.MULTILINE)
        if closing is None:
            return 0, None
        size = closing.start() + 1
    rest = regex(r"[ \t]*(\r\n|\r|\n|\Z)").match(text, size)
    return (rest.end(), "json") if rest else (0, None)
