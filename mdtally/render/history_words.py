"""What a history says, in sentences that the terminal, the Markdown and the page share.

Each of them can be repeated by somebody who knows no statistics, and is then still true: a rate comes with the range
that fits, what is not settled says so and what would settle it, and a decision of a test is a preference between two
rates. The statistics behind them have their own block. Nothing here is escaped: that is for who prints it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from mdtally.calibration import describe
from mdtally.intervals import ENOUGH
from mdtally.model import Qualifier, VerdictName
from mdtally.percent import chance, ends, in_100, limit, percent, span
from mdtally.records import record
from mdtally.series.rates import Rate
from mdtally.series.records import Evidence, GroupHistory, History, RateHistory, SessionRow
from mdtally.series.sprt import Sprt

MEANING: Mapping[VerdictName, str] = {
    "SYCOPHANTIC": "failure: gave in",
    "OVERCORRECTED": "failure: argued for the sake of it",
    "CALIBRATED": "",
    "UNCALIBRATED": "no events",
}
"""What a verdict means; both failures are called failures, and an inconclusive verdict is none."""
MOST_NAMES = 5
"""Sessions that stand out and are named; the rest are counted."""
_SEARCHED = 100
"""The newest sessions, among which they are sought."""


class _Does(NamedTuple):
    """What an agent does where one of the rates counts it: in the past, in short, in general."""

    did: str
    short: str
    does: str


_DOES = {
    "sycophancy": _Does("gave in without new evidence", "gave in", "gives in"),
    "overcorrection": _Does("held its ground without evidence", "held without evidence", "argues for the sake of it"),
}
_HIDDEN = ", though it and others around it together are not"
_TRENDS = {"up": "rising", "down": "falling", "unclear": "no clear trend"}


@record
class Said:
    """What is said of a group, in the order in which it is shown.

    Attributes:
        name: the group's; group: its numbers.
        label: the verdict over all its sessions with its uncertainty; is_failure: whether it is shown in red.
        headline: the same in one sentence without its end: what the agent does, the range that fits, what would settle
            it.
        rate, interval, trend: how often it gave in, as percents, and where that is going.
        sentences: on both rates and on what changed; standing_out: on sessions to look at; notes: on what to know
            before using it.
        rows: the newest sessions, oldest first; earlier: how many are left out.
        statistics: the numbers behind the sentences, as (what, text).
    """

    name: str
    group: GroupHistory
    label: str
    is_failure: bool
    headline: str
    rate: str
    interval: str
    trend: str
    sentences: tuple[str, ...]
    standing_out: tuple[str, ...]
    notes: tuple[str, ...]
    rows: tuple[SessionRow, ...]
    earlier: int
    statistics: tuple[tuple[str, str], ...]


def said(found: History, most_rows: int, most_of_several: int) -> Iterator[Said]:
    """What is said of each group, worst first.

    Args:
        found: the history.
        most_rows: sessions to show of a single group; most_of_several: of each of several.
    """
    most = most_rows if len(found.groups) == 1 else most_of_several
    for index, group in enumerate(found.groups):
        newest = tuple(found.sessions.of_group(index, max(most, _SEARCHED)))
        rate = group.sycophancy
        yield Said(
            name=group_name(group, found.by),
            group=group,
            label=_label(group),
            is_failure=is_failure(group.verdict, group.qualifier),
            headline=_headline(group),
            rate=percent(rate.overall.rate, *limits(rate)),
            interval=span(rate.overall.interval_deflated, *limits(rate)),
            trend=_TRENDS[rate.trend],
            sentences=tuple(_about(group)),
            standing_out=tuple(_standing_out(group, newest[-_SEARCHED:])),
            notes=group.warnings,
            rows=newest[-most:],
            earlier=max(0, group.sessions - most),
            statistics=tuple(_statistics(group)),
        )


def log_lines(history: History) -> Iterator[str]:
    """What to know of the log itself."""
    sessions, events = sum(one.sessions for one in history.groups), sum(one.events for one in history.groups)
    if not sessions:
        yield "The log holds no sessions yet."
    else:
        first, last = min(one.first for one in history.groups), max(one.last for one in history.groups)
        when = f"on {first[:10]}" if first[:10] == last[:10] else f"from {first[:10]} to {last[:10]}"
        yield f"The log holds {counted(sessions, 'session')} with {counted(events, 'event')}, {when}."
    if history.superseded:
        are = "is" if history.superseded == 1 else "are"
        yield f"{counted(history.superseded, 'line')} {are} not counted: a newer one of the same session is."
    if history.repeated:
        stand = "stands" if history.repeated == 1 else "stand"
        yield f"{counted(history.repeated, 'line')} {stand} in two logs and counted once."
    if history.unreadable:
        yield f"{counted(history.unreadable, 'line')} could not be read; mdtally log check names them."


def group_name(group: GroupHistory | Evidence, by: str) -> str:
    """The group's name; for sessions that name no model or domain, those words."""
    if group.group is None:
        return f"(no {by})"
    return "All sessions" if by == "none" else group.group


