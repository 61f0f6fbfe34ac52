"""Reading, and what the disk refuses.

A refusal is a value with one clear line, not an exception: ``refusing`` makes one of whatever a function raises about
a path, so that an unreadable folder, a name that is none or a failing disk is told, and never taken for "no such file".
"""

from __future__ import annotations

import errno
import functools
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, ParamSpec, TypeVar, cast

from mdtally.text import system
from mdtally.text.document import Document, parse
from mdtally.text.model import Refusal
from mdtally.text.source import UnreadableError

if TYPE_CHECKING:
    from sqlite3 import Connection

LIMIT = 32 * 1024 * 1024
"""Bytes of an input that is read whole; notes and debates have some thousand."""

TAIL_BYTES = 64 * 1024
"""How far back a log is read to see whether a line stands there already: some two hundred lines."""

LONGEST_LINE = 16 * 1024 * 1024
"""How far back a log is read to find its last line's beginning."""

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

MISSING = Refusal(os.strerror(errno.ENOENT).lower())
FOLDER = Refusal(os.strerror(errno.EISDIR).lower())
_NO_FOLDER = Refusal(os.strerror(errno.ENOTDIR).lower())  # below a file, such as a home that is /dev/null
IRREGULAR = Refusal("not a regular file")
TOO_LARGE = Refusal(f"larger than {LIMIT >> 20} MB, which no note is")


class RefusedError(Exception):
    """Raised with a ``Refusal``, for the function that answers with it."""


def refusing(do: Callable[Parameters, Result]) -> Callable[Parameters, Result | Refusal]:
    """The function; where it raises what the system says of a path, it gives the refusal instead."""

    @functools.wraps(do)
    def do_or_refuse(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result | Refusal:
        try:
            return do(*args, **kwargs)
        except (OSError, ValueError, RuntimeError, RefusedError) as error:
            return refusal_of(error)

    return do_or_refuse


def attempt(do: Callable[[], Result]) -> Result | Refusal:
    """What a call of the operating system gives, or why it gives nothing, whatever it raises about a path."""
    return refusing(do)()


def raise_if_refused(answer: Result | Refusal) -> Result:
    """What the disk gave; a refusal is raised."""
    if isinstance(answer, Refusal):
        raise RefusedError(answer)
    return answer


def refusal_of(error: Exception) -> Refusal:
    """What an error of the operating system, or about a path, says in our words."""
    if isinstance(error, RefusedError):
        return cast(Refusal, error.args[0])
    if isinstance(error, OSError):
        return Refusal((error.strerror or str(error)).lower())
    # A NUL byte, half a surrogate, the home of a user who does not exist.
    return Refusal(f"no valid path ({'it holds a NUL character' if 'null' in str(error) else error})")


# -- Paths ------------------------------------------------------------------------------------------------------------


def status(path: Path, *, follow: bool = True) -> os.stat_result | Refusal | None:
    """What kind of file stands at a path; None only where it is certain that there is none."""
    answer = attempt(lambda: path.stat(follow_symlinks=follow))
    return None if answer in (MISSING, _NO_FOLDER) else answer


def is_there(path: Path) -> bool:
    """True if something stands at a path for certain, be it a broken link."""
    return isinstance(status(path, follow=False), os.stat_result)


def is_folder(path: Path) -> bool:
    """True if a path leads to a folder; what can't be told is none, and reading it will say why."""
    answer = status(path)
    return isinstance(answer, os.stat_result) and stat.S_ISDIR(answer.st_mode)


def absolute(path: Path) -> Path:
    """A path from the root on, without ``..`` and with its symbolic links: a note belongs where it is seen to stand.

    Raises:
        OSError: the working directory is gone.
    """
    return Path(os.path.abspath(path))  # noqa: PTH100 - resolve() would follow the links


def is_within(path: Path, folder: Path) -> bool:
    """True if a path, all symbolic links followed, lies in a folder."""
    return attempt(lambda: Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))) is True


def relative(path: Path, folder: Path) -> str:
    """A path from a folder on, with forward slashes; the whole path where it does not lie in it."""
    path = absolute(path)
    return (path.relative_to(folder) if path.is_relative_to(folder) else path).as_posix()


# -- Reading ----------------------------------------------------------------------------------------------------------


