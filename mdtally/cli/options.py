"""How a command declares its arguments and options, and the quick way of reading them from a command line.

A command is a function, and a table of what it takes. typer makes the help and the messages about wrong usage from
that table, but importing it takes as long as linting a debate does. So a command line that is plainly right is read
here, and typer is asked about every other one.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from enum import IntEnum
from pathlib import Path
from typing import Any, NoReturn

Exit = SystemExit
"""Raised with an exit code, it ends a command."""


class ExitCode(IntEnum):
    """The exit codes; the highest of a run wins."""

    CLEAN = 0
    """Nothing to report."""
    FINDINGS = 1
    """Findings at or above the fail level, a change is due, or counts that do not reconcile."""
    ERROR = 2
    """Usage, configuration, a missing or unreadable file, or an internal error."""


class Option:
    """An option.

    Attributes:
        names: "-q", "--quiet"; "--on/--off" for two of a switch.
        help: its line in the help.
        kind: bool for a switch; str, int, float, Path; in a list where it can be given several times.
        choices: the words that it can be; () where it can be any.
        default: what the command gets where it is not given.
        name: the parameter of the command's function, or of ``Call``, that gets the value.
        min, max: the bounds of a number.
        metavar: what help shows in place of the value.
        shows: the default as help shows it; False where it shows none.
    """

    def __init__(
        self,
        names: str,
        help: str,
        kind: Any = str,
        default: Any = None,
        *,
        into: str = "",
        min: float | None = None,
        max: float | None = None,
        metavar: str | None = None,
        shows: str | bool = True,
    ) -> None:
        self.names, self.help, self.min, self.max, self.metavar, self.shows = (
            names.split(),
            help,
            min,
            max,
            metavar,
            shows,
        )
        self.choices: tuple[str, ...] = kind if isinstance(kind, tuple) else ()
        self.kind = str if self.choices else kind
        self.default = False if kind is bool and default is None and "/" not in names else default
        self.name = into or self.names[-1].partition("/")[0].lstrip("-").replace("-", "_")

    def value(self, word: str) -> Any:
        """The value that a word stands for.

        Raises:
            ValueError: it stands for none.
        """
        made: Any = (self.kind[0] if isinstance(self.kind, list) else self.kind)(word)
        if made != made or (self.min is not None and made < self.min) or (self.max is not None and made > self.max):
            raise ValueError(word)
        return made


class Argument(Option):
    """A positional argument; ``names`` is its parameter's, and a list takes all that are left."""

    def __init__(
        self, names: str, help: str, kind: Any = Path, default: Any = None, *, metavar: str = "", needed: bool = True
    ) -> None:
        several = ("FILES..." if needed else "[LOG]...") if isinstance(kind, list) else None
        super().__init__(names, help, kind, default, metavar=metavar or several)
        self.is_needed = needed


class Command:
    """A command: the function that runs it, its line in the list of commands, and what it takes."""

    def __init__(self, run: Callable[..., None], short_help: str | None, *options: Option) -> None:
        self.run, self.short_help, self.options = run, short_help, options

    def __call__(self, **given: Any) -> None:
        """Run it with the values that were given: those that commands share as a ``Call``, each other as its own."""
        from mdtally.cli.common import Call

        values = {option.name: given.get(option.name, option.default) for option in self.options}
        for option in self.options:
            value = values[option.name]
            if option.choices and value not in (option.default, *option.choices):
                name = option.names[-1] if option.names[-1].startswith("-") else option.names[-1].upper()
                fail(f"{name} is {value!r}; it is one of {', '.join(option.choices)}")
        shared = {name: values.pop(name) for name in Call.SHARED if name in values}
        self.run(Call(**shared), **values)


_SHARED = (
    Option("--stdin-filename", "The path to take for standard input (-).", Path, shows=False),
    Option("--force-exclude", "Leave out what lint.exclude names even if it is named here.", bool),
    Option("--exit-zero", "Exit with 0 instead of 1; errors still exit with 2.", bool),
    Option("--config", "Use this configuration file for all files.", Path, shows=False),
    Option("--isolated", "Ignore all configuration files.", bool),
    Option("--allow-outside", "Paths of the configuration and links may lead out of the project.", bool),
    Option("--color/--no-color", "If not given, FORCE_COLOR, NO_COLOR, TERM and the terminal decide.", bool),
)

MARKDOWN_FILES = Argument("paths", "Markdown files or folders; - is standard input.", [Path])
TIMEOUT = Option("--timeout", "Seconds a call may take.", float, min=0.1, shows="120")


def shared(names: str) -> tuple[Option, ...]:
    """The options of these names that are the same for every command."""
    return tuple(option for option in _SHARED if option.name.replace("_", "-") in names.split())


def output_format(*names: str, shows: str = "") -> Option:
    """The option ``--output-format``; the first name is the default, or none is where help ``shows`` another one."""
    told = f"{', '.join(names[:-1])} or {names[-1]}."
    return Option("--output-format", told, names, None if shows else names[0], shows=shows or True)


def fail(message: str) -> NoReturn:
    """Say in one line what is wrong with the call, and leave with exit code 2."""
    from mdtally.render import safe

    echo(f"error: {safe.terminal(message)}", err=True)
    raise Exit(ExitCode.ERROR)


def echo(text: str = "", *, err: bool = False, nl: bool = True) -> None:
    """Print a text at once."""
    print(text, file=sys.stderr if err else sys.stdout, end="\n" if nl else "", flush=True)


def read(command: Command, words: Sequence[str]) -> dict[str, Any] | None:
    """The values that a command line gives to a command's options.

    Args:
        command: the command.
        words: what follows its name.

    Returns:
        by ``Option.name``; None where the line asks for help, is wrong or only typer knows what it means.
    """
    try:
        return _read(command.options, list(words))
    except (KeyError, ValueError):
        return None


def _read(options: Sequence[Option], words: list[str]) -> dict[str, Any]:
    arguments = [option for option in options if isinstance(option, Argument)]
    named = {
        flag: (option, switch)
        for option in options
        for names in option.names
        for switch, flag in zip((True, False), names.split("/"), strict=False)
        if option not in arguments
    }
    given: dict[str, Any] = {}
    rest: list[str] = []
    while words:
        word = words.pop(0)
        if word == "--":
            rest += words
            break
        if not word.startswith("-") or word == "-":
            rest.append(word)
            continue
        flag, equals, value = word.partition("=")
        option, switch = named[flag]
        if option.kind is bool:
            if equals:
                raise ValueError(word)
            given[option.name] = switch
            continue
        if not equals:
            if not words or words[0].startswith("--"):
                raise ValueError(word)
            value = words.pop(0)
        made = option.value(value)
        given[option.name] = [*given.get(option.name, ()), made] if isinstance(option.kind, list) else made
    for argument in arguments:
        taken = len(rest) if isinstance(argument.kind, list) else 1
        made_of = [argument.value(word) for word in rest[:taken]]
        rest = rest[taken:]
        if made_of:
            given[argument.name] = made_of if isinstance(argument.kind, list) else made_of[0]
        elif argument.is_needed:
            raise ValueError(argument.name)
    if rest:
        raise ValueError(rest[0])
    return given
