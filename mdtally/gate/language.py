"""Which language a debate is written in: a light test, because a wrong pack would flag honest turns.

Stop words decide among languages in one script; the script decides where it is enough. A language without a pack must
come out as none, so many are known by their stop words, too: Portuguese would otherwise look Spanish. Of two near
languages only the words count that one of them has and the other hasn't.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from itertools import islice

from mdtally.gate.pack import languages, stop_words
from mdtally.text.records import by_key
from mdtally.text.regex import regex

SAMPLE = 20_000
"""How many characters of a debate are looked at."""
MANY = 60
"""A pack that lists so many stop words is known by them: a text without any is not in its language. English has fewer,
Chinese none."""
LONG = 12
"""So many words of a language hold two of its stop words or more."""

_WORD = regex(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_HAN = regex(r"[\u4e00-\u9fff\u3400-\u4dbf]")
_OTHER_SCRIPT = regex(
    r"[\u0370-\u03ff\u0400-\u052f\u0530-\u06ff\u0900-\u0dff\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\uac00-\ud7af]"
)
_LETTER = regex(r"[^\W\d_]")
_END = regex(r"[.!?\n]+")


@cache
def _index() -> Mapping[str, Sequence[str]]:
    """By each stop word the codes of its languages."""
    return by_key((word, code) for code, listed in stop_words().items() for word in listed)


class _Words:
    """The stop words of a text, in which a sentence that comes again counts once.

    Attributes:
        total: how many words it has, stop words or not.
        codes: the languages of which it has any.
        number: how many it has of each.
    """

    def __init__(self, sample: str) -> None:
        said = Counter(_WORD.findall("\n".join(dict.fromkeys(_END.split(sample.lower().replace("’", "'"))))))
        self.total, self._said = said.total(), said
        by_code = by_key((code, word) for word in said for code in _index().get(word, ()))
        self._words = {code: {*words} for code, words in by_code.items()}
        self.codes = [code for code in stop_words() if code in self._words]
        self.number = Counter({code: sum(map(said.__getitem__, words)) for code, words in self._words.items()})

    def count(self, language: str, other: str = "") -> int:
        """How many of its words are stop words of a language and not of the other.

        Words that stand in it by chance are few and come often, so of two different ones four at most are counted, of
        three nine.
        """
        words = self._words.get(language, set())
        shared = words & self._words.get(other, set())
        number = self.number[language] - sum(map(self._said.__getitem__, shared))
        # Of English few are listed, and a debate in one form repeats those.
        return number if language == "en" else min(number, (len(words) - len(shared)) ** 2)


def detect_language(texts: Iterable[str]) -> str | None:
    """The language of a debate's turns, where there is a pack for it; None for another, a mixture, or too few words.

    None is also the answer where no word tells it from a near language: a few words of Catalan may look Spanish.
    """
    sample = "\n".join(text[:SAMPLE] for text in islice(texts, SAMPLE))[:SAMPLE]
    said = _Words(sample)
    best = _best(sample, said)
    others = {*said.codes} - {best} if best != "zh" else ()
    is_told = all(said.count(best, other) > said.count(other, best) for other in others)
    return best if best in languages() and is_told else None


@lru_cache(maxsize=1024)
def contradicts(text: str, language: str) -> str | None:
    """Another language's code where a text isn't in the given one, "?" for one without a pack, else None.

    "?" is also the answer where it is more in a language without a pack, or in none that is known.
    """
    sample = text[:SAMPLE]
    said = _Words(sample)
    best = _best(sample, said)
    if best in ("zh", "?", language):
        return None if best == language else best
    is_listed = len(stop_words().get(language, ())) >= MANY
    for other in (best, *(said.codes if is_listed else ())):
        number, own = said.count(other, language), said.count(language, other)
        is_more = number > own if is_listed and other not in languages() else number >= 2 * own + 0.05 * said.total
        # "I disagree." holds one word that is Polish, too.
        if number > 1 and is_more:
            return other if other == best and other in languages() else "?"
    return "?" if is_listed and said.total >= LONG and said.count(language) < 2 else None


def _best(sample: str, said: _Words) -> str:
    """The code of the language that a text is most likely in, "?" for a script of another, "" if nothing tells."""
    # No letter of Han or of another script that is known lies elsewhere.
    known = () if sample.isascii() else set(sample)
    if any("\u0370" <= letter <= "\u17ff" or "\u3040" <= letter <= "\ud7af" for letter in known):
        letters, other, han = (len(kind.findall(sample)) for kind in (_LETTER, _OTHER_SCRIPT, _HAN))
        # A letter of Han says about as much as three Latin ones; kana beside it means Japanese.
        if other * 4 > letters - han and other * 10 > han:
            return "?"
        if han * 3 > (letters - han):
            return "zh"
    first = max(said.codes, key=said.count, default="")
    most = said.count(first)
    # As many by chance are too few different ones for their number.
    if most <= 0.04 * said.total or (len(stop_words()[first]) >= MANY and most < said.number[first]):
        return ""  # also where it has no word of any
    # Notes full of code and names have few stop words, but then nearly all of one language's.
    margin = 1.15 if most >= 0.12 * said.total else 2
    others = (code for code in said.codes if code != first)
    is_first = all(said.count(first, code) >= margin * said.count(code, first) for code in others)
    return first if is_first else ""
