"""A turn's evidence as numbers, for the learnt weights: what stands in it, where, and what is new in it.

Words of doubt alone don't make disagreement: a plan lists its risks, a poem says no. What tells is whether the doubt
is about what others said (`mdtally.gate.against`), how much of the turn it fills, and how much praise and private
feeling stands beside it. What each number is worth is learnt (`bench/train_gate.py`).
"""

from __future__ import annotations

import math
from collections import Counter

from mdtally.gate.against import DOUBTS, SECOND_PERSON, WORD, TakenUp
from mdtally.gate.echo import ECHO_SHARE, ECHO_WORDS, Before, Overlap, content_words, restating
from mdtally.gate.evidence import Evidence
from mdtally.gate.words import WORDS
from mdtally.text.regex import regex

FAMILIES = WORDS["counted"]
"""Families of signals that are counted one by one."""

_DIGIT = regex(r"\d")
# "4,100", "12", "3.5", not the "1" of a list
_FIGURE = regex(r"\d+[.,:]?\d+(?:[.,:]\d+)*")
# "Lisbon" in "We saw it in Lisbon"
_INNER_NAME = regex(r"[A-Z](?<=[^\W\d_,;] [A-Z])[a-z]+")
_FIRST_PERSON = frozenset("i i'm i've i'd i'll my me mine myself".split())
_NEGATIVE = frozenset("not no never none nothing nobody neither nor cannot without".split())
# "But the lease ends", "No, wait"
_OPENS_WITH_CONTRAST = regex(r"\s*(?:but|however|yet|still|that said|nevertheless|though|instead|no|and yet)(?![^\W_])")


def features(evidence: Evidence, raw: str, before: Before, repeats: Overlap, taken: TakenUp) -> dict[str, float]:
    """The numbers of a turn, which `bench/gate_numbers.py` explains; one that is not known gets a fixed value.

    Args:
        evidence: what was gathered.
        raw: the response as it stands, for its capitals.
        before: what was said before it.
        repeats: the earlier turn that it repeats most.
        taken: what it takes up of the other agents' turns.
    """
    near, far = restating(raw, before.prior), restating(raw, before.debate)
    body, sentences = evidence.folded.text, evidence.sentences
    said = Counter(WORD.findall(body))
    words, number = said.total(), max(len(sentences), 1)
    counts = Counter(hit.owner.name for hit in evidence.used["signal"])
    # "You say that children learn it. Which children?" repeats in order to ask.
    asks_back = taken.numbers["retold"] > 0 < taken.numbers["asked"]
    is_own = repeats.shared < ECHO_WORDS or asks_back or _disputes_figures(evidence, repeats, before)
    pads = len(evidence.used["padding"]) + len(evidence.used["forbidden"])

    def often(kind: frozenset[str], most: float, more: int = 0) -> float:
        return min((sum(said[word] for word in kind & said.keys()) + more) * 100 / (words + 40), most) / 2

    return {
        **{name: math.log1p(counts[name]) for name in FAMILIES},
        **taken.numbers,
        "seen": float(any(hit.owner.strength != "against" for hit in evidence.used["signal"])),
        "vague": math.log1p(len(evidence.used["vague"])),
        "praise share": sum(sentence.praises for sentence in sentences) / number,
        "first person": often(_FIRST_PERSON, 8.0),
        "second person": often(SECOND_PERSON, 6.0),
        "negation": often(_NEGATIVE, 8.0, body.count("n't")),
        "turns": math.log1p(sum(bool(_OPENS_WITH_CONTRAST.match(sentence.text)) for sentence in sentences)),
        "short": max(0.0, 4.2 - math.log1p(words)),
        "praise": pads * 20 / (words + 20),
        "exclamations": body.count("!") * 20 / (words + 20),
        "proper names": math.log1p(len(_INNER_NAME.findall(raw)) * 100 / (words + 20)),
        "digits": float(bool(_DIGIT.search(body))),
        # A short turn can't bring many words, whatever was said before it.
        "vocabulary brought": math.log1p(near[1] if near else 0.75 * len(content_words(body))),
        "said before": far[0] if far else 0.1,
        "overlap": repeats.strength * 10 if repeats.speaker else 0.4,
        "apart": float(is_own or repeats.words < ECHO_SHARE),
        "copied": float(repeats.is_copied and not is_own),
        "denied": float(evidence.denied),
        "withdrawn": float(bool(evidence.used["retraction"]) or evidence.misplaced),
        "new to the debate": far[1] * 3 / (words + 20) if far else 0.75,
    }


def has_other_figures(evidence: Evidence, repeats: Overlap, before: Before) -> bool:
    """True if a turn copies the words of another with mostly other figures: "It took 12 minutes", where he said 41."""
    theirs, mine = _figures_repeated(repeats, before), set(_FIGURE.findall(evidence.folded.text))
    return bool(theirs) and repeats.is_copied and len(mine - theirs) >= max(len(mine & theirs), 1)


def _figures_repeated(repeats: Overlap, before: Before) -> set[str]:
    """The figures of the turn that is repeated."""
    return set(_FIGURE.findall(before.debate[repeats.source][1])) if repeats.source is not None else set()


def _disputes_figures(evidence: Evidence, repeats: Overlap, before: Before) -> bool:
    """True if a sentence doubts the turn that is repeated, with another figure: "410 a second, not 4,100"."""
    theirs = _figures_repeated(repeats, before)
    doubts = (one.text for one in evidence.sentences if theirs and one.signs & DOUBTS)
    return any(set(_FIGURE.findall(text)) - theirs for text in doubts)
