"""``verdict`` for a person: two lines a file, the verdict and what was written where; ``-v`` says what it rests on.

The verdict never stands without n, interval and qualifier: at ten events the bare rule is close to a coin toss near its
ceiling. Both failures are called failures and shown in the colour of errors, but not under ten events, where there is
nothing to act on.
"""

from __future__ import annotations

from collections.abc import Sequence

from mdtally.calibration import describe, explain
from mdtally.intervals import ENOUGH
from mdtally.model import Verdict
from mdtally.render import safe
from mdtally.render.findings import joined
from mdtally.render.full import block
from mdtally.render.style import Options, Style
from mdtally.reports import FileError, VerdictReport


def render(files: Sequence[VerdictReport], options: Options, errors: Sequence[FileError] = ()) -> str:
    """Every file's verdict, or why it has none; errors are for stderr, and not shown here."""
    return "".join(f"{line}\n" for report in files for line in _file(report, options))


def _file(report: VerdictReport, options: Options) -> list[str]:
    paint, verdict = options.palette.paint, report.verdict
    shown = "no verdict"
    if verdict is not None:
        described = describe(verdict)
        shown = paint(verdict.verdict, _style(verdict)) + described.removeprefix(verdict.verdict)
        # Arguing for the sake of it is a failure as much as giving in; under ten events neither is called one.
        shown += ": failure" if _style(verdict) == "error" else ""
        shown += f": {safe.terminal(verdict.note)}"
    details = [f"stale: {reason}" for reason in report.stale]
    details += [report.written] if report.written else []
    if options.verbose and verdict is not None:
        details += [report.basis] if report.basis else []
        details += [*explain(verdict), *_sequential(verdict, report.events)]
        details += [f"session {report.session}, id {report.id}"] if report.id else []
    lines = [f"{paint(safe.path(report.filename), 'strong')}: {shown}"]
    lines += (f"  {safe.opening(safe.terminal(detail))}" for detail in details)
    for finding in joined(report.filename, report.problems):
        lines.extend(block([finding], options))
    return lines


def _style(verdict: Verdict) -> Style:
    if verdict.verdict == "CALIBRATED":
        return "good"
    return "error" if verdict.A_T >= ENOUGH and verdict.verdict != "UNCALIBRATED" else "warning"


def _sequential(verdict: Verdict, events: str | None) -> list[str]:
    """Where the sequential test of this session alone stands; nothing without events."""
    if not verdict.A_T:
        return []
    from mdtally.render.history_words import sprt
    from mdtally.series.sprt import run

    ceiling = float(verdict.thresholds.sycophancy_ceiling)
    test = run([(verdict.A_P, verdict.A_T, ceiling)], [events], correlation=0.0)
    return [f"sequential test of this session: {sprt(test)}"]
