"""Lines that a person would point at: beginnings that come back and take turns, whatever they are made of.

"| Me |" and "| ChatGPT |", "In [1]:" and "Out[1]:", "> [!ai]- Answer" alone. What is made of them is what pointing at
the first of each makes, offered only where it looks like a chat.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping

from mdtally.check.settling.choices import Offer
from mdtally.check.settling.marks import DIGITS, beginning, speaks, take_turns
from mdtally.check.settling.pointing import like
from mdtally.text import words
from mdtally.text.document import Document
from mdtally.text.names import Name, clean, kind_of
from mdtally.text.records import by_key
from mdtally.text.regex import regex
from mdtally.text.times import STAMPS
from mdtally.transcript.labels.turn_names import without_count
from mdtally.transcript.page import Page
from mdtally.transcript.reading import labels_of

_ADDRESS = regex(r"\]\([^)\s]*\)")
# Where a label may end: "Me:", "<ana>", "(me)", "ana –", "me →", "AI「"
_CLOSE = regex(r"^<\w+>|[:：>)\]](?=\W|$)|\s[–—-](?=\s)|→|=>|->|(?<=\w)(?=[「『“«])")
# "| --- |", "[1]: https://…", ":label:`x`": of no chat
_NO_LINE = regex(r"[|\s:-]+$|:|\[[^]]*\]:")
# "`code`", "https://", "\begin", "$x$", "<div>": of no label; "<user>" may be one
_NO_LABEL = regex(r"`|://|\\\w|\$\w|<(?P<tag>/?[a-z]+)[\s/>]")
# "Mika Ito", in what is the same but for the name
_NAME = regex(r"[^\W\d_][\w.'’-]*(?: [\w.'’-]+)*")
_CELLS = regex(r"(?:\|[^|]*\S[^|]*){1,4}\|(?=[^|]*\S)")
_FEWEST, _LONGEST, _TRIED, _GROUPS, _MOST_LINES = 5, 50, 4, 14, 20_000
"""Fewest turns, longest beginning (characters), most pointings, most beginnings looked at, most lines of a page."""


def likely_chats(document: Document) -> Iterator[Offer]:
    """What pointing at beginnings that come back reads as a chat, the one with most lines first."""
    page, _ = labels_of(document)
    if len(page.lines) > _MOST_LINES:
        return
    for rows in itertools.islice(_lines_to_point_at(page, _beginnings(page)), _TRIED):
        offer = like(document, [row + 1 for row in rows], likely_only=True)
        if isinstance(offer, Offer) and _is_chat(page, offer):
            yield offer


Rows = tuple[int, ...]


def _beginnings(page: Page) -> dict[str, Rows]:
    """The rows of lines by what they begin with, most lines first; of several beginnings of the same the shortest."""
    rows: dict[str, list[int]] = {}
    above = ""
    for row in range(page.first, len(page.lines)):
        line = page.lines[row].strip()
        if line and not page.layout.hidden[row] and not _NO_LINE.match(line):
            for text in _prefixes(line, above):
                rows.setdefault(text.casefold(), []).append(row)  # "Cevap:" and "cevap:"
        above = line or above
    shortest: dict[Rows, str] = {}
    for text, same in rows.items():
        if len(same) > 1 and len(text) < len(shortest.get(tuple(same), text + " ")):
            shortest[tuple(same)] = text
    found = sorted(shortest, key=len, reverse=True)[:_GROUPS]
    return {shortest[one]: one for one in found if sum(_is_beside(one, other) for other in found) < 2}


def _is_beside(one: Rows, other: Rows) -> bool:
    """True if a line of the one stands always as far above or below one of the other: "From:" and "To:"."""
    steps = {row - beside for row, beside in zip(one, other, strict=False)}
    return one != other and len(one) == len(other) and len(steps) == 1 and abs(steps.pop()) < 3


def _prefixes(line: str, above: str) -> Iterator[str]:
    """What may be a line's label: all of it, or what stands before a sign, without times and numbers; a quotation's."""
    if line.startswith(">") and not above.startswith(">"):
        yield ">"
    if sign := beginning(line):
        yield sign
    text = _ADDRESS.sub("]()", line)
    text = DIGITS.sub("#", STAMPS.on(text).sub("\0", text))
    if text.startswith("|"):
        cells = _CELLS.match(text, 0, 2 * _LONGEST)
        ends = [at + 1 for at in range(1, cells.end()) if text[at] == "|"] if cells else []
    else:
        ends = [len(text), *(match.end() for match in itertools.islice(_CLOSE.finditer(text), 3))]
    for part in dict.fromkeys(text[:end] for end in ends if end <= _LONGEST):
        is_whole = all(part.count(one) == part.count(other) for one, other in ("()", "[]"))
        never = _NO_LABEL.search(part)
        if is_whole and any(map(str.isalpha, part)) and not (never and kind_of(Name(never["tag"] or "")) is None):
            yield part


def _lines_to_point_at(page: Page, found: Mapping[str, Rows]) -> Iterator[Rows]:
    """The first lines of beginnings that take turns, most lines first; then the opening with one beginning."""
    groups = by_key(("|" if text[0] == "|" else _NAME.sub("a", text), one) for text, one in found.items())
    pairs: list[Rows] = []  # what always stands beside each other is tried last: it may be fields
    for shape, same in groups.items():
        if len(same) > 2 and shape != "a" and not any(itertools.starmap(_is_beside, itertools.combinations(same, 2))):
            pairs.append((False, -sum(map(len, same)), *sorted(one[0] for one in same)))
    for (text, one), (beside, other) in itertools.combinations(found.items(), 2):
        rows = sorted({*one, *other})
        is_even = len(rows) == len(one) + len(other) < 3 * min(len(one), len(other))
        is_timed = text[0] == beside[0] == "\0"  # in a messenger several lines are one voice's
        if len(rows) > 3 and (is_timed or (is_even and take_turns([row in one for row in rows]))):
            pairs.append((_is_beside(one, other), -len(rows), rows[0], max(one[0], other[0])))
    yield from (tuple(rows) for _, _, *rows in sorted(pairs))
    titles = {heading.row for heading in page.headings}
    texts = (row for row in range(page.first, len(page.lines)) if page.lines[row].strip() and row not in titles)
    opening = next(texts, 0)
    yield from ((opening, one[0]) for one in found.values() if opening < one[0])


def _is_chat(page: Page, offer: Offer) -> bool:
    """True if voices take turns from the start on, with times or so that one of them mostly speaks to somebody."""
    kinds = {one.casefold().split()[-1]: kind_of(without_count(one) or clean(one) or Name(one)) for one in offer.voices}
    of_fields = any(not kinds[word] for word in words.table("fields", "sections").intersection(kinds))  # "Copy code"
    above = page.lines[page.first : offer.turns[0].line]
    if of_fields or 4 * sum(map(bool, above)) > max(24, len(page.lines) - page.first):
        return False
    if len(offer.turns) < _FEWEST or any(turn.placeholder for turn in offer.turns[:-1]):
        return False
    own = [[turn for turn in offer.turns if turn.speaker == name] for name in offer.voices]
    if any(2 * len({turn.text for turn in one}) <= len(one) for one in own if len(one) > 1):  # as fields do
        return False
    is_timed = "{time}" in "".join(offer.turn_patterns)
    is_speaking = any(kinds.values()) or is_timed or any(2 * sum(map(speaks, one)) > len(one) > 1 for one in own)
    return is_speaking and take_turns([turn.speaker for turn in offer.turns])
