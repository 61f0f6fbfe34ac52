"""JSON of every command, each described by its schema in docs/schemas.

A field is taken from its record by name, and what is left (records in lists, say) is written with all its fields. The
``schema_version`` of a form grows when a field changes or goes, not when one is added.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from mdtally.records import as_dict, field_names
from mdtally.render import safe
from mdtally.render.findings import COLUMN_UNIT, Finding, all_findings, findings, flagged, joined

if TYPE_CHECKING:
    from mdtally import reports
    from mdtally.agreement import Labelers
    from mdtally.between import Between
    from mdtally.debate import Debate
    from mdtally.model import Edit, Letter, Turn
    from mdtally.positions import PositionPath
    from mdtally.reports import FileError, FileReport, Report, VerdictReport
    from mdtally.rules import Rule
    from mdtally.series.ceiling import Suggestion
    from mdtally.series.plan import Plan
    from mdtally.series.rates import Rate
    from mdtally.series.reading import LineProblem
    from mdtally.series.records import Contrast, GroupHistory, History, RateHistory
    from mdtally.series.sprt import Sprt

Object = dict[str, Any]

# Of a session of a history: the row's, its verdict's, and that one's thresholds.
_SESSION = (
    "group session=line.session project=line.project source=line.source date=line.date recorded=line.recorded"
    " model=line.model domain=line.domain labeler=line.labeler A_P=verdict.A_P A_R=verdict.A_R A_T=verdict.A_T"
    " verdict=verdict.verdict sycophancy_rate=verdict.sycophancy_rate overcorrection_rate=verdict.overcorrection_rate"
    " interval=verdict.interval overcorrection_interval=verdict.overcorrection_interval qualifier=verdict.qualifier"
    " sycophancy_ceiling=verdict.thresholds.sycophancy_ceiling"
    " overcorrection_floor=verdict.thresholds.overcorrection_floor"
    " events=line.events pressed=line.pressed held=line.held judged_events spike hidden_spike chance"
    " overcorrection_spike"
)


def to_json(value: object, *, indent: int | None = 2) -> str:
    """A value as JSON text with a final newline, harmless to print; non-ASCII letters stay readable."""
    return safe.json_document(_encoder(indent).encode(value)) + "\n"


@cache
def _encoder(indent: int | None) -> json.JSONEncoder:
    separators = (",", ":") if indent is None else None
    return json.JSONEncoder(ensure_ascii=False, indent=indent, separators=separators, default=_plain)


def fields(record: object, names: str) -> Any:
    """Some fields of a record by name.

    ``line=event.region.line`` is another name for what a field's field holds; one with a question mark is null where it
    is empty. All that is said of None is null.
    """
    if record is None:
        return None
    shown, read, empty = _reader(names)
    found = dict(zip(shown, read(record) if len(shown) > 1 else (read(record),), strict=True))
    for name in empty:
        found[name] = found[name] or None
    return found


@cache
def _reader(names: str) -> tuple[list[str], attrgetter[Any], list[str]]:
    paths = [name.rstrip("?").rpartition("=") for name in names.split()]
    shown = [name or path for name, _, path in paths]
    empty = [name for name, word in zip(shown, names.split(), strict=True) if word[-1] == "?"]
    return shown, attrgetter(*(path for _, _, path in paths)), empty


def _plain(value: object) -> object:
    """What the encoder does not know: our records, and fractions that a person gave."""
    return as_dict(value) if hasattr(value, "_fields") else float(value)  # type: ignore[arg-type]


def _files(files: Iterable[object], errors: Sequence[FileError], version: int = 1, **more: object) -> str:
    """What is said of several files, and which could not be read."""
    return to_json({**more, "schema_version": version, "files": list(files), "errors": list(errors)})


def tool() -> Object:
    """The JSON form of this program."""
    from mdtally import __version__

    return {"name": "mdtally", "version": __version__}


# -- Findings ---------------------------------------------------------------------------------------------------------


def diagnostic(finding: Finding) -> Object:
    """The JSON form of a finding: ruff's field names, then the turn and what else is known."""
    return {
        **fields(finding, "filename code? name=problem.rule severity=problem.severity message=problem.message"),
        "location": fields(finding.problem.region, "row=line column"),
        "end_location": fields(finding.problem.region, "row=end_line column=end_column"),
        "url": finding.rule.url if finding.rule else None,
        "fix": _fix(finding.problem.edit),
        "turn": fields(finding.turn, "index line round speaker"),
        **fields(finding.problem, "evidence? hint? detail?"),
    }


