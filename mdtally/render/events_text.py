"""``events`` for a person: a row for each event and each tally, in the order of the log."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from mdtally.events import CheckedTally, Entry, Register
from mdtally.model import COUNTERS
from mdtally.render import safe
from mdtally.render.style import Options
from mdtally.render.summary import count
from mdtally.render.table import table
from mdtally.reports import EventsReport, FileError

_HEADINGS = ("line", "speaker", "event", "reason", *COUNTERS)
_WIDTHS = {"speaker": 20, "reason": 60}


def render(files: Sequence[EventsReport], options: Options, errors: Sequence[FileError] = ()) -> str:
    """Every file's register, with a blank line between two; errors are for stderr, and not shown here."""
    return "\n".join("".join(f"{line}\n" for line in _file(file, options)) for file in files)


def _file(report: EventsReport, options: Options) -> list[str]:
    found, paint = report.register, options.palette.paint
    lines = [f"{paint(safe.path(report.filename), 'strong')}: {_summary(found)}"]
    # What one tag marks is one row: [A_P x4].
    marks = [list(entries) for _, entries in groupby(found.entries, key=lambda entry: entry.event)]
    rows = [(entries[-1].event.region, _row(entries[-1], len(entries)), True) for entries in marks]
    rows += [(checked.tally.region, _tally(checked), checked.agrees) for checked in found.tallies]
    if rows:
        rows.sort(key=lambda row: row[0])
        texts = table(_HEADINGS, [cells for _, cells, _ in rows])
        lines += ["", paint(texts[0], "faint")]
        lines += [
            text if agrees else paint(text, "error") for text, (_, _, agrees) in zip(texts[1:], rows, strict=True)
        ]
    for problem in found.problems:
        if problem.severity == "error":
            lines.append(f"{paint('error:', 'error')} line {problem.region.line}: {safe.terminal(problem.message)}")
    return lines


def _summary(found: Register) -> str:
    if not (found.entries or found.tallies):
        return "no events"
    events = count(len(found.entries), "event") if found.entries else "no events, totals only"
    if found.counts.A_T is None:
        return f"{events}; the totals do not hold"
    return f"{events}; " + ", ".join(f"{counter} {getattr(found.counts, counter)}" for counter in COUNTERS)


def _row(entry: Entry, times: int) -> tuple[str, ...]:
    return (
        str(entry.event.region.line),
        safe.clip(safe.opening(entry.speaker or ""), _WIDTHS["speaker"]),
        f"{entry.counter} x{times}" if times > 1 else entry.counter,
        safe.clip(safe.terminal(entry.reason), _WIDTHS["reason"]),
        str(entry.A_P),
        str(entry.A_R),
        str(entry.A_T),
    )


def _tally(checked: CheckedTally) -> tuple[str, ...]:
    tally = checked.tally
    if checked.counted is None:
        says = f"{tally.counter} is stated as {tally.value}"
    elif checked.agrees:
        says = f"{tally.counter}: {tally.value} agrees"
    else:
        says = f"{tally.counter}: {tally.value}, but the tags above come to {checked.counted}"
    return (str(tally.region.line), "", "tally", says, "", "", "")
