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
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from mdtally.files import FOLDER, IRREGULAR, MISSING, Refusal, attempt, open_bytes, read, status
from mdtally.files.find import may_write

PATIENCE = 10.0
"""Seconds that a lock is waited for."""

CHANGED = Refusal("changed while I read it; nothing was written, run this again")
EXISTS = Refusal("it exists already")


# -- Replacing --------------------------------------------------------------------------------------------------------


def write_atomically(
    path: Path, data: bytes | Iterable[bytes], *, was: bytes | None, allow_outside: bool = False
) -> Refusal | None:
    """Replace a file's content in one step, or make a new file; what is long may come piece by piece.

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
    if refusal is not None:
        return None if refusal == CHANGED and read(path) == data else refusal
    made: list[Path] = []
    with interruptible():
        try:
            found = attempt(lambda: _replace(path, data, was, made))
        finally:
            for temporary in made:
                attempt(temporary.unlink)
    # Another process of ours may have come to the same end.
    return None if found == CHANGED and read(path) == data else found


def check_replace(path: Path, *, was: bytes | None, allow_outside: bool = False) -> Refusal | None:
    """What ``write_atomically`` would say before it writes: for who has something else to do first."""
    refusal = None if allow_outside else may_write(path)
    return refusal or attempt(lambda: _may_replace(Path(os.path.realpath(path)), was))


def _replace(path: Path, data: bytes | Iterable[bytes], was: bytes | None, made: list[Path]) -> Refusal | None:
    """Write beside, look once more, take the name; ``made`` holds the file beside as long as there is one."""
    target = Path(os.path.realpath(path))
    _make_folder(target.parent)
    _remove_stale(target.parent)
    known = status(target)
    temporary = target.parent / f".{target.name[:40]}.mdtally-{os.getpid()}-{os.urandom(4).hex()}.tmp"
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    # Before it is there: a signal may come between its making and the next line.
    made.append(temporary)
    descriptor = os.open(temporary, flags, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        _try_lock(file.fileno())
        file.writelines([data] if isinstance(data, bytes) else data)
        file.flush()
        _take_over(file.fileno(), target, known if isinstance(known, os.stat_result) else None)
        os.fsync(file.fileno())
        if was is None:
            # A link, unlike a replacement, never takes the place of a file that came in between.
            try:
                os.link(temporary, target)
            except FileExistsError:
                return EXISTS
            except OSError:
                if status(target, follow=False) is not None:
                    return EXISTS
                made.pop().replace(target)
        else:
            refusal = _may_replace(target, was)
            if refusal is not None:
                return refusal
            made[0].replace(target)
            made.pop()
    _sync_folder(target.parent)
    return None


def _may_replace(target: Path, was: bytes | None) -> Refusal | None:
    """A refusal unless a file is still what was read, and one that can be replaced without losing anything."""
    before = status(target)
    if before is None:
        return None if was is None else CHANGED
    if isinstance(before, Refusal):
        return before
    if not stat.S_ISREG(before.st_mode):
        return FOLDER if stat.S_ISDIR(before.st_mode) else IRREGULAR
    if was is None:
        return EXISTS
    if before.st_nlink > 1:
        return Refusal(f"it has {before.st_nlink} names (hard links), which would be torn apart; remove all but one")
    # Replacing needs no permission on the file itself, but a file that was made read-only is meant to stay.
    if not os.access(target, os.W_OK):
        return Refusal("no permission to write it")
    content = read(target)
    after = status(target)
    if isinstance(content, Refusal) or not isinstance(after, os.stat_result):
        return content if isinstance(content, Refusal) and content != MISSING else CHANGED
    same = all(getattr(before, name) == getattr(after, name) for name in ("st_dev", "st_ino", "st_size", "st_mtime_ns"))
    return None if content == was and same else CHANGED


_cleaned: set[str] = set()


def _remove_stale(folder: Path) -> None:
    """Remove what a killed run left in a folder: nobody holds its lock any more. Once a run, as the listing costs."""
    if str(folder) in _cleaned:
        return
    _cleaned.add(str(folder))
    for path in folder.glob(".*.mdtally-*.tmp"):
        file = open_bytes(path)
        if isinstance(file, Refusal):
            continue
        with contextlib.suppress(OSError), file:
            # Between its making and its locking a file looks stale.
            if time.time() - os.fstat(file.fileno()).st_mtime > 10 and _try_lock(file.fileno()):
                path.unlink()


def _take_over(descriptor: int, target: Path, known: os.stat_result | None) -> None:
    """Give a new file the owner, mode and attributes of the one it will replace; a wholly new one those of any."""
    if sys.platform == "win32":
        return
    if known is None:
        mask = os.umask(0)
        os.umask(mask)
        os.fchmod(descriptor, 0o666 & ~mask)
        return
    mine = os.fstat(descriptor)
    if (mine.st_uid, mine.st_gid) != (known.st_uid, known.st_gid):
        os.fchown(descriptor, known.st_uid, known.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(known.st_mode))
    if hasattr(os, "listxattr"):
        kept = set(os.listxattr(descriptor))
        for name in os.listxattr(target):
            # What the system itself attaches ("security.") it attaches to the new file, too.
            if name not in kept or not name.startswith("security."):
                os.setxattr(descriptor, name, os.getxattr(target, name))


def _make_folder(folder: Path) -> None:
    """Make a folder and those above it, and put their names on the disk."""
    missing = []
    while status(folder) is None:
        missing.append(folder)
        folder = folder.parent
    for place in reversed(missing):
        place.mkdir(exist_ok=True)
        _sync_folder(place.parent)


def _sync_folder(folder: Path) -> None:
    """Put the new name itself on the disk, where the system lets a folder be opened."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


