"""A reading that a model proposes, in the words of a frontmatter: applied to the whole file, and checked like any.

A proposal is refused where the file shows that it can't be right: what it names does not occur, one voice alone speaks
or nobody answers, most labels have no text below them, or half of the labels of its own shape are left out.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import wraps
from itertools import groupby
from typing import TypeVar

from mdtally.check.settling.choices import Offer, offer_of
from mdtally.check.settling.choosers import count_names
from mdtally.text.document import Document, once_a_document
from mdtally.text.model import Refusal
from mdtally.text.names import is_field, is_section, kind_of
from mdtally.text.records import replace
from mdtally.text.regex import regex
from mdtally.text.voices import KINDS, strings
from mdtally.transcript import structure
from mdtally.transcript.labels.shapes import Label
from mdtally.transcript.patterns import PatternError, compile_pattern
from mdtally.transcript.reading import Readings, labels_of, readings_by

Made = TypeVar("Made")
ReadAnswer = Callable[[Document, Mapping[str, object]], Made]

_SIGN = regex(r"[^\w\s{}]")
_MOST, _LONGEST = 40, 500
"""Patterns and names of a proposal at most, and characters of each."""
_FAR = 4
"""So many lines below its head, blank ones aside, a label is no part of it."""


def once_an_answer(read: ReadAnswer[Made]) -> ReadAnswer[Made]:
    """The function, called once for each proposal of a document until another one is asked about: patterns of a model's
    can take all the seconds that they are given, and a proposal is looked at again and again.
    """

    @once_a_document
    def made_of(document: Document) -> dict[str, Made]:
        return {}

    @wraps(read)
    def read_once(document: Document, answer: Mapping[str, object]) -> Made:
        known, key = made_of(document), json.dumps(answer)
        if key not in known:
            known[key] = read(document, answer)
        return known[key]

    return read_once


def offer_proposed(document: Document, answer: Mapping[str, object], by: str) -> Offer | Refusal:
    """The offer that a proposal makes of a document, or why it makes none.

    Args:
        document: the file.
        answer: "turn", "round", "end", "start" and "participants", as a frontmatter has them; others are passed over.
        by: who proposes it.
    """
    found = read_proposed(document, answer)
    why = found.reason if isinstance(found, Refusal) else why_not(document, found)
    if why or isinstance(found, Refusal) or found.reading is None:
        return Refusal(why)
    return replace(offer_of(found.page, found.reading, found.transcript.turns), proposed_by=by)


def why_not(document: Document, found: Readings) -> str:
    """Why what a document is read as by a proposal is no offer; "" if it is one."""
    wrong = next((one for one in found.transcript.problems if one.severity == "error"), None)
    if wrong or found.reading is None:
        return f"the proposal does not fit: {wrong.message if wrong else 'it finds no turn'}"
    why = _why_not(found, labels_of(document)[1])
    return f"the proposal is refused: {why}" if why else ""


@once_an_answer
def read_proposed(document: Document, answer: Mapping[str, object]) -> Readings | Refusal:
    """What a document is read as by a proposal; a refusal if it proposes nothing."""
    patterns = {key: answer[key] for key in ("turn", "round", "end", "start") if answer.get(key)}
    people = answer.get("participants") or {}
    if not patterns.get("turn"):
        return Refusal("the proposal has no pattern for turns")
    if not (isinstance(people, Mapping) and all(map(_is_usable, (*patterns.values(), [*people], [*people.values()])))):
        return Refusal("the proposal is not written as a frontmatter says it")
    filled = [line for line in document.lines if line.strip()]
    heads = {end: _rows_of(end, filled) or [] for end in strings(patterns.get("end")) if end.startswith("#")}
    patterns["turn"] = _repair_turns(patterns["turn"], filled, heads)
    marks = {key: occurring(patterns[key], document.lines) for key in patterns.keys() & {"round", "end"}}
    declared = {"participants": {name: _voice(said) for name, said in people.items()}} if people else {}
    found = readings_by(document, {"transcript": {**patterns, **marks}, **declared})
    opening = {start.row for start in found.reading.starts} if found.reading else set[int]()
    apart = {key: _beside(sources, document.lines, opening) for key, sources in marks.items()}
    return found if apart == marks else readings_by(document, {"transcript": {**patterns, **apart}, **declared})


def _voice(said: object) -> object:
    """A voice's kind, an agent's if none is given, with its further spellings, as a frontmatter has them."""
    kind, aliases = (said.get("kind"), said.get("aliases")) if isinstance(said, Mapping) else (said, None)
    kind = kind if kind in KINDS else "agent"
    return {"kind": kind, "aliases": strings(aliases)} if aliases else kind


def occurring(value: object, lines: Sequence[str]) -> list[str]:
    """The patterns of rounds or ends that a line fits, or that can't be used; of others a model guesses too many."""
    return [source for source in strings(value) if _count_lines(source, lines) != 0]


def _beside(sources: Sequence[str], lines: Sequence[str], opening: Collection[int]) -> list[str]:
    """The patterns of rounds or ends without those that fit nothing but lines at which a turn begins."""
    rows = ((source, _rows_of(source, lines)) for source in sources)
    return [source for source, fit in rows if not fit or any(row not in opening for row in fit)]


