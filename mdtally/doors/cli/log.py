"""``mdtally log``: what is wrong with a calibration log, and a session taken back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from mdtally.doors.cli import common
from mdtally.doors.cli import options as shared
from mdtally.doors.cli.common import Call, ExitCode, fail, note, or_end, out
from mdtally.doors.cli.history import claimed_session, find_logs, read_lines

if TYPE_CHECKING:
    from mdtally.log.series.reading import LineProblem

app = shared.new_app("Look after the calibration log.")

Log = Annotated[Path | None, Argument(metavar="[LOG]", readable=False, help="If not given, the project's own.")]


@app.command()
@shared.with_call("color")
def check(call: Call, path: Log = None, output_format: shared.TextOrJson = "text") -> ExitCode:
    """Name every line of a calibration log with a fault.

    It is cut off, doubled, left by a merge, out of time, takes back what is not there, or is not a record.
    """
    from mdtally.check.survey_verdict import LOG, spoiled_lines
    from mdtally.doors.cli.survey import SPOILED
    from mdtally.log.series.reading import LineProblem
    from mdtally.project import files
    from mdtally.show import log_output

    settings = call.settings(Path.cwd())
    found: list[LineProblem] = []
    for log in find_logs(call, [path] if path else []):
        if log.name == LOG:
            or_end(files.read(log), log)
            why = f"can't be read: {SPOILED}"
            found += (LineProblem(line, "foreign", why, str(log)) for line in spoiled_lines(log))
        else:
            found += read_lines(log, settings, thorough=True).problems
    out("".join(log_output.FORMATS[output_format](found, call.options())))
    if not found:
        note("no line has a fault")
    return ExitCode.FINDINGS if found else ExitCode.CLEAN


@app.command()
@shared.with_call()
def forget(
    call: Call,
    session: Annotated[str, Argument(metavar="SESSION", help="The session's name, as `history` shows it.")],
    path: Log = None,
    reason: Annotated[str, Option(metavar="WORDS", help="Why, for whoever reads the log.")] = "",
) -> None:
    """Take a session out of every statistic.

    A line is added that takes it back; nothing is removed. Judged again, it counts again.
    """
    from mdtally.log.record import LogRecord, is_record, to_line
    from mdtally.log.series.reading import retraction
    from mdtally.project import files

    settings = call.settings(Path.cwd())
    (log, *more) = find_logs(call, [path] if path else [])
    if more:
        fail(f"{path}: {len(more) + 1} logs below it; name one of them")
    with files.lock_file(log) as refusal:
        or_end(refusal, log)
        lines = read_lines(log, settings)
        taken_back = or_end(retraction(lines, session, common.now(), reason), log)
        if taken_back is None:
            note(f"{log}: {session} is taken back already: nothing written")
            return
        outside = settings.may_leave("log") or call.allow_outside
        or_end(files.append_line(log, to_line(taken_back), follows=is_record, allow_outside=outside), log)
    note(f"{log}: {session} is taken back; it counts nowhere any more, until its note is judged again")
    sources = [one.source for one in lines.records if isinstance(one, LogRecord) and one.session == session]
    if sources[-1] and claimed_session(files.find_project_root(log, settings.log), sources[-1]) == session:
        note(f"{sources[-1]} keeps the verdict in its frontmatter; `headless: true` or no counters there keep it out")
