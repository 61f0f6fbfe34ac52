"""The records that the readers of a transcript share: a page, a turn's start, a reading."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from typing import TypeAlias

from mdtally.labels.names import plain
from mdtally.labels.shapes import Label
from mdtally.lines import Layout, scan
from mdtally.model import Document, FileKind, Way
from mdtally.records import record
from mdtally.transcript.declared import Declared

Start: TypeAlias = Label
"""Where a turn starts."""


@record
class Mark:
    """A line that opens a round: its row, and the round's number (None for a stage or section without one)."""

    row: int
    number: int | float | None


@record
class Reading:
    """What one way of reading makes of a page.

    Attributes:
        way: how it was read.
        exporter: the program whose form it has; "" if it is none that is known.
        starts: the turns' starts in order.
        ends: ascending indices of lines that end a turn without opening one.
        marks: lines that open a round; each of them ends a turn as well.
        layout: what is code, with the fences that were ended at a label.
        kind: what the form is always a transcript of; None to tell by the voices.
        marker: what every line of a body may carry in front (an exporter's wrapping).
        left_out: labels of declared names that were taken as text, because they stand inside turns of another shape.
    """

    way: Way
    exporter: str
    starts: tuple[Start, ...]
    ends: tuple[int, ...] = ()
    marks: tuple[Mark, ...] = ()
    layout: Layout | None = None
    kind: FileKind | None = None
    marker: re.Pattern[str] | None = None
    left_out: tuple[Start, ...] = ()


@record
class PlainHeading:
    """A heading: its row, level, text as written, and text without marks."""

    row: int
    level: int
    text: str
    plain: str


@record
class Page:
    """A document as the readers see it.

    Attributes:
        lines: every line of the file.
        first: index of the first line below the frontmatter.
        declared: what the frontmatter and the configuration say about the transcript.
        title: the frontmatter's title, "" if it has none.
    """

    lines: Sequence[str]
    first: int
    declared: Declared
    title: str = ""

    @cached_property
    def layout(self) -> Layout:
        """What is code, by the letter."""
        return scan(self.lines, self.first)

    @cached_property
    def headings(self) -> tuple[PlainHeading, ...]:
        """Every heading that is not in code and has a text."""
        return headings_of(self.layout)

    def section_end(self, heading: PlainHeading) -> int:
        """Index of the line at which a heading's section ends."""
        after = (other.row for other in self.headings if other.row > heading.row and other.level <= heading.level)
        return next(after, len(self.lines))

    def scanned(self, labels: Sequence[int]) -> Layout:
        """What is code if these lines are labels beyond doubt: a stray fence around one of them is ended there."""
        return scan(self.lines, self.first, labels) if self.layout.fences else self.layout


def headings_of(layout: Layout) -> tuple[PlainHeading, ...]:
    """The headings of a layout, with their text cleaned."""
    found = (heading for heading in layout.headings if heading.text)
    return tuple(PlainHeading(one.first, one.level, one.text, plain(one.text)) for one in found)


def page_of(document: Document, declared: Declared) -> Page:
    """The page of a document."""
    title = document.head.values.get("title")
    return Page(document.lines, document.body_line - 1, declared, title if isinstance(title, str) else "")
