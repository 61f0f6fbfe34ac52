"""A history as Markdown: sentences and tables.

Names come from notes, so whatever Markdown or GitHub would act upon in them (tables, links, tags, mentions) is escaped.

A dashboard is the same text between two marker comments of a note; whatever else stands in the note stays.
"""

from __future__ import annotations

from collections.abc import Iterator

from mdtally.percent import percent, span
from mdtally.render import history_words as words
from mdtally.render.safe import markdown as inline
from mdtally.series.records import GroupHistory, History

__all__ = ["BEGIN", "END", "history", "spliced"]

BEGIN, END = "<!-- mdtally-dashboard -->", "<!-- mdtally-dashboard-end -->"
MOST_ROWS = 60
FEW_ROWS = 10
"""Sessions in the table of a single group, and of each of several; the newest ones."""


def history(found: History, *_: object) -> Iterator[str]:
    """A history, a line at a time, each with its line end."""
    yield "# Calibration log\n\n"
    yield f"{' '.join(words.log_lines(found))}\n"
    if len(found.groups) > 1:
        yield "\n"
        for group in found.groups:
            yield f"- **{inline(words.group_name(group, found.by))}** {inline(words.sentence(group))}.\n"
        yield "\n| | verdict | n | gave in | 95% interval | trend |\n| --- | --- | ---: | ---: | ---: | --- |\n"
        for group in found.groups:
            rate = group.sycophancy
            limits = words.limits(rate)
            yield (
                f"| {inline(words.group_name(group, found.by))} | {group.verdict or 'no verdict'} | {group.events:,}"
                f" | {percent(rate.overall.rate, *limits)} | {span(rate.overall.interval_deflated, *limits)}"
                f" | {words.trend(rate)} |\n"
            )
    for index, group in enumerate(found.groups):
        yield from (f"{line}\n" for line in _group(found, index, group))
    for one in found.evidence:
        yield f"\n## What moved the agent: {inline(words.group_name(one, found.by))}\n\n"
        yield f"{' '.join(words.evidence(one))}\n"
        yield "\n| the agent | events | counts as |\n| --- | ---: | --- |\n"
        yield from (f"| {what} | {count} | {inline(letter)} |\n" for what, count, letter in words.evidence_rows(one))


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


def _group(found: History, index: int, group: GroupHistory) -> Iterator[str]:
    newest = list(found.sessions.of_group(index, 100))
    most_rows = MOST_ROWS if len(found.groups) == 1 else FEW_ROWS
    yield ""
    yield f"## {inline(words.group_name(group, found.by))}: {words.label(group)}"
    yield ""
    yield from words.about(group)
    stand_out = list(words.standing_out(group, newest, inline))
    if stand_out:
        yield ""
        yield from (f"- {line}" for line in stand_out)
    if group.warnings:
        yield ""
        yield from (f"- **Note:** {inline(warning)}" for warning in group.warnings)
    yield ""
    yield "| date | session | verdict | n | A\\_P | A\\_R | rate | |"
    yield "| --- | --- | --- | ---: | ---: | ---: | ---: | --- |"
    for row in newest[-most_rows:]:
        counts = row.verdict
        rate = percent(counts.sycophancy_rate, counts.thresholds.sycophancy_ceiling)
        yield (
            f"| {inline(row.date[:10])} | {inline(row.title)} | {words.verdict(row)} | {counts.A_T} | {counts.A_P}"
            f" | {counts.A_R} | {rate} | {'; '.join(words.marks(row))} |"
        )
    shown = min(len(newest), most_rows)
    if group.sessions > shown:
        yield ""
        yield f"… and {words.counted(group.sessions - shown, 'earlier session')}."
    yield ""
    yield "<details><summary>The statistics behind this</summary>"
    yield ""
    yield "| | |"
    yield "| --- | --- |"
    yield from (f"| {what} | {inline(text)} |" for what, text in words.statistics(group))
    yield ""
    yield "</details>"
