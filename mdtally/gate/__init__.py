"""The gate: does a response in a debate reason, or does it flatter?

Three published layers, made right on real debates: layer 1 looks for eight phrases of performative agreement, layer 2
for a sign that the response takes issue with somebody who spoke earlier in the round, layer 3 for a minimum of words. A
stand-down ("I've stress-tested Ana's argument and cannot find a material weakness.") satisfies layers 2 and 3. Beyond
them: padding in other words, echoes, vague objections and filler. The words come from packs, a file a language.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mdtally.gate.result import Failure, GateResult, Issue
from mdtally.model import Matching
from mdtally.records import replace

if TYPE_CHECKING:
    from mdtally.gate.opinion import Opinion

MIN_WORDS = 12
"""A response with fewer words is too short."""


def check_response(
    text: str,
    prior_speakers: Sequence[str] = (),
    *,
    matching: Matching = "prose",
    language: str = "en",
) -> GateResult:
    """Check one response against the three layers and the rules beyond them.

    Args:
        text: the response, Markdown.
        prior_speakers: who spoke earlier in the round; without anybody layer 2 is not asked.
        matching: "prose", or "literal" for the published rules to the letter.
        language: code of the pack to use. A text that plainly isn't in it is read with its own language's pack, or,
            where there is none, without layers 1 and 2 (`GateResult.language` is "" then).
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
    filler: bool = False,
    extra_phrases: Sequence[str] = (),
    debate: Sequence[tuple[str, str]] = (),
    opinion: Opinion | None = None,
) -> GateResult:
    """Check one response, with what was said before it.

    Args:
        text, matching: as in ``check_response``.
        prior: the other agents' earlier turns in the round, (speaker, text) in order; a text may be "".
        language: code of the pack to use; None or a code without a pack leaves out layers 1 and 2.
        strict: the panel ran under the protocol: every failed layer is a warning.
        min_words, filler: the least number of words of layer 3; whether to report generic filler, too.
        extra_phrases: forbidden phrases beside the published ones, in any language.
        debate: all agents' turns before it, (speaker, text) in order, earlier rounds and its speaker's own turns among
            them: what it could repeat. Where there are none, ``prior`` stands for them.
        opinion: what a second reader says of it, which settles what the words leave open.
    """
    from mdtally.gate import judge
    from mdtally.gate.echo import Before
    from mdtally.gate.evidence import gather
    from mdtally.gate.fold import visible_words
    from mdtally.gate.language import contradicts
    from mdtally.gate.pack import load
    from mdtally.gate.weigh import weigh

    if matching not in ("prose", "literal"):
        raise ValueError(f"matching is {matching!r}; it is 'prose' or 'literal'")
    names = [name for name, _ in prior]
    pack = None
    if matching == "literal":
        from mdtally.gate.literal import check_literally

        result = GateResult(tuple(check_literally(text, names, min_words)), language=language or "")
    elif (pack := load(contradicts(text, language) or language) if language else None) is None:
        result = GateResult(tuple(judge.without_pack(text, min_words, tuple(extra_phrases))), language="")
    else:
        evidence, before = gather(text, names, pack, tuple(extra_phrases)), Before(prior, debate or prior)
        words = visible_words(text)
        verdict = weigh(text, words, before, evidence, pack)
        verdict = opinion.settle(verdict) if opinion else verdict
        issue = Issue(verdict.answer, round(verdict.score, 2), "opinion" if opinion else "words")
        failures = judge.judge(
            text, words, before, evidence, verdict, strict=strict, min_words=min_words, filler=filler
        )
        result = GateResult(
            tuple(failures),
            stand_down=evidence.stand_down is not None,
            signals=evidence.signals,
            language=pack.language,
            issue=issue if prior and not judge.is_short(words, evidence, min_words) else None,
            send_back=round(verdict.send_back, 2),
        )
    return replace(result, hint=judge.hint(result.failures, names, pack, min_words, text))


__all__ = ["MIN_WORDS", "Failure", "GateResult", "check", "check_response"]
