"""What only POSIX systems have, each with one way out elsewhere: locks, owners, folders, process groups, alarms.

Nothing here fails to import. Where a system has neither ``fcntl`` nor ``msvcrt``, as in a browser, there are no locks,
and no second process to lock out either.
"""

from __future__ import annotations

import contextlib
import os
import signal
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

try:
    import fcntl
except ImportError:
    fcntl = None  # type: ignore[assignment]
    try:
        import msvcrt
    except ImportError:
        msvcrt = None  # type: ignore[assignment]

OPEN = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""For ``os.open``: without O_NONBLOCK a named pipe would wait for ever; without O_BINARY Windows changes line ends."""

_BEYOND = 0x7FFFFFFE
"""Windows locks bytes against reading, too: so one that no log reaches."""


# -- Locks ------------------------------------------------------------------------------------------------------------


def try_lock(descriptor: int) -> bool:
    """Take the lock of an open file if it is free; it ends when the descriptor is closed.

    Where the file system has no locks, True: appends are whole writes anyway.
    """
    try:
        if fcntl is not None:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        elif msvcrt is not None:
            os.lseek(descriptor, _BEYOND, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
    except OSError as error:
        return not isinstance(error, BlockingIOError | PermissionError)
    return True


def open_lock_of(folder: Path) -> int:
    """A descriptor to lock on behalf of a folder: the folder itself, else a file among the temporary ones.

    Raises:
        OSError: it can't be opened.
    """
    if fcntl is not None:
        return os.open(folder, os.O_RDONLY)
    import hashlib
    import tempfile

    name = hashlib.sha256(os.path.realpath(folder).encode(errors="replace")).hexdigest()[:16]
    return os.open(Path(tempfile.gettempdir(), f"mdtally-{name}.lock"), os.O_RDWR | os.O_CREAT | OPEN, 0o666)


def holder(descriptor: int) -> str:
    """Who holds the lock of a file, in words; only Linux tells."""
    status = os.fstat(descriptor)
    # Of file systems such as overlayfs the table has another device.
    with contextlib.suppress(OSError, ValueError, AttributeError):
        mark = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}:{status.st_ino}"
        for line in Path("/proc/locks").read_text().split("\n"):
            fields = line.split()
            if mark in fields and "->" not in fields:
                name = Path(f"/proc/{fields[4]}/comm").read_text().strip()
                return f"process {fields[4]} ({name})"
    return "another process"


# -- Files ------------------------------------------------------------------------------------------------------------


def is_mine(status: os.stat_result) -> bool:
    """True if a file belongs to whoever runs this, or to the administrator; Windows does not tell owners apart so."""
    return not hasattr(os, "geteuid") or status.st_uid in (os.geteuid(), 0)


def read_at(descriptor: int, length: int, start: int) -> bytes:
    """Some bytes of an open file, from an offset on."""
    os.lseek(descriptor, start, os.SEEK_SET)
    found = b""
    while piece := os.read(descriptor, length - len(found)):
        found += piece
    return found


def take_over(descriptor: int, known: os.stat_result | None, path: Path) -> None:
    """Give a new file the owner, mode and attributes of the one it will replace; a wholly new one those of any.

    Windows has none of these; there a file has the rights of its folder.

    Raises:
        OSError: one of them can't be given.
    """
    if not hasattr(os, "fchmod"):
        return
    if known is None:
        mask = os.umask(0)
        os.umask(mask)
        os.fchmod(descriptor, 0o666 & ~mask)
        return
    new = os.fstat(descriptor)
    if hasattr(os, "fchown") and (new.st_uid, new.st_gid) != (known.st_uid, known.st_gid):
        os.fchown(descriptor, known.st_uid, known.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(known.st_mode))
    # macOS's Python has no calls for them.
    if hasattr(os, "listxattr"):
        there = os.listxattr(descriptor)
        for name in os.listxattr(path):
            # What the system itself attaches ("security.") it attaches to the new file, too.
            if name not in there or not name.startswith("security."):
                os.setxattr(descriptor, name, os.getxattr(path, name))


def sync_folder(folder: Path) -> None:
    """Put a new name itself on the disk, where the system lets a folder be opened."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


# -- Processes --------------------------------------------------------------------------------------------------------


ENDING: Final = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))
"""The signals, besides SIGINT, by which a program is asked to end."""


@contextlib.contextmanager
def interruptible() -> Iterator[None]:
    """End by an exception at SIGTERM and SIGHUP, as at SIGINT, so that what was begun is cleaned up.

    A signal that whoever started the program wants ignored, as nohup does, stays ignored. A second one while the
    first is answered does nothing: a terminal that closes sends both, and the cleaning up is not cut short.
    """
    import threading

    def leave(number: int, frame: object) -> None:
        for one in heeded:
            signal.signal(one, lambda *_: None)
        raise SystemExit(128 + number)

    is_main = threading.current_thread() is threading.main_thread()
    heeded = [number for number in ENDING if is_main and signal.getsignal(number) is not signal.SIG_IGN]
    known = [(number, signal.signal(number, leave)) for number in heeded]
    try:
        yield
    finally:
        for number, handler in known:
            signal.signal(number, handler or signal.SIG_DFL)


class TooLongError(Exception):
    """What was to be done within some seconds was not."""


@contextlib.contextmanager
def within_seconds(most: float) -> Iterator[None]:
    """End what is done inside by a TooLongError after seconds of the processor; in threads and on Windows never."""
    import threading

    def leave(number: int, frame: object) -> None:
        raise TooLongError

    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield
        return
    known = signal.signal(signal.SIGVTALRM, leave)
    signal.setitimer(signal.ITIMER_VIRTUAL, most)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, known or signal.SIG_DFL)


NEW_GROUP: dict[str, Any] = {"start_new_session": True} if hasattr(os, "killpg") else {}
"""For ``subprocess.Popen``: the program gets a process group of its own."""


def kill_group(leader: int) -> bool:
    """Kill the processes of a group; False where there are no groups. Where the leader is over, others may be there."""
    if not hasattr(os, "killpg"):
        return False
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)
    return True
