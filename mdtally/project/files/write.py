"""Writing: a file replaced in one step if it is still what was read, a line added to a log, and the locks for both.

A note is replaced whole, by a new file that takes its name, so that a crash leaves the old note or the new one. The
calibration log only ever grows, by one write of one whole line at its end, under a lock: many processes may log at
once and lose nothing.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from mdtally.project.files.boundary import may_write
from mdtally.project.files.disk import (
    FOLDER,
    IRREGULAR,
    MISSING,
    RefusedError,
    attempt,
    document_of,
    raise_if_refused,
    read,
    refusing,
    status,
    tail,
)
from mdtally.text import system
from mdtally.text.model import Refusal
from mdtally.text.source import UnreadableError
from mdtally.text.system import interruptible

PATIENCE = 10.0
"""Seconds that a lock is waited for."""

CHANGED = Refusal("changed while I read it; nothing was written, run this again")
EXISTS = Refusal("it exists already")


# -- Replacing --------------------------------------------------------------------------------------------------------


def write_atomically(path: Path, data: bytes, *, was: bytes | None, allow_outside: bool = False) -> Refusal | None:
    """Replace a file's content in one step, or make a new file.

    The new content is written beside the file, flushed to the disk and given the file's name; mode, owner and extended
    attributes stay. A symbolic link stays a link: the file it leads to is replaced.

    Args:
        path: the file.
        data: its new content.
        was: the content that the new one was made from; None for a new file. Anything else there is not overwritten.
        allow_outside: True where the file may be a link that leads out of its repository.

    Returns:
        None, or why nothing was written. The old file is whole in either case.
    """
    refusal = check_replace(path, was=was, allow_outside=allow_outside)
    if refusal is None:
        with interruptible():
            refusal = _replace(Path(os.path.realpath(path)), data, was)
    # Another process of ours may have come to the same end.
    return None if refusal == CHANGED and read(path) == data else refusal


def edit(
    path: Path, change: Callable[[bytes], bytes | Refusal], *, may_be_new: bool = False, allow_outside: bool = False
) -> bytes | Refusal:
    """Replace a file by what is made of it, and of what others make of it meanwhile.

    Args:
        path: the file.
        change: makes the new content of the present one, or says why not, or raises ``UnreadableError``; the same
            content is not written.
        may_be_new: a file that is not there is made, of an empty content, be it with an empty one.
        allow_outside: as in ``write_atomically``.

    Returns:
        the new content, or why nothing was written.
    """
    for _ in range(3):
        was = read(path)
        is_new = may_be_new and was == MISSING
        if isinstance(was, Refusal) and not is_new:
            return was
        before = was if isinstance(was, bytes) else b""
        try:
            made = change(before)
        except UnreadableError as error:
            return Refusal(str(error))
        if isinstance(made, Refusal):
            return made
        refusal = None
        if is_new or made != before:
            refusal = write_atomically(path, made, was=None if is_new else before, allow_outside=allow_outside)
        if refusal not in (CHANGED, EXISTS):
            return refusal or made
    return Refusal("it keeps changing; nothing was written")


def check_replace(path: Path, *, was: bytes | None, allow_outside: bool = False) -> Refusal | None:
    """What ``write_atomically`` would say before it writes: for who has something else to do first."""
    refusal = None if allow_outside else may_write(path)
    return refusal or _in_conflict(was or b"") or attempt(lambda: _raise_if_changed(Path(os.path.realpath(path)), was))


def _in_conflict(data: bytes) -> Refusal | None:
    """A refusal for a file in which git left a merge conflict: whoever writes into it would settle half of it."""
    if b"<<<<<<<" not in data:
        return None
    found = document_of(data)
    conflict = None if isinstance(found, Refusal) else found.conflict
    return Refusal(f"line {conflict.region.line}: {conflict.message}; {conflict.hint}") if conflict else None


@refusing
def _replace(target: Path, data: bytes, was: bytes | None) -> None:
    """Write beside, look once more, take the name."""
    _make_folder(target.parent)
    _remove_stale(target.parent)
    temporary = target.parent / f".{target.name[:40]}.mdtally-{os.getpid()}-{os.urandom(4).hex()}.tmp"
    try:
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | system.OPEN
        with os.fdopen(os.open(temporary, flags, 0o600), "wb") as file:
            system.try_lock(file.fileno())
            file.write(data)
            file.flush()
            system.take_over(file.fileno(), raise_if_refused(status(target)), target)
            os.fsync(file.fileno())
        # Windows renames no file that is open.
        _raise_if_changed(target, was)
        if was is None:
            _link(temporary, target)
        else:
            temporary.replace(target)
    finally:
        # Where it has taken the name there is none any more.
        attempt(temporary.unlink)
    system.sync_folder(target.parent)


def _link(temporary: Path, target: Path) -> None:
    """Give a new file its name: a link, unlike a replacement, never takes the place of one that came in between."""
    try:
        os.link(temporary, target)
    except FileExistsError:
        raise RefusedError(EXISTS) from None
    except (OSError, AttributeError):
        # Not every file system has links, and in a browser not even the call is there.
        _raise_if_changed(target, None)
        temporary.replace(target)


def _raise_if_changed(target: Path, was: bytes | None) -> None:
    """Refuse unless a file is still what was read, and one that can be replaced without losing anything."""
    before = raise_if_refused(status(target))
    if before is None:
        if was is not None:
            raise RefusedError(CHANGED)
        return
    if not stat.S_ISREG(before.st_mode):
        raise RefusedError(FOLDER if stat.S_ISDIR(before.st_mode) else IRREGULAR)
    if was is None:
        raise RefusedError(EXISTS)
    if before.st_nlink > 1:
        _remove_stale(target.parent)  # a run that was killed may have left the second name
        before = raise_if_refused(status(target)) or before
    if before.st_nlink > 1:
        names = f"it has {before.st_nlink} names (hard links), which would be torn apart; remove all but one"
        raise RefusedError(Refusal(names))
    # Replacing needs permission on the folder alone, but a file that was made read-only is meant to stay.
    if not os.access(target, os.W_OK):
        raise RefusedError(Refusal("no permission to write it"))
    if not os.access(target.parent, os.W_OK):
        raise RefusedError(Refusal("no permission to write in its folder"))
    content, after = read(target), raise_if_refused(status(target))
    facts = "st_dev", "st_ino", "st_size", "st_mtime_ns"
    is_same = after and all(getattr(before, name) == getattr(after, name) for name in facts)
    if not is_same or raise_if_refused(content) != was:
        raise RefusedError(CHANGED)


_cleaned: set[Path] = set()


def _remove_stale(folder: Path) -> None:
    """Remove what a killed run left in a folder: nobody holds its lock any more. Once a run, as the listing costs."""
    if folder in _cleaned:
        return
    _cleaned.add(folder)
    for path in folder.glob(".*.mdtally-*.tmp"):
        with contextlib.suppress(OSError):
            descriptor = os.open(path, os.O_RDONLY | system.OPEN)
            found = os.fstat(descriptor)
            # Between its making and its locking a file looks stale.
            is_old = stat.S_ISREG(found.st_mode) and time.time() - found.st_mtime > 10
            is_stale = is_old and system.try_lock(descriptor)
            # Windows removes no file that is open.
            os.close(descriptor)
            if is_stale:
                path.unlink()


def _make_folder(folder: Path) -> None:
    """Make a folder and those above it, and put their names on the disk."""
    if status(folder) is None:
        _make_folder(folder.parent)
        folder.mkdir(exist_ok=True)
        system.sync_folder(folder.parent)


# -- Appending --------------------------------------------------------------------------------------------------------


@refusing
def append_line(
    path: Path, line: str, *, follows: Callable[[str], bool] = lambda line: True, allow_outside: bool = False
) -> None:
    """Add one line at the end of a file, and make the file and its folders where there are none.

    One write of the whole line under the file's lock, flushed to the disk. A last line that a crash tore off gets its
    newline first, so that it does not swallow this one.

    Args:
        path: the file.
        line: a text without line ends.
        follows: asked of the last whole line that is there; where it says no, this is not a file to append to.
        allow_outside: True where the file may be a link that leads out of its repository.

    Returns:
        None, or why nothing was written; where the disk failed after the write, that the line may have been written.
    """
    if "\n" in line or "\r" in line:
        raise RefusedError(Refusal("a line holds no line end"))
    raise_if_refused(None if allow_outside else may_write(path))
    _make_folder(path.parent)
    descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | system.OPEN, 0o666)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise RefusedError(IRREGULAR)
        _lock(descriptor)
        if not _is_log(tail(descriptor, 1 << 20), follows):
            raise RefusedError(Refusal("its last line is none that mdtally writes there, so nothing was added"))
        _append(descriptor, f"{line}\n".encode())
        if refusal := attempt(lambda: os.fsync(descriptor)):
            raise RefusedError(Refusal(f"{refusal.reason}: the line may have been written"))
    finally:
        os.close(descriptor)
    system.sync_folder(path.parent)


def _is_log(end: bytes, follows: Callable[[str], bool]) -> bool:
    """True if a line may follow a file's last whole one; one that was torn off has to begin as a record does."""
    *whole, torn = end.split(b"\n")
    lines = [line for line in whole if line.strip()]
    return follows(lines[-1].decode(errors="replace")) if lines else not torn or torn.startswith(b"{")


