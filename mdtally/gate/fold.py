"""Fold a response so that one phrase has one spelling, and keep the way back to every character.

People and models write the same words with curly or straight apostrophes, full-width letters, emphasis inside a phrase,
a line break in its middle. Matching runs on the folded text; findings point into the text as it is. The
scanner in `text.lines` says what is code, `text.plain` takes the Markdown off; what is left is evened out here.

The folded form: lower case, NFKC; one space between words; a paragraph, list item, heading or table row begins after
"\\n"; dashes between words are " - ", hyphens inside a word are a space; a mention (code, a block quote, an address,
quoted words) is U+FFFC, an earlier speaker's name U+E000. Sentence punctuation stays.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate

from mdtally.gate.names import places as places_of_names
from mdtally.text import layout as layouts
from mdtally.text import lines, plain
from mdtally.text.line_parts import count_words
from mdtally.text.records import replace
from mdtally.text.regex import regex

MENTION = plain.OPAQUE
"""Stands in a folded text for code, a block quote, an address, quoted words: what is mentioned and not said."""
NAME = "\ue000"
"""Stands in a folded text for the name of an earlier speaker."""

_ONE_FOR_ONE = str.maketrans(dict.fromkeys("’‘ʼ′‛＇´ʹ", "'") | dict.fromkeys("‐‑‒−﹣－⁃", "-"))
# The lookahead is there for speed alone: it turns most characters away before the alternatives are tried.
_ODD = regex(
    r"(?=[^A-Za-z0-9,.;:'\"()?! ]| [\s–—―⸺-]|[A-Za-z][\u0300-\u036f])(?:"
    r"(?P<space>[^\S\u2028\u2029]*[\r\n][\s]*|\s{2,}|[^\S ])"
    r"|(?P<dash>\s*(?:[–—―⸺]+|-{2,}|(?<=\s)-(?=\s))\s*)"
    r"|(?P<hyphen>(?<=[^\W\d_])-(?=[^\W_]))"
    r"|(?P<marked>[^\W\d_][\u0300-\u036f]+)"
    r"|(?P<other>[^\x00-\x7f]))"
)
_LINE = regex(r"[^\r\n]*(?:\r\n|\n|\r|$)")
_QUOTE_PREFIX = regex(r" {0,3}> ?")
_STARTS_BLOCK = regex(r"(?:[-*+•|]\s?|#{1,6}\s|\d{1,3}[.)]\s|[-=*_]{3,}\s*$)", re.MULTILINE)
_ITEM_MARK = regex(r"(?:\s{0,9}(?:[-*+•]|#{1,6}|\d{1,3}[.)])[ \t]+)+")
_ZERO = regex(f"[{plain.ZERO_WIDTH}]+")
_NO_LINE_END = regex(r"[^\n]")
_NO_WIDTH = "\u200b"


def visible_words(text: str) -> int:
    """The words of a response, without its block quotes; characters without width neither split nor join them."""
    own = own_text(text)
    return count_words(own if own.isascii() else _ZERO.sub("", own))


def own_text(text: str) -> str:
    """A response without its block quotes, which are others' words; one that is quoted as a whole is its speaker's."""
    stretches = ((text[start:end], is_mention) for start, end, is_mention in _stretches(text))
    return "".join(each for each, is_mention in stretches if not (is_mention and _QUOTE_PREFIX.match(each)))


def without_comments(text: str) -> str:
    """A response with marks without width in place of its comments, which nobody says; every other place stays.

    Spaces would make code of what stands behind a comment at a line's start.
    """
    if "<!--" not in text:
        return text
    rows, at, pieces = text.split("\n"), 0, list[str]()
    places = [0, *accumulate(len(row) + 1 for row in rows)]
    for one in (comment for comment in lines.scan(rows).comments if comment.closed):
        start, end = places[one.first] + one.column, places[one.last] + one.end
        pieces += [text[at:start], _NO_LINE_END.sub(_NO_WIDTH, text[start:end])]
        at = end
    return "".join([*pieces, text[at:]])


def fold(text: str, names: Sequence[str] = ()) -> plain.Plain:
    """A folded text with its way back; ``names`` are the earlier speakers, whose names become one token."""
    build = _Folder()
    mentioned = -1
    for start, end, is_mention in _stretches(text):
        if not is_mention:
            build.fold(plain.to_plain(text[start:end]), start, names)
        # The lines of a block are one mention.
        for piece in ("\n", MENTION, "\n") if is_mention and start != mentioned else ():
            build.put(piece, start, end)
        mentioned = end if is_mention else mentioned
    return build.build()


def _stretches(text: str) -> Iterator[tuple[int, int, bool]]:
    """The text cut into prose and mentions: fenced and indented code, and block quotes beside a text of one's own."""
    if ">" not in text and "```" not in text and "~~~" not in text and "    " not in text and "\t" not in text:
        yield 0, len(text), False
        return
    places = [match.span() for match in _LINE.finditer(text) if match.group()]
    written = [text[start:end].rstrip("\r\n") for start, end in places]
    quoted = [_QUOTE_PREFIX.match(line) for line in written]
    whole = all(quote or not line.strip() for quote, line in zip(quoted, written, strict=True))
    start = 0
    for (first, end), kind, quote in zip(places, lines.scan(written).kinds, quoted, strict=True):
        if quote and whole:
            # A body that is quoted as a whole is the speaker's own, in the form of its transcript.
            yield start, first, False
            start = first + quote.end()
        elif quote or kind in (layouts.FENCE, layouts.INDENTED):
            if start < first:
                yield start, first, False
            yield first, end, True
            start = end
    yield start, len(text), False


