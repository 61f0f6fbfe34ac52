"""Checking one response: the three published layers and the rules beyond them."""

from __future__ import annotations

from collections.abc import Sequence

from mdtally.gate import judge
from mdtally.gate.echo import Before
from mdtally.gate.evidence import Evidence, gather
from mdtally.gate.fold import without_comments
from mdtally.gate.language import contradicts
from mdtally.gate.literal import check_literally
from mdtally.gate.pack import Pack, load_or_english, pack_of
from mdtally.gate.result import GateResult, Opinion, StatedAnswer
from mdtally.gate.weigh import settle_stance, weigh
from mdtally.text.model import MIN_WORDS, Matching
from mdtally.text.records import replace


def check_response(
    text: str, prior_speakers: Sequence[str] = (), *, matching: Matching = "prose", language: str = "en"
) -> GateResult:
    """Check one response against the three layers and the rules beyond them.

    Args:
        text: the response, Markdown.
        prior_speakers: who spoke earlier in the round; without anybody layer 2 is not asked.
        matching: "prose", or "literal" for the published rules to the letter.
        language: code of the pack to use. A text that plainly isn't in it is read with its own language's pack, or,
            where there is none, without layers 1 and 2 (`GateResult.language` is "" then).

    Raises:
        TypeError: ``prior_speakers`` is one text and no list of names.
        ValueError: there is no such way of matching.
    """
    if isinstance(prior_speakers, str):
        raise TypeError(f"prior_speakers is the text {prior_speakers!r:.40}; give a list of names")
    return check(text, [(speaker, "") for speaker in prior_speakers], matching=matching, language=language)


def check(
    text: str,
    prior: Sequence[tuple[str, str]] = (),
    *,
    matching: Matching = "prose",
    language: str | None = "en",
    strict: bool = False,
    min_words: int = MIN_WORDS,
    extra_phrases: Sequence[str] = (),
    debate: Sequence[tuple[str, str]] = (),
    speaker: str = "",
    opinion: Opinion | None = None,
    stated: StatedAnswer | None = None,
) -> GateResult:
    """Check one response, with what was said before it.

    Args:
        text, matching: as in ``check_response``.
        prior: the other agents' earlier turns in the round, (speaker, text) in order; a text may be "".
        language: code of the pack to use; None or a code without a pack leaves out layers 1 and 2.
        strict: the panel ran under the protocol: every failed layer is a warning.
        min_words: the least number of words of layer 3.
        extra_phrases: forbidden phrases beside the published ones, in any language.
        debate: all agents' turns before it, (speaker, text) in order, earlier rounds and its speaker's own turns among
            them: what it could repeat. Where there are none, ``prior`` stands for them.
        speaker: who gave it, which tells its own turns in ``debate``.
        opinion: what a second reader says of it, which settles what the words leave open.
        stated: what a stance line in it says of layer 2, and so decides; None where it has none.
    """
    if matching not in ("prose", "literal"):
        raise ValueError(f"matching is {matching!r}; it is 'prose' or 'literal'")
    names, phrases, text = [name for name, _ in prior], tuple(extra_phrases), without_comments(text)
    prior, debate = ([(name, without_comments(said)) for name, said in turns] for turns in (prior, debate))
    pack = pack_of(contradicts(text, language) or language) if language and matching == "prose" else None
    if matching == "literal":
        result = GateResult(tuple(check_literally(text, names, min_words)), language=language or "")
    elif pack is None:
        result = judge.without_pack(text, names, min_words, phrases, strict=strict, opinion=opinion)
    else:
        before, evidence = Before(prior, debate or prior, speaker), _gather(text, names, pack, phrases)
        weighed = settle_stance(weigh(text, before, evidence, pack), opinion, stated)
        result = judge.judge(
            text, before, evidence, weighed, strict=strict, min_words=min_words, language=pack.language
        )
    return replace(result, hint=judge.hint(result.failures, names, pack, min_words, text))


def _gather(text: str, names: Sequence[str], pack: Pack, phrases: tuple[str, ...]) -> Evidence:
    """What a pack sees, with what holds in every language: published phrases, objections and stand-down in English."""
    if pack.language == "en":
        return gather(text, names, pack, phrases)
    english = gather(text, names, load_or_english("en"))
    objections = [hit for hit in english.used["signal"] if hit.owner.strength == "strong"]
    evidence = gather(text, names, pack, phrases, [*english.used["forbidden"], *objections])
    return replace(evidence, stand_down=evidence.stand_down or english.stand_down)
