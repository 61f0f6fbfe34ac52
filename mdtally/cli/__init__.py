"""The command line: options in, calls into the rooms, prints and an exit code out.

Each command is a file of this package and a line of ``COMMANDS``. Only the one that is asked for is imported, because
a pre-commit hook pays for every import at each commit; help imports them all.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

__all__ = ["COMMANDS", "main"]

COMMANDS: dict[str, str] = {
    "verdict": "verdict",
    "lint": "lint",
    "report": "report",
    "regenerate": "regenerate",
    "turns": "turns",
    "events": "events",
    "tag": "tag",
    "history": "history",
    "plan": "plan",
    "compare": "compare",
    "log": "log",
    "lsp": "lsp",
    "new": "new",
    "rule": "rule",
    "config": "config",
}
"""Every command and its module in this package, in the order of the help. A module has a ``COMMAND``."""

INTERRUPTED = 130
"""The exit code at Ctrl-C, as shells have it."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        arguments: what follows the program's name; None takes the process's.

    Returns:
        0 clean; 1 findings, or a change is due; 2 usage, configuration, an unreadable file or an internal error.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        if words == ["--version"]:
            from mdtally import __version__

            print(f"mdtally {__version__}", flush=True)
            return 0
        if quick := _quick(words):
            return _code(quick())
        from mdtally.cli import program

        named = {words[0]: COMMANDS[words[0]]} if words and words[0] in COMMANDS else COMMANDS
        return _code(program.run(named, words))
    except SystemExit as leaving:
        # typer leaves with 1 where nobody reads its help.
        return 0 if isinstance(leaving.__context__, BrokenPipeError) else _code(leaving.code)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has seen enough, `head` for one: no failure, and no finding.
        return 0
    except Exception as error:
        return _failed(error)


def _quick(words: list[str]) -> Callable[[], object] | None:
    """A plainly right command line, ready to run without typer; None for every other one."""
    if not words or words[0] not in COMMANDS:
        return None
    import importlib

    from mdtally.cli.options import Command, read

    found = importlib.import_module(f"mdtally.cli.{COMMANDS[words[0]]}").COMMAND
    rest = words[1:]
    if not isinstance(found, Command):
        if not rest or rest[0] not in found:
            return None
        found, rest = found[rest[0]], rest[1:]
    given = read(found, rest)
    return None if given is None else lambda: found(**given)


def _failed(error: Exception) -> int:
    """Say what went wrong: the usage, the place we work in, or else a bug of ours."""
    import os

    from mdtally.cli.options import ExitCode

    if hasattr(error, "exit_code") and hasattr(error, "show"):
        error.show()
        return ExitCode.ERROR
    if type(error).__name__ == "Abort":
        return INTERRUPTED
    if os.environ.get("MDTALLY_DEBUG"):
        raise error
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        said = f"{where}{(error.strerror or str(error)).lower()}; no file was half-written"
    elif isinstance(error, MemoryError):
        said = "not enough memory; no file was half-written"
    else:
        said = f"mdtally failed: {type(error).__name__}: {error}. This is a bug, and no file was half-written; "
        said += "MDTALLY_DEBUG=1 shows where."
    print("error: " + "".join(c if c.isprintable() else "?" for c in said), file=sys.stderr)
    return ExitCode.ERROR


def _code(code: object) -> int:
    return code if isinstance(code, int) else 2 if code else 0
