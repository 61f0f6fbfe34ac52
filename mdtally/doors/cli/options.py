"""The arguments and options that several commands share, each declared and worded once, and the call they make."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from typer import Argument, Option

from mdtally.doors.cli.common import Call, ExitCode


def new_app(help: str | None = None) -> typer.Typer:
    """A typer app for one command, or with a help text for a group of commands."""
    return typer.Typer(help=help, add_completion=False, no_args_is_help=True, rich_markup_mode=None)


TextOrJson = Annotated[Literal["text", "json"], Option(help="How it is printed.")]
TableOrJson = Annotated[Literal["table", "json"], Option(help="How it is printed.")]

_FILES = "Markdown files, folders or globs; - is standard input."
Where = Annotated[list[str] | None, Option(metavar="KEY=VALUE", help="Only those whose key fits a glob.")]
DiffBase = Annotated[str | None, Option(metavar="REF", help="Only files that have changed since this commit of git.")]
Quiet = Annotated[bool, Option("--quiet", "-q", help="Show the summary only.")]
Color = Annotated[bool | None, Option(help="If not given: FORCE_COLOR, NO_COLOR, TERM, the terminal decide.")]
Timeout = Annotated[float | None, Option(metavar="SECONDS", min=0.1, show_default="120", help="Longest call.")]
Jobs = Annotated[int | None, Option(metavar="N", min=1, show_default="all cores", help="How many processes work.")]

_ASKING = ("ask", "max_asked", "timeout", "ask_dry_run", "ask_jobs")
_ARGUMENTS: dict[str, object] = {
    "files": Annotated[list[Path], Argument(metavar="FILES...", readable=False, help=_FILES)],
    "files_or_here": Annotated[list[Path] | None, Argument(metavar="[FILES]...", readable=False, help=_FILES)],
}
_OPTIONS: dict[str, object] = {
    "ask": Annotated[str | None, Option(metavar="COMMAND", help="A model, which proposes; `cached` asks nobody.")],
    "max_asked": Annotated[int | None, Option(metavar="N", min=0, help="Most calls in a run.")],
    "timeout": Timeout,
    "ask_dry_run": Annotated[bool, Option("--ask-dry-run", help="Print the prompts, ask nobody.")],
    "ask_jobs": Annotated[int, Option(metavar="N", min=1, max=64, help="How many calls run side by side.")],
    "verbose": Annotated[bool, Option("--verbose", "-v", help="Show what the results rest on, too.")],
    "stdin_filename": Annotated[Path | None, Option(metavar="FILE", help="The path to take for standard input (-).")],
    "force_exclude": Annotated[bool, Option("--force-exclude", help="Leave out what lint.exclude names, always.")],
    "exit_zero": Annotated[bool, Option("--exit-zero", help="Exit with 0 instead of 1; errors still exit with 2.")],
    "config": Annotated[Path | None, Option(metavar="FILE", help="Use this configuration file for all files.")],
    "isolated": Annotated[bool, Option("--isolated", help="Ignore all configuration files.")],
    "allow_outside": Annotated[bool, Option("--allow-outside", help="Configured paths may leave the project.")],
    "color": Color,
    "jobs": Jobs,
}
_ALWAYS = {"config", "isolated", "allow_outside"}


def with_call(*names: str) -> Callable[[Callable[..., ExitCode]], Callable[..., ExitCode]]:
    """Makes a typer command of a function that takes a ``Call`` first, of which nothing stands in its own signature.

    Args:
        names: the arguments and options of the call, beside those that every command has: "files" for the files that it
            is about; "files_or_here" if they need not be named; "ask" for all options about asking a model.
    """
    names = (*names, *(_ASKING if "ask" in names else ()))

    defaults = {"files": inspect.Parameter.empty, "files_or_here": None}
    defaults |= {name: one.default for name, one in inspect.signature(Call).parameters.items()}

    def declare(table: dict[str, object]) -> list[inspect.Parameter]:
        return [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=defaults[name], annotation=annotation)
            for name, annotation in table.items()
            if name in _ALWAYS or name in names
        ]

    arguments, options = declare(_ARGUMENTS), declare(_OPTIONS)

    def decorate(command: Callable[..., ExitCode]) -> Callable[..., ExitCode]:
        def run(**given: Any) -> ExitCode:
            paths = [path for one in arguments for path in given.pop(one.name) or [Path()]]
            return command(Call(paths, **{one.name: given.pop(one.name) for one in options}), **given)

        _, *own = inspect.signature(command, eval_str=True).parameters.values()
        own = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in own]
        made: Any = run
        made.__signature__ = inspect.Signature([*arguments, *own, *options])
        made.__name__, made.__doc__ = command.__name__, command.__doc__
        return run

    return decorate