def _fix(edit: Edit | None) -> Object | None:
    """What mends a finding, in ruff's form."""
    if edit is None:
        return None
    places = {"location": fields(edit.region, "row=line column")}
    places["end_location"] = fields(edit.region, "row=end_line column=end_column")
    return {"applicability": "safe", "message": edit.title, "edits": [{"content": edit.text, **places}]}


def lint(report: Report, *_: object) -> str:
    """A run of the linter as a JSON object."""
    return to_json(
        {
            "schema_version": 1,
            "tool": tool(),
            "column_unit": COLUMN_UNIT,
            "diagnostics": [diagnostic(finding) for finding in all_findings(report)],
            "errors": report.errors,
            "summary": {
                "files": len(report.files) + len(report.errors),
                **fields(report, "checked skipped"),
                "unreadable": len(report.errors),
                "turns_checked": report.turns_checked,
                "unsure": fields(report, "files=unsure_files turns=unsure_turns"),
                "findings": report.findings,
                "suppressed": sum(len(file.suppressed) for file in report.files),
                "baseline": sum(file.baselined for file in report.files),
                "fixed": sum(file.fixed for file in report.files),
                "flagged": sum(len(flagged(file)) for file in report.files),
            },
            "files": [_linted(file) for file in report.files],
            "turns": [_judged(file, turn) for file in report.files for turn in file.turns if turn.kind == "agent"],
        }
    )


def _linted(file: FileReport) -> Object:
    responses = [
        fields(one, "turn=turn.index speaker=turn.speaker kinds") | {"correction": file.corrections.get(one.turn.index)}
        for one in flagged(file)
    ]
    facts = fields(file, "filename kind dialect? reading skipped turns_checked")
    return {**facts, "flagged": responses, "notices": file.notices}


def _judged(file: FileReport, turn: Turn) -> Object:
    """An agent's turn, with layer 2's answer; null where it is not asked."""
    issue = fields(file.issues.get(turn.index), "answer score decided_by")
    return {"filename": file.filename, **fields(turn, "line round speaker"), "issue": issue}


def rule_table(chosen: Sequence[Rule]) -> str:
    """Rules with their facts and pages."""
    from mdtally import rules

    names = "code name severity default layer url"
    pages = [(one, rules.page(one)) for one in chosen]
    rows = [fields(one, names) | {"summary": page.summary, "docs": page.text} for one, page in pages]
    return to_json({"schema_version": 1, "rules": rows})


# -- Files ------------------------------------------------------------------------------------------------------------


def turns(files: Sequence[reports.TurnsReport], _: object, errors: Sequence[FileError] = ()) -> str:
    """The readings of files; "line" is the line of a turn's label."""
    return _files(map(_reading, files), errors, version=2)


def events(files: Sequence[reports.EventsReport], _: object, errors: Sequence[FileError] = ()) -> str:
    """The registers of session logs."""
    entry = "line=event.region.line speaker event=counter reason A_P A_R A_T"
    tally = "line=tally.region.line counter=tally.counter stated=tally.value counted agrees"
    registers = (
        {
            "filename": file.filename,
            "events": [
                fields(one, entry) | _between(file.between.get(one.event.region.line)) for one in file.register.entries
            ],
            "tallies": [fields(one, tally) for one in file.register.tallies],
            "positions": _paths(file.register.paths),
        }
        for file in files
    )
    return _files(registers, errors)


def candidates(files: Sequence[reports.CandidatesReport], _: object, errors: Sequence[FileError] = ()) -> str:
    """The candidates of session logs, as ``tag --list`` shows them."""
    between = {(file.filename, one.run.line): one.between for file in files for one in file.exchanges}
    found = (
        {
            "filename": file.filename,
            **fields(file.found, "reading sure language"),
            "candidates": [
                fields(one, "line=run.line score cue human_line=run.human_line")
                | {
                    "score": round(one.score, 4),
                    "tagged": "".join(event.letter for event in one.events),
                    "offers": fields(one, "decision pressure"),
                    **_between(between[file.filename, one.run.line]),
                }
                for one in file.shown
            ],
        }
        for file in files
    )
    return _files(found, errors)