def _repair_turns(value: object, lines: Sequence[str], heads: Mapping[str, Sequence[int]]) -> object:
    """The patterns of turns, with anything in the place of a time that no line has: "14 h 05", "H+3:30"; and those
    that name the voice with the end that stands above all of their labels.
    """
    if isinstance(value, Mapping):
        return {voice: _repair_turns(sources, lines, {}) for voice, sources in value.items()}
    timeless = ("\n".join(_timeless(part, lines) for part in one.split("\n")) for one in strings(value))
    return [_with_heading(one, lines, heads) for one in timeless]


def _with_heading(source: str, lines: Sequence[str], heads: Mapping[str, Sequence[int]]) -> str:
    """A turn's pattern with the heading that a model takes for an end, and its labels' head is, if there is one.

    "## Message 3" stands above "- **Speaker:** Ana" each time, with other fields between them.

    Args:
        source: the pattern; lines: those of the file that are not blank.
        heads: by each heading among the ends the rows that it fits.
    """
    labels = (_rows_of(source.split("\n")[0], lines) if heads else None) or []
    for end, rows in heads.items():
        above = [bisect_left(rows, label) for label in labels]
        far = {label - rows[place - 1] if place else _FAR for label, place in zip(labels, above, strict=True)}
        if len(labels) > 1 and len(far) == 1 and max(far) < _FAR:
            return "\n".join((end, *("{any}",) * (max(far) - 1), source))
    return source


def _timeless(source: str, lines: Sequence[str]) -> str:
    """A line of a pattern; with anything in the place of its time, if no line fits it, or more lines do behind a sign.

    A model calls "June 9 2026 (evening)" a time, too.
    """
    before, field, behind = source.partition("{time}")
    wide = f"{before}{{any}}{behind}"
    if not field or (_SIGN.search(before) is None and occurring(source, lines)):
        return source
    return wide if _count_lines(wide, lines) > _count_lines(source, lines) else source


def _count_lines(source: str, lines: Sequence[str]) -> int:
    """How many lines fit a pattern; -1 of an expression, and of one that can't be used."""
    return -1 if (rows := _rows_of(source, lines)) is None else len(rows)


def _rows_of(source: str, lines: Sequence[str]) -> list[int] | None:
    """The rows of the lines that fit a pattern; None of an expression, and of one that can't be used."""
    try:
        pattern = None if source.startswith("/") else compile_pattern(source)
    except PatternError:
        pattern = None
    return None if pattern is None else [row for row, line in enumerate(lines) if pattern.match(line)]


def _is_usable(value: object) -> bool:
    """True for a text, a list or mapping of such, or of such lists and mappings: none too long, and not too many."""
    if isinstance(value, (Mapping, list)):
        inner = [*value, *value.values()] if isinstance(value, Mapping) else value
        return len(value) <= _MOST and all(map(_is_usable, inner))
    return isinstance(value, str) and len(value) <= _LONGEST


def _why_not(found: Readings, labels: Sequence[Label]) -> str:
    """What shows that a reading can't be right; "" if nothing does."""
    assert found.reading is not None
    turns, starts = found.transcript.turns, found.reading.starts
    speakers = [turn.speaker for turn in turns]
    if len({*speakers}) < 2:
        return "one voice alone speaks"
    unknown = [start.name.speaker.casefold() for start in starts if kind_of(start.name) is None]
    # Ana, Ben, Cleo is a round; Ana, Ana, Ben, Ben is no conversation, but letters of Claude's and Grok's are, and so
    # are one prompt and an agent's steps.
    blocks = [name for name, _ in groupby(speakers)]
    is_asked = len(blocks) == 2 and (turns[0].kind, turns[-1].kind) == ("human", "agent")
    if len(blocks) == len({*blocks}) and 2 * len(blocks) <= len(speakers) and unknown and not is_asked:
        return "nobody answers anybody"
    if 2 * sum(turn.placeholder for turn in turns) > len(turns):
        return "most labels have no text below them"
    is_told = {"human", "agent"} <= {turn.kind for turn in turns}  # "Prompt" and "Response"
    if not is_told and len(unknown) == len(starts) and all(is_field(name) or is_section(name) for name in unknown):
        return "the names are those of fields"
    missed = missed_rows(found, labels)
    return f"it leaves out {len(missed)} labels of its shape" if len(missed) >= max(2, len(starts)) else ""


def missed_rows(found: Readings, labels: Sequence[Label]) -> list[int]:
    """The rows of labels that have the shape of a reading's own, and a name that comes back and is likely a voice.

    What stands behind a line that ends a turn was left out on purpose.
    """
    starts, turns = found.reading.starts if found.reading else (), found.transcript.turns
    rows = {start.row for start in starts}
    shapes = {label.form for label in labels if label.row in rows}
    left = [label for label in labels if label.form in shapes and label.row not in rows]
    names = count_names(left)
    scores = (item for group in structure.score(found.page, labels) for item in group.scores.items())
    likely = {key for key, score in scores if score >= structure.LIKELY}
    likely |= {start.name.key for start in starts}
    missed = [label.row for label in left if names[label.name.key] > 1 and label.name.key in likely]
    return [row for row in missed if found.transcript.turn_at(row + 1) or (turns and row < turns[0].line)]
