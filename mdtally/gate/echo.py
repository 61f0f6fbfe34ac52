"""How much of a response repeats what others said: shared words, no phrase needed.

Copying shows in long shared runs; restating in other order shows in content words that are nearly all another's. Both
are measured against each earlier turn by itself and against all of them, over word stems cut at seven letters, without
stop words. It is overlap and no more: a rebuttal shares its opponent's words too, which is why an echo is only a warning
where no disagreement stands beside it.
"""

from __future__ import annotations

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
    """How a response overlaps with earlier turns.

    Attributes:
        speaker: whose turn it repeats most.
        pairs: share of its adjacent pairs of content words that occur as a pair in that turn.
        words: share of its content words that occur in that turn.
        all_words: share of its content words that occur in any earlier turn.
        size: how many different content words it has.
    """

    speaker: str
    pairs: float
    words: float
    all_words: float
    size: int


def stems(text: str) -> frozenset[str]:
    """The content words of a text, cut at seven letters."""
    return _content(text)[0]


@lru_cache(maxsize=1024)
def _content(text: str) -> tuple[frozenset[str], frozenset[tuple[str, str]]]:
    # In Chinese, two neighbouring letters stand for a word.
    found = ((m.group() + (m.group(1) or "")).lower() for m in _WORD.finditer(text))
    stems = [word[:7] for word in found if word not in _STOP]
    return frozenset(stems), frozenset(zip(stems, stems[1:], strict=False))


def overlap(text: str, prior: Sequence[tuple[str, str]]) -> Overlap:
    """The overlap of a response with the earlier turns, each a (speaker, text) pair."""
    words, pairs = _content(text)
    best = Overlap("", 0.0, 0.0, 0.0, len(words))
    if not words:
        return best
    everything: set[str] = set()
    for speaker, said in prior:
        their_words, their_pairs = _content(said)
        everything |= their_words
        share = len(words & their_words) / len(words)
        runs = len(pairs & their_pairs) / len(pairs) if pairs else 0.0
        if (runs + share, speaker) > (best.pairs + best.words, best.speaker):
            best = Overlap(speaker, runs, share, 0.0, len(words))
    return best._replace(all_words=len(words & everything) / len(words))
