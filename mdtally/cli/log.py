"""``mdtally log``: what is wrong with a calibration log; logs as a table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from mdtally.cli import common, export
from mdtally.cli.exits import ExitCode
from mdtally.cli.options import Argument, Command, Exit

MOST = 1_000_000
"""Problems that are named."""


def check(
    path: Annotated[Path | None, Argument(metavar="[LOG]", help="The log; if not given, the project's own.")] = None,
    output_format: common.TextOption = "text",
    config: common.ConfigOption = None,
    allow_outside: common.AllowOutsideOption = False,
    color: common.ColourOption = None,
) -> None:
    """Name every line of a calibration log that is cut off, doubled, left by a merge, out of time or no record."""
    from mdtally import files, render
    from mdtally.cli.history import own_log
    from mdtally.series.reading import Sessions

    common.one_of("--output-format", output_format, tuple(render.LOG_FORMATS))
    log = path or own_log(common.Configurations(config, allow_outside=allow_outside).for_path(Path.cwd()))
    lines = common.granted(files.read_lines(log), log)
    root = files.find_project_root(log, log.name)
    sessions = Sessions(common.now(), lambda source: files.status(root / source) is not None, most_problems=MOST)
    sessions.read(lines, str(log), duplicates=True)
    common.out("".join(render.LOG_FORMATS[output_format](sessions.problems, str(log), common.render_options(color))))
    raise Exit(ExitCode.FINDINGS if sessions.problems else ExitCode.CLEAN)


HELP = "Look after the calibration log."
COMMAND = {"check": Command(check), "export": export.COMMAND}
