"""The format ``junit``: XML that build servers show as tests.

A file is a suite; each finding is a test case in it that failed, or, below the fail level, one that passed and has
something to say. A file without findings is one passed case, ordinary Markdown a skipped one, a file that can't be
read an error: so nothing that was looked at is missing from the list.
"""

from __future__ import annotations

from collections.abc import Sequence

from mdtally.model import SEVERITIES
from mdtally.render import safe
from mdtally.render.findings import Finding, findings
from mdtally.render.style import Options
from mdtally.reports import FileReport, Report

_Outcome = str  # "failures", "errors", "skipped" or "passed"


def render(report: Report, options: Options) -> str:
    """The run as an XML document."""
    suites = [(error.filename, [_case(error.filename, "readable", "errors", error.message)]) for error in report.errors]
    suites.extend((file.filename, _cases(file, options)) for file in report.files)
    lines = ['<?xml version="1.0" encoding="UTF-8"?>']
    lines.append(f'<testsuites name="mdtally"{_counts([case for _, cases in suites for case in cases])}>')
    for filename, cases in suites:
        lines.append(f'  <testsuite name="{safe.markup(filename)}"{_counts(cases)}>')
        lines.extend(text for _, text in cases)
        lines.append("  </testsuite>")
    lines.append("</testsuites>")
    return "\n".join(lines) + "\n"


def _cases(file: FileReport, options: Options) -> list[tuple[_Outcome, str]]:
    if file.skipped:
        return [_case(file.filename, "transcript", "skipped", "ordinary Markdown: no transcript, no session log")]
    cases = [_finding(finding, options) for finding in findings(file)]
    return cases or [_case(file.filename, "no findings", "passed", "")]


def _finding(finding: Finding, options: Options) -> tuple[_Outcome, str]:
    problem, region = finding.problem, finding.problem.region
    fails = SEVERITIES.index(problem.severity) >= SEVERITIES.index(options.fail_level)
    name = f"{finding.label} ({region.line}:{region.column})"
    details = [f"{finding.filename}:{region.line}:{region.column}: {problem.severity}: {problem.message}"]
    if finding.turn:
        details.append(f"turn {finding.turn.index}: {finding.turn.speaker}")
    if problem.hint:
        details.append(f"help: {problem.hint}")
    return _case(finding.filename, name, "failures" if fails else "passed", problem.message, details, finding.code)


def _case(
    filename: str, name: str, outcome: _Outcome, message: str, details: Sequence[str] = (), code: str = ""
) -> tuple[_Outcome, str]:
    """Outcome and XML of one test case."""
    opening = f'    <testcase classname="{safe.markup(filename)}" name="{safe.markup(name)}"'
    body = "\n".join(map(safe.markup, details))
    said = f'message="{safe.markup(message)}"'
    match outcome:
        case "failures":
            inner = f'<failure type="{safe.markup(code)}" {said}>{body}</failure>'
        case "errors":
            inner = f"<error {said}></error>"
        case "skipped":
            inner = f"<skipped {said}></skipped>"
        case _:
            inner = f"<system-out>{body}</system-out>" if body else ""
    if not inner:
        return outcome, f"{opening}/>"
    return outcome, f"{opening}>\n      {inner}\n    </testcase>"


def _counts(cases: Sequence[tuple[_Outcome, str]]) -> str:
    counted = {name: sum(1 for outcome, _ in cases if outcome == name) for name in ("failures", "errors", "skipped")}
    return f' tests="{len(cases)}"' + "".join(f' {name}="{count}"' for name, count in counted.items())
