"""Which lines of a body belong to one paragraph, heading or rule.

A block ends where a line is blank, and where a quote, a list item, a heading or a rule begins. No more is needed: code
and comments are found by `lines`, and the caller blanks them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mdtally.text.line_parts import BULLET
from mdtally.text.lines import is_rule
from mdtally.text.regex import regex
from mdtally.text.text_blocks import UNDERLINE, TextBlock

# "> > " before a text
_QUOTES = regex(r"(?:[ \t]*>)*[ \t]*")
# "- ", "12. ", "- > ": the marks of items and of quotes in them
_ITEM = regex(rf"(?:{BULLET}(?:[ \t]+|$)|>[ \t]*)+")
# "## Round 2"
_HEADING = regex(r" {0,3}#{1,6}(?:[ \t]|$)")


def parse(lines: Sequence[str], first: int = 0) -> Iterator[TextBlock]:
    """The paragraphs, headings and rules of a body, in order, those in quotes and lists among them; a table is a
    paragraph.

    Every line with text other than marks belongs to a block. The lines come without line ends, code and comments;
    `first` is the index in the file of the first.
    """
    begun: int | None = None  # where the paragraph began that may go on
    depth = 0
    for row, line in enumerate(lines, first):
        if not line or (line[0] == "#" and _HEADING.match(line)):  # most lines of a long list of headings
            if begun is not None:
                yield TextBlock("paragraph", begun, row - 1)
            if line:
                yield TextBlock("heading", row, row)
            begun, depth = None, 0
            continue
        quotes = _QUOTES.match(line)
        text = line[quotes.end() :] if quotes else line
        deeper = quotes.group().count(">") if quotes else 0
        rule = is_rule(text)
        item = None if rule else _ITEM.match(text)
        if item:
            text = text[item.end() :]
            rule = is_rule(text)
        if begun is not None and not item and deeper <= depth and UNDERLINE.match(text):
            yield TextBlock("heading", begun, row)
            begun, text = None, ""
        alone = text and (rule or _HEADING.match(text))
        if begun is not None and (item or deeper > depth or alone or not text.strip()):
            yield TextBlock("paragraph", begun, row - 1)
            begun = None
        if alone:
            yield TextBlock("heading" if _HEADING.match(text) else "rule", row, row)
        elif text.strip() and begun is None:
            begun = row
        depth = deeper + (item.group().count(">") if item else 0)
    if begun is not None:
        yield TextBlock("paragraph", begun, first + len(lines) - 1)
