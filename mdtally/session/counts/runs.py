"""A log's body as runs of plain text: its paragraphs, table cells and comments, every character with its place.

`lines` says what is code or a comment, `blocks` which lines belong to one paragraph, `plain` takes the marks off.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import Literal

from mdtally.session.counts.notation import FIVE, NAME, may_hold
from mdtally.text import lines as scanner
from mdtally.text import voices
from mdtally.text.blocks import parse
from mdtally.text.document import Document
from mdtally.text.layout import Comment, Layout
from mdtally.text.line_parts import BULLET
from mdtally.text.model import Region
from mdtally.text.plain import OPAQUE, Kind, Plain, to_plain
from mdtally.text.records import record
from mdtally.text.regex import regex

# What may stand before a line's text: quote marks, bullets, numbers, a check box, a heading's hashes.
PREFIX = regex(
    rf"(?:[ \t]*(?:>|(?:{BULLET}|•)(?=[ \t])))*[ \t]*"
    r"(?:\[[ xX/~!?-]\](?=[ \t])[ \t]*)?(?:#{1,6}(?=[ \t]))?[ \t]*"
)
# ||||, \|\|\|\| between the tildes of ~~||||~~
_BARS = regex(r" *(?:\\?\|){4,5} *")
# [AP]: https://example.org "title"
_TARGET = regex(
    r"\[(?!\^)([^\]]*)\]:[ \t]*(?=\S*[/#<.:])(?:<[^<>]*>|\S+)(?:[ \t]+(?:\"[^\"]*\"|'[^']*'|\([^()]*\)))?[ \t]*\Z"
)
# " ^b3f2a1" at a line's end: the address of a block in Obsidian
_BLOCK_ID = regex(r"(?<=\S)[ \t]+\^[A-Za-z0-9-]+[ \t]*\Z")
# "- ", "> 3) ", "• "
_ITEM = regex(rf"[ \t>]*(?:{BULLET}|•)[ \t]")
# <AP>, <A-R>, <A T: why>, <APx2>, <hold evidence=none>: not elements of HTML
_LIKE_A_TAG = regex(r"</?(?:A[ -]?[PRT]{1,2}(?:[x×]?\d{1,2})?(?![\w=-])|(?:agree|hold|disagree)[ >])")
# What makes code of what stands right behind it: `A_P`, <code>A_P</code>, <th>A_P</th>
_CODE_BEFORE = regex(r"(?:`|<(?:code|kbd|samp|tt|var|th)\b[^<>]{0,80}>)\Z")
# "3。", "||、": the end of a number in Chinese and Japanese
_WIDE_STOP = regex(r"(?<=[\d|])[。、]")
# the target of [A_P](agreed)
_WORD_TARGET = regex(r"\]\(\s*[\w-]+\s*\)")
# [A_P: asked twice](#turn-3), [agree evidence=none](log.md); "[A_P](glossary.md)" is a word
_MARK = regex(rf"\s*(?:{NAME}\s*[:=]|(?:agree|hold)\s[^=]*=)", re.IGNORECASE)
# "| --- | :-: |"
_DELIMITER = regex(r"[ >]*\|? *:?-+:? *(?:\| *:?-+:? *)*\|? *")


KEPT = 1 << 15
"""Texts of which it is kept what they state: after each tag a review asks again, and nearly all is as it was."""

RunKind = Literal["paragraph", "heading", "item", "cell", "comment"]


@record
class TextRun:
    """A stretch of plain text that belongs together, its lines joined with newlines."""

    text: str
    kind: RunKind
    written: str
    _plain: Plain
    _starts: Sequence[int]
    _first: int
    _columns: Sequence[int]

    def region(self, start: int, end: int) -> Region:
        """The place in the file of ``text[start:end]``, which is not empty."""
        span = self._plain.span(start, end)
        return Region(*self._place(span.start), *self._place(span.end))

    @property
    def at(self) -> tuple[int, int]:
        """Where it begins in the file: line and column."""
        return self._first, self._columns[0]

    def line(self, at: int) -> int:
        """The line in the file of a character."""
        return self._place(self._plain.span(at, at + 1).start)[0]

    def is_code(self, at: int) -> bool:
        """True if a word begins as code: a counter's name in backticks is a name and no annotation."""
        return bool(_CODE_BEFORE.search(self.before(at)))

    def before(self, at: int) -> str:
        """What is written before a character, markup and all, as far as it can matter."""
        start = self._plain.span(at, at + 1).start
        return self.written[max(start - 200, 0) : start]

    def is_dressed(self, at: int) -> bool:
        """True if a word begins right behind a mark of emphasis or highlighting."""
        return self.before(at)[-1:] in ("*", "_", "=")

    def code(self) -> Iterator[tuple[int, str]]:
        """Each piece of inline code: its offset in the text, and what stands in it."""
        at = self.text.find(OPAQUE)
        while at >= 0:
            span = self._plain.span(at, at + 1)
            whole = self.written[span.start : span.end]
            if whole[:1] == "`" or (whole[:1] == "<" and ":" not in whole.partition(">")[0]):
                yield at, whole
            at = self.text.find(OPAQUE, at + 1)

    def _place(self, offset: int) -> tuple[int, int]:
        index = bisect_right(self._starts, offset) - 1
        return self._first + index, self._columns[index] + offset - self._starts[index]


