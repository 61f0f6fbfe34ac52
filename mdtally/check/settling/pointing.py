"""Settling a file by pointing: the reading whose labels look like the lines that a person points at.

The patterns come from these lines, and the voices are those that they name. The more of a label may vary, the more
lines are like it: the widest patterns come first, and the first whose reading is proved becomes the offer.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from mdtally.check.settling.choices import (
    HOW_TO_LABEL,
    Offer,
    offer_of,
    offers,
    read_in_its_fences,
    without_chat_fences_at,
)
from mdtally.check.settling.choosers import count_names
from mdtally.check.settling.heads import headed_reading
from mdtally.check.settling.marks import (
    AGENT,
    DIGITS,
    PERSON,
    beginning,
    is_chat,
    mark_of,
    marked_readings,
    read_marked,
    take_turns,
    unnamed_voices,
)
from mdtally.check.settling.messages import timed_reading
from mdtally.check.settling.proof import (
    answer_each_other,
    as_read,
    is_round,
    row_elsewhere,
    rows_left_alike,
    why_missed,
)
from mdtally.check.settling.senders import reading_by_sender
from mdtally.text.document import Document
from mdtally.text.model import Refusal
from mdtally.text.names import Name, clean, kind_of
from mdtally.text.records import replace
from mdtally.text.regex import regex
from mdtally.text.text_blocks import blocks
from mdtally.text.voices import Participant
from mdtally.transcript import forms, structure
from mdtally.transcript.declared import Form, voice_names
from mdtally.transcript.engine import REST, read_form
from mdtally.transcript.labels.shapes import Label, LabelForm, openings
from mdtally.transcript.labels.templates import find_name, literal, template_of
from mdtally.transcript.labels.turn_names import without_count
from mdtally.transcript.page import Page, Reading
from mdtally.transcript.patterns import PatternError, compile_all
from mdtally.transcript.reading import labels_of

# "❯ why?", "⏺ Done.", "> why?", "<< why?": a sign, and no mark of Markdown's for headings, lists or emphasis
_SIGN = regex(r"\s*(?:<<+|[^\w\s#*_`|\[(<-](?:\S?|[^\w\s]{0,7}))\s")
_WITH_PATTERN: Final = "write a pattern with --turn"
# "> [!NOTE]", which says for itself who speaks below it
_CALLOUT = regex(r"\s*>\s*\[!\w+\]\s*$")


def like(document: Document, lines: Sequence[int], *, likely_only: bool = False) -> Offer | Refusal:
    """The reading whose labels look like the lines that a person points at, one or more a voice.

    First by the names that stand there; then by what marks the blocks, beside which the rest is the other voice's.

    Args:
        document: the file.
        lines: numbers of lines, 1-based.
        likely_only: True if nobody points there, so that blocks of one mark have to look like a person's in a chat.
    """
    if (opened := without_chat_fences_at(document, lines)) is not document:
        offer = like(opened, lines, likely_only=likely_only)
        if isinstance(offer, Offer) and (fenced := read_in_its_fences(document, offer)):
            return fenced
        if isinstance(offer, Refusal) and any(fence.is_around for fence in document.layout.fences):
            return offer
    page, every = labels_of(document)
    known = {label.row: label for label in every}
    if wrong := _why_nowhere(page, lines):
        return wrong
    rows = [number - 1 for number in lines]
    pointed = [known.get(row) or _pointed_at(page, row, place) for place, row in enumerate(rows)]
    names = [label for label in pointed if label is not None]
    is_named = len(names) == len(rows) > 1
    messages = [*_opening_at(lambda: (timed_reading(document), headed_reading(page)), rows)]
    by_sender = reading_by_sender(page, rows)
    if isinstance(by_sender, Refusal):
        return by_sender
    surely, likely = as_read(document, rows), {one.lines: one for one in offers(document)}
    refused = _why_not_apart(page, rows, pointed, every)
    for reading in itertools.chain(
        (by_sender,) if by_sender else (),
        messages,
        _by_names(page, names) if is_named else (),
        _opening_at(lambda: marked_readings(document), rows) if surely is None else (),
        _by_marks(page, rows, pointed, None if likely_only else every) if surely is None else (),
    ):
        offer = offer_of(page, reading)
        offer = likely.get(offer.lines, offer) if len(offer.voices) < 2 else offer  # "<u>Ana</u>:" is no "u"
        if missed := why_missed(page, offer, every):
            return missed
        is_proved = answer_each_other(offer, rows) or is_round(offer, names)
        if is_proved or offer.lines in likely or reading in messages:
            if same := rows_left_alike(page, offer, names, every):
                refused = Refusal(f"line {same[0] + 1}, too, is such a label, and would open no turn; {_WITH_PATTERN}")
            elif (row := row_elsewhere(page, offer, rows)) is not None:
                other = f"line {row + 1} would open a turn, too, and stands in another place"
                refused = Refusal(f"{other}; {_WITH_PATTERN}")
            else:
                return offer
    if surely is not None:
        return surely
    return _why_unmarked(page, rows, pointed) or refused


def _why_unmarked(page: Page, rows: Sequence[int], pointed: Sequence[Label | None]) -> Refusal | None:
    """Why nothing marks one of some lines; None if something marks each."""
    if hidden := sorted(row + 1 for row in rows if page.layout.hidden[row]):
        where = f"line {hidden[0]} is in code, and what stands in code is nobody's label"
        return Refusal(f"{where}; point at another line, or take away the fence if the whole chat stands in it")
    unmarked = [row for row, label in zip(rows, pointed, strict=True) if not (label or _mark(page, row, label))]
    if 0 < len(unmarked) < len(rows) and unmarked[0] == rows[0]:
        return Refusal(f"line {rows[0] + 1} is not marked: point at a marked line first, and then at one below such")
    if (row := next(iter(unmarked), None)) is not None:
        first = page.lines[row].split()[0]
        is_alone = sum(line.split()[:1] == [first] for line in page.lines[page.first :]) == 1
        why = f"no other line begins with “{first}”" if is_alone else f"“{first}” marks no voice"
        return Refusal(f"line {row + 1} has no label: {why}; {HOW_TO_LABEL}")
    return None


def _why_nowhere(page: Page, lines: Sequence[int]) -> Refusal | None:
    """Why nobody can point at one of some lines; None if they are lines with text."""
    for number in lines:
        if not page.first < number <= len(page.lines):
            return Refusal(f"line {number} is not in the text, which has lines {page.first + 1} to {len(page.lines)}")
        if not page.lines[number - 1].strip():
            return Refusal(f"line {number} is blank")
    return None


def _opening_at(readings: Callable[[], Iterable[Reading | None]], rows: Sequence[int]) -> Iterator[Reading]:
    """Those of some readings in which each line pointed at, of two or more, opens the first turn of a voice."""
    for reading in filter(None, readings() if len(rows) > 1 else ()):
        first = {start.name.key: start.row for start in reversed(reading.starts)}
        if {*first.values()} >= {*rows}:
            yield reading


def _by_names(page: Page, pointed: Sequence[Label]) -> Iterator[Reading]:
    """The reading by names and signs like those of the labels pointed at, if each of them is a label in it."""
    rows = {label.row for label in pointed}
    voices = {label.name.key: Participant(label.name.speaker, label.name.kind) for label in reversed(pointed)}
    people = tuple(voices.values())[::-1]
    for is_wide in (True, False):
        found = _alike(page, pointed, people, is_wide=is_wide)
        if rows.issubset(label.row for label in found):
            session = structure.is_session(found)
            yield forms.read_labels(page, found, is_session=session, participants=people)
            return


def _by_marks(
    page: Page, rows: Sequence[int], labels: Sequence[Label | None], every: Sequence[Label] | None
) -> Iterator[Reading]:
    """The readings in which what marks the lines marks whole blocks; of one or two, the rest is the other voice's.

    Those that look like a chat come first; with every label of the page others follow, which need not look like one.
    """
    marks = [_mark(page, row, label) for row, label in zip(rows, labels, strict=True)]
    if every is not None and len({*marks}) < len(marks):  # "## 🧑" and "## 🤖"
        marks = _whole_lines(page, rows)
    others: list[Reading] = []
    named = zip(labels, marks, strict=True)  # a sentence before a colon is no part of a sign's mark, and nobody's name
    names = [label.name.speaker if label and label.name.speaker in mark else "" for label, mark in named]
    with_name = [label for label, name in zip(labels, names, strict=True) if label and name]
    is_enough = every is not None and not _other_names(with_name, every)
    names = names if max(Counter(filter(None, names)).values(), default=0) < 2 else [""] * len(rows)
    for turn in (marks, *([[marks[0], REST], [REST, marks[-1]]] if len(rows) < 3 else ())):
        voices, is_persons = _voices_of(turn, names)
        sources = dict(zip(voices, turn, strict=True))
        is_usable = all(turn) and len(sources) == len(turn) == len({*turn}) > 1
        first = literal(page.lines[rows[0]].strip()) if turn[0] == REST else ""
        reading = read_marked(page, sources, first) if is_usable else None
        times = Counter(start.pattern.source for start in (reading.starts if reading else ()))
        if reading is None or any(times[one] < 2 for one in turn if one != REST):
            continue
        is_signs = all(_SIGN.fullmatch(one.removesuffix(REST)) for one in turn)
        if is_signs or (is_persons and turn[-1] == REST) or (len(turn) == 2 and is_chat(page, reading)):
            yield reading
        elif is_enough and turn[0] != REST and (REST in turn or take_turns([one.pattern for one in reading.starts])):
            others.append(reading)
    yield from others


def _other_names(pointed: Sequence[Label], every: Sequence[Label]) -> list[str]:
    """The names that come back in the form of labels pointed at, beside the first one's: they are no rest."""
    used = {label.form for label in pointed}
    counts = count_names([label for label in every if label.form in used])
    return [name for name, times in counts.items() if times > 1 and name != pointed[0].name.key]


