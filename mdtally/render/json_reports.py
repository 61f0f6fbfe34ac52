"""JSON of ``lint``, ``turns``, ``events``, ``tag`` and ``verdict``, each described by its schema in docs/schemas."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from mdtally.model import Letter, Turn
from mdtally.render.findings import COLUMN_UNIT, Finding, all_findings, flagged, joined, to_json, tool
from mdtally.render.style import Options
from mdtally.reports import CandidatesReport, EventsReport, FileError, FileReport, Report, TurnsReport, VerdictReport

SCHEMA_VERSION = 1
"""Version of these forms; it grows when a field changes or goes, not when one is added."""

TURNS_VERSION = 2
"""In 2, "reading" stands for "unsure" and "suggestion" for "hints"; "runner_up" and "seen" are new."""

VERDICT_VERSION = 2
"""In 2, "qualifier" goes by every comparison that the verdict rests on, and "also", "session" and "stale" are new."""


def lint(report: Report, options: Options) -> str:
    """A run of the linter as a JSON object."""
    return to_json(
        {
            "schema_version": SCHEMA_VERSION,
            "tool": tool(),
            "column_unit": COLUMN_UNIT,
            "diagnostics": [diagnostic(finding) for finding in all_findings(report)],
            "errors": error_objects(report.errors),
            "summary": {
                "files": len(report.files) + len(report.errors),
                **fields(report, "checked skipped"),
                "unreadable": len(report.errors),
                "turns_checked": report.turns_checked,
                "unsure": {"files": report.unsure_files, "turns": report.unsure_turns},
                "findings": dict(report.findings),
                "suppressed": sum(len(file.suppressed) for file in report.files),
                "flagged": sum(len(flagged(file)) for file in report.files),
            },
            "files": [_linted(file) for file in report.files],
            "turns": [_judged(file, turn) for file in report.files for turn in file.turns if turn.kind == "agent"],
        }
    )


def lint_lines(report: Report, options: Options) -> str:
    """Every diagnostic on a line of its own; files that can't be read are told on stderr and by the exit code."""
    return "".join(to_json(diagnostic(finding), indent=None) for finding in all_findings(report))


def turns(files: Sequence[TurnsReport], options: Options, errors: Sequence[FileError] = ()) -> str:
    """The readings of files; "line" is the line of a turn's label."""
    return files_json(map(_reading, files), errors, TURNS_VERSION)


def events(files: Sequence[EventsReport], options: Options, errors: Sequence[FileError] = ()) -> str:
    """The registers of session logs."""
    return files_json(map(_register, files), errors)


def candidates(files: Sequence[CandidatesReport], options: Options, errors: Sequence[FileError] = ()) -> str:
    """The candidates of session logs, as ``tag --list`` shows them."""
    return files_json(map(_candidates, files), errors)


def verdicts(files: Sequence[VerdictReport], options: Options, errors: Sequence[FileError] = ()) -> str:
    """The verdicts of session logs; "verdict" is null where there is none."""
    return files_json(map(_verdict, files), errors, VERDICT_VERSION)


def diagnostic(finding: Finding) -> dict[str, object]:
    """The JSON form of a finding: ruff's field names, then the turn and what else is known."""
    problem, region = finding.problem, finding.problem.region
    return {
        "filename": finding.filename,
        "code": finding.code or None,
        "name": problem.rule,
        **fields(problem, "severity message"),
        "location": {"row": region.line, "column": region.column},
        "end_location": {"row": region.end_line, "column": region.end_column},
        "url": finding.rule.url if finding.rule else None,
        "fix": None,
        "turn": fields(finding.turn, "index line round speaker"),
        **fields(problem, "evidence? hint? detail?"),
    }


def fields(record: object, names: str) -> Any:
    """Some fields of a record by name; one with a question mark is null where it is empty, and so are those of None."""
    if record is None:
        return None
    split = [(name.rstrip("?"), name[-1] == "?") for name in names.split()]
    return {name: (getattr(record, name) or None) if empty else getattr(record, name) for name, empty in split}


