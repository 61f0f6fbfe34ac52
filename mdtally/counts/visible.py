"""What a reader sees of a document: its paragraphs, headings and HTML as runs of plain text, in order.

Code is left out here, by blocks; `plain` takes out what is hidden inside a text. Some comments reach over many blocks
(Obsidian's between "%%", an HTML comment with blank lines inside a <details>), so the reader remembers what it waits
for. Whatever nobody closed is kept apart with the lines it swallows: were there counters in it, the totals would
be wrong without a word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from mdtally.counts.notation import mentions_counters
from mdtally.counts.plain import Run, Source, make_plain
from mdtally.model import Block, Region


@dataclass(frozen=True, slots=True)
class Unclosed:
    """A block or comment that nobody closed, and what it takes out of the text.

    Attributes:
        what: in words for a person, such as "code fence".
        closing: what would close it.
        region: its opening.
        start, end: first and last of the lines below the opening that it swallows, inclusive.
        first: what a comment says on its opening's own line.
    """

    what: str
    closing: str
    region: Region
    start: int
    end: int
    first: str = ""


# What may stand before a line's text: quote marks, bullets, numbers, a checkbox, a heading's hashes.
_PREFIX = re.compile(
    r"(?:[ \t]*(?:>|(?:[-*+•]|[0-9]{1,9}[.)])(?=[ \t])))*[ \t]*"
    r"(?:\[[ xX/~!?-]\](?=[ \t])[ \t]*)?(?:#{1,6}(?=[ \t]))?[ \t]*"
)
_BRACKETED_FACT = re.compile(r"\[\s*(?:agree|hold)\b", re.IGNORECASE)
_CODE_HTML = ("<pre", "<script", "<style", "<textarea", "<?", "<![cdata[")
_COMMENTS = {"%%": "Obsidian comment", "-->": "HTML comment"}


class Reader:
    """Turns a document's blocks into runs.

    Attributes:
        unclosed: what was left open; complete once ``runs`` is exhausted.
    """

    def __init__(self, lines: Sequence[str]) -> None:
        self.unclosed: list[Unclosed] = []
        self._lines = lines
        self._hidden_until = ""
        self._hidden_from: Region | None = None

    def runs(self, blocks: Iterable[Block]) -> Iterator[Run]:
        """Every run in the order of the file, without those that can't hold an annotation."""
        for block in _leaves(blocks):
            if block.kind == "fence" and not block.closed:
                line = self._lines[block.line - 1]
                fence = line[len(line) - len(line[_prefix(line) :]) :].split()[0]
                fence = fence[: len(fence) - len(fence.lstrip(fence[0]))]
                self._leave("code fence", fence, self._opening(block.line), block.end_line)
            elif block.kind == "html" and not block.closed:
                self._leave_html(block)
            elif block.kind in ("paragraph", "heading", "definition") or (
                block.kind == "html" and not block.text.lstrip().lower().startswith(_CODE_HTML)
            ):
                run = self._read(block)
                if run is not None:
                    yield run
        if self._hidden_from is not None:
            self._leave(_COMMENTS[self._hidden_until], self._hidden_until, self._hidden_from, len(self._lines))

    def uncovered(self, start: int, end: int) -> Run:
        """The lines from start to end, inclusive, as if nothing hid them."""
        return make_plain(self._source(start, end), hides=False).run

    def _read(self, block: Block) -> Run | None:
        source = self._source(block.line, block.end_line)
        start = 0
        if self._hidden_until:
            start = source.text.find(self._hidden_until)
            if start < 0:
                return None
            start += len(self._hidden_until)
            self._hidden_until, self._hidden_from = "", None
        holds = mentions_counters(source.text.split("\n")) or _BRACKETED_FACT.search(source.text)
        if not holds and "%%" not in source.text and "<!--" not in source.text:
            return None
        plain = make_plain(source, start, html=block.kind == "html")
        if plain.hides_on:
            self._hidden_until = plain.hides_on
            self._hidden_from = source.region(plain.hidden_from, plain.hidden_from + len(plain.hides_on))
        if plain.stray is not None:
            opening = source.region(plain.stray, plain.stray + 4)
            first = source.text[plain.stray + 4 :].split("\n")[0]
            self._leave("HTML comment", "-->", opening, block.end_line, first)
        return replace(plain.run, definition=block.kind == "definition") if holds else None

    def _leave_html(self, block: Block) -> None:
        opening = self._opening(block.line)
        text = self._lines[block.line - 1][opening.column - 1 :]
        if text.startswith("<!--"):
            self._leave("HTML comment", "-->", opening, block.end_line, text[4:])
            return
        tag = re.match(r"<\W*\w*", text)
        name = tag.group() if tag else "<"
        closing = {"<?": "?>", "<![CDATA": "]]>"}.get(name, f"</{name[1:]}>")
        self._leave(f"HTML block {name}", closing, opening, block.end_line)

    def _leave(self, what: str, closing: str, opening: Region, end: int, first: str = "") -> None:
        self.unclosed.append(Unclosed(what, closing, opening, opening.line + 1, end, first))

    def _opening(self, line: int) -> Region:
        text = self._lines[line - 1]
        return Region(line, _prefix(text) + 1, line, len(text.rstrip()) + 1)

    def _source(self, start: int, end: int) -> Source:
        parts, starts, columns, size = [], [], [], 0
        for line in self._lines[start - 1 : end]:
            prefix = _prefix(line)
            parts.append(line[prefix:])
            starts.append(size)
            columns.append(prefix + 1)
            size += len(line) - prefix + 1
        return Source("\n".join(parts), starts or [0], start, columns or [1])


def _leaves(blocks: Iterable[Block]) -> Iterator[Block]:
    for block in blocks:
        if block.children:
            yield from _leaves(block.children)
        else:
            yield block


def _prefix(line: str) -> int:
    match = _PREFIX.match(line)
    return match.end() if match else 0
