"""The frontmatter: its values as the person wrote them, and edits that leave every other byte alone.

YAML's own typing would read ``12:30`` as 750, ``no`` as False and ``1.10`` as 1.1, so every scalar stays the string
it was written as; who needs a number converts it and can say what was wrong with it. The three syntaxes have a file
each with a function ``parse``; they are edited alike, line by line. Only this package imports frontmatter and yaml, and
only when there is a head to read: most files have none.

An edit is simple: the lines of our keys are replaced or added. It is proved before it is handed out: the edited text is
read again from its bytes, and must hold the new values, all the old ones in their order, and the same body. What can't
be proved is refused.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from mdtally import source as sources
from mdtally.frontmatter.text import REMOVED, HeadError, problem_at, written
from mdtally.model import Head, Problem, Region, Source
from mdtally.records import replace
from mdtally.regex import regex

__all__ = ["REMOVED", "edit", "read"]

_FENCES = {"---": "a line `---`", "+++": "a line `+++`"}
# What follows the opening of a head that is never closed: a key in lower case, or a counter. "Ada: I think" below a
# ruled line is a speaker, and no head.
_OPENED = regex(
    r"(?P<fence>---)[ \t]*\n(?:[ \t]*(?:#.*)?\n)*(?:[a-z][\w-]*|A_[PRT])[ \t]*:(?=[ \t\n]|\Z)"
    r"|(?P<plus>\+\+\+)[ \t]*\n(?:[ \t]*(?:#.*)?\n)*(?:[\w.\"'-]+[ \t]*=|\[)"
    r'|(?P<brace>\{)\s*"[^"\n]*"[ \t]*:'
)


def read(source: Source) -> Head | None:
    """The head of a source: its values with their lines; an empty one for a source without a head.

    Its ``problem`` (rule "invalid-frontmatter") names line and column where it can't be read, or line 1 where it is
    never closed. None where what was cut off is no head after all, but say a paragraph between two ruled lines.
    """
    if source.head_format is None:
        return Head(problem=_unclosed(source))
    # The closing fence may be the file's last line and have no line end.
    last_line = sources.count_lines(source.head) + (0 if source.head.endswith(("\n", "\r")) else 1)
    try:
        found = _parse(source)
        if found is None:
            return None
        values, lines = found
        # No encoding can write a lone surrogate, which escapes can make.
        json.dumps(values, ensure_ascii=False).encode()
        return Head(values=values, lines=lines, last_line=last_line)
    except HeadError as error:
        fault = error
    except RecursionError:
        fault = HeadError(0, "the frontmatter is nested too deeply")
    except UnicodeEncodeError:
        fault = HeadError(0, "an escape in the frontmatter names half a character (a surrogate); write it whole")
    return Head(last_line=last_line, problem=problem_at(source, fault))


def edit(source: Source, updates: Mapping[str, object]) -> Source | Problem:
    """The source with top-level keys of the head set to new values, and every other byte as it was; or a Problem (rule
    "invalid-frontmatter") where the head is broken, or a key's lines can't be replaced safely as they are written.

    A key that exists keeps its place, and not a byte changes where it reads as the new value already. New keys are
    added at the end (in TOML: above the first table). Comments stay, also those beside a value that goes. Where the
    file has no head, a YAML head is made above its text, with the file's newline.

    Args:
        source: a file, cut into head and body.
        updates: key (of letters, digits, - and _) -> str, int, float, bool, None, a mapping of such, or REMOVED.
            TOML has no null: there, None leaves the key out.
    """
    head = read(source)
    if head is None:
        source, head = sources.without_head(source), Head()
    if head.problem is not None:
        return head.problem
    try:
        if source.head_format == "toml":
            updates = {key: REMOVED if value is None else _without_null(value) for key, value in updates.items()}
        new = {key: written(value) for key, value in updates.items()}
        if all(value == head.values.get(key, REMOVED) for key, value in new.items()):
            return source
        from mdtally.frontmatter.editing import edited as edited_head
        from mdtally.frontmatter.editing import example

        text = edited_head(source, head.values, updates)
    except HeadError as error:
        return problem_at(source, error)
    expected = {key: value for key, value in {**head.values, **new}.items() if value is not REMOVED}
    edited = replace(source, head=text, head_format=source.head_format or "yaml")
    if _is_proved(edited, expected):
        return edited
    message = (
        "the frontmatter can't be changed safely as it is written; write each of its keys on a line of its own, such "
        f"as `{example(source, updates)}`, and run this again"
    )
    return Problem("invalid-frontmatter", message, Region(1, 1, 1, 1))


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
    # In TOML a new pair has to stand above the first table.
    return edited.head_format == "toml" or list(head.values) == list(expected)


def _parse(source: Source) -> tuple[dict[str, object], dict[str, int]] | None:
    if source.head_format == "yaml":
        from mdtally.frontmatter import yaml_head

        return yaml_head.parse(source.head)
    from mdtally.frontmatter import data_heads

    return data_heads.parse_toml(source.head) if source.head_format == "toml" else data_heads.parse_json(source.head)


def _unclosed(source: Source) -> Problem | None:
    """The problem of a head that is opened in line 1 and closed nowhere."""
    opened = _OPENED.match(source.body[:4096].replace("\r\n", "\n").replace("\r", "\n"))
    if opened is None:
        return None
    closing = _FENCES.get(opened["fence"] or opened["plus"] or "", "a line with `}` alone")
    message = f"the frontmatter that opens in line 1 is never closed; put {closing} below its last key"
    return Problem("invalid-frontmatter", message, Region(1, 1, 1, 1))


def _without_null(value: object) -> object:
    if isinstance(value, Mapping):
        return {key: item for key, item in value.items() if item is not None}
    return value