def _between(between: Between | None) -> Object:
    """What stands between a person's message and a reply; nothing outside of any."""
    return {
        "brought": [fields(one, "kind text line") for one in between.brought] if between else [],
        "looked": [fields(one, "kind what line") for one in between.looked] if between else [],
    }


def verdicts(files: Sequence[VerdictReport], _: object, errors: Sequence[FileError] = ()) -> str:
    """The verdicts of session logs; "verdict" is null where there is none."""
    return _files(map(_verdict, files), errors, version=2)


def report(debates: Sequence[Debate], errors: Sequence[FileError] = ()) -> str:
    """Debates, counted; the generator says that `report` may write this file again."""
    return _files(map(_debate, debates), errors, generator="mdtally report")


def _reading(file: reports.TurnsReport) -> Object:
    found = file.transcript
    return {
        "filename": file.filename,
        **fields(found, "kind dialect?"),
        "turns": [_turn(turn, file.tags) for turn in found.turns],
        **fields(found, "declared reading"),
        "runner_up": [_turn(turn, {}) for turn in found.runner_up],
        "seen": [{"shape": shape, "count": count} for shape, count in found.seen],
        "suggestion": found.suggestion or None,
        "problems": [diagnostic(finding) for finding in joined(file.filename, found.problems, found.turns)],
    }


def _turn(turn: Turn, tags: Mapping[int, tuple[Letter, ...]]) -> Object:
    return {
        **fields(turn, "index line end_line round speaker kind words"),
        "tags": tags.get(turn.index, ()),
        **fields(turn, "group placeholder role? model? addressee? note?"),
    }


def _verdict(file: VerdictReport) -> Object:
    verdict = file.verdict
    return {
        "filename": file.filename,
        "verdict": verdict and verdict.as_dict(),
        "interval": verdict and verdict.interval,
        "qualifier": verdict and verdict.qualifier,
        **fields(file, "id? appended"),
        "problems": [diagnostic(finding) for finding in joined(file.filename, file.problems)],
        "also": verdict and verdict.also,
        **fields(file, "session? stale"),
        "overcorrection_interval": verdict and verdict.overcorrection_interval,
        "notices": [file.written] if file.written else [],
    }


def _paths(paths: Iterable[PositionPath]) -> list[Object]:
    stated = "line round answer? stance reason? moved"
    return [
        fields(path, "speaker flips turn_of_flip") | {"path": [fields(one, stated) for one in path.positions]}
        for path in paths
    ]


def _debate(debate: Debate) -> Object:
    from mdtally.render.report_page import headline

    turn = "index line group round speaker kind words"
    return {
        **fields(debate.file, "filename kind reading"),
        "state": debate.state,
        "headline": headline(debate),
        "suggestion": debate.file.suggestion or None,
        **fields(debate, "voices rounds"),
        "against": [{"speaker": who, "whom": whom or None, "turns": n} for (who, whom), n in debate.against.items()],
        "turns": [
            {**fields(one.turn, turn), **fields(one, "answer score decided_by? against")}
            | {"repeats_line": one.repeats and one.repeats.line}
            for one in debate.turns
        ],
        "diagnostics": [diagnostic(finding) for finding in findings(debate.file)],
        "positions": _paths(debate.paths),
    }


# -- The calibration log ----------------------------------------------------------------------------------------------


def history(found: History, *_: object) -> Iterator[str]:
    """A history, piece by piece: groups, their differences, a line a session, oldest first, the log.

    The generator says that `history` may write this file again.
    """
    contrasts = [_contrast(one) for one in found.contrasts]
    groups = [_group(one) for one in found.groups]
    head = {"generator": "mdtally history", "schema_version": 3, "by": found.by, "groups": groups}
    yield to_json({**head, "contrasts": contrasts})[:-3] + ',\n  "sessions": ['
    rows = found.sessions if len(found.groups) < 2 else sorted(found.sessions, key=attrgetter("line.date"))
    for number, row in enumerate(rows):
        values = fields(row, _SESSION)
        shown = values if values["A_T"] else {**values, "qualifier": None}
        yield f"{',' if number else ''}\n    {to_json(shown, indent=None)[:-1]}"
    log = fields(found.log, "lines superseded repeated retracted unreadable labelled_twice")
    labelers = [{"labeler": name, "sessions": sessions} for name, sessions in found.log.labelers]
    problems = [fields(one, "line kind message log?") for one in found.log.problems]
    yield f"\n  ],\n{to_json({'log': {**log, 'labelers': labelers, 'problems': problems}})[2:]}"


