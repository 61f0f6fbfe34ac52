"""Markdown to plain text, with the way back to every character: what counts and the gate look for words in.

People and editors dress the same words in emphasis, escapes, entities, no-break spaces, full-width letters. The marks
are taken off here, once, so that patterns can stay simple; a finding in the plain text is then placed in the text as
it was written.

    plain = to_plain("**A\\_P**: 3")
    plain.text            "A_P: 3"
    plain.span(0, 3)      Span(2, 6), which is "A\\_P"

Some pieces of Markdown are not words of the writer's: code, addresses, what a comment hides. `to_plain` asks its caller
what to put in their place: ``show(kind, inner, whole)`` is handed the kind, what stands between the marks, and all of
the piece; it returns the replacement, or None to have what is between the marks read as plain text (code: copied as it
is). The kinds, and what `default_show` does:

    code        `x`, <code>x</code>         OPAQUE: one character that is not a letter
    address     https://x, <mailto:x>       OPAQUE
    comment     <!-- x -->, %%x%%           nothing
    link        [x](target), ![x](target)   x, read on
    footnote    [^x]                        nothing
    struck      ~~x~~, <del>x</del>         x, read on
    highlight   ==x==                       x, read on
    break       <br>                        a newline
    tag         any other HTML tag          nothing
    math        one or more dollar signs    the same signs

What opens first wins; nothing reaches over a blank line. The text may be a line, a paragraph or a whole response:
line marks (quotes, bullets, hashes) are left in place, and fences are the business of `lines`. Time grows with the
number of characters.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from re import Match
from typing import Literal

from mdtally.text.model import Span
from mdtally.text.records import by_key, record
from mdtally.text.regex import regex

OPAQUE = "\ufffc"
"""Stands for what is not text: code, an address."""

Kind = Literal["code", "address", "comment", "link", "footnote", "struck", "highlight", "break", "tag", "math"]
Show = Callable[[Kind, str, str], str | None]

ZERO_WIDTH = "\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"
"""Characters without width, as the inside of a regular expression's brackets."""


@record
class Plain:
    """A plain text with its way back.

    Attributes:
        text: the plain text.
        starts: where each stretch begins in it, ascending.
        origins, ends: where each stretch begins and ends in the text as it was written. A stretch as long in both was
            copied character by character; another stands for its original as a whole.
    """

    text: str
    starts: Sequence[int]
    origins: Sequence[int]
    ends: Sequence[int]

    def span(self, start: int, end: int) -> Span:
        """The stretch as it was written of ``text[start:end]``; an empty one is the place before its character."""
        first = self._origin(start)
        return Span(first, max(first, self._origin(end - 1, last=True)) if end > start else first)

    def _origin(self, at: int, *, last: bool = False) -> int:
        if not self.starts:
            return 0
        index = max(bisect_right(self.starts, at) - 1, 0)
        start, origin, end = self.starts[index], self.origins[index], self.ends[index]
        size = (self.starts[index + 1] if index + 1 < len(self.starts) else len(self.text)) - start
        if at >= start + size:
            return end
        if size == end - origin:
            return origin + at - start + last
        return end if last else origin


