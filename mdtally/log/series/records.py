"""The records of the statistics: what the calibration log says, as values.

All rates are shares of 1, all differences of rates are shares of 1 from -1 to 1; all intervals are (lower, upper) at
95 % unless they say otherwise.
"""

from __future__ import annotations

from typing import Literal

from mdtally.log.record import Held, LogRecord, Pressed
from mdtally.log.series.contrasts import Difference
from mdtally.log.series.rates import DesignEffect, Rate
from mdtally.log.series.reading import Sessions
from mdtally.log.series.sprt import Sprt
from mdtally.text.model import Qualifier, Verdict, VerdictName
from mdtally.text.records import record

RateName = Literal["sycophancy", "overcorrection"]
Bar = Literal["skipped", "taken"]
"""What stands against settling a difference in a survey."""
EventsOf = Literal["a", "b", "both"]
Measure = Literal["sycophancy", "overcorrection", "pressed"]
Trend = Literal["up", "down", "unclear"]


@record
class RateHistory:
    """What the log says of one of the two rates of a group.

    Attributes:
        name: which rate; rolling: over the last sessions; overall: over all.
        limit: what it must not be above: the sycophancy ceiling, or one minus the overcorrection floor; None where the
            sessions were held against different ones.
        settled: True where the confidence sequence of all sessions lies on one side of the limit, on ten events' worth
            and five sessions.
        more_events: about how many more events would settle it if the rate stays; 0 where it is settled, None where
            there is no limit or no likely number would.
        trend: whether the newer half of the sessions differs from the older half, settled likewise.
        spikes: names of sessions that stand out, oldest first.
    """

    name: RateName
    limit: float | None
    rolling: Rate
    overall: Rate
    settled: bool
    more_events: int | None
    trend: Trend
    spikes: tuple[str, ...]
    sprt: Sprt
    design_effect: DesignEffect

    @property
    def is_over(self) -> bool:
        """True if the rate over all sessions is above its limit."""
        return self.limit is not None and (self.overall.rate or 0.0) > self.limit


@record
class PressedHistory:
    """What the agent did the times that the person pressed or approved, by the facts that the lines count.

    Attributes:
        answers: how often it agreed with nothing new, agreed to something new, and held.
        rate: how often it gave in, of these times; None in it where there were none.
        by_letter: further times that it gave in, known by a letter or a total alone.
        unstated_holds: further holds, before which no fact notes that the person pressed.
    """

    answers: Pressed
    rate: Rate
    by_letter: int
    unstated_holds: int


@record
class GroupHistory:
    """What the log says about one group of sessions.

    Attributes:
        group: its name; "all" without grouping; None for sessions that name none.
        sessions, events: how many.
        first, last: the dates of its oldest and newest session.
        verdict, also, qualifier: the four-way verdict over all its events, the second failure, and whether the rates it
            rests on are settled; None under ten events, and where the sessions have several pairs of thresholds.
        ceilings: the different pairs of ceiling and floor its sessions were held against, in order.
        models: the models that its sessions name, in order; None among them for those that name none.
        sycophancy, overcorrection: the two rates.
        pressed, held: from the lines' facts; None where no line has any.
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
    models: tuple[str | None, ...]
    sycophancy: RateHistory
    overcorrection: RateHistory
    pressed: PressedHistory | None
    held: Held | None
    window: int
    warnings: tuple[str, ...] = ()


@record
class Contrast:
    """How two groups differ in one measure.

    Attributes:
        a, b: the groups' names; of two groups before and since a date, a is the earlier one.
        measure: one of the two rates, or "pressed": how often it gave in of the times that the person pressed.
        found: how much the rate of b is above that of a.
        events_to_settle: about how many more events would settle it if both rates stay as they are: of both groups, or
            of the smaller one; of "pressed", times pressed. 0 if it is settled, None if no likely number would.
        events_of: the group that these events are of, "a", "b" or "both".
        within: the group within which it is, "standardised" for the difference over all groups as if their mix had not
            changed; None for one between groups.
        barred_by: what stands against settling it, in a survey: over a tenth of a side's items "skipped", or over a
            tenth of one side's answers, and not of the other's, "taken" over from notes; None if neither.
    """

    a: str | None
    b: str | None
    measure: Measure
    found: Difference
    events_to_settle: int | None
    events_of: EventsOf = "both"
    within: str | None = None
    barred_by: Bar | None = None


@record
class Mix:
    """What a day changed within each group, and over all of them as if their mix had not changed.

    Attributes:
        by: the key of the groups.
        within: the differences in each group that has events on both sides.
        standardised: the differences over these groups, each weighing by its share of the events of both sides.
        missing: the groups that have events on one side only, which are left out.
    """

    by: str
    within: tuple[Contrast, ...]
    standardised: tuple[Contrast, ...]
    missing: tuple[str, ...]


@record
class SessionRow:
    """One session in the history.

    Attributes:
        group: the group it belongs to; line: the line of the log that counts.
        title: its name, with the project where sessions of other projects are called the same.
        verdict: by its recorded thresholds, or by the ceiling that was given, with counts, rates and intervals.
        spike, overcorrection_spike: True where so many events or more are unlikely, given the other sessions and the
            number of those shown.
    """

    group: str | None
    line: LogRecord
    title: str
    verdict: Verdict
    spike: bool
    overcorrection_spike: bool


@record
class History:
    """What the log says.

    Attributes:
        by: the key that it is grouped by, "none" or "split"; groups: worst first, or before and since a date.
        contrasts: the differences between groups, adjusted for their number.
        sessions: group by group, oldest first.
        log: what was read.
        mix: of a split with a key, what it changed within the groups of the key; else None.
    """

    by: str
    groups: tuple[GroupHistory, ...]
    contrasts: tuple[Contrast, ...]
    sessions: tuple[SessionRow, ...]
    log: Sessions
    mix: Mix | None = None

    def rows_of(self, group: GroupHistory) -> list[SessionRow]:
        """The sessions of a group, oldest first."""
        return [row for row in self.sessions if row.group == group.group]
