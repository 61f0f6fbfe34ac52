"""TOML heads: ``+++`` above and below.

The standard library's reader judges the text and tells where it is wrong; tomlkit gives every scalar as it was
written. Neither says where a value stands, so a small scanner walks the statements of a text that is known to be
valid, and an edit replaces a stretch of it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from mdtally.head.common import (
    CannotEdit,
    HeadError,
    Lines,
    Splice,
    after_line,
    boolean,
    inner,
    line_end,
    line_start,
    number,
    quoted,
    spliced,
    visible,
)
from mdtally.head.common import written as _written
from mdtally.head.toml_text import Statement, fault, statements
from mdtally.model import Source

KEEPS_NO_ORDER = True
"""A new pair has to stand above the first table, wherever it comes in the updates."""

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+\Z")


def parse(source: Source) -> tuple[dict[str, object], dict[str, int]] | None:
    """The values and the lines of a head's top-level keys.

    Raises:
        HeadError: it is not valid TOML.
    """
    start, text = _text(source)
    lines = Lines(source.head)
    broken = fault(text)
    if broken:
        # The text starts on the line below the fence.
        offset = lines.start(broken.line + 1) + broken.column - 1
        raise HeadError(offset, f"the frontmatter is not valid TOML: {broken.message}")
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        values = {key: _as_written(value) for key, value in tomlkit.parse(text).items()}
    except (TOMLKitError, ValueError):
        raise HeadError(start, "the frontmatter's TOML is written in a form that can't be read") from None
    key_lines: dict[str, int] = {}
    for statement in statements(text):
        if statement.table == 0 or statement.kind != "pair":
            key_lines.setdefault(statement.path[0], lines.line(start + statement.start))
    return values, key_lines


def edit(source: Source, updates: Mapping[str, object]) -> str:
    """The head with top-level keys set; see ``mdtally.head.edit``.

    Raises:
        CannotEdit: the key is dotted, an array of tables, or has tables below it.
    """
    start, text = _text(source)
    end = start + len(text)
    stated = list(statements(text))
    splices: list[Splice] = []
    missing: dict[str, object] = {}
    for key, value in updates.items():
        mine = [s for s in stated if s.path[0] == key and (s.table == 0 or s.kind != "pair")]
        if mine:
            splices += _replace(text, stated, mine, value, start, source.newline)
        elif value is not None:
            missing[key] = value
    newline = source.newline
    pairs = {key: value for key, value in missing.items() if not isinstance(value, Mapping)}
    if pairs:
        above = [s for s in stated if s.table == 0 and s.kind == "pair"]
        tables = any(s.kind != "pair" for s in stated)
        at = after_line(text, above[-1].end) if above else 0 if tables else len(text)
        splices.append(Splice(at, at, "".join(f"{_key(k)} = {_inline(v)}{newline}" for k, v in pairs.items())))
    for key, value in missing.items():
        if isinstance(value, Mapping):
            gap = newline if text.strip() or splices else ""
            body = "".join(line + newline for line in _pairs(value))
            splices.append(Splice(len(text), len(text), f"{gap}[{_key(key)}]{newline}{body}"))
    return source.head[:start] + spliced(source.head[start:end], splices) + source.head[end:]


def written(updates: Mapping[str, object]) -> dict[str, object]:
    """What the updates read back as: a None is left out, for TOML has no null."""
    return {key: _written(_without_null(value)) for key, value in updates.items() if value is not None}


# -- Reading ----------------------------------------------------------------------------------------------------------


def _text(source: Source) -> tuple[int, str]:
    """Offset and text of what stands between the fences. TOML knows no CR as a newline, so one is read as LF."""
    start, end = inner(source)
    text = source.head[start:end]
    return start, text.replace("\r", "\n") if "\n" not in text else text


def _as_written(value: object) -> object:
    if isinstance(value, str):
        return str(value)
    if isinstance(value, bool):
        return boolean(value)
    if isinstance(value, Mapping):
        return {str(key): _as_written(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_as_written(item) for item in value]
    as_string = getattr(value, "as_string", None)
    return str(as_string()).strip() if as_string else str(value)


# -- Editing ----------------------------------------------------------------------------------------------------------


def _replace(
    text: str, stated: list[Statement], mine: list[Statement], value: object, start: int, newline: str
) -> list[Splice]:
    """The splices that give a key that exists a new value."""
    first = mine[0]
    name = first.path[0]
    if len(mine) > 1 or len(first.path) > 1 or first.kind == "array":
        message = f"the frontmatter can't be changed safely: '{visible(name)}' has dotted keys or tables below it"
        raise CannotEdit(start + first.start, f"{message}; change it by hand")
    if first.kind == "pair":
        if value is None:
            return [Splice(line_start(text, first.start), after_line(text, first.end), "")]
        return (
            [] if _reads_as(text[first.value : first.end], value) else [Splice(first.value, first.end, _inline(value))]
        )
    inside = [s for s in stated if s.table == first.table and s.kind == "pair"]
    if not isinstance(value, Mapping) or any(len(s.path) > 1 for s in inside):
        message = f"the frontmatter can't be changed safely: '{visible(name)}' is a table of another form"
        raise CannotEdit(start + first.start, f"{message}; change it by hand")
    new = {key: item for key, item in value.items() if item is not None}
    if {s.path[0] for s in inside} == set(new):
        return [
            Splice(s.value, s.end, _inline(new[s.path[0]]))
            for s in inside
            if not _reads_as(text[s.value : s.end], new[s.path[0]])
        ]
    lines = _pairs(new)
    if not inside:
        at = after_line(text, first.end)
        return [Splice(at, at, "".join(line + newline for line in lines))]
    end = inside[-1].end
    rest = text[end : line_end(text, end)]
    # A comment behind the table's last value gets a line of its own: it was not about the new last value.
    above = newline if rest.strip() and lines else ""
    return [
        Splice(line_start(text, inside[0].start), end + len(rest) - len(rest.lstrip()), newline.join(lines) + above)
    ]


def _reads_as(literal: str, value: object) -> bool:
    """True where a TOML value reads as a new one already, its type included."""
    import tomllib

    import tomlkit

    old, new = (f"value = {text}\n" for text in (literal, _inline(value)))
    if _types(tomllib.loads(old)) != _types(tomllib.loads(new)):
        return False
    return bool(_as_written(tomlkit.parse(old)) == _as_written(tomlkit.parse(new)))


def _types(value: object) -> object:
    if isinstance(value, dict):
        return {key: _types(item) for key, item in value.items()}
    return [_types(item) for item in value] if isinstance(value, list) else type(value)


def _without_null(value: object) -> object:
    if isinstance(value, Mapping):
        return {key: _without_null(item) for key, item in value.items() if item is not None}
    return value


# -- Writing ----------------------------------------------------------------------------------------------------------


def _pairs(values: Mapping[str, object]) -> list[str]:
    return [f"{_key(key)} = {_inline(value)}" for key, value in values.items() if value is not None]


def _key(key: str) -> str:
    return key if _BARE_KEY.match(key) else quoted(key)


def _inline(value: object) -> str:
    """A value on one line; a mapping as an inline table."""
    if isinstance(value, Mapping):
        pairs = ", ".join(_pairs(value))
        return f"{{ {pairs} }}" if pairs else "{}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_inline, value)) + "]"
    if value is None:
        raise CannotEdit(0, "TOML has no null, so a list with a gap can't be written")
    if isinstance(value, bool):
        return boolean(value)
    if isinstance(value, int | float):
        return number(value)
    return quoted(str(_written(value)))
