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

Command = Callable[..., ExitCode | None]
"""The function of a command; one that gives nothing always ends well."""
_FILES = "Markdown files, folders or globs; - is standard input."
Where = Annotated[list[str] | None, Option(metavar="KEY=VALUE", help="Only those whose key fits a glob; KEY= if none.")]
DiffBase = Annotated[str | None, Option(metavar="REF", help="Only files that have changed since this commit of git.")]
Quiet = Annotated[bool, Option("--quiet", "-q", help="Show the summary only.")]

_ASKING = ("ask", "max_asked", "timeout", "ask_dry_run", "ask_jobs")
_ALWAYS = ("config", "isolated", "allow_outside")
Files = Annotated[list[Path], Argument(metavar="FILES...", readable=False, help=_FILES)]
FilesOrHere = Annotated[list[Path] | None, Argument(metavar="[FILES]...", readable=False, help=_FILES)]
_ARGUMENTS = (
    inspect.Parameter("files", inspect.Parameter.KEYWORD_ONLY, annotation=Files),
    inspect.Parameter("files_or_here", inspect.Parameter.KEYWORD_ONLY, annotation=FilesOrHere, default=None),
)


def with_call(*names: str) -> Callable[[Command], Command]:
    """Makes a typer command of a function that takes a ``Call`` first, of which nothing stands in its own signature.

    Args:
        names: the arguments and options of the call, beside those that every command has: "files" for the files that it
            is about; "files_or_here" if they need not be named; "ask" for all options about asking a model.
    """
    wanted = {*names, *_ALWAYS, *(_ASKING if "ask" in names else ())}
    options = [one for one in inspect.signature(Call, eval_str=True).parameters.values() if one.name in wanted]
    arguments = [one for one in _ARGUMENTS if one.name in wanted]

    def decorate(command: Command) -> Command:
        def run(**given: Any) -> ExitCode | None:
            paths = [path for one in arguments for path in given.pop(one.name) or [Path()]]
            return command(Call(paths, **{one.name: given.pop(one.name) for one in options}), **given)

        _, *own = inspect.signature(command, eval_str=True).parameters.values()
        own = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in own]
        made: Any = run
        made.__signature__ = inspect.Signature([*arguments, *own, *options])
        made.__name__, made.__doc__ = command.__name__, command.__doc__
        return run

    return decorate
