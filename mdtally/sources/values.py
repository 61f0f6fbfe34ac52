"""The JSON objects of a recording or an export, one after the other, however long it is: bytes to objects.

A file holds an object a line, a list of objects, or one object over many lines. Only the one that is read and a few
megabytes more are in memory. One that cannot be read is named and passed over; readers of JSON in pieces, such as
ijson, end at the first fault.
"""

from __future__ import annotations

import importlib
import io
import json
import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from typing import Any, BinaryIO

from mdtally.text.model import Refusal
from mdtally.text.regex import regex
from mdtally.text.source import BOMS

Json = dict[str, Any]
"""An object, as ``json`` reads it."""

Numbered = tuple[int, Json]
"""An object with the number of its line, or of its place in the list, 1-based."""

LARGEST = 256 << 20
"""Characters of one object; the longest conversations that were met have some ten million."""

COMPRESSED = b"\x28\xb5\x2f\xfd"
"""What a Zstandard file begins with."""

_HEAD = 1 << 16  # bytes that tell how a file is written
_PIECE = 1 << 22  # characters that are read at once
_NEAR = 16  # characters before the end of a piece in which what is only cut may look broken
_DECODER = json.JSONDecoder(strict=False)  # some write line breaks and tabs into texts as they are
# ", ", and "]\n[" where two files were put behind each other, each with its byte order mark or a comma after it
_GAP = regex(r"(?:[\s,\ufeff]|\][\s,\ufeff]*\[)*")
# "Exporting session: ses_1" may stand above, where a program's messages went into the file.
_OPENS = regex(r"(?m)^[ \t]*[\[{]")
_FIRST_KEY = regex(r'\{\s*"\w+"')


class Values:
    """The objects in a stream.

    Attributes:
        broken: what could not be read, as a person would look for it ("line 3"); complete when all was read. A last
            line without a line end is not one of them: it is still being written.
        holds_objects: True if it begins as objects do, whether they can be read or not.
        is_empty: True if it holds nothing at all.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self.broken: list[str] = []
        head = stream.read(_HEAD)
        if b"\n" not in head and b"{" in head[:8]:
            head += stream.readline(LARGEST)  # one that is cut off would not be read as an object a line
        self.is_empty = not head
        mark, encoding = next(((mark, name) for mark, name in BOMS if head.startswith(mark)), (b"", "utf-8"))
        stream.seek(len(mark))
        self._text = io.TextIOWrapper(stream, encoding, "replace", newline="\n")
        self._objects = self._choose(head[len(mark) :].decode(encoding, "replace"))

    def __iter__(self) -> Iterator[Numbered]:
        """The objects that were not taken yet."""
        return self._objects

    def close(self) -> None:
        """Let the stream go, which whoever opened it closes."""
        self._text.detach()

    def _choose(self, head: str) -> Iterator[Numbered]:
        opening = _OPENS.search(head)
        self.holds_objects = bool(opening and _FIRST_KEY.match(head[opening.start() :].lstrip(" \t\r\n[")))
        if opening is None:
            return iter(())
        if head[opening.end() - 1] == "[":
            return self._items(opening.end())
        lines = (line for line in head[opening.start() :].split("\n") if line.strip())
        return self._numbered_lines() if any(map(json_object, islice(lines, 3))) else self._whole(opening.start())

    def _numbered_lines(self) -> Iterator[Numbered]:
        for number, line in enumerate(iter(lambda: self._text.readline(LARGEST), ""), start=1):
            if value := json_object(line):
                yield number, value
            elif line.strip() and line.endswith("\n"):
                self.broken.append(f"line {number}")

    def _whole(self, start: int) -> Iterator[Numbered]:
        if value := json_object(self._text.read(LARGEST)[start:]):
            yield 1, value
        else:
            self.broken.append("line 1 and all below")

    def _items(self, at: int) -> Iterator[Numbered]:
        """The objects of a list; behind a broken one, those that begin with the same name as the first one."""
        piece, number, key, is_lost = self._text.read(_PIECE), 0, "", False
        while True:
            if is_lost:
                following = regex(rf",\s*(?={re.escape(key)})").search(piece, at)
                at = following.end() if following else len(piece)
                is_lost = following is None
            at = _GAP.match(piece, at).end()  # type: ignore[union-attr]
            key = key or (match[0] if (match := _FIRST_KEY.match(piece, at)) else "")
            try:
                value, end = _DECODER.raw_decode(piece, at)
            except (ValueError, RecursionError) as error:
                if is_lost or (_is_cut(error, piece) and len(piece) - at < LARGEST):
                    # The next one may begin across the border of two pieces.
                    kept = piece[max(0, len(piece) - 256) if is_lost else at :]
                    if more := self._text.read(max(_PIECE, len(kept))):
                        piece, at = kept + more, 0
                        continue
                is_end = piece[at : at + 1] == "]"
                if not (is_end or is_lost):
                    self.broken.append(f"conversation {number + 1}")
                if is_lost or not key or (is_end and not self.broken):
                    return
                number, at, is_lost = number + (not is_end), at + 1, True
                continue
            if isinstance(value, dict):
                yield number + 1, value
            else:
                self.broken.append(f"conversation {number + 1}")
            number, at = number + 1, end


def _is_cut(error: Exception, piece: str) -> bool:
    """True if what could not be read may only be cut off by the end of a piece."""
    if not isinstance(error, json.JSONDecodeError):
        return False
    return error.pos >= len(piece) - _NEAR or error.msg.startswith("Unterminated string")


def decompress(stream: BinaryIO, size: int = LARGEST) -> BinaryIO | Refusal:
    """So many bytes of the content of a Zstandard file, which rollouts of Codex become with time."""
    for name in ("compression.zstd", "backports.zstd"):
        with suppress(ImportError):
            zstd = importlib.import_module(name)
            try:
                return io.BytesIO(zstd.ZstdFile(stream).read(size))
            except (zstd.ZstdError, EOFError) as error:
                return Refusal(f"compressed with Zstandard, and torn ({error})")
    return Refusal(
        "compressed with Zstandard; `pip install backports.zstd` lets it be read (`pipx inject mdtally backports.zstd`)"
    )


# -- An object and what stands in it, whatever that is ----------------------------------------------------------------


def json_object(text: object) -> Json:
    """The JSON object that a text is, with line breaks and tabs in its texts as they are, too; an empty one if none."""
    try:
        value = json.loads(text, strict=False) if isinstance(text, str | bytes) else None
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def mapping(value: object) -> dict[str, Any]:
    """The value if it is an object of JSON, else an empty one."""
    return value if isinstance(value, dict) else {}


def list_of(value: object) -> list[Any]:
    """The value if it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def mappings(value: object) -> list[dict[str, Any]]:
    """The objects in a list, none if it is no list."""
    return [each for each in list_of(value) if isinstance(each, dict)]


def text_of(value: object) -> str:
    """The value if it is a text, else ""."""
    return value if isinstance(value, str) else ""


def texts_of(value: Json, **keys: str) -> dict[str, Any]:
    """Some texts of an object, by other names: ``texts_of(value, session="uuid")`` has that of "uuid" as "session"."""
    return {name: text_of(value.get(key)) for name, key in keys.items()}
