"""The handler with which python-frontmatter reads and writes a head without losing a byte of the file.

The library strips a text and re-ends its lines before any handler sees it. So a handler is made for one file: ``split``
gives what was cut from its text as it is, ``load`` keeps every scalar as the string it was written as, and ``export``
writes the lines anew of those keys only that have changed. What it writes is proved first: read again from its bytes it
must hold the new values, all the old ones in their order, and the same body. What can't be proved is refused.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Mapping
from copy import deepcopy
from typing import Any

import frontmatter
from frontmatter import dumps as dumps
from frontmatter.default_handlers import BaseHandler

from mdtally.text import source as sources
from mdtally.text.frontmatter import yaml_head
from mdtally.text.frontmatter.text import FENCES, REMOVED, HeadError, Pairs, cut_off, inner, pair, problem_at, read_back
from mdtally.text.model import Head, Problem, Region, Source, Span
from mdtally.text.records import replace


class LosslessHandler(BaseHandler):
    """Reads and writes the head of one file, in the syntax that it has; a new one is YAML.

    Attributes:
        source: the file, cut into head and body.
        head: its frontmatter.
        pairs: what ``load`` has read; None if that is not a mapping.
    """

    def __init__(self, source: Source, head: Head | None = None) -> None:
        super().__init__(FENCES[source.head_format or "yaml"][0])
        self.source, self.head = source, head or Head()
        self.pairs: Pairs | None = None

    def load(self, fm: str, **_: object) -> Any:
        """The values of a text; None if it is not a mapping."""
        if self.source.head_format == "toml":
            from mdtally.text.frontmatter import toml_head  # most heads are YAML

            self.pairs = toml_head.pairs_of(fm)
        else:
            self.pairs = yaml_head.pairs_of(fm)
        return self.pairs and self.pairs.values

    def split(self, text: str) -> tuple[str, str]:
        """The text between the fences, and the body, as they stand in the file and not as the library gives them."""
        start, end = inner(self.source.head)
        return self.source.head[start:end], self.source.body

    def export(self, metadata: dict[str, object], **_: object) -> str:
        """The head, its fences included, with these values instead of its own.

        Raises:
            ValueError: it can't be changed safely; the message says how to write it.
        """
        gone = dict.fromkeys(self.head.values.keys() - metadata.keys(), REMOVED)
        changed = edit(self.source, self.head, {**metadata, **gone})
        if isinstance(changed, Problem):
            raise ValueError(changed.message)
        return changed.head

    def format(self, post: frontmatter.Post, **_: object) -> str:
        """The whole file with a post's values and text: what ``frontmatter.dumps`` gives."""
        return self.source.bom + self.export(post.metadata) + post.content


def read(source: Source) -> Head | None:
    """The frontmatter of a source that was cut; None if what was cut off is not a head, but text between two rules."""
    handler = LosslessHandler(source)
    starts = sources.line_starts(source.head)
    # The closing fence may be the file's last line and have no line end.
    last_line = len(starts) - source.head.endswith(("\n", "\r"))
    try:
        values, _ = frontmatter.parse(source.head, handler=handler)
        if handler.pairs is None:
            return None
        # No encoding can write a lone surrogate, which escapes can make.
        json.dumps(values, ensure_ascii=False).encode()
    except HeadError as error:
        fault = error
    except RecursionError:
        fault = HeadError(-1, "the frontmatter is nested too deeply")
    except UnicodeEncodeError:
        fault = HeadError(-1, "an escape in the frontmatter names half a character (a surrogate); write it whole")
    else:
        shift = inner(source.head)[0]
        lines = {key: bisect_right(starts, shift + at) for key, at in handler.pairs.keys.items()}
        spans = {key: Span(shift + span.start, shift + span.end) for key, span in handler.pairs.spans.items()}
        return Head(values, {key: lines.get(key, 1) for key in values}, spans, last_line)
    return Head(last_line=last_line, problem=problem_at(source, fault))


def edit(source: Source, head: Head, updates: Mapping[str, object]) -> Source | Problem:
    """The source with top-level keys of the head set to new values; see ``mdtally.text.frontmatter.edit``."""
    syntax = source.head_format or "yaml"
    try:
        if syntax == "toml":
            updates = {key: REMOVED if value is None else _without_null(value) for key, value in updates.items()}
        new = {key: read_back(value) for key, value in updates.items()}
        if all(value == head.values.get(key, REMOVED) for key, value in new.items()):
            return source
        if head.problem is not None:
            return head.problem
        from mdtally.text.frontmatter.editing import edit_head  # most runs change nothing

        changed = replace(source, head=edit_head(source, head, updates), head_format=syntax)
    except HeadError as error:
        return problem_at(source, error)
    if _is_proved(changed, {key: value for key, value in {**head.values, **new}.items() if value is not REMOVED}):
        return changed
    example = next((pair(key, value, syntax) for key, value in updates.items() if value is not REMOVED), "key: value")
    advice = f"write each of its keys on a line of its own, such as `{example}`, and run this again"
    message = f"the frontmatter can't be changed safely as it is written; {advice}"
    return Problem("invalid-frontmatter", message, Region(1, 1, 1, 1))


def post(source: Source, head: Head) -> frontmatter.Post:
    """A file as the library's ``Post``; ``frontmatter.dumps`` gives its text, with what was changed in it."""
    made = frontmatter.Post(source.body, LosslessHandler(source, head))
    # Not as arguments, because a key may be called "content" or "handler".
    made.metadata = deepcopy(dict(head.values))
    return made


def _is_proved(changed: Source, expected: Mapping[str, object]) -> bool:
    """True if the changed text, read again from its bytes, has the same body and the expected values in order."""
    try:
        again = cut_off(sources.read_source(sources.encode(changed)))
    except ValueError:
        return False
    head = read(again) if again == changed else None
    if head is None or head.problem is not None or head.values != expected:
        return False
    # In TOML a new pair has to stand above the first table.
    return changed.head_format == "toml" or list(head.values) == list(expected)


def _without_null(value: object) -> object:
    return {key: item for key, item in value.items() if item is not None} if isinstance(value, Mapping) else value
