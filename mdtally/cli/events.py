"""``mdtally events``: the register of a session log."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from mdtally.cli import common
from mdtally.cli.exits import ExitCode
from mdtally.cli.options import Argument, Command, Exit


def events(
    files: Annotated[
        list[Path],
        Argument(metavar="FILES...", help="Session logs, folders or globs; - is standard input."),
    ],
    output_format: common.TextOption = "text",
    config: common.ConfigOption = None,
    isolated: common.IsolatedOption = False,
    allow_outside: common.AllowOutsideOption = False,
    color: common.ColourOption = None,
) -> None:
    """Show the register: every event with its line, speaker and reason, the running totals, and each tally."""
    from mdtally import events as registers
    from mdtally import render
    from mdtally.files import is_folder
    from mdtally.reports import EventsReport

    common.one_of("--output-format", output_format, tuple(render.EVENTS_FORMATS))
    configurations = common.Configurations(config, isolated, allow_outside)
    paths, errors = common.named(files, configurations)
    searched = any(is_folder(path) for path in files)
    reports: list[EventsReport] = []
    for _, path, document, _ in common.documents(paths, configurations, errors):
        found = registers.read(document)
        # Of a folder's files only those that count something are shown.
        if found.entries or found.tallies or path in files or not searched:
            reports.append(EventsReport(str(path), found))
    options = common.render_options(color)
    common.out(render.EVENTS_FORMATS[output_format](reports, options, errors))
    common.say_errors(errors, options)
    raise Exit(ExitCode.ERROR if errors else ExitCode.CLEAN)


COMMAND = Command(events, "Show every event with its reason and the running totals.")
