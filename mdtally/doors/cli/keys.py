"""Keys of a terminal, one at a time."""

from __future__ import annotations

import codecs
import contextlib
import os
import re
import select
import signal
import sys

try:
    import termios
    import tty
except ImportError:
    termios = None  # type: ignore[assignment]

# "\x1b[1;5A", "\x1bOP", a bare Esc
_ESCAPE = re.compile(rb"\x1b(?:\[[^@-~]*[@-~]?|O?.)?", re.DOTALL)
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
        self._typed, self._decoder = "", codecs.getincrementaldecoder("utf-8")("replace")
        # Ctrl-Z and fg: the shell has set the terminal back meanwhile.
        self._continued = signal.signal(signal.SIGCONT, lambda number, frame: self._listen())
        self._listen()
        return self

    def __exit__(self, *raised: object) -> None:
        signal.signal(signal.SIGCONT, self._continued)
        with contextlib.suppress(termios.error):  # the terminal has gone
            termios.tcsetattr(self._file, termios.TCSADRAIN, self._known)

    def next(self) -> str:
        """The next key; "" if the terminal has gone. Arrows and the like, and what is pasted, are left out."""
        while not self._typed:
            data = self._read()
            if not data:
                return ""
            # An arrow, and what is pasted, may come in pieces.
            while (b"\x1b" in data or len(data) > _TYPED_AHEAD) and self._waits() and (more := self._read()):
                data += more
            keys = _ESCAPE.sub(b"", data)
            self._typed += self._decoder.decode(keys) if len(keys) <= _TYPED_AHEAD else ""
        key, self._typed = self._typed[0], self._typed[1:]
        return key

    def _read(self) -> bytes:
        """What has been typed, once there is anything; nothing if the terminal has gone."""
        try:
            # A signal that comes just before the wait does not end it: so it is never long.
            while not select.select([self._file], [], [], 0.2)[0]:
                pass
            return os.read(self._file, 1 << 16)
        except OSError:
            return b""

    def _waits(self) -> bool:
        """True if more comes at once; a bare Esc key is followed by nothing."""
        return bool(select.select([self._file], [], [], 0.02)[0])

    def _listen(self) -> None:
        # A terminal that closes sends SIGCONT, too: what is cleaned up then must not be cut short.
        with contextlib.suppress(termios.error):
            tty.setcbreak(self._file, termios.TCSANOW)
