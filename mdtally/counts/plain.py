r"""Source to plain text: the disguises of Markdown and of editors taken off, every character's place kept.

A note says "A_P: 3" in twenty disguises: in bold, with the name as code, with the underscore escaped by an editor,
with a no-break space pasted from a chat. They are taken off here, once, so that the notation's own patterns stay
simple. What is no text to count in (code, addresses, struck-out words, most HTML comments) is taken out.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from re import Match

from mdtally.counts.notation import BAR, BREAK, COMMENT_CLOSE, COMMENT_OPEN, FIVE, LINK, OPAQUE
from mdtally.model import Region


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch of plain text that belongs together: a paragraph, a heading, an HTML block.

    Attributes:
        text: the plain text, its lines joined with newlines.
        lines: file line of each character.
        columns: file column of each character.
        definition: True for a link's definition, which looks like a tag with a colon behind it.
    """

    text: str
    lines: Sequence[int]
    columns: Sequence[int]
    definition: bool = False

    def region(self, start: int, end: int) -> Region:
        """The place in the file of ``text[start:end]``, which is not empty."""
        return Region(self.lines[start], self.columns[start], self.lines[end - 1], self.columns[end - 1] + 1)


@dataclass(frozen=True, slots=True)
class Source:
    """Some lines of a file without what stands before their text.

    Attributes:
        text: the lines, joined with newlines.
        starts: offset in the text of each line.
        first_line: file line of the first.
        columns: file column of each line's first character.
    """

    text: str
    starts: Sequence[int]
    first_line: int
    columns: Sequence[int]

    def place(self, offset: int) -> tuple[int, int]:
        """File line and column of a character."""
        index = bisect_right(self.starts, offset) - 1
        return self.first_line + index, self.columns[index] + offset - self.starts[index]

    def region(self, start: int, end: int) -> Region:
        """The place in the file of ``text[start:end]``."""
        return Region(*self.place(start), *self.place(end))


@dataclass(slots=True)
class Plain:
    """What came of a source.

    Attributes:
        run: the plain text.
        hides_on: the mark ("%%", "-->") that the source leaves the text hidden until; "" where it hides nothing.
        hidden_from: offset of the opening that does.
        stray: offset of a comment's opening in a paragraph that is not closed there, so that it is text to a renderer.
    """

    run: Run
    hides_on: str = ""
    hidden_from: int = 0
    stray: int | None = None


