"""From evidence to findings: which layers a response fails, how gravely, and what would mend it."""

from __future__ import annotations

import math
from collections.abc import Sequence

from mdtally.gate.echo import Before
from mdtally.gate.evidence import Evidence, distinct
from mdtally.gate.features import TURN
from mdtally.gate.fold import fold, visible_words
from mdtally.gate.pack import Hit, Pack, english, own_phrases
from mdtally.gate.result import Failure, FailureKind
from mdtally.gate.weigh import Verdict
from mdtally.model import Severity
from mdtally.regex import regex

REASONED_WORDS = 60
"""From this length on, a published phrase may stand in a reasoned concession, and a request in a reasoned turn."""
NAMED = 3
"""How many earlier speakers a corrective sentence names, the latest ones."""

_REASON = regex(r"(?:(?<![^\W_])(?:that|because|since|as|when|where|on)(?![^\W_])|[:;]| - )(?: ?[^\s.!?]+){4}")


def judge(
    text: str,
    words: int,
    before: Before,
    evidence: Evidence,
    verdict: Verdict,
    *,
    strict: bool,
    min_words: int,
    filler: bool,
) -> list[Failure]:
    """All failures of a response of so many words, in the order of the text, given what layer 2 says of it."""
    failures: list[Failure] = []
    reasons = verdict.answer == "argues"
    thin = verdict.send_back >= 0
    short = is_short(words, evidence, min_words)
    used = evidence.used

    def add(
        kind: FailureKind, detail: str, hit: Hit | None, grave: bool, layer: int = 0, source: int | None = None
    ) -> None:
        span = evidence.folded.span(hit.start, hit.end) if hit else None
        severity: Severity = "warning" if strict or grave else "info"
        failures.append(Failure(kind, detail or (span.shown(text) if span else ""), span, severity, layer, source))

    for hit in used["forbidden"]:
        # "I agree with the diagnosis, but ..." concedes; it still shows, but fails nothing.
        conceded = not strict and (verdict.cleared or _concedes(evidence, hit, reasons, words))
        add("forbidden_phrase", hit.owner.name, hit, not conceded, 0 if conceded else 1)
    doubts = [hit.start for hit in used["signal"] if hit.owner.strength != "against"]
    # One finding a stretch, and none where a published phrase stands already.
    alone = (
        hit for hit in used["padding"] if not any(a.start < hit.end and hit.start < a.end for a in used["forbidden"])
    )
    for hit in distinct(alone, lambda hit: "padding"):
        # "I like it. However, I'm concerned": where a turn may argue, praise before a doubt is no more than courtesy.
        courtesy = reasons or (verdict.answer == "unsure" and any(at > hit.end for at in doubts))
        add("agreement_padding", hit.owner.name, hit, not courtesy and (thin or short))
    if short:
        failures.append(_too_short(words, min_words))
    elif before.prior and verdict.answer == "silent":
        add("no_disagreement_signal", _missed(evidence), None, thin, 2)
    if verdict.echo:
        repeats = verdict.repeats
        seen = f"{repeats.words:.0%} of its content words stand in {repeats.speaker}'s earlier turn"
        add("echo", seen, None, thin and not reasons, 0, repeats.source)
    if not short and not reasons:
        for hit in used["vague"][:1]:
            add("vague_objection", "", hit, True)
        for hit in used["stall"][:1] if words < REASONED_WORDS else ():
            add("stalled_turn", "", hit, True)
    for hit in used["filler"] if filler else ():
        add("generic_filler", "", hit, True)
    return sorted(failures, key=lambda failure: failure.span.start if failure.span else math.inf)


def is_short(words: int, evidence: Evidence, min_words: int) -> bool:
    """True where layer 3 fails, so that layer 2 is not asked."""
    return words < min_words and evidence.stand_down is None


def without_pack(text: str, min_words: int, phrases: tuple[str, ...] = ()) -> list[Failure]:
    """What can be said of a response in a language without a pack: layer 3, and the configuration's own phrases."""
    folded = fold(text)
    found = [
        Failure("forbidden_phrase", entry.name, folded.span(match.start(), match.end()), "warning", 1)
        for entry, pattern in own_phrases(phrases)
        for match in pattern.finditer(folded.text)
    ]
    words = visible_words(text)
    if words < min_words:
        found.append(_too_short(words, min_words))
    return found


def _too_short(words: int, min_words: int) -> Failure:
    return Failure("too_short", f"{words} word{'s' * (words != 1)}, fewer than {min_words}", None, "warning", 3)


def _concedes(evidence: Evidence, hit: Hit, disagrees: bool, words: int) -> bool:
    """True where a published phrase opens a concession: its sentence, or the opening of the next, turns against it.

    In a turn of some length a concession may also go without a turn where it says what is conceded and why: "I agree
    with Ana that the deadline binds, since the permit ends in May".
    """
    _, end = evidence.sentence(hit.start)
    _, following = evidence.sentence(min(end, len(evidence.folded.text) - 1))
    rest = evidence.folded.text[hit.end : end]
    last = min(following, end + 12)
    contrasts = (signal.start for signal in evidence.used["signal"] if signal.owner.name == "contrast")
    turns = any(hit.end <= at < last for at in contrasts) or TURN.search(evidence.folded.text, hit.end, last)
    if turns and (disagrees or any(signal.owner.strength != "against" for signal in evidence.used["signal"])):
        return True
    return words >= REASONED_WORDS and bool(_REASON.search(rest))


def _missed(evidence: Evidence) -> str:
    """What layer 2 saw instead of disagreement, in words."""
    if evidence.used["retraction"]:
        return "the objection is taken back"
    if evidence.missed_stand_down:
        return "it stands down to nobody who has spoken"
    families: dict[bool, list[str]] = {against: [] for against in (False, True)}
    for hit in evidence.used["signal"]:
        families[hit.owner.strength == "against"].append(hit.owner.name)
    weak, against = (", ".join(list(dict.fromkeys(names))[:3]) for names in families.values())
    return f"seen: {weak or 'no sign of disagreement'}" + (f"; against it: {against}" if against else "")


def hint(
    failures: Sequence[Failure],
    earlier: Sequence[str],
    pack: Pack | None,
    min_words: int,
    text: str = "",
    *,
    stand_down: bool = True,
) -> str:
    """One corrective paragraph for a re-prompt, from what failed; "" where nothing did.

    Padding is quoted from the text where it is at hand, for its detail names only the sort. Without ``stand_down``, the
    one accepted form of agreement is not spelled out.
    """
    hints = (pack or english()).hints
    names = list(dict.fromkeys(earlier))[-NAMED:]
    comma = ", " if pack and pack.language != "en" else " or "
    said = {"words": min_words, "speakers": comma.join(names) or "the earlier speakers"}
    seen: dict[str, dict[str, None]] = {}
    for failure in failures:
        words = failure.detail
        if failure.kind == "agreement_padding" and failure.span and text:
            words = failure.span.shown(text).strip(",;:")
        seen.setdefault(failure.kind, {})[f"“{words}”"] = None
    sentences = [hints[kind].format(phrases=", ".join(phrases), **said) for kind, phrases in seen.items()]
    if stand_down and "no_disagreement_signal" in seen:
        speaker = names[-1] if names else "[expert]"
        sentences.append(hints["stand_down"].format(speaker=speaker, phrases="", **said))
    return " ".join(sentences)
