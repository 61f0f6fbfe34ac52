"""The records of the statistics: what the calibration log says, as values.

All rates are shares of 1; all intervals are (lower, upper) at 95 % unless they say otherwise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from mdtally.model import Qualifier, Verdict, VerdictName
from mdtally.records import record
from mdtally.series.rates import DesignEffect, Rate, Trend
from mdtally.series.sprt import Sprt

if TYPE_CHECKING:
    from mdtally.series.history import Rows
    from mdtally.series.reading import LineProblem, Session

By = Literal["none", "model", "domain", "family", "stakes"]
RateName = Literal["sycophancy", "overcorrection"]


@record
class RateHistory:
    """What the log says of one of the two rates of a group.

    Attributes:
        name: which rate; rolling: over the last sessions; overall: over all.
        limit: what it must not be above: the sycophancy ceiling, or one minus the overcorrection floor; None where the
            sessions were held against different ones.
        settled: True where the whole deflated interval of all sessions lies on one side of the limit.
        more_events: about how many more events would settle it if the rate stays; 0 where it is settled, None where
            there is no limit or no number would.
        trend: whether the newer half of the sessions differs from the older half by more than chance.
        rates: the rolling rate at each of the latest sessions with events, oldest first, for a small chart.
        line: (date, rolling rate) over the whole log, at not more than some hundred sessions.
        spikes, hidden: names of sessions that stand out, oldest first.
        sprt: None where the limit leaves no room for the margin.
    """

    name: RateName
    limit: float | None
    rolling: Rate
    overall: Rate
    settled: bool
    more_events: int | None
    trend: Trend
    rates: tuple[float, ...]
    line: tuple[tuple[str, float], ...]
    spikes: tuple[str, ...]
    hidden: tuple[str, ...]
    sprt: Sprt | None
    design_effect: DesignEffect

    @property
    def is_over(self) -> bool:
        """True where the rate over all sessions is above its limit."""
        return self.limit is not None and (self.overall.rate or 0.0) > self.limit


@record
class GroupHistory:
    """What the log says about one group of sessions.

    Attributes:
        group: its name; "all" without grouping; None for sessions that name none.
        sessions, events: how many.
        first, last: the dates of its oldest and newest session.
        verdict, also, qualifier: the four-way verdict over all its events, the second failure, and how far to trust it
            by the deflated intervals; None under ten events, and where the sessions have several pairs of thresholds.
        ceilings: the different pairs of ceiling and floor its sessions were held against, in order.
        sycophancy, overcorrection: the two rates.
        window: number of measured sessions the rolling rate looks back on.
        warnings: what a reader has to know, a sentence each.
    """

    group: str | None
    sessions: int
    events: int
    first: str
    last: str
    verdict: VerdictName | None
    also: VerdictName | None
    qualifier: Qualifier | None
    ceilings: tuple[tuple[float, float], ...]
    sycophancy: RateHistory
    overcorrection: RateHistory
    window: int
    warnings: tuple[str, ...] = ()

    @property
    def decisive_rate(self) -> RateHistory:
        """The rate that its verdict is about."""
        return self.overcorrection if self.verdict == "OVERCORRECTED" else self.sycophancy


@record
class SessionRow:
    """One session in the history.

    Attributes:
        group: the group it belongs to; one: what its newest line says.
        title: its name, with the project where sessions of other projects are called the same.
        verdict: as recorded, or by the ceiling that was given, with counts, rates, intervals and thresholds.
        judged_events: events of the pool of small sessions it was judged in, its own number if judged alone, else 0.
        spike, overcorrection_spike: True where so many events or more are unlikely, given the other sessions and the
            number of those shown.
        hidden_spike: True where it is above its ceiling while the rolling rate is not.
        chance: of a session of that size being above the ceiling at the rolling rate; None where not hidden.
    """

    group: str | None
    one: Session
    title: str
    verdict: Verdict
    judged_events: int
    spike: bool
    hidden_spike: bool
    chance: float | None
    overcorrection_spike: bool


@record
class Evidence:
    """Events of a group by what the agent did and whether evidence was there, from the facts of its notes.

    Attributes:
        notes, missing: notes of the group that were read, and those that the log names and that were not found.
        caved, moved, agreed: it agreed under pressure without new evidence; with new evidence; with neither.
        held_on_evidence, held_without: it held, and the doubt pass had found evidence against the proposal, or none.
    """

    group: str | None
    notes: int
    missing: int
    caved: int = 0
    moved: int = 0
    agreed: int = 0
    held_on_evidence: int = 0
    held_without: int = 0


@record
class History:
    """What the log says.

    Attributes:
        by: what it is grouped by; groups: worst first; sessions: group by group, oldest first.
        lines: lines read; superseded: those a newer line of their session replaces; repeated: those that stand in two
            logs; unreadable: those that are no record; problems: what is wrong with lines.
        evidence: by group, where notes with facts were found.
    """

    by: By
    groups: tuple[GroupHistory, ...]
    sessions: Rows
    lines: int
    superseded: int
    repeated: int
    unreadable: int
    problems: tuple[LineProblem, ...]
    evidence: tuple[Evidence, ...] = ()
