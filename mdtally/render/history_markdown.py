"""A history as Markdown: sentences and tables.

Names come from notes, so whatever Markdown or GitHub would act upon in them (tables, links, tags, mentions) is escaped.

A dashboard is the same text between two marker comments of a note; whatever else stands in the note stays.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mdtally.percent import percent
from mdtally.render import history_words as words
from mdtally.render.safe import markdown as inline
from mdtally.series.records import History, SessionRow

BEGIN, END = "<!-- mdtally-dashboard -->", "<!-- mdtally-dashboard-end -->"
MOST_ROWS = 60
FEW_ROWS = 10
"""Sessions in the table of a single group, and of each of several; the newest ones."""


def history(found: History, *_: object) -> Iterator[str]:
    """A history, a line at a time, each with its line end."""
    groups = list(words.said(found, MOST_ROWS, FEW_ROWS))
    yield f"# Calibration log\n\n{inline(' '.join(words.log_lines(found)))}\n"
    if len(groups) > 1:
        rows = ([one.name, f"{one.group.events:,}", one.rate, one.interval, one.trend, one.headline] for one in groups)
        yield from _table(("", "n:", "gave in:", "95% interval:", "trend", "in words"), rows)
    for one in groups:
        yield f"\n## {inline(f'{one.name}: {one.label}')}\n\n"
        yield from (f"{inline(line)}\n" for line in one.sentences)
        yield from _list([*one.standing_out, *(f"Note: {note}" for note in one.notes)])
        yield from _table(("date", "session", "verdict", "n:", "A_P:", "A_R:", "rate:", ""), map(_row, one.rows))
        if one.earlier:
            yield f"\n… and {words.counted(one.earlier, 'earlier session')}.\n"
        yield "\n<details><summary>The statistics behind this</summary>\n"
        yield from _table(("", ""), one.statistics)
        yield "\n</details>\n"
    for moved in found.evidence:
        yield f"\n## What moved the agent: {inline(words.group_name(moved, found.by))}\n\n"
        yield f"{inline(' '.join(words.evidence(moved)))}\n"
        rows = ([what, str(count), letter] for what, count, letter in words.evidence_rows(moved))
        yield from _table(("the agent", "events:", "counts as"), rows)


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


def _row(row: SessionRow) -> list[str]:
    counts = row.verdict
    rate = percent(counts.sycophancy_rate, counts.thresholds.sycophancy_ceiling)
    numbers = [str(counts.A_T), str(counts.A_P), str(counts.A_R), rate]
    return [row.date[:10], row.title, words.verdict(row), *numbers, "; ".join(words.marks(row))]


def _list(lines: Iterable[str]) -> Iterator[str]:
    for number, line in enumerate(lines):
        yield f"{'' if number else chr(10)}- {inline(line)}\n"


def _table(headings: Iterable[str], rows: Iterable[Iterable[str]]) -> Iterator[str]:
    """A table; a heading with a colon is over numbers."""
    headings = list(headings)
    yield f"\n| {' | '.join(inline(heading.rstrip(':')) for heading in headings)} |\n"
    yield f"| {' | '.join('---:' if heading.endswith(':') else '---' for heading in headings)} |\n"
    for row in rows:
        yield f"| {' | '.join(map(inline, row))} |\n"