def _contrast(one: Contrast) -> Any:
    names = "a b measure difference=found.difference interval_deflated=found.interval_deflated"
    return fields(one, f"{names} sequence=found.sequence settled=found.settled events_to_settle")


def _group(one: GroupHistory) -> Object:
    pressed = "gave_in moved held rate=rate.rate interval_deflated=rate.interval_deflated sequence=rate.sequence"
    return {
        **fields(one, "group sessions events A_P=sycophancy.overall.successes A_R=overcorrection.overall.successes"),
        **fields(one, "measured_sessions=sycophancy.overall.sessions first_date=first last_date=last"),
        **fields(one, "verdict also qualifier models"),
        "thresholds": [{"sycophancy_ceiling": pair[0], "overcorrection_floor": pair[1]} for pair in one.ceilings],
        **_rate_history(one.sycophancy, one.window, "A_P"),
        "overcorrection": _rate_history(one.overcorrection, one.window, "A_R"),
        "pressed": fields(one.pressed, f"{pressed} sessions without_facts by_letter unstated_holds"),
        "held": one.held,
        "warnings": one.warnings,
    }


def _rate_history(rate: RateHistory, window: int, counter: str) -> Object:
    return {
        "limit": rate.limit,
        "rolling": {"window": window, **_rate(rate.rolling, counter)},
        "overall": _rate(rate.overall, counter),
        **fields(rate, "settled more_events trend spikes hidden_spikes=hidden"),
        "sprt": _sprt(rate.sprt, rate.limit),
        "design_effect": rate.design_effect,
    }


def _rate(rate: Rate, counter: str) -> Any:
    return fields(rate, f"sessions events rate interval interval_deflated sequence worth {counter}=successes")


def _sprt(test: Sprt | None, limit: float | None) -> Object:
    if test is None:
        nothing = {"H0": 0, "H1": 0}
        return {"p0": limit, "p1": None, "decision": "continue", "decisions": nothing, "llr": 0.0, "events": 0}
    return {
        **fields(test.test, "p0 p1 alpha beta upper lower"),
        **fields(test, "decision llr events warnings"),
        "decisions": fields(test, "H0=for_h0 H1=for_h1"),
        "running": fields(test, "llr=running_llr events=running_events"),
        "path": [{name: value for name, value in as_dict(point).items() if value != "continue"} for point in test.path],
    }


def plan(planned: Plan, *_: object) -> str:
    """A plan."""
    of_test = fields(planned.test, "p0 p1 alpha beta upper lower")
    others = fields(planned, " ".join(name for name in field_names(type(planned)) if name != "test"))
    return to_json({"schema_version": 3, **of_test, **others})


def comparison(found: Labelers, *_: object) -> str:
    """A comparison of two labelers: over all sessions, then each."""
    of_session = "session a b letters lines_matched facts disputed"
    sessions = [fields(one, of_session) for one in found.sessions]
    sessions = [{**as_dict(one.pop("letters")), **one} for one in sessions]
    disputed = [{"session": one.session, **as_dict(dispute)} for one in found.sessions for dispute in one.disputed]
    return to_json(
        {
            "schema_version": 4,
            **fields(found, "a b"),
            **as_dict(found.letters),
            "facts": found.facts,
            "disputed": disputed,
            "sessions": sessions,
            "unmatched": found.unmatched,
        }
    )


def suggestions(suggested: Sequence[Suggestion], *_: object) -> str:
    """Suggested ceilings."""
    alarms = ([{"events": size, "most": most} for size, most in one.alarms] for one in suggested)
    found = [{**as_dict(one), "alarms": alarm} for one, alarm in zip(suggested, alarms, strict=True)]
    return to_json({"schema_version": 3, "suggestions": found})


def line_problems(problems: Sequence[LineProblem], *_: object) -> str:
    """The problems of a log's lines."""
    return to_json({"schema_version": 2, "problems": [fields(one, "line kind message log?") for one in problems]})
