"""What the evidence comes to: does a turn take issue with somebody, does it say anything else, does it only repeat?

A turn becomes numbers (`mdtally.gate.features`), nothing of its words. The decision is made on them alone, by the
pack's learnt weights (`bench/train_gate.py`), so what was read once can be weighed with any weights.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from typing import Final

from mdtally.gate.against import DOUBTS, TakenUp, taken_up
from mdtally.gate.echo import REACH, Before, Overlap, overlap, restating
from mdtally.gate.evidence import Evidence
from mdtally.gate.features import features, has_other_figures
from mdtally.gate.fold import fold
from mdtally.gate.pack import Pack, Weights
from mdtally.gate.result import Answer, Decider, Opinion, StatedAnswer
from mdtally.text.records import record, replace
from mdtally.text.regex import regex

TALK_WORDS = 30
"""Below this many words a silent turn that neither sides with others nor echoes them is talk, which nobody would send
back (none of 18 in public debates); where nothing is known of the turns before it but who spoke, it is thin."""
WITHDRAWN = 4.0
"""What the score loses where an objection is taken back, or a stand-down is about another occasion."""
DENIED = 1.0
"""What it loses where an outright objection is negated: "I don't disagree"."""
OUTRIGHT = ("outright disagreement", "agreement withheld")
"""Signals that say it in so many words. They don't decide alone, but where one stands no turn is called silent."""
DOUBTED = (-1.5, 2.5)
"""Between these scores words are doubted where a second reader can be asked: of 288 labelled turns, weighed by what was
learnt on other repositories, fewer than 19 in 20 are told rightly there."""
SAID_BEFORE = 2 / 3
"""From this share of its pairs of neighbouring words said before on, quotations aside, a turn is in others' words: of
the labelled turns that argue, none that objects in words of its own has more than .60."""
OWN = 0.5
"""Below this share a sentence is in its speaker's own words."""
JUST_UNSURE = 0.01
"""How far below "argues" the score of a turn is that objects to nobody here, or only in others' words."""
ASSENT = 1.25
"""What the score loses in a pack without learnt weights where a turn praises, doubts vaguely or restates others."""
BRIEF_WORDS = 32
"""Up to so many words a turn that restates another is taken for assent in such a pack."""
BROUGHT = 12
"""Also a longer one is, if it brings at most so many content words, and fewer than it shares."""
UNTAUGHT = (-0.75, 0.25)
"""The band of scores in which a turn is unsure where a pack has no learnt weights."""

# "Yes, it should", "**No.** The cap"
_YES_OR_NO = regex(r"(?i)\W*(?:(?P<yes>yes|ja|oui|sí|是的?)|no|nein|non|不是?)[*_\s]*[,.;:!，。！–—-]")
# "not move", "no writes", "none lost", "wrong: we", "doesn't lose"
_DENIAL = regex(r"(?<!\w)(not?|never|none|nobody|nothing|wrong|false|\w+n't)[,:.]? (\w+)")


@record
class WeighedTurn:
    """What the weights make of a turn.

    Attributes:
        answer, score: does it take issue, and how strongly do the words speak for it?
        send_back: how strongly they speak for sending it back; from 0 on it is thin: praise, an echo, a few words.
        echo, repeats: whether it mostly restates what was said; the earlier turn that it repeats most.
        voices: whom its objections are about.
        stands_down: a stand-down, or a stated concession, satisfies layer 2; decided_by: who gave the answer.
        is_doubted: True if words may well be wrong on layer 2, and none says outright that it objects.
    """

    answer: Answer
    score: float
    send_back: float
    echo: bool
    repeats: Overlap = Overlap()
    voices: tuple[str, ...] = ()
    stands_down: bool = False
    decided_by: Decider = "words"
    is_doubted: bool = False


def weigh(text: str, before: Before, evidence: Evidence, pack: Pack) -> WeighedTurn:
    """What a response comes to, by the pack's learnt weights or, where it has none, by counting."""
    repeats, taken = overlap(text, before.debate), taken_up(evidence, text, before)
    if pack.weights is None:
        weighed = _weigh_untaught(evidence, repeats, taken)
    else:
        numbers = features(evidence, text, before, repeats, taken)
        weighed = decide(numbers, pack.weights, _is_in_others_words(evidence, before))
    unknown = bool(before.debate) and not any(said for _, said in before.debate)
    if weighed.answer == "silent" and evidence.words < TALK_WORDS:
        sides = weighed.echo or any(sentence.sides for sentence in evidence.sentences)
        talk = weighed.send_back if sides else min(weighed.send_back, -JUST_UNSURE)
        weighed = replace(weighed, send_back=max(weighed.send_back, 0.0) if unknown else talk)
    if has_other_figures(evidence, repeats, before) or _answers_otherwise(text, before):
        # Who gives other figures in the same words may well contradict, and so may who says yes where others said no.
        answer, is_doubted = ("unsure", True) if weighed.answer == "silent" else (weighed.answer, weighed.is_doubted)
        weighed = replace(weighed, answer=answer, echo=False, is_doubted=is_doubted)
    if evidence.stand_down:
        # The one accepted form of agreement: it has looked for a weakness, and says so. However many say it.
        weighed = replace(weighed, answer="argues", echo=False, stands_down=True)
    return replace(weighed, repeats=repeats, voices=taken.voices)


ANSWERS: Final[Mapping[str, Answer]] = {"yes": "argues", "no": "silent"}
"""Layer 2's answer by what a second reader says; another word leaves it open."""


