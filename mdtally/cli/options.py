"""How a command declares its arguments and options, and the quick way of reading them from a command line.

A command is a function whose parameters are ``Annotated`` with an ``Argument`` or an ``Option``. typer makes the help
and the messages about wrong usage from them, but importing it takes as long as linting a debate does. So a command line
that is plainly right is read here, and typer is asked about every other one.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from types import NoneType
from typing import Any, NamedTuple, get_args, get_origin, get_type_hints

Exit = SystemExit
"""Raised with an exit code, it ends a command."""


class Option:
    """An option as typer's: its names, "--on/--off" for two of a switch; the bounds of a number; what help shows."""

    def __init__(self, *names: str, min: float | None = None, max: float | None = None, **shown: object) -> None:
        self.names, self.min, self.max = names, min, max
        self.further: dict[str, Any] = {**shown, "min": min, "max": max}


class Argument(NamedTuple):
    """A positional argument as typer's."""

    help: str = ""
    metavar: str | None = None


class Command(NamedTuple):
    """A command: the function that runs it, and its line in the list of commands."""

    run: Callable[..., None]
    short_help: str | None = None


class _NotPlainError(Exception):
    """A command line that typer has to look at."""


def echo(text: str = "", *, err: bool = False, nl: bool = True) -> None:
    """Print a text at once."""
    print(text, file=sys.stderr if err else sys.stdout, end="\n" if nl else "", flush=True)


def read(command: Command, words: Sequence[str]) -> dict[str, Any] | None:
    """The arguments that a command line gives to a command's function.

    Args:
        command: the command.
        words: what follows its name.

    Returns:
        by parameter; None where the line asks for help, is wrong or only typer knows what it means.
    """
    try:
        return _read(command.run, list(words))
    except (_NotPlainError, ValueError):
        return None


def _read(run: Callable[..., None], words: list[str]) -> dict[str, Any]:
    hints = get_type_hints(run, include_extras=True)
    named: dict[str, tuple[str, Any, bool]] = {}
    positional: list[tuple[str, Any]] = []
    given: dict[str, Any] = {}
    for name, hint in hints.items():
        kind, what = get_args(hint)[:2] if name != "return" else (None, None)
        if isinstance(what, Option):
            for flags in what.names:
                for switch, flag in zip((True, False), flags.split("/"), strict=False):
                    named[flag] = (name, (kind, what), switch)
        elif isinstance(what, Argument):
            positional.append((name, kind))
        elif what is not None:
            raise _NotPlainError
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
        if flag not in named:
            raise _NotPlainError
        name, (kind, option), switch = named[flag]
        if bool in _plain(kind):
            if equals:
                raise _NotPlainError
            given[name] = switch
            continue
        if not equals:
            if not words or words[0].startswith("--"):
                raise _NotPlainError
            value = words.pop(0)
        made = _made(kind, value, option)
        given[name] = [*given.get(name, ()), made] if list in _plain(kind) else made
    for name, kind in positional:
        if list in _plain(kind) and rest:
            given[name], rest = [_made(kind, word, None) for word in rest], []
        elif rest:
            given[name] = _made(kind, rest.pop(0), None)
    if rest or _required(run) - given.keys():
        raise _NotPlainError
    return given


def _required(run: Callable[..., None]) -> set[str]:
    code, defaults = run.__code__, run.__defaults__ or ()
    return set(code.co_varnames[: code.co_argcount - len(defaults)])


def _plain(kind: Any) -> tuple[Any, ...]:
    """The types in an annotation: of ``list[Path] | None`` list and Path."""
    found: list[Any] = []
    for part in get_args(kind) if get_origin(kind) not in (None, list) else (kind,):
        found += (list, *get_args(part)) if get_origin(part) is list else (part,) if part is not NoneType else ()
    return tuple(found)


def _made(kind: Any, word: str, option: Option | None) -> Any:
    made = next(part for part in _plain(kind) if part is not list)(word)
    if made != made or (option and isinstance(made, int | float) and not _is_within(made, option)):
        raise _NotPlainError
    return made


def _is_within(number: float, option: Option) -> bool:
    return (option.min is None or number >= option.min) and (option.max is None or number <= option.max)
