"""The format ``rdjson``: reviewdog's diagnostic format.

Its columns count UTF-8 bytes (so says its definition, reviewdog.proto), not code points as everywhere else, so they are
counted anew in the source line.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mdtally.model import Severity
from mdtally.render.findings import Finding, findings, to_json
from mdtally.render.style import Options
from mdtally.reports import Report

_SEVERITIES: Mapping[Severity, str] = {"error": "ERROR", "warning": "WARNING", "info": "INFO"}


def render(report: Report, options: Options) -> str:
    """The run as a DiagnosticResult; a file that can't be read is a diagnostic without a range."""
    diagnostics: list[dict[str, object]] = [
        {"message": error.message, "location": {"path": error.filename}, "severity": "ERROR"} for error in report.errors
    ]
    diagnostics += [_diagnostic(finding, file.lines) for file in report.files for finding in findings(file)]
    return to_json({"source": {"name": "mdtally"}, "diagnostics": diagnostics})


def _diagnostic(finding: Finding, lines: Sequence[str]) -> dict[str, object]:
    problem, region = finding.problem, finding.problem.region
    start = _position(lines, region.line, region.column)
    end = _position(lines, region.end_line, region.end_column)
    return {
        "message": f"{problem.message}\nhelp: {problem.hint}" if problem.hint else problem.message,
        "location": {"path": finding.filename, "range": {"start": start, "end": end}},
        "severity": _SEVERITIES[problem.severity],
        "code": {"value": finding.label, **({"url": finding.rule.url} if finding.rule else {})},
    }


def _position(lines: Sequence[str], line: int, column: int) -> dict[str, int]:
    """A place with its column in bytes; without the column where the line is not at hand to count them."""
    if column == 1:
        return {"line": line, "column": 1}
    if not 1 <= line <= len(lines):
        return {"line": line}
    before = lines[line - 1][: column - 1]
    return {"line": line, "column": column + len(before.encode("utf-8", "surrogatepass")) - len(before)}
