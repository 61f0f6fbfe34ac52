"""What a file shows beside a proposed reading of it: what was refused, and lines that it leaves over.

A model is shown it once and may correct itself. Nothing here decides: what is left over may be text.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from statistics import median

from mdtally.ask.model.proposed import missed_rows, occurring, once_an_answer, read_proposed, why_not
from mdtally.text import rounds
from mdtally.text.document import Document
from mdtally.text.model import Refusal, Turn
from mdtally.text.names import fold
from mdtally.text.records import record
from mdtally.text.regex import regex
from mdtally.text.system import TooLongError, within_seconds
from mdtally.text.voices import strings
from mdtally.transcript import unmatched
from mdtally.transcript.declared import Form
from mdtally.transcript.engine import REST, speaker_of
from mdtally.transcript.labels.shapes import Label, visible
from mdtally.transcript.page import Page, Reading
from mdtally.transcript.patterns import Patterns, read_turn
from mdtally.transcript.reading import LONGEST, Readings, labels_of

# "- ", "> ", "1. ", "## "
_SIGN = regex(r"\s*(?:[-*+>•]|\d{1,3}[.)]|#{1,6})\s+")
_OTHERS = 4
"""So many headings beside those of rounds may be rounds, too."""
_LONG, _TIMES = 40, 8
"""A turn is long from so many lines on, if the middle one of all is so many times shorter."""


@record
class Remark:
    """A sentence about what is left over, and what it is about: lines with their numbers, or other words."""

    said: str
    about: tuple[str, ...]


@record
class SecondLook:
    """What is told of a proposal before it is made once more.

    Attributes:
        refused: why it can't be used; "" if it can.
        remarks: what is left over.
        turns: those that it finds.
    """

    refused: str
    remarks: tuple[Remark, ...] = ()
    turns: tuple[Turn, ...] = ()


@once_an_answer
def second_look(document: Document, answer: Mapping[str, object]) -> SecondLook | None:
    """What is to be told of a proposal; None if nothing is, or if it says that nobody speaks."""
    if not answer.get("turn"):
        return None
    found = read_proposed(document, answer)
    if isinstance(found, Refusal):
        return SecondLook(found.reason)
    refused, remarks = why_not(document, found), list[Remark]()
    with suppress(TooLongError), within_seconds(LONGEST):
        remarks += _remarks(found, answer, labels_of(document)[1])
    return SecondLook(refused, tuple(remarks), found.transcript.turns) if refused or remarks else None


def _remarks(found: Readings, answer: Mapping[str, object], labels: Sequence[Label]) -> Iterator[Remark]:
    """What is left over, each line of the file in the first remark that it belongs to."""
    reading, page, turns = found.reading, found.page, found.transcript.turns
    said = {turn.line - 1 for turn in turns}
    if reading:
        said |= {*reading.ends, *reading.marks}
    for sentence, rows in itertools.chain(_of_labels(found, labels), _of_rounds(found)):
        if new := sorted(row for row in rows if row not in said):
            said |= {*new}
            yield Remark(sentence, _with_numbers(page, new))
    if reading and (empty := _empty_rounds(reading, turns)):
        yield Remark("These rounds hold no turn:", _with_numbers(page, empty))
    if long := _long_turn(turns):
        words = f"{long.line} to {long.end_line}: {long.speaker}"
        yield Remark("This turn is far longer than the others, and may hide labels:", (words,))
    sources = (one.source for one in found.page.declared.form.patterns.turns)
    if numbered := dict.fromkeys(one for one in sources if "{number}" in one):
        yield Remark("These patterns of labels hold a number that you did not take for a round:", tuple(numbered))
    yield from _never(found, answer)


def _with_numbers(page: Page, rows: Iterable[int]) -> tuple[str, ...]:
    """Lines with their numbers."""
    return tuple(f"{row + 1}: {page.lines[row].strip()}" for row in rows)


def _of_labels(found: Readings, labels: Sequence[Label]) -> Iterator[tuple[str, Iterable[int]]]:
    """Rows that may be labels, under what is said of them."""
    page, turns, given = found.page, found.transcript.turns, found.page.declared.form.patterns.turns
    form, hidden = page.declared.form, (found.reading.layout if found.reading else page.layout).hidden
    patterns = Patterns(tuple(one for one in given if one.source != REST))
    known, matched = form.by_spelling, unmatched.matched_lines(page, patterns)
    names = {start.row: fold(start.name.speaker) for start in matched}
    yield "A pattern of yours fits these lines, but they stand in code:", (row for row in names if hidden[row])
    strange = {row: name for row, name in names.items() if known and name not in known}
    if len(strange) > len(turns):  # bold words in a text, of which those are told that may be a voice's
        again = Counter(strange.values())
        strange = {row: name for row, name in strange.items() if again[name] > 1 or name.startswith(tuple(known))}
    yield "A pattern of yours fits these lines, but participants has no such name:", strange
    if len(patterns.turns) < len(given):
        at = {row: found.transcript.turn_at(row + 1) for row in names.keys() - strange.keys()}
        others = (row for row, turn in at.items() if turn and fold(turn.speaker) != names[row])
        where = 'beside "{text}" alone it has to fit where a block begins'
        yield f"A pattern of yours fits these lines, but {where}:", others
    yield "These lines have the shape of your labels, and open no turn:", missed_rows(found, labels)
    rows = (row for row, _, heading in visible(page.lines, page.first, page.layout) if not heading)
    signed = (row for row in rows if _fits_behind_a_sign(form, patterns, page.lines[row]))
    yield "A pattern of yours would fit these lines without the sign before them:", signed
    voices = {fold(turn.speaker) for turn in turns} | {*known}
    named = {one.row for one in labels if fold(one.name.speaker) in voices and not (one.column or one.form.is_listed)}
    yield "These lines begin with a voice's name, and open no turn:", named | unmatched.lines_of_names(page, turns)
    above = unmatched.opening(page, turns) if turns else ()
    yield "This stands above the first turn, and nobody says it:", (one.region.line - 1 for one in above)


def _fits_behind_a_sign(form: Form, patterns: Patterns, line: str) -> bool:
    """True if a line behind a list's or quotation's sign is a label of somebody that a form knows."""
    if not (sign := _SIGN.match(line)):
        return False
    bare = [line[sign.end() :]]
    starts = (read_turn(pattern, bare, 0) for pattern in patterns.turns if not pattern.below)
    return any(start and speaker_of(form, start.pattern, start.name) for start in starts)


def _of_rounds(found: Readings) -> Iterator[tuple[str, Iterable[int]]]:
    """Headings that no pattern takes: of the level of those that open rounds, or with the words of one."""
    marks = {*found.reading.marks} if found.reading else set[int]()
    levels = {heading.level for heading in found.page.headings if heading.row in marks}
    turns = found.transcript.turns
    between = range(turns[0].line, turns[-1].end_line) if turns else range(0)
    level = [one.row for one in found.page.headings if one.level in levels and one.row in between]
    others = len({*level} - marks - {turn.line - 1 for turn in turns})
    if others <= max(_OTHERS, 2 * len(marks)):  # more are headings of what is said
        yield "These headings are of the level of your rounds, and no pattern takes them:", level
    told = (one for one in found.page.headings if rounds.parse(one.plain) or rounds.stage(one.plain))
    yield "These headings look like those of rounds, and no pattern takes them:", (one.row for one in told)


def _empty_rounds(reading: Reading, turns: Sequence[Turn]) -> list[int]:
    """The rows of lines that open a round in which nobody speaks."""
    rows = itertools.pairwise((*reading.marks, math.inf))
    return [int(first) for first, end in rows if not any(first < turn.line - 1 < end for turn in turns)]


def _long_turn(turns: Sequence[Turn]) -> Turn | None:
    """The longest turn, if it is long and the middle one of all is many times shorter."""
    sizes = [turn.end_line - turn.line + 1 for turn in turns]
    if not sizes or max(sizes) < max(_LONG, _TIMES * median(sizes)):
        return None
    return turns[sizes.index(max(sizes))]


def _never(found: Readings, answer: Mapping[str, object]) -> Iterator[Remark]:
    """What a proposal says and nothing in the file bears out."""
    speakers = {turn.speaker for turn in found.transcript.turns}
    if silent := {one.name for one in found.page.declared.form.participants} - speakers:
        yield Remark("These participants have no turn:", tuple(sorted(silent)))
    lines, patterns = found.page.lines, found.page.declared.form.patterns.turns
    # Each is compiled twice, and the one for the declared names alone may be too narrow: "M1" is no "M".
    fits = {one.source for one in patterns if one.source == REST or any(map(one.match, lines))}
    idle = [one.source for one in patterns if one.source not in fits]
    proposed = strings(answer.get("round"))
    idle += [one for one in proposed if one not in occurring(proposed, lines)]
    if idle:
        yield Remark("These patterns fit no line:", tuple(dict.fromkeys(idle)))