Row = tuple[TextRun, ...]
LabelLines = Callable[[Document], Sequence[int]]
"""Gives the indices of a document's lines that are labels of turns, ascending."""


@record
class Body:
    """What a log's body holds.

    Attributes:
        runs: its paragraphs and comments, in no certain order.
        tables: the rows of each table, and whether it has a line of dashes below the first.
        defined: case-folded labels that are defined as links: "[AP]: https://…" makes "[AP]" a link.
        layout: what its lines are.
    """

    runs: list[TextRun]
    tables: list[tuple[list[Row], bool]]
    defined: frozenset[str]
    layout: Layout


def is_in_doubt(document: Document) -> bool:
    """True if the labels of turns may make other lines code, and others count."""
    held = (line for fence in document.plain_fences for line in document.lines[fence.first : fence.last])
    return document.layout.is_in_doubt or any(map(may_hold, held))


def read_body(document: Document, labels: LabelLines | None = None) -> Body:
    """The body of a document as runs of plain text.

    The labels of turns, as ascending indices of lines, are asked for only if a fence is in doubt and the voices are
    declared, or patterns that may open it; the fence then ends at the first label in it, or is none.
    """
    layout = document.layout
    is_declared = document.plain_fences or voices.declared_voices(document.head, document.form)[0]
    if labels and is_declared and is_in_doubt(document):
        layout = document.layout_around(labels(document))
    lines = scanner.without_hidden(document.lines, layout)
    runs, tables, defined = list[TextRun](), list[tuple[list[Row], bool]](), set[str]()
    is_quiet = False
    for block in parse(lines[document.body_line - 1 :], document.body_line - 1):
        start, end = block.first, block.last + 1 if block.kind != "rule" else 0
        was_quiet, is_quiet = is_quiet, not any(map(may_hold, lines[start:end]))
        if is_quiet and was_quiet:
            continue  # nothing is stated in it; one of them keeps what stands above and below apart
        while start < end and "]:" in lines[start] and (target := _TARGET.match(_without_prefix(lines[start]))):
            defined.add(target[1].casefold())
            start += 1
        for first, last, ruled in _stretches(lines, start, end):
            if ruled is not None:
                rows = [row for row in range(first, last) if not _DELIMITER.fullmatch(lines[row])]
                tables.append(([_row(lines, row) for row in rows], ruled))
            else:
                pieces = [(index, _prefix(lines[index]), None) for index in range(first, last)]
                kind: RunKind = "heading" if block.kind == "heading" else "paragraph"
                runs.append(_text_run(lines, pieces, "item" if _ITEM.match(lines[first]) else kind))
    for comment in layout.comments:
        if comment.mark == "<!--" and comment.closed:
            runs.append(_comment(document.lines, comment))
    return Body(runs, tables, frozenset(defined), layout)


