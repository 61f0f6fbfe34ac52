"""Names for what a turn is, with a number that counts them: "Prompt 3", "User request 2", "Question 1" and "Answer"."""

from __future__ import annotations

from mdtally.text.model import SpeakerKind
from mdtally.text.regex import regex
from mdtally.transcript.labels import words
from mdtally.transcript.labels.names import Name, is_name, kind_of, plain

_TURNS: tuple[tuple[str, SpeakerKind], ...] = (("asks", "human"), ("answers", "agent"))
# "User request 2", "Prompt #3"
_NUMBERED = regex(r"\s*#?\d{1,4}$")


def without_number(name: str) -> str:
    """A name without the number that counts its turns: "Prompt 3" is "Prompt"."""
    return _NUMBERED.sub("", name)


def without_count(text: str) -> Name | None:
    """A label's text without its number as a name, with the kind that its role or the word for its turn tells.

    "User request 2" and "Prompt 3" are a person's, "Assistant reply" and "Response 4" a machine's; None if it is not a
    name at all.
    """
    speaker = without_number(plain(text))
    if not is_name(speaker):
        return None
    key, kind = speaker.casefold(), None
    for table, of_turn in _TURNS:
        last = next((word for word in words.table(table) if key.endswith(word)), "")
        role = key.removesuffix(last)
        is_mine = of_turn == "human" and role.strip() in words.table("first-person")  # "My question"
        if last and (not role or is_mine):
            kind = of_turn
        elif last and (role.endswith(" ") or not role.isascii()):
            kind = kind_of(Name(role.strip()))
    return Name(speaker, kind=kind or kind_of(Name(speaker)))
