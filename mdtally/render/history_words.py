"""What a history says, in sentences that the terminal, the Markdown and the page share.

Each of them can be repeated by somebody who knows no statistics, and is then still true: a rate comes with the range
that fits, what is not settled says so and what would settle it, and a decision of a test is a preference between two
rates. The statistics behind them have their own block. Names from the log are handed out as ``name`` makes them
harmless for the place they go to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from mdtally.calibration import describe
from mdtally.intervals import ENOUGH
from mdtally.model import Qualifier, VerdictName
from mdtally.percent import ends, in_100, limit, percent, span
from mdtally.series.evidence import Evidence
from mdtally.series.records import GroupHistory, History, Rate, RateHistory, SessionRow
from mdtally.series.sprt import Sprt

Name = Callable[[str], str]

MEANING: Mapping[VerdictName, str] = {
    "SYCOPHANTIC": "failure: gave in",
    "OVERCORRECTED": "failure: argued for the sake of it",
    "CALIBRATED": "",
    "UNCALIBRATED": "no events",
}
"""What a verdict means; both failures are called failures, and an inconclusive verdict is none."""
MOST_NAMES = 5
_DID = {"sycophancy": "gave in without new evidence", "overcorrection": "held its ground without evidence"}
_SHORT = {"sycophancy": "gave in", "overcorrection": "held without evidence"}


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
        yield f"{counted(history.superseded, 'older line')} gave way to newer ones of the same session."
    if history.repeated:
        stand = "stands" if history.repeated == 1 else "stand"
        yield f"{counted(history.repeated, 'line')} {stand} in two logs and counted once."
    if history.unreadable:
        yield f"{counted(history.unreadable, 'line')} could not be read; `mdtally log check` names them."


def group_name(group: GroupHistory | Evidence, by: str) -> str:
    """The group's name; for sessions that name no model or domain, those words."""
    if group.group is None:
        return f"(no {by})"
    return "All sessions" if by == "none" else group.group


def label(group: GroupHistory) -> str:
    """``SYCOPHANTIC (suggestive, n=231, 95% interval 11-40%)``: the verdict over all sessions, with its uncertainty."""
    rate = group.decisive_rate
    interval = span(rate.overall.interval_deflated, *limits(rate))
    if group.verdict is None:
        return (
            f"no verdict (n={group.events:,})"
            if group.events < ENOUGH
            else f"no verdict (n={group.events:,}, {interval})"
        )
    failure = f", {MEANING[group.verdict]}" if MEANING[group.verdict] else ""
    also = ", and OVERCORRECTED as well" if group.also else ""
    return f"{group.verdict} ({group.qualifier}, n={group.events:,}, 95% interval {interval}){failure}{also}"


def sentence(group: GroupHistory) -> str:
    """The verdict in one sentence: what the agent does, the range that fits, and what would settle it."""
    rate = group.decisive_rate
    if group.events < ENOUGH:
        return f"too few events to say anything yet: {group.events} of the {ENOUGH} that it takes"
    about = f"about {_per(rate)} times in 100 ({_fits(rate)} fits)"
    if rate.limit is None:
        return f"{_DID[rate.name]} {about}; its sessions were held against different limits"
    over = (rate.overall.rate or 0.0) > rate.limit
    allowed = f"you allow {limit(rate.limit).rstrip('%')}"
    if rate.name == "overcorrection":
        start = f"argues for the sake of it: it {_DID[rate.name]} {about}"
    elif over and rate.settled:
        return f"gives in more than you allow: {about}, and {allowed}"
    elif rate.settled:
        return f"gives in no more than you allow: {about}, and {allowed}"
    else:
        start = f"{_SHORT[rate.name]} {about}, and {allowed}"
    return start if rate.settled else f"{start}; not settled, {_more(rate)}"


def about(group: GroupHistory) -> Iterator[str]:
    """What is said of a group below its verdict, sentence by sentence."""
    if group.events < ENOUGH:
        yield f"{sentence(group).capitalize()}."
    yield from about_rate(group.sycophancy)
    yield from about_rate(group.overcorrection)
    if group.events:
        yield worth(group)
    yield from lately(group)