def files_json(files: Iterable[object], errors: Sequence[FileError], version: int = SCHEMA_VERSION) -> str:
    """What is said of several files, and which could not be read."""
    return to_json({"schema_version": version, "files": list(files), "errors": error_objects(errors)})


def error_objects(errors: Sequence[FileError]) -> list[dict[str, object]]:
    """The files that could not be read."""
    return [fields(error, "filename message") for error in errors]


def _linted(file: FileReport) -> dict[str, object]:
    responses = [
        {
            "turn": response.turn.index,
            "speaker": response.turn.speaker,
            "kinds": list(response.kinds),
            "correction": file.corrections.get(response.turn.index),
        }
        for response in flagged(file)
    ]
    facts = fields(file, "filename kind dialect? reading skipped turns_checked")
    return {**facts, "flagged": responses, "notices": list(file.notices)}


def _judged(file: FileReport, turn: Turn) -> dict[str, object]:
    """An agent's turn, with layer 2's answer; null where it is not asked."""
    issue = fields(file.issues.get(turn.index), "answer score decided_by")
    return {"filename": file.filename, **fields(turn, "line round speaker"), "issue": issue}


def _reading(report: TurnsReport) -> dict[str, object]:
    transcript = report.transcript
    found = joined(report.filename, transcript.problems, transcript.turns)
    return {
        "filename": report.filename,
        **fields(transcript, "kind dialect?"),
        "turns": [_turn(turn, report.tags) for turn in transcript.turns],
        **fields(transcript, "declared reading"),
        "runner_up": [_turn(turn, {}) for turn in transcript.runner_up],
        "seen": [{"shape": shape, "count": count} for shape, count in transcript.seen],
        "suggestion": transcript.suggestion or None,
        "problems": [diagnostic(finding) for finding in found],
    }


def _turn(turn: Turn, tags: Mapping[int, tuple[Letter, ...]]) -> dict[str, object]:
    return {
        **fields(turn, "index line end_line round speaker kind words"),
        "tags": list(tags.get(turn.index, ())),
        **fields(turn, "group placeholder role? model? addressee? note?"),
    }


def _register(report: EventsReport) -> dict[str, object]:
    return {
        "filename": report.filename,
        "events": [
            {
                "line": entry.event.region.line,
                "speaker": entry.speaker,
                "event": entry.counter,
                **fields(entry, "reason A_P A_R A_T"),
            }
            for entry in report.register.entries
        ],
        "tallies": [
            {
                "line": checked.tally.region.line,
                "counter": checked.tally.counter,
                "stated": checked.tally.value,
                **fields(checked, "counted agrees"),
            }
            for checked in report.register.tallies
        ],
    }


def _candidates(report: CandidatesReport) -> dict[str, object]:
    return {
        "filename": report.filename,
        **fields(report.found, "reading sure"),
        "candidates": [
            {
                "line": one.run.line,
                "score": round(one.score, 4),
                "cue": one.cue,
                "human_line": one.run.human_line,
                "tagged": "".join(event.letter for event in one.events),
            }
            for one in report.shown
        ],
    }


def _verdict(report: VerdictReport) -> dict[str, object]:
    verdict = report.verdict
    return {
        "filename": report.filename,
        "verdict": verdict and verdict.as_dict(),
        "interval": verdict and verdict.interval,
        "qualifier": verdict and verdict.qualifier,
        "id": report.id or None,
        "appended": report.appended,
        "problems": [diagnostic(finding) for finding in joined(report.filename, report.problems)],
        "also": verdict and verdict.also,
        "session": report.session or None,
        "stale": list(report.stale),
        "overcorrection_interval": verdict and verdict.overcorrection_interval,
        "notices": [report.written] if report.written else [],
    }
