"""Settling a file by pointing: the reading whose labels look like the lines that a person points at.

The patterns come from these lines, and the voices are those that they name. The more of a label may vary, the more
lines are like it: the widest patterns come first, and the first whose reading is proved becomes the offer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from mdtally.text.document import Document
from mdtally.text.headings import Heading
from mdtally.text.model import Refusal
from mdtally.text.records import replace
from mdtally.text.regex import regex
from mdtally.text.voices import Participant
from mdtally.transcript import forms, structure
from mdtally.transcript.declared import Form, spellings
from mdtally.transcript.engine import read_form
from mdtally.transcript.labels.names import Name, clean, is_agent, kind_of, plain, without_number
from mdtally.transcript.labels.shapes import Label, LabelForm, openings
from mdtally.transcript.labels.templates import template_of, written
from mdtally.transcript.page import Page
from mdtally.transcript.patterns import PatternError, compile_all
from mdtally.transcript.reading import labels_at, labels_of
from mdtally.transcript.settling import HOW_TO_LABEL, Offer, count_names, offer_of

# What parts a label that has no name by the rules: brackets, bars, colons, dashes.
_PIECES = regex(r"[\[\]()（）|·:：]|\s[—–-]+\s")
# "❯ why?", "⏺ Done.", "> why?": a sign that opens a line, and no mark of Markdown's for headings, lists or emphasis
_SIGN = regex(r"\s*[^\w\s#*_`|\[(<-]\S?\s")
# "> [!NOTE]", which says for itself who speaks below it
_CALLOUT = regex(r"\s*>\s*\[!\w+\]\s*$")


def like(document: Document, lines: Sequence[int]) -> Offer | Refusal:
    """The reading whose labels look like the lines that a person points at, one or more a voice.

    Args:
        document: the file.
        lines: numbers of lines, 1-based.
    """
    page, every = labels_of(document)
    known = {label.row: label for label in every}
    pointed: list[Label] = []
    for number in lines:
        if not page.first < number <= len(page.lines):
            return Refusal(f"line {number} is not in the text, which has lines {page.first + 1} to {len(page.lines)}")
        if not page.lines[number - 1].strip():
            return Refusal(f"line {number} is blank")
        pointed.append(known.get(number - 1) or _pointed_at(page, number - 1, len(pointed)))
        if _is_sentence(page, pointed[-1]):
            first = page.lines[number - 1].split()[0]
            return Refusal(f"line {number} has no label: no other line begins with “{first}”; {HOW_TO_LABEL}")
    pointed = _without_numbers(page, pointed)
    rows = {number - 1 for number in lines}
    people = tuple(
        {label.name.key: Participant(label.name.speaker, label.name.kind) for label in reversed(pointed)}.values()
    )[::-1]
    for is_wide in (True, False):
        found = _alike(page, pointed, people, is_wide=is_wide)
        if rows.issubset(label.row for label in found):
            session = structure.is_session(found)
            return offer_of(page, forms.read_labels(page, found, is_session=session, participants=people))
    if hidden := sorted(row + 1 for row in rows if page.layout.hidden[row]):
        return Refusal(f"line {hidden[0]} is in code, and what stands in code is nobody's label; point at another line")
    return Refusal("these lines have nothing in common that other lines do not have, too; write a pattern with --turn")


def _is_sentence(page: Page, label: Label) -> bool:
    """True if a line that was pointed at has no label: it begins with a word that begins no other line."""
    word = page.lines[label.row].split()[0]
    return label.form.mark == "glyph" and word.isalpha() and sum(line.split()[:1] == [word] for line in page.lines) < 2


def _without_numbers(page: Page, pointed: Sequence[Label]) -> list[Label]:
    """The labels with names freed of what counts them: "Prompt 1" and "Response 1", but not "Agent 1" and "Agent 2"."""
    names = [without_number(label.name.speaker) for label in pointed]
    of_voices = any(
        is_agent(label.name.key) and name != label.name.speaker for label, name in zip(pointed, names, strict=True)
    )
    if len(names) < 2 or of_voices or not all(names) or len({name.casefold() for name in names}) < len(names):
        return list(pointed)
    return [replace(label, name=replace(label.name, speaker=name)) for label, name in zip(pointed, names, strict=True)]


def _pointed_at(page: Page, row: int, place: int) -> Label:
    """The label that a person says stands on a line: its likeliest way to be taken apart that gives a name."""
    line = page.lines[row]
    heading = next((Heading(one.row, one.level, one.text) for one in page.headings if one.row == row), None)
    for one in openings(line, heading, fresh=True):
        name = clean(one.shown) or clean(one.zone) or _last_name(one.zone if one.set_off else "")
        named = one.set_off or kind_of(name or Name("")) or page.lines.count(line) > 1
        if name is not None and (named or not _SIGN.match(line)):
            return Label(row, one.column, one.body, name, one.form, one.end)
    sign, lead = line.split()[0], len(line) - len(line.lstrip())
    text = "" if _CALLOUT.match(line) else line[lead + len(sign) :]
    body = len(line) - len(text.lstrip()) if text.strip() else None
    voice = ("User", "Agent")[place] if place < 2 else f"Voice {place + 1}"
    return Label(row, lead, body, Name(voice, kind="human" if place == 0 else None), LabelForm(mark="glyph"))


def _last_name(text: str) -> Name | None:
    """What may be the name in a label that has none by the rules: before brackets, or behind a date in brackets."""
    pieces = [piece.strip(" :.") for piece in _PIECES.split(plain(text)) if any(map(str.isalpha, piece))]
    return Name(pieces[0] if text and not text.startswith("[") else pieces[-1]) if pieces else None


def _alike(page: Page, pointed: Sequence[Label], people: Sequence[Participant], *, is_wide: bool) -> list[Label]:
    """Every line that fits a pattern of the lines pointed at and names one of their voices, as a label."""
    turn: dict[str, list[str]] = {}
    for label in pointed:
        template, raw = template_of(page.lines[label.row], label, is_wide=is_wide)
        sources = turn.setdefault("speaker" if raw else label.name.speaker, [])
        sources.append(template)
        if label.body is None and raw and ":" in template.rpartition("{speaker}")[2]:
            sources.append(f"{template} {{text}}")
    names = {spelling: one.name for one in people for spelling in spellings(one) if spelling}
    try:
        patterns = compile_all(turn, names=names)
    except PatternError:
        return []
    reading = read_form(page, Form(patterns, tuple(people)))
    forms_of = {label.form.mark == "heading": label.form for label in pointed}
    found = [
        label if label.form.level else replace(label, form=forms_of[False])
        for label in labels_at(page, reading.starts)
        if (label.form.level > 0) in forms_of
    ]
    behind = {_word_behind(page, label) for label in pointed}
    narrow = [label for label in found if _word_behind(page, label) in behind]
    counts = count_names(narrow)
    return narrow if all(counts[label.name.key] > 1 for label in pointed) else found


def _word_behind(page: Page, label: Label) -> str:
    """The word right behind a label's name: "said" in "You said:"; "" if a sign or nothing stands there."""
    line = page.lines[label.row]
    name = written(line, 0, len(line), label.name.speaker)
    word = re.match(r"\s+([^\W\d_]+)", line[name.end() : label.body]) if name else None
    return word[1].casefold() if word else ""