@refusing
def read(path: Path) -> bytes:
    """The bytes of a file; a refusal where there is none, it is a folder, a pipe or a device, is larger than ``LIMIT``,
    or may not be read.
    """
    with raise_if_refused(open_file(path)) as file:
        data = file.read(LIMIT + 1)
    if len(data) > LIMIT:
        raise RefusedError(TOO_LARGE)
    return data


def document_of(data: bytes | Refusal) -> Document | Refusal:
    """The document that the bytes of a file are; a refusal where they could not be read, are too many, or no text."""
    if isinstance(data, bytes) and len(data) > LIMIT:
        return TOO_LARGE
    try:
        return data if isinstance(data, Refusal) else parse(data)
    except UnreadableError as error:
        return Refusal(str(error))


@refusing
def open_database(path: Path) -> Connection:
    """A database of SQLite for reading; nothing is written beside it, unless changes wait there to be merged."""
    import sqlite3

    waits = is_there(path.with_name(f"{path.name}-wal"))
    try:
        return sqlite3.connect(f"{absolute(path).as_uri()}?{'mode=ro' if waits else 'immutable=1'}", uri=True)
    except sqlite3.Error as error:
        raise RefusedError(Refusal(str(error))) from None


def read_objects(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a file of JSON lines; what can't be read, or is none, is left out, and so is a file."""
    return (found for _, found in read_rows(path) if found is not None)


def read_rows(path: Path) -> Iterator[tuple[int, dict[str, Any] | None]]:
    """The numbers and objects of the lines that are not blank; None for one that can't be read, or is no object."""
    import json

    data = read(path)
    for number, line in enumerate(data.split(b"\n") if isinstance(data, bytes) else (), start=1):
        if line.strip():
            found = attempt(functools.partial(json.loads, line))
            yield number, found if isinstance(found, dict) else None


@refusing
def read_text(path: Path) -> str:
    """The text of a UTF-8 file, without a BOM; a refusal as of ``read``, or where it is none."""
    try:
        return raise_if_refused(read(path)).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise RefusedError(Refusal("not UTF-8; save it as UTF-8")) from None


@refusing
def size(path: Path) -> int:
    """The length of a file in bytes; a refusal as of ``read`` where it could not be read."""
    with raise_if_refused(open_file(path)) as file:
        return os.fstat(file.fileno()).st_size


@refusing
def read_lines(path: Path) -> Iterator[bytes]:
    """The lines of a file with their line ends (LF), one at a time, however long it is; a refusal as of ``read``."""

    def each_line(file: BinaryIO) -> Iterator[bytes]:
        with file:
            yield from file

    return each_line(raise_if_refused(open_file(path)))


@refusing
def last_lines(path: Path, limit: int = TAIL_BYTES) -> tuple[str, ...]:
    """The whole lines in the last ``limit`` bytes of a file, oldest first; none where there is no file.

    The cost does not grow with the file. A first line that the limit cuts is left out, but a last line longer than the
    limit is there by itself: a session of many thousand events has one. Nothing is left out at the end: a last line
    without a newline is there, for the reader to judge.
    """
    if status(path) is None:
        return ()
    with raise_if_refused(open_file(path)) as file:
        end = tail(file.fileno(), limit)
    lines = tuple(line.decode("utf-8", "replace").rstrip("\r") for line in end.split(b"\n") if line.strip())
    return lines if len(end) <= limit else lines[-1:]


def tail(descriptor: int, limit: int) -> bytes:
    """The lines that lie wholly within the last bytes of a file; the last one alone, or more, where none does.

    Raises:
        OSError: the disk failed.
    """
    length, reach = os.fstat(descriptor).st_size, limit
    while True:
        # One byte more shows whether the first line starts where the stretch does.
        start = max(0, length - reach - 1)
        end = system.read_at(descriptor, length - start, start)
        if length > reach:
            end = end.partition(b"\n")[2]
        if end.strip() or reach >= min(length, LONGEST_LINE):
            return end
        reach *= 4


@refusing
def open_file(path: Path) -> BinaryIO:
    """A file for reading in pieces, however large; a refusal as of ``read``."""
    if os.name == "nt" and path.is_dir():
        # Windows would say that the permission is missing.
        raise RefusedError(FOLDER)
    descriptor = os.open(path, os.O_RDONLY | system.OPEN)
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISREG(mode):
        return os.fdopen(descriptor, "rb")
    os.close(descriptor)
    raise RefusedError(FOLDER if stat.S_ISDIR(mode) else IRREGULAR)