_SPECIAL = re.compile(
    r"(?P<escape>\\[!-/:-@\[-`{-~])"
    r"|(?P<hardbreak>\\(?=\n|\Z))"
    r"|(?P<ticks>`+)"
    r"|(?P<comment><!--)"
    r"|(?P<hidden>%%)"
    r"|(?P<strike>~~+)"
    r"|(?P<subscript><sub>\s*[PRTprt]\s*</sub>)"
    r"|(?P<tag></?[A-Za-z][A-Za-z0-9-]*(?:\s[^<>]*)?/?>)"
    r"|(?P<address><[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*>"
    r"|(?<![A-Za-z0-9])(?:https?|ftp|file|obsidian|vscode)://[^\s<>|\])]*)"
    r"|(?P<link>\]\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\))"
    r"|(?P<wiki>!?\[\[[^\[\]\n]*\]\])"
    r"|(?P<footnote>\[\^[^\[\]\s]{1,80}\]:?)"
    r"|(?P<braces>_\{\s*(?:\\[a-z]+\{)?[PRTprt]\}?\s*\})"
    r"|(?P<entity>&(?:nbsp|#160|#124|vert|lowbar|#95|colon|equals);)"
    r"|(?P<stars>\*+)"
    r"|(?P<highlight>==)"
    r"|(?P<dollars>\$+)",
    re.IGNORECASE,
)
_ENTITIES = {"&nbsp;": " ", "&#160;": " ", "&#124;": BAR, "&vert;": BAR, "&lowbar;": "_", "&#95;": "_"}
_ENTITIES |= {"&colon;": ":", "&equals;": "="}
_ESCAPED = {"|": BAR, "*": "∗", "#": "\\", "<": "‹", "`": "‵", "~": "∼"}
_CODE_TAGS = frozenset({"code", "pre", "kbd", "samp", "tt", "script", "style"})
_STRUCK_TAGS = frozenset({"s", "del", "strike"})
_DRESSED_NAME = re.compile(r"[ *$]*(_{0,3}[Aa]\\?_[PpRrTt]_{0,3})[ *$]*")
_WIKI_NAME = re.compile(r"!?\[\[ *([Aa]\\?_[PpRrTt]) *\]\]")
_STRUCK_BARS = re.compile(r" *(?:\\?\|){4,5} *")
_LIVE = re.compile(
    r"[\s*_`>$~-]*+(?:"
    r"(?:[\[(][*_`$\s]*+)?#?[A]\\?(?:_\{?|<sub>)[PRT](?![A-Za-z0-9])"
    r"|\[?\s*(?:agree|hold)\b[\s,;:]*(?:[\w-]+\s*=|(?:pressure|evidence)\s*:)"
    r"|\+\d+ *[Aa]\\?_[PRT]\b)",
    re.IGNORECASE,
)
_NAMED_BRACKET = re.compile(r"\[[ *_`$]*[Aa]\\?_[PpRrTt][ *_`$]*$")
_NAMED = re.compile(r"[Aa]\\?_[PpRrTt] ?\Z")
_STARRED = re.compile(r"\d{1,3}(?![\d*])")
_TARGET = re.compile(r"[/#<]|\w\.\w|^\w+:|^\.|^$")
_FOLDED = {
    "∶": ":",
    "꞉": ":",
    "−": "-",
    "、": ",",
    "。": ".",
    "卌": FIVE,
    "𝍸": FIVE,
    "𝍷": BAR,
    "│": "|",
    "┃": "|",
    "\t": " ",
}


def is_link_target(target: str) -> bool:
    """True for an address, a path or an anchor; False for a plain word in a link's place: "[A_P](agreed)"."""
    return bool(_TARGET.search(target.strip()))


def make_plain(source: Source, start: int = 0, *, html: bool = False, hides: bool = True) -> Plain:
    """Take the disguises off.

    Args:
        source: lines that belong together.
        start: offset to begin at: what stands before is hidden.
        html: a comment may stay open beyond the source (a blank line ends an HTML block, but no comment).
        hides: comments are taken out; False reads their opening marks as text.
    """
    return _Cleaner(source, html=html, hides=hides).clean(start)


def fold(character: str) -> str:
    """One character as the notation writes it: full-width forms narrow, odd spaces plain, invisible ones gone."""
    if character in _FOLDED:
        return _FOLDED[character]
    if "！" <= character <= "～":
        return chr(ord(character) - 0xFEE0)
    category = unicodedata.category(character)
    if category == "Zs" or character in "\v\f":
        return " "
    if category in ("Cf", "Me") or "\ufe00" <= character <= "\ufe0f" or category == "Co":
        return ""
    return character


