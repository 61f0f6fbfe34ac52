"""The sources: programs whose recordings or exports are read, a row each; and how a file of any of them is read.

What a file is, is told from what stands in it and never from its name.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import chain, islice
from sqlite3 import Connection
from typing import BinaryIO

from mdtally.sources.chatgpt import is_chatgpt, is_deepseek, read_chatgpt, read_deepseek
from mdtally.sources.claude_ai import is_claude_ai, read_claude_ai
from mdtally.sources.claude_code import is_claude_code, read_claude_code
from mdtally.sources.cline import is_cline, read_cline
from mdtally.sources.codex import is_codex, read_codex, with_beginning
from mdtally.sources.copilot import is_copilot, read_copilot
from mdtally.sources.gemini import is_gemini, is_qwen, read_gemini, read_qwen
from mdtally.sources.opencode import is_opencode, read_database, read_opencode, with_messages
from mdtally.sources.recording import Recording
from mdtally.sources.values import COMPRESSED, Json, Numbered, Values, decompress
from mdtally.text import datafiles
from mdtally.text.model import Refusal
from mdtally.text.percent import first_few
from mdtally.text.records import record, replace


@record
class Program:
    """A program whose conversations are read. Where it keeps them stands in ``places.txt``.

    Attributes:
        key: what it is called on the command line.
        name: what people call it.
        fits: tells from an object of a file whether the file is one of this program's.
        read: the conversations of a file, from its objects.
        is_export: True if every object of a file is a conversation.
    """

    key: str
    name: str
    fits: Callable[[Json], bool]
    read: Callable[[Iterator[Numbered]], Iterator[Recording]]
    is_export: bool = False


SOURCES = (
    Program("claude-code", "Claude Code", is_claude_code, read_claude_code),
    Program("codex", "Codex", is_codex, read_codex),
    Program("gemini", "Gemini CLI", is_gemini, read_gemini),
    Program("qwen", "Qwen Code", is_qwen, read_qwen),
    Program("opencode", "opencode", is_opencode, read_opencode),
    Program("copilot", "Copilot Chat", is_copilot, read_copilot),
    Program("cline", "Cline", is_cline, read_cline),
    Program("deepseek", "DeepSeek", is_deepseek, read_deepseek, is_export=True),
    Program("chatgpt", "ChatGPT", is_chatgpt, read_chatgpt, is_export=True),
    Program("claude-ai", "Claude.ai", is_claude_ai, read_claude_ai, is_export=True),
)
"""Every source; a file is of the first one that one of its first objects fits."""

WITH_OTHERS = (with_beginning, with_messages)
"""What gives the stream of a program's file together with the files that belong to it; of any other file the stream."""

_PLACES = datafiles.sections(__file__, "places.txt")
PLACES = {key: (tuple(map(str.strip, folders.split("|"))), tuple(rows)) for key, folders, rows in _PLACES}
"""By the key of a source the folders in which it keeps its files, and globs of those files; by "!" and the name of a
program that is not read its folders, and what to do."""

EDITORS = ("Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf")
"""VS Code and editors made from it, which keep their files alike: for "EDITOR" in a folder."""

Database = Callable[[], "Connection | Refusal"]
"""Opens a file as a database."""

NOTHING = Refusal(
    f"no session or export of a program that is read ({', '.join(one.name for one in SOURCES)}); "
    "`review` reads a chat that was pasted or saved as text"
)
_EMPTY = Refusal("empty")

_ZIPPED, _DATABASE = b"PK\3\4", b"SQLi"
"""What a zip begins with, and a database."""
RECORDED = (b"{", b"[", COMPRESSED, _ZIPPED, _DATABASE)
"""What the file of a recording or an export begins with, white space aside."""

_AHEAD = 50  # objects of a file that are looked at to tell whose it is
# A zip's member that is torn, overlaps another one, is encrypted, or packed in a way that is not known.
_TORN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError)
_PACKED, _HARMLESS = 100, 256 << 20  # a zip that grows by more than this factor, to more than these bytes, is a bomb


def conversations(stream: BinaryIO, database: Database = lambda: NOTHING) -> Iterator[Recording | Refusal]:
    """The conversations in a file, and why something in it could not be read.

    Args:
        stream: the file, or a zip of such files; it has to be seekable.
        database: opens the file as a database, which is not read as a stream.
    """
    magic = stream.read(4)
    stream.seek(0)
    if magic == _DATABASE:
        opened = database()
        found = [opened] if isinstance(opened, Refusal) else read_database(opened, NOTHING)
        yield from (replace(each, source="opencode") if isinstance(each, Recording) else each for each in found)
    elif magic == _ZIPPED:
        yield from _from_zip(stream)
    elif magic == COMPRESSED:
        plain = decompress(stream)
        yield from [plain] if isinstance(plain, Refusal) else conversations(plain)
    else:
        yield from _from_json(stream)


def _from_json(stream: BinaryIO) -> Iterator[Recording | Refusal]:
    """The conversations of a stream of JSON, read as the first source that fits, and what of it could not be read."""
    with closing(Values(stream)) as values:
        ahead: list[Numbered] = []
        row = None
        for number, value in islice(values, _AHEAD):
            ahead.append((number, value))
            if row := next((row for row in SOURCES if row.fits(value)), None):
                break
        # Where the first object is whole, and of no source, what is broken below is of none, too.
        if row is None and ((ahead[:1] and ahead[0][0] == 1) or not (values.broken and values.holds_objects)):
            yield _EMPTY if values.is_empty else NOTHING
            return
        if row:
            found = row.read(_fitting(row, chain(ahead, values), values.broken))
            yield from (replace(recording, source=row.name) for recording in found)
        if values.broken:
            yield Refusal(f"{first_few(values.broken, 3)} could not be read")


def _fitting(row: Program, values: Iterator[Numbered], broken: list[str]) -> Iterator[Numbered]:
    """The objects of a file without those of an export that are no conversations, which are named as broken ones."""
    for number, value in values:
        if row.is_export and not row.fits(value):
            broken.append(f"conversation {number}")
        else:
            yield number, value


def _from_zip(stream: BinaryIO) -> Iterator[Recording | Refusal]:
    """The conversations of the members of a zip; those that are something else are passed over."""
    try:
        archive = zipfile.ZipFile(stream)
    except (*_TORN, ValueError) as error:
        yield Refusal(f"a zip that can't be read ({error})")
        return
    members = [member for member in archive.infolist() if not member.filename.endswith("/")]
    size = sum(member.file_size for member in members)
    if size > _HARMLESS and size > _PACKED * sum(member.compress_size for member in members):
        yield Refusal(f"a zip that would grow to {size >> 20} MB; not opened")
        return
    is_nothing = True
    for member in members:
        try:
            with archive.open(member) as packed:
                for found in _from_json(packed):  # type: ignore[arg-type]
                    if isinstance(found, Refusal) and is_something_else(found.reason, member.filename):
                        continue
                    is_nothing = False
                    yield found if isinstance(found, Recording) else Refusal(f"{member.filename}: {found.reason}")
        except _TORN as error:
            yield Refusal(f"{member.filename}: can't be read ({error})")
    if is_nothing:
        yield NOTHING


def is_something_else(reason: str, name: str) -> bool:
    """True if a file that lies beside others, and for that reason gives no chat, is none that should."""
    return reason == NOTHING.reason or (reason == _EMPTY.reason and not name.endswith((".json", ".jsonl")))
