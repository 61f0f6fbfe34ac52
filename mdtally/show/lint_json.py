"""``lint --output-format json``: every finding, and layer 2's answer for every agent's turn."""

from __future__ import annotations

from mdtally.check.reports import Report
from mdtally.gate.result import Issue
from mdtally.show.findings import COLUMN_UNIT, diagnostic_fields, findings, flagged_responses
from mdtally.show.json_document import Object, to_json, tool_fields
from mdtally.show.style import Options
from mdtally.text.model import Turn
from mdtally.text.records import pick


def lint_json(report: Report, _: Options) -> str:
    """A run of ``lint`` as JSON."""
    agents = ((file, turn) for file in report.files for turn in file.turns if turn.kind == "agent")
    run = {
        "schema_version": 1,
        "tool": tool_fields(),
        "column_unit": COLUMN_UNIT,
        "diagnostics": [diagnostic_fields(finding) for finding in findings(report)],
        "errors": report.errors,
        "summary": _summary_fields(report),
        "turns": [_turn_fields(file.filename, turn, file.issues.get(turn.index)) for file, turn in agents],
    }
    return to_json(run)


def _summary_fields(report: Report) -> Object:
    return {
        "files": report.total,
        "checked": report.checked_count,
        "skipped": len(report.files) - report.checked_count,
        "unreadable": report.unread_count,
        "turns_checked": report.sum_of("turns_checked"),
        "unsure": {"files": report.unsure_files, "turns": report.unsure_turns},
        "findings": report.findings,
        "suppressed": report.sum_of("suppressed"),
        "baseline": report.sum_of("baselined"),
        "fixed": report.sum_of("fixed"),
        "flagged": sum(len(flagged_responses(file)) for file in report.files),
    }


def _turn_fields(filename: str, turn: Turn, issue: Issue | None) -> Object:
    """An agent's turn; its issue is null where layer 2 is not asked."""
    answer = issue and pick(issue, "answer score decided_by")
    return {"filename": filename, **pick(turn, "line round speaker"), "issue": answer}
