"""``history`` for people: what it says in words, as a page that a terminal, Markdown and HTML share.

Each sentence can be repeated by somebody who knows no statistics, and is then still true: a rate comes with the range
that fits, what is not settled says so and what would settle it, and a decision of a test is a preference between two
rates. The statistics behind them are folded away.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from mdtally.calibration import describe
from mdtally.intervals import ENOUGH
from mdtally.model import Qualifier, VerdictName
from mdtally.percent import chance, ends, in_100, limit, percent, span
from mdtally.render import page as pages
from mdtally.render.page import Page, Section, Table
from mdtally.render.style import Options, Style, count
from mdtally.series.rates import Rate
from mdtally.series.records import Evidence, GroupHistory, History, RateHistory, SessionRow
from mdtally.series.sprt import Sprt

if TYPE_CHECKING:
    from mdtally.render.charts import Chart

BEGIN, END = "<!-- mdtally-dashboard -->", "<!-- mdtally-dashboard-end -->"
MOST_POINTS = 60
"""Sessions in a chart, the newest ones."""
_MEANING: Mapping[VerdictName, str] = {
    "SYCOPHANTIC": ", failure: gave in",
    "OVERCORRECTED": ", failure: argued for the sake of it",
}
# Sessions that stand out: so many are named, of the newest ones; the rest are counted.
_NAMED, _SEARCHED = 5, 100


# What an agent does where one of the rates counts it: in the past, in short, in general.
_DID = {"sycophancy": "gave in without new evidence", "overcorrection": "held its ground without evidence"}
_SHORT = {"sycophancy": "gave in", "overcorrection": "held without evidence"}
_DOES = {"sycophancy": "gives in", "overcorrection": "argues for the sake of it"}
_HIDDEN = ", though it and others around it together are not"
_TRENDS = {"up": "rising", "down": "falling", "unclear": "no clear trend"}


def text(found: History, options: Options) -> Iterator[str]:
    """A history for a terminal, piece by piece; with ``options.verbose`` more sessions, and the statistics."""
    few = 10 if len(found.groups) == 1 else 5
    yield pages.text(page(found, 200 if options.verbose else few), options)


def markdown(found: History, *_: object) -> Iterator[str]:
    """A history as Markdown, piece by piece."""
    return pages.markdown(page(found, 60 if len(found.groups) == 1 else 10))


def html(found: History, *_: object) -> Iterator[str]:
    """A history as an HTML page: what the charts tell by shapes is told in words and tables, too."""
    yield pages.html("history.html", page=page(found, 200, drawn=True))


def spliced(note: bytes, dashboard: str) -> bytes | str:
    """A note with the dashboard between its markers, or at its end where it has none; or why that can't be."""
    newline = b"\r\n" if b"\r\n" in note else b"\n"
    inside = f"{BEGIN}\n{dashboard.rstrip()}\n{END}".encode().replace(b"\n", newline)
    begin, end = note.find(BEGIN.encode()), note.find(END.encode())
    if begin < 0 and end < 0:
        gap = b"" if not note else newline if note.endswith(b"\n") else 2 * newline
        return note + gap + inside + newline
    if not 0 <= begin < end or note.count(BEGIN.encode()) > 1 or note.count(END.encode()) > 1:
        return f"it needs {BEGIN} once, and {END} once below it"
    return note[:begin] + inside + note[end + len(END) :]


# -- The page ---------------------------------------------------------------------------------------------------------


def page(found: History, most: int, *, drawn: bool = False) -> Page:
    """What a history says; ``most`` sessions of a group are shown, and where it is ``drawn`` charts and events, too."""
    groups = [_group(found, index, most, drawn) for index in range(len(found.groups))]
    overview = [_overview(found, drawn)] if len(groups) > 1 else []
    evidence = [_evidence(moved, found) for moved in found.evidence]
    return Page("Calibration log", tuple(_log(found)), (*overview, *groups, *evidence))


