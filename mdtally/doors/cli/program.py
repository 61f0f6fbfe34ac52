"""The program: its commands, each imported when it is asked for, and what becomes of errors and exit codes."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from mdtally.doors.cli.common import ExitCode

COMMANDS = (
    *"review note survey verdict lint history new report events turns".split(),
    *"regenerate plan compare log rule config lsp".split(),
)
"""Every command in the order of the help; each is the function, or the ``app``, of its name in a module of its name."""

INTERRUPTED, UNREAD = 130, 141
"""The exit codes at Ctrl-C, and where nobody reads the output any more, as shells have them."""


class _Commands(TyperGroup):
    """Imports the module of the one command that is asked for: a hook pays for every import at each commit."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.commands = dict.fromkeys(COMMANDS, self)  # the names, which typer's "Did you mean" looks through

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of this name, or None: the app of a module with several commands, or the module's function."""
        if cmd_name not in COMMANDS:
            if os.path.isfile(cmd_name):  # noqa: PTH113 - whatever it holds, a path that can't be is no file
                from mdtally.text.safe import argument

                ctx.fail(f"a file is no command: `mdtally review {argument(cmd_name)}` takes it to a verdict")
            return None
        from mdtally.doors.cli.options import new_app

        module = importlib.import_module(f"mdtally.doors.cli.{cmd_name}")
        command = getattr(module, "app", None) or new_app()
        if not hasattr(module, "app"):
            command.command()(getattr(module, cmd_name))
        return typer.main.get_command(command)


app = typer.Typer(
    name="mdtally",
    cls=_Commands,
    help="Did the agent give in to me, did the agents reason, or did they flatter each other? "
    "Reads hand-kept Markdown logs and debates, and says so.",
    epilog="Exit codes: 0 clean, 1 findings or a change is due, 2 usage, configuration or an unreadable file.",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def show_version(wanted: bool) -> None:
    """Print the version and end, if it was asked for."""
    if wanted:
        from mdtally.text.about import __version__

        typer.echo(f"mdtally {__version__}")
        raise typer.Exit


Version = Annotated[bool, typer.Option("--version", callback=show_version, is_eager=True, help="Show the version.")]


@app.callback()
def options(version: Version = False) -> None:
    """Nothing: the options of the program itself end it."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        arguments: what follows the program's name; None takes the process's.

    Returns:
        0 clean; 1 findings, or a change is due; 2 usage, configuration, an unreadable file or an internal error.
    """
    try:
        return int(typer.main.get_command(app).main(arguments, prog_name="mdtally", standalone_mode=False) or 0)
    except SystemExit as leaving:
        # typer leaves with 1 where nobody reads its output (`head` for one has seen enough): no failure, no finding,
        # and not a clean run either.
        if isinstance(leaving.__context__, BrokenPipeError):
            return UNREAD
        return leaving.code if isinstance(leaving.code, int) else ExitCode.ERROR
    except (KeyboardInterrupt, typer.Abort):
        print("interrupted", file=sys.stderr)
        return INTERRUPTED
    except Exception as error:
        if os.environ.get("MDTALLY_DEBUG") and not hasattr(error, "exit_code"):
            raise
        with suppress(OSError):  # where standard error can't be written, the exit code says it alone
            _report_failure(error)
        return ExitCode.ERROR


def _report_failure(error: Exception) -> None:
    """Say what went wrong: the usage, the place we work in, or else a bug of ours."""
    if hasattr(error, "exit_code") and hasattr(error, "show"):
        error.show()
        return
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        message = f"{where}{(error.strerror or str(error)).lower()}; no file was half-written"
    elif isinstance(error, MemoryError):
        message = "not enough memory; no file was half-written"
    else:
        message = f"mdtally failed: {type(error).__name__}: {error}. This is a bug, and no file was half-written; "
        message += "MDTALLY_DEBUG=1 shows where."
    print("error: " + "".join(c if c.isprintable() else "?" for c in message), file=sys.stderr)
