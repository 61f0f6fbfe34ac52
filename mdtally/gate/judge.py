"""From evidence to findings: which layers a response fails, how gravely, and what would mend it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from mdtally.gate.echo import Before
from mdtally.gate.evidence import TURN, Evidence, distinct
from mdtally.gate.fold import fold, visible_words
from mdtally.gate.pack import Hit, Pack, english, own_phrases
from mdtally.gate.result import Failure, FailureKind
from mdtally.gate.weigh import Weighed
from mdtally.model import Severity
from mdtally.records import record
from mdtally.regex import regex

REASONED_WORDS = 60
"""From this length on, a published phrase may stand in a reasoned concession, and a request in a reasoned turn."""
NAMED = 3
"""How many earlier speakers a corrective sentence names, the latest ones."""

# "that the deadline binds us all", ": nobody read the second page"
_REASON = regex(r"(?:(?<![^\W_])(?:that|because|since|as|when|where|on)(?![^\W_])|[:;]| - )(?: ?[^\s.!?]+){4}")


@record
class Strictness:
    """How a response is judged.

    Attributes:
        strict: the panel ran under the protocol: every failed layer is a warning.
        min_words: the least number of words of layer 3.
        filler: whether to report generic filler, too.
    """

    strict: bool = False
    min_words: int = 12
    filler: bool = False


class _Judge:
    """What is known of a response when its failures are told, from which each gets its severity."""

    def __init__(self, text: str, words: int, evidence: Evidence, weighed: Weighed, how: Strictness) -> None:
        self.text, self.words, self.evidence, self.weighed, self.how = text, words, evidence, weighed, how
        self.argues, self.thin = weighed.answer == "argues", weighed.send_back >= 0
        self.is_short = is_short(words, evidence, how.min_words)

    def phrases(self) -> Iterator[Failure]:
        """Layer 1. "I agree with the diagnosis, but ..." concedes; it still shows, but fails nothing."""
        for hit in self.evidence.used["forbidden"]:
            conceded = not self.how.strict and (self.weighed.cleared or self._is_conceded(hit))
            yield self._of_hit("forbidden_phrase", hit, not conceded, 0 if conceded else 1, hit.owner.name)

    def padding(self) -> Iterator[Failure]:
        """One finding a stretch, and none where a published phrase stands already."""
        used = self.evidence.used
        doubts = [hit.start for hit in used["signal"] if hit.owner.strength != "against"]
        taken = [(hit.start, hit.end) for hit in used["forbidden"]]
        alone = (hit for hit in used["padding"] if not any(a < hit.end and hit.start < b for a, b in taken))
        for hit in distinct(alone, lambda hit: "padding"):
            # "I like it. However, I'm concerned": where a turn may argue, praise before a doubt is mere courtesy.
            unsure = self.weighed.answer == "unsure"
            courtesy = self.argues or (unsure and any(at > hit.end for at in doubts))
            yield self._of_hit(
                "agreement_padding", hit, not courtesy and (self.thin or self.is_short), 0, hit.owner.name
            )

    def no_issue(self, before: Before) -> Iterator[Failure]:
        """Layers 2 and 3, the former only where the latter holds; and echoes."""
        if self.is_short:
            yield _too_short(self.words, self.how.min_words)
        elif before.prior and self.weighed.answer == "silent":
            yield self._failure("no_disagreement_signal", _missed(self.evidence), self.thin, 2)
        if self.weighed.echo:
            repeats = self.weighed.repeats
            seen = f"{repeats.words:.0%} of its content words stand in {repeats.speaker}'s earlier turn"
            yield self._failure("echo", seen, self.thin and not self.argues, 0, repeats.source)

    def emptiness(self) -> Iterator[Failure]:
        """Vague objections, turns that wait, filler."""
        used = self.evidence.used
        if not self.is_short and not self.argues:
            # A question for a mechanism, a source or a number is not vague, whatever else stands beside it.
            asks = any(self.evidence.sentence(hit.start).text.rstrip().endswith("?") for hit in used["asks"])
            for hit in () if asks else used["vague"][:1]:
                yield self._of_hit("vague_objection", hit, True)
            for hit in used["stall"][:1] if self.words < REASONED_WORDS else ():
                yield self._of_hit("stalled_turn", hit, True)
        for hit in used["filler"] if self.how.filler else ():
            yield self._of_hit("generic_filler", hit, True)

    def _of_hit(self, kind: FailureKind, hit: Hit, grave: bool, layer: int = 0, detail: str = "") -> Failure:
        span = self.evidence.folded.span(hit.start, hit.end)
        severity: Severity = "warning" if self.how.strict or grave else "info"
        return Failure(kind, detail or span.shown(self.text), span, severity, layer)

    def _failure(self, kind: FailureKind, detail: str, grave: bool, layer: int, source: int | None = None) -> Failure:
        return Failure(kind, detail, None, "warning" if self.how.strict or grave else "info", layer, source)

    def _is_conceded(self, hit: Hit) -> bool:
        """True where a published phrase opens a concession: its sentence, or the opening of the next, turns against it.

        In a turn of some length a concession may also go without a turn where it says what is conceded and why: "I
        agree with Ana that the deadline binds, since the permit ends in May".
        """
        body, signals = self.evidence.folded.text, self.evidence.used["signal"]
        sentence = self.evidence.sentence(hit.start)
        end = sentence.start + len(sentence.text)
        following = self.evidence.sentence(min(end, len(body) - 1))
        last = min(following.start + len(following.text), end + 12)
        contrasts = (signal.start for signal in signals if signal.owner.name == "contrast")
        turns = any(hit.end <= at < last for at in contrasts) or TURN.search(body, hit.end, last)
        if turns and (self.argues or any(signal.owner.strength != "against" for signal in signals)):
            return True
        return self.words >= REASONED_WORDS and bool(_REASON.search(body[hit.end : end]))


def judge(
    text: str, words: int, before: Before, evidence: Evidence, weighed: Weighed, how: Strictness
) -> tuple[Failure, ...]:
    """All failures of a response of so many words, in the order of the text, given what it comes to."""
    bench = _Judge(text, words, evidence, weighed, how)
    failures = [*bench.phrases(), *bench.padding(), *bench.no_issue(before), *bench.emptiness()]
    return tuple(sorted(failures, key=lambda failure: failure.span.start if failure.span else math.inf))


def is_short(words: int, evidence: Evidence, min_words: int) -> bool:
    """True where layer 3 fails, so that layer 2 is not asked."""
    return words < min_words and not evidence.stand_down


def without_pack(text: str, min_words: int, phrases: tuple[str, ...] = ()) -> tuple[Failure, ...]:
    """What can be said of a response in a language without a pack: layer 3, and the configuration's own phrases."""
    folded = fold(text)
    found = tuple(
        Failure("forbidden_phrase", group.name, folded.span(*match.span()), "warning", 1)
        for group, pattern in own_phrases(phrases)
        for match in pattern.finditer(folded.text)
    )
    words = visible_words(text)
    return (*found, _too_short(words, min_words)) if words < min_words else found


