"""From evidence to findings: which layers a response fails, how gravely, and what would mend it."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from mdtally.gate.echo import overlap
from mdtally.gate.evidence import Evidence
from mdtally.gate.fold import ZERO_WIDTH
from mdtally.gate.pack import Entry, Pack
from mdtally.gate.pattern import Hit
from mdtally.gate.shape import features
from mdtally.model import Failure, FailureKind, Severity, Span
from mdtally.text import count_words

ECHO_WORDS = 0.45
"""Share of a response's content words that stand in one earlier turn, from which on it is an echo."""
ECHO_PAIRS = 0.22
"""The same for pairs of neighbouring content words."""
ECHO_ALL = 0.60
"""The same for content words in any earlier turn of the round."""
ECHO_LEAST = 15
"""With fewer content words than this, overlap says nothing."""
THIN_WORDS = 45
"""A response below this many words is thin unless it says something specific."""

HINTS: Mapping[str, str] = {
    "forbidden_phrase": "Leave out {phrases}: say what exactly holds, and why, or say nothing of it.",
    "agreement_padding": "Cut the praise ({phrases}); if you concede something, name what you concede and the reason.",
    "no_disagreement_signal": (
        "Take issue with one specific claim of {speakers}: name the claim and its weakness, a scenario where it fails, "
        "an omitted consideration or a counter-argument."
    ),
    "too_short": "Give your reasoning in at least {words} words.",
    "echo": "Don't restate {speakers}: add evidence, a case or a consequence that nobody has named yet.",
    "vague_objection": "Make the objection specific: which claim, what reason, which number, name or case speaks against it.",
    "generic_filler": "Replace {phrases} by what you mean concretely.",
    "stand_down": (
        "If you find no material weakness, write exactly: \"I've stress-tested {speaker}'s argument and cannot find a "
        'material weakness."'
    ),
}
"""The corrective sentences in English; a pack's ``[hint]`` table replaces them one by one."""

_NUMBER = re.compile(r"\d")
_SENTENCE_TURN = re.compile(r"(?<![^\W_])(?:but|however|yet|although|though|except|still|until|only if)(?![^\W_])|;| - ")


class Verdict(NamedTuple):
    """What layer 2 says.

    Attributes:
        disagrees: True where the response takes issue.
        score: how strongly the evidence speaks for it; 0 is even.
        outright: True where a strong signal alone decided.
    """

    disagrees: bool
    score: float
    outright: bool


def weigh(evidence: Evidence, pack: Pack, prior: Sequence[str] = ()) -> Verdict:
    """Does the evidence make disagreement? By the pack's learnt weights, or where it has none by strong and weak."""
    signals = evidence.used["signal"]
    strong = [hit for hit in signals if hit.owner.strength == "strong"]
    weak = {hit.owner.name for hit in signals if hit.owner.strength == "weak"}
    if evidence.used["retraction"] and not strong:
        return Verdict(False, -1.0, False)
    if pack.weights is None:
        # Where a turn flatters or doubts without saying what, contrast and figures beside it make no objection.
        glue = evidence.used["forbidden"] or evidence.used["padding"] or evidence.used["vague"]
        repeated = Counter(hit.owner.name for hit in signals if hit.owner.repeated)
        support = len(weak) + any(count > 1 for count in repeated.values())
        enough = bool(strong) or (support > 1 and not glue)
        return Verdict(enough, len(strong) + 0.5 * support - 0.75, bool(strong))
    score = pack.weights.bias
    for name, value in features(evidence, pack, prior).items():
        table, _, key = name.partition(":")
        score += value * (pack.weights.families if table == "family" else pack.weights.shape).get(key, 0.0)
    return Verdict(bool(strong) or score >= 0, score, bool(strong))


def visible_words(text: str) -> int:
    """The words of a response; characters without width neither split nor join them."""
    return count_words(text.translate(ZERO_WIDTH))