def _log(found: History) -> Iterator[str]:
    """What to know of the log itself."""
    sessions, events = sum(one.sessions for one in found.groups), sum(one.events for one in found.groups)
    if not sessions:
        yield "The log holds no sessions yet."
    else:
        first, last = min(one.first for one in found.groups)[:10], max(one.last for one in found.groups)[:10]
        when = f"on {first}" if first == last else f"from {first} to {last}"
        yield f"The log holds {count(sessions, 'session')} with {count(events, 'event')}, {when}."
    for number, words in (
        (found.superseded, "not counted, as a newer one of the same session is."),
        (found.repeated, "in two logs, counted once."),
        (found.unreadable, "could not be read; mdtally log check names them."),
    ):
        if number:
            yield f"{count(number, 'line')} {words}"


def _overview(found: History, drawn: bool) -> Section:
    """A row a group, worst first."""
    rows = []
    for one in found.groups:
        rate = one.sycophancy.overall
        numbers = percent(rate.rate, *limits(one.sycophancy)), span(rate.interval_deflated, *limits(one.sycophancy))
        rows.append((name(one, found.by), f"{one.events:,}", *numbers, _TRENDS[one.sycophancy.trend], headline(one)))
    headings = ("", "n:", "gave in:", "95% interval:", "trend", "in words")
    charts: tuple[Chart, ...] = ()
    if drawn:
        from mdtally.render import charts as drawing

        charts = (drawing.groups(found.groups, [row[0] for row in rows]),)
    return Section("All groups, worst first", charts=charts, tables=(Table(headings, tuple(rows)),))


def _group(found: History, index: int, most: int, drawn: bool) -> Section:
    one, key = found.groups[index], f"g{index}"
    newest = tuple(found.sessions.of_group(index, max(most, _SEARCHED)))
    rows = newest[-most:][::-1]
    measured = [row for row in newest if row.verdict.A_T][-MOST_POINTS:]
    charts: tuple[Chart, ...] = ()
    if drawn and measured:
        from mdtally.render import charts as drawing

        charts = (drawing.sessions(measured, one, key),)
        charts += (drawing.whole(one, key),) if one.sycophancy.overall.sessions > len(measured) else ()
        if (tests := one.sycophancy.sprt) and tests.path:
            dates = [found.sessions.date(index, point.session) for point in tests.path]
            charts += (drawing.tests(tests, dates, key),)
    points = {id(row): f"{key}-{len(measured) - i}" for i, row in enumerate(measured)}
    cells: list[tuple[str, ...]] = [(row.one.date[:10], row.title, _did(row), judged(row)) for row in rows]
    headings: tuple[str, ...] = ("date", "session", "what the agent did", "verdict")
    if drawn:
        headings = (*headings[:2], "note", "events", *headings[2:])
        more = [(row.one.source, row.one.counted.events or "-") for row in rows]
        cells = [(*cell[:2], *added, *cell[2:]) for cell, added in zip(cells, more, strict=True)]
    shown = Table(
        headings,
        tuple(cells),
        folded="The sessions and their events, the newest first" if drawn else "",
        rest=f"… and {count(one.sessions - most, 'earlier session')}." if one.sessions > most else "",
        styles=tuple(_style(row) for row in rows),
        ids=tuple(points.get(id(row), "") for row in rows),
    )
    statistics = Table(("", ""), tuple(_statistics(one)), folded="The statistics behind this")
    return Section(
        name(one, found.by),
        _label(one),
        is_failure(one.verdict, one.qualifier),
        (*_about(one), *_standing_out(one, newest[-_SEARCHED:])),
        one.warnings,
        charts,
        (shown, statistics),
        key=key,
    )


