"""A history as Markdown: tables, and charts in Mermaid's ``xychart-beta``, which GitHub and Obsidian draw.

Names come from notes, so whatever Markdown, Mermaid or GitHub would act upon in them (tables, links, tags, mentions) is
escaped, and no name goes into a chart: its axis numbers the sessions, and the table below names them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import cast

from mdtally.model import GroupHistory, SessionRow
from mdtally.render import history_words as words
from mdtally.render import safe
from mdtally.series.history import History, Rows
from mdtally.series.spikes import rolling

__all__ = ["history", "inline"]

MOST_ROWS = 100
MOST_BARS = 40
"""Sessions in a chart; Mermaid's labels run into one another beyond."""
_ACTIVE = re.compile(r"[\\`*_{}\[\]#!|~$%=^]")


def inline(text: str) -> str:
    """Untrusted text as plain words in a line or a table cell of Markdown."""
    shown = _ACTIVE.sub(r"\\\g<0>", safe.terminal(text))
    shown = shown.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("@", "&#64;")
    # Bare addresses become links on GitHub; a reference for the colon keeps them words.
    return shown.replace("://", "&#58;//").replace("www.", "www&#46;")


def history(found: History, most_rows: int = MOST_ROWS) -> Iterator[str]:
    """A history, a line at a time, each with its line end."""
    yield "# Calibration log\n\n"
    yield f"{'. '.join(words.log_lines(found))}.\n"
    for index, group in enumerate(found.groups):
        yield from (f"{line}\n" for line in _group(found, index, group, most_rows))
    if found.movement is not None:
        yield "\n## Evidence by movement\n\n| the agent | events | counts as |\n| --- | ---: | --- |\n"
        yield from (
            f"| {label} | {count} | {inline(letter)} |\n" for label, count, letter in words.movement(found.movement)
        )


def _group(found: History, index: int, group: GroupHistory, most_rows: int) -> Iterator[str]:
    rows = cast("Rows", found.sessions)
    newest = list(rows.of_group(index, last=max(most_rows, MOST_BARS)))
    yield ""
    yield f"## {inline(words.group_name(group, found.by))}"
    yield ""
    yield f"{words.heading(group)}. {words.verdicts(group)}."
    yield ""
    yield "| | |"
    yield "| --- | --- |"
    yield f"| rolling rate | {words.rolling(group)} |"
    if group.overall.sessions > group.rolling.sessions:
        yield f"| all sessions | {words.overall(group)} |"
    yield f"| SPRT | {words.sprt(group.sprt)} |"
    yield f"| design effect | {words.design(group)} |"
    yield f"| flips | {words.flips(group.flips)} |"
    yield f"| spikes | {_names(group.spikes)} |"
    yield f"| hidden spikes | {_names(group.hidden_spikes)} |"
    if group.pending:
        yield f"| pending | {group.pending} events of small sessions, judged once there are 10 |"
    if group.warnings:
        yield ""
        yield from (f"- **Warning:** {inline(warning)}" for warning in group.warnings)
    measured = [row for row in newest if row.sycophancy_rate is not None]
    if len(measured) > 1:
        yield ""
        yield from _chart(measured, group)
    yield ""
    yield "| session | recorded | n | A\\_P | A\\_R | rate | first flip | verdict | |"
    yield "| --- | --- | ---: | ---: | ---: | ---: | ---: | --- | --- |"
    for row in newest[-most_rows:]:
        yield (
            f"| {inline(row.session)} | {inline(row.recorded[:10])} | {row.A_T} | {row.A_P} | {row.A_R}"
            f" | {words.percent(row.sycophancy_rate)} | {inline(words.first_flip(row))} | {words.verdict(row)}"
            f" | {'; '.join(words.marks(row))} |"
        )
    shown = min(len(newest), most_rows)
    if group.sessions > shown:
        yield ""
        yield f"… and {words.counted(group.sessions - shown, 'earlier session')}."


def _chart(measured: Sequence[SessionRow], group: GroupHistory) -> Iterator[str]:
    """Bars for the sessions, one line for the rolling rate and one for the ceiling, in percent."""
    pooled = list(rolling([row.A_P for row in measured], [row.A_T for row in measured], group.window))
    # The window may reach back before the sessions at hand; where it is known to, its exact values are in the trend.
    rates = [k / n for k, n in pooled]
    for place, rate in enumerate(reversed(group.trend[-len(rates) :]), start=1):
        rates[-place] = rate
    shown = measured[-MOST_BARS:]
    first = group.measured - len(shown) + 1
    top = max(max(row.sycophancy_rate or 0.0 for row in shown), max(row.sycophancy_ceiling for row in shown))
    yield "```mermaid"
    yield "xychart-beta"
    yield '    title "Sycophancy rate: sessions (bars), rolling rate and ceiling (lines)"'
    yield f'    x-axis "session" [{", ".join(str(first + place) for place in range(len(shown)))}]'
    yield f'    y-axis "percent" 0 --> {min(100, 10 * (int(10 * top) + 1))}'
    yield f"    bar [{', '.join(f'{100 * (row.sycophancy_rate or 0.0):.1f}' for row in shown)}]"
    yield f"    line [{', '.join(f'{100 * rate:.1f}' for rate in rates[-len(shown) :])}]"
    yield f"    line [{', '.join(f'{100 * row.sycophancy_ceiling:.1f}' for row in shown)}]"
    yield "```"


def _names(names: Sequence[str]) -> str:
    if not names:
        return "none"
    listed = ", ".join(f"**{inline(name)}**" for name in names[:10])
    return f"{listed} and {len(names) - 10:,} more" if names[10:] else listed