def _whole_lines(page: Page, rows: Sequence[int]) -> list[str]:
    """The patterns of lines that come back above words, numbers aside; "" of all if others begin as they do."""
    shapes = [DIGITS.sub("", page.lines[row].strip()) for row in rows]
    begins = {shape.split()[0] for shape in shapes if not shape[0].isalnum()}
    alike = [line for line in page.lines if (line.split() or [""])[0] in begins]
    others = {*(DIGITS.sub("", line.strip()) for line in alike)} - {*shapes}
    if others or len(alike) < 2 * len(rows):
        return [""] * len(rows)
    return [f"{DIGITS.sub('{any}', literal(page.lines[row].strip()))}\n{REST}" for row in rows]


def _why_not_apart(page: Page, rows: Sequence[int], labels: Sequence[Label | None], every: Sequence[Label]) -> Refusal:
    """Why what marks some lines makes no reading."""
    marks = [_mark(page, row, label) for row, label in zip(rows, labels, strict=True)]
    for row, mark in zip(rows, marks, strict=True):
        shown = mark.partition("\n")[0]
        alike = [str(other + 1) for other, same in zip(rows, marks, strict=True) if same == mark]
        if mark and len(alike) > 1:
            why = f"lines {' and '.join(alike)} are marked alike, as `{shown}`"
            named = shown.replace("{text}", "{speaker}")
            return Refusal(f"{why}; point at one line of each voice or, if a name stands there, use --turn '{named}'")
        reading = read_marked(page, {PERSON: mark, AGENT: REST}) if mark else None
        if reading and sum(start.pattern.source == mark for start in reading.starts) < 2:
            return Refusal(f"only line {row + 1} is marked by `{shown}`: point at each label, or {_WITH_PATTERN}")
    if others := _other_names([label for label in labels if label][:1], every):
        return Refusal(f"“{others[0]}” stands in such labels, too; point at one line of each voice, or {_WITH_PATTERN}")
    return Refusal(f"these lines do not tell two voices apart that answer each other; {_WITH_PATTERN}")


