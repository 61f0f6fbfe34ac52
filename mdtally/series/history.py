"""``summarise``: the calibration log to what it says, group by group, the worst first.

A group's sessions are columns: plain lists of counts, thresholds and dates, which any table can give. ``group_history``
says of them what ``mdtally history`` says. Each statistic walks over the columns once. Rows of single sessions are made
when they are asked for: a page shows the newest of them, and all of a long log would not fit where the counts do.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate, compress, islice, repeat
from operator import truediv
from typing import Any

from mdtally.calibration import calibrate_counts
from mdtally.intervals import ENOUGH, trust
from mdtally.model import Verdict
from mdtally.percent import limit as shown_limit
from mdtally.records import record, replace
from mdtally.series import sprt
from mdtally.series.ceiling import CAREFUL, family
from mdtally.series.design import Clusters
from mdtally.series.rates import rate_of, settled, trend
from mdtally.series.reading import Session, Sessions
from mdtally.series.records import By, GroupHistory, History, RateHistory, RateName, SessionRow
from mdtally.series.sequence import spent
from mdtally.series.spikes import chance_above, cutoff, pool, pooled, rolling, tails

WINDOW = 20
"""Sessions with events that the rolling rate looks back on."""
TREND = 60
"""Points of the small chart."""
LINE = 240
"""Points of the line over the whole log, about."""

Tails = Mapping[RateName, Counter[float]]


@record
class Columns:
    """The sessions of one group as columns of one length, oldest first; each session by its newest line.

    Attributes:
        session: names; date: ISO 8601.
        A_P, A_R, A_T: counts.
        events: the ordered events over P, R and T, or None where only their number is known.
        ceiling, floor: what each was held against.
    """

    session: Sequence[str]
    date: Sequence[str]
    A_P: Sequence[int]
    A_R: Sequence[int]
    A_T: Sequence[int]
    events: Sequence[str | None]
    ceiling: Sequence[float]
    floor: Sequence[float]


def group_history(
    name: str | None, columns: Columns, *, window: int = WINDOW, spikes_up_to: Mapping[RateName, float] | None = None
) -> GroupHistory:
    """What the log says of one group of at least one session.

    Args:
        name: the group's.
        columns: its sessions.
        window: sessions with events in the rolling rate.
        spikes_up_to: the largest tail that is a spike, by rate, where spikes are sought over several groups together;
            see ``cutoffs``. None seeks them in this group alone.

    Raises:
        ValueError: a window that holds nothing.
    """
    group = _Group(name, columns, window)
    return group.summary(spikes_up_to or cutoffs([group.tails()]))


def unit_tails(columns: Columns) -> Tails:
    """How unlikely each of a group's sessions is among the others, by rate: tails, and how often each occurs."""
    return _Group(None, columns, WINDOW).tails()


def cutoffs(groups: Iterable[Tails]) -> dict[RateName, float]:
    """The largest tail that is a spike, by rate, by Benjamini and Hochberg over the ``unit_tails`` of all groups."""
    together: dict[RateName, Counter[float]] = {"sycophancy": Counter(), "overcorrection": Counter()}
    for one in groups:
        for rate, found in one.items():
            together[rate].update(found)
    return {rate: cutoff(found) for rate, found in together.items()}


def group_of(
    by: By, families: Mapping[str, str] | None = None, stakes: Callable[[Session], str | None] | None = None
) -> Callable[[Session], str | None]:
    """What gives the name of a session's group; None stands for those that name none.

    Args:
        by: none, model, domain, family or stakes.
        families: glob of models -> family, for those that a date behind the name does not tell.
        stakes: gives the stakes of a session, which stand in its note.
    """
    known = dict(families or {})
    of_model = lru_cache(maxsize=None)(lambda model: family(model, known))
    ways: dict[By, Callable[[Session], str | None]] = {
        "none": lambda session: "all",
        "model": lambda session: session.held.model,
        "domain": lambda session: session.held.domain,
        "family": lambda session: of_model(session.held.model),
        "stakes": stakes or (lambda session: None),
    }
    return ways[by]


