"""The program as typer sees it: for help, for usage errors, and for command lines that are not plainly right."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

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
            app.command(name, short_help=found.short_help)(for_typer(found))
            continue
        group = typer.Typer(name=name, help=module.HELP, add_completion=False, **SETTINGS)
        for inner, command in found.items():
            group.command(inner, short_help=command.short_help)(for_typer(command))
        # One command in a group would be taken for the group itself.
        group.callback()(lambda: None)
        app.add_typer(group)
    return typer.main.get_command(app).main(args=list(words), prog_name="mdtally", standalone_mode=False)


def for_typer(command: Command) -> Callable[..., None]:
    """A function that runs a command, and whose signature tells typer what the command takes."""

    def called(**given: object) -> None:
        command(**given)

    parameters = [_parameter(option) for option in command.options]
    called.__doc__ = command.run.__doc__
    called.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return called


def _parameter(option: Option) -> inspect.Parameter:
    kind: Any = list[option.kind[0]] if isinstance(option.kind, list) else option.kind  # type: ignore[name-defined]
    default: Any = option.default
    shown: dict[str, Any] = {"help": option.help, "metavar": option.metavar, "show_default": option.shows}
    if not isinstance(option, Argument):
        told: Any = typer.Option(*option.names, min=option.min, max=option.max, **shown)
    else:
        told = typer.Argument(readable=False, **shown)
        default = inspect.Parameter.empty if option.is_needed else default
    annotation: Any = Annotated[kind | None if default is None else kind, told]
    return inspect.Parameter(option.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
