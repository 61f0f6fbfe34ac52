"""Where things stand in a TOML text: the place of a fault, and of each key and value.

The standard library's reader judges a text and gives its values, but no places; tomlkit keeps the layout and gives no
places either. So a small scanner walks the statements of a text that is known to be valid. Heads in ``+++`` and the
configuration files both use it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

_TOKEN = re.compile(
    r'(?P<string>"""(?:\\[\s\S]|(?!""")[^\\])*"{3,5}|\'\'\'(?:(?!\'\'\')[\s\S])*\'{3,5}'
    r'|"(?:\\.|[^"\\\r\n])*"|\'[^\'\r\n]*\')'
    r"|(?P<newline>\r\n|\r|\n)|(?P<blank>[ \t]+)|(?P<comment>\#[^\r\n]*)|(?P<mark>[\[\]{}=,.])"
    r"|(?P<bare>[^\s\[\]{}=,.#\"']+)"
)
_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")

# What the standard reader says -> what to say to a person.
ADVICE = (
    ("Cannot overwrite", "the key stands twice; remove one of the two"),
    ("twice", "the table stands twice; remove one of the two"),
    ("Invalid date", "there is no such date or time"),
    ("Invalid value", "this is no value of TOML; text has to stand in quotes"),
    ("Expected newline", "something stands behind the value; text has to stand in quotes"),
    ("Expected '=' after", "a line has the form key = value"),
    ("Invalid statement", "a line has the form key = value, or [table]"),
    ("Unterminated", "a quote or bracket is never closed"),
    ("Unclosed", "a quote or bracket is never closed"),
    ("Illegal character", "a line end or control character stands where none may stand"),
    ("Unescaped '\\'", "a backslash in double quotes has to be doubled, or use single quotes"),
)


@dataclass(frozen=True, slots=True)
class Statement:
    """A pair or a table header, with offsets into the text.

    Attributes:
        kind: "pair" is ``key = value``, "table" is ``[key]``, "array" is ``[[key]]``.
        path: the key's parts; of a pair inside a table, without the table's.
        table: number of the header it stands under, 0 above the first.
        start: where its key or bracket starts.
        value: where its value starts; of a header, its end.
        end: after its last character, comments not counted.
    """

    kind: Literal["pair", "table", "array"]
    path: tuple[str, ...]
    table: int
    start: int
    value: int
    end: int


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a text is not valid TOML, at a 1-based line and column of it."""

    line: int
    column: int
    message: str


def fault(text: str) -> Fault | None:
    """What is wrong with a TOML text, or None."""
    import tomllib

    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = _PLACE.search(str(error))
        problem = str(error)[: place.start()] if place else str(error)
        message = next((advice for words, advice in ADVICE if words in problem), problem)
        if place and place[1]:
            return Fault(int(place[1]), int(place[2]), message)
        lines = text.rstrip().split("\n")
        return Fault(len(lines), max(1, len(lines[-1])), message)
    except RecursionError:
        return Fault(1, 1, "it is nested too deeply")
    except ValueError:  # more digits than Python converts
        return Fault(1, 1, "a number in it is too long")
    return None


def key_lines(text: str) -> dict[tuple[str, ...], int]:
    """The 1-based line of every key and table of a valid text; keys inside inline tables are not among them."""
    lines: dict[tuple[str, ...], int] = {}
    table: tuple[str, ...] = ()
    line, position = 1, 0
    for statement in statements(text):
        line += text.count("\n", position, statement.start)
        position = statement.start
        if statement.kind != "pair":
            table = statement.path
        lines.setdefault(statement.path if statement.kind != "pair" else (*table, *statement.path), line)
    return lines


def statements(text: str) -> Iterator[Statement]:
    """The statements of a valid TOML text, in order."""
    tokens = [
        (match.lastgroup, match.group(), match.start(), match.end())
        for match in _TOKEN.finditer(text)
        if match.lastgroup not in ("blank", "comment")
    ]
    at = table = 0
    while at < len(tokens):
        if tokens[at][0] == "newline":
            at += 1
            continue
        first = at
        path: list[str] = []
        is_header = tokens[at][1] == "["
        depth = 0
        equals: int | None = None
        while at < len(tokens) and not (tokens[at][0] == "newline" and depth <= 0):
            kind, token, _, _ = tokens[at]
            if equals is None and token == "=" and not is_header:
                equals = at
            elif equals is None and kind in ("string", "bare"):
                path.append(_unquoted(token))
            elif equals is not None and kind == "mark":
                depth += (token in "[{") - (token in "]}")
            at += 1
        start, end = tokens[first][2], tokens[at - 1][3]
        if is_header:
            table += 1
            kind_of: Literal["table", "array"] = "array" if tokens[first + 1][1] == "[" else "table"
            yield Statement(kind_of, tuple(path), table, start, end, end)
        elif equals is not None:
            yield Statement("pair", tuple(path), table, start, tokens[equals + 1][2], end)


def _unquoted(token: str) -> str:
    if token[0] not in "\"'":
        return token
    import tomllib

    return next(iter(tomllib.loads(f"{token} = 0")))
