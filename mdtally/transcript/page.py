"""The records that the readers of a transcript share: a page, a turn's start, a reading."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TypeAlias

from mdtally.text.chars import HIDDEN
from mdtally.text.document import Document
from mdtally.text.layout import INDENTED, RAW, Heading, Headings, Layout
from mdtally.text.lines import scan
from mdtally.text.model import RoundNumber
from mdtally.text.records import record, replace
from mdtally.text.regex import regex
from mdtally.text.unsaid import without_unsaid
from mdtally.transcript.declared import Declared, Form
from mdtally.transcript.patterns import Start

# "\u200e[12.03.26, 18:20:17] Ana: \u200eimage omitted"
_HIDDEN = regex(rf"\A[{HIDDEN}]+")
# "<examples>", "<example>", "<pasted_text name=...>"
_EXAMPLE = regex(r"\s*<(?P<name>examples?|pasted_text)(?: [^<>]*)?>\s*")

Span: TypeAlias = tuple[int, int | None]
"""Offsets in a line; None for the line's end."""
RoundMarks: TypeAlias = Mapping[int, RoundNumber | None]
"""By row, in order, the numbers of the rounds that lines open; None for a stage or section without one."""


@record
class Reading:
    """What the patterns of a form read on a page.

    Attributes:
        form: how the transcript is written.
        starts: the turns' starts in order.
        ends: ascending indices of lines that end a turn without opening one.
        marks: the lines that open a round; each of them ends a turn as well.
        layout: what is code, with the fences that were ended at a label.
        texts: by row, the offsets of the text on a line of a block.
        in_code: rows of labels that stand in code, and so open no turn.
    """

    form: Form
    starts: tuple[Start, ...]
    ends: tuple[int, ...]
    marks: RoundMarks
    layout: Layout
    texts: Mapping[int, Span] = {}
    in_code: tuple[int, ...] = ()


@record
class Page:
    """A document as the readers see it.

    Attributes:
        lines: every line of the file.
        first: index of the first line below the frontmatter.
        declared: what the frontmatter and the configuration say about the transcript.
        title: the frontmatter's title, "" if it has none.
        has_examples: examples, or what somebody pasted, may stand in it between tags.
        unsaid: rows of which something is left out that a program said, or a model thought.
    """

    lines: Sequence[str]
    first: int
    declared: Declared
    title: str = ""
    has_examples: bool = False
    unsaid: frozenset[int] = frozenset()

    @cached_property
    def layout(self) -> Layout:
        """What is code, by the letter."""
        return self._scan()

    @cached_property
    def headings(self) -> tuple[Heading, ...]:
        """Every heading that is not in code and has a text."""
        return tuple(heading for heading in self.layout.headings if heading.text)

    def layout_with(self, labels: Sequence[int], given: Sequence[int] = ()) -> Layout:
        """What is code if these are labels: a stray fence around one ends there, and indented code stays code.

        Plain fences are none if the given ones, of a person's pattern, stand in such alone.
        """
        layout = self.layout
        labels = [row for row in labels if layout.kinds[row] != INDENTED]
        may_differ = any(one.last is None for one in layout.fences) or any(map(layout.hidden.__getitem__, labels))
        may_differ = may_differ or any(comment.mark == "%%" for comment in layout.comments)
        return self._scan(labels, layout.opened_by(given)) if layout.fences and may_differ else layout

    def _scan(self, labels: Sequence[int] = (), opened: frozenset[int] = frozenset()) -> Layout:
        """What is code, and what stands between the tags of an example or a pasted text: nobody speaks there."""
        layout = scan(self.lines, self.first, labels, opened)
        if not self.has_examples:
            return layout
        kinds, headings = bytearray(layout.kinds), Headings(self.lines)
        end, unclosed = self.first, set[str]()
        for row in range(self.first, len(self.lines)):
            tag = _EXAMPLE.fullmatch(self.lines[row]) if row >= end and not layout.hidden[row] else None
            if tag and tag["name"] not in unclosed:
                closing = f"</{tag['name']}>"
                end = next((at for at in range(row, len(self.lines)) if self.lines[at].strip() == closing), row)
                kinds[row:end] = bytes([RAW]) * (end - row)
                unclosed |= {tag["name"]} if end == row else set()
        for one in layout.headings:
            if not kinds[one.row]:
                headings.add(one.row, one.level)
        return replace(layout, kinds=bytes(kinds), hidden=bytes(map(bool, kinds)), headings=headings)


def page_of(document: Document, declared: Declared) -> Page:
    """The page of a document."""
    title, first = document.head.values.get("title"), document.body_line - 1
    lines = document.lines
    if not document.source.body.isascii():  # WhatsApp sets a left-to-right mark before some of its times
        lines = tuple(_HIDDEN.sub(lambda found: " " * len(found[0]), line) for line in lines)
    lines, unsaid = without_unsaid(lines, first)
    has_examples = any(tag in document.source.body for tag in ("</example", "</pasted_text>"))
    return Page(lines, first, declared, title if isinstance(title, str) else "", has_examples, frozenset(unsaid))
