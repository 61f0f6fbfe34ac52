"""Which lines of a Markdown file are code, a heading or a comment: the one answer for counts, turns and the gate.

The scanner reads lines, not blocks, because notes and exported logs break a strict parser: a prompt that shows a fence
inside a fence turns all text below it into code, and in real logs that hid 45 of 46 turns. So what is never closed is
text and is reported, and a fence around a line that is known to be a turn's label ends at that label.

    layout = scan(document.lines, document.body_line - 1)
    layout.hidden[index]     1 where the line is not text: code, or inside a comment
    layout.fences            every fence and raw HTML block, with those that are unclosed or were recovered

Time grows with the number of characters.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from functools import lru_cache

from mdtally.text.layout import COMMENT, FENCE, INDENTED, RAW, Comment, Fence, Headings, Layout
from mdtally.text.line_parts import BULLET
from mdtally.text.regex import regex

# "> > "
_QUOTE = regex(r"(?:[ \t]*> ?)+")
# "```python", "- ~~~", "1. ```"
_MARK = regex(rf"(?P<items>(?:{BULLET}[ \t]+)*)(?P<marker>`{{3,}}(?=[^`]*$)|~{{3,}})(?P<info>.*)$")
# "```", "~~~ text"
_PLAIN = regex(r"[`~]+\s*(?:text|txt|plain(?:text)?|chat|conversation|transcript|log|console)?\s*", re.IGNORECASE)
# "- words", "12.", "*   words"
_ITEM = regex(rf"({BULLET})(?:([ \t]+)(?=\S)|[ \t]*$)")
# "---", "* * *"
_RULE = regex(r"([-*_])[ \t]*(?:\1[ \t]*){2,}$")
# "## Round 2"
_HEADING = regex(r"(#{1,6})(?:[ \t]|$)")
# "<pre>", "<script src"
_RAW = regex(r"<(?:pre|script|style|textarea)(?=[\s>]|$)", re.IGNORECASE)
# "</pre>"
_RAW_END = regex(r"</(?:pre|script|style|textarea)>", re.IGNORECASE)
# "`<!--`", "\<!--"
_SPAN = regex(r"\\<|(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)")
# "> a", "| a |", "# a", "- a": no title
_STARTS_BLOCK = regex(r"[>|<#`~*+-]")
DASHBOARD = ("<!-- mdtally-dashboard -->", "<!-- mdtally-dashboard-end -->")
"""What a note has above and below the lines that mdtally writes into it: nothing between them is anybody's words."""
PAGES = ("<!-- mdtally report -->", "<!-- mdtally history -->")
"""What a file begins with that mdtally has written as a whole."""
# How far the note of a session goes: <!-- recorded: 2 turns, 5 parts: a5bx2kzq7m -->
RECORDED = regex(r"<!-- recorded: \d+ turns, (\d+) parts: ([a-z2-7]*) -->")

_LONGEST = 10
_DEEPEST = 64  # quotes in quotes; nobody writes more
_LONGEST_TITLE = 120


def is_rule(line: str) -> bool:
    """True for a thematic break: three or more hyphens, stars or underscores and nothing else."""
    text = line.lstrip(" ")
    return len(line) - len(text) < 4 and bool(_RULE.match(text))


def scan(
    lines: Sequence[str], first: int = 0, labels: Sequence[int] = (), opened: frozenset[int] = frozenset()
) -> Layout:
    """What the lines of a file are; what is above the body's first line, by its index, counts as text.

    Labels are ascending indices of the lines that are known to be labels of turns, wherever they stand. A fence that
    has no end, or whose end is plainly not its own, is ended just before the first one in it; of one around nearly all
    lines, as of a terminal that was pasted, only its two lines are hidden. So it is with fences that labels open, which
    are given by their first lines: `Layout.opened_by`.
    """
    return _scan(tuple(lines), first, tuple(labels), opened)


@lru_cache(2)  # turns and counts of one file ask for the same
def _scan(lines: tuple[str, ...], first: int, labels: tuple[int, ...], opened: frozenset[int]) -> Layout:
    return _Scanner(lines, first, labels, opened).scan()


def without_hidden(lines: Sequence[str], layout: Layout) -> list[str]:
    """The lines with spaces in place of code, comments and the marks that nothing closes; columns stay the same."""
    shown = ["" if hidden else line for line, hidden in zip(lines, layout.hidden, strict=True)]
    for fence in layout.fences:
        if fence.last is None:
            shown[fence.first] = ""
    by_line: dict[int, list[tuple[int, int]]] = {}
    for comment in layout.comments:
        for index in {comment.first, comment.last}:
            start = comment.column if index == comment.first else 0
            by_line.setdefault(index, []).append((start, comment.end if index == comment.last else len(lines[index])))
    for index, spans in by_line.items():
        line, at, pieces = shown[index], 0, list[str]()
        for start, end in spans:
            pieces += [line[at:start], " " * (min(end, len(line)) - start)]
            at = end
        shown[index] = "".join(pieces) + line[at:]
    return shown


