"""``mdtally verdict``: counts to verdict to frontmatter and calibration log."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from mdtally.cli import common
from mdtally.cli.common import Call, note, out
from mdtally.cli.options import Argument, Command, ExitCode, Option, fail, output_format, shared

if TYPE_CHECKING:
    from mdtally.session import VerdictReport


def verdict(
    call: Call,
    check: bool,
    diff: bool,
    trust: Literal["tags", "tallies"] | None,
    fail_on: str,
    sycophancy_ceiling: str | None,
    overcorrection_floor: str | None,
) -> None:
    """Decide on session logs by their tags and tallies.

    Writes the verdict into each log's frontmatter and one line into the calibration log, and changes nothing where
    both are up to date. The verdict itself does not change the exit code, unless --fail-on names it.
    """
    from mdtally import render, session
    from mdtally.render.diff import unified
    from mdtally.settings import Settings, thresholds
    from mdtally.verdicts import Verdicts, shown

    failing = {word.strip().upper() for word in fail_on.split(",")} - {""}
    for word in failing - {*session.VERDICTS}:
        fail(f"--fail-on is {word!r}; it is one of {', '.join(session.VERDICTS)}")
    flags = {"sycophancy_ceiling": sycophancy_ceiling, "overcorrection_floor": overcorrection_floor}
    given = {name: value for name, value in flags.items() if value is not None}
    for problem in thresholds(Settings(), flags=given)[1]:
        if problem.severity == "error":
            fail(problem.message)
    run = Verdicts(common.now, write=not (check or diff))
    # All are read before the first is written: of two that are one session, neither is.
    judged = [(file, session.judge(file.document, file.settings, flags=given, trust=trust)) for file in call.files()]
    reports = run.reports(judged)
    call.errors += run.errors
    code = ExitCode.FINDINGS if any(_fails(report, failing) for report in reports) else ExitCode.CLEAN
    if call.output_format == "text":
        skipped = sum(report.skipped for report in reports)
        reports = [report for report in reports if not report.skipped]
        if skipped:
            note(f"{skipped} {'file is no session log' if skipped == 1 else 'files are no session logs'}: skipped")
    options = call.options()
    out(render.VERDICT_FORMATS[call.output_format](reports, options, call.errors))
    if diff and call.output_format == "text":
        for change in run.changes:
            name = str(change.path) if change.before else shown(change.path)
            out(unified(name, change.before, change.after, options, change.above))
    call.end(code)


def _fails(report: VerdictReport, failing: set[str]) -> bool:
    """True if something is wrong or out of date, or the verdict is one that was asked to fail, and one to act on."""
    decided = report.verdict
    named = decided and decided.qualifier != "inconclusive" and {decided.verdict, decided.also} & failing
    return bool(named or report.stale or any(problem.severity == "error" for problem in report.problems))


COMMAND = Command(
    verdict,
    "Count tags and tallies, decide, and write the verdict down.",
    Argument("paths", "Session logs, folders or globs; - is standard input, judged and not written.", [Path]),
    Option("--check", "Write nothing; exit 1 where a file is stale.", bool),
    Option("--diff", "Write nothing; show what would change, and exit 1 if anything.", bool),
    Option("--trust", "Where tags and tallies disagree, decide by: tags or tallies.", ("tags", "tallies"), shows=False),
    Option("--fail-on", "Exit 1 on these verdicts, comma-separated, unless they are inconclusive.", default=""),
    Option("--sycophancy-ceiling", "Threshold: 0.2 or 20%.", shows="0.20"),
    Option("--overcorrection-floor", "Threshold: 0.05 or 5%.", shows="0.05"),
    output_format("text", "json"),
    Option("-v --verbose", "Show rates, intervals and what they mean, too.", bool),
    *shared("stdin-filename force-exclude exit-zero config isolated allow-outside color"),
)
