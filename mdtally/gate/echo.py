"""How much of a response repeats what others said: shared words, no phrase needed.

Each earlier turn is compared by itself, over word stems cut at seven letters, without stop words; all of them together
would make an echo of everybody who speaks late in a long round. It is overlap and no more: a rebuttal shares its
opponent's words too, which is why an echo is only a warning where no disagreement stands beside it. What the learnt
weights are told, `restating`, looks at all earlier turns together, and at what is new beside what is shared.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from mdtally.gate.fold import own_text
from mdtally.gate.words import WORDS
from mdtally.text.chars import has_han
from mdtally.text.records import record
from mdtally.text.regex import regex

# "storage", "预算" as two letters that stand side by side
_WORD = regex(r"[^\W\d_\u3400-\u9fff]{4,}|[\u3400-\u9fff](?=([\u3400-\u9fff]))")
_LONG = regex(r"[^\W\d_]{4,}")
_PLAIN = regex(r"[^\W\d_]{3,}")
REACH = 24
"""How many earlier turns count for what a response restates or takes up."""
_STOP = WORDS["no content"]

ECHO, ECHO_LEAST = 0.085, 12
"""Strength of overlap with an earlier turn, and different content words, from which on a response is an echo where
nothing else is weighed."""
ECHO_SHARE = 0.25
"""Below this share of content words shared with one earlier turn nothing is an echo, whatever else speaks for it."""
ECHO_COPY, ECHO_WORDS = 0.75, 5
"""From this share of shared content words on a response is an echo however short the turns are; and how many of its
content words have to be shared for an echo at all."""

Turns = Sequence[tuple[str, str]]
"""Turns in order, each its speaker and its text; a text is "" where it is not known."""


@record
class Before:
    """What stands before a response.

    Attributes:
        prior: the other agents' turns in its round: whom it could answer.
        debate: all agents' turns, its speaker's own among them: what it could repeat; the round's if that is all.
        speaker: who says it; "" where that is not known.
    """

    prior: Turns
    debate: Turns
    speaker: str = ""


@record
class Overlap:
    """How a response overlaps with the earlier turn that it repeats most.

    Attributes:
        speaker, source: whose turn that is, and its index among those given; None where no turn shares a word.
        words: share of the response's content words that occur in it.
        strength: the same, divided by the logarithm of that turn's size: a long turn holds any word sooner.
        size: how many different content words the response has; shared: how many of them occur there.
    """

    speaker: str = ""
    words: float = 0.0
    strength: float = 0.0
    size: int = 0
    shared: int = 0
    source: int | None = None

    @property
    def is_copied(self) -> bool:
        """True if most content words of the response stand in one earlier turn, however short the two are."""
        return self.words >= ECHO_COPY and self.shared >= ECHO_WORDS

    @property
    def echoes(self) -> bool:
        """True if the overlap by itself makes an echo: for packs without learnt weights."""
        return self.is_copied or (self.size >= ECHO_LEAST and self.strength >= ECHO)


@lru_cache(maxsize=8192)
def content_words(text: str) -> frozenset[str]:
    """The words of four letters and more that are not stop words, cut at seven letters."""
    found = set(_LONG.findall(text.lower()))
    if has_han(text):
        # In Chinese, two neighbouring letters stand for a word.
        found = {match.group() + (match.group(1) or "") for match in _WORD.finditer(text.lower())}
    return frozenset([word[:7] for word in found - _STOP])


def overlap(text: str, prior: Turns) -> Overlap:
    """The strongest overlap of a response's own words with an earlier turn; the last `REACH` count."""
    words, best = content_words(own_text(text)), Overlap()
    for index in range(max(0, len(prior) - REACH), len(prior)):
        speaker, said = prior[index]
        theirs = content_words(said)
        shared = len(words & theirs)
        share = shared / max(len(words), 1)
        if (strength := share / math.log(10 + len(theirs))) > best.strength:
            best = Overlap(speaker, share, strength, len(words), shared, index)
    return best


def restating(text: str, prior: Turns) -> tuple[float, int] | None:
    """The share of a response's pairs of neighbouring words that earlier turns hold, and how many content words it
    brings; None where none of their texts is known.

    Only the last `REACH` of them count: in a round of hundreds of turns everything has been said by somebody.
    """
    said = [words for _, words in prior if words][-REACH:]
    if not said:
        return None
    pairs = _pairs(text)
    new, unknown = content_words(text), pairs
    # What is left gets less with each turn, so that the last ones cost next to nothing.
    for words in said:
        new, unknown = new - content_words(words), unknown - _pairs(words)
    return (len(pairs) - len(unknown)) / max(len(pairs), 1), len(new)


@lru_cache(maxsize=1024)
def _pairs(text: str) -> frozenset[tuple[str, str]]:
    return frozenset(pairwise(_PLAIN.findall(text.lower())))
