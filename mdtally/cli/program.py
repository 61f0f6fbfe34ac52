"""The program as typer sees it: for help, for usage errors, and for command lines that are not plainly right."""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, get_args, get_type_hints

import typer

from mdtally.cli.options import Argument, Command, Option

SETTINGS: dict[str, Any] = {"no_args_is_help": True, "rich_markup_mode": None}


def run(commands: Mapping[str, str], words: Sequence[str]) -> object:
    """Run a command line by typer.

    Args:
        commands: the names of the commands, with their modules in this package.
        words: the command line without the program's name.

    Raises:
        SystemExit: with the exit code; 2 where the usage is wrong.
    """
    app = typer.Typer(
        name="mdtally",
        help="Did the agent give in to me, did the agents reason, or did they flatter each other? "
        "Reads hand-kept Markdown logs and debates, and says so.",
        epilog="Exit codes: 0 clean, 1 findings or a change is due, 2 usage, configuration or an unreadable file.",
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
        **SETTINGS,
    )

    def show_version(wanted: bool) -> None:
        if wanted:
            from mdtally import __version__

            typer.echo(f"mdtally {__version__}")
            raise typer.Exit

    @app.callback()
    def options(
        version: bool = typer.Option(
            False, "--version", callback=show_version, is_eager=True, help="Show the version."
        ),
    ) -> None:
        pass

    for name, place in commands.items():
        module = importlib.import_module(f"mdtally.cli.{place}")
        found: Command | Mapping[str, Command] = module.COMMAND
        if isinstance(found, Command):
            app.command(name, short_help=found.short_help)(for_typer(found.run))
            continue
        group = typer.Typer(name=name, help=module.HELP, add_completion=False, **SETTINGS)
        for inner, command in found.items():
            group.command(inner, short_help=command.short_help)(for_typer(command.run))
        # One command in a group would be taken for the group itself.
        group.callback()(lambda: None)
        app.add_typer(group)
    return typer.main.get_command(app).main(args=list(words), prog_name="mdtally", standalone_mode=False)


def for_typer(function: Callable[..., None]) -> Callable[..., None]:
    """A command's function with typer's own declarations in place of ours."""

    @functools.wraps(function)
    def called(**arguments: object) -> None:
        function(**arguments)

    hints = get_type_hints(function, include_extras=True)
    converted = {name: _hint(hint) for name, hint in hints.items()}
    parameters = inspect.signature(function).parameters.values()
    called.__annotations__ = converted
    called.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [parameter.replace(annotation=converted[parameter.name]) for parameter in parameters]
    )
    del called.__wrapped__
    return called


def _hint(hint: Any) -> Any:
    parts = get_args(hint)
    what = parts[1] if len(parts) > 1 else None
    if isinstance(what, Option):
        return Annotated[parts[0], typer.Option(*what.names, **what.further)]
    if isinstance(what, Argument):
        return Annotated[parts[0], typer.Argument(readable=False, **what._asdict())]
    return hint