def summarise(
    sessions: Sessions,
    *,
    by: By = "none",
    group: Callable[[Session], str | None] | None = None,
    window: int = WINDOW,
    ceiling: float | None = None,
) -> History:
    """What a calibration log says.

    Args:
        sessions: what was read of it.
        by, group: what the sessions are grouped by, and what gives a session's group; see ``group_of``.
        window: sessions with events in the rolling rate.
        ceiling: judge every session by this ceiling, and give it the verdict it has by that one; None takes the
            ceiling and the verdict it was recorded with.

    Raises:
        ValueError: a window that holds nothing.
    """
    split: dict[str | None, list[Session]] = {}
    name_of = group or group_of(by)
    for session in sessions.oldest_first():
        split.setdefault(name_of(session), []).append(session)
    groups = [(_Group(name, _columns(members, ceiling), window), members) for name, members in split.items()]
    limits = cutoffs(one.tails() for one, _ in groups)
    summaries = [(one.summary(limits), one, members) for one, members in groups]
    summaries.sort(key=lambda found: _badness(found[0]), reverse=True)
    return History(
        by=by,
        groups=tuple(summary for summary, *_ in summaries),
        sessions=Rows([(one, members) for _, one, members in summaries], judged_anew=ceiling is not None),
        lines=sessions.lines,
        superseded=sessions.superseded,
        repeated=sessions.repeated,
        unreadable=sessions.unreadable,
        problems=tuple(sessions.problems),
    )


class View(Sequence[Any]):
    """A column that is read off when it is asked for: of a million sessions, each list would take 8 MB."""

    def __init__(self, of: Sequence[Any], value: Callable[[Any], Any]) -> None:
        self._of, self._value = of, value

    def __len__(self) -> int:
        return len(self._of)

    def __iter__(self) -> Iterator[Any]:
        return map(self._value, self._of)

    def __getitem__(self, place: Any) -> Any:
        return self._value(self._of[place])


class Rows:
    """The sessions, group by group, oldest first; each row is made when it is asked for."""

    def __init__(self, groups: Sequence[tuple[_Group, Sequence[Session]]], *, judged_anew: bool) -> None:
        self._groups, self._anew = groups, judged_anew
        self._alike: frozenset[bytes] = frozenset()
        if len({one.held.project for _, members in groups for one in members}) > 1:
            names = Counter(one.key for _, members in groups for one in members)
            self._alike = frozenset(name for name, times in names.items() if times > 1)

    def __iter__(self) -> Iterator[SessionRow]:
        for index in range(len(self._groups)):
            yield from self.of_group(index)

    def groups(self) -> Iterator[tuple[str | None, Sequence[Session]]]:
        """The groups' names and sessions."""
        return ((group.name, members) for group, members in self._groups)

    def date(self, group: int, number: int) -> str:
        """The date of the session with that number, 1-based, in the group at that index."""
        return self._groups[group][1][number - 1].date

    def of_group(self, index: int, newest: int | None = None) -> Iterator[SessionRow]:
        """The sessions of the group at that index, oldest first; only the newest ones where told so."""
        group, members = self._groups[index]
        first = 0 if newest is None else max(0, len(members) - newest)
        return (self._row(group, members[place], place) for place in range(first, len(members)))

    def _row(self, group: _Group, session: Session, place: int) -> SessionRow:
        held, of_p = session.held, group.sycophancy
        recorded, progressive, regressive, total, events = session.counted
        ceiling = group.columns.ceiling[place]
        verdict = _judged(progressive, regressive, total, ceiling, held.overcorrection_floor)
        if not self._anew and verdict.verdict != recorded:
            verdict = replace(verdict, verdict=recorded)
        unit = group.units.of[place]
        judged_events = group.units.sizes[unit] if unit >= 0 else 0
        average = of_p.hidden.get(place)
        chance = None if average is None else chance_above(judged_events, ceiling, average, of_p.effect.used)
        return SessionRow(
            group=group.name,
            session=session.name,
            title=f"{held.project or 'no project'}: {session.name}" if session.key in self._alike else session.name,
            project=held.project,
            source=session.source,
            date=session.date,
            recorded=session.recorded,
            model=held.model,
            domain=held.domain,
            verdict=verdict,
            events=events if total else "",
            judged_events=judged_events,
            spike=place in of_p.spikes,
            hidden_spike=average is not None,
            chance=chance,
            overcorrection_spike=place in group.overcorrection.spikes,
        )