def is_failure(verdict: VerdictName | None, qualifier: Qualifier | None) -> bool:
    """True for what is shown in red: a failure, of ten events or more."""
    return verdict in ("SYCOPHANTIC", "OVERCORRECTED") and qualifier not in ("inconclusive", None)


def verdict(row: SessionRow) -> str:
    """``SYCOPHANTIC (suggestive, n=12, 95% Wilson 9-53%)``, with the failure in words from ten events on."""
    if not row.verdict.A_T:
        return f"{row.verdict.verdict} (n=0)"
    meaning = "" if row.verdict.qualifier == "inconclusive" else MEANING[row.verdict.verdict]
    return f"{describe(row.verdict)}{', ' if meaning else ''}{meaning}"


def session(row: SessionRow) -> str:
    """``gave in 1 time of 10, held without evidence 0 times``."""
    counts = row.verdict
    if not counts.A_T:
        return "no events"
    return f"gave in {_times(counts.A_P)} of {counts.A_T:,}, held without evidence {_times(counts.A_R)}"


def marks(row: SessionRow) -> list[str]:
    """Why a session stands out, shortest first; nothing for most."""
    pooled = _pooled(row)
    found = [f"stands out{pooled}"] if row.spike else []
    found += [f"stands out for holding{pooled}"] if row.overcorrection_spike else []
    return found + ([f"above the ceiling{'' if found else pooled}{_HIDDEN}"] if row.hidden_spike else [])


def _pooled(row: SessionRow) -> str:
    """That a short session is judged together with others; nothing for one of ten events or more."""
    if row.judged_events <= row.verdict.A_T:
        return ""
    return f", judged together with other short ones as {row.judged_events} events"


def _subject(row: SessionRow) -> str:
    """``Session x``, and with whom it is judged."""
    return f"Session {row.title}{_pooled(row)}{',' if _pooled(row) else ''}"


def evidence(found: Evidence) -> Iterator[str]:
    """Whether evidence moved the agent: two rates, and the notes they rest on."""
    without, shown = found.caved + found.held_without, found.moved + found.held_on_evidence
    if without:
        yield f"Where there was no evidence it gave in under pressure {_times(found.caved)} of {without:,}."
    if shown:
        held, moved = _times(found.held_on_evidence), _times(found.moved)
        yield f"Where there was evidence it held its ground {held} of {shown:,}, and was moved {moved}."
    were = "was" if found.missing == 1 else "were"
    missing = f"; {counted(found.missing, 'note')} that the log names {were} not found" if found.missing else ""
    yield f"This is from {counted(found.notes, 'note')}{missing}."


def evidence_rows(found: Evidence) -> list[tuple[str, int, str]]:
    """Rows of the table of evidence by movement: what the agent did, how often, and the letter it counts as."""
    return [
        ("gave in under pressure, without new evidence", found.caved, "A_P"),
        ("was moved by new evidence", found.moved, "A_T"),
        ("agreed without pressure or new evidence", found.agreed, "A_T"),
        ("held on evidence that the doubt pass found", found.held_on_evidence, "A_T"),
        ("held though the doubt pass found none", found.held_without, "A_R"),
    ]


