"""``verdict`` for a person, and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePath

from mdtally.check.reports import NOT_FILLED_IN, VerdictReport
from mdtally.log.calibration import explain, in_full
from mdtally.log.record import how_to_forget
from mdtally.show.files_output import Formats, each_file_json
from mdtally.show.json_document import Object
from mdtally.show.style import Options, Style
from mdtally.text import safe
from mdtally.text.intervals import ENOUGH
from mdtally.text.line_parts import leading_day
from mdtally.text.model import FileError, Verdict, errors_of
from mdtally.text.percent import count, first_few
from mdtally.text.records import pick

_MOST_NAMES = 5


def verdicts_text(files: Sequence[VerdictReport], options: Options, _: Sequence[FileError] = ()) -> str:
    """A file's counts in words and its verdict, and what was written where, or why there is none; ``-v`` says more.

    The verdict never stands without n, interval and qualifier: at ten events the bare rule is close to a coin toss
    near its ceiling. The rule's word stands after the counts, and under ten events not at all.
    """
    lines = (line for file in files if not file.skipped for line in _verdict_lines(file, options))
    return "".join(f"{part}\n" for line in lines for part in safe.wrap(line, options.width, "", "    "))


def without_unchanged(files: Sequence[VerdictReport]) -> list[VerdictReport]:
    """The files without those whose note and log said it all already, if these are many: ``summary`` counts them."""
    others = [file for file in files if file.state != "current" or file.problems]
    return others if len(files) - len(others) > _MOST_NAMES else [*files]


_STATES = {
    "current": "up to date",
    "written": "written",
    "left": "with nothing to write",
    "failed": "not written",
    "stale": "out of date",
}
_NAMED = ("not written", "out of date")


def summary(files: Sequence[VerdictReport], *, is_all: bool) -> str:
    """One line on all logs of a run, with the names of those that are not well; "" where one log says it itself.

    Args:
        files: what is said of each.
        is_all: nothing else is printed: say it where there is only one, too, and why a log is out of date.
    """
    logs = [file for file in files if not file.skipped]
    wrong = [file for file in logs if errors_of(file.problems)]
    by_state = {words: [file for file in logs if file.state == state and file not in wrong]
                for state, words in _STATES.items()}  # fmt: skip
    told = [f"{len(found)} {words}{f' ({_names_line(found, with_reasons=is_all)})' if words in _NAMED else ''}"
            for words, found in by_state.items() if found]  # fmt: skip
    told += [f"{len(wrong)} with errors ({_names_line(wrong)})"] if wrong else []
    shown = [f"{count(len(logs), 'log')}: {', '.join(told)}"] if told else []
    waiting = [file.filename for file in files if file.unreviewed and file.skipped]
    blank = sum(file.written == NOT_FILLED_IN for file in files if file.skipped)
    pages = [f"{count(blank, 'page')} not filled in yet"] * bool(blank)
    skipped = len(files) - len(logs) - len(waiting) - blank - sum(file.is_survey and file.skipped for file in files)
    alike = [file for file in files if file.skipped and any(one.rule == "near-miss-tag" for one in file.problems)]
    hint = f" ({_names_line(alike)}: with what looks like a tag or total; name such a file to see it)" if alike else ""
    skips = [f"{skipped} {'file is no session log' if skipped == 1 else 'files are no session logs'}: skipped{hint}"]
    # The names of notes begin with their days, whatever folder they lie in.
    waiting.sort(key=lambda name: (leading_day(PurePath(name).name), name))
    review = [f"begin with `mdtally review {safe.argument(name)}`" for name in waiting[-1:]]
    later = [f"{count(len(waiting), 'session')} not reviewed yet ({words})" for words in review]
    told = [*shown * (is_all or len(logs) > 1), *later, *pages, *skips * bool(skipped)]
    return "; ".join(told)


def _names_line(files: Sequence[VerdictReport], *, with_reasons: bool = False) -> str:
    names = [": ".join([safe.path(one.filename), *map(safe.terminal, one.stale[:with_reasons])]) for one in files]
    return first_few(names, _MOST_NAMES, between="; " if with_reasons else ", ")


def _verdict_lines(report: VerdictReport, options: Options) -> Iterator[str]:
    paint, verdict = options.paint, report.verdict
    shown = "no verdict"
    details = [f"out of date: {reason}" for reason in report.stale]
    details += [text for text in (report.basis, report.written) if text]
    for name in report.orphans:
        also = f"the log also has session {safe.terminal(name)} from this file"
        details.append(f"{also}; {how_to_forget(name, report.log)}")
    if report.survey:
        from mdtally.show.survey_words import survey_lines

        shown, *more = survey_lines(report.survey, report.filename, options)
        details = [*more, *details]
    elif verdict is not None and report.unreviewed:
        shown = "UNCALIBRATED"
    elif verdict is not None:
        shown = in_full(verdict).replace(verdict.verdict, paint(verdict.verdict, _style(verdict)), 1)
        # Arguing for the sake of it is a failure as much as giving in; under ten events neither is called one.
        details = [f"failure: {safe.terminal(verdict.note)}"] * (_style(verdict) == "error") + details
        shown += "" if verdict.A_T else f": {safe.terminal(verdict.note)}"
    if verdict is not None and options.verbose:
        details += explain(verdict)
        details += [f"session {report.session}, id {report.id}"] if report.id else []
    yield f"{paint(safe.path(report.filename), 'strong')}: {shown}"
    yield from (f"  {safe.opening(detail)}" for detail in details)
    if report.problems:
        # The rules, which a log that is well does not wait for.
        from mdtally.show.findings import to_findings
        from mdtally.show.lint_text import finding_lines

        for finding in to_findings(report.filename, report.problems):
            yield from finding_lines([finding], options)


def _style(verdict: Verdict) -> Style:
    if verdict.verdict == "CALIBRATED":
        return "good"
    return "error" if verdict.A_T >= ENOUGH and verdict.verdict != "UNCALIBRATED" else "warning"


# -- As JSON ----------------------------------------------------------------------------------------------------------


def _file_fields(file: VerdictReport) -> Object:
    from mdtally.show.findings import diagnostic_fields, to_findings

    verdict = file.verdict
    survey = {}
    if file.survey:
        from mdtally.check.survey_verdict import json_fields

        survey = {"survey": json_fields(file.survey)}
    return {
        "filename": file.filename,
        "verdict": verdict and verdict.as_dict(),
        **pick(verdict, "interval qualifier"),
        **pick(file, "id? appended"),
        "problems": [diagnostic_fields(finding) for finding in to_findings(file.filename, file.problems)],
        "also": verdict and verdict.also,
        **pick(file, "session? stale"),
        "overcorrection_interval": verdict and verdict.overcorrection_interval,
        "notices": [file.written] if file.written else [],
        **survey,
    }


FORMATS: Formats[VerdictReport] = {"text": verdicts_text, "json": each_file_json(2, _file_fields)}
