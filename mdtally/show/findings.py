"""What every lint format needs to know of a finding, joined once: its file, its rule, its turn.

A problem carries a rule's name and a turn's number; the formats want codes, pages and speakers.
"""

from __future__ import annotations

from collections.abc import Iterable

from mdtally.check.reports import FileReport, Report
from mdtally.check.rules import RULES, Rule
from mdtally.show.json_document import Object
from mdtally.text import safe
from mdtally.text.model import Edit, Problem, Region, Turn
from mdtally.text.records import by_key, pick, record, replace

COLUMN_UNIT = "unicodeCodePoints"
"""What columns count, in SARIF's word."""


@record
class Finding:
    """A problem, the file it is in, and the turn it is about, if any."""

    filename: str
    problem: Problem
    turn: Turn | None

    @property
    def rule(self) -> Rule:
        """Its row in the rule table."""
        return RULES[self.problem.rule]

    @property
    def label(self) -> str:
        """Code and name: "MDT102 no-disagreement-signal"."""
        return f"{self.rule.code} {self.rule.name}"


def to_findings(filename: str, problems: Iterable[Problem], turns: Iterable[Turn] = ()) -> list[Finding]:
    """Problems of a file as findings, in their order; the commands that they advise name the file."""
    by_index = {turn.index: turn for turn in turns}

    def with_file_name(problem: Problem) -> Problem:
        message, hint = safe.with_file_name(problem.message, filename), safe.with_file_name(problem.hint, filename)
        return replace(problem, message=message, hint=hint)

    return [Finding(filename, with_file_name(problem), by_index.get(problem.turn or 0)) for problem in problems]


def findings(report: Report | FileReport) -> list[Finding]:
    """Every finding of a file, or of all files of a run of ``lint``, in order."""
    if isinstance(report, Report):
        return [finding for file in report.files for finding in findings(file)]
    return to_findings(report.filename, report.problems, report.turns)


def by_turn(file: FileReport) -> list[list[Finding]]:
    """A file's findings, those of a turn together, in the order of the first of each."""
    # What is about no turn stands alone.
    numbered = ((one.turn.index if one.turn else -number, one) for number, one in enumerate(findings(file), start=1))
    return list(by_key(numbered).values())


def flagged_responses(file: FileReport) -> list[tuple[Turn, tuple[str, ...]]]:
    """The turns that did not pass the gate, each with what failed, each kind once, in the order of the table.

    A warning flags a response: that is what a fair editor would send back, and what `mdtally regenerate` asks again.
    """
    of_gate = [one for one in file.problems if RULES[one.rule].says]
    failed = {(one.turn, one.rule) for one in of_gate}
    warned = {one.turn for one in of_gate if one.severity != "info"}
    flagged = (turn for turn in file.turns if turn.index in warned)
    return [(turn, tuple(name.replace("-", "_") for name in RULES if (turn.index, name) in failed)) for turn in flagged]


# -- As JSON ----------------------------------------------------------------------------------------------------------


def diagnostic_fields(finding: Finding) -> Object:
    """A finding, with the names of fields that ruff has."""
    problem, turn = finding.problem, finding.turn
    return {
        **pick(finding, "filename code=rule.code name=problem.rule severity=problem.severity message=problem.message"),
        **_place_fields(problem.region),
        **pick(finding, "url=rule.url"),
        "fix": _fix_fields(problem.edit) if problem.edit else None,
        "turn": turn and pick(turn, "index line round speaker"),
        **pick(problem, "evidence? hint? detail?"),
    }


def _place_fields(region: Region) -> Object:
    return {
        "location": {"row": region.line, "column": region.column},
        "end_location": {"row": region.end_line, "column": region.end_column},
    }


def _fix_fields(edit: Edit) -> Object:
    edits = [{"content": edit.text, **_place_fields(edit.region)}]
    return {"applicability": "safe", "message": edit.title, "edits": edits}
