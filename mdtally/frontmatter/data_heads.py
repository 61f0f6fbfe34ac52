"""TOML heads, ``+++`` above and below, and JSON heads: one object that opens the file, as Hugo reads it.

A TOML value has its type by the way it is written, so nothing is lost where numbers and dates become strings again.
"""

from __future__ import annotations

import json
import re
import tomllib
from bisect import bisect_right

from mdtally.frontmatter.text import HeadError, doubled, inner, line_starts, toml_fault, written

_TOML_KEY = re.compile(r"""[ \t]*\[{0,2}[ \t]*([\w-]+|"[^"]*"|'[^']*')[ \t]*[\].=]""")
# A string, or a mark of the structure.
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]:]')


def parse_toml(head: str) -> tuple[dict[str, object], dict[str, int]]:
    """The values and the lines of a head's top-level keys.

    Raises:
        HeadError: it is not valid TOML.
    """
    start, end = inner(head)
    text = head[start:end]
    # TOML knows no CR as a newline.
    text = text.replace("\r", "\n") if "\n" not in text else text
    try:
        found = {key: _as_text(value) for key, value in tomllib.loads(text, parse_float=str).items()}
    except (ValueError, RecursionError) as error:
        line, column, why = toml_fault(error, text)
        # The text starts on the line below the fence.
        starts = line_starts(head)
        offset = starts[min(line, len(starts) - 1)] + column - 1
        raise HeadError(offset, f"the frontmatter is not valid TOML: {why}") from None
    lines: dict[str, int] = {}
    for number, below in enumerate(text.split("\n"), start=2):
        # A key of a table that has a top-level key's name stands below it, and is not the first of that name.
        if key := _TOML_KEY.match(below):
            lines.setdefault(key[1].strip("\"'"), number)
    return found, {key: lines.get(key, 1) for key in found}


def parse_json(head: str) -> tuple[dict[str, object], dict[str, int]]:
    """The values and the lines of a head's top-level keys.

    Raises:
        HeadError: it is not valid JSON, or repeats a key.
    """
    twice: list[str] = []

    def mapping(pairs: list[tuple[str, object]]) -> dict[str, object]:
        values: dict[str, object] = {}
        for key, value in pairs:
            twice.extend([key] if key in values else ())
            values[key] = _as_text(value)
        return values

    decoder = json.JSONDecoder(object_pairs_hook=mapping, parse_float=str, parse_int=str, parse_constant=str)
    try:
        values, _ = decoder.raw_decode(head)
    except json.JSONDecodeError as error:
        raise HeadError(
            error.pos, f"the frontmatter is not valid JSON: {error.msg[0].lower()}{error.msg[1:]}"
        ) from None
    keys = _json_keys(head)
    if twice:
        raise HeadError([at for _, key, at in keys if key == twice[0]][-1], doubled(twice[0]))
    starts = line_starts(head)
    return values, {key: bisect_right(starts, at) for depth, key, at in keys if depth == 1}


def _json_keys(text: str) -> list[tuple[int, str, int]]:
    """Depth, name and offset of each key in a text that opens with valid JSON."""
    found, depth, last = [], 0, None
    for token in _TOKEN.finditer(text):
        mark = token[0]
        if mark == ":" and last:
            found.append((depth, str(json.loads(last[0])), last.start()))
        depth += (mark in "{[") - (mark in "}]")
        last = token if mark[0] == '"' else None
    return found


def _as_text(value: object) -> object:
    if isinstance(value, dict):
        return {key: _as_text(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_as_text(item) for item in value]
    # The standard library writes a date and time with a blank between them unless it is asked.
    return value.isoformat() if hasattr(value, "isoformat") else written(value)
