"""The only disk: what is read, found, written and appended, and what the disk refuses.

A refusal is a value with one clear line, not an exception. Every call of the operating system goes through ``attempt``,
so that an unreadable folder, a name that is none or a failing disk is told, and never taken for "no such file".
``find`` looks for configurations, logs and notes; ``write`` replaces and appends.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, TypeVar

from mdtally.records import record

LIMIT = 32 * 1024 * 1024
"""Bytes of an input that is read whole; notes and debates have some thousand."""

TAIL_BYTES = 64 * 1024
"""How far back a log is read to see whether a line stands there already: some two hundred lines."""

LONGEST_LINE = 16 * 1024 * 1024
"""How far back a log is read to find its last line's beginning."""

_REASONS = {
    errno.ENOENT: "no such file",
    errno.ENOTDIR: "no such file: a part of its path is no folder",
    errno.EEXIST: "a part of its path is a file, not a folder",
    errno.EISDIR: "a folder, not a file",
    errno.EACCES: "no permission",
    errno.EPERM: "not permitted",
    errno.EROFS: "the file system is read-only",
    errno.ENOSPC: "no space is left on the disk",
    errno.EDQUOT: "no space is left for you on the disk",
    errno.ENAMETOOLONG: "the name is too long",
    errno.ELOOP: "a symbolic link that leads to itself",
    errno.EIO: "the disk failed",
}

Result = TypeVar("Result")


@record
class Refusal:
    """What the disk did not do, and why: ``reason`` is one line without the path."""

    reason: str


MISSING = Refusal(_REASONS[errno.ENOENT])
FOLDER = Refusal(_REASONS[errno.EISDIR])
IRREGULAR = Refusal("not a regular file")
TOO_LARGE = Refusal(f"larger than {LIMIT >> 20} MB, which no note is")


def attempt(do: Callable[[], Result]) -> Result | Refusal:
    """What a call of the operating system gives, or why it gives nothing, whatever it raises about a path."""
    try:
        return do()
    except (OSError, ValueError, RuntimeError) as error:
        return refusal_of(error)


def refusal_of(error: Exception) -> Refusal:
    """What an error of the operating system, or about a path, says in our words."""
    if isinstance(error, OSError):
        return Refusal(_REASONS.get(error.errno or 0, (error.strerror or str(error)).lower()))
    # A NUL byte, half a surrogate, the home of a user who does not exist.
    return Refusal(f"no valid path ({'it holds a NUL character' if 'null' in str(error) else error})")


def status(path: Path, *, follow: bool = True) -> os.stat_result | Refusal | None:
    """What kind of file stands at a path; None only where it is certain that there is none."""
    found = attempt(lambda: path.stat(follow_symlinks=follow))
    return None if found == MISSING else found


def is_folder(path: Path) -> bool:
    """True where a path leads to a folder; what can't be told is none, and reading it will say why."""
    found = status(path)
    return isinstance(found, os.stat_result) and stat.S_ISDIR(found.st_mode)


def absolute(path: Path) -> Path:
    """A path from the root on, without ``..`` and with its symbolic links: a note belongs where it is seen to stand.

    Raises:
        OSError: the working directory is gone.
    """
    return Path(os.path.abspath(path))  # noqa: PTH100 - resolve() would follow the links


def is_within(path: Path, folder: Path) -> bool:
    """True where a path, all symbolic links followed, lies in a folder."""
    found = attempt(lambda: (Path(os.path.realpath(path)), Path(os.path.realpath(folder))))
    return not isinstance(found, Refusal) and found[0].is_relative_to(found[1])


# -- Reading ----------------------------------------------------------------------------------------------------------


def read(path: Path) -> bytes | Refusal:
    """The bytes of a file.

    Returns:
        the bytes; a refusal where there is no such file, it is a folder, a pipe or a device, is larger than ``LIMIT``,
        or may not be read.
    """
    file = open_bytes(path)
    if isinstance(file, Refusal):
        return file
    with file:
        data = attempt(lambda: file.read(LIMIT + 1))
    return TOO_LARGE if isinstance(data, bytes) and len(data) > LIMIT else data


def read_text(path: Path) -> str | Refusal:
    """The text of a UTF-8 file, without a BOM; a refusal as of ``read``, or where it is none."""
    data = read(path)
    if isinstance(data, Refusal):
        return data
    text = attempt(lambda: data.decode("utf-8-sig"))
    return text if isinstance(text, str) else Refusal("not UTF-8; save it as UTF-8")


def size(path: Path) -> int | Refusal:
    """The length of a file in bytes; a refusal as of ``read`` where it could not be read."""
    file = open_bytes(path)
    if isinstance(file, Refusal):
        return file
    with file:
        return attempt(lambda: file.seek(0, os.SEEK_END))


def open_bytes(path: Path) -> BinaryIO | Refusal:
    """A regular file for reading in pieces, however long it is."""

    def opened() -> BinaryIO | Refusal:
        # Without O_NONBLOCK a named pipe would wait for ever.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISREG(mode):
            return os.fdopen(descriptor, "rb")
        os.close(descriptor)
        return FOLDER if stat.S_ISDIR(mode) else IRREGULAR

    return attempt(opened)


def read_lines(path: Path) -> Iterator[bytes] | Refusal:
    """The lines of a file with their line ends (LF), one at a time; a refusal as of ``read``."""
    file = open_bytes(path)
    return file if isinstance(file, Refusal) else _lines(file)


def last_lines(path: Path, limit: int = TAIL_BYTES) -> tuple[str, ...] | Refusal:
    """The whole lines in the last ``limit`` bytes of a file, oldest first; none where there is no file.

    The cost does not grow with the file. A first line that the limit cuts is left out, but a last line longer than the
    limit is there by itself: a session of many thousand events has one. Nothing is left out at the end: a last line
    without a newline is there, for the reader to judge.
    """
    file = open_bytes(path)
    if isinstance(file, Refusal):
        return () if file == MISSING else file
    with file:
        found = attempt(lambda: _tail(file, limit))
    if isinstance(found, Refusal):
        return found
    tail, is_short = found
    lines = [line.decode("utf-8", "replace").rstrip("\r") for line in tail.split(b"\n") if line.strip()]
    return tuple(lines if is_short else lines[-1:])


def _tail(file: BinaryIO, limit: int) -> tuple[bytes, bool]:
    """The end of a file from a line's beginning on, and whether it lies within the limit."""
    size, reach = file.seek(0, os.SEEK_END), limit
    while True:
        # One byte more shows whether the first line starts where the stretch does.
        file.seek(max(0, size - reach - 1))
        tail = file.read()
        if size > reach:
            tail = tail[tail.find(b"\n") + 1 :] if b"\n" in tail else b""
        if tail.strip() or reach >= min(size, LONGEST_LINE):
            return tail, reach == limit
        reach *= 4


def _lines(file: BinaryIO) -> Iterator[bytes]:
    with file:
        yield from file


from mdtally.files.find import (  # noqa: E402 - they are built on the above
    find_config,
    find_log,
    find_logs,
    find_markdown,
    find_project_root,
    names_in,
    own_config,
    read_config,
    read_template,
)
from mdtally.files.write import CHANGED, EXISTS, append_line, check_replace, interruptible, locked, write_atomically  # noqa: E402

__all__ = [
    "CHANGED",
    "EXISTS",
    "append_line",
    "check_replace",
    "find_config",
    "find_log",
    "find_logs",
    "find_markdown",
    "find_project_root",
    "interruptible",
    "locked",
    "names_in",
    "own_config",
    "read_config",
    "read_template",
    "write_atomically",
]