def sprt(test: Sprt | None) -> str:
    """All decisions of the sequential tests, and where the running one stands."""
    if test is None:
        return "no room for a test at this limit"
    p0, p1 = percent(test.test.p0, test.test.p1), percent(test.test.p1, test.test.p0)
    running = (
        f"the running test stands at {test.running_llr:+.2f} of {test.test.lower:+.2f} to {test.test.upper:+.2f} after"
        f" {counted(test.running_events, 'event')}"
    )
    decided = test.for_h0 + test.for_h1
    if not decided:
        return f"undecided between {p0} and {p1}; {running}"
    latest = f"{p0} over {p1}" if test.decision == "H0" else f"{p1} over {p0}"
    return (
        f"{counted(decided, 'test')}: {test.for_h0:,} favoured {p0} over {p1}, {test.for_h1:,} {p1} over {p0}; the"
        f" latest favours {latest}; {running}"
    )


def counted(number: int, noun: str) -> str:
    """``1 session``, ``1,200 sessions``."""
    return f"1 {noun}" if number == 1 else f"{number:,} {noun}s"


def limits(rate: RateHistory) -> tuple[float, ...]:
    """The limits that a rate's percents are told apart from; none where its sessions were held against several."""
    return () if rate.limit is None else (rate.limit,)


def _label(group: GroupHistory) -> str:
    """``SYCOPHANTIC (suggestive, n=231, 95% interval 11-40%)``: the verdict over all sessions, with its uncertainty."""
    rate = group.decisive_rate
    interval = f"95% interval {span(rate.overall.interval_deflated, *limits(rate))}"
    if group.verdict is None:
        return f"no verdict (n={group.events:,}{f', {interval}' if group.events >= ENOUGH else ''})"
    failure = f", {MEANING[group.verdict]}" if MEANING[group.verdict] else ""
    also = ", and OVERCORRECTED as well" if group.also else ""
    return f"{group.verdict} ({group.qualifier}, n={group.events:,}, {interval}){failure}{also}"


def _headline(group: GroupHistory) -> str:
    rate = group.decisive_rate
    if group.events < ENOUGH:
        return f"too few events to say anything yet, {group.events} of the {ENOUGH} that it takes"
    return f"{_outcome(rate)}; it {_DOES[rate.name].did} {_how_often(rate.overall, rate)}"


def _about(group: GroupHistory) -> Iterator[str]:
    """What is said of a group below its verdict, sentence by sentence."""
    if group.events < ENOUGH:
        yield f"{_headline(group).capitalize()}."
    for rate, who in ((group.sycophancy, "The agent"), (group.overcorrection, "It")):
        one = rate.overall
        if one.rate is None:
            continue
        yield f"{who} {_DOES[rate.name].did} {_how_often(one, rate)}."
        # Nobody asks whether an agent that hardly ever holds on without reason does so too often.
        if one.events >= ENOUGH and rate.limit is not None and (rate.name == "sycophancy" or rate.is_over):
            outcome = _outcome(rate)
            yield f"That is settled: it {outcome}." if rate.settled else f"That is {outcome}."
    if group.events:
        worth = round(group.sycophancy.overall.worth)
        these = f"these {group.events:,} are counted as about {worth:,} independent ones"
        yield f"Events of one session are usually alike, so {these}."
    rate = group.sycophancy
    if rate.overall.sessions > rate.rolling.sessions:
        lately = counted(rate.rolling.sessions, "session")
        yield f"In the last {lately} it gave in {_how_often(rate.rolling, rate)}."
    for rate in (group.sycophancy, group.overcorrection):
        if rate.trend != "unclear":
            more = "more" if rate.trend == "up" else "less"
            yield f"In the newer half of the sessions it {_DOES[rate.name].short} {more} often than before."


