"""The one place that runs another program: a person's own command, which answers a prompt, and git.

A person's command is split as a shell splits words and given no shell. It gets a time limit and an output limit, and
when it exceeds one of them its whole process group ends with it, so that no orphan goes on spending money.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from mdtally.project.files.disk import RefusedError, raise_if_refused, refusing
from mdtally.text import system
from mdtally.text.model import Refusal
from mdtally.text.regex import regex

OUTPUT_LIMIT = 1_000_000
"""Bytes of an answer; a debate's turn has a few thousand."""
# What colours a terminal or moves its cursor, which some programs print into a pipe, too: "\x1b[31m", "\x1b[?25l",
# "\x1b]0;title\x07"
_TERMINAL = regex(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\^_=>78])")


def split(command: str) -> list[str] | Refusal:
    """The words of a command, or why it can't be run.

    Args:
        command: as a person would type it; quotes and backslashes work as in a shell, nothing else does.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        return Refusal(f"the command can't be split into words: {error}")
    if not words:
        return Refusal("the command is empty")
    return words if shutil.which(words[0]) else Refusal(f"there is no program {words[0]}")


def ask(words: list[str], prompt: str, timeout: float, stop: Callable[[], bool] = lambda: False) -> str | Refusal:
    """What a program prints that is run with a prompt on its stdin, or why there is no usable answer.

    Args:
        words: program and arguments.
        prompt: for its stdin, as UTF-8.
        timeout: seconds it may take.
        stop: asked while it runs: True if nobody waits for the answer any more.
    """
    import tempfile

    end = time.monotonic() + timeout
    # Files, not pipes: a pipe can be kept open by whatever the program started.
    with system.interruptible(), contextlib.ExitStack() as held:
        asked, output, errors = (held.enter_context(tempfile.TemporaryFile()) for _ in range(3))
        asked.write(prompt.encode("utf-8", "replace"))
        asked.seek(0)
        try:
            # Windows runs a script such as claude.cmd by its whole name only.
            program = [shutil.which(words[0]) or words[0], *words[1:]]
            process = subprocess.Popen(program, stdin=asked, stdout=output, stderr=errors, **system.NEW_GROUP)
        except (OSError, ValueError) as error:
            return Refusal(f"{words[0]} can't be run: {getattr(error, 'strerror', None) or error}")
        held.callback(_end, process)
        code: int | None = None
        while code is None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                code = process.wait(0.05)
            if max(os.fstat(file.fileno()).st_size for file in (output, errors)) > OUTPUT_LIMIT:
                return Refusal(f"it printed more than {OUTPUT_LIMIT:,} bytes")
            if code is None and (time.monotonic() > end or stop()):
                return Refusal(f"no answer within {timeout:g} s")
        output.seek(0)
        errors.seek(0)
        data, complaint = output.read(OUTPUT_LIMIT), errors.read(OUTPUT_LIMIT)
    if code:
        lines = _TERMINAL.sub("", complaint.decode(errors="replace")).strip().splitlines()
        return Refusal(f"it ended with exit code {code}{': ' + lines[-1][:200] if lines else ''}")
    try:
        text = _TERMINAL.sub("", data.decode())
    except UnicodeDecodeError:
        return Refusal("its answer is not UTF-8")
    return text if text.strip() else Refusal("its answer is empty")


def ask_all(words: list[str], prompts: Iterable[str], timeout: float, jobs: int) -> Iterator[tuple[int, str | Refusal]]:
    """As ``ask`` for several prompts, so many at a time: each answer as it comes, with the index of its prompt."""
    import threading
    from concurrent.futures import ThreadPoolExecutor, as_completed

    stopped = threading.Event()
    with system.interruptible(), ThreadPoolExecutor(jobs) as pool:
        try:
            asked = {pool.submit(ask, words, prompt, timeout, stopped.is_set): n for n, prompt in enumerate(prompts)}
            for answer in as_completed(asked):
                yield asked[answer], answer.result()
        finally:
            # Also on Ctrl-C and SIGTERM: nothing goes on running.
            stopped.set()
            pool.shutdown(cancel_futures=True)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill a program and what it started; where it is over already, its group may still be there."""
    if not system.kill_group(process.pid):
        process.kill()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(1)


def text_at(reference: str, path: Path) -> str:
    """The text of a file at a commit of its git repository; "" if it was not there, or git can't say."""
    found = _git("-C", str(path.parent), "show", "--no-ext-diff", f"{reference}:./{path.name}")
    return "" if isinstance(found, Refusal) else found


@refusing
def changed_since(reference: str) -> frozenset[Path]:
    """The files of the working directory's git repository that have changed since a commit, new and gone ones too.

    What has changed since the two lines of development parted counts, as for a pull request.

    Args:
        reference: a commit, branch or tag.
    """
    folder = raise_if_refused(_git("rev-parse", "--show-toplevel")).rstrip("\n")
    commit = _git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{reference}^{{commit}}")
    if isinstance(commit, Refusal):
        raise RefusedError(Refusal(f"git knows no commit {reference}"))
    parted = _git("merge-base", commit.strip(), "HEAD")
    since = (commit if isinstance(parted, Refusal) else parted).strip()
    options = ("--name-only", "--no-renames", "-z", "--no-ext-diff")
    changed = raise_if_refused(_git("-C", folder, "diff", *options, since, "--"))
    new = raise_if_refused(_git("-C", folder, "ls-files", "--others", "--exclude-standard", "-z"))
    return frozenset(Path(folder, name) for name in f"{changed}{new}".split("\0") if name)


def _git(*words: str) -> str | Refusal:
    """What git prints, with nothing of a repository's configuration that runs programs."""
    guards = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null")
    try:
        process = subprocess.run(["git", *guards, *words], capture_output=True, stdin=subprocess.DEVNULL, check=False)
    except OSError as error:
        return Refusal(f"git can't be run: {error.strerror}")
    if process.returncode:
        return Refusal(f"git: {process.stderr.decode(errors='replace').strip().partition(chr(10))[0]}")
    return os.fsdecode(process.stdout)