def _append(descriptor: int, data: bytes) -> None:
    size = os.fstat(descriptor).st_size
    if size and system.read_at(descriptor, 1, size - 1) != b"\n":
        data = b"\n" + data
    if os.write(descriptor, data) != len(data):
        # A full disk: take the half line back rather than leave it to the next reader.
        os.ftruncate(descriptor, size)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


# -- Locks ------------------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def lock_file(path: Path) -> Iterator[Refusal | None]:
    """Hold the right to read a file, decide, and write to it, against all other processes.

    The lock is on the file's folder, since ``append_line`` locks the log itself and a file made for the purpose would
    be litter in a person's project.

    Gives a refusal where the folder can't be made or opened, or another process holds it for ten seconds; then nothing
    is locked.
    """
    with contextlib.ExitStack() as held:

        def lock() -> None:
            _make_folder(path.parent)
            descriptor = system.open_lock_of(path.parent)
            held.callback(os.close, descriptor)
            _lock(descriptor)

        yield attempt(lock)


def _lock(descriptor: int) -> None:
    """Wait for a lock, which ends when the descriptor is closed; refuse, and name who holds it, if that takes long."""
    end, pause = time.monotonic() + PATIENCE, 0.001
    while not system.try_lock(descriptor):
        if time.monotonic() > end:
            words = f"{system.holder(descriptor)} has held its lock for {PATIENCE:g} seconds; nothing was written"
            raise RefusedError(Refusal(words))
        time.sleep(pause)
        pause = min(2 * pause, 0.02)
