"""``history`` for people: what it says in words, as a page that a terminal, Markdown and HTML share.

The sentences are those of `log.series.sentences`; the statistics behind them are folded away.
"""

from __future__ import annotations

from collections.abc import Iterator

from mdtally.log.series import sentences as words
from mdtally.log.series.records import GroupHistory, History, SessionRow
from mdtally.show.page import Chart, PageContent, Section, Table
from mdtally.show.style import Style
from mdtally.text.percent import count, percent, span

MOST_POINTS = 60
"""Sessions in a chart, the newest ones."""
_SHOWN = {"terminal": (10, 5), "verbose": (200, 200), "markdown": (60, 10), "html": (200, 200)}
"""Sessions of a group that are shown, the newest ones, of one group and of several."""
_TRENDS = {"up": "rising", "down": "falling", "unclear": "no clear trend"}


# -- The page ---------------------------------------------------------------------------------------------------------


def history_page(found: History, place: str) -> PageContent:
    """What a history says, as it is shown in a "terminal", there "verbose", as "markdown" or as "html"."""
    sections = [_group(found, index, _SHOWN[place][len(found.groups) > 1], place) for index in range(len(found.groups))]
    if len(sections) > 1:
        sections.insert(0, _overview(found, drawn=place == "html"))
    return PageContent("Calibration log", tuple(words.log_sentences(found)), tuple(sections))


def _overview(found: History, *, drawn: bool) -> Section:
    """A row a group, and how they differ."""
    rows = []
    for one in found.groups:
        rate, limits = one.sycophancy.overall, words.limits(one.sycophancy)
        numbers = percent(rate.rate, *limits), span(rate.interval_deflated, *limits)
        row = (name(one, found.by), f"{one.events:,}", *numbers, _TRENDS[one.sycophancy.trend], words.headline(one))
        rows.append(row)
    headings = ("group", "events:", "gave in:", "what fits:", "trend", "in words")
    charts: tuple[Chart, ...] = ()
    if drawn:
        from mdtally.show import history_charts

        charts = (history_charts.groups_chart(found.groups, [row[0] for row in rows]),)
    title = "Before and since" if found.by == "split" else "All groups, worst first"
    sentences = tuple(words.differences(found))
    return Section(title, sentences=sentences, charts=charts, tables=(Table(headings, tuple(rows)),))


def _group(found: History, index: int, most: int, place: str) -> Section:
    """A group: headline, sentences, charts, its sessions, its statistics."""
    one, key, drawn = found.groups[index], f"g{index}", place == "html"
    rows = found.rows_of(one)
    newest = {id(row) for row in rows[-most:]}
    shown = [row for row in reversed(rows) if id(row) in newest or row.spike or row.overcorrection_spike]
    measured = [row for row in rows if row.verdict.A_T]
    points = {id(row): f"{key}-{i}" for i, row in enumerate(measured[: -MOST_POINTS - 1 : -1], start=1)}
    held = "held without:" if place in ("terminal", "verbose") else "held without evidence:"
    headings: tuple[str, ...] = ("date", "session", "gave in:", held, "verdict")
    cells = [_cells(row) for row in shown]
    if drawn:
        headings = (*headings[:2], "note", "events", *headings[2:])
        more = [(row.line.source or "", row.line.events or "-") for row in shown]
        cells = [(*cell[:2], *added, *cell[2:]) for cell, added in zip(cells, more, strict=True)]
    sessions = Table(
        headings,
        tuple(cells),
        folded="The sessions and their events, the newest first" if drawn else "",
        rest=f"… and {count(len(rows) - len(shown), 'earlier session')}." if len(rows) > len(shown) else "",
        styles=tuple(_style(row) for row in shown),
        ids=tuple(points.get(id(row), "") for row in shown),
        notes=tuple(row.line.source or "" for row in shown),
    )
    charts: tuple[Chart, ...] = ()
    drawn_last = words.last_shown(MOST_POINTS, measured) if drawn else ()
    if drawn and measured:
        from mdtally.show import history_charts

        charts = (history_charts.sessions_chart(measured, one, key, MOST_POINTS),)
    statistics = Table(("", ""), tuple(_statistics(one)), folded="The statistics behind this")
    is_bad = words.is_failure(one.verdict, one.qualifier)
    said = (*words.group_sentences(one), *words.standing_out(one, rows), *drawn_last)
    tables = (sessions, statistics)
    return Section(name(one, found.by), _label(one), is_bad, said, one.warnings, charts, tables, key=key)


def name(group: GroupHistory, by: str) -> str:
    """The group's name, for the beginning of a line."""
    shown = words.group_name(group.group, by)
    return shown[0].upper() + shown[1:] if by in ("none", "split") else shown


def _label(group: GroupHistory) -> str:
    """``gave in 35 of 232 times; …; so far no more than that (CALIBRATED, suggestive)``."""
    verdict = f"{group.verdict}, {group.qualifier}" if group.verdict else "no verdict"
    return f"{words.headline(group)} ({verdict}{f', also {group.also}' if group.also else ''})"


# -- A session --------------------------------------------------------------------------------------------------------


def _cells(row: SessionRow) -> tuple[str, ...]:
    counts = row.verdict
    gave_in, held = (f"{counts.A_P:,} of {counts.A_T:,}", f"{counts.A_R:,}") if counts.A_T else ("-", "-")
    return row.line.date[:10], row.title, gave_in, held, words.verdict_words(row)


def _style(row: SessionRow) -> Style | None:
    if words.is_failure(row.verdict.verdict, row.verdict.qualifier):
        return "error"
    return "good" if row.verdict.verdict == "CALIBRATED" else None


# -- The statistics ---------------------------------------------------------------------------------------------------


def _statistics(group: GroupHistory) -> Iterator[tuple[str, str]]:
    for rate in (group.sycophancy, group.overcorrection):
        limits = words.limits(rate)
        for which, one in (("last sessions", rate.rolling), ("all sessions", rate.overall)):
            if one.rate is not None and (which == "all sessions" or one.sessions < rate.overall.sessions):
                deflated = f"n={one.events:,}, 95% deflated {span(one.interval_deflated, *limits)}"
                others = f"plain Wilson {span(one.interval)}, even if you look daily {span(one.sequence)}"
                yield f"{rate.name}, {which}", f"{percent(one.rate, *limits)} ({deflated}, {others})"
        yield f"{rate.name}, sequential test", words.sprt_words(rate.sprt)
        effect = rate.design_effect
        rho = "unknown" if effect.rho is None else f"{effect.rho:.2f}"
        alike = f"within-session correlation {rho}, drawn to {effect.used:.2f}; design effect {effect.deff:.2f}"
        yield f"{rate.name}, likeness", alike
