"""What proves an offer made by pointing: its voices answer each other, and no label like those is left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from mdtally.check.settling.choices import Offer, other_form, reading_again
from mdtally.check.settling.marks import count_runs
from mdtally.text.document import Document
from mdtally.text.line_parts import BULLET
from mdtally.text.model import Refusal
from mdtally.text.names import Name, clean, fold, is_field, kind_of
from mdtally.text.regex import regex
from mdtally.text.times import STAMPS
from mdtally.transcript.labels.shapes import Label
from mdtally.transcript.page import Page
from mdtally.transcript.reading import likely_rows, read

_CODE: Final = " " * 4, "\t"
_ROW = regex(r"\|.*\w")
_ITEM = regex(rf"\s*{BULLET}\s")


def answer_each_other(offer: Offer, rows: Sequence[int]) -> bool:
    """True if each line pointed at opens a turn, of another voice each, and the voices take turns."""
    opened = {turn.line - 1: turn.speaker for turn in offer.turns}
    if not opened.keys() >= {*rows} or len(offer.voices) < 2 or len({opened[row] for row in rows}) < min(len(rows), 2):
        return False
    voices = [opened[row] for row in rows]
    is_voice = [offer.voices[one] > 1 or kind_of(clean(one) or Name(one)) is not None for one in voices]
    runs = count_runs(turn.speaker for turn in offer.turns)
    # "Ana:", "Ben:", "Ana:": who stands once between turns of somebody else, in the same form, is a voice, too.
    is_one_form = len(offer.turn_patterns) == 1 and runs == len(offer.turns) > 2
    return sum(is_voice) + is_one_form >= min(len(rows), 2) and 2 * runs > len(offer.turns)


def is_round(offer: Offer, pointed: Sequence[Label]) -> bool:
    """True if three voices or more speak once each, and the lines pointed at are all of it."""
    return 2 < len(pointed) == len(offer.voices) and {*offer.lines} == {one.row + 1 for one in pointed}


def rows_left_alike(page: Page, offer: Offer, pointed: Sequence[Label], every: Sequence[Label]) -> list[int]:
    """The rows inside of turns that open none, and are like what was pointed at.

    They read as a label that stood alone on its line, or as its name; or stand in a table, as that did. Or they are a
    name alone before a colon, as that is, and come back as often; or two of them are a name beside a time, as those
    have it, or a voice's beside a dash.
    """
    in_table = any(one.form.inside == "row" for one in pointed)
    labels = [one for one in pointed if one.body is None]
    alone = {page.lines[one.row].strip() for one in labels} | {one.name.speaker for one in labels}
    opening = {line - 1 for line in offer.lines}
    plain = {one.form for one in labels if not one.form.mark and one.form.stop == "colon"}
    left = [one for one in every if one.form in plain and one.body is None and one.row not in opening]
    counts, least = Counter(one.name.key for one in left), max(2, min(offer.voices.values()))
    again = [one.row for one in left if counts[one.name.key] >= least and not is_field(one.name.key)]
    inside = (row for turn in offer.turns for row in range(turn.line - 1, turn.end_line) if not page.layout.hidden[row])
    texts = ((row, page.lines[row].strip()) for row in inside if row not in opening)
    beside = [*likely_rows(page, offer.turn_patterns, offer.voices, opening)]
    again += beside if len(beside) > 1 else []
    return [*(row for row, text in texts if text in alone or (in_table and _ROW.match(text))), *again]


def row_elsewhere(page: Page, offer: Offer, rows: Sequence[int]) -> int | None:
    """The first row that would open a turn, and does not stand as those pointed at do; None if there is none.

    An item inside of another one, or a name alone on its line not below a blank line, or not below a time.
    """
    is_bare = "{speaker}" in offer.turn_patterns

    def place(row: int) -> object:
        line, above = page.lines[row], page.lines[row - 1].strip() if row > page.first else ""
        depth = len(line) - len(line.lstrip()) if _ITEM.match(line) or line.startswith(_CODE) else 0
        if not is_bare or page.lines[row].strip() not in offer.voices:
            return depth
        return "" if not above else "time" if STAMPS.on(above).fullmatch(above) else "text"

    pointed = {place(row) for row in rows}
    own = (line - 1 for line in offer.lines)
    return next((row for row in own if place(row) not in pointed), None) if len(pointed) == 1 else None


def why_missed(page: Page, offer: Offer, labels: Sequence[Label]) -> Refusal | None:
    """Why an offer is not made: names of its voices label other lines in another form, again and again."""
    known, opening = {fold(name) for name in offer.voices}, {line - 1 for line in offer.lines}
    left = [one for one in labels if one.name.key in known and one.row not in opening and not one.form.is_listed]
    if len(left) <= len(opening) or len({label.name.key for label in left}) < 2:
        return None
    return other_form(page, [one.row for one in left])


def as_read(document: Document, rows: Sequence[int]) -> Offer | None:
    """The sure reading of a file, if each of two lines or more opens a turn in it, of another voice each."""
    found = read(document)
    known = {turn.line - 1: turn.speaker for turn in found.turns}
    is_same = len({known.get(row, "") for row in rows} - {""}) == len(rows) > 1
    return reading_again(document) if is_same and found.reading in ("sure", "signature") else None