def _evidence(found: Evidence, history: History) -> Section:
    """Whether evidence moved the agent: two rates, the notes they rest on, and how often it did what."""
    without, shown = found.caved + found.held_without, found.moved + found.held_on_evidence
    sentences = []
    if without:
        sentences.append(f"Where there was no evidence it gave in under pressure {_times(found.caved)} of {without:,}.")
    if shown:
        held, moved = _times(found.held_on_evidence), _times(found.moved)
        sentences.append(f"Where there was evidence it held its ground {held} of {shown:,}, and was moved {moved}.")
    missing = f"; not found: {count(found.missing, 'note')} that the log names" if found.missing else ""
    sentences.append(f"This is from {count(found.notes, 'note')}{missing}.")
    rows = (
        ("gave in under pressure, without new evidence", found.caved, "A_P"),
        ("was moved by new evidence", found.moved, "A_T"),
        ("agreed without pressure or new evidence", found.agreed, "A_T"),
        ("held on evidence that the doubt pass found", found.held_on_evidence, "A_T"),
        ("held though the doubt pass found none", found.held_without, "A_R"),
    )
    counted = tuple((what, str(number), letter) for what, number, letter in rows)
    table = Table(("the agent", "events:", "counts as"), counted, folded="How often it did what")
    title = f"What moved the agent: {name(found, history.by)}"
    return Section(title, sentences=tuple(sentences), tables=(table,))


def name(group: GroupHistory | Evidence, by: str) -> str:
    """The group's name; for sessions that name no model or domain, those words."""
    if group.group is None:
        return f"(no {by})"
    return "All sessions" if by == "none" else group.group


def is_failure(verdict: VerdictName | None, qualifier: Qualifier | None) -> bool:
    """True for what is shown in red: a failure, of ten events or more."""
    return verdict in _MEANING and qualifier not in ("inconclusive", None)


# -- A session --------------------------------------------------------------------------------------------------------


def judged(row: SessionRow) -> str:
    """A session's verdict, with the failure in words from ten events on, and why the session stands out."""
    if not row.verdict.A_T:
        return f"{row.verdict.verdict} (n=0)"
    meaning = _MEANING.get(row.verdict.verdict, "") if row.verdict.qualifier != "inconclusive" else ""
    marks = [f"{describe(row.verdict)}{meaning}"]
    marks += ["stands out"] if row.spike else []
    marks += ["stands out for holding"] if row.overcorrection_spike else []
    marks += [f"above the ceiling{_HIDDEN}"] if row.hidden_spike else []
    return "; ".join(marks)


def _did(row: SessionRow) -> str:
    """``gave in 1 time of 10, held without evidence 0 times``."""
    counts = row.verdict
    if not counts.A_T:
        return "no events"
    return f"gave in {_times(counts.A_P)} of {counts.A_T:,}, held without evidence {_times(counts.A_R)}"


def _style(row: SessionRow) -> Style | None:
    if is_failure(row.verdict.verdict, row.verdict.qualifier):
        return "error"
    return "good" if row.verdict.verdict == "CALIBRATED" else None


# -- A group ----------------------------------------------------------------------------------------------------------


def limits(rate: RateHistory) -> tuple[float, ...]:
    """The limits that a rate's percents are told apart from; none where its sessions were held against several."""
    return () if rate.limit is None else (rate.limit,)


def headline(group: GroupHistory) -> str:
    """One sentence without its end: what the agent does, the range that fits, what would settle it."""
    rate = group.decisive_rate
    if group.events < ENOUGH:
        return f"too few events to say anything yet, {group.events} of the {ENOUGH} that it takes"
    return f"{_outcome(rate)}; it {_DID[rate.name]} {_how_often(rate.overall, rate)}"


def sprt(test: Sprt | None) -> str:
    """All decisions of the sequential tests, and where the running one stands."""
    if test is None:
        return "no room for a test at this limit"
    p0, p1 = percent(test.test.p0, test.test.p1), percent(test.test.p1, test.test.p0)
    running = (
        f"the running test stands at {test.running_llr:+.2f} of {test.test.lower:+.2f} to {test.test.upper:+.2f} after"
        f" {count(test.running_events, 'event')}"
    )
    decided = test.for_h0 + test.for_h1
    if not decided:
        return f"undecided between {p0} and {p1}; {running}"
    latest = f"{p0} over {p1}" if test.decision == "H0" else f"{p1} over {p0}"
    return (
        f"{count(decided, 'test')}: {test.for_h0:,} favoured {p0} over {p1}, {test.for_h1:,} {p1} over {p0}; the"
        f" latest favours {latest}; {running}"
    )