class _Group:
    """A group's sessions and the two rates over them."""

    def __init__(self, name: str | None, columns: Columns, window: int) -> None:
        if window < 1:
            raise ValueError(f"a rolling rate needs a window of at least one session, not {window}")
        self.name, self.columns, self.window = name, columns, window
        self.units = pool(columns.A_T)
        self.thresholds = tuple(dict.fromkeys(zip(columns.ceiling, columns.floor, strict=True)))
        self.sycophancy = _Column(self, "sycophancy", columns.A_P, columns.ceiling)
        self.overcorrection = _Column(
            self, "overcorrection", columns.A_R, View(columns.floor, lambda floor: round(1 - floor, 12))
        )

    def tails(self) -> Tails:
        """See ``unit_tails``."""
        return {one.name: one.tail_counts() for one in (self.sycophancy, self.overcorrection)}

    def summary(self, spikes_up_to: Mapping[RateName, float]) -> GroupHistory:
        """What is said of the group, where tails up to that are spikes."""
        columns, pairs = self.columns, self.thresholds
        of_p, of_r = (one.said(spikes_up_to[one.name]) for one in (self.sycophancy, self.overcorrection))
        verdict, qualifier = None, None
        p, r = of_p.overall, of_r.overall
        if len(pairs) == 1 and p.events >= ENOUGH and p.interval_deflated and r.interval_deflated:
            verdict = _judged(p.successes, r.successes, p.events, *pairs[0])
            limits = pairs[0][0], of_r.limit or 0.0
            qualifier = trust(verdict.verdict, p.interval_deflated, r.interval_deflated, *limits)
        return GroupHistory(
            group=self.name,
            sessions=len(columns.session),
            measured=p.sessions,
            events=p.events,
            A_P=p.successes,
            A_R=r.successes,
            first=columns.date[0],
            last=columns.date[-1],
            verdict=verdict.verdict if verdict else None,
            also=verdict.also if verdict else None,
            qualifier=qualifier,
            ceilings=pairs,
            sycophancy=of_p,
            overcorrection=of_r,
            window=self.window,
            warnings=tuple(_warnings(pairs)),
        )


