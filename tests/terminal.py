"""A person at a real terminal: starts the program on a pseudo-terminal, waits for its question, presses a key."""

from __future__ import annotations

import os
import select
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path
from typing import NoReturn

from mdtally.__main__ import run

Step = str | Callable[[int], str]
"""What a person does at a question: presses keys, or does something before; that is told the program's process."""


def start(folder: Path, arguments: Sequence[str], columns: int) -> tuple[int, int]:
    """The program on a terminal of its own: its process and the terminal.

    The process is forked from this one, in which the modules are there already: that saves most of a short run.
    """
    import pty

    process, terminal = pty.fork()
    if process == 0:
        _run(folder, arguments, columns)
    return process, terminal


def ran_into(folder: Path, arguments: Sequence[str], stdout: int) -> tuple[str, int]:
    """What the program complains of, and its exit code, if its output goes into a stream that nobody may take."""
    read, write = os.pipe()
    process = os.fork()
    if process == 0:
        os.dup2(stdout, 1)
        os.dup2(write, 2)
        _run(folder, arguments, 80)
    for number in (stdout, write):
        os.close(number)
    with os.fdopen(read) as told:
        return told.read(), os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def _run(folder: Path, arguments: Sequence[str], columns: int) -> NoReturn:
    """Be the program, which ends this process, with what stands in their place as its streams."""
    try:
        os.chdir(folder)
        os.environ.update(
            NO_COLOR="1",
            TERM="vt100",
            COLUMNS=str(columns),
            XDG_STATE_HOME=str(folder.parent / f".state-{folder.name}"),
        )
        sys.argv = ["mdtally", *arguments]
        # What the test runner has put in their place keeps what is written.
        sys.stdin, sys.stdout, sys.stderr = (os.fdopen(number, mode) for number, mode in enumerate("rww"))
        run()
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
    finally:
        os._exit(70)  # whatever happens, it is no second run of the tests


def converse(folder: Path, arguments: Sequence[str], person: Callable[[str], str]) -> tuple[str, int]:
    """As ``drive``, with a person who is shown all since the last question and says which key to press."""
    process, terminal = start(folder, arguments, 80)
    shown = ""
    try:
        while part := _until_question(terminal, may_end=True).decode().replace("\r\n", "\n"):
            shown += part
            if not part.endswith("> "):
                break
            os.write(terminal, person(part).encode())
    finally:
        os.close(terminal)
    return shown, os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def drive(folder: Path, arguments: Sequence[str], steps: Sequence[Step], columns: int = 80) -> tuple[str, int]:
    """What the program shows, and its exit code, if a person does one step at each question."""
    process, terminal = start(folder, arguments, columns)
    shown = b""
    try:
        for step in steps:
            shown += _until_question(terminal)
            os.write(terminal, (step(process) if callable(step) else step).encode())
        more = b""
        # At one more question nothing else comes: closing the terminal ends the program.
        while select.select([terminal], [], [], 0.2 if more.endswith(b"\n> ") else 10)[0] and (more := _read(terminal)):
            shown += more
    finally:
        os.close(terminal)
    return shown.decode().replace("\r\n", "\n"), os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def leave(folder: Path, arguments: Sequence[str], keys: str) -> int:
    """The exit code if a person presses keys, one a question, and closes the terminal at the next question."""
    process, terminal = start(folder, arguments, 80)
    try:
        for key in keys:
            _until_question(terminal)
            os.write(terminal, key.encode())
        _until_question(terminal)
    finally:
        os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def _until_question(terminal: int, *, may_end: bool = False) -> bytes:
    shown, end = b"", time.monotonic() + 60
    while not shown.endswith(b"> "):
        assert time.monotonic() < end, f"no question was asked after: {shown.decode()}"
        if select.select([terminal], [], [], 1)[0]:
            more = _read(terminal)
            if may_end and not more:
                break
            assert more, f"the program ended after: {shown.decode()}"
            shown += more
    return shown


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # Linux says so when the program has gone
        return b""


def reviewed() -> str:
    """The frontmatter of a chat in which every likely event was answered, and no verdict written; of today."""
    return f'---\ncalibration_reviewed: "{date.today().isoformat()}"\n---\n'
