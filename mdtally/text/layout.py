"""What the lines of a file are, as records: code, headings, comments; `lines` finds them."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

from mdtally.text.records import record

TEXT, FENCE, INDENTED, RAW, COMMENT = range(5)
"""What a line is: text, or in a fence, indented code, a raw HTML block (`<pre>`, `<script>`, ...), inside a comment."""


@record
class Fence:
    """A code fence, or a raw HTML block.

    Attributes:
        first: index of the line that opens it.
        last: index of its last line; None where nothing closes it, so that it was read as text.
        marker: what opens it, such as "```", "~~~~" or "<pre".
        inner: index of the first line inside that opens another fence, with an info string as no closing line has.
        recovered: it was ended just before a turn's label.
        is_in_doubt: a label inside it would end it: nothing closes it, or what does is plainly not its own.
        is_around: it stands around nearly all of the text: a label inside it would make it no fence at all.
        is_plain: it names no programming language: if labels of a person's pattern stand in such alone, these are none.
    """

    first: int
    last: int | None
    marker: str
    inner: int | None = None
    recovered: bool = False
    is_in_doubt: bool = False
    is_around: bool = False
    is_plain: bool = False

    @property
    def closing(self) -> str:
        """What would close it."""
        return f"</{self.marker[1:]}>" if self.marker[0] == "<" else self.marker


@record
class Heading:
    """A heading of the file itself, not of a quote: the index of its (first) line, its level, its text as written."""

    row: int
    level: int
    text: str

    @property
    def plain(self) -> str:
        """Its text without marks."""
        from mdtally.text.names import plain  # who counts has no need of it

        return plain(self.text)


class Headings(Iterable[Heading]):
    """The headings of a file, in order: a record of each is made when it is looked at, as there may be a million."""

    __slots__ = ("_levels", "_lines", "_rows")

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines, self._rows, self._levels = lines, array("L"), bytearray()

    def add(self, row: int, level: int) -> None:
        """Add the heading that begins on a line."""
        self._rows.append(row)
        self._levels.append(level)

    def cut_below(self, row: int) -> None:
        """Take out those below a line."""
        del self._levels[(at := bisect_right(self._rows, row)) :], self._rows[at:]

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Heading]:
        for row, level in zip(self._rows, self._levels, strict=True):
            text = self._lines[row].strip()
            yield Heading(row, level, _heading_text(text) if text[:1] == "#" else text)


@record
class Comment:
    """An HTML comment, or an Obsidian comment that fills lines of its own.

    Attributes:
        first, column: index of the line it opens on, and offset of its mark there.
        last, end: index of the line it closes on, and offset past its mark there; where it is unclosed, past its
            opening mark.
        mark: "<!--" or "%%".
        closed: False where nothing closes it, so that it was read as text.
    """

    first: int
    column: int
    last: int
    end: int
    mark: str = "<!--"
    closed: bool = True


@record
class Layout:
    """What the lines of a file are; all indices are 0-based.

    Attributes:
        kinds: by line, TEXT, FENCE, INDENTED, RAW or COMMENT.
        hidden: by line, 1 where it is not TEXT. A comment's opening line is text, and so is what follows its end.
        fences, headings, comments: in the order of the file. None of them stands inside code.
    """

    kinds: bytes
    hidden: bytes
    fences: tuple[Fence, ...]
    headings: Headings
    comments: tuple[Comment, ...]

    @property
    def is_in_doubt(self) -> bool:
        """True if the labels of turns would make another layout, whoever found them."""
        return any(fence.is_in_doubt or fence.is_around for fence in self.fences)

    def opened_by(self, labels: Iterable[int]) -> frozenset[int]:
        """The first lines of the plain fences that are none if a person's pattern finds these labels.

        They hold two of them or more, and no label is a line of text; those in other code do not matter.
        """
        plain = [(fence.first, fence.last) for fence in self.fences if fence.is_plain and fence.last is not None]
        firsts, held = [first for first, _ in plain], list[int]()
        for row in labels:
            if not self.hidden[row]:
                return frozenset()
            at = bisect_right(firsts, row) - 1
            held += [firsts[at]] if at >= 0 and row < plain[at][1] else []
        return frozenset(held if len(held) > 1 else ())


def _heading_text(line: str) -> str:
    """The text of a line that is a heading, without its hashes."""
    text = line.rstrip()
    bare = text.rstrip("#")
    return (bare if bare[-1:] in ("", " ", "\t") else text).lstrip("#").strip()