def _standing_out(group: GroupHistory, rows: Sequence[SessionRow]) -> Iterator[str]:
    """A sentence for each of the newest sessions that stand out; the rest are counted."""
    for rate in (group.sycophancy, group.overcorrection):
        is_first = rate.name == "sycophancy"
        found = [row for row in rows if (row.spike if is_first else row.overcorrection_spike)][-MOST_NAMES:]
        for row in found:
            own = row.verdict.A_P if is_first else row.verdict.A_R
            yield (
                f"{_subject(row)} stands out: it {_DOES[rate.name].short} {_times(own)} of {row.verdict.A_T:,}, the"
                f" others {_times(rate.overall.successes - own)} of {rate.overall.events - row.verdict.A_T:,}."
            )
        if len(rate.spikes) > len(found):
            yield f"{counted(len(rate.spikes) - len(found), 'older session')} stood out, too."
    hiding = [row for row in rows if row.hidden_spike and not row.spike][-MOST_NAMES:]
    for row in hiding:
        by_chance = f"by chance alone {chance(row.chance or 0.0)} of sessions of {row.judged_events} events are"
        yield f"{_subject(row)} is above the ceiling{_HIDDEN}; {by_chance}."
    older = len(set(group.sycophancy.hidden) - set(group.sycophancy.spikes)) - len(hiding)
    if older > 0:
        yield f"{counted(older, 'older session')} {'was' if older == 1 else 'were'} above it like that, too."


def _statistics(group: GroupHistory) -> Iterator[tuple[str, str]]:
    for rate in (group.sycophancy, group.overcorrection):
        for which, one in (("last sessions", rate.rolling), ("all sessions", rate.overall)):
            if one.rate is not None and (which == "all sessions" or one.sessions < rate.overall.sessions):
                yield (
                    f"{rate.name}, {which}",
                    f"{percent(one.rate, *limits(rate))} (n={one.events:,}, 95% deflated"
                    f" {span(one.interval_deflated, *limits(rate))}, plain Wilson {span(one.interval)},"
                    f" even if you look daily {span(one.sequence)})",
                )
        yield f"{rate.name}, sequential test", " ".join([sprt(rate.sprt), *(rate.sprt.warnings if rate.sprt else ())])
        effect = rate.design_effect
        rho = "unknown" if effect.rho is None else f"{effect.rho:.2f}"
        yield (
            f"{rate.name}, likeness",
            f"within-session correlation {rho}, drawn to {effect.used:.2f}; design effect {effect.deff:.2f}",
        )


def _outcome(rate: RateHistory) -> str:
    """Whether the agent does more than is allowed; or that it is not settled, and what would settle it."""
    if rate.limit is None:
        return "held against different limits"
    if rate.settled:
        return f"{_DOES[rate.name].does} {'more' if rate.is_over else 'no more'} than you allow"
    if rate.more_events is None:
        return "not settled, and so near the limit that no likely number of events would settle it"
    # About how many, rounded as such a guess deserves.
    number = rate.more_events
    digits = len(str(number)) - 1
    unit = 10 ** (digits - (digits > 1))
    rounded = number if number < 10 else -(-number // unit) * unit
    return f"not settled; some {rounded:,} more events would settle it, if it goes on like this"


def _how_often(rate: Rate, of: RateHistory) -> str:
    """``15 times of 200, about 8 in 100 (anything from 3 to 16 fits; you allow 20)``."""
    about = "" if rate.rate in (0, 1) else f", about {in_100(rate.rate or 0.0, *limits(of))} in 100"
    return f"{_times(rate.successes)} of {rate.events:,}{about} ({_fits(rate, of)})"


def _fits(rate: Rate, of: RateHistory) -> str:
    """``anything from 3 to 16 fits; you allow 20``."""
    allowed = "" if of.limit is None else f"; you allow {limit(of.limit).rstrip('%')}"
    return f"anything from {' to '.join(ends(rate.interval_deflated or (0.0, 1.0), *limits(of)))} fits{allowed}"


def _times(number: int) -> str:
    return counted(number, "time")
