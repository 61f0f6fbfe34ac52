"""``mdtally verdict``: counts to verdict to frontmatter and calibration log."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from typer import Option

from mdtally.doors.cli import common
from mdtally.doors.cli import options as shared
from mdtally.doors.cli.common import Call, ExitCode, fail, note, out
from mdtally.text.model import errors_of

if TYPE_CHECKING:
    from mdtally.check.reports import File, VerdictReport
    from mdtally.check.survey_verdict import VerdictMode
    from mdtally.check.verdicts import JudgedFile, Verdicts
    from mdtally.text.model import FileError

Trusted = Literal["tags", "tallies"]
_RATE = "Such as 0.2 or 20%; the default is illustrative."
_FAIL_ON = "Exit 1 on these verdicts, comma-separated, unless they are inconclusive."


@shared.with_call("files", "verbose", "stdin_filename", "force_exclude", "exit_zero", "color", "jobs")
def verdict(
    call: Call,
    check: Annotated[bool, Option("--check", help="Write nothing; exit 1 where a file is stale.")] = False,
    diff: Annotated[bool, Option("--diff", help="Write nothing; show what would change, exit 1 if anything.")] = False,
    trust: Annotated[Trusted | None, Option(help="Where tags and tallies disagree, decide by these.")] = None,
    fail_on: Annotated[str, Option(metavar="VERDICTS", help=_FAIL_ON)] = "",
    sycophancy_ceiling: Annotated[str | None, Option(metavar="RATE", show_default="0.20", help=_RATE)] = None,
    overcorrection_floor: Annotated[str | None, Option(metavar="RATE", show_default="0.05", help=_RATE)] = None,
    output_format: shared.TextOrJson = "text",
    quiet: shared.Quiet = False,
    diff_base: shared.DiffBase = None,
) -> ExitCode:
    """Count tags and tallies, decide, and write the verdict down.

    The verdict goes into each log's frontmatter, and one line into the calibration log; nothing changes where both are
    up to date. The verdict itself does not change the exit code, unless --fail-on names it.
    """
    from functools import partial

    from mdtally.check.verdicts import Verdicts, has_failed, judge
    from mdtally.log.record import VERDICTS
    from mdtally.show.diff import file_diff
    from mdtally.show.verdict_output import FORMATS, summary, without_unchanged
    from mdtally.text import safe
    from mdtally.text.model import FileError
    from mdtally.text.percent import count

    failing = {word.strip().upper() for word in fail_on.split(",")} - {""}
    # Of a session without events there is nothing to act on.
    names = [name for name in VERDICTS if name != "UNCALIBRATED"]
    for word in failing - {*names}:
        fail(f"--fail-on is {word!r}; it is one of {', '.join(names)}: UNCALIBRATED is inconclusive, which never fails")
    flags = _thresholds(sycophancy_ceiling=sycophancy_ceiling, overcorrection_floor=overcorrection_floor)
    run = Verdicts(common.now, write=not (check or diff), judge=partial(judge, flags=flags, trust=trust))
    # All are read before the first is written: of two that are one session, neither is.
    judged = [*call.each(partial(_first_verdict, flags, trust, check or diff), call.named_files(since=diff_base))]
    reports = run.reports((report, rest) for _, (report, rest, _) in judged)
    for place, (meant, (_, _, survey)) in enumerate(judged):
        if survey and meant.is_named:
            mode: VerdictMode = "check" if check or diff else "look" if meant.is_piped else "write"
            if isinstance(told := _survey(run, survey, flags, mode), FileError):
                call.errors.append(told)
            else:
                reports[place] = told
    call.errors += run.errors
    files = [(meant, report) for (meant, _), report in zip(judged, reports, strict=True)]
    if left := [report.filename for meant, report in files if report.is_survey and not meant.is_named]:
        judges = f"`mdtally verdict {safe.argument(left[0])}` judges {'it' if len(left) == 1 else 'one'}"
        note(f"{count(len(left), 'survey')} left alone; {judges}")
    fails = (has_failed(report, failing, file.settings) for file, report in files)
    options = call.options(wraps=False)
    if not (quiet and output_format == "text"):
        listed = reports if call.verbose or failing or output_format != "text" else without_unchanged(reports)
        out(FORMATS[output_format](listed, options, call.errors))
    if output_format == "text" and (words := summary(reports, is_all=quiet)):
        note(words)
    for name, before, after, above in run.changes if diff and output_format == "text" else ():
        out(file_diff(name, before, after, options, above))
    return call.end(has_findings=any(fails))


def _survey(run: Verdicts, file: File, flags: Mapping[str, str], mode: VerdictMode) -> VerdictReport | FileError:
    """What a survey says, or why it says nothing; the other files of the call have their verdicts either way."""
    # What reads transcripts is imported for a survey alone.
    from mdtally.check.survey_verdict import report_survey, survey_log
    from mdtally.doors.cli.survey import tell_spoiled
    from mdtally.events.survey.note import read_survey
    from mdtally.text.model import FileError, Problem, Refusal

    survey = read_survey(file.document)
    if isinstance(survey, Problem):
        return FileError(str(file.path), f"line {survey.region.line}: {survey.message}")
    if isinstance(log := survey_log(file), Path):
        tell_spoiled(log)
    told = report_survey(run, file, survey, flags, common.now(), mode)
    return FileError(str(file.path), told.reason) if isinstance(told, Refusal) else told


def _first_verdict(
    flags: dict[str, str], trust: Trusted | None, is_check: bool, file: File
) -> tuple[VerdictReport, JudgedFile | None, File | None]:
    """The first report of a file, its note if log or other files have a say in it, and the file if it is a survey."""
    from mdtally.check.reports import VerdictReport
    from mdtally.check.verdicts import first_report, judge

    if file.document.is_survey:
        return VerdictReport(str(file.path), skipped=True, is_survey=True), None, file
    return *first_report(file, judge(file, flags, trust), is_check=is_check), None


def _thresholds(**flags: str | None) -> dict[str, str]:
    """The thresholds that options give, as they are written; one that can't be ends the call."""
    from mdtally.project.settings import Settings, thresholds

    # An empty one is a variable of a script that is not set, and no wish for the default.
    stated = {name: value or "?" for name, value in flags.items() if value is not None}
    for problem in errors_of(thresholds(Settings(), flags=stated)[1]):
        fail(problem.message)
    return stated
