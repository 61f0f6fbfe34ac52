"""From evidence to findings: which layers a response fails, how gravely, and what would mend it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from mdtally.gate.echo import Before
from mdtally.gate.evidence import TURN, Evidence, distinct, gather
from mdtally.gate.fold import fold, visible_words
from mdtally.gate.pack import Hit, Pack, load_or_english, own_hits
from mdtally.gate.result import Failure, FailureKind, GateResult, Issue, Opinion, too_short
from mdtally.gate.weigh import ANSWERS, WeighedTurn
from mdtally.text.model import MIN_WORDS, Severity
from mdtally.text.records import replace
from mdtally.text.regex import regex

REASONED_WORDS = 60
"""From this length on, a published phrase may stand in a reasoned concession or objection, and a request in a reasoned
turn."""
MOST_CONCEDED = 2
"""With more different published phrases a long turn that takes issue flatters, whatever it objects to."""
NAMED = 3
"""How many earlier speakers a corrective sentence names, the latest ones."""

# "that the deadline binds us all", ": nobody read the second page"
_REASON = regex(r"(?:(?<![^\W_])(?:that|because|since|as|when|where|on)(?![^\W_])|[:;]| - )(?: ?[^\s.!?]+){4}")


class _FailureFinder:
    """Finds what a response fails; what is known of it gives each failure its severity."""

    def __init__(self, text: str, evidence: Evidence, weighed: WeighedTurn, strict: bool, min_words: int) -> None:
        self.text, self.evidence, self.weighed = text, evidence, weighed
        self.strict, self.min_words = strict, min_words
        self.argues, self.thin = weighed.answer == "argues", weighed.send_back >= 0
        self.is_cleared = weighed.decided_by == "opinion" and not self.thin
        # A stand-down satisfies layer 3, too.
        self.is_short = evidence.words < min_words and not evidence.stand_down

    def phrases(self) -> Iterator[Failure]:
        """Layer 1. "I agree with the diagnosis, but ..." concedes; it still shows, but fails nothing."""
        for hit in self.evidence.used["forbidden"]:
            conceded = not self.strict and (self.is_cleared or self._is_conceded(hit))
            yield self._failure("forbidden_phrase", not conceded, hit, hit.owner.name, 0 if conceded else 1)

    def padding(self) -> Iterator[Failure]:
        """One finding a stretch, and none where a published phrase stands already."""
        used = self.evidence.used
        doubts = [hit.start for hit in used["signal"] if hit.owner.strength != "against"]
        taken = [(hit.start, hit.end) for hit in used["forbidden"]]
        alone = (hit for hit in used["padding"] if not any(a < hit.end and hit.start < b for a, b in taken))
        for hit in distinct(alone, lambda hit: "padding"):
            # "I like it. However, I'm concerned": where a turn may argue, praise before a doubt is mere courtesy.
            courtesy = self.argues or (self.weighed.answer == "unsure" and any(at > hit.end for at in doubts))
            thin = self.thin or (self.is_short and not self.is_cleared)
            yield self._failure("agreement_padding", not courtesy and thin, hit, hit.owner.name)

    def no_issue(self, before: Before) -> Iterator[Failure]:
        """Layers 2 and 3, the former only where the latter holds; and echoes."""
        if self.is_short:
            said = too_short(self.evidence.words, self.min_words)
            yield self._failure("too_short", not self.is_cleared, None, said, 3)
        elif before.prior and self.weighed.answer == "silent":
            yield self._failure("no_disagreement_signal", self.thin, None, _seen_instead(self.evidence), 2)
        if self.weighed.echo:
            repeats = self.weighed.repeats
            seen = f"{repeats.words:.0%} of its content words stand in {repeats.speaker}'s earlier turn"
            echo = self._failure("echo", self.thin and not self.argues, None, seen)
            yield replace(echo, source=repeats.source)

    def emptiness(self) -> Iterator[Failure]:
        """Vague objections, and turns that wait."""
        used = self.evidence.used
        if not self.is_short and not self.argues:
            # A question for a mechanism, a source or a number is not vague, whatever else stands beside it.
            asks = any(self.evidence.sentence(hit.start).text.rstrip().endswith("?") for hit in used["asks"])
            for hit in () if asks or not self.evidence.is_vague else used["vague"][:1]:
                yield self._failure("vague_objection", not self.is_cleared, hit)
            for hit in used["stall"][:1] if self.evidence.words < REASONED_WORDS else ():
                yield self._failure("stalled_turn", not self.is_cleared, hit)

    def _failure(self, kind: FailureKind, grave: bool, hit: Hit | None, detail: str = "", layer: int = 0) -> Failure:
        span = self.evidence.folded.span(hit.start, hit.end) if hit else None
        severity: Severity = "warning" if self.strict or grave else "info"
        return Failure(kind, detail or (span.one_line(self.text) if span else ""), span, severity, layer)

    def _is_conceded(self, hit: Hit) -> bool:
        """True if a published phrase opens a concession: its sentence, or the opening of the next, turns against it.

        In a turn of some length a concession may also go without a turn where it says what is conceded and why: "I
        agree with Ana that the deadline binds, since the permit ends in May"; and where the turn takes issue, what is
        not conceded may stand anywhere, unless the turn is full of such phrases: "I agree with Ana. The estimate is
        optimistic".
        """
        body, signals = self.evidence.folded.text, self.evidence.used["signal"]
        sentence = self.evidence.sentence(hit.start)
        end = sentence.start + len(sentence.text)
        following = self.evidence.sentence(min(end, len(body) - 1))
        last = min(following.start + len(following.text), end + 12)
        # TURN is English. "contrast" of the other packs has every "not" and "if": where nobody is answered, it is none.
        silent = self.weighed.answer == "silent"
        contrasts = (signal.start for signal in signals if signal.owner.name == "contrast" and not silent)
        turns = any(hit.end <= at < last for at in contrasts) or TURN.search(body, hit.end, last)
        if turns and (self.argues or any(signal.owner.strength != "against" for signal in signals)):
            return True
        is_long = self.evidence.words >= REASONED_WORDS
        different = {hit.owner.name for hit in self.evidence.used["forbidden"]}
        objects = self.argues and len(different) <= MOST_CONCEDED
        return is_long and (objects or bool(_REASON.search(body[hit.end : end])))


def judge(
    text: str, before: Before, evidence: Evidence, weighed: WeighedTurn, *, strict: bool = False,
    min_words: int = MIN_WORDS, language: str = "en",
) -> GateResult:  # fmt: skip
    """What the gate says of a response, given what it comes to; its failures stand in the order of the text.

    Args:
        text, strict, min_words: as in `mdtally.gate.checking.check`.
        before, evidence, weighed: what stands before it, what was gathered from it, and what that comes to.
        language: that of the pack.
    """
    finder = _FailureFinder(text, evidence, weighed, strict, min_words)
    failures = [*finder.phrases(), *finder.padding(), *finder.no_issue(before), *finder.emptiness()]
    voices = weighed.voices if finder.argues and not weighed.stands_down else ()
    asked = before.prior and (not finder.is_short or weighed.decided_by == "opinion")
    failures.sort(key=lambda failure: failure.span.start if failure.span else math.inf)
    issue = Issue(weighed.answer, round(weighed.score, 2) + 0.0, weighed.decided_by, voices) if asked else None
    back, doubt = round(weighed.send_back, 2), weighed.is_doubted
    return GateResult(tuple(failures), weighed.stands_down, language, issue=issue, send_back=back, is_doubted=doubt)


def without_pack(
    text: str, names: Sequence[str], min_words: int, phrases: tuple[str, ...], *, strict: bool, opinion: Opinion | None
) -> GateResult:
    """What can be said of a response in a language without a pack: layer 3, the configuration's own phrases, the
    stand-down in English, and where it answers somebody what a second reader says."""
    folded, words = fold(text), visible_words(text)
    severity: Severity = "warning" if strict or opinion is None or opinion.send_back == "yes" else "info"
    spans = [(hit.owner.name, folded.span(hit.start, hit.end)) for hit in own_hits(phrases, folded.text)]
    found = [Failure("forbidden_phrase", phrase, span, severity, 1) for phrase, span in spans]
    stands_down = gather(text, names, load_or_english("en")).stand_down
    is_short = words < min_words and not stands_down
    issue = Issue(ANSWERS.get(opinion.takes_issue, "unsure"), 0.0, "opinion") if names and opinion else None
    if is_short:
        found.append(Failure("too_short", too_short(words, min_words), None, severity, 3))
    elif issue and issue.answer == "silent":
        found.append(Failure("no_disagreement_signal", "a model says so", None, severity, 2))
    is_doubted = bool(names) and not (is_short or stands_down)
    return GateResult(tuple(found), stands_down, "", issue=issue, is_doubted=is_doubted)


def _seen_instead(evidence: Evidence) -> str:
    """What layer 2 saw instead of disagreement, in words."""
    if evidence.used["retraction"]:
        return "the objection is taken back"
    if evidence.misplaced:
        return "it stands down to an argument of another occasion"
    owners = list(dict.fromkeys(hit.owner for hit in evidence.used["signal"]))
    sides = ([one.name for one in owners if (one.strength == "against") is side] for side in (False, True))
    weak, against = (", ".join(names[:3]) for names in sides)
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

    What failed is quoted from the text where it is at hand, not from the pack. Without ``stand_down``, the one accepted
    form of agreement is not spelled out.
    """
    hints = (pack or load_or_english("en")).hints
    names = list(dict.fromkeys(earlier))[-NAMED:]
    comma = ", " if pack and pack.language != "en" else " or "
    values = {"words": min_words, "speakers": comma.join(names) or "the earlier speakers"}
    seen: dict[str, dict[str, None]] = {}
    for failure in failures:
        words = failure.span.one_line(text).strip(",;:") if failure.span and text else failure.detail
        seen.setdefault(failure.kind, {})[f"“{words}”"] = None
    sentences = [hints[kind].format(phrases=", ".join(phrases), **values) for kind, phrases in seen.items()]
    if stand_down and "no_disagreement_signal" in seen:
        speaker = names[-1] if names else "[expert]"
        sentences.append(hints["stand_down"].format(speaker=speaker, phrases="", **values))
    return " ".join(sentences)