class _Cleaner:
    """One pass over a source, left to right; what opens first wins."""

    def __init__(self, source: Source, *, html: bool, hides: bool) -> None:
        self._source = source
        self._raw = source.text
        self._html = html
        self._hides = hides
        self._out: list[str] = []
        self._offsets: list[int] = []
        self._comment_end: int | None = None
        self._dropped: set[int] = set()
        self._never_closed: set[str] = set()
        self._ticks: dict[int, list[int]] | None = None
        self._result = Plain(Run("", (), ()))

    def clean(self, start: int) -> Plain:
        position, raw = start, self._raw
        while position < len(raw):
            match = _SPECIAL.search(raw, position)
            stop = match.start() if match else len(raw)
            if self._comment_end is not None and stop >= self._comment_end:
                self._copy(position, self._comment_end)
                self._put(COMMENT_CLOSE, self._comment_end)
                position, self._comment_end = self._comment_end + 3, None
                continue
            self._copy(position, stop)
            if match is None:
                break
            position = getattr(self, f"_on_{match.lastgroup}")(match)
        self._result.run = self._run()
        return self._result

    def _run(self) -> Run:
        source, lines, columns = self._source, [], []
        index, count = 0, len(source.starts)
        for offset in self._offsets:
            while index + 1 < count and source.starts[index + 1] <= offset:
                index += 1
            lines.append(source.first_line + index)
            columns.append(source.columns[index] + offset - source.starts[index])
        return Run("".join(self._out), lines, columns)

    @property
    def _limit(self) -> int:
        """Where spans have to end: code in a comment does not reach out of it."""
        return len(self._raw) if self._comment_end is None else self._comment_end

    def _put(self, text: str, offset: int) -> None:
        for character in text:
            self._out.append(character)
            self._offsets.append(offset)

    def _copy(self, start: int, end: int) -> None:
        chunk = self._raw[start:end]
        if chunk.isascii() and "\t" not in chunk:
            self._out.extend(chunk)
            self._offsets.extend(range(start, end))
            return
        for offset, character in enumerate(chunk, start):
            plain = character if (character.isascii() and character >= " ") or character == "\n" else fold(character)
            if plain:
                self._put(plain, offset)

    # Each of these writes what its match is in plain text, and gives the offset to go on from.

    def _on_escape(self, match: Match[str]) -> int:
        character = match.group()[1]
        if character == "#":
            self._put("\\", match.start())
        self._put(_ESCAPED.get(character, character) if character != "#" else "#", match.start() + 1)
        return match.end()

    def _on_hardbreak(self, match: Match[str]) -> int:
        return match.end()

    def _on_ticks(self, match: Match[str]) -> int:
        end = self._closing_ticks(match)
        if end is None:
            return match.end()
        size = len(match.group())
        name = _DRESSED_NAME.fullmatch(self._raw, match.end(), end - size)
        if name:
            self._name(name)
        else:
            self._put(OPAQUE, match.start())
        return end

    def _name(self, match: Match[str]) -> None:
        """A counter's name that was dressed as code or as a link."""
        for offset in range(*match.span(1)):
            if self._raw[offset] != "\\":
                self._put(self._raw[offset], offset)

    def _closing_ticks(self, match: Match[str]) -> int | None:
        if self._ticks is None:
            self._ticks = {}
            for run in re.finditer("`+", self._raw):
                self._ticks.setdefault(len(run.group()), []).append(run.start())
        size = len(match.group())
        starts = self._ticks.get(size, [])
        index = bisect_left(starts, match.end())
        return starts[index] + size if index < len(starts) and starts[index] < self._limit else None

    def _on_comment(self, match: Match[str]) -> int:
        if self._comment_end is not None or not self._hides:
            self._put("‹!--", match.start())
            return match.end()
        end = -1 if self._result.stray is not None else self._raw.find("-->", match.end())
        if end < 0:
            if self._html:
                return self._hide("-->", match.start())
            if self._result.stray is None:
                self._result.stray = match.start()
            self._put("‹!--", match.start())
            return match.end()
        if not _LIVE.match(self._raw, match.end(), end):
            self._put(" ", match.start())
            return end + 3
        self._put(COMMENT_OPEN, match.start())
        self._comment_end = end
        return match.end()

    def _on_hidden(self, match: Match[str]) -> int:
        if not self._hides:
            return match.end()
        end = self._raw.find("%%", match.end(), self._limit)
        if end >= 0:
            self._put(" ", match.start())
            return end + 2
        # Obsidian's comment, when it opens a line, may go on over blank lines; in the middle of one it is "100%%".
        if match.start() in self._source.starts and self._comment_end is None:
            return self._hide("%%", match.start())
        return match.end()

    def _hide(self, until: str, offset: int) -> int:
        self._result.hides_on, self._result.hidden_from = until, offset
        return len(self._raw)

    def _on_strike(self, match: Match[str]) -> int:
        end = self._raw.find(match.group(), match.end(), self._limit)
        return match.end() if end < 0 else self._struck(match, match.end(), end, end + len(match.group()))

    def _struck(self, match: Match[str], start: int, end: int, after: int) -> int:
        """Struck-out text is withdrawn, but four bars struck through are five tally marks."""
        self._put(FIVE if _STRUCK_BARS.fullmatch(self._raw, start, end) else " ", match.start())
        return after

    def _on_subscript(self, match: Match[str]) -> int:
        letter = re.search(r">\s*([PRT])", match.group(), re.IGNORECASE)
        assert letter is not None
        self._put("_", match.start())
        self._put(letter.group(1), match.start() + letter.start(1))
        self._offsets[-1] = match.end() - 1
        return match.end()

    def _on_braces(self, match: Match[str]) -> int:
        letter = re.search(r"[PRT](?=\}?\s*\}$)", match.group(), re.IGNORECASE)
        assert letter is not None
        self._put("_", match.start())
        self._put(letter.group(), match.end() - 1)
        return match.end()

    def _on_tag(self, match: Match[str]) -> int:
        tag = re.match(r"<(/?)([A-Za-z][A-Za-z0-9-]*)", match.group())
        assert tag is not None
        name = tag.group(2).lower()
        if name == "br":
            self._put(BREAK, match.start())
        elif not tag.group(1) and (name in _CODE_TAGS or name in _STRUCK_TAGS):
            closing = None
            if name not in self._never_closed:
                closing = re.compile(rf"</{name}\s*>", re.IGNORECASE).search(self._raw, match.end(), self._limit)
            if closing and name in _STRUCK_TAGS:
                return self._struck(match, match.end(), closing.start(), closing.end())
            if closing:
                dressed = _DRESSED_NAME.fullmatch(self._raw, match.end(), closing.start())
                if dressed:
                    self._name(dressed)
                else:
                    self._put(OPAQUE, match.start())
                return closing.end()
            self._never_closed.add(name)
        return match.end()

    def _on_address(self, match: Match[str]) -> int:
        self._put(OPAQUE, match.start())
        return match.end()

    def _on_link(self, match: Match[str]) -> int:
        target = match.group()[2:-1]
        plain = " " in target.strip() and not target.strip().startswith("<") and '"' not in target
        named = _NAMED_BRACKET.search(self._raw[max(0, match.start() - 40) : match.start()])
        if plain or (named and not is_link_target(target)):
            # "[A_P](asked twice)" is no link in Markdown, and "[A_P](agreed)" was not meant as one.
            self._put("]", match.start())
            return match.start() + 1
        self._put("]", match.start())
        self._put(LINK, match.start() + 1)
        return match.end()

    def _on_wiki(self, match: Match[str]) -> int:
        name = _WIKI_NAME.fullmatch(match.group())
        if name:
            for offset in range(match.start() + name.start(1), match.start() + name.end(1)):
                if self._raw[offset] != "\\":
                    self._put(self._raw[offset], offset)
        else:
            self._put(OPAQUE, match.start())
        return match.end()

    def _on_footnote(self, match: Match[str]) -> int:
        self._put(" ", match.start())
        return match.end()

    def _on_entity(self, match: Match[str]) -> int:
        self._put(_ENTITIES[match.group().lower()], match.start())
        return match.end()

    def _on_stars(self, match: Match[str]) -> int:
        before = self._raw[match.start() - 1 : match.start()] or " "
        after = self._raw[match.end() : match.end() + 1] or " "
        nearby = self._raw[max(0, match.start() - 8) : match.start()]
        if match.group() == "*" and _STARRED.match(self._raw, match.end()) and _NAMED.search(nearby):
            self._put("×", match.start())  # "A_T *2", which emphasises nothing
        elif before.isspace() and after.isspace():
            self._copy(*match.span())
        return match.end()

    def _on_highlight(self, match: Match[str]) -> int:
        if match.start() in self._dropped:
            return match.end()
        before = self._raw[match.start() - 1 : match.start()] or " "
        after = self._raw[match.end() : match.end() + 1] or " "
        end = self._raw.find("==", match.end(), min(self._limit, match.end() + 500))
        # "==A_P: 3==" is marked text; "A_T == 0" and "A_T==0" compare.
        if end > 0 and not (before.isalnum() or after.isspace()) and "\n" not in self._raw[match.end() : end]:
            self._dropped.add(end)
            return match.end()
        self._copy(*match.span())
        return match.end()

    def _on_dollars(self, match: Match[str]) -> int:
        return match.end()
