"""``mdtally log``: what is wrong with a calibration log; logs as a table."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from mdtally.cli import common
from mdtally.cli.common import Call, granted, note, out
from mdtally.cli.history import own_log
from mdtally.cli.options import Argument, Command, Exit, ExitCode, Option, fail, output_format, shared

if TYPE_CHECKING:
    from mdtally.fleet.rows import Log

FORMATS = ("csv", "jsonl", "parquet")
PATIENCE = 5.0
"""Seconds between two lines about how far it is."""

Item = TypeVar("Item")


def check(call: Call, path: Path | None) -> None:
    """Name every line of a calibration log that is cut off, doubled, left by a merge, out of time or no record."""
    from mdtally import files, render
    from mdtally.series.reading import Sessions

    log = path or own_log(call.settings(Path.cwd()))
    lines = granted(files.read_lines(log), log)
    root = files.find_project_root(log, log.name)
    sessions = Sessions(common.now(), lambda source: files.status(root / source) is not None)
    sessions.read(lines, str(log), duplicates=True)
    out("".join(render.LOG_FORMATS[call.output_format](sessions.problems, str(log), call.options())))
    raise Exit(ExitCode.FINDINGS if sessions.problems else ExitCode.CLEAN)


def export(call: Call, logs: list[Path] | None, to: str, output: Path | None, repo_from_path: bool) -> None:
    """Write one row for each line, with the rates, the project, and whether it is the line of its session that counts.

    What is no record is named and left out.
    """
    from mdtally.fleet import engine, rows
    from mdtally.render.style import count as counted

    if to == "parquet" and output is None:
        fail("Parquet is no text for a terminal; -o FILE says where to write it")
    found = list(_logs(logs or [], call, repo_from_path))
    sessions = rows.read(found)
    for problem in sessions.problems[:10]:
        note(f"{problem.log}:{problem.line}: {problem.message}; left out")
    newest = len(sessions)  # `rows` empties them
    table = _told(rows.rows(found, sessions), sessions.lines)
    try:
        written = {"csv": rows.as_csv, "jsonl": rows.as_json_lines, "parquet": engine.as_parquet}[to](table)
        _write(output, written)
    except engine.EngineError as error:
        fail(str(error))
    written_lines, of_logs = counted(sessions.lines - sessions.unreadable, "line"), counted(len(found), "log")
    note(f"{written_lines} of {of_logs}, {counted(newest, 'session')}")
    raise Exit(ExitCode.FINDINGS if sessions.unreadable else ExitCode.CLEAN)


def _logs(named: list[Path], call: Call, from_path: bool) -> Iterator[Log]:
    """The logs that are named, those below folders, or the project's own."""
    from mdtally import files
    from mdtally.fleet.rows import Log

    settings = call.settings(Path.cwd())
    for name in named or [own_log(settings)]:
        below = granted(files.find_logs(name, settings.log), name) if files.is_folder(name) else [name]
        if not below:
            fail(f"{name}: no {settings.log} below it")
        for path in below:
            root = files.find_project_root(path, settings.log)
            project = files.relative(root, files.absolute(name)) if root != files.absolute(name) else root.name
            yield Log(str(path), partial(_lines, path), project if from_path else None)


def _lines(path: Path) -> Iterable[bytes]:
    from mdtally import files

    return granted(files.read_lines(path), path)


def _told(items: Iterable[Item], total: int) -> Iterator[Item]:
    """The same, with a line on stderr now and then about how many there have been."""
    last = time.monotonic()
    for number, item in enumerate(items):
        if number % 1000 == 0 and time.monotonic() - last > PATIENCE:
            note(f"{number:,} of {total:,} lines")
            last = time.monotonic()
        yield item


def _write(output: Path | None, pieces: Iterable[bytes]) -> None:
    from mdtally import files

    if output is None:
        for piece in pieces:
            sys.stdout.buffer.write(piece)
        sys.stdout.buffer.flush()
        return
    granted(files.write_atomically(output, pieces, was=None, allow_outside=True), output)


HELP = "Look after the calibration log."
COMMAND = {
    "check": Command(
        check,
        None,
        Argument("path", "The log; if not given, the project's own.", metavar="[LOG]", needed=False),
        output_format("text", "json"),
        *shared("config allow-outside color"),
    ),
    "export": Command(
        export,
        None,
        Argument(
            "logs", "Logs, or folders with logs below; if none is given, the project's own.", [Path], needed=False
        ),
        Option("--to", "csv, jsonl or parquet.", FORMATS, "csv"),
        Option("-o --output", "The file to write, a new one.", Path, shows="stdout"),
        Option("--repo-from-path", "Take the project from where a log lies, as in folders of clones.", bool),
        *shared("config"),
    ),
}
