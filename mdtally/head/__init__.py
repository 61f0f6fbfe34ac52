"""The frontmatter: its values as the person wrote them, and the edit that leaves every other byte alone.

YAML's own typing would read ``12:30`` as 750, ``no`` as False and ``1.10`` as 1.1, so every scalar stays the string
it was written as; who needs a number converts it and can say what was wrong with it. The three syntaxes have a file
each with the same two functions, ``parse`` and ``edit``; what they share stands in ``common``. Only this package
imports frontmatter and yaml, and only when there is a head to read: most files have none.

An edit is proved before it is handed out: the edited text is read again from its bytes, and must hold the new values,
all the old ones in their order, and the same body. What can't be proved is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import ModuleType

from mdtally import source as sources
from mdtally.head.common import CannotEdit, HeadError, problem_at
from mdtally.model import Head, Problem, Region, Source

__all__ = ["edit", "read"]

_TOO_DEEP = "the frontmatter is nested too deeply"
_NOT_PROVED = "the frontmatter can't be changed safely: its form is unusual; write the keys into it by hand"


def read(source: Source) -> Head | None:
    """Read the head of a source.

    Args:
        source: a file, cut into head and body.

    Returns:
        the values with their lines; a Head whose ``problem`` (rule "invalid-frontmatter") names line and column where
        the head can't be read; None where what was cut off is no head after all: it is no mapping, but say a
        thematic break and a paragraph. A source without a head gives an empty Head.
    """
    if source.head_format is None:
        return Head()
    last_line = _last_line(source)
    try:
        found = _syntax(source).parse(source)
        if found is None:
            return None
        values, lines = found
        if _has_half_character(values):
            raise HeadError(0, "an escape in the frontmatter names half a character (a surrogate); write it whole")
    except HeadError as error:
        return Head(last_line=last_line, problem=problem_at(source, error))
    except RecursionError:
        return Head(last_line=last_line, problem=problem_at(source, HeadError(0, _TOO_DEEP)))
    return Head(values=values, lines=lines, last_line=last_line)


def edit(source: Source, updates: Mapping[str, object]) -> Source | Problem:
    """Set top-level keys of the head to new values, and leave every other byte as it is.

    A key that exists keeps its place: only its value's bytes change, and none at all where the value is the same
    already. New keys are added at the end (in TOML: above the first table). Where the file has no head, a YAML head is
    made above its text, with the file's newline.

    Args:
        source: a file, cut into head and body.
        updates: key -> str, int, float, bool, None, a list of these, or a mapping of such (nested as deep as need
            be). TOML has no null: there, None leaves the key out.

    Returns:
        the edited source; or a Problem (rule "invalid-frontmatter") where the head is broken, or written in a way that
        can't be edited safely (anchors, aliases or tags on the value, explicit ``?`` keys, dotted TOML keys).
    """
    head = read(source)
    if head is None:
        source, head = sources.without_head(source), Head()
    if head.problem is not None:
        return head.problem
    if not updates:
        return source
    syntax = _syntax(source)
    try:
        text = syntax.edit(source, updates)
        new = syntax.written(updates)
    except (CannotEdit, HeadError) as error:
        return problem_at(source, error)
    left_out = updates.keys() - new.keys()
    expected = {key: value for key, value in {**head.values, **new}.items() if key not in left_out}
    edited = replace(source, head=text, head_format=source.head_format or "yaml")
    return edited if _is_proved(edited, expected) else Problem("invalid-frontmatter", _NOT_PROVED, Region(1, 1, 1, 1))


def _is_proved(edited: Source, expected: Mapping[str, object]) -> bool:
    """True where the edited text, read again from its bytes, has the same body and the expected values in order."""
    try:
        again = sources.read(sources.encode(edited))
    except ValueError:
        return False
    if (again.bom, again.head, again.body) != (edited.bom, edited.head, edited.body):
        return False
    head = read(again)
    if head is None or head.problem is not None or head.values != expected:
        return False
    return _syntax(edited).KEEPS_NO_ORDER or list(head.values) == list(expected)


def _syntax(source: Source) -> ModuleType:
    if source.head_format == "toml":
        from mdtally.head import toml_head

        return toml_head
    if source.head_format == "json":
        from mdtally.head import json_head

        return json_head
    from mdtally.head import yaml_head

    return yaml_head


def _last_line(source: Source) -> int:
    """Line of the closing fence; it may be the file's last and have no line end."""
    return sources.count_lines(source.head) + (0 if source.head.endswith(("\n", "\r")) else 1)


def _has_half_character(value: object) -> bool:
    """True where a string holds a lone surrogate, which no encoding can write (JSON and YAML escapes can make one)."""
    if isinstance(value, str):
        return any("\ud800" <= character <= "\udfff" for character in value)
    if isinstance(value, Mapping):
        return any(_has_half_character(key) or _has_half_character(item) for key, item in value.items())
    return isinstance(value, list) and any(map(_has_half_character, value))
