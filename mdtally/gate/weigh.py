"""What the evidence comes to: does a turn take issue, does it say anything else, does it only repeat?

A turn becomes a `Reading`: numbers and a few yes-or-no facts, nothing of its words. The decision is made on that alone,
by the pack's learnt weights (`bench/train_gate.py`), so what was read once can be weighed with any weights.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from mdtally.gate.echo import Before, Overlap, copied, echoes, overlap
from mdtally.gate.evidence import Evidence
from mdtally.gate.features import features
from mdtally.gate.pack import Pack, Weights
from mdtally.gate.result import Answer

THIN_WORDS = 45
"""Below this many words a response that takes no issue is thin where a pack has no learnt weights to look closer."""
SCANT_WORDS = 22
"""Below this many words a silent turn is thin where nothing is known of the turns before it but who spoke."""
WITHDRAWN = 4.0
"""What the score loses where an objection is taken back, or a stand-down is about nobody who has spoken."""
DENIED = 1.0
"""What it loses where an outright objection is negated: "I don't disagree"."""
OUTRIGHT = ("outright disagreement", "agreement withheld")
"""Signals that say it in so many words. They don't decide alone, but where one stands the turn is not called silent."""


class Reading(NamedTuple):
    """A turn as the learnt weights see it.

    Attributes:
        features: the numbers of `mdtally.gate.features`.
        denied, withdrawn: an outright objection is negated; its objection is taken back as a whole, or it stands down
            to nobody who has spoken.
        copied: it is an earlier turn over again.
    """

    features: Mapping[str, float]
    denied: bool = False
    withdrawn: bool = False
    copied: bool = False


class Verdict(NamedTuple):
    """What the weights make of a turn.

    Attributes:
        answer, score: does it take issue, and how strongly do the words speak for it?
        send_back: how strongly they speak for sending it back; from 0 on it is thin: praise, an echo, a few words.
        echo, repeats: whether it mostly restates what was said; the earlier turn that it repeats most.
        cleared: a second reader would not send it back.
    """

    answer: Answer
    score: float
    send_back: float
    echo: bool
    repeats: Overlap
    cleared: bool = False


def weigh(text: str, words: int, before: Before, evidence: Evidence, pack: Pack) -> Verdict:
    """What a response of so many words comes to, by the pack's learnt weights or, where it has none, by counting."""
    repeats = overlap(text, before.debate)
    if pack.weights is None:
        verdict = _weigh_untaught(words, repeats, evidence)
    else:
        verdict = decide(reading(text, before, evidence, repeats), pack.weights, repeats)
    unknown = bool(before.debate) and not any(said for _, said in before.debate)
    if verdict.answer == "silent" and words < SCANT_WORDS and unknown:
        verdict = verdict._replace(send_back=max(verdict.send_back, 0.0))
    # The one accepted form of agreement: it has looked for a weakness, and says so.
    return verdict._replace(answer="argues") if evidence.stand_down else verdict


def reading(text: str, before: Before, evidence: Evidence, repeats: Overlap) -> Reading:
    """A turn's evidence as numbers."""
    withdrawn = bool(evidence.used["retraction"]) or evidence.missed_stand_down
    return Reading(features(evidence, text, before, repeats), evidence.denied, withdrawn, copied(repeats))


def decide(turn: Reading, weights: Weights, repeats: Overlap | None = None) -> Verdict:
    """The verdict that these weights give on a turn."""
    score = _sum(weights.issue, turn.features) - WITHDRAWN * turn.withdrawn - DENIED * turn.denied
    least, most = weights.band
    known = manner(turn, score)
    echo = turn.copied or (not turn.features["apart"] and _sum(weights.echo, known) >= 0)
    answer: Answer = "argues" if score >= most else "silent" if score < least else "unsure"
    if answer == "silent" and any(turn.features[name] for name in OUTRIGHT) and not turn.withdrawn:
        answer = "unsure"
    return Verdict(answer, score, _sum(weights.manner, known), echo, repeats or Overlap("", 0.0, 0.0, 0))


def manner(turn: Reading, score: float) -> dict[str, float]:
    """The numbers for the further questions: with what the first one's answer adds to them."""
    return {**turn.features, "score": max(-3.0, min(3.0, score))}


def _sum(weights: Mapping[str, float], values: Mapping[str, float]) -> float:
    return math.fsum(weight * values.get(name, 1.0 if name == "bias" else 0.0) for name, weight in weights.items())


def _weigh_untaught(words: int, repeats: Overlap, evidence: Evidence) -> Verdict:
    """For a pack without learnt weights: an outright signal or two weak families argue, one is unsure."""
    signals = evidence.used["signal"]
    strong = any(hit.owner.strength == "strong" for hit in signals)
    weak = {hit.owner.name for hit in signals if hit.owner.strength == "weak"}
    repeated = Counter(hit.owner.name for hit in signals if hit.owner.repeated)
    support = len(weak) + any(count > 1 for count in repeated.values())
    # Where a turn flatters or doubts without saying what, contrast and figures beside it make no objection; and
    # restating others brings their figures and contrasts along.
    glue = bool(evidence.used["forbidden"] or evidence.used["padding"] or evidence.used["vague"])
    echo = echoes(repeats)
    argues = strong or (support > 1 and not glue and not echo and not evidence.used["retraction"])
    thin = not argues and (glue or echo or words < THIN_WORDS)
    answer: Answer = "argues" if argues else "unsure" if support == 1 and not thin else "silent"
    return Verdict(answer, strong + 0.5 * support - 0.75, 0.5 if thin else -0.5, echo, repeats)