class _Scanner:
    def __init__(self, lines: Sequence[str], first: int, labels: Sequence[int], opened: frozenset[int]) -> None:
        self._lines, self._first, self._labels, self._opened = lines, first, labels, opened
        self._known = frozenset(labels)
        self._kinds = bytearray(len(lines))
        self._fences: list[Fence] = []
        self._headings = Headings(lines)
        self._comments: list[Comment] = []
        self._obsidian: tuple[int, int] | None = None
        self._past = -1  # index of the closing line of a fence that is none
        # By a closing mark, the lines that hold one; and the fence marks with an info string, which close nothing.
        self._ends: dict[str, list[int]] = {}
        self._openers: list[int] = []
        self._find_marks()

    def scan(self) -> Layout:
        lines, kinds = self._lines, self._kinds
        index = self._first
        if lines[index : index + 1] and lines[index].strip() in PAGES:
            index = self._hide(index, len(lines) - 1, COMMENT)
        fresh = True  # no paragraph is open, so indented code may begin
        title = -2  # index of a line that is a whole paragraph so far
        # By depth of quotes: the columns at which the texts of the open list items begin.
        open_items: list[list[int]] = [[]]
        while index < len(lines):
            if not lines[index]:
                del open_items[1:]
                fresh, title, index = True, -2, index + 1
                continue
            text, depth, indent, is_deeper = _strip_quotes(lines[index], open_items)
            fresh = fresh or is_deeper
            if not text:
                fresh, title, index = True, -2, index + 1
                continue
            items = open_items[depth]
            # A line that only goes on with a paragraph closes no item.
            margin = _margin(items, indent) if fresh else items[-1] if items else 0
            if indent >= margin + 4:
                if fresh and index not in self._known:
                    kinds[index] = INDENTED
                    index += 1
                    continue
            elif (end := self._open(index, text, depth, indent, margin)) > index:
                fresh, title, index = True, -2, end
                continue
            sign = text[0]
            if sign == "#" and not depth and indent < 4 and (mark := _HEADING.match(text)):
                if text.strip(" \t#"):
                    self._headings.add(index, len(mark[1]))
                fresh, title = True, -2
            elif sign in "-=" and title == index - 1 and self._underlines(title, text):
                self._headings.add(title, 1 if sign == "=" else 2)
                fresh, title = True, -2
            elif sign in "-*_" and _RULE.match(text):
                fresh, title = True, -2
                _margin(items, indent)
            else:
                if sign in "-*+0123456789" and (item := _ITEM.match(text)):
                    _margin(items, indent)
                    gap = len((item.group(2) or " ").expandtabs(4))
                    items.append(indent + len(item.group(1)) + (gap if gap <= 4 else 1))
                title = index if fresh and not depth and not items and indent < 4 else -2
                fresh = False
            if "%%" in text:
                self._read_obsidian(index, text.rstrip())
            if "<!--" in text:
                index = self._read_comments(index)
            index += 1
        if self._obsidian:
            self._comments.append(_unclosed_comment(*self._obsidian, "%%"))
        hidden = bytes(kinds).translate(b"\0" + b"\1" * 255)
        comments = tuple(sorted(self._comments, key=lambda comment: (comment.first, comment.column)))
        return Layout(bytes(kinds), hidden, tuple(self._fences), self._headings, comments)

    def _find_marks(self) -> None:
        """Note the fence marks at the margin: those that open one, and by each mark those that would close it."""
        for index in range(self._first, len(self._lines)):
            line = self._lines[index]
            if "```" not in line and "~~~" not in line:
                continue
            text = line.lstrip(" ")
            mark = _MARK.match(text)
            if mark is None or len(line) - len(text) > 3:
                continue
            if mark["info"].strip():
                self._openers.append(index)
            elif not mark["items"]:
                for size in range(3, min(len(mark["marker"]), _LONGEST) + 1):
                    self._ends.setdefault(text[0] * size, []).append(index)

    def _open(self, index: int, text: str, depth: int, indent: int, margin: int) -> int:
        """Index past the code that a line opens; the line's own index where it opens none."""
        if index == self._past:
            return self._hide(index, index, COMMENT)
        if text[0] == "<" and (raw := _RAW.match(text)):
            last = self._end("</", index)
            if self._is_none(index, last):
                return self._hide(index, index, COMMENT)
            self._fences.append(Fence(index, last, raw.group(), is_around=self._is_around(index, last)))
            return index if last is None else self._hide(index, last, RAW)
        if "```" not in text and "~~~" not in text:
            return index
        mark = _MARK.match(text)
        if mark is None:
            return index
        marker = mark["marker"]
        inside = depth or indent > 3 or mark["items"]
        margin = indent + len(mark["items"]) if mark["items"] else margin
        last = self._end_inside(index, marker, depth, margin) if inside else self._end(marker[:_LONGEST], index + 1)
        label = _first_from(self._labels, index + 1)
        if not inside and self._is_none(index, last):
            return self._hide(index, index, COMMENT)
        if label is not None and (last is None or (label < last and not inside and self._is_stray(index, last, label))):
            self._fences.append(Fence(index, label - 1, marker, recovered=True))
            return self._hide(index, label - 1, FENCE)
        inner = _first_from(self._openers, index + 1) if not depth and indent < 4 else None
        inner = None if inner is None or (last is not None and inner > last) else inner
        is_in_doubt = last is None or (not inside and self._is_stray(index, last, index + 1))
        is_around = not inside and self._is_around(index, last)
        is_plain = not inside and bool(_PLAIN.fullmatch(text))
        fence = Fence(index, last, marker, inner, is_in_doubt=is_in_doubt, is_around=is_around, is_plain=is_plain)
        self._fences.append(fence)
        return index if last is None else self._hide(index, last, FENCE)

    def _is_around(self, index: int, last: int | None) -> bool:
        """True if the code between two lines is nearly all that there is, or was opened by labels."""
        is_most = last is not None and 5 * (last - index) > 4 * (len(self._lines) - self._first)
        return is_most or index in self._opened

    def _is_none(self, index: int, last: int | None) -> bool:
        """True if it is, and a label is in it: then it is no code, and its closing line is passed over."""
        label = _first_from(self._labels, index + 1)
        is_none = last is not None and label is not None and label < last and self._is_around(index, last)
        self._past = last if is_none and last is not None else self._past
        return is_none

    def _hide(self, first: int, last: int, kind: int) -> int:
        self._kinds[first : last + 1] = bytes([kind]) * (last + 1 - first)
        return last + 1

    def _end_inside(self, index: int, marker: str, depth: int, margin: int) -> int:
        """Last line of a fence in a quote or a list item, which ends with them if not before."""
        last = index
        for at in range(index + 1, len(self._lines)):
            line = self._lines[at]
            if depth:
                quote = _QUOTE.match(line)
                if quote is None or quote.group().count(">") < depth:
                    break
                line = line[quote.end() :]
            text = line.strip()
            if not depth and text and len(line.expandtabs(4)) - len(line.expandtabs(4).lstrip()) < margin:
                break
            if text:
                last = at
            if text[:1] == marker[0] and len(text) >= len(marker) and not text.strip(marker[0]):
                break
        return last

    def _end(self, mark: str, start: int) -> int | None:
        """The first line from start on that ends a fence, a raw HTML block ("</") or a comment ("-->")."""
        if mark in ("</", "-->", DASHBOARD[1]) and mark not in self._ends:
            holding = (at for at, line in enumerate(self._lines) if mark in line)
            self._ends[mark] = [at for at in holding if mark != "</" or _RAW_END.search(self._lines[at])]
        return _first_from(self._ends.get(mark, ()), start)

    def _is_stray(self, first: int, last: int, label: int) -> bool:
        """True if the fence around a label can't be meant, though a line below would close it.

        A fence of as many signs is opened, with its language, between the label and the closing line; or the opening
        line looks like the end of a fence further up (text right above it, a blank line or rule below). Else it quotes
        a label.
        """
        opener = _first_from(self._openers, label)
        if opener is not None and opener < last and self._signs(opener) >= self._signs(first):
            return True
        below = self._lines[first + 1]
        above = self._lines[first - 1] if first else ""
        bare = not self._lines[first].strip(" `~")
        return bare and bool(above.strip()) and (not below.strip() or is_rule(below))

    def _signs(self, row: int) -> int:
        """How many signs a fence is opened by."""
        text = self._lines[row].lstrip()
        return len(text) - len(text.lstrip(text[0]))

    def _underlines(self, title: int, text: str) -> bool:
        """True if a row of hyphens or equals signs makes a heading of the single line above it, unless a sentence.

        Between posts people write a row of hyphens right below the last words.
        """
        text, words = text.rstrip(), self._lines[title].strip()
        if len(text) < (3 if text[0] == "-" else 2) or text.strip(text[0]) or _STARTS_BLOCK.match(words):
            return False
        return text[0] == "=" or (len(words) <= _LONGEST_TITLE and words[-1:] not in ".!?:;,…")

    def _read_comments(self, index: int) -> int:
        """Record the comments that open on a line; the index of the line that the last of them closes on."""
        line = self._lines[index]
        if line.strip() == DASHBOARD[0] and (last := self._end(DASHBOARD[1], index)) is not None:
            return self._hide(index, last, COMMENT) - 1
        opened, arrow = _without_spans(line), line.rfind("-->")
        at = opened.find("<!--")
        while at >= 0:
            end = line.find("-->", at + 4) if at + 4 <= arrow else -1
            if end >= 0:
                self._comments.append(Comment(index, at, index, end + 3))
            elif (last := self._comment_end(index, at)) is not None:
                end = self._lines[last].index("-->")
                self._comments.append(Comment(index, at, last, end + 3))
                begin = index if not line[:at].strip() else index + 1
                index, line = last, self._lines[last]
                opened, arrow = _without_spans(line), line.rfind("-->")
                self._hide(begin, last if not line[end + 3 :].strip() else last - 1, COMMENT)
            else:
                self._comments.append(_unclosed_comment(index, at, "<!--"))
                end = at + 1
            at = opened.find("<!--", end + 3)
        return index

    def _comment_end(self, index: int, at: int) -> int | None:
        """The line below that closes a comment, if no other opens first; behind text, it ends with the paragraph."""
        if self._lines[index].find("<!--", at + 4) >= 0:
            return None
        alone = not self._lines[index][:at].strip(" \t>")
        last = self._end("-->", index + 1)
        for number in range(index + 1, -1 if last is None else last + 1):
            line = self._lines[number]
            if "<!--" in line.partition("-->")[0] or not (alone or line.strip()):
                return None
        return last

    def _read_obsidian(self, index: int, text: str) -> None:
        """Open or close a comment of Obsidian's whose marks begin or end lines; those inside a line are text here."""
        column = self._lines[index].index("%%")
        if self._obsidian is None:
            if text == "%%" or (text.startswith("%% ") and "%%" not in text[2:]):
                self._obsidian = (index, column)
            return
        if not (text.startswith("%%") or text.endswith("%%")):
            return
        first, opened = self._obsidian
        self._obsidian = None
        label = _first_from(self._labels, first + 1)
        if label is not None and label <= index:
            self._comments.append(_unclosed_comment(first, opened, "%%"))
            return
        for inside in (self._comments, self._fences):
            while inside and inside[-1].first > first:
                inside.pop()
        self._headings.cut_below(first)
        self._comments.append(Comment(first, opened, index, column + 2, "%%"))
        self._hide(first, index if text.endswith("%%") else index - 1, COMMENT)