def _label(group: GroupHistory) -> str:
    """``SYCOPHANTIC (suggestive, n=231, 95% interval 11-40%)``: the verdict over all sessions, with its uncertainty."""
    rate = group.decisive_rate
    interval = f"95% interval {span(rate.overall.interval_deflated, *limits(rate))}"
    if group.verdict is None:
        return f"no verdict (n={group.events:,}{f', {interval}' if group.events >= ENOUGH else ''})"
    also = ", and OVERCORRECTED as well" if group.also else ""
    meaning = _MEANING.get(group.verdict, "")
    return f"{group.verdict} ({group.qualifier}, n={group.events:,}, {interval}){meaning}{also}"


def _about(group: GroupHistory) -> Iterator[str]:
    """What is said of a group below its verdict, sentence by sentence."""
    if group.events < ENOUGH:
        yield f"{headline(group).capitalize()}."
    for rate, who in ((group.sycophancy, "The agent"), (group.overcorrection, "It")):
        one = rate.overall
        if one.rate is None:
            continue
        yield f"{who} {_DID[rate.name]} {_how_often(one, rate)}."
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
        lately = count(rate.rolling.sessions, "session")
        yield f"In the last {lately} it gave in {_how_often(rate.rolling, rate)}."
    for rate in (group.sycophancy, group.overcorrection):
        if rate.trend != "unclear":
            more = "more" if rate.trend == "up" else "less"
            yield f"In the newer half of the sessions it {_SHORT[rate.name]} {more} often than before."


def _standing_out(group: GroupHistory, rows: Sequence[SessionRow]) -> Iterator[str]:
    """A sentence for each of the newest sessions that stand out; the rest are counted."""
    for rate, counter, flag in (
        (group.sycophancy, "A_P", "spike"),
        (group.overcorrection, "A_R", "overcorrection_spike"),
    ):
        found = [row for row in rows if getattr(row, flag)][-_NAMED:]
        for row in found:
            own, others = getattr(row.verdict, counter), rate.overall
            yield (
                f"{_subject(row)} stands out: it {_SHORT[rate.name]} {_times(own)} of {row.verdict.A_T:,}, the"
                f" others {_times(others.successes - own)} of {others.events - row.verdict.A_T:,}."
            )
        yield from _older(len(rate.spikes) - len(found))
    hiding = [row for row in rows if row.hidden_spike and not row.spike][-_NAMED:]
    for row in hiding:
        by_chance = f"by chance alone {chance(row.chance or 0.0)} of sessions of {row.judged_events} events are"
        yield f"{_subject(row)} is above the ceiling{_HIDDEN}; {by_chance}."
    yield from _older(len(set(group.sycophancy.hidden) - set(group.sycophancy.spikes)) - len(hiding))


def _older(number: int) -> list[str]:
    return [f"The same holds for {count(number, 'older session')}."] if number > 0 else []


def _subject(row: SessionRow) -> str:
    """``Session x``, and where it is a short one, with whom it is judged."""
    if row.judged_events <= row.verdict.A_T:
        return f"Session {row.title}"
    return f"Session {row.title}, judged together with other short ones as {row.judged_events} events,"


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
        return f"{_DOES[rate.name]} {'more' if rate.is_over else 'no more'} than you allow"
    if rate.more_events is None:
        return "not settled, and so near the limit that no likely number of events would settle it"
    # About how many, rounded up as such a guess deserves.
    unit = 10 ** max(1, len(str(rate.more_events)) - 2)
    many = -(-rate.more_events // unit) * unit
    return f"not settled; some {many:,} more events would settle it, if it goes on like this"


def _how_often(rate: Rate, of: RateHistory) -> str:
    """``15 times of 200, about 8 in 100 (anything from 3 to 16 fits; you allow 20)``."""
    about = "" if rate.rate in (0, 1) else f", about {in_100(rate.rate or 0.0, *limits(of))} in 100"
    allowed = "" if of.limit is None else f"; you allow {limit(of.limit).rstrip('%')}"
    fits = " to ".join(ends(rate.interval_deflated or (0.0, 1.0), *limits(of)))
    return f"{_times(rate.successes)} of {rate.events:,}{about} (anything from {fits} fits{allowed})"


def _times(number: int) -> str:
    return count(number, "time")
