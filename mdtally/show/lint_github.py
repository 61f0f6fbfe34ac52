"""``lint --output-format github``: workflow commands, which GitHub shows as annotations of a change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mdtally.check.reports import Report
from mdtally.show.findings import Finding, by_turn
from mdtally.show.style import Options
from mdtally.text import safe
from mdtally.text.model import SEVERITIES, Region


def github(report: Report, _: Options) -> str:
    """``::warning file=a.md,line=3::message``, which GitHub shows as an annotation beside the lines of a change.

    It shows ten annotations of a level a step, so all findings of a turn are one; the others are in the log.
    """
    lines = [_command("error", {"title": "mdtally", "file": one.filename}, [one.message]) for one in report.errors]
    lines += [_annotation(found) for file in report.files for found in by_turn(file)]
    return "".join(f"{one}\n" for one in lines)


def _annotation(found: Sequence[Finding]) -> str:
    turn, problem = found[0].turn, found[0].problem
    region, title = problem.region, f"mdtally ({found[0].label})"
    messages = [one.problem.message for one in found]
    if turn:
        title = f"mdtally: {turn.speaker}"
        messages = [f"{one.label}: {one.problem.message}" for one in found]
        if len(found) > 1 or not problem.evidence:
            # The whole turn, which is what a reviewer has to read, unless its one finding is about certain words.
            region = Region(turn.line, 1, max(turn.end_line, turn.line), 1)
    hints = dict.fromkeys(one.problem.hint for one in found if one.problem.hint)
    messages += [f"help: {' '.join(hints)}"] if hints else []
    places = {"line": region.line, "col": region.column, "endLine": region.end_line, "endColumn": region.end_column}
    if region.line < region.end_line or region.column >= region.end_column:
        # GitHub refuses columns on an annotation of several lines.
        del places["col"], places["endColumn"]
    properties = {"title": title, "file": found[0].filename} | {name: str(n) for name, n in places.items()}
    gravest = max((one.problem.severity for one in found), key=SEVERITIES.index)
    return _command(gravest.replace("info", "notice"), properties, messages)


def _command(name: str, properties: Mapping[str, str], message: Sequence[str]) -> str:
    pairs = ",".join(f"{key}={safe.workflow_property(value)}" for key, value in properties.items())
    # The runner decodes escapes, so that a message may have several lines.
    return f"::{name} {pairs}::{'%0A'.join(map(safe.workflow_data, message))}"
