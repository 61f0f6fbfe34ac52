"""A turn's evidence as numbers, for the learnt weights: what stands in it, where, and what is new in it.

Words of doubt alone don't make disagreement: a plan lists its risks, a poem says no. What tells is whether the doubt
is about what others said, how much of the turn it fills, and how much praise and private feeling stands beside it. What
each number is worth is learnt (`bench/train_gate.py`).
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from mdtally.gate.echo import ECHO_SHARE, Before, Overlap, restating, stems
from mdtally.gate.evidence import Evidence
from mdtally.gate.pack import Hit
from mdtally.regex import regex

_DOUBT = frozenset(
    "outright disagreement|agreement withheld|a claim called wrong|something ignored|harsh judgement|"
    "a premise rejected|a failing case|an opposed conclusion|an exposing question|correction|failure or flaw".split("|")
)
_PRAISE = frozenset({"agreement", "harmony", "praise and thanks", "reassurance"})

_FAMILIES = tuple(
    "outright disagreement|agreement withheld|a claim called wrong|correction|a concern raised|a change asked for|"
    "concession before a turn|musing|a plan laid out|the speaker's own state|agreement|harmony|a failing case".split(
        "|"
    )
)
"""Families of signals that are counted one by one."""
_OPENING = 160
"""How many folded characters count as the opening: about two sentences."""
_LOOK_BACK = 4
"""How many earlier turns count as the last ones."""

TURN = regex(
    r"(?<![^\W_])(?:but|however|yet|although|though|except|still|until|only if|whereas|instead|while|unless)(?![^\W_])"
    r"|;| - "
)
"""Words and marks by which a sentence turns against what it has conceded."""
_WORD = regex(r"[^\W_]+(?:'[^\W_]+)?")
_DIGIT = regex(r"\d")
_INNER_NAME = regex(r"[A-Z](?<=[^\W\d_,;] [A-Z])[a-z]+")
"""A capitalised word inside a sentence."""
_SECOND = frozenset("you your you're you've you'd you'll yours yourself".split())
_FIRST = frozenset("i i'm i've i'd i'll my me mine myself".split())
_NEGATIVE = frozenset("not no never none nothing nobody neither nor cannot without".split())
_OPENS_WITH_CONTRAST = regex(r"\s*(?:but|however|yet|still|that said|nevertheless|though|instead|no|and yet)(?![^\W_])")


def features(evidence: Evidence, raw: str, before: Before, repeats: Overlap) -> dict[str, float]:
    """The numbers of a turn; `bench/gate_numbers.py` says what each is. Common values stand for what is unknown.

    Args:
        evidence: what was gathered.
        raw: the response as it stands, for its capitals.
        before: what was said before it.
        repeats: the earlier turn that it repeats most.
    """
    last = [text for _, text in before.prior]
    near, far = restating(raw, before.prior), restating(raw, before.debate)
    body = evidence.folded.text
    said = Counter(_WORD.findall(body))
    words = said.total()
    counts = Counter(hit.owner.name for hit in evidence.used["signal"])
    pads = (*evidence.used["padding"], *evidence.used["forbidden"])
    sentences = _sentences(evidence, pads)
    number = max(len(sentences), 1)

    def often(kind: frozenset[str], most: float, more: int = 0) -> float:
        return min((sum(said[word] for word in kind & said.keys()) + more) * 100 / (words + 40), most) / 2

    found = {name: math.log1p(counts[name]) for name in _FAMILIES}
    mine = stems(body)
    known = frozenset[str]().union(*map(stems, [text for text in last if text][-_LOOK_BACK:]))
    about = sum(s.doubts > 1 and (not any(last) or len(stems(s.text) & known) > 1) for s in sentences)
    return found | {
        "seen": float(any(hit.owner.strength != "against" for hit in evidence.used["signal"])),
        "vague": math.log1p(len(evidence.used["vague"])),
        "praise share": sum(sentence.praises for sentence in sentences) / number,
        "first person": often(_FIRST, 8.0),
        "second person": often(_SECOND, 6.0),
        "negation": often(_NEGATIVE, 8.0, body.count("n't")),
        "turns": math.log1p(sum(bool(_OPENS_WITH_CONTRAST.match(sentence.text)) for sentence in sentences)),
        "question share": sum(sentence.text.rstrip().endswith("?") for sentence in sentences) / number,
        "short": max(0.0, 4.2 - math.log1p(words)),
        "praise": len(pads) * 20 / (words + 20),
        "opening praise": float(any(hit.start < _OPENING for hit in evidence.used["padding"])),
        "exclamations": body.count("!") * 20 / (words + 20),
        "proper names": math.log1p(len(_INNER_NAME.findall(raw)) * 100 / (words + 20)),
        "digits": float(bool(_DIGIT.search(body))),
        "doubt about their words": math.log1p(about),
        # A short turn can't bring many words, whatever was said before it.
        "vocabulary brought": math.log1p(near[1] if near else 0.75 * len(mine)),
        "said before": far[0] if far else 0.1,
        "overlap": repeats.strength * 10 if repeats.speaker else 0.4,
        "apart": float(repeats.words < ECHO_SHARE),
        "new to the debate": far[1] * 3 / (words + 20) if far else 0.75,
    }


class _Sentence(NamedTuple):
    """A sentence with the hits in it."""

    start: int
    text: str
    hits: list[Hit]

    @property
    def doubts(self) -> int:
        """How many families of doubt stand in it."""
        return len(_DOUBT & {hit.owner.name for hit in self.hits if hit.owner.kind == "signal"})

    @property
    def praises(self) -> bool:
        """True where praise stands in it and nothing turns against it: "I like it, but" praises nothing."""
        praise = (hit for hit in self.hits if hit.owner.kind != "signal" or hit.owner.name in _PRAISE)
        return any(not TURN.search(self.text, hit.end - self.start) for hit in praise)


def _sentences(evidence: Evidence, pads: Sequence[Hit]) -> list[_Sentence]:
    body = evidence.folded.text
    places = pairwise((0, *evidence.sentences, len(body)))
    found = [_Sentence(start, text, []) for start, end in places if len((text := body[start:end]).strip()) > 2]
    starts = [sentence.start for sentence in found]
    for hit in (*evidence.used["signal"], *pads):
        if n := bisect_right(starts, hit.start):
            found[n - 1].hits.append(hit)
    return found
