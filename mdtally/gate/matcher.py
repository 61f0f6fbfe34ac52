"""Finding many patterns in one walk over the words of a text.

A pattern is tried only at words it can start with, and only in a text that holds the other words it needs; so most
patterns of a pack are never compiled in a short run, and a long text pays for those that may fit.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Generic, NamedTuple, TypeVar

from mdtally.gate.fold import MENTION, NAME
from mdtally.regex import regex

T = TypeVar("T")

STEM = 3
"""How many letters of a word beginning ("overlook*") are looked up."""
TOKEN = regex(rf"[^\W_]+(?:'[^\W_]+)?|[{MENTION}{NAME}]|[^\w\s]")
"""A word, a mention, a name, a mark: a pattern starts at one."""
_MOST_KNOWN = 20_000

_Try = tuple[T, re.Pattern[str], int, int]
"""A pattern that can start in a word: owner, expression, where in the word, the bits that it needs."""


class Hit(NamedTuple, Generic[T]):
    """A pattern found: its owner and its place in the folded text."""

    owner: T
    start: int
    end: int


class Matcher(Generic[T]):
    """Patterns of many owners, to be found in folded texts.

    What a pattern needs is a set of bits, one a choice of words; a word sets the bits of the choices it belongs to.

    Args:
        patterns: (owner, regular expression, bits that it needs) of each.
        by_word: for a word, the numbers of the patterns that can start with it.
        by_stem: the same for the first letters of a word, at most `STEM`.
        bits: by word, the bits that it sets; for "ove*", every word that starts so does.
        unspaced: True where the script writes without spaces; a stem is then one letter.
    """

    def __init__(
        self,
        patterns: Iterable[tuple[T, str, int]],
        by_word: Mapping[str, Sequence[int]],
        by_stem: Mapping[str, Sequence[int]],
        bits: Mapping[str, int],
        *,
        unspaced: bool = False,
    ) -> None:
        self._patterns = [(owner, regex(source), needs) for owner, source, needs in patterns]
        self._by_word = by_word
        self._by_stem = by_stem
        self._bits = bits
        self._unspaced = unspaced
        self._known: dict[str, tuple[int, tuple[_Try[T], ...]]] = {}

    def find(self, text: str) -> Iterator[Hit[T]]:
        """Every pattern at every word where it fits, in the order of the text; hits may overlap."""
        each = enumerate(text) if self._unspaced else ((match.start(), match.group()) for match in TOKEN.finditer(text))
        tokens = list(each)
        known = self._known
        present = 0
        starting = []
        for word in {word for _, word in tokens}:
            bits, tries = known.get(word) or self._look_up(word)
            present |= bits
            if tries:
                starting.append((word, tries))
        alive = {word: live for word, tries in starting if (live := [t for t in tries if t[3] & present == t[3]])}
        for start, word in tokens:
            if word in alive:
                for owner, expression, inside, _ in alive[word]:
                    match = expression.match(text, start + inside)
                    if match:
                        yield Hit(owner, start + inside, match.end())

    def _look_up(self, word: str) -> tuple[int, tuple[_Try[T], ...]]:
        """The bits that a word sets and the patterns that can start in it; remembered, because texts repeat words."""
        found = [(number, 0) for number in self._by_word.get(word, ())]
        head, _, rest = word.partition("'")
        if rest:
            found += [(number, 0) for number in self._by_word.get(head, ())]
            # "l'argument", "d'accord": French elides the word in front, and the phrase starts behind it.
            found += [(number, len(head) + 1) for number in self._by_word.get(rest, ())]
        for size in range(1, STEM + 1):
            if len(word) >= size:
                found += [(number, 0) for number in self._by_stem.get(word[:size], ())]
        bits = 0
        for part in (word, head, rest, f"{word[:STEM]}*"):
            bits |= self._bits.get(part, 0)
        if len(self._known) >= _MOST_KNOWN:
            self._known.clear()
        tries = tuple((owner, late, at, need) for n, at in found for owner, late, need in (self._patterns[n],))
        self._known[word] = bits, tries
        return bits, tries
