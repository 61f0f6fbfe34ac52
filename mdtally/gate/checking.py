"""Checking one response: the three published layers and the rules beyond them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from mdtally.gate import judge
from mdtally.gate.echo import Before
from mdtally.gate.evidence import gather
from mdtally.gate.fold import visible_words
from mdtally.gate.language import contradicts
from mdtally.gate.literal import check_literally
from mdtally.gate.pack import Pack, load
from mdtally.gate.result import GateResult, Issue, StatedAnswer
from mdtally.gate.weigh import weigh
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
    filler: bool = False,
    extra_phrases: Sequence[str] = (),
    debate: Sequence[tuple[str, str]] = (),
    opinion: Opinion | None = None,
    stated: StatedAnswer | None = None,
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
        stated: what a stance line in it says of layer 2, and so decides; None where it has none.
    """
    if matching not in ("prose", "literal"):
        raise ValueError(f"matching is {matching!r}; it is 'prose' or 'literal'")
    names = [name for name, _ in prior]
    pack = load(contradicts(text, language) or language) if language and matching == "prose" else None
    if matching == "literal":
        result = GateResult(tuple(check_literally(text, names, min_words)), language=language or "")
    elif pack is None:
        result = GateResult(judge.without_pack(text, min_words, tuple(extra_phrases)), language="")
    else:
        how = judge.Strictness(strict, min_words, filler)
        result = _check_with(pack, text, Before(prior, debate or prior), how, tuple(extra_phrases), opinion, stated)
    return replace(result, hint=judge.hint(result.failures, names, pack, min_words, text))


def _check_with(
    pack: Pack,
    text: str,
    before: Before,
    how: judge.Strictness,
    phrases: tuple[str, ...],
    opinion: Opinion | None,
    stated: StatedAnswer | None,
) -> GateResult:
    evidence = gather(text, [name for name, _ in before.prior], pack, phrases)
    words = visible_words(text)
    weighed = weigh(text, words, before, evidence, pack)
    weighed = opinion.settle(weighed) if opinion else weighed
    if stated == "silent":
        weighed = replace(weighed, answer="silent", send_back=max(weighed.send_back, 0.0))
    elif stated:
        # A concession takes up the words of what convinced it.
        weighed = replace(weighed, answer="argues", echo=weighed.echo and stated == "argues")
    stands_down = evidence.stand_down or stated == "stands_down"
    voices = weighed.voices if weighed.answer == "argues" and not stands_down else ()
    decided_by: Literal["words", "opinion", "stance"] = "stance" if stated else "opinion" if opinion else "words"
    issue = Issue(weighed.answer, round(weighed.score, 2), decided_by, voices)
    asked = before.prior and not judge.is_short(words, evidence, how.min_words)
    return GateResult(
        judge.judge(text, words, before, evidence, weighed, how),
        stand_down=stands_down,
        signals=evidence.signals,
        language=pack.language,
        issue=issue if asked else None,
        send_back=round(weighed.send_back, 2),
    )