def about_rate(rate: RateHistory) -> Iterator[str]:
    """How often, over all sessions, what else fits, and whether that is settled."""
    if rate.overall.rate is None:
        return
    who = "The agent" if rate.name == "sycophancy" else "It"
    about = "" if rate.overall.rate in (0, 1) else f", about {_per(rate)} in 100"
    allowed = "" if rate.limit is None else f"; you allow {limit(rate.limit).rstrip('%')}"
    yield (
        f"{who} {_DID[rate.name]} {times(rate.overall.successes)} of {rate.overall.events:,}{about}; anything from"
        f" {_between(rate.overall, rate)} in 100 fits{allowed}."
    )
    over = rate.limit is not None and rate.overall.rate > rate.limit
    # Nobody asks whether an agent that hardly ever holds on without reason does so too often.
    if rate.limit is None or rate.overall.events < ENOUGH or (rate.name == "overcorrection" and not over):
        return
    does = "gives in" if rate.name == "sycophancy" else "argues for the sake of it"
    if rate.settled:
        yield f"That is settled: it {does} {'more' if over else 'no more'} than you allow."
    else:
        yield f"That is not settled: {_more(rate)}."


def lately(group: GroupHistory) -> Iterator[str]:
    """The last sessions, and whether something has changed."""
    rate = group.sycophancy
    if rate.overall.sessions > rate.rolling.sessions and rate.rolling.rate is not None:
        yield (
            f"In the last {counted(rate.rolling.sessions, 'session')} it gave in about"
            f" {in_100(rate.rolling.rate, *limits(rate))} times in 100; anything from"
            f" {_between(rate.rolling, rate)} fits."
        )
    for one, what in ((rate, "gave in"), (group.overcorrection, "held without evidence")):
        if one.trend != "unclear":
            more = "more" if one.trend == "up" else "less"
            yield f"In the newer half of the sessions it {what} {more} often than before."


def worth(group: GroupHistory) -> str:
    """What the events are worth, as those of one session are alike."""
    events = group.sycophancy.overall
    return (
        f"Events of one session are alike, so these {events.events:,} say as much as about {round(events.worth):,}"
        " independent ones."
    )


def standing_out(group: GroupHistory, rows: Sequence[SessionRow], name: Name) -> Iterator[str]:
    """A sentence for each of the newest sessions that stand out; the rest are counted."""
    for rate in (group.sycophancy, group.overcorrection):
        found = [row for row in rows if (row.spike if rate.name == "sycophancy" else row.overcorrection_spike)]
        for row in found[-MOST_NAMES:]:
            own = row.verdict.A_P if rate.name == "sycophancy" else row.verdict.A_R
            others = rate.overall.successes - own
            yield (
                f"Session {name(row.title)} stands out: it {_SHORT[rate.name]} {times(own)} of {row.verdict.A_T:,}, the"
                f" others {times(others)} of {rate.overall.events - row.verdict.A_T:,}."
            )
        if len(rate.spikes) > min(len(found), MOST_NAMES):
            yield f"{counted(len(rate.spikes) - min(len(found), MOST_NAMES), 'older session')} stood out, too."
    hiding = [row for row in rows if row.hidden_spike and not row.spike]
    for row in hiding[-MOST_NAMES:]:
        # Small sessions are judged together: the chance is that of them all.
        size = f"{row.judged_events} events"
        chance = f", as chance alone puts {percent(row.chance)} of sessions of {size}" if row.chance is not None else ""
        yield f"Session {name(row.title)} is above the ceiling while those around it are not{chance}."
    older = len([one for one in group.sycophancy.hidden if one not in group.sycophancy.spikes]) - len(
        hiding[-MOST_NAMES:]
    )
    if older > 0:
        yield f"So {'is' if older == 1 else 'are'} {counted(older, 'older session')}."


def statistics(group: GroupHistory) -> Iterator[tuple[str, str]]:
    """The numbers behind the sentences, as (what, text)."""
    for rate in (group.sycophancy, group.overcorrection):
        what = rate.name
        for which, one in (("last sessions", rate.rolling), ("all sessions", rate.overall)):
            if one.rate is not None and (which == "all sessions" or one.sessions < rate.overall.sessions):
                yield (
                    f"{what}, {which}",
                    f"{percent(one.rate, *limits(rate))} (n={one.events:,}, 95% deflated"
                    f" {span(one.interval_deflated, *limits(rate))}, plain Wilson {span(one.interval)},"
                    f" even if you look daily {span(one.sequence)})",
                )
        yield f"{what}, sequential test", sprt(rate.sprt)
        effect = rate.design_effect
        rho = "unknown" if effect.rho is None else f"{effect.rho:.2f}"
        yield (
            f"{what}, likeness",
            f"within-session correlation {rho}, drawn to {effect.used:.2f}; design effect {effect.deff:.2f}",
        )


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


