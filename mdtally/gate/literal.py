"""The published rules to the letter, for comparison: ``matching = "literal"``.

Eight phrases and six signals as case-insensitive substrings of the raw text, words split on white space, no regard to
words' edges, negation, quotation or code. A phrase is one finding, in the order of the list, however often it stands.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mdtally.gate.pack import load_or_english
from mdtally.gate.result import Failure, too_short
from mdtally.gate.words import WORDS
from mdtally.text.model import Span

SIGNALS = WORDS["published signals"]
"""What the published rule takes for disagreement or a stand-down."""


def check_literally(text: str, prior_speakers: Sequence[str], min_words: int) -> Iterator[Failure]:
    """What the published rules say of a response, every failure a warning."""
    lowered = text.lower()
    for phrase in load_or_english("en").phrases:
        if (at := lowered.find(phrase.lower())) >= 0:
            span = Span(at, at + len(phrase)) if len(lowered) == len(text) else None
            yield Failure("forbidden_phrase", phrase, span, layer=1)
    if (words := len(text.split())) < min_words:
        yield Failure("too_short", too_short(words, min_words), layer=3)
    elif prior_speakers and not any(signal in lowered for signal in SIGNALS):
        yield Failure("no_disagreement_signal", "none of the published signals", layer=2)
