"""``mdtally log``: what is wrong with a calibration log; logs as a table."""

from __future__ import annotations

from pathlib import Path

from mdtally.cli import common, export
from mdtally.cli.common import Call, granted, out
from mdtally.cli.options import Argument, Command, Exit, ExitCode, shared, text_or_json

MOST = 1_000_000
"""Problems that are named."""


def check(call: Call, path: Path | None) -> None:
    """Name every line of a calibration log that is cut off, doubled, left by a merge, out of time or no record."""
    from mdtally import files, render
    from mdtally.cli.history import own_log
    from mdtally.series.reading import Sessions

    log = path or own_log(call.settings(Path.cwd()))
    lines = granted(files.read_lines(log), log)
    root = files.find_project_root(log, log.name)
    sessions = Sessions(common.now(), lambda source: files.status(root / source) is not None, most_problems=MOST)
    sessions.read(lines, str(log), duplicates=True)
    out("".join(render.LOG_FORMATS[call.output_format](sessions.problems, str(log), call.options())))
    raise Exit(ExitCode.FINDINGS if sessions.problems else ExitCode.CLEAN)


HELP = "Look after the calibration log."
COMMAND = {
    "check": Command(
        check,
        None,
        Argument("path", "The log; if not given, the project's own.", metavar="[LOG]", needed=False),
        text_or_json(),
        *shared("config allow-outside color"),
    ),
    "export": export.COMMAND,
}