def judge(
    text: str,
    prior: Sequence[tuple[str, str]],
    evidence: Evidence,
    pack: Pack,
    *,
    strict: bool,
    min_words: int,
    filler: bool,
) -> tuple[list[Failure], Verdict]:
    """All failures of a response in the order of the text, and what layer 2 says of it."""
    folded = evidence.folded
    failures: list[Failure] = []
    words = visible_words(text)
    stands_down = evidence.stand_down is not None
    later = bool(prior)
    verdict = weigh(evidence, pack, [said for _, said in prior])

    def place(hit: Hit[Entry]) -> Span:
        return folded.span(hit.start, hit.end)

    def grade(grave: bool) -> Severity:
        return "warning" if strict or grave else "info"

    forbidden = evidence.used["forbidden"]
    padding = [
        hit
        for hit in evidence.used["padding"]
        if not any(other.start < hit.end and hit.start < other.end for other in forbidden)
    ]
    padding = _merge(padding)
    short = words < min_words and not stands_down
    echo = _echo(text, prior) if later else None
    if echo and pack.weights is None and not verdict.outright:
        # Restating others brings their figures and contrasts along: only a strong signal is the speaker's own.
        verdict = verdict._replace(disagrees=False)
    argues = verdict.disagrees and not stands_down
    specific = bool(_NUMBER.search(folded.text))
    thin = words < THIN_WORDS
    vague = evidence.used["vague"]

    for hit in forbidden:
        conceded = argues and _turns(evidence, hit)
        failures.append(
            Failure(
                "forbidden_phrase",
                hit.owner.name,
                place(hit),
                grade(not conceded),
                1 if strict or not conceded else 0,
            )
        )
    for hit in padding:
        failures.append(
            Failure("agreement_padding", hit.owner.name, place(hit), grade(not argues and not stands_down), 0)
        )
    if short:
        failures.append(Failure("too_short", f"{words} words, fewer than {min_words}", None, "warning", 3))
    elif later and not stands_down and not verdict.disagrees:
        grave = bool(forbidden or padding or echo or vague) or thin
        failures.append(Failure("no_disagreement_signal", _missed(evidence), None, grade(grave), 2))
    if echo:
        failures.append(Failure("echo", echo, None, grade(not argues and not stands_down), 0))
    if vague and not short and not argues and not stands_down and not (specific and verdict.disagrees):
        failures.append(Failure("vague_objection", folded.text[vague[0].start : vague[0].end], place(vague[0]), "warning", 0))
    if filler:
        failures += [
            Failure("generic_filler", folded.text[hit.start : hit.end], place(hit), "warning", 0)
            for hit in evidence.used["filler"]
        ]
    failures.sort(key=lambda failure: failure.span.start if failure.span else math.inf)
    return failures, verdict


def without_pack(text: str, min_words: int) -> list[Failure]:
    """What can be said of a response in a language without a pack: layer 3 alone."""
    words = visible_words(text)
    if words >= min_words:
        return []
    return [Failure("too_short", f"{words} words, fewer than {min_words}", None, "warning", 3)]


def _merge(hits: Sequence[Hit[Entry]]) -> list[Hit[Entry]]:
    """One finding a stretch: of hits that overlap, the first."""
    kept: list[Hit[Entry]] = []
    for hit in sorted(hits, key=lambda hit: (hit.start, -hit.end)):
        if not kept or hit.start >= kept[-1].end:
            kept.append(hit)
    return kept


def _turns(evidence: Evidence, hit: Hit[Entry]) -> bool:
    """True where the sentence of a hit, or the opening of the next one, turns against it."""
    _, end = evidence.sentence(hit.start)
    _, following = evidence.sentence(min(end, len(evidence.folded.text) - 1))
    rest = evidence.folded.text[hit.end : end]
    opening = evidence.folded.text[end : min(following, end + 12)]
    return bool(_SENTENCE_TURN.search(rest) or _SENTENCE_TURN.search(opening))


def _echo(text: str, prior: Sequence[tuple[str, str]]) -> str:
    found = overlap(text, [(speaker, said) for speaker, said in prior if said])
    if found.size < ECHO_LEAST:
        return ""
    if found.words >= ECHO_WORDS or found.pairs >= ECHO_PAIRS:
        return f"{found.words:.0%} of its content words stand in {found.speaker}'s turn"
    if found.all_words >= ECHO_ALL:
        return f"{found.all_words:.0%} of its content words stand in earlier turns"
    return ""


def _missed(evidence: Evidence) -> str:
    """What layer 2 saw instead of disagreement, in words."""
    if evidence.used["retraction"]:
        return "the objection is taken back"
    weak = list(dict.fromkeys(h.owner.name for h in evidence.used["signal"] if h.owner.strength != "against"))
    against = list(dict.fromkeys(h.owner.name for h in evidence.used["signal"] if h.owner.strength == "against"))
    if not weak:
        return "no contrast, correction, counter-evidence or question to an earlier speaker"
    seen = ", ".join(weak[:3])
    return f"seen only: {seen}" + (f"; against it: {', '.join(against[:2])}" if against else "")


def hint(failures: Sequence[Failure], prior: Sequence[tuple[str, str]], pack: Pack | None, min_words: int) -> str:
    """One corrective paragraph for a re-prompt, from what failed; "" where nothing did."""
    if not failures:
        return ""
    hints = {**HINTS, **(pack.hints if pack else {})}
    names = list(dict.fromkeys(speaker for speaker, _ in prior))
    speakers = ", ".join(names) if names else "the earlier speakers"
    sentences = []
    kinds: dict[FailureKind, list[str]] = {}
    for failure in failures:
        kinds.setdefault(failure.kind, []).append(failure.detail)
    for kind, details in kinds.items():
        phrases = ", ".join(f"“{detail}”" for detail in dict.fromkeys(details))
        sentences.append(hints[kind].format(phrases=phrases, words=min_words, speakers=speakers))
    if "no_disagreement_signal" in kinds:
        speaker = names[-1] if names else "[expert]"
        sentences.append(hints["stand_down"].format(speaker=speaker, phrases="", words=min_words, speakers=speakers))
    return " ".join(sentences)


__all__ = ["Verdict", "without_pack", "hint", "judge", "visible_words", "weigh"]
