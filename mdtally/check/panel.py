"""Several debates together: what each voice does over all of them, and which one nods more than those it debates with.

**Nods more.** In each debate a voice's turns that answer nobody are compared with what they would be at the share of
all voices there. If nobody nods more, each voice might as well have had the turns of any other one in the same debate:
so all ways of handing the voices' turns round are gone through. That holds however alike a voice's turns in one debate
are, and however debates differ. The voices share the 2.5 % of being named wrongly (Holm, Scandinavian Journal of
Statistics 6, 1979); bench/panel_simulations.py measures it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from math import sqrt

from mdtally.check.debate import PADDING, Debate, TurnAnswer, answer_counts, decided_counts
from mdtally.log.series.rates import Clusters
from mdtally.text.records import record

ALPHA = 0.025
_GRID = 8
"""Into how many parts a turn is cut to count the ways."""
_MOST_COUNTED = 60
"""Debates of a voice up to which the ways are counted; of more, their sum is taken for normal."""
Asked = Mapping[tuple[str, str], tuple[int, int]]
"""Of each voice in a debate how many of its turns answer nobody, and how many could answer somebody."""


@record
class PanelShare:
    """A share of a voice's turns over all debates, with its range, deflated as turns of one debate are alike."""

    share: float
    low: float
    high: float


@record
class PanelVoice:
    """A voice over several debates, known by its name and model.

    Attributes:
        speaker: its name; model: as the debates' frontmatter says, "" where it does not.
        debates, turns: how many.
        argues: of the turns that could answer somebody, without the unsure ones; None without any.
        pads, repeats: of all its turns.
        nods_more: True if it answers nobody more often than the others of its debates, adjusted for their number.
    """

    speaker: str
    model: str
    debates: int
    turns: int
    argues: PanelShare | None
    pads: PanelShare | None
    repeats: PanelShare | None
    nods_more: bool


def panel_voices(debates: Sequence[tuple[Debate, Mapping[str, str]]]) -> list[PanelVoice]:
    """The agents of all debates that were judged, those with most turns first.

    Args:
        debates: each with the model of each voice; the key "" is that of all others.
    """
    said: dict[tuple[str, str], list[tuple[Debate, list[TurnAnswer]]]] = defaultdict(list)
    asked: list[Asked] = []
    for debate, models in debates:
        if debate.state != "judged":
            continue
        counts: dict[tuple[str, str], tuple[int, int]] = {}
        for voice in debate.voices:
            if voice.kind == "agent":
                key = voice.name, models.get(voice.name, models.get("", ""))
                said[key].append((debate, [one for one in debate.turns if one.turn.speaker == voice.name]))
                counts[key] = voice.answers["silent"], sum(voice.answers.values())
        asked.append(counts)
    nodding = nods_more(asked)
    found = [_voice(key, turns, nods_more=key in nodding) for key, turns in said.items()]
    return sorted(found, key=lambda one: -one.turns)


def nods_more(debates: Sequence[Asked]) -> set[tuple[str, str]]:
    """The voices that answer nobody more often than the others of their debates, adjusted for their number."""
    chances: dict[tuple[str, str], list[list[int]]] = defaultdict(list)
    above: dict[tuple[str, str], int] = defaultdict(int)
    for debate in debates:
        measured = {key: pair for key, pair in debate.items() if pair[1]}
        if len(measured) < 2:
            continue
        silent, turns = (sum(column) for column in zip(*measured.values(), strict=True))
        more = {key: round(_GRID * (k - n * silent / turns)) for key, (k, n) in measured.items()}
        for key, value in more.items():
            chances[key].append([*more.values()])
            above[key] += value
    ranked = sorted((_tail(ways, above[key]), key) for key, ways in chances.items())
    # The first that may be chance ends the search.
    by_chance = (place for place, (p, _) in enumerate(ranked) if p > ALPHA / (len(ranked) - place))
    return {key for _, key in ranked[: next(by_chance, None)]}


def _tail(ways: Sequence[Sequence[int]], least: int) -> float:
    """The probability that values, one drawn from each list, add up to ``least`` or more."""
    if len(ways) > _MOST_COUNTED:
        from statistics import NormalDist, fmean, pvariance

        spread = sum(float(pvariance(values)) for values in ways)
        return 1 - NormalDist(sum(map(fmean, ways)), sqrt(spread)).cdf(least - 0.5) if spread else 1.0
    sums = {0: 1.0}
    for values in ways:
        grown: dict[int, float] = defaultdict(float)
        for total, chance in sums.items():
            for value in values:
                grown[total + value] += chance / len(values)
        sums = grown
    return sum(chance for total, chance in sums.items() if total >= least)


def _voice(key: tuple[str, str], said: Sequence[tuple[Debate, Sequence[TurnAnswer]]], *, nods_more: bool) -> PanelVoice:
    """A voice over several debates, from its turns in each."""
    pads: list[tuple[int, int]] = []
    for debate, turns in said:
        padded = {problem.turn for problem in debate.file.problems if problem.rule in PADDING}
        pads.append((sum(one.turn.index in padded for one in turns), len(turns)))
    argues = [decided_counts(answer_counts(turns)) for _, turns in said]
    repeats = [(sum(one.repeats is not None for one in turns), len(turns)) for _, turns in said]
    total = sum(many for _, many in pads)
    shares = deflated_share(argues), deflated_share(pads), deflated_share(repeats)
    return PanelVoice(*key, len(said), total, *shares, nods_more)


def deflated_share(counts: Sequence[tuple[int, int]]) -> PanelShare | None:
    """A share and its range, deflated as events counted together are alike; None without any.

    Args:
        counts: how many of how many, for each debate of a voice, or each voice of a debate.
    """
    found = Clusters(counts).rate()
    fits = found.interval_deflated
    return PanelShare(found.successes / found.events, *fits) if fits else None
