"""Keys of a terminal, one at a time."""

from __future__ import annotations

import codecs
import contextlib
import os
import select
import signal
import sys

try:
    import fcntl
    import termios
    import tty
except ImportError:
    termios = None  # type: ignore[assignment]

_TYPED_AHEAD = 8
"""Keys that a person may have pressed before they were asked for; more at once was pasted."""


def is_terminal() -> bool:
    """True if a person sits at both ends: standard input and output are a terminal, one whose keys can be read."""
    return termios is not None and sys.stdin.isatty() and sys.stdout.isatty()


class Keys:
    """Reads single keys while it is entered; the terminal is as it was afterwards, however that ends."""

    def __enter__(self) -> Keys:
        self._file = sys.stdin.fileno()
        self._known = termios.tcgetattr(self._file)
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        # Ctrl-Z and fg: the shell has set the terminal back meanwhile.
        self._continued = signal.signal(signal.SIGCONT, lambda number, frame: self._go_on())
        self._listen()
        return self

    def __exit__(self, *raised: object) -> None:
        signal.signal(signal.SIGCONT, self._continued)
        with contextlib.suppress(termios.error):  # the terminal has gone
            termios.tcsetattr(self._file, termios.TCSADRAIN, self._known)

    def next(self) -> str:
        """The next key; "" if the terminal has gone. Arrows and the like, and what is pasted, are left out."""
        while True:
            while self._pending() > _TYPED_AHEAD:
                while self._waits():
                    termios.tcflush(self._file, termios.TCIFLUSH)
            data = self._byte()
            if not data:
                return ""
            if data != b"\x1b":
                key = self._decoder.decode(data)
                if key:
                    return key
            elif self._waits() and self._byte() in (b"[", b"O"):
                while self._waits() and not b"@" <= self._byte() <= b"~":
                    pass  # "\x1b[1;5A": the letter ends it

    def _pending(self) -> int:
        """How many bytes wait to be read, once there are any; 0 if the terminal has gone."""
        try:
            # A signal that comes just before the wait does not end it: so it is never long.
            while not select.select([self._file], [], [], 0.2)[0]:
                pass
            return int.from_bytes(fcntl.ioctl(self._file, termios.FIONREAD, bytes(4)), sys.byteorder)
        except OSError:
            return 0

    def _byte(self) -> bytes:
        try:
            return os.read(self._file, 1)
        except OSError:
            return b""

    def _waits(self) -> bool:
        """True if more of an escape sequence is there; a bare Esc key is followed by nothing."""
        return bool(select.select([self._file], [], [], 0.02)[0])

    def _go_on(self) -> None:
        # A terminal that closes sends SIGCONT, too: what is cleaned up then must not be cut short.
        with contextlib.suppress(termios.error):
            self._listen()

    def _listen(self) -> None:
        tty.setcbreak(self._file, termios.TCSANOW)
