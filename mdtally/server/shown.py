"""What an editor shows of a reading: diagnostics, inlay hints, code lenses, hovers."""

from __future__ import annotations

from lsprotocol import types

from mdtally import rules
from mdtally.model import Problem, Region, Severity
from mdtally.render import safe
from mdtally.server.reading import Reading

__all__ = ["diagnostics", "failure", "of_problem"]

_SEVERITIES: dict[Severity, types.DiagnosticSeverity] = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "info": types.DiagnosticSeverity.Information,
}


def diagnostics(reading: Reading) -> list[types.Diagnostic]:
    """Every finding as a diagnostic; what stands in the way of finding any comes first, at the first line."""
    found = [of_problem(reading, problem) for problem in reading.problems]
    checked = reading.checked.errors if reading.checked and not reading.is_excluded else ()
    return [*(trouble(reading, error) for error in (*reading.errors, *checked)), *found]


def of_problem(reading: Reading, problem: Problem) -> types.Diagnostic:
    """A finding as a diagnostic."""
    rule = rules.RULES[problem.rule]
    hint = f"\n{safe.terminal(problem.hint)}" if problem.hint else ""
    return types.Diagnostic(
        reading.positions.range(problem.region),
        f"{safe.terminal(problem.message)}{hint}",
        severity=_SEVERITIES[problem.severity],
        code=rule.code,
        code_description=types.CodeDescription(rule.url),
        source="mdtally",
        data=rule.name,
    )


def trouble(reading: Reading, message: str) -> types.Diagnostic:
    """What stands in the way of reading or judging a text, as a diagnostic."""
    place = reading.positions.range(Region(1, 1, 1, 1))
    return types.Diagnostic(place, safe.terminal(message), severity=types.DiagnosticSeverity.Error, source="mdtally")


def failure() -> types.Diagnostic:
    """What is said in place of diagnostics where making them failed."""
    message = "mdtally failed on this text, so nothing is known of it. This is a bug; the server's log shows where."
    nowhere = types.Position(0, 0)
    severity = types.DiagnosticSeverity.Error
    return types.Diagnostic(types.Range(nowhere, nowhere), message, severity=severity, source="mdtally")
