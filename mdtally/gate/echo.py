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
from typing import NamedTuple

from mdtally.regex import regex

_WORD = regex(r"[^\W\d_\u3400-\u9fff]{4,}|[\u3400-\u9fff](?=([\u3400-\u9fff]))")
_HAN = regex(r"[\u3400-\u9fff]")
_LONG = regex(r"[^\W\d_]{4,}")
_PLAIN = regex(r"[^\W\d_]{3,}")
REACH = 24
"""How many earlier turns count for what a response restates."""
_STOP = frozenset(
    "that this with from have which their there would about these those where when what your they them will been were "
    "into more than then also only other some such just like could should must because being does here very through "
    "between while each every both most many much even still well over under same after before make makes made need "
    "needs want wants take takes think thing things really".split()
)

ECHO, ECHO_LEAST = 0.085, 12
"""Strength of overlap with an earlier turn, and different content words, from which on a response is an echo where
nothing else is weighed."""
ECHO_SHARE = 0.25
"""Below this share of content words shared with one earlier turn nothing is an echo, whatever else speaks for it."""
ECHO_COPY, ECHO_COPY_LEAST = 0.75, 5
"""From this share of shared content words, and so many of them, a response is an echo however short the turns are."""

Turns = Sequence[tuple[str, str]]
"""Turns in order, each its speaker and its text; a text is "" where it is not known."""


class Before(NamedTuple):
    """What stands before a response.

    Attributes:
        prior: the other agents' turns in its round: whom it could answer.
        debate: all agents' turns, its speaker's own among them: what it could repeat; the round's if that is all.
    """

    prior: Turns
    debate: Turns


class Overlap(NamedTuple):
    """How a response overlaps with the earlier turn that it repeats most.

    Attributes:
        speaker, source: whose turn that is, and its index among those given; None where no turn shares a word.
        words: share of the response's content words that occur in it.
        strength: the same, divided by the logarithm of that turn's size: a long turn holds any word sooner.
        size: how many different content words the response has.
    """

    speaker: str
    words: float
    strength: float
    size: int
    source: int | None = None


@lru_cache(maxsize=1024)
def stems(text: str) -> frozenset[str]:
    """The content words of a text, cut at seven letters."""
    if not text.isascii() and _HAN.search(text):
        # In Chinese, two neighbouring letters stand for a word.
        found = {match.group() + (match.group(1) or "") for match in _WORD.finditer(text.lower())}
    else:
        found = set(_LONG.findall(text.lower()))
    return frozenset([word[:7] for word in found - _STOP])


def overlap(text: str, prior: Turns) -> Overlap:
    """The strongest overlap of a response with an earlier turn; the last `REACH` count."""
    words = stems(text)
    best = Overlap("", 0.0, 0.0, len(words))
    for index, (speaker, said) in list(enumerate(prior))[-REACH:]:
        theirs = stems(said)
        share = len(words & theirs) / max(len(words), 1)
        strength = share / math.log(10 + len(theirs))
        if strength > best.strength:
            best = Overlap(speaker, share, strength, len(words), index)
    return best


def copied(found: Overlap) -> bool:
    """True where a response is another's turn over again, however short the two are."""
    return found.words >= ECHO_COPY and found.size >= ECHO_COPY_LEAST


def echoes(found: Overlap) -> bool:
    """True where the overlap by itself makes an echo: for packs without learnt weights."""
    return copied(found) or (found.size >= ECHO_LEAST and found.strength >= ECHO)


def restating(text: str, prior: Turns) -> tuple[float, int] | None:
    """The share of a response's pairs of neighbouring words that earlier turns hold, and how many content words it
    brings; None where none of their texts is known.

    Only the last `REACH` of them count: in a round of hundreds of turns everything has been said by somebody.
    """
    said = [words for _, words in prior if words][-REACH:]
    if not said:
        return None
    pairs = _pairs(text)
    new, unknown = stems(text), pairs
    # What is left gets less with each turn, so that the last ones cost next to nothing.
    for words in said:
        new, unknown = new - stems(words), unknown - _pairs(words)
    return (len(pairs) - len(unknown)) / max(len(pairs), 1), len(new)


@lru_cache(maxsize=1024)
def _pairs(text: str) -> frozenset[tuple[str, str]]:
    words = _PLAIN.findall(text.lower())
    return frozenset(pairwise(words))
