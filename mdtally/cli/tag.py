"""``mdtally tag``: the turns that may hold an event, likeliest first, and a tag for each at a keystroke."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from mdtally.cli.common import (
    ColourOption,
    ConfigOption,
    Configurations,
    IsolatedOption,
    StdinFilenameOption,
    documents,
    fail,
    named,
    one_of,
    out,
    render_options,
    say_errors,
)
from mdtally.cli.exits import ExitCode
from mdtally.cli.options import Argument, Command, Exit, Option
from mdtally.records import replace


def tag(
    files: Annotated[
        list[Path],
        Argument(metavar="FILES...", help="A session log; with --list also folders, globs, and - for standard input."),
    ],
    list_: Annotated[
        bool,
        Option("--list", help="Print every turn of an agent that answers a person, with its score; write nothing."),
    ] = False,
    output_format: Annotated[str, Option("--output-format", help="With --list: text or json.")] = "text",
    stdin_filename: StdinFilenameOption = None,
    config: ConfigOption = None,
    isolated: IsolatedOption = False,
    color: ColourOption = None,
) -> None:
    """Walk through the turns of a log that may hold an event, likeliest first, and tag them at a keystroke."""
    from mdtally import render
    from mdtally.files import is_folder
    from mdtally.reports import CandidatesReport
    from mdtally.tagging import candidates

    one_of("--output-format", output_format, tuple(render.TAG_FORMATS))
    if not list_:
        fail("say --list: the walk is not there yet")
    configurations = Configurations(config, isolated)
    paths, errors = named(files, configurations)
    searched = any(is_folder(path) for path in files)
    reports: list[CandidatesReport] = []
    for _, path, document, settings in documents(paths, configurations, errors, stdin_filename):
        document = replace(document, form=settings.transcript_for(path.absolute()))
        found = candidates(document)
        # Of a folder's files only those in which an agent answers somebody are shown.
        if found.ranked or path in files or not searched:
            reports.append(CandidatesReport(str(path), found))
    options = render_options(color)
    out(render.TAG_FORMATS[output_format](reports, options, errors))
    say_errors(errors, options)
    raise Exit(ExitCode.ERROR if errors else ExitCode.CLEAN)


COMMAND = Command(tag, "Walk through the likely events of a log and tag them.")
