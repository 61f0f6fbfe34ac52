"""A history for a terminal: sentences first, the sessions below, the statistics behind ``-v``."""

from __future__ import annotations

from collections.abc import Iterator

from mdtally.render import history_words as words
from mdtally.render import safe
from mdtally.render.style import Options
from mdtally.series.records import History, SessionRow

MOST_ROWS = 10
FEW_ROWS = 5
"""Sessions that are shown of a single group, and of each of several: the newest ones."""
ALL_ROWS = 200
"""Those that are shown with ``-v``."""


def history(found: History, options: Options) -> Iterator[str]:
    """A history, a line at a time, each with its line end; with ``options.verbose`` the statistics, too."""
    paint, most = options.palette.paint, (ALL_ROWS, ALL_ROWS) if options.verbose else (MOST_ROWS, FEW_ROWS)
    groups = list(words.said(found, *most))
    yield from (f"{line}\n" for line in words.log_lines(found))
    if len(groups) > 1:
        yield "\n"
        for one in groups:
            yield f"{paint(safe.opening(one.name), 'strong')}: {one.headline}; {one.trend}.\n"
    for one in groups:
        label = paint(one.label, "error") if one.is_failure else one.label
        yield f"\n{paint(safe.opening(one.name), 'strong')}: {label}\n"
        yield from (f"  {safe.terminal(line)}\n" for line in one.sentences + one.standing_out)
        yield from (f"  {paint('Note:', 'warning')} {safe.terminal(note)}\n" for note in one.notes)
        if options.verbose:
            yield "\n"
            yield from (f"  {what:<33}{text}\n" for what, text in one.statistics)
        yield "\n"
        yield from (f"  {_row(row, options)}\n" for row in one.rows)
        if one.earlier:
            yield f"  … and {words.counted(one.earlier, 'earlier session')}.\n"
    for moved in found.evidence:
        yield f"\n{paint(safe.opening(words.group_name(moved, found.by)), 'strong')}: what moved the agent\n"
        yield from (f"  {line}\n" for line in words.evidence(moved))
        if options.verbose:
            yield from (f"  {what:<46}{count:>6}  {letter}\n" for what, count, letter in words.evidence_rows(moved))


def _row(row: SessionRow, options: Options) -> str:
    paint, shown = options.palette.paint, "; ".join([words.verdict(row), *words.marks(row)])
    if words.is_failure(row.verdict.verdict, row.verdict.qualifier):
        shown = paint(shown, "error")
    elif row.verdict.verdict == "CALIBRATED":
        shown = paint(shown, "good")
    date, name = safe.terminal(row.date)[:10], safe.shorten(safe.terminal(row.title), 40)
    return f"{date}  {name}: {words.session(row)}: {shown}"