def _voices_of(turn: Sequence[str], names: Sequence[str]) -> tuple[list[str], bool]:
    """The voice of each mark, by its name where that stands in it; and if the first is said to be the person's."""
    own = [name if mark != REST else "" for name, mark in zip(names, turn, strict=False)]
    kinds = [kind_of(Name(name)) for name in own]
    spare = unnamed_voices(len(turn))
    if kinds[0] == "agent" or kinds[1:2] == ["human"]:
        spare[:2] = reversed(spare[:2])
    return [name or one for name, one in itertools.zip_longest(own, spare)], kinds[0] == "human"


def _mark(page: Page, row: int, label: Label | None) -> str:
    """The pattern of what marks the block that begins on a line; "" if nothing does."""
    block = next((one for one in blocks(page.lines, page.first, page.layout) if one.first <= row <= one.last), None)
    line = page.lines[row].strip()
    if block is None or block.kind == "table" or (block.kind == "code" and row > block.first):
        return ""
    own = block if block.first == row else replace(block, first=row)
    is_name = is_alone = label is not None and label.body is None
    if label and is_alone and not line.rstrip("*_ ").endswith((":", "：")):  # "**Claude:**" marks no words of its own
        # Nor does "*me, 10 h 05*", which comes back above words.
        again = sum(DIGITS.sub("", other.strip()) == DIGITS.sub("", line) for other in page.lines)
        is_name = again > 1 and bool(row < block.last or kind_of(label.name))
    if not is_name and (mark := mark_of(page.lines, own) or mark_of(page.lines, replace(own, last=row))):
        return mark
    if label is not None:
        template, raw = template_of(page.lines[row], label)
        below = f"\n{REST}" if is_alone and block.kind in ("paragraph", "heading") else ""
        return (template.replace("{speaker}", literal(raw)) if raw else template) + below
    return f"{beginning(line)}{REST}" if _is_shared(page, row) else ""


