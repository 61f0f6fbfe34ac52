"""A person at a real terminal: starts the program on a pseudo-terminal, waits for its question, presses a key."""

from __future__ import annotations

import os
import select
import signal
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

Step = str | Callable[[int], str]
"""What a person does at a question: presses keys, or does something before; that is told the program's process."""


def drive(folder: Path, arguments: Sequence[str], steps: Sequence[Step]) -> tuple[str, int]:
    """What the program shows, and its exit code, if a person does one step at each question."""
    import pty

    process, terminal = pty.fork()
    if process == 0:
        signal.signal(
            signal.SIGINT, signal.SIG_DFL
        )  # in the background of a script it is ignored, and so would Ctrl-C be
        os.chdir(folder)
        root = str(Path(__file__).resolve().parents[1])
        environment = {**os.environ, "NO_COLOR": "1", "PYTHONPATH": root, "TERM": "vt100", "COLUMNS": "80"}
        os.execve(sys.executable, [sys.executable, "-m", "mdtally", *arguments], environment)
    shown = b""
    try:
        for step in steps:
            shown += _until_question(terminal)
            os.write(terminal, (step(process) if callable(step) else step).encode())
        while more := _read(terminal):
            shown += more
    finally:
        os.close(terminal)
    return shown.decode().replace("\r\n", "\n"), os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def _until_question(terminal: int) -> bytes:
    shown, end = b"", time.monotonic() + 60
    while not shown.endswith(b"> "):
        assert time.monotonic() < end, f"no question was asked after: {shown.decode()}"
        if select.select([terminal], [], [], 1)[0]:
            more = _read(terminal)
            assert more, f"the program ended after: {shown.decode()}"
            shown += more
    return shown


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # Linux says so when the program has gone
        return b""
