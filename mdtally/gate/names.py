"""Where a text names the voices of a debate, and which of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from mdtally.gate.words import WORDS
from mdtally.text.chars import has_han
from mdtally.text.regex import regex

# "Ana", "Ruiz"
_NAME_WORD = regex(r"[^\W\d_]{3,}")
# "**", "(", "#": what is not part of a name
_NO_LETTER = regex(r"[^\w\s'’.&/-]|_")
_NO_NAME = WORDS["no name"]
# In front of a personal name: "Frau" alone names nobody.
_TITLES = WORDS["titles"]


def places(text: str, names: Sequence[str]) -> list[tuple[int, int]]:
    """Where somebody is named in a plain text: whole names in any case, words of a personal one also alone."""
    # In a group of a thousand, a pattern of all names would be made anew for every turn.
    lowered = text.lower()
    forms = [name_forms(name) for name in names]
    whole = {bare for bare, parts, _ in forms if bare and all(part in lowered for part in parts)}
    single = {word for _, _, words in forms for word in words if word.lower() in lowered}
    if not whole and not single:
        return []
    pattern = names_pattern(frozenset(whole), frozenset(single), not (has_han(text) or "ʼ" in text or "ʹ" in text))
    return [match.span() for match in pattern.finditer(text)]


def named_voices(words: str, names: Iterable[str]) -> tuple[str, ...]:
    """The voices that a few words name: those named whole, or else the one whose name a word is a part of.

    A word that several names share, a surname, names none of them.
    """
    found = tuple(name for name in names if places(words, (name,)))
    lowered = words.lower()
    whole = tuple(name for name in found if (bare := name_forms(name)[0]) and bare.lower() in lowered)
    return whole or (found if len(found) == 1 else ())


@lru_cache(maxsize=4096)
def name_forms(name: str) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """A name without marks, or "" where it is too short; its words in lower case; those that name somebody alone."""
    bare = " ".join(_NO_LETTER.sub(" ", name).split())
    if len(bare) < 2:
        return "", (), ()
    words = _NAME_WORD.findall(" ".join(word for word in bare.split() if word.lower() not in _TITLES))
    # "Machine Learning Specialist" is a role: its words are ordinary ones. "Ana Ruiz" is a person.
    is_role = any(word.lower() in _NO_NAME for word in words)
    return bare, tuple(bare.lower().split()), () if is_role else tuple(word for word in words if word[0].isupper())


@lru_cache(maxsize=256)
def names_pattern(whole: frozenset[str], single: frozenset[str], without_han: bool) -> re.Pattern[str]:
    """A pattern for whole names in any case, and for words that stand for a name alone."""
    alternatives = [f"(?i:{re.escape(word)})".replace(r"\ ", r"\s+") for word in sorted(whole, key=len)[::-1]]
    # "Anas Argument": German writes the genitive without an apostrophe.
    alternatives += [f"(?:{re.escape(word)}s?|{re.escape(word.upper())})" for word in sorted(single, key=len)[::-1]]
    union = "|".join(alternatives)
    if without_han:
        return re.compile(rf"(?<![^\W_])(?:{union})(?![^\W_])")
    # A letter of Han beside a name is another word: that script writes none apart. Some apostrophes count as letters.
    return re.compile(rf"(?<![^\W_\u3400-\u9fff])(?:{union})(?![^\W_\u3400-\u9fffʼʹ])")
