"""The blocks of a file that may begin a turn: paragraphs, headings, quotations, items, tables, code."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Literal

from mdtally.text.layout import COMMENT, Layout
from mdtally.text.line_parts import BULLET
from mdtally.text.lines import is_rule
from mdtally.text.records import record
from mdtally.text.regex import regex

Kind = Literal["paragraph", "heading", "quote", "item", "table", "code", "rule", "comment"]

ITEM = regex(rf"\s*{BULLET}(?:\s|$)")
UNDERLINE = regex(r" {0,3}(?:=+|-+)[ \t]*$")
# "<!-- why -->", "<details>", "</aside>", "<hr class=x>"
_COMMENT = regex(r"\s*(?:<!--.*-->|</?[A-Za-z][^<>]*>)\s*$")


@record
class TextBlock:
    """A block of a file.

    Attributes:
        kind: what it is; a rule and a comment are nobody's words.
        first, last: indices of its lines.
        goes_on: True for an item that follows another one with the same sign, and belongs to the same list.
    """

    kind: Kind
    first: int
    last: int
    goes_on: bool = False


def blocks(lines: Sequence[str], first: int, layout: Layout) -> Iterator[TextBlock]:
    """The blocks of a file, in order: every line that is not blank belongs to one.

    Code, a table and a list's item with its continuation are one block each, so that nothing cuts them in two.

    Args:
        lines: every line of the file.
        first: index of the first line below the frontmatter.
        layout: what is code, and what is a heading.
    """
    titles = {heading.row for heading in layout.headings}
    row, above = first, ""  # the sign of the item above
    while row < len(lines):
        if not lines[row].strip():
            row += 1
            continue
        kind, last = _kind(lines[row], layout.kinds[row], row in titles), row
        while (below := _below(lines, last, kind, layout, titles)) is not None:
            last = below
        sign = lines[row].split()[0][-1] if kind == "item" else ""
        yield TextBlock(kind, row, last, bool(sign) and sign == above)
        row, above = last + 1, sign


def _below(lines: Sequence[str], last: int, kind: Kind, layout: Layout, titles: Collection[int]) -> int | None:
    """The line that goes on with a block below one of its lines; None if it ends there."""
    row = last + 1
    if kind == "item":  # what is indented goes on behind a blank line
        row = next((at for at in range(row, len(lines)) if lines[at].strip()), len(lines))
    if row < len(lines) and kind == "code" and not lines[row].strip():  # blank lines inside a fence
        return row if layout.kinds[row] else None
    if row == len(lines) or not lines[row].strip():
        return None
    if kind == "heading":
        is_underline = last in titles and lines[last].lstrip()[0] != "#" and UNDERLINE.match(lines[row])
        return row if is_underline else None
    below = _kind(lines[row], layout.kinds[row], row in titles)
    if kind == "quote":  # with the code that it quotes; or what a terminal asks for behind ">>>"
        goes_on = lines[row].startswith("... ") and lines[last].startswith((">>> ", "... "))
        return row if goes_on or lines[row].lstrip()[0] == ">" else None
    if kind == "item":
        is_indented = lines[row].startswith(("\t", "  "))
        return row if is_indented or (row == last + 1 and below == "paragraph") else None
    return row if below == kind and kind not in ("rule", "comment") else None


def _kind(line: str, code: int, is_heading: bool) -> Kind:
    """What a line begins that is not blank."""
    if code:
        return "comment" if code == COMMENT else "code"
    if is_heading:
        return "heading"
    if is_rule(line) or line.strip() in ("```", "~~~"):  # a fence that nothing closes
        return "rule"
    if _COMMENT.match(line):
        return "comment"
    text = line.lstrip()
    return "quote" if text[0] == ">" else "table" if text[0] == "|" else "item" if ITEM.match(line) else "paragraph"
