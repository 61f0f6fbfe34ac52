"""The frontmatter of a file: its values as the person wrote them, and edits that leave every other byte alone.

YAML's own typing would read ``12:30`` as 750, ``no`` as False and ``1.10`` as 1.1, so every scalar stays the string
it was written as; who needs a number converts it and can say what was wrong with it. python-frontmatter reads and
writes all heads, with the handler of ``handlers``; it is imported only if there is a head: most files have none.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from mdtally.text.frontmatter.text import LONGEST, cut_off
from mdtally.text.model import Head, Problem, Region, Source
from mdtally.text.regex import regex
from mdtally.text.source import count_lines

if TYPE_CHECKING:
    from frontmatter import Post

# What follows the opening of a head that is never closed: a key in lower case, or a counter. "Ada: I think" below a
# ruled line is a speaker, and no head.
_OPENED = regex(
    r"---[ \t]*\n(?:[ \t]*(?:#.*)?\n)*(?:[a-z][\w-]*|A_[PRT])[ \t]*:(?=[ \t\n]|\Z)"
    r"|\+\+\+[ \t]*\n(?:[ \t]*(?:#.*)?\n)*(?:[\w.\"'-]+[ \t]*=|\[)"
)
# '{"title": "x",' or a brace alone and '"title": "x"' below it: JSON, as against "{% include %}" and '{"a": 1} is'.
_JSON = regex(r'\{(?:[ \t]*[\r\n]\s*"[^"\r\n]*"\s*:|[ \t]*"[^"\r\n]*"[ \t]*:[^\r\n]*[,{\[}][ \t]*(?:[\r\n]|\Z))')

EMPTY = ("", "null", "Null", "NULL", "~")
"""What a key without a value holds."""
# {{session}}: a place of a template that was copied by hand and is not filled in
_PLACE = regex(r"\{\{.*\}\}")


def read(source: Source) -> tuple[Source, Head]:
    """A source with its head cut off its body, and what the head says.

    Args:
        source: as decoded, with the whole text in its body.

    Returns:
        the source, of which head and body joined are the text, and the values with their lines; an empty head for a
        source without one. ``head.problem`` (rule "invalid-frontmatter") names line and column where it can't be read,
        or line 1 where it is never closed, too long, or JSON.
    """
    cut = cut_off(source)
    if cut.head_format is None:
        return source, Head(problem=_unread(source))
    if len(cut.head) > LONGEST:
        return _long(source, cut)
    from mdtally.text.frontmatter import handlers

    head = handlers.read(cut)
    return (source, Head()) if head is None else (cut, head)


def written_key(head: Head, key: str) -> str:
    """A key as a head has it: as it is given, else in another case ("Date", "HEADLESS"); as given if it has none."""
    return key if head.values.get(key) else next((name for name in head.values if name.casefold() == key), key)


def value_of(head: Head, key: str) -> object:
    """A value of a head by its key, in any case; None if there is none."""
    return head.values.get(written_key(head, key))


def text_of(head: Head, key: str) -> str | None:
    """A value of a head as text; None for one that is empty, null, a list, a mapping or a template's place."""
    value = value_of(head, key)
    text = value.strip() if isinstance(value, str) else ""
    return None if text in EMPTY or _PLACE.fullmatch(text) else text


def edit(source: Source, head: Head, updates: Mapping[str, object]) -> Source | Problem:
    """The source with top-level keys of the head set to new values, and every other byte as it was; or a Problem (rule
    "invalid-frontmatter") where the head is broken, or a key's lines can't be replaced safely as they are written.

    A key that exists keeps its place, and not a byte changes where it reads as the new value already. New keys are
    added at the end (in TOML: above the first table). Comments stay, also those beside a value that goes. Where the
    file has no head, a YAML head is made above its text, with the file's newline.

    Args:
        source: a file, cut into head and body.
        head: what ``read`` gave for it.
        updates: key -> str, int, float, bool, None, a list or mapping of such, or REMOVED. TOML has no null: there,
            None leaves the key out.
    """
    from mdtally.text.frontmatter import handlers

    return handlers.edit(source, head, updates)


def post(source: Source, head: Head) -> Post:
    """A file as python-frontmatter's ``Post``; ``frontmatter.dumps`` gives its text, with what was changed in it."""
    from mdtally.text.frontmatter import handlers

    return handlers.post(source, head)


def loads(text: str) -> Post:
    """A text as ``Post``, as ``post`` gives it for a file: for templates and rule pages."""
    return post(*read(Source("utf-8", "", "\n", "", text)))


def dumps(post: Post) -> str:
    """The text of a post, with what was changed in it.

    Raises:
        ValueError: its head can't be changed safely as it is written.
    """
    from mdtally.text.frontmatter import handlers

    return handlers.dumps(post)


def _unread(source: Source) -> Problem | None:
    """The problem of a head that is never closed, stands below blank lines, or is JSON."""
    if _JSON.match(source.body[:4096]):
        message = "the frontmatter is JSON, which is not read; write `key: value` lines between two lines `---` instead"
        return Problem("invalid-frontmatter", message, Region(1, 1, 1, 1))
    start = source.body[:4096].replace("\r\n", "\n").replace("\r", "\n")
    opened = _OPENED.match(start.lstrip())
    if opened is None:
        return None
    message = f"the frontmatter that opens in line 1 is never closed; put a line `{opened[0][:3]}` below its last key"
    if start[:1].isspace():
        message = "the frontmatter is read only if it begins in line 1; remove the blank lines above it"
    return Problem("invalid-frontmatter", message, Region(1, 1, 1, 1))


def _long(source: Source, cut: Source) -> tuple[Source, Head]:
    """What is between two fences far apart: a head that is refused, or no head but text between two ruled lines."""
    if _OPENED.match(source.body[:4096].replace("\r\n", "\n").replace("\r", "\n")) is None:
        return source, Head()
    size = f"the frontmatter has {len(cut.head) // 1024:,} kB; one of more than {LONGEST // 1024} kB is not read"
    problem = Problem("invalid-frontmatter", size, Region(1, 1, 1, 1))
    return cut, Head(last_line=count_lines(cut.head), problem=problem)
