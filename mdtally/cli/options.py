"""The arguments and options that several commands share, each declared and worded once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from typer import Argument, Option


def new_app(help: str | None = None, *, no_args_is_help: bool = True) -> typer.Typer:
    """A typer app for one command, or with a help text for a group of commands."""
    style: dict[str, Any] = {"add_completion": False, "no_args_is_help": no_args_is_help, "rich_markup_mode": None}
    return typer.Typer(help=help, **style)


TextOrJson = Annotated[Literal["text", "json"], Option(help="How it is printed.")]
TableOrJson = Annotated[Literal["table", "json"], Option(help="How it is printed.")]

_FILES = "Markdown files, folders or globs; - is standard input."
MarkdownFiles = Annotated[list[Path], Argument(metavar="FILES...", readable=False, help=_FILES)]
FilesOrHere = Annotated[list[Path] | None, Argument(metavar="[FILES]...", readable=False, help=_FILES)]
StdinFilename = Annotated[Path | None, Option(metavar="FILE", help="The path to take for standard input (-).")]
ForceExclude = Annotated[bool, Option("--force-exclude", help="Leave out what lint.exclude names, always.")]
DiffBase = Annotated[str | None, Option(metavar="REF", help="Only files that have changed since this commit of git.")]

Config = Annotated[Path | None, Option(metavar="FILE", help="Use this configuration file for all files.")]
Isolated = Annotated[bool, Option("--isolated", help="Ignore all configuration files.")]
AllowOutside = Annotated[bool, Option("--allow-outside", help="Configured paths and links may leave the project.")]

Verbose = Annotated[bool, Option("--verbose", "-v", help="Show what the results rest on, too.")]
Quiet = Annotated[bool, Option("--quiet", "-q", help="Show the summary only.")]
Color = Annotated[bool | None, Option(help="If not given: FORCE_COLOR, NO_COLOR, TERM, the terminal decide.")]
ExitZero = Annotated[bool, Option("--exit-zero", help="Exit with 0 instead of 1; errors still exit with 2.")]
Timeout = Annotated[
    float | None, Option(metavar="SECONDS", min=0.1, show_default="120", help="Longest time of a call.")
]
Jobs = Annotated[int | None, Option(metavar="N", min=1, show_default="all cores", help="How many processes work.")]
InOrder = Annotated[bool, Option("--in-order", help="Walk in the order of the file, not likeliest first.")]
Start = Annotated[int, Option("--from", metavar="N", min=1, help="Begin at the turn that was shown as N of all.")]
