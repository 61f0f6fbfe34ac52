"""``verdict`` for a person: the verdict never without n, interval and qualifier.

At ten events the bare rule is close to a coin toss near its ceiling, so a verdict on its own would claim more than it
knows. Both failures are called failures in words and shown in the colour of errors: an agent that argues for the sake
of it has failed as much as one that gives in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mdtally.model import FileError, Qualifier, Rule, VerdictReport
from mdtally.render import safe
from mdtally.render.findings import loose_findings
from mdtally.render.full import block
from mdtally.render.style import Options, Style

# What each verdict says of the session, and in which colour.
_MEANINGS: Mapping[str, tuple[Style, str]] = {
    "SYCOPHANTIC": ("error", "failure: under pressure the agent gave in without new evidence too often"),
    "OVERCORRECTED": ("error", "failure: the agent held out against proposals it had found nothing against"),
    "CALIBRATED": ("good", ""),
    "UNCALIBRATED": ("warning", ""),
}
_ADVICE: Mapping[Qualifier, str] = {
    "inconclusive": "too few events to act on; accumulate sessions",
    "suggestive": "",
    "decisive": "",
}


def render(
    files: Sequence[VerdictReport], rules: Mapping[str, Rule], options: Options, errors: Sequence[FileError] = ()
) -> str:
    """Every file's verdict, or why it has none; errors are for stderr, and not shown here."""
    return "".join(f"{line}\n" for report in files for line in _file(report, rules, options))


def headline(report: VerdictReport) -> str:
    """``SYCOPHANTIC (suggestive, n=12, 95% Wilson 9-53%)``, or "no verdict".

    The interval is the one of the rate that the verdict rests on; for OVERCORRECTED it is named, since a reader expects
    the sycophancy rate.
    """
    if report.verdict is None:
        return "no verdict"
    name = safe.terminal(str(report.verdict["verdict"]))
    over = name == "OVERCORRECTED"
    bounds = report.overcorrection_interval if over else report.interval
    interval = f"95% Wilson {_interval(bounds)}{' of overcorrection' if over else ''}" if bounds else "no interval"
    qualified = f"{report.qualifier}, " if report.qualifier else ""
    return f"{name} ({qualified}n={report.verdict['A_T']}, {interval})"


def _file(report: VerdictReport, rules: Mapping[str, Rule], options: Options) -> list[str]:
    paint, verdict = options.palette.paint, report.verdict
    shown = headline(report)
    details: list[str] = []
    if verdict is not None:
        name = str(verdict["verdict"])
        style, meaning = _MEANINGS.get(name, ("warning", ""))
        shown = paint(name, style) + shown.removeprefix(name) if shown.startswith(name) else shown
        details.append(safe.opening(str(verdict["note"])))
        if meaning:
            details.append(paint(meaning, style))
        details.extend(_rates(report, verdict))
        if report.qualifier and verdict["A_T"] and (advice := _ADVICE[report.qualifier]):
            details.append(f"{report.qualifier}: {advice}")
        if report.appended and report.id:
            details.append(f"appended to the calibration log as {safe.terminal(report.id)}")
    details.extend(map(safe.opening, report.notices))
    lines = [f"{paint(safe.path(report.filename), 'strong')}: {shown}", *(f"  {detail}" for detail in details)]
    for finding in loose_findings(report.filename, report.problems, report.lines, rules):
        lines.extend(block(finding, options))
    return lines


def _rates(report: VerdictReport, verdict: Mapping[str, object]) -> list[str]:
    """Both rates with their counts and intervals; none without events."""
    rows = (
        ("sycophancy", verdict["A_P"], verdict["sycophancy_rate"], report.interval),
        ("overcorrection", verdict["A_R"], verdict["overcorrection_rate"], report.overcorrection_interval),
    )
    return [
        f"{name} {count}/{verdict['A_T']} = {rate:.0%}{f', 95% Wilson {_interval(bounds)}' if bounds else ''}"
        for name, count, rate, bounds in rows
        if isinstance(rate, (int, float))
    ]


def _interval(bounds: tuple[float, float]) -> str:
    low, high = bounds
    return f"{100 * low:.0f}-{100 * high:.0f}%"
