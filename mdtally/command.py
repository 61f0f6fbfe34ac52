"""The one place that runs another program: a person's own command, which answers a prompt.

The command is split as a shell splits words and given no shell. It gets a time limit and an output limit, and when it
exceeds one of them its whole process group ends with it, so that no orphan goes on spending money.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import signal
import subprocess
import time
from typing import NamedTuple

from mdtally.files import interruptible

OUTPUT_LIMIT = 1_000_000
"""Bytes of an answer; a debate's turn has a few thousand."""


class Answer(NamedTuple):
    """What came of one call.

    Attributes:
        text: what the program printed; "" where it failed.
        error: why there is no usable answer, in words; "" where there is one.
    """

    text: str = ""
    error: str = ""


def split(command: str) -> list[str] | str:
    """The words of a command, or why it can't be run.

    Args:
        command: as a person would type it; quotes and backslashes work as in a shell, nothing else does.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        return f"the command can't be split into words: {error}"
    if not words:
        return "the command is empty"
    return words if shutil.which(words[0]) else f"there is no program {words[0]}"


def ask(words: list[str], prompt: str, timeout: float) -> Answer:
    """Run a program with the prompt on its stdin, and take what it prints.

    Args:
        words: program and arguments.
        prompt: for its stdin, as UTF-8.
        timeout: seconds it may take.
    """
    import tempfile

    end = time.monotonic() + timeout
    try:
        # Files, not pipes: a pipe can be kept open by whatever the program started.
        with tempfile.TemporaryFile() as asked, tempfile.TemporaryFile() as printed, tempfile.TemporaryFile() as said:
            asked.write(prompt.encode("utf-8", "replace"))
            asked.seek(0)
            with interruptible():
                process = subprocess.Popen(words, stdin=asked, stdout=printed, stderr=said, start_new_session=True)
                try:
                    while process.returncode is None:
                        with contextlib.suppress(subprocess.TimeoutExpired):
                            process.wait(0.05)
                        if process.returncode is None and time.monotonic() > end:
                            return Answer(error=f"no answer within {timeout:g} s")
                        if max(os.fstat(file.fileno()).st_size for file in (printed, said)) > OUTPUT_LIMIT:
                            return Answer(error=f"it printed more than {OUTPUT_LIMIT:,} bytes")
                finally:
                    # Also on Ctrl-C and SIGTERM: nothing goes on running.
                    _end(process)
            for file in (printed, said):
                file.seek(0)
            data, complaint = printed.read(OUTPUT_LIMIT), said.read(OUTPUT_LIMIT)
    except (OSError, ValueError) as error:
        return Answer(error=f"{words[0]} can't be run: {getattr(error, 'strerror', None) or error}")
    if code := process.returncode:
        lines = complaint.decode(errors="replace").strip().splitlines()
        return Answer(error=f"it ended with exit code {code}{': ' + lines[-1][:200] if lines else ''}")
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return Answer(error="its answer is not UTF-8")
    return Answer(text) if text.strip() else Answer(error="its answer is empty")


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill a program and what it started; where it is over already, its group may still be there."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(1)
