"""Names for what a turn is, with a number that counts them: "Prompt 3", "User request 2", "Question 1" and "Answer"."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import Final

from mdtally.text import words
from mdtally.text.layout import Layout
from mdtally.text.model import SpeakerKind
from mdtally.text.names import Name, is_name, kind_of, plain
from mdtally.text.regex import regex
from mdtally.transcript.labels.shapes import LabelForm, openings, visible

_TURNS: Final[Mapping[str, SpeakerKind]] = {"prompts": "human", "asks": "human", "answers": "agent"}
_SIGNS: Final[Mapping[str, SpeakerKind]] = {"question-signs": "human", "answer-signs": "agent"}  # "Q1", "A1"
# "User request 2", "Prompt #3", and not "GPT-5"; "1.1 Prompt", "2 - Respuesta"
_NUMBERED = regex(r"(?<![\d.-])\s*#?\d{1,4}$")
_COUNTED = regex(r"^(?:\d{1,3}(?:\.\d{1,3})*[.)]?\s+(?:[-–—]\s+)?)+(?=\D)")
# "My prompt to Copilot Chat": whom it is said to; "Response from ChatGPT": words between it and who says it
_TO, _OF = regex(r"\s(?:to|an|à|a|para)\s.+"), regex(r"\s(?:by|from|of|der|des|von|de|del|da|do|du)(?=\s)")
# "Prompt 1 (ask mode)", "Prompt 2: Provide a diagram", "Prompt 3 - plan mode"
_BEHIND = regex(r"\s*[(（][^()（）]*[)）]|[:：].*|\s+[-–—]\s.*")

_AT = regex(r"\s*\[[^\[\]]*\]\s*$")  # "Prompt [10:12]"
_ANSWERED: Final = 3
"""From how many prompts with an answer on a page may be a log of them."""


@lru_cache(1000)  # a page's labels say it again and again
def without_count(text: str) -> Name | None:
    """A label's text without its number as a name, with the kind that its role or the word for its turn tells.

    "User request 2", "My prompt" and "Prompt 3" are a person's, "Assistant reply", "AI response summary" and "Result 4"
    a machine's; None if it is not a name at all.
    """
    counted = _BEHIND.sub("", _COUNTED.sub("", plain(text), count=1))
    whole = _NUMBERED.sub("", counted)
    speaker = whole if is_name(whole) else _TO.sub("", whole)
    signs = (kind for table, kind in _SIGNS.items() if whole.casefold() in words.table(table) and counted != whole)
    kind = next(signs, None) or _kind_of_turn(whole.casefold()) or kind_of(Name(speaker))
    return Name(speaker, kind=kind) if is_name(speaker) else None


def _kind_of_turn(key: str) -> SpeakerKind | None:
    """Whose turn a name says that it is: by who is named beside the word for the turn, or by that word alone."""
    turns, role = set[str](), list[str]()
    for word in _OF.sub("", _TO.sub("", key)).split():
        for table in _TURNS:
            last = _ending(word, words.table(table))
            turns |= {table} if last else set()
            word = word.removesuffix(last)
        if word not in words.table("turn-parts", "trailing-nouns", "stage-notes"):
            role.append(word)
    named = " ".join(filter(None, role))
    kind = "human" if named in words.table("first-person") else kind_of(Name(named))
    if named and not kind:
        return None
    if "prompts" in turns and kind in (None, "agent"):
        return "human"
    return kind or (_TURNS[min(turns)] if turns else None)


def _ending(word: str, found: Collection[str]) -> str:
    """Of some words the one that a word is, or the longest that it ends in where a script has no spaces; else ""."""
    if word in found or word.isascii():
        return word if word in found else ""
    return max(filter(word.endswith, found), key=len, default="")


def is_answered(lines: Sequence[str], first: int, layout: Layout) -> bool:
    """True if headings or bold labels name prompts, and most have an answer: "### Prompt #1", "### Response [10:12]".

    Or a name with the prompt's number, "### SoNia #1".
    """
    turns: list[tuple[str, Name, LabelForm]] = []
    for _, line, heading in visible(lines, first, layout):
        one = next((one for one in openings(line, heading) if one.set_off), None) if heading or line[0] == "*" else None
        name = without_count(_AT.sub("", one.shown)) if one and not one.form.inside else None
        if one and name and (name.kind in ("human", "agent") or "#" in one.shown):
            turns.append((one.shown.rpartition("#")[2], name, one.form))
    asked: Counter[tuple[str, LabelForm]] = Counter()
    answered: Counter[tuple[str, LabelForm]] = Counter()
    for (number, name, form), (its_number, answer, _) in itertools.pairwise(turns):
        if not words.table("prompts", "humans").isdisjoint(name.key.split()):
            asked[name.key, form] += 1
            is_answer = answer.kind == "agent" or (answer.kind is None and its_number == number)
            answered[name.key, form] += is_answer
    return any(count >= _ANSWERED and 4 * count >= 3 * asked[one] for one, count in answered.items())