def _too_short(words: int, min_words: int) -> Failure:
    return Failure("too_short", f"{words} word{'s' * (words != 1)}, fewer than {min_words}", None, "warning", 3)


def _missed(evidence: Evidence) -> str:
    """What layer 2 saw instead of disagreement, in words."""
    if evidence.used["retraction"]:
        return "the objection is taken back"
    if evidence.misplaced:
        return "it stands down to an argument of another occasion"
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

    What failed is quoted from the text where it is at hand, not from the pack. Without ``stand_down``, the one accepted
    form of agreement is not spelled out.
    """
    hints = (pack or english()).hints
    names = list(dict.fromkeys(earlier))[-NAMED:]
    comma = ", " if pack and pack.language != "en" else " or "
    values = {"words": min_words, "speakers": comma.join(names) or "the earlier speakers"}
    seen: dict[str, dict[str, None]] = {}
    for failure in failures:
        words = failure.span.shown(text).strip(",;:") if failure.span and text else failure.detail
        seen.setdefault(failure.kind, {})[f"“{words}”"] = None
    sentences = [hints[kind].format(phrases=", ".join(phrases), **values) for kind, phrases in seen.items()]
    if stand_down and "no_disagreement_signal" in seen:
        speaker = names[-1] if names else "[expert]"
        sentences.append(hints["stand_down"].format(speaker=speaker, phrases="", **values))
    return " ".join(sentences)
