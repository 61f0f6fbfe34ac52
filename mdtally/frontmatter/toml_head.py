"""TOML heads, ``+++`` above and below; and what is wrong with a TOML text, also for the configuration files.

A TOML value has its type by the way it is written, so nothing is lost where numbers and dates become strings again.
"""

from __future__ import annotations

import re

from mdtally.frontmatter.text import HeadError, advice, inner, line_starts
from mdtally.records import record

_KEY = re.compile(r"""[ \t]*\[{0,2}[ \t]*([\w-]+|"[^"]*"|'[^']*')[ \t]*[\].=]""")
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


@record
class Fault:
    """Why a text is not valid TOML, at a 1-based line and column of it."""

    line: int
    column: int
    message: str


def fault(text: str) -> Fault | None:
    """What is wrong with a TOML text, or None."""
    found = _load(text)
    return found if isinstance(found, Fault) else None


def parse(head: str) -> tuple[dict[str, object], dict[str, int]]:
    """The values and the lines of a head's top-level keys.

    Raises:
        HeadError: it is not valid TOML.
    """
    start, end = inner(head)
    text = head[start:end]
    # TOML knows no CR as a newline.
    text = text.replace("\r", "\n") if "\n" not in text else text
    found = _load(text)
    if isinstance(found, Fault):
        # The text starts on the line below the fence.
        starts = line_starts(head)
        offset = starts[min(found.line, len(starts) - 1)] + found.column - 1
        raise HeadError(offset, f"the frontmatter is not valid TOML: {found.message}")
    lines: dict[str, int] = {}
    for number, line in enumerate(text.split("\n"), start=2):
        # A key of a table that has a top-level key's name stands below it, and is not the first of that name.
        if key := _KEY.match(line):
            lines.setdefault(key[1].strip("\"'"), number)
    return {key: _as_text(value) for key, value in found.items()}, {key: lines.get(key, 1) for key in found}


def _load(text: str) -> dict[str, object] | Fault:
    import tomllib

    try:
        return tomllib.loads(text, parse_float=str)
    except tomllib.TOMLDecodeError as error:
        place = _PLACE.search(str(error))
        message = advice(str(error)[: place.start()] if place else str(error), ADVICE)
        if place and place[1]:
            return Fault(int(place[1]), int(place[2]), message)
        lines = text.rstrip().split("\n")
        return Fault(len(lines), max(1, len(lines[-1])), message)
    except RecursionError:
        return Fault(1, 1, "it is nested too deeply")
    except ValueError:  # more digits than Python converts
        return Fault(1, 1, "a number in it is too long")


def _as_text(value: object) -> object:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return {key: _as_text(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_as_text(item) for item in value]
    # The standard library writes a date and time with a blank between them unless it is asked.
    return value.isoformat() if hasattr(value, "isoformat") else str(value)