class Builder:
    """Collects a plain text piece by piece, in the order of the original. The gate folds its own way with it."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.starts: list[int] = []
        self.origins: list[int] = []
        self.ends: list[int] = []
        self.size = 0

    def add(self, piece: str, origin: int, end: int) -> None:
        """Append a piece that stands for ``original[origin:end]``."""
        if piece:
            self.pieces.append(piece)
            self.starts.append(self.size)
            self.origins.append(origin)
            self.ends.append(end)
            self.size += len(piece)

    def build(self) -> Plain:
        """The text so far."""
        return Plain("".join(self.pieces), self.starts, self.origins, self.ends)


def default_show(kind: Kind, inner: str, whole: str) -> str | None:
    """What stands for a piece of Markdown in plain text where the caller has no wish of its own."""
    if kind in ("link", "struck", "highlight"):
        return None
    return {"code": OPAQUE, "address": OPAQUE, "break": "\n", "math": whole}.get(kind, "")


_TARGET = r"\([ \t]*(?:<[^<>\n]*>|[^\s()<>]*(?:\([^\s()]*\)[^\s()]*)*)(?:[ \t]+(?:\"[^\"\n]*\"|'[^'\n]*'))?[ \t]*\)"
_STRUCK = r"(?:[^~\\\n]|\\.|\n(?![ \t]*\n)){1,1000}?"
# The lookahead is there for speed alone: it turns most characters away before the alternatives are tried.
_MARKUP = regex(
    r"(?=[^A-Za-z0-9 ,.;:'\"()?/\n-]|(?:https?|ftp|file|obsidian|vscode):)(?:"
    r"\\(?P<escape>[!-/:-@\[-`{-~])"
    r"|(?P<hardbreak>\\(?=\n|\Z))"
    r"|(?P<ticks>`+)"
    r"|(?P<comment><!--)"
    r"|(?P<hidden>(?<![\w%])%%(?P<aside>(?:[^%\n]|%(?!%)|\n(?![ \t]*\n)){1,1000}?)%%)"
    r"|(?P<address><[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*>"
    r"|(?<![A-Za-z0-9])(?:https?|ftp|file|obsidian|vscode)://[^\s<>|\])]*[^\s<>|\]).,;:!?'\"])"
    r"|(?P<tag></?(?P<name>[A-Za-z][A-Za-z0-9-]*)(?:\s[^<>]*)?/?>)"
    rf"|(?P<link>!?\[(?P<label>[^\[\]\n]{{0,500}})\]{_TARGET})"
    rf"|(?P<target>(?<=\]){_TARGET})"
    r"|(?P<footnote>\[\^[^\[\]\s]{1,80}\]:?)"
    rf"|(?P<struck>~~(?P<out>{_STRUCK})~~)"
    r"|(?P<tildes>~~+)"
    r"|(?P<highlight>(?<!=)==(?P<marked>[^\s=](?:(?:[^=\n]|=(?!=)){0,500}[^\s=])?)==(?!=))"
    r"|(?P<stars>\*+)"
    r"|(?P<line>_+)"
    r"|(?P<math>\$+)"
    r"|(?P<entity>&(?:[A-Za-z]{2,8}|\#(?:\d{1,7}|[xX][0-9A-Fa-f]{1,6}));)"
    rf"|(?P<zero>[{ZERO_WIDTH}]+)"
    r"|(?P<space>[^\S\n ])"
    r"|(?P<wide>[！-～])"
    r")"
)
# All that an ASCII text without any of these can hold of it: a tenth of the time to compile, which most notes save.
_SIGNS = ("<", "\\", "&", "$", "%%", "~~", "==", "](", "[^", "://")
_EMPHASIS = regex(r"(?P<ticks>`+)|(?P<stars>\*+)|(?P<line>_+)|(?P<space>[^\S\n ])")
# What is shown as the caller wishes: its kind, and the group that stands between its marks.
_SHOWN: dict[str, tuple[Kind, str | int]] = {
    "hidden": ("comment", "aside"),
    "address": ("address", 0),
    "link": ("link", "label"),
    "footnote": ("footnote", 0),
    "struck": ("struck", "out"),
    "highlight": ("highlight", "marked"),
    "math": ("math", 0),
}
# What has one character in its place, or none.
_REPLACED: dict[str, Callable[[Match[str]], str]] = {
    "escape": lambda match: match["escape"],
    "entity": lambda match: _character(match.group()),
    "space": lambda match: " ",
    "wide": lambda match: chr(ord(match.group()) - 0xFEE0),
    **dict.fromkeys(("hardbreak", "target", "tildes", "zero"), lambda match: ""),
}
_CODE_TAGS = frozenset({"code", "pre", "kbd", "samp", "tt", "script", "style"})
_STRUCK_TAGS = frozenset({"s", "del", "strike"})
# the end of a line and a blank line
_BLANK = regex(r"\n[ \t]*\n")


def to_plain(text: str, show: Show = default_show) -> Plain:
    """The plain text of some Markdown, with the way back.

    Args:
        text: lines joined with newlines.
        show: what to put for the pieces that are not words; see the table above.
    """
    markup = _EMPHASIS if text.isascii() and not any(map(text.__contains__, _SIGNS)) else _MARKUP
    if not markup.search(text):
        return Plain(text, (0,), (0,), (len(text),))
    reader = _Reader(text, show, markup)
    reader.read(0, len(text))
    return reader.out.build()


class _Reader:
    def __init__(self, text: str, show: Show, markup: re.Pattern[str]) -> None:
        self.out = Builder()
        self._text, self._show, self._markup = text, show, markup
        self._blanks = [match.start() for match in _BLANK.finditer(text)]
        self._ticks: dict[int, list[int]] | None = None
        self._open_tags: set[str] = set()

    def read(self, start: int, end: int) -> None:
        """Write the plain text of a stretch."""
        at = start
        while match := self._markup.search(self._text, at, end):
            self._copy(at, match.start())
            found = match.lastgroup or ""
            if found in _SHOWN:
                kind, inner = _SHOWN[found]
                at = self._put(kind, match.span(inner), match.span())
            elif found in _REPLACED:
                self.out.add(_REPLACED[found](match), *match.span())
                at = match.end()
            else:
                at = getattr(self, f"_on_{found}")(match, end)
        self._copy(at, end)

    def _copy(self, start: int, end: int) -> None:
        self.out.add(self._text[start:end], start, end)

    def _put(self, kind: Kind, inner: tuple[int, int], whole: tuple[int, int]) -> int:
        """Write a piece as the caller wants it shown; the offset past it."""
        shown = self._show(kind, self._text[slice(*inner)], self._text[slice(*whole)])
        if shown is not None:
            self.out.add(shown, *whole)
        elif kind == "code":
            self._copy(*inner)
        else:
            self.read(*inner)
        return whole[1]

    def _paragraph_end(self, at: int, end: int) -> int:
        index = bisect_left(self._blanks, at)
        return min(end, self._blanks[index]) if index < len(self._blanks) else end

    # Each of these writes what its match is in plain text, and gives the offset to go on from.

    def _on_ticks(self, match: Match[str], end: int) -> int:
        if self._ticks is None:
            self._ticks = by_key((len(run.group()), run.start()) for run in re.finditer("`+", self._text))
        size = len(match.group())
        starts = self._ticks.get(size, [])
        index = bisect_left(starts, match.end())
        if index == len(starts) or starts[index] >= self._paragraph_end(match.end(), end):
            return match.end()
        close = starts[index]
        return self._put("code", (match.end(), close), (match.start(), close + size))

    def _on_comment(self, match: Match[str], end: int) -> int:
        close = -1 if "<!--" in self._open_tags else self._text.find("-->", match.end(), end)
        if close < 0:
            self._open_tags.add("<!--")
            self._copy(*match.span())
            return match.end()
        return self._put("comment", (match.end(), close), (match.start(), close + 3))

    def _on_tag(self, match: Match[str], end: int) -> int:
        name = match["name"].lower()
        if name == "br":
            return self._put("break", match.span(), match.span())
        kind: Kind | None = "code" if name in _CODE_TAGS else "struck" if name in _STRUCK_TAGS else None
        if kind and match.group()[1] != "/" and name not in self._open_tags:
            if closing := re.compile(rf"</{name}\s*>", re.IGNORECASE).search(self._text, match.end(), end):
                return self._put(kind, (match.end(), closing.start()), (match.start(), closing.end()))
            self._open_tags.add(name)
        return self._put("tag", match.span(), match.span())

    def _on_stars(self, match: Match[str], end: int) -> int:
        before = self._text[match.start() - 1 : match.start()] or " "
        after = self._text[match.end() : match.end() + 1] or " "
        if before.isspace() and after.isspace():
            self._copy(*match.span())  # a bullet, or a row of stars
        return match.end()

    def _on_line(self, match: Match[str], end: int) -> int:
        before = self.out.pieces[-1][-1] if self.out.pieces else " "
        if before.isalnum() and self._text[match.end() : match.end() + 1].isalnum():
            self._copy(*match.span())  # snake_case
        return match.end()


def _character(entity: str) -> str:
    from html import unescape

    character = unescape(entity)
    return " " if character.isspace() else character