class _Column:
    """One of the two rates over a group's sessions, oldest first."""

    def __init__(self, group: _Group, name: RateName, successes: Sequence[int], limits: Sequence[float]) -> None:
        sizes, units = group.columns.A_T, group.units
        self.group, self.name, self.successes, self.limits = group, name, successes, limits
        pairs = group.thresholds
        different = {ceiling for ceiling, _ in pairs} if name == "sycophancy" else {floor for _, floor in pairs}
        self.limit = limits[0] if len(different) == 1 else None
        self.measured = successes, sizes
        if 0 in sizes:
            self.measured = array("i", compress(successes, sizes)), array("i", compress(sizes, sizes))
        sums = (rolling(column, group.window) for column in self.measured)
        self.rates = array("d", map(truediv, *sums))
        self.effect = Clusters(zip(successes, sizes, strict=True)).design_effect()
        self.pooled = pooled(successes, units)
        self.tails = tails(zip(self.pooled, units.sizes, strict=True), sum(successes), sum(sizes))
        self.spikes: dict[int, None] = {}
        self.hidden: dict[int, float] = {}

    def tail_counts(self) -> Counter[float]:
        """The tails of all sessions or pools that can be judged."""
        counts = Counter(zip(self.pooled, self.group.units.sizes, strict=True))
        found: Counter[float] = Counter()
        for unit, value in self.tails.items():
            found[value] += counts[unit]
        return found

    def said(self, cutoff: float) -> RateHistory:
        """What is said of the rate."""
        self._judge(cutoff)
        columns, window = self.group.columns, self.group.window
        successes, sizes = self.measured
        deff, rates = self.effect.deff, self.rates
        limit = self.limit
        overall = rate_of(successes, sizes, deff, 0.05)
        is_settled, more = settled(overall, limit, deff)
        # The number of windows there have been: each has its share of alpha.
        windows = max(1, 1 + len(sizes) - window)
        step = max(1, len(rates) // LINE)
        dated = islice(compress(columns.date, columns.A_T), (len(rates) - 1) % step, None, step)
        return RateHistory(
            name=self.name,
            limit=limit,
            rolling=rate_of(successes[-window:], sizes[-window:], deff, spent(0.05, windows)),
            overall=overall,
            settled=is_settled,
            more_events=more,
            trend=trend(successes, sizes, deff),
            rates=tuple(rates[-TREND:]),
            line=tuple(zip(dated, rates[(len(rates) - 1) % step :: step], strict=True)) if rates else (),
            spikes=tuple(columns.session[place] for place in self.spikes),
            hidden=tuple(columns.session[place] for place in self.hidden),
            sprt=sprt.run(
                zip(self.successes, columns.A_T, self.limits if limit is None else repeat(limit), strict=False),
                columns.events,
                letter="P" if self.name == "sycophancy" else "R",
            ),
            design_effect=self.effect,
        )

    def _judge(self, cutoff: float) -> None:
        """Find the sessions that stand out, and those above their limit while the rolling rate is not."""
        units, sizes = self.group.units, self.group.columns.A_T
        flagged = {unit for unit, value in self.tails.items() if value <= cutoff}
        at = array("i", accumulate(map(bool, sizes)))
        averages: dict[int, float | None] = {}
        limits = (self.limits[last] for last in units.last) if self.limit is None else repeat(self.limit)
        for index, (k, n, last, limit) in enumerate(zip(self.pooled, units.sizes, units.last, limits, strict=False)):
            average = self._calm_rate(at[last] - 1, limit) if k / n > limit else None
            if average is not None or (k, n) in flagged:
                averages[index] = average
        for place, index in enumerate(units.of):
            if index in averages:
                k, n = self.pooled[index], units.sizes[index]
                # Of small sessions judged together, those that stand out are the ones at or above their common rate.
                if self.successes[place] * n >= k * sizes[place]:
                    if (k, n) in flagged:
                        self.spikes[place] = None
                    average = averages[index]
                    if average is not None:
                        self.hidden[place] = average

    def _calm_rate(self, at: int, limit: float) -> float | None:
        """The rolling rate that a session above its limit hides under; None where that is above the limit, too.

        It is the rate of the window that ends with the session, or the latest one where the session is still in it: the
        first session of a log is all of its own window, and is hidden once sessions below the limit follow.
        """
        then, latest = float(self.rates[at]), float(self.rates[-1])
        if then <= limit:
            return then
        return latest if at >= len(self.rates) - self.group.window and latest <= limit else None


def _columns(members: Sequence[Session], ceiling: float | None) -> Columns:
    return Columns(
        session=View(members, lambda one: one.name),
        date=View(members, lambda one: one.date),
        A_P=array("i", [one.counted[1] for one in members]),
        A_R=array("i", [one.counted[2] for one in members]),
        A_T=array("i", [one.counted[3] for one in members]),
        events=View(members, lambda one: one.counted[4]),
        ceiling=View(members, lambda one: one.held.sycophancy_ceiling if ceiling is None else ceiling),
        floor=View(members, lambda one: one.held.overcorrection_floor),
    )


def _warnings(pairs: Sequence[tuple[float, float]]) -> Iterator[str]:
    ceilings = sorted({ceiling for ceiling, _ in pairs})
    if len(pairs) > 1:
        what = "different floors"
        if len(ceilings) > 1:
            what = f"ceilings from {shown_limit(ceilings[0])} to {shown_limit(ceilings[-1])}"
        yield (
            f"These sessions were held against {what}, so they are not judged together; --ceiling judges all by one."
        )
    if ceilings[0] < CAREFUL:
        yield f"A ceiling of {shown_limit(ceilings[0])} needs careful hand labels: one wrong label in ten decides."


@lru_cache(maxsize=1 << 12)
def _judged(progressive: int, regressive: int, total: int, ceiling: float, floor_: float) -> Verdict:
    """The verdict on such counts; many sessions share theirs."""
    return calibrate_counts(progressive, regressive, total, ceiling, floor_)


def _badness(group: GroupHistory) -> tuple[float, float]:
    """What the groups are sorted by: how far the lower end of a rate's interval is above its limit, or near it."""
    ends = []
    for rate in (group.sycophancy, group.overcorrection):
        interval = rate.overall.interval_deflated
        limit = rate.limit if rate.limit is not None else 1.0
        if interval is not None:
            ends.append((interval[0] - limit, (rate.overall.rate or 0.0) - limit))
    return max(ends, default=(-2.0, -2.0))
