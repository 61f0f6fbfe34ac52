"""The format ``full``: what a person reads who wants to mend the text.

A file's notices come first, then each finding with its line, carets under the place, whose turn it is and how to mend
it.
"""

from __future__ import annotations

from collections.abc import Mapping

from mdtally.model import Report, Rule, Turn
from mdtally.render import safe
from mdtally.render.concise import line
from mdtally.render.excerpt import excerpt
from mdtally.render.findings import Finding, findings
from mdtally.render.notices import notices
from mdtally.render.style import Options


def render(report: Report, rules: Mapping[str, Rule], options: Options) -> str:
    """Every file with findings: its notices, a blank line, and its findings with a blank line between two."""
    blocks: list[list[str]] = []
    for file, header in zip(report.files, notices(report, rules, options), strict=True):
        if header:
            blocks.append(header)
        blocks.extend(block(finding, options) for finding in findings(file, rules))
    return "\n".join("".join(f"{shown}\n" for shown in lines) for lines in blocks)


def block(finding: Finding, options: Options) -> list[str]:
    """The lines of one finding."""
    problem, paint = finding.problem, options.palette.paint
    lines = [line(finding, options), *excerpt(finding.file.lines, problem.region, options, problem.severity)]
    indent = " " * (len(str(problem.region.line)) + 1)
    if finding.turn:
        lines.append(f"{indent}{paint('=', 'faint')} {_voice(finding.turn)}")
    if problem.hint:
        lines.append(f"{indent}{paint('=', 'faint')} {paint('help:', 'strong')} {safe.terminal(problem.hint)}")
    return lines


def _voice(turn: Turn) -> str:
    stated = "" if turn.round is None else f", round {turn.round}"
    return f"turn {turn.index}{stated}: {safe.terminal(turn.speaker)}"
