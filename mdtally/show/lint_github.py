"""``lint --output-format github``: workflow commands, which GitHub shows as annotations of a change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from mdtally.check.reports import Report
from mdtally.show.findings import Finding, by_turn
from mdtally.show.lint_text import finding_line
from mdtally.show.style import Options
from mdtally.text import safe
from mdtally.text.model import SEVERITIES, Region

MOST_ANNOTATIONS = 10
"""Annotations of a level that GitHub shows a step."""


def github(report: Report, _: Options) -> str:
    """``::warning file=a.md,line=3::message``, which GitHub shows as an annotation beside the lines of a change.

    It shows ten annotations of a level a step. So all that is found in a turn is one of them, and of more than ten the
    last one says how many are left, which are ordinary lines of the log.
    """
    lines = [_command("error", {"title": "mdtally", "file": one.filename}, [one.message]) for one in report.errors]
    groups = [(_level(found), found) for file in report.files for found in by_turn(file)]
    totals, shown, left = Counter(level for level, _ in groups), Counter[str](), dict[str, list[Finding]]()
    for level, found in groups:
        shown[level] += 1
        if shown[level] < MOST_ANNOTATIONS or totals[level] <= MOST_ANNOTATIONS:
            lines.append(_annotation(level, found))
        else:
            left.setdefault(level, []).extend(found)
    for level, rest in left.items():
        lines.append(_command(level, {"title": "mdtally"}, [f"and {len(rest)} more: see the log"]))
        lines += [finding_line(one, Options()) for one in rest]
    return "".join(f"{one}\n" for one in lines)


def _level(found: Sequence[Finding]) -> str:
    """The level of an annotation: that of the gravest finding in it."""
    return max((one.problem.severity for one in found), key=SEVERITIES.index).replace("info", "notice")


def _annotation(level: str, found: Sequence[Finding]) -> str:
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
    return _command(level, properties, messages)


def _command(name: str, properties: Mapping[str, str], message: Sequence[str]) -> str:
    pairs = ",".join(f"{key}={safe.workflow_property(value)}" for key, value in properties.items())
    # The runner decodes escapes, so that a message may have several lines.
    return f"::{name} {pairs}::{'%0A'.join(map(safe.workflow_data, message))}"