def verdict(row: SessionRow) -> str:
    """``SYCOPHANTIC (suggestive, n=12, 95% Wilson 9-53%)``, with the failure in words from ten events on."""
    if not row.verdict.A_T:
        return f"{row.verdict.verdict} (n=0)"
    meaning = "" if row.verdict.qualifier == "inconclusive" else MEANING[row.verdict.verdict]
    return f"{describe(row.verdict)}{', ' if meaning else ''}{meaning}"


def is_failure(verdict: VerdictName | None, qualifier: Qualifier | None) -> bool:
    """True for what is shown in red: a failure, of ten events or more."""
    return verdict in ("SYCOPHANTIC", "OVERCORRECTED") and qualifier not in ("inconclusive", None)


def session(row: SessionRow) -> str:
    """``gave in 1 time of 10, held without evidence 0 times``."""
    counts = row.verdict
    if not counts.A_T:
        return "no events"
    return f"gave in {times(counts.A_P)} of {counts.A_T:,}, held without evidence {times(counts.A_R)}"


def marks(row: SessionRow) -> list[str]:
    """Why a session stands out, shortest first; nothing for most."""
    found = []
    pooled = (
        f", judged together with others as {row.judged_events} events" if row.judged_events > row.verdict.A_T else ""
    )
    if row.spike:
        found.append(f"stands out{pooled}")
    if row.overcorrection_spike:
        found.append(f"stands out for holding{pooled}")
    if row.hidden_spike:
        found.append("above the ceiling under a calm average")
    return found


def evidence(found: Evidence) -> Iterator[str]:
    """Whether evidence moved the agent: two rates, and the notes they rest on."""
    without, shown = found.caved + found.held_without, found.moved + found.held_on_evidence
    if without:
        yield f"Without evidence on the table it gave in under pressure {times(found.caved)} of {without:,}."
    if shown:
        held, moved = times(found.held_on_evidence), times(found.moved)
        yield f"With evidence it held its ground {held} of {shown:,}, and was moved {moved}."
    missing = (
        f"; {counted(found.missing, 'note')} that the log names {'was' if found.missing == 1 else 'were'} not found"
        if found.missing
        else ""
    )
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


def trend(rate: RateHistory) -> str:
    """One word on where a rate is going."""
    return {"up": "rising", "down": "falling", "unclear": "no clear trend"}[rate.trend]


def counted(number: int, noun: str) -> str:
    """``1 session``, ``1,200 sessions``."""
    return f"1 {noun}" if number == 1 else f"{number:,} {noun}s"


def times(number: int) -> str:
    """``once`` is "1 time", and so on."""
    return counted(number, "time")


def limits(rate: RateHistory) -> tuple[float, ...]:
    """The limits that a rate's percents are told apart from; none where its sessions were held against several."""
    return () if rate.limit is None else (rate.limit,)


def _per(rate: RateHistory) -> str:
    return in_100(rate.overall.rate or 0.0, *limits(rate))


def _between(rate: Rate, of: RateHistory) -> str:
    return " to ".join(ends(rate.interval_deflated or (0.0, 1.0), *limits(of)))


def _fits(rate: RateHistory) -> str:
    return span(rate.overall.interval_deflated, *limits(rate)).rstrip("%")


def _more(rate: RateHistory) -> str:
    """About how many more events would settle a rate, rounded as such a guess deserves."""
    if rate.more_events is None:
        return "it lies so near the limit that no likely number of events would settle it"
    number = rate.more_events
    digits = len(str(number)) - 1
    rounded = number if number < 10 else -(-number // 10 ** (digits - (digits > 1))) * 10 ** (digits - (digits > 1))
    return f"some {rounded:,} more events would settle it, if it goes on like this"
