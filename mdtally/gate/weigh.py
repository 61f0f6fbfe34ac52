"""What the evidence comes to: does a turn take issue with somebody, does it say anything else, does it only repeat?

A turn becomes `TurnNumbers`: numbers and a few yes-or-no facts, nothing of its words. The decision is made on that
alone, by the pack's learnt weights (`bench/train_gate.py`), so what was read once can be weighed with any weights.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping

from mdtally.gate.against import DOUBTS, TakenUp, taken_up
from mdtally.gate.echo import ECHO_WORDS, Before, Overlap, figures, overlap
from mdtally.gate.evidence import Evidence
from mdtally.gate.features import features
from mdtally.gate.pack import Pack, Weights
from mdtally.gate.result import Answer
from mdtally.records import record, replace

THIN_WORDS = 45
"""Below this many words a response that takes no issue is thin where a pack has no learnt weights to look closer."""
SCANT_WORDS = 22
"""Below this many words a silent turn is thin where nothing is known of the turns before it but who spoke."""
WITHDRAWN = 4.0
"""What the score loses where an objection is taken back, or a stand-down is about another occasion."""
DENIED = 1.0
"""What it loses where an outright objection is negated: "I don't disagree"."""
OUTRIGHT = ("outright disagreement", "agreement withheld")
"""Signals that say it in so many words. They don't decide alone, but where one stands no turn is called silent."""
JUST_UNSURE = 0.01
"""How far below "argues" the score of a turn is that objects to nobody here."""


@record
class TurnNumbers:
    """A turn as the learnt weights see it.

    Attributes:
        features: the numbers of `mdtally.gate.features`.
        denied, withdrawn: an outright objection is negated; its objection is taken back as a whole, or it stands
            down to an argument of another occasion.
        copied: it is an earlier turn over again; own: it shares too few words to be an echo, or disputes
            that turn's figures with others.
    """

    features: Mapping[str, float]
    denied: bool = False
    withdrawn: bool = False
    copied: bool = False
    own: bool = False


@record
class Weighed:
    """What the weights make of a turn.

    Attributes:
        answer, score: does it take issue, and how strongly do the words speak for it?
        send_back: how strongly they speak for sending it back; from 0 on it is thin: praise, an echo, a few words.
        echo, repeats: whether it mostly restates what was said; the earlier turn that it repeats most.
        voices: whom its objections are about.
        cleared: a second reader would not send it back.
    """

    answer: Answer
    score: float
    send_back: float
    echo: bool
    repeats: Overlap = Overlap()
    voices: tuple[str, ...] = ()
    cleared: bool = False


def weigh(text: str, words: int, before: Before, evidence: Evidence, pack: Pack) -> Weighed:
    """What a response of so many words comes to, by the pack's learnt weights or, where it has none, by counting."""
    repeats, taken = overlap(text, before.debate), taken_up(evidence, text, before.prior)
    if pack.weights is None:
        weighed = _weigh_untaught(words, repeats, evidence)
    else:
        weighed = decide(numbers(text, before, evidence, repeats, taken), pack.weights)
    unknown = bool(before.debate) and not any(said for _, said in before.debate)
    if weighed.answer == "silent" and words < SCANT_WORDS and unknown:
        weighed = replace(weighed, send_back=max(weighed.send_back, 0.0))
    if evidence.stand_down:
        # The one accepted form of agreement: it has looked for a weakness, and says so. However many say it.
        weighed = replace(weighed, answer="argues", echo=False)
    return replace(weighed, repeats=repeats, voices=taken.voices)


def numbers(text: str, before: Before, evidence: Evidence, repeats: Overlap, taken: TakenUp) -> TurnNumbers:
    """A turn's evidence as numbers."""
    return TurnNumbers(
        features(evidence, text, before, repeats, taken),
        evidence.denied,
        bool(evidence.used["retraction"]) or evidence.misplaced,
        repeats.copied,
        repeats.shared < ECHO_WORDS or _disputes_figures(evidence, repeats, before),
    )


def _disputes_figures(evidence: Evidence, repeats: Overlap, before: Before) -> bool:
    """True where a sentence doubts the turn that is repeated, with another figure: "410 a second, not 4,100"."""
    theirs = figures(before.debate[repeats.source][1]) if repeats.source is not None else frozenset[str]()
    return any(theirs and one.signs & DOUBTS and figures(one.text) - theirs for one in evidence.sentences)


def decide(turn: TurnNumbers, weights: Weights) -> Weighed:
    """What these weights make of a turn."""
    least, most = weights.band
    score = weighted(weights.issue, turn.features) - WITHDRAWN * turn.withdrawn - DENIED * turn.denied
    if weighted(weights.here, turn.features) < 0:
        score = min(score, most - JUST_UNSURE)
    answer: Answer = "argues" if score >= most else "silent" if score < least else "unsure"
    if answer == "silent" and any(turn.features[name] for name in OUTRIGHT) and not turn.withdrawn:
        answer = "unsure"
    known = manner(turn, score)
    echo = turn.copied or (not turn.features["apart"] and answer != "argues" and weighted(weights.echo, known) >= 0)
    return Weighed(answer, score, weighted(weights.manner, known), echo and not turn.own)


def manner(turn: TurnNumbers, score: float) -> dict[str, float]:
    """The numbers for the further questions: with what the first one's answer adds to them."""
    return {**turn.features, "score": max(-3.0, min(3.0, score))}


def weighted(weights: Mapping[str, float], values: Mapping[str, float]) -> float:
    """The sum of what these values are worth; "bias" is the worth of nothing."""
    return math.fsum(weight * values.get(name, 1.0 if name == "bias" else 0.0) for name, weight in weights.items())


def _weigh_untaught(words: int, repeats: Overlap, evidence: Evidence) -> Weighed:
    """For a pack without learnt weights: an outright signal or two weak families argue, one is unsure."""
    signals = evidence.used["signal"]
    strong = any(hit.owner.strength == "strong" for hit in signals)
    weak = {hit.owner.name for hit in signals if hit.owner.strength == "weak"}
    repeated = Counter(hit.owner.name for hit in signals if hit.owner.repeated)
    support = len(weak) + any(count > 1 for count in repeated.values())
    # Where a turn flatters or doubts without saying what, contrast and figures beside it make no objection; and
    # restating others brings their figures and contrasts along.
    glue = bool(evidence.used["forbidden"] or evidence.used["padding"] or evidence.used["vague"])
    argues = strong or (support > 1 and not glue and not repeats.echoes and not evidence.used["retraction"])
    thin = not argues and (glue or repeats.echoes or words < THIN_WORDS)
    answer: Answer = "argues" if argues else "unsure" if support == 1 and not thin else "silent"
    return Weighed(answer, strong + 0.5 * support - 0.75, 0.5 if thin else -0.5, repeats.echoes)
