"""Names for what a turn is, with a number that counts them: "Prompt 3", "User request 2", "Question 1" and "Answer"."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mdtally.text import words
from mdtally.text.model import SpeakerKind
from mdtally.text.names import Name, is_name, kind_of, plain
from mdtally.text.regex import regex

_TURNS: Final[Mapping[str, SpeakerKind]] = {"prompts": "human", "asks": "human", "answers": "agent"}
# "User request 2", "Prompt #3", and not "GPT-5"; "1.1 Prompt", "2 - Respuesta"
_NUMBERED = regex(r"(?<![\d.-])\s*#?\d{1,4}$")
_COUNTED = regex(r"^(?:\d{1,3}(?:\.\d{1,3})*[.)]?\s+(?:[-–—]\s+)?)+(?=\D)")
# "My prompt to Copilot Chat": whom it is said to; "Response from ChatGPT": words between it and who says it
_TO, _OF = regex(r"\s(?:to|an|à|a|para)\s.+"), regex(r"\s(?:by|from|of|der|des|von|de|del|da|do|du)(?=\s)")
# "Prompt 1 (ask mode)", "Prompt 2: Provide a diagram", "Prompt 3 - plan mode"
_BEHIND = regex(r"\s*[(（][^()（）]*[)）]|[:：].*|\s+[-–—]\s.*")


def without_number(name: str) -> str:
    """A name without the number that counts its turns: "Prompt 3" is "Prompt"."""
    return _NUMBERED.sub("", name)


def without_count(text: str) -> Name | None:
    """A label's text without its number as a name, with the kind that its role or the word for its turn tells.

    "User request 2", "My prompt" and "Prompt 3" are a person's, "Assistant reply", "AI response summary" and "Result 4"
    a machine's; None if it is not a name at all.
    """
    whole = without_number(_BEHIND.sub("", _COUNTED.sub("", plain(text), count=1)))
    speaker = whole if is_name(whole) else _TO.sub("", whole)
    return Name(speaker, kind=_kind_of_turn(whole.casefold()) or kind_of(Name(speaker))) if is_name(speaker) else None


def _kind_of_turn(key: str) -> SpeakerKind | None:
    """Whose turn a name says that it is: by who is named beside the word for the turn, or by that word alone."""
    turns, role = set[str](), list[str]()
    for word in _OF.sub("", _TO.sub("", key)).split():
        for table in _TURNS:
            last = max((one for one in words.table(table) if _ends_in(word, one)), key=len, default="")
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


def _ends_in(word: str, last: str) -> bool:
    """True if a word is another one, or ends in it where a script has no spaces."""
    return word == last or (not word.isascii() and word.endswith(last))