def settle_stance(weighed: WeighedTurn, opinion: Opinion | None, stated: StatedAnswer | None) -> WeighedTurn:
    """What a response comes to where a second reader was asked about it, or where it states a stance itself."""
    if opinion:
        answer = ANSWERS.get(opinion.takes_issue, weighed.answer)
        back = 1.0 if opinion.send_back == "yes" else -1.0
        weighed = replace(weighed, answer=answer, send_back=back, decided_by="opinion")
    if stated == "silent":
        return replace(weighed, answer="silent", send_back=max(weighed.send_back, 0.0), decided_by="stance")
    if stated:
        # A concession takes up the words of what convinced it.
        concedes = stated == "stands_down"
        echo, stands_down = weighed.echo and not concedes, weighed.stands_down or concedes
        weighed = replace(weighed, answer="argues", echo=echo, stands_down=stands_down, decided_by="stance")
    return weighed


def decide(turn: Mapping[str, float], weights: Weights, in_others_words: bool = False) -> WeighedTurn:
    """The answer of layer 2, the score, and whether the turn echoes, by the weighted sums of its numbers.

    A turn ``in_others_words`` argues only where it says so outright, or asks about the words or disputes their figures.
    """
    least, most = weights.band
    score = weighted_sum(weights.issue, turn) - WITHDRAWN * turn["withdrawn"] - DENIED * turn["denied"]
    is_outright = any(turn[name] for name in OUTRIGHT) and not turn["withdrawn"]
    only_repeats = in_others_words and not is_outright and not turn["apart"]
    if only_repeats or weighted_sum(weights.here, turn) < 0:
        score = min(score, most - JUST_UNSURE)
    answer: Answer = "argues" if score >= most else "silent" if score < least else "unsure"
    answer = "unsure" if answer == "silent" and is_outright else answer
    is_doubted = answer == "unsure" or (DOUBTED[0] <= score < DOUBTED[1] and not is_outright)
    known = manner(turn, score)
    repeats = not turn["apart"] and answer != "argues" and weighted_sum(weights.echo, known) >= 0
    back, is_echo = weighted_sum(weights.manner, known), bool(turn["copied"]) or repeats
    return WeighedTurn(answer, score, back, is_echo, is_doubted=is_doubted)


def _is_in_others_words(evidence: Evidence, before: Before) -> bool:
    """True if most of a turn was said before and no sentence in its own words doubts: "The cache is warm? Wrong"."""

    def said_before(words: str) -> float:
        return far[0] if (far := restating(words, before.debate)) else 0.0

    if said_before(evidence.folded.text) < SAID_BEFORE:
        return False
    denied = {pair for _, said in before.debate[-REACH:] for pair in _DENIAL.findall(fold(said).text)}
    doubts = [sentence.text for sentence in evidence.sentences if sentence.signs & DOUBTS]
    # "We should not move it" behind "We should move it" has a negation of its own.
    return all(said_before(text) >= OWN and denied.issuperset(_DENIAL.findall(text)) for text in doubts)


def _answers_otherwise(text: str, before: Before) -> bool:
    """True if a debate begins with a yes or a no, and a turn says one where the last that did said the other."""
    mine = _YES_OR_NO.match(text)
    if not (mine and before.debate and _YES_OR_NO.match(before.debate[0][1])):
        return False
    answers = [bool(match["yes"]) for _, said in before.debate[-REACH:] if (match := _YES_OR_NO.match(said))]
    return answers[-1:] == [not mine["yes"]]


def manner(turn: Mapping[str, float], score: float) -> dict[str, float]:
    """A turn's numbers with the score of layer 2 beside them, for the questions of manner and echo."""
    return {**turn, "score": max(-3.0, min(3.0, score))}


def weighted_sum(weights: Mapping[str, float], values: Mapping[str, float]) -> float:
    """The weighted sum of some values (log odds); "bias" is added once."""
    return math.fsum(weight * values.get(name, 1.0 if name == "bias" else 0.0) for name, weight in weights.items())


def _weigh_untaught(evidence: Evidence, repeats: Overlap, taken: TakenUp) -> WeighedTurn:
    """What a response comes to by a pack without weights: an outright signal or two weak families argue, and only
    where a sign of assent stands is a turn silent.

    A list of words knows few objections, so where neither stands it can't tell.
    """
    used = evidence.used
    strong = any(hit.owner.strength == "strong" for hit in used["signal"])
    # Where a turn doubts without saying what, contrast and figures beside it make no objection; and restating others
    # brings their figures and contrasts along.
    idle = repeats.echoes or evidence.is_vague or used["retraction"]
    objects = [] if idle else used["signal"]
    weak = {hit.owner.name for hit in objects if hit.owner.strength == "weak"}
    repeated = Counter(hit.owner.name for hit in objects if hit.owner.repeated)
    support = len(weak) + any(count > 1 for count in repeated.values())
    # Reports of work on one thing share its names, turn after turn: only one that is short, or brings little, says
    # nothing besides.
    brings_little = repeats.size - repeats.shared <= min(BROUGHT, repeats.shared)
    restates = repeats.is_copied or (repeats.echoes and (evidence.words <= BRIEF_WORDS or brings_little))
    nods = restates or evidence.is_vague or any(used[kind] for kind in ("retraction", "forbidden", "padding"))
    assents = not strong and bool(nods or evidence.misplaced)
    score = strong + 0.5 * support - 0.75 - ASSENT * assents
    if assents or (evidence.denied and not strong):
        score = min(score, UNTAUGHT[1] - JUST_UNSURE)
    answer: Answer = "argues" if score >= UNTAUGHT[1] else "silent" if score < UNTAUGHT[0] else "unsure"
    # A rebuttal shares the words of what it rebuts.
    echo = repeats.is_copied or (repeats.echoes and answer != "argues")
    return WeighedTurn(answer, score, 0.5 if answer == "silent" else -0.5, echo, is_doubted=not strong)