class _Folder(plain.Builder):
    """Collects folded pieces; of two spaces in a row the first stays."""

    last = "\n"

    def put(self, piece: str, origin: int, end: int) -> None:
        """Add what stands for a stretch of the text as it was written."""
        if (self.last in " \n" and piece[:1] == " ") or self.last == piece[:1] == "\n":
            origin += len(piece) == end - origin
            piece = piece[1:]
        if piece:
            self.add(piece, origin, end)
            self.last = piece[-1]

    def fold(self, shown: plain.Plain, offset: int, names: Sequence[str]) -> None:
        """Add a plain text that stands at an offset of the text as it was written."""
        text = shown.text
        named, quoted = places_of_names(text, names), quotations(text)
        holes = sorted([(*span, NAME) for span in named] + [(*span, MENTION) for span in quoted])
        # Most characters that are not ASCII are these; one for one, they need no way back of their own.
        shown = replace(shown, text=text.translate(_ONE_FOR_ONE))
        at = mark.end() if (mark := _ITEM_MARK.match(text)) and self.last == "\n" else 0
        for start, end, token in holes:
            if start >= at:
                self._prose(shown, at, start, offset)
                self.put(token, *_moved_span(shown, start, end, offset))
                at = end
        self._prose(shown, at, len(text), offset)

    def _prose(self, shown: plain.Plain, start: int, end: int, offset: int) -> None:
        """Add a stretch of prose, with its white space, dashes and odd characters evened out."""
        text, at = shown.text, start
        for match in _ODD.finditer(text, start, end):
            if match.start() < at:
                continue
            piece, kind, past = match.group(), match.lastgroup, match.end()
            if kind == "space":
                mark = _ITEM_MARK.match(text, past, end) if "\n" in piece or "\r" in piece else None
                is_block = piece.replace("\r\n", "\n").replace("\r", "\n").count("\n") > 1
                is_block = is_block or bool(mark) or ("\n" in piece and bool(_STARTS_BLOCK.match(text, past, end)))
                piece, past = "\n" if is_block else " ", mark.end() if mark else past
            else:
                piece = {"dash": " - ", "hyphen": " "}.get(kind or "") or _fold_character(piece)
                if piece == match.group():
                    continue
            self._copy(shown, at, match.start(), offset)
            self.put(piece, *_moved_span(shown, *match.span(), offset))
            at = past
        self._copy(shown, at, end, offset)

    def _copy(self, shown: plain.Plain, start: int, end: int, offset: int) -> None:
        """Add letters as they are, in lower case: a stretch for each that stands together as it was written."""
        while start < end:
            stop = min((end, *shown.starts[(n := bisect_right(shown.starts, start)) : n + 1]))
            self.put(shown.text[start:stop].lower(), *_moved_span(shown, start, stop, offset))
            start = stop


def _moved_span(shown: plain.Plain, start: int, end: int, offset: int) -> tuple[int, int]:
    span = shown.span(start, end)
    return span.start + offset, span.end + offset


@lru_cache(maxsize=4096)
def _fold_character(character: str) -> str:
    return unicodedata.normalize("NFKC", character).lower()


# -- Quotations ------------------------------------------------------------------------------------------------------

_OWN = 0.7
"""From this share of a text on, what stands in quotation marks is the speaker's own, in the form of its transcript."""
_BREAK = r"\n[ \t\r]*\n"
_PAIRS = ("“”", "«»", "‹›", "「」", "『』", "„“”", "‚‘’", "»«", "›‹")
# “a whole line”, «une ligne», not over a blank line
_PAIRED = (rf"{pair[0]}(?:(?!{_BREAK})[^{pair}]){{1,1500}}[{pair[1:]}]" for pair in _PAIRS)
# "a whole line", not the inches of 3" x 4"
_STRAIGHT = rf"(?<![\w)\]])[\"＂](?!\s)(?:(?!{_BREAK})[^\"＂]){{1,1500}}(?<!\s)[\"＂]"
# 'a line that isn't mine', not "the teachers' plan", "'twas"
_SINGLE_MARKS = (
    r"(?<![\w)\]])['‘](?=[^\W_])(?!(?:\d|(?i:em|tis|twas|cause|til|till|n|round|bout|kay|s|t|re|ve|ll)\b))"
    rf"(?:(?!{_BREAK})[^'’]|(?<=\w)['’](?=\w)){{1,1500}}(?<!\s)['’](?!\w)"
)
# The lookahead is there for speed alone.
_QUOTED = regex(rf"(?=[“«‹「『„‚»›\"＂'‘])(?:{'|'.join((*_PAIRED, _STRAIGHT, _SINGLE_MARKS))})")


def quotations(text: str) -> list[tuple[int, int]]:
    """Quoted stretches, each inside one paragraph; where the text as a whole is quoted, those inside its own marks.

    An apostrophe or an unclosed mark opens no quotation.
    """
    found = [match.span() for match in _QUOTED.finditer(text)]
    is_own = sum(end - start for start, end in found) >= _OWN * len(text.strip())
    if found and is_own and found[-1][1] >= len(text.rstrip()):
        return [match.span() for start, end in found for match in _QUOTED.finditer(text, start + 1, end - 1)]
    return found