@contextlib.contextmanager
def interruptible() -> Iterator[None]:
    """End by an exception at SIGTERM and SIGHUP, as at SIGINT, so that what was begun is cleaned up."""
    import signal
    import threading

    def leave(number: int, frame: object) -> None:
        raise SystemExit(128 + number)

    names = ("SIGTERM", "SIGHUP") if threading.current_thread() is threading.main_thread() else ()
    known = [(number, signal.signal(number, leave)) for name in names if (number := getattr(signal, name, None))]
    try:
        yield
    finally:
        for number, handler in known:
            signal.signal(number, handler or signal.SIG_DFL)


# -- Appending --------------------------------------------------------------------------------------------------------


def append_line(
    path: Path, line: str, *, follows: Callable[[str], bool] = lambda line: True, allow_outside: bool = False
) -> Refusal | None:
    """Add one line at the end of a file, and make the file and its folders where there are none.

    One write of the whole line under the file's lock, flushed to the disk. A last line that a crash tore off gets its
    newline first, so that it does not swallow this one.

    Args:
        path: the file.
        line: a text without line ends.
        follows: asked of the last whole line that is there; where it says no, this is no file to append to.
        allow_outside: True where the file may be a link that leads out of its repository.

    Returns:
        None, or why nothing was written; where the disk failed after the write, that the line may have been written.
    """
    if "\n" in line or "\r" in line:
        raise ValueError("a line holds no line end")
    if not allow_outside and (refusal := may_write(path)):
        return refusal

    def append() -> Refusal | None:
        _make_folder(path.parent)
        descriptor = os.open(
            path,
            os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0),
            0o666,
        )
        is_written = False
        try:
            mode = os.fstat(descriptor).st_mode
            if not stat.S_ISREG(mode):
                return IRREGULAR
            refusal = _lock(descriptor) or _may_append(descriptor, follows)
            if refusal is None:
                try:
                    _append(descriptor, f"{line}\n".encode())
                    is_written = True
                    os.fsync(descriptor)
                finally:
                    _unlock(descriptor)
            return refusal
        except OSError as error:
            if not is_written:
                raise
            return Refusal(f"{(error.strerror or str(error)).lower()}: the line may have been written")
        finally:
            os.close(descriptor)

    found = attempt(append)
    if found is None:
        _sync_folder(path.parent)
    return found


