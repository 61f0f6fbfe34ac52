"""The sources: programs whose recordings or exports are read, a row each; and reading a file of any of them.

What a file is, is told from what stands in it and never from its name.
"""

from __future__ import annotations

import importlib
import io
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import chain, islice
from sqlite3 import Connection
from typing import BinaryIO

from mdtally.model import Refusal
from mdtally.records import record, replace
from mdtally.sources.chatgpt import is_chatgpt, read_chatgpt
from mdtally.sources.claude_ai import is_claude_ai, read_claude_ai
from mdtally.sources.claude_code import is_claude_code, read_claude_code
from mdtally.sources.cline import is_cline, read_cline
from mdtally.sources.codex import is_codex, read_codex
from mdtally.sources.copilot import is_copilot, read_copilot
from mdtally.sources.gemini import is_gemini, is_qwen, read_gemini, read_qwen
from mdtally.sources.opencode import is_opencode, read_database, read_opencode
from mdtally.sources.recording import Recording
from mdtally.sources.values import LARGEST, Json, Numbered, Values


@record
class Program:
    """A program whose conversations are read.

    Attributes:
        key: what it is called on the command line.
        name: what people call it.
        fits: tells from an object of a file whether the file is one of this program's.
        read: the conversations of a file, from its objects.
        roots: the folders in which it keeps its files; if a variable of the environment that one begins with is set,
            only such ones. None for a program whose files a person has to name.
        files: which files below those, as globs.
    """

    key: str
    name: str
    fits: Callable[[Json], bool]
    read: Callable[[Iterator[Numbered]], Iterator[Recording]]
    roots: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


_EDITORS = tuple(
    f"{place}/{editor}/User"
    for place in ("$APPDATA", "~/.config", "~/Library/Application Support")
    for editor in ("Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf")
)
"""The user's folders of VS Code and of editors made from it."""

SOURCES = (
    Program(
        "claude-code",
        "Claude Code",
        is_claude_code,
        read_claude_code,
        ("$CLAUDE_CONFIG_DIR", "~/.claude", "~/.config/claude"),
        ("projects/*/*.jsonl",),
    ),
    Program(
        "codex",
        "Codex",
        is_codex,
        read_codex,
        ("$CODEX_HOME", "~/.codex"),
        ("sessions/*/*/*/rollout-*.jsonl*", "archived_sessions/rollout-*.jsonl*"),
    ),
    Program(
        "gemini",
        "Gemini CLI",
        is_gemini,
        read_gemini,
        ("$GEMINI_CLI_HOME/.gemini", "~/.gemini"),
        ("tmp/*/chats/session-*.json*",),
    ),
    Program("qwen", "Qwen Code", is_qwen, read_qwen, ("~/.qwen",), ("projects/*/chats/*.jsonl", "tmp/*/chats/*.json*")),
    Program(
        "opencode",
        "opencode",
        is_opencode,
        read_opencode,
        ("$XDG_DATA_HOME/opencode", "~/.local/share/opencode"),
        ("opencode*.db", "storage/session/*/ses_*.json"),
    ),
    Program(
        "copilot",
        "Copilot Chat",
        is_copilot,
        read_copilot,
        _EDITORS,
        ("workspaceStorage/*/chatSessions/*.json*", "globalStorage/emptyWindowChatSessions/*.json*"),
    ),
    Program("cline", "Cline", is_cline, read_cline, _EDITORS, ("globalStorage/*/tasks/*/ui_messages.json",)),
    Program("chatgpt", "ChatGPT", is_chatgpt, read_chatgpt),
    Program("claude-ai", "Claude.ai", is_claude_ai, read_claude_ai),
)
"""Every source; a file is of the first one that one of its first objects fits."""

Database = Callable[[], "Connection | Refusal"]
"""Opens a file as a database."""

NOTHING = Refusal("no recorded session, and no export of a chat program's that is known")

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
    if magic == b"SQLi":
        opened = database()
        found = iter([opened]) if isinstance(opened, Refusal) else read_database(opened)
        yield from (replace(each, source="opencode") if isinstance(each, Recording) else each for each in found)
    elif magic == b"PK\3\4":
        yield from _zipped(stream)
    elif magic == b"\x28\xb5\x2f\xfd":
        plain = _decompressed(stream)
        yield from [plain] if isinstance(plain, Refusal) else conversations(plain)
    else:
        yield from _plain(stream)


def _plain(stream: BinaryIO) -> Iterator[Recording | Refusal]:
    values = Values(stream)
    ahead: list[Numbered] = []
    row = None
    for number, value in islice(values, _AHEAD):
        ahead.append((number, value))
        if row := next((row for row in SOURCES if row.fits(value)), None):
            break
    if row is None:
        yield NOTHING
        return
    for conversation in row.read(chain(ahead, values)):
        yield replace(conversation, source=row.name)
    if values.broken:
        more = f" and {len(values.broken) - 3} more" if len(values.broken) > 3 else ""
        yield Refusal(f"{', '.join(values.broken[:3])}{more} could not be read")


def _zipped(stream: BinaryIO) -> Iterator[Recording | Refusal]:
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
                for found in _plain(packed):  # type: ignore[arg-type]
                    if found is not NOTHING:
                        is_nothing = False
                        yield Refusal(f"{member.filename}: {found.reason}") if isinstance(found, Refusal) else found
        except _TORN as error:
            yield Refusal(f"{member.filename}: can't be read ({error})")
    if is_nothing:
        yield NOTHING


def _decompressed(stream: BinaryIO) -> BinaryIO | Refusal:
    """The content of a Zstandard file, which rollouts of Codex become with time."""
    for name in ("compression.zstd", "backports.zstd"):
        with suppress(ImportError):
            zstd = importlib.import_module(name)
            try:
                return io.BytesIO(zstd.ZstdFile(stream).read(LARGEST))
            except (zstd.ZstdError, EOFError) as error:
                return Refusal(f"compressed with Zstandard, and torn ({error})")
    return Refusal("compressed with Zstandard; `pip install 'mdtally[zstd]'` lets it be read")