def _is_shared(page: Page, row: int) -> bool:
    """True if a line begins with a sign that other lines begin with, too, and with no word of a sentence."""
    return bool(sign := beginning(page.lines[row])) and sum(beginning(line) == sign for line in page.lines) > 1


def _pointed_at(page: Page, row: int, place: int) -> Label | None:
    """The label that a person says stands on a line: its likeliest way to be taken apart that gives a name, or a sign.

    None if it has neither.
    """
    line = page.lines[row]
    heading = next((one for one in page.headings if one.row == row), None)
    for one in openings(line, heading, fresh=True):
        counted = without_count(one.zone)  # "Question 1"
        name = clean(one.shown) or clean(one.zone) or (counted if counted and counted.kind else None)
        named = one.set_off or kind_of(name or Name("")) or page.lines.count(line) > 1
        if name is not None and counted and not kind_of(name):
            name = replace(name, kind=counted.kind)
        if name is not None and (named or not _SIGN.match(line)):
            return Label(row, one.column, one.body, name, one.form, one.end)
    if not (_CALLOUT.match(line) or (_SIGN.match(line) and _is_shared(page, row))):
        return None
    sign, lead = line.split()[0], len(line) - len(line.lstrip())
    text = "" if _CALLOUT.match(line) else line[lead + len(sign) :]
    body = len(line) - len(text.lstrip()) if text.strip() else None
    voice = ("User", AGENT)[place] if place < 2 else f"Voice {place + 1}"
    return Label(row, lead, body, Name(voice, kind=None if place else "human"), LabelForm(mark="glyph"))


def _alike(page: Page, pointed: Sequence[Label], people: Sequence[Participant], *, is_wide: bool) -> list[Label]:
    """Every line that fits a pattern of the lines pointed at and names one of their voices, as a label."""
    turn: dict[str, list[str]] = {}
    for label in pointed:
        template, raw = template_of(page.lines[label.row], label, is_wide=is_wide)
        sources = turn.setdefault("speaker" if raw else label.name.speaker, [])
        sources.append(template)
        if label.body is None and raw and ":" in template.rpartition("{speaker}")[2]:
            sources.append(f"{template} {{text}}")
    try:
        patterns = compile_all(turn, names=voice_names(people))
    except PatternError:
        return []
    reading = read_form(page, Form(patterns, tuple(people)))
    forms_of = {label.form.mark == "heading": label.form for label in pointed}
    headings = {one.row: LabelForm(mark="heading", level=one.level) for one in page.headings}
    found = [
        Label(one.row, one.column, one.body, one.name, headings.get(one.row) or forms_of[False], one.end)
        for one in reading.starts
        if (one.row in headings) in forms_of
    ]
    behind = {_word_behind(page, label) for label in pointed}
    narrow = [label for label in found if _word_behind(page, label) in behind]
    counts = count_names(narrow)
    return narrow if all(counts[label.name.key] > 1 for label in pointed) else found


def _word_behind(page: Page, label: Label) -> str:
    """The word right behind a label's name: "said" in "You said:", "ll" in "You'll see:"; "" if there is none."""
    line = page.lines[label.row]
    name = find_name(line, 0, len(line), label.name.speaker)
    word = re.match(r"(?:\s+|['’])([^\W\d_]+)", line[name.end() : label.body]) if name else None
    return word[1].casefold() if word else ""
