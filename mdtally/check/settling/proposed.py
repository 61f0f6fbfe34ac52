"""A reading that a model proposes, in the words of a frontmatter: applied to the whole file, and checked like any.

A proposal is refused where the file shows that it can't be right: what it names does not occur, one voice alone speaks
or nobody answers, most labels have no text below them, or half of the labels of its own shape are left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

from mdtally.check.settling.choices import Offer, count_names, is_of_fields, offer_of
from mdtally.text.document import Document
from mdtally.text.model import Refusal, Turn
from mdtally.text.records import replace
from mdtally.text.voices import KINDS, strings
from mdtally.transcript.labels.shapes import Label
from mdtally.transcript.page import Page, Reading
from mdtally.transcript.patterns import PatternError, compile_pattern
from mdtally.transcript.reading import labels_of, readings_by

_MOST, _LONGEST = 40, 500
"""Patterns and names of a proposal at most, and characters of each."""


def proposed(document: Document, answer: Mapping[str, object], by: str) -> Offer | Refusal:
    """The offer that a proposal makes of a document, or why it makes none.

    Args:
        document: the file.
        answer: "turn", "round", "end", "start" and "participants", as a frontmatter has them; others are passed over.
        by: who proposes it.
    """
    patterns = {key: answer[key] for key in ("turn", "round", "end", "start") if answer.get(key)}
    people = answer.get("participants") or {}
    if not patterns.get("turn"):
        return Refusal("the proposal has no pattern for turns")
    if not (isinstance(people, Mapping) and all(map(_is_usable, (*patterns.values(), [*people], [*people.values()])))):
        return Refusal("the proposal is not written as a frontmatter says it")
    for key in patterns.keys() & {"round", "end"}:
        patterns[key] = _occurring(patterns[key], document.lines)
    voices = {name: _voice(said) for name, said in people.items()}
    found = readings_by(document, {"transcript": patterns, **({"participants": voices} if voices else {})})
    wrong = next((one for one in found.transcript.problems if one.severity == "error"), None)
    if wrong or found.reading is None:
        return Refusal(f"the proposal does not fit: {wrong.message if wrong else 'it finds no turn'}")
    if why := _why_not(found.page, found.reading, found.transcript.turns, labels_of(document)[1]):
        return Refusal(f"the proposal is refused: {why}")
    return replace(offer_of(found.page, found.reading, found.transcript.turns), proposed_by=by)


def _voice(said: object) -> object:
    """A voice's kind, with further spellings if there are some, as a frontmatter has it; without a kind it is an agent."""
    kind, aliases = (said.get("kind"), said.get("aliases")) if isinstance(said, Mapping) else (said, None)
    kind = kind if kind in KINDS else "agent"
    return {"kind": kind, "aliases": strings(aliases)} if aliases else kind


def _occurring(value: object, lines: Sequence[str]) -> list[str]:
    """The patterns of rounds or ends that a line fits, or that can't be used; of others a model guesses too many."""
    found = []
    for source in strings(value):
        try:
            pattern = None if source.startswith("/") else compile_pattern(source)
        except PatternError:
            pattern = None
        if pattern is None or any(map(pattern.match, lines)):
            found.append(source)
    return found


def _is_usable(value: object) -> bool:
    """True for a text, a list of some, or a mapping of such: none too long, and not too many."""
    if isinstance(value, Mapping):
        return len(value) <= _MOST and _is_usable([*value]) and all(map(_is_usable, value.values()))
    texts = value if isinstance(value, list) else [value]
    return len(texts) <= _MOST and all(isinstance(text, str) and len(text) <= _LONGEST for text in texts)


def _why_not(page: Page, reading: Reading, turns: Sequence[Turn], labels: Sequence[Label]) -> str:
    """What shows that a reading can't be right; "" if nothing does."""
    speakers = [turn.speaker for turn in turns]
    if len({*speakers}) < 2:
        return "one voice alone speaks"
    # Ana, Ben, Cleo is a round; Ana, Ana, Ben, Ben is no conversation.
    blocks = [name for name, _ in groupby(speakers)]
    if len(blocks) == len({*blocks}) < len(speakers):
        return "nobody answers anybody"
    if 2 * sum(turn.placeholder for turn in turns) > len(turns):
        return "most labels have no text below them"
    rows = {start.row for start in reading.starts}
    used = [label for label in labels if label.row in rows]
    if used and is_of_fields(used):
        return "the names are those of fields"
    shapes = {label.form for label in used}
    left = [label for label in labels if label.form in shapes and label.row not in rows]
    names = count_names(left)
    missed = [label for label in left if names[label.name.key] > 1]
    return f"it leaves out {len(missed)} labels of its shape" if len(missed) >= max(2, len(used)) else ""
