"""JSON heads: one object that opens the file, as Hugo reads it."""

from __future__ import annotations

import json
import re
from bisect import bisect_right

from mdtally.frontmatter.text import HeadError, advice, doubled, line_starts, written

# A string, or a mark of the structure.
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]:]')

# What the standard decoder says -> what to say to a person.
ADVICE = (
    ("Expecting property name", "a key in double quotes has to stand here (no comma before a closing brace)"),
    ("Illegal trailing comma", "a key in double quotes has to stand here (no comma before a closing brace)"),
    ("Expecting ',' delimiter", "a comma or a closing bracket is missing before this place"),
    ("Expecting ':' delimiter", "a colon is missing after the key"),
    ("Expecting value", "a value is missing; text has to stand in double quotes"),
    ("Invalid control character", "a quote is not closed on its line, or a control character stands inside"),
    ("escape", "a backslash in quotes has to be doubled"),
)


def parse(head: str) -> tuple[dict[str, object], dict[str, int]]:
    """The values and the lines of a head's top-level keys.

    Raises:
        HeadError: it is not valid JSON, or repeats a key.
    """
    twice: list[str] = []

    def mapping(pairs: list[tuple[str, object]]) -> dict[str, object]:
        values: dict[str, object] = {}
        for key, value in pairs:
            twice.extend([key] if key in values else ())
            values[key] = _as_written(value)
        return values

    decoder = json.JSONDecoder(object_pairs_hook=mapping, parse_float=str, parse_int=str, parse_constant=str)
    try:
        values, _ = decoder.raw_decode(head)
    except json.JSONDecodeError as error:
        raise HeadError(error.pos, f"the frontmatter is not valid JSON: {advice(error.msg, ADVICE)}") from None
    keys = _keys(head)
    if twice:
        raise HeadError([at for _, key, at in keys if key == twice[0]][-1], doubled(twice[0]))
    starts = line_starts(head)
    return values, {key: bisect_right(starts, at) for depth, key, at in keys if depth == 1}


def _keys(text: str) -> list[tuple[int, str, int]]:
    """Depth, name and offset of each key in a text that opens with valid JSON."""
    found, depth, last = [], 0, None
    for token in _TOKEN.finditer(text):
        mark = token[0]
        if mark == ":" and last:
            found.append((depth, str(json.loads(last[0])), last.start()))
        depth += (mark in "{[") - (mark in "}]")
        last = token if mark[0] == '"' else None
    return found


def _as_written(value: object) -> object:
    if isinstance(value, list):
        return [_as_written(item) for item in value]
    return value if isinstance(value, dict | str) else written(value)
