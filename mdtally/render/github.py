"""The format ``github``: workflow commands, which GitHub shows as annotations beside the lines of a change.

A command is one line, ``::warning file=a.md,line=3::message``; the runner decodes its escapes, so a message of several
lines is written with %0A. GitHub shows few annotations a step, so all that is found in a turn is one of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mdtally.model import SEVERITIES, Region, Severity
from mdtally.render import safe
from mdtally.render.findings import Finding, by_turn
from mdtally.render.style import Options
from mdtally.reports import Report

_COMMANDS: Mapping[Severity, str] = {"error": "error", "warning": "warning", "info": "notice"}


def render(report: Report, options: Options) -> str:
    """A command for every file that can't be read, every turn with findings, and every other finding."""
    commands = [
        _command("error", {"title": "mdtally", "file": error.filename}, [error.message]) for error in report.errors
    ]
    commands += [_annotation(found) for file in report.files for found in by_turn(file)]
    return "".join(f"{command}\n" for command in commands)


def _annotation(found: Sequence[Finding]) -> str:
    turn, region = found[0].turn, found[0].problem.region
    if turn:
        # The whole turn, which is what a reviewer has to read, unless its one finding is about certain words.
        words = len(found) == 1 and found[0].problem.evidence
        region = region if words else Region(turn.line, 1, max(turn.end_line, turn.line), 1)
        title = f"mdtally: {turn.speaker}"
    else:
        title = f"mdtally ({found[0].label})"
    properties = {"title": title, "file": found[0].filename, "line": str(region.line)}
    # GitHub refuses columns on an annotation of several lines.
    one_line = region.line == region.end_line and region.end_column > region.column
    properties |= {"col": str(region.column)} if one_line else {}
    properties |= {"endLine": str(region.end_line)}
    properties |= {"endColumn": str(region.end_column)} if one_line else {}
    messages = [f"{finding.label}: {finding.problem.message}" if turn else finding.problem.message for finding in found]
    hints = dict.fromkeys(finding.problem.hint for finding in found if finding.problem.hint)
    helps = [f"help: {' '.join(hints)}"] if hints else []
    gravest = max((finding.problem.severity for finding in found), key=SEVERITIES.index)
    return _command(_COMMANDS[gravest], properties, [*messages, *helps])


def _command(name: str, properties: Mapping[str, str], message: Sequence[str]) -> str:
    pairs = ",".join(f"{key}={safe.workflow_property(value)}" for key, value in properties.items())
    return f"::{name} {pairs}::{'%0A'.join(map(safe.workflow_data, message))}"