def _may_append(descriptor: int, follows: Callable[[str], bool]) -> Refusal | None:
    """A refusal where the last whole line is none that a line may follow; one of many megabytes is not looked at."""
    reach = 1 << 20
    start = max(0, os.lseek(descriptor, 0, os.SEEK_END) - reach)
    os.lseek(descriptor, start, os.SEEK_SET)
    tail = os.read(descriptor, reach)
    *whole, torn = tail.split(b"\n")
    lines = [line for line in (whole[1:] if start else whole) if line.strip()]
    fits = follows(lines[-1].decode(errors="replace")) if lines else bool(start) or not torn or torn.startswith(b"{")
    return None if fits else Refusal("its last line is no record of a verdict, so it is no calibration log")


def _append(descriptor: int, data: bytes) -> None:
    size = os.lseek(descriptor, 0, os.SEEK_END)
    if size:
        os.lseek(descriptor, size - 1, os.SEEK_SET)
        if os.read(descriptor, 1) != b"\n":
            data = b"\n" + data
    written = os.write(descriptor, data)
    if written != len(data):
        # A full disk: take the half line back rather than leave it to the next reader.
        os.ftruncate(descriptor, size)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


# -- Locks ------------------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def locked(path: Path) -> Iterator[Refusal | None]:
    """Hold the right to read a file, decide, and write to it, against all other processes.

    The lock is on the file's folder, since ``append_line`` locks the log itself and a file made for the purpose would
    be litter in a person's project. Windows can't lock folders: there it is a file among the temporary ones.

    Gives a refusal where the folder can't be made or opened, or another process holds it for ten seconds; then nothing
    is locked.
    """

    def opened() -> int:
        _make_folder(path.parent)
        return _open_lock(path.parent)

    descriptor = attempt(opened)
    refusal = descriptor if isinstance(descriptor, Refusal) else attempt(lambda: _lock(descriptor))
    try:
        yield refusal
    finally:
        if isinstance(descriptor, int):
            if refusal is None:
                _unlock(descriptor)
            os.close(descriptor)


def _lock(descriptor: int) -> Refusal | None:
    """Wait for a lock; a refusal that names who holds it where that takes too long."""
    end = time.monotonic() + PATIENCE
    while not _try_lock(descriptor):
        if time.monotonic() > end:
            return Refusal(f"{_holder(descriptor)} has held its lock for {PATIENCE:g} seconds; nothing was written")
        time.sleep(0.02)
    return None


def _holder(descriptor: int) -> str:
    """Who holds the lock of a file, in words; only Linux tells."""
    found = os.fstat(descriptor)
    mark = f"{os.major(found.st_dev):02x}:{os.minor(found.st_dev):02x}:{found.st_ino}" if os.name == "posix" else ""
    table = attempt(lambda: Path("/proc/locks").read_text())
    for line in table.splitlines() if isinstance(table, str) and mark else ():
        fields = line.split()
        if mark in fields and "->" not in fields:
            name = attempt(lambda pid=fields[4]: Path(f"/proc/{pid}/comm").read_text().strip())  # type: ignore[misc]
            return f"process {fields[4]}{f' ({name})' if isinstance(name, str) else ''}"
    return "another process"


if sys.platform == "win32":
    import msvcrt

    # Windows' locks bar readers, too: so the byte that is locked is one that no log has.
    _LOCKED_BYTE = 0x7FFF_FFF0

    def _open_lock(folder: Path) -> int:
        import hashlib
        import tempfile

        name = hashlib.sha256(os.path.realpath(folder).lower().encode()).hexdigest()[:16]
        return os.open(Path(tempfile.gettempdir()) / f"mdtally-{name}.lock", os.O_RDWR | os.O_CREAT)

    def _try_lock(descriptor: int) -> bool:
        os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _unlock(descriptor: int) -> None:
        os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _open_lock(folder: Path) -> int:
        return os.open(folder, os.O_RDONLY)

    def _try_lock(descriptor: int) -> bool:
        """Take a lock if it is free; where the file system has none, go on: appends are whole writes anyway."""
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:
            return True
        return True

    def _unlock(descriptor: int) -> None:
        with contextlib.suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_UN)
