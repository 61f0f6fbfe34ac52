"""The format ``concise``: a finding a line, as editors and grep read it."""

from __future__ import annotations

from mdtally.render import safe
from mdtally.render.findings import Finding, all_findings
from mdtally.render.style import Options
from mdtally.reports import Report


def render(report: Report, options: Options) -> str:
    """``path:line:col: warning: MDT102 no-disagreement-signal: message``, for every finding."""
    return "".join(f"{line(finding, options)}\n" for finding in all_findings(report))


def line(finding: Finding, options: Options) -> str:
    """The line of one finding; with ``options.verbose``, what it rests on stands behind the message."""
    paint, problem = options.palette.paint, finding.problem
    place = f"{paint(safe.path(finding.filename), 'strong')}:{problem.region.line}:{problem.region.column}"
    severity = paint(problem.severity, problem.severity)
    detail = f" [{problem.detail}]" if options.verbose and problem.detail else ""
    message = safe.terminal(problem.message + detail)
    return f"{place}: {severity}: {paint(safe.terminal(finding.label), 'strong')}: {message}"
