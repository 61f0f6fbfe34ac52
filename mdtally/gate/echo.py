"""How much of a response repeats what others said: shared words, no phrase needed.

Restating shows in content words that are another's. Each earlier turn is compared by itself, over word stems cut at
seven letters, without stop words; all of them together would make an echo of everybody who speaks late in a long round.
It is overlap and no more: a rebuttal shares its opponent's words too, which is why an echo is only a warning where no
disagreement stands beside it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

_WORD = re.compile(r"[^\W\d_\u3400-\u9fff]{4,}|[\u3400-\u9fff](?=([\u3400-\u9fff]))")
_STOP = frozenset(
    "that this with from have which their there would about these those where when what your they them will been were "
    "into more than then also only other some such just like could should must because being does here very through "
    "between while each every both most many much even still well over under same after before make makes made need "
    "needs want wants take takes think thing things really".split()
)


class Overlap(NamedTuple):
    """How a response overlaps with the earlier turn that it repeats most.

    Attributes:
        speaker: whose turn that is.
        words: share of the response's content words that occur in it.
        strength: the same, divided by the logarithm of that turn's size: a long turn holds any word sooner.
        size: how many different content words the response has.
    """

    speaker: str
    words: float
    strength: float
    size: int


@lru_cache(maxsize=1024)
def stems(text: str) -> frozenset[str]:
    """The content words of a text, cut at seven letters."""
    # In Chinese, two neighbouring letters stand for a word.
    found = ((match.group() + (match.group(1) or "")).lower() for match in _WORD.finditer(text))
    return frozenset(word[:7] for word in found if word not in _STOP)


def overlap(text: str, prior: Sequence[tuple[str, str]]) -> Overlap:
    """The strongest overlap of a response with an earlier turn, each a (speaker, text) pair."""
    words = stems(text)
    best = Overlap("", 0.0, 0.0, len(words))
    for speaker, said in prior:
        theirs = stems(said)
        share = len(words & theirs) / max(len(words), 1)
        strength = share / math.log(10 + len(theirs))
        if strength > best.strength:
            best = Overlap(speaker, share, strength, len(words))
    return best
