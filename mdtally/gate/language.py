"""Which language a debate is written in: a light test, because a wrong pack would flag honest turns.

Stop words decide among languages in one script; the script decides where it is enough. A language without a pack must
come out as none, so a few common ones are known by their stop words too: Portuguese would otherwise look Spanish.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import cache, lru_cache
from itertools import islice

from mdtally.gate.pack import languages, stop_words
from mdtally.text.regex import regex

SAMPLE = 20_000
"""How many characters of a debate are looked at."""

_WORD = regex(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_HAN = regex(r"[\u4e00-\u9fff\u3400-\u4dbf]")
_OTHER_SCRIPT = regex(
    r"[\u0370-\u03ff\u0400-\u052f\u0530-\u06ff\u0900-\u0dff\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\uac00-\ud7af]"
)
_LETTER = regex(r"[^\W\d_]")


def detect_language(texts: Iterable[str]) -> str | None:
    """The language of a debate's turns, where there is a pack for it; None for another, a mixture, or too few words."""
    best = _best("\n".join(text[:SAMPLE] for text in islice(texts, SAMPLE))[:SAMPLE])
    return best if best in languages() else None


@lru_cache(maxsize=1024)
def contradicts(text: str, language: str) -> str | None:
    """Another language's code where a text plainly isn't in the given one ("?" where it has no pack), else None."""
    best = _best(text[:SAMPLE])
    if best in ("", language):
        return None
    if best not in ("zh", "?"):
        shares = _shares(text[:SAMPLE])
        # "I disagree." holds one word that is Polish, too.
        is_one_word = len(stop_words()[best].intersection(_WORD.findall(text[:SAMPLE].lower()))) < 2
        if is_one_word or shares.get(best, 0) < 2 * shares.get(language, 0) + 0.05:
            return None
    return best if best in languages() else "?"


@lru_cache(maxsize=256)
def _best(sample: str) -> str:
    """The code of the language that a text is most likely in, "?" for a script of another, "" if nothing tells."""
    # No letter of Han or of another script that is known lies elsewhere.
    if not sample.isascii() and any(
        "\u0370" <= letter <= "\u17ff" or "\u3040" <= letter <= "\ud7af" for letter in set(sample)
    ):
        letters, other, han = (len(kind.findall(sample)) for kind in (_LETTER, _OTHER_SCRIPT, _HAN))
        # A letter of Han says about as much as three Latin ones; kana beside it means Japanese.
        if other * 4 > letters - han and other * 10 > han:
            return "?"
        if han * 3 > (letters - han):
            return "zh"
    ranked = sorted(_shares(sample).items(), key=lambda item: -item[1])
    (first, most), (_, next_most) = (*ranked, ("", 0.0), ("", 0.0))[:2]
    # Notes full of code and names have few stop words, but then nearly all of one language's.
    return first if (most >= 0.12 and most >= next_most * 1.15) or (most >= 0.04 and most >= next_most * 2) else ""


def _shares(sample: str) -> dict[str, float]:
    """For each known language the share of words that are stop words of it."""
    said = Counter(_WORD.findall(sample.lower().replace("’", "'")))
    total, known = said.total(), _languages_of()
    counts = dict.fromkeys(stop_words(), 0) if total else {}
    for word in said.keys() & known.keys():
        for code in known[word]:
            counts[code] += said[word]
    return {code: number / total for code, number in counts.items()}


@cache
def _languages_of() -> dict[str, list[str]]:
    """By stop word the languages that it is one of."""
    found: dict[str, list[str]] = {}
    for code, words in stop_words().items():
        for word in words:
            found.setdefault(word, []).append(code)
    return found