def _strip_quotes(line: str, open_items: list[list[int]]) -> tuple[str, int, int, bool]:
    """A line's text without quote marks, how many there were, its indent behind them, and whether a quote begins here.

    Below a list item a quote mark may be indented. The columns of list items, by depth, lose what is deeper.
    """
    text = line.lstrip(" \t")
    depth, indent, is_deeper = 0, _width(line, text), False
    while text[:1] == ">" and depth < _DEEPEST and indent < _margin(open_items[depth], indent) + 4:
        line = text[2:] if text[1:2] == " " else text[1:]
        text = line.lstrip(" \t")
        depth, indent = depth + 1, _width(line, text)
        if depth == len(open_items):
            open_items.append([])
            is_deeper = True
    del open_items[depth + 1 :]
    return text, depth, indent, is_deeper


def _without_spans(line: str) -> str:
    """The line with spaces in place of inline code and of escaped brackets."""
    return _SPAN.sub(lambda span: " " * len(span.group()), line) if "`" in line or "\\" in line else line


def _width(line: str, text: str) -> int:
    """The columns of what stands before a line's text."""
    size = len(line) - len(text)
    return len(line[:size].expandtabs(4)) if size and "\t" in line[:size] else size


def _margin(items: list[int], indent: int) -> int:
    """The column at which the text of the innermost list item begins that a line can belong to; others are closed."""
    while items and indent < items[-1]:
        items.pop()
    return items[-1] if items else 0


def _unclosed_comment(index: int, column: int, mark: str) -> Comment:
    return Comment(index, column, index, column + len(mark), mark, closed=False)


def _first_from(indices: Sequence[int], start: int) -> int | None:
    """The first of some ascending indices that is not below start."""
    at = bisect_left(indices, start)
    return indices[at] if at < len(indices) else None