def _stretches(lines: Sequence[str], start: int, end: int) -> Iterator[tuple[int, int, bool | None]]:
    """The paragraphs (None) and tables (ruled or not) of some lines, as the indices of their lines.

    A table is a row with a line of dashes below it and all rows with bars that follow, or rows that begin with a bar.
    """
    first = index = start
    while index < end:
        ruled = index + 1 < end and "|" in lines[index + 1] and bool(_DELIMITER.fullmatch(lines[index + 1]))
        bordered = _without_prefix(lines[index]).startswith("|")
        if "|" in lines[index] and (ruled or bordered):
            if first < index:
                yield first, index, None
            first, index = index, index + 1
            while index < end and "|" in lines[index] and (ruled or _without_prefix(lines[index]).startswith("|")):
                index += 1
            yield first, index, ruled
            first = index
        else:
            index += 1
    if first < end:
        yield first, end, None


def _without_prefix(line: str) -> str:
    return line[_prefix(line) :]


def _prefix(line: str) -> int:
    match = PREFIX.match(line)
    return match.end() if match else 0


def _row(lines: Sequence[str], index: int) -> Row:
    line, start = lines[index].rstrip(), _prefix(lines[index])
    start += line[start : start + 1] == "|"
    end = len(line) - (line.endswith("|") and len(line) > start)
    bars = [at for at in range(start, end) if line[at] == "|" and line[at - 1] != "\\"]
    cells = []
    for left, right in pairwise([start - 1, *bars, end]):
        text = line[left + 1 : right]
        column = right - len(text.lstrip()) if text.strip() else right
        cells.append(_text_run(lines, [(index, column, column + len(text.strip()))], "cell"))
    return tuple(cells)


def _comment(lines: Sequence[str], comment: Comment) -> TextRun:
    """What a comment says."""
    pieces = []
    for index in range(comment.first, comment.last + 1):
        start = comment.column + len(comment.mark) if index == comment.first else 0
        end = comment.end - 3 if index == comment.last else len(lines[index])
        text = lines[index][start:end].lstrip(" \t-•>" if index > comment.first else None)
        pieces.append((index, end - len(text), end))
    return _text_run(lines, pieces, "comment")


def _text_run(lines: Sequence[str], pieces: Sequence[tuple[int, int, int | None]], kind: RunKind) -> TextRun:
    """A run of pieces of neighbouring lines, each the index of its line and what it is a slice of."""
    parts = [_BLOCK_ID.sub("", lines[index][start:end]) for index, start, end in pieces]
    written = "\n".join(parts)
    # Tuples of numbers cost the garbage collector nothing, however many cells a table has.
    starts = (0, *accumulate(len(part) + 1 for part in parts[:-1]))
    return run_of(written, kind, starts, pieces[0][0] + 1, tuple(start + 1 for _, start, _ in pieces))


def run_of(
    written: str, kind: RunKind, starts: Sequence[int] = (0,), first: int = 1, columns: Sequence[int] = (1,)
) -> TextRun:
    """A run as it is written; one of which it does not matter where it stands is at the beginning of a file."""
    plain = _plain(written)
    text = plain.text if plain.text.isascii() else _WIDE_STOP.sub(lambda stop: ".,"[stop[0] == "、"], plain.text)
    return TextRun(text, kind, written, plain, starts, first, columns)


@lru_cache(KEPT)
def _plain(written: str) -> Plain:
    return to_plain(written, _shown_code)


def _shown_code(kind: Kind, inner: str, whole: str) -> str | None:
    """Code and links are not text to count in; a counter's name may be written as code; what is struck out is gone."""
    if kind == "code":
        return None if re.fullmatch(r"[Aa]_[PpRrTt]", inner) else OPAQUE
    if kind == "struck":
        return FIVE if _BARS.fullmatch(inner) else " "
    if kind == "link" and not whole.startswith("!") and (_WORD_TARGET.search(whole) or _MARK.match(inner)):
        return whole  # "[A_P](agreed)" leads nowhere, "[A_P: why](#turn-3)" says why: `near` asks what is meant
    if kind == "tag" and _LIKE_A_TAG.match(whole):
        return whole
    return {"address": OPAQUE, "link": OPAQUE, "break": "\n", "footnote": " ", "highlight": None}.get(kind, "")
