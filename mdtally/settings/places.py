"""Where the keys of a TOML file stand."""

from __future__ import annotations

import tomllib

from mdtally.regex import regex

_KEY = r"""(?:[\w-]+|"(?:\\.|[^"\\\r\n])*"|'[^'\r\n]*')"""
_DOTTED = rf"{_KEY}(?:[ \t]*\.[ \t]*{_KEY})*"
# "lint.mode =", "[lint]", "[[transcript]]"
_STATEMENT = regex(
    rf"[ \t]*(?:(?P<pair>{_DOTTED})[ \t]*=|\[(?P<array>\[?)[ \t]*(?P<table>{_DOTTED})[ \t]*\]+\s*(?:#|$))"
)
# A text over several lines, in which nothing is a key; what else a quote could stand in comes first.
_TEXT = regex(
    r'("""(?:\\[\s\S]|(?!""")[^\\])*"{3,5}|\'\'\'(?:(?!\'\'\')[\s\S])*\'{3,5})'
    r'|"(?:\\.|[^"\\\r\n])*"|\'[^\'\r\n]*\'|#[^\r\n]*'
)


def key_lines(text: str) -> dict[tuple[str, ...], int]:
    """The 1-based line of every key and table of a valid text, except those inside inline tables.

    The tables of an array such as ``[[transcript]]`` are told apart by a number: ``("transcript", "1", "files")``.
    """
    lines: dict[tuple[str, ...], int] = {}
    arrays: dict[tuple[str, ...], int] = {}
    table: tuple[str, ...] = ()
    without = _TEXT.sub(lambda found: '""' + "\n" * found[0].count("\n") if found[1] else found[0], text)
    for number, line in enumerate(without.split("\n"), start=1):
        found = _STATEMENT.match(line)
        if found is None:
            continue
        path = _path(found["pair"] or found["table"])
        if found["pair"]:
            lines.setdefault((*table, *path), number)
            continue
        if found["array"]:
            arrays[path] = arrays.get(path, 0) + 1
        inner = next((path[:n] for n in range(len(path), 0, -1) if path[:n] in arrays), ())
        table = (*inner, str(arrays[inner]), *path[len(inner) :]) if inner else path
        lines.setdefault(table, number)
    return lines


def _path(dotted: str) -> tuple[str, ...]:
    """The parts of a dotted key: ``model."gpt-4.1*"`` has two."""
    path = []
    table = tomllib.loads(f"[{dotted}]")
    while table:
        ((name, table),) = table.items()
        path.append(name)
    return tuple(path)
