"""A history for a terminal: sentences first, the sessions below, the statistics behind ``-v``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mdtally.render import history_words as words
from mdtally.render import safe
from mdtally.render.style import Options, Style
from mdtally.series.records import GroupHistory, History, SessionRow

__all__ = ["history"]

MOST_ROWS = 10
"""Sessions that are shown of a single group, and of each of several: the newest ones."""
FEW_ROWS = 5
ALL_ROWS = 200


def history(found: History, options: Options) -> Iterator[str]:
    """A history, a line at a time, each with its line end; with ``options.verbose`` the statistics, too."""
    paint = options.palette.paint
    for line in words.log_lines(found):
        yield f"{line}\n"
    if len(found.groups) > 1:
        yield "\n"
        for group in found.groups:
            name = paint(safe.opening(words.group_name(group, found.by)), "strong")
            events, trend = words.counted(group.events, "event"), words.trend(group.sycophancy)
            yield f"{name} {words.sentence(group)}; {events}, {trend}.\n"
    most = ALL_ROWS if options.verbose else MOST_ROWS if len(found.groups) == 1 else FEW_ROWS
    for index, group in enumerate(found.groups):
        yield "\n"
        yield from (f"{line}\n" for line in _group(found, index, group, options, most))
    for one in found.evidence:
        yield f"\n{paint(safe.opening(words.group_name(one, found.by)), 'strong')}: what moved the agent\n"
        yield from (f"  {line}\n" for line in words.evidence(one))
        if options.verbose:
            yield from (f"  {what:<46}{count:>6}  {letter}\n" for what, count, letter in words.evidence_rows(one))


def _group(found: History, index: int, group: GroupHistory, options: Options, most_rows: int) -> Iterator[str]:
    paint = options.palette.paint
    newest = list(found.sessions.of_group(index, max(most_rows, 100)))
    failure = words.is_failure(group.verdict, group.qualifier)
    label = words.label(group)
    name = paint(safe.opening(words.group_name(group, found.by)), "strong")
    yield f"{name}: {paint(label, 'error') if failure else label}"
    for line in (*words.about(group), *words.standing_out(group, newest, safe.terminal)):
        yield f"  {line}"
    for warning in group.warnings:
        yield f"  {paint('Note:', 'warning')} {safe.terminal(warning)}"
    if options.verbose:
        yield from _statistics(group, options)
    yield ""
    shown = newest[-most_rows:]
    yield from (f"  {line}" for line in _rows(shown, options))
    hidden = group.sessions - len(shown)
    if hidden > 0:
        yield f"  … and {words.counted(hidden, 'earlier session')}."


def _statistics(group: GroupHistory, options: Options) -> Iterator[str]:
    paint = options.palette.paint
    yield ""
    for what, text in words.statistics(group):
        yield f"  {what:<33}{text}"
    for rate in (group.sycophancy, group.overcorrection):
        for warning in rate.sprt.warnings if rate.sprt else ():
            yield f"  {paint('Note:', 'warning')} {warning}"


def _rows(rows: Sequence[SessionRow], options: Options) -> Iterator[str]:
    paint = options.palette.paint
    for row in rows:
        shown = words.verdict(row)
        style: Style | None = "good" if row.verdict.verdict == "CALIBRATED" else None
        if words.is_failure(row.verdict.verdict, row.verdict.qualifier):
            style = "error"
        notes = "".join(f"; {mark}" for mark in words.marks(row))
        yield (
            f"{safe.terminal(row.date)[:10]}  {safe.clip(safe.terminal(row.title), 40)}: {words.session(row)}:"
            f" {paint(shown, style) if style else shown}{paint(notes, 'error') if style == 'error' else notes}"
        )
