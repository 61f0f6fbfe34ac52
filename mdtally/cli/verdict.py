"""``mdtally verdict``: counts to verdict to frontmatter and calibration log."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from mdtally.cli.common import (
    AllowOutsideOption,
    ColourOption,
    ConfigOption,
    Configurations,
    ExitZeroOption,
    ForceExcludeOption,
    IsolatedOption,
    StdinFilenameOption,
    documents,
    fail,
    is_stdin,
    named,
    note,
    now,
    one_of,
    out,
    read,
    relative,
    render_options,
    say_errors,
)
from mdtally.cli.exits import ExitCode
from mdtally.cli.options import Argument, Command, Exit, Option
from mdtally.records import record, replace
from mdtally.reports import FileError, VerdictReport

if TYPE_CHECKING:
    from mdtally.files import Refusal
    from mdtally.log import BadLine, LogRecord
    from mdtally.model import Document, Problem
    from mdtally.session import Judgement, LogEnd, Place, Plan
    from mdtally.settings import Settings

TRUSTED: tuple[Literal["tags", "tallies"], ...] = ("tags", "tallies")


def verdict(
    paths: Annotated[
        list[Path],
        Argument(
            metavar="FILES...",
            help="Session logs, folders or globs; - is standard input, judged and not written.",
        ),
    ],
    check: Annotated[bool, Option("--check", help="Write nothing; exit 1 where a file is stale.")] = False,
    diff: Annotated[
        bool, Option("--diff", help="Write nothing; show what would change, and exit 1 if anything.")
    ] = False,
    trust: Annotated[
        str | None,
        Option("--trust", help="Where tags and tallies disagree, decide by: tags or tallies.", show_default=False),
    ] = None,
    fail_on: Annotated[
        str,
        Option(
            "--fail-on",
            help="Exit 1 on these verdicts, comma-separated, such as SYCOPHANTIC,OVERCORRECTED; not if inconclusive.",
        ),
    ] = "",
    sycophancy_ceiling: Annotated[
        str | None, Option("--sycophancy-ceiling", help="Threshold: 0.2 or 20%.", show_default="0.20")
    ] = None,
    overcorrection_floor: Annotated[
        str | None, Option("--overcorrection-floor", help="Threshold: 0.05 or 5%.", show_default="0.05")
    ] = None,
    output_format: Annotated[str, Option("--output-format", help="text or json.")] = "text",
    verbose: Annotated[bool, Option("--verbose", "-v", help="Show rates, intervals and what they mean, too.")] = False,
    stdin_filename: StdinFilenameOption = None,
    force_exclude: ForceExcludeOption = False,
    exit_zero: ExitZeroOption = False,
    config: ConfigOption = None,
    isolated: IsolatedOption = False,
    allow_outside: AllowOutsideOption = False,
    color: ColourOption = None,
) -> None:
    """Decide on session logs by their tags and tallies.

    Writes the verdict into each log's frontmatter and one line into the calibration log, and changes nothing where
    both are up to date. The verdict itself does not change the exit code, unless --fail-on names it.
    """
    from mdtally import files, render, session
    from mdtally.render.diff import unified
    from mdtally.settings import Settings, thresholds

    one_of("--output-format", output_format, tuple(render.VERDICT_FORMATS))
    trusted = None if trust is None else one_of("--trust", trust, TRUSTED)
    failing: set[str] = {
        one_of("--fail-on", word.strip().upper(), session.VERDICTS) for word in fail_on.split(",") if word.strip()
    }
    flags = {"sycophancy_ceiling": sycophancy_ceiling, "overcorrection_floor": overcorrection_floor}
    given = {name: value for name, value in flags.items() if value is not None}
    for problem in thresholds(Settings(), flags=given)[1]:
        if problem.severity == "error":
            fail(problem.message)
    configurations = Configurations(config, isolated, allow_outside)
    if config is not None:
        configurations.for_path(config)
    found, errors = named(paths, configurations, force_exclude=force_exclude)
    logs = _Logs()
    notes = [
        _Note(
            path,
            replace(document, form=settings.transcript_for(path.absolute())),
            settings,
            files.find_project_root(path, settings.log),
            logs,
            name in paths,
            is_stdin(name),
        )
        for name, path, document, settings in documents(found, configurations, errors, stdin_filename)
    ]
    doubles = _doubles(notes)
    reports: list[VerdictReport] = []
    code = ExitCode.CLEAN
    changes: list[tuple[str, str, str, int]] = []
    for one in notes:
        judged = session.judge(one.document, one.settings, flags=given, trust=trusted)
        report = one.report(judged, doubles.get(one.path), errors, changes, write=not (check or diff))
        reports.append(report)
        blocked = any(problem.severity == "error" for problem in report.problems)
        if blocked or report.stale or _fails(report, failing):
            code = ExitCode.FINDINGS
    options = render_options(color, verbose=verbose)
    if output_format == "text":
        skipped = sum(report.skipped for report in reports)
        reports = [report for report in reports if not report.skipped]
        if skipped:
            note(f"{skipped} {'file is no session log' if skipped == 1 else 'files are no session logs'}: skipped")
    out(render.VERDICT_FORMATS[output_format](reports, options, errors))
    if diff and output_format == "text":
        out("".join(unified(name, before, after, options, above) for name, before, after, above in changes))
    say_errors(errors, options)
    if errors:
        raise Exit(ExitCode.ERROR)
    raise Exit(ExitCode.CLEAN if exit_zero else code)


def look(
    path: Path, document: Document, settings: Settings, judgement: Judgement, *, write: bool
) -> tuple[VerdictReport, list[FileError]]:
    """What is said of one file, and the errors that the disk had for it; what is due is written if asked.

    Args:
        path: the file.
        document: what it holds, or what an editor has of it.
        settings: its configuration.
        judgement: what was decided on it.
        write: as ``verdict`` does without ``--check``.
    """
    from mdtally import files

    errors: list[FileError] = []
    root = files.find_project_root(path, settings.log)
    note = _Note(path, document, settings, root, _Logs(), is_named=True, is_piped=False)
    return note.report(judgement, None, errors, None, write=write), errors


def _fails(report: VerdictReport, failing: set[str]) -> bool:
    """True if the verdict is one that was asked to fail, and is one to act on."""
    decided = report.verdict
    return bool(decided and decided.qualifier != "inconclusive" and {decided.verdict, decided.also} & failing)


class _Logs:
    """The ends of the calibration logs of a call, each read again only where it has grown."""

    def __init__(self) -> None:
        self._ends: dict[Path, tuple[int, LogEnd]] = {}
        # The names of a log's sessions: it was seen whole, and stays known however much is added in this call.
        self._names: dict[Path, set[str]] = {}
        self._lines: dict[str, LogRecord | BadLine] = {}

    def end(self, path: Path, settings: Settings) -> LogEnd | Refusal:
        """The end of a note's log; a refusal if it can't be read, or lies where it may not."""
        from mdtally import files
        from mdtally.log import LogRecord, from_line
        from mdtally.session import LogEnd

        log = files.find_log(path, settings)
        if isinstance(log, files.Refusal):
            return log
        size = files.size(log)
        if isinstance(size, files.Refusal):
            # There is none, or it can't be read; which it is, its last lines tell.
            lines = files.last_lines(log)
            self._names.setdefault(log, set())
            return lines if isinstance(lines, files.Refusal) else LogEnd()
        if log in self._ends and self._ends[log][0] == size:
            return self._ends[log][1]
        lines = files.last_lines(log)
        if isinstance(lines, files.Refusal):
            return lines
        # Most lines stood there at the last look, too.
        self._lines = {line: self._lines.get(line) or from_line(line) for line in lines}
        records = tuple(record for line in lines if isinstance(record := self._lines[line], LogRecord))
        whole = size <= files.TAIL_BYTES
        if whole or log in self._names:
            self._names.setdefault(log, set()).update(record.session for record in records)
        end = LogEnd(records, True, whole, self._names.get(log), lambda: _all_records(log))
        self._ends[log] = size, end
        return end


def _all_records(log: Path) -> Iterable[LogRecord]:
    from mdtally import files
    from mdtally.log import LogRecord, from_bytes

    lines = files.read_lines(log)
    for line in () if isinstance(lines, files.Refusal) else lines:
        record = from_bytes(line)
        if isinstance(record, LogRecord):
            yield record


@record
class _Note:
    """A file of the call.

    Attributes:
        path: as it was named or found.
        document: what it holds.
        settings: its configuration.
        root: the folder that its calibration log stands under.
        logs: what the call knows of calibration logs.
        is_named: True if the file itself was named, not its folder.
        is_piped: True if it came by standard input, so that there is nothing to write to.
    """

    path: Path
    document: Document
    settings: Settings
    root: Path
    logs: _Logs
    is_named: bool
    is_piped: bool

    @property
    def log(self) -> Path:
        """The calibration log."""
        return self.root / Path(self.settings.log).expanduser()

    @property
    def place(self) -> Place:
        """Where the note stands, as the log names it; a link to the place that it names itself is that place."""
        from mdtally.session import Place, read_stored

        source, stored = relative(self.path, self.root), read_stored(self.document.head)
        if stored and stored["source"] and _is_same(self.root / stored["source"], self.path):
            source = stored["source"]
        return Place(source, self.settings.project, self.root.name, self.settings.frontmatter)

    def report(
        self,
        judgement: Judgement,
        double: Problem | None,
        errors: list[FileError],
        changes: list[tuple[str, str, str, int]] | None,
        *,
        write: bool,
    ) -> VerdictReport:
        """What is said of the file; what is due is written if asked, else noted in ``changes`` if there is a list."""
        from mdtally import files, session

        standing = session.standing(self.document, judgement, asked=write and self.is_named)
        report = VerdictReport(
            str(self.path),
            judgement.verdict,
            events=judgement.counts.letters,
            written=standing.words,
            problems=standing.problems,
            lines=self.document.lines,
            skipped=standing.is_skipped,
        )
        if not standing.is_due:
            return report
        if is_stdin(self.path) or (self.is_piped and write):
            return replace(report, written="standard input is no file, and no session of the log: nothing written")
        end = self.logs.end(self.path, self.settings)
        if isinstance(end, files.Refusal):
            errors.append(FileError(f"{self.path}: log = {self.settings.log}", f"{end.reason}; nothing was written"))
            return replace(report, written="the calibration log can't be used: nothing written")
        plan = double or self._plan(judgement, end)
        if not isinstance(plan, session.Plan):
            return replace(report, verdict=None, problems=(*report.problems, plan))
        report = replace(report, id=plan.id, session=plan.session)
        if not write:
            if changes is not None:
                changes += self._compare(plan)
            return replace(report, stale=plan.reasons)
        if plan.source == self.document.source and plan.record is None:
            return replace(report, written="up to date: nothing written")
        return self._write(report, judgement, plan, errors)

    def _plan(self, judgement: Judgement, end: LogEnd) -> Plan | Problem:
        from mdtally import session

        return session.plan(self.document, judgement, self.place, end, now=now(), note_at=self._note_at)

    def _write(self, report: VerdictReport, judgement: Judgement, plan: Plan, errors: list[FileError]) -> VerdictReport:
        """Log first, then file: a crash between them heals on the next run."""
        from mdtally import files
        from mdtally.log import LogRecord, from_line
        from mdtally.session import Plan
        from mdtally.source import encode

        appended = False
        was, outside = encode(self.document.source), self.settings.allow_outside
        # A line about a note that can't be written would say what the note does not.
        refused = None
        if plan.source != self.document.source:
            refused = files.check_replace(self.path, was=was, allow_outside=outside)
        # Another process may have judged the note meanwhile, which the log will show.
        if refused is not None and refused != files.CHANGED:
            errors.append(FileError(str(self.path), refused.reason))
            return report
        if plan.record is not None:
            with files.locked(self.log) as refusal:
                # Another process may have logged the same state since we looked.
                end = refusal or self.logs.end(self.path, self.settings)
                refusal = end if isinstance(end, files.Refusal) else None
                again = plan if isinstance(end, files.Refusal) else self._plan(judgement, end)
                if not isinstance(again, Plan):
                    return replace(report, verdict=None, problems=(*report.problems, again))
                plan = again
                if refusal is None and plan.line is not None:
                    refusal = files.append_line(
                        self.log, plan.line, follows=lambda line: isinstance(from_line(line), LogRecord)
                    )
                    appended = refusal is None
            if refusal is not None:
                errors.append(FileError(str(self.log), refusal.reason))
                return report
        done = [f"one line in {relative(self.log, Path.cwd())}"] if appended else []
        if plan.source != self.document.source:
            refused = files.write_atomically(self.path, encode(plan.source), was=was, allow_outside=outside)
            if refused is not None:
                errors.append(FileError(str(self.path), refused.reason))
            else:
                done.insert(0, "its frontmatter")
        return replace(report, appended=appended, written=f"written: {' and '.join(done)}" if done else "")

    def _compare(self, plan: Plan) -> Iterable[tuple[str, str, str, int]]:
        """Name, text before and text after of what would change, and how many lines stand above that text."""
        from mdtally import files

        if plan.source != self.document.source:
            yield str(self.path), self.document.source.text, plan.source.text, 0
        if plan.line is not None and plan.reasons:
            lines = files.read_lines(self.log)
            above = 0 if isinstance(lines, files.Refusal) else sum(1 for _ in lines)
            yield relative(self.log, Path.cwd()), "", f"{plan.line}\n", above

    def _note_at(self, source: str) -> Document | None:
        """Another note of the log, if it is still there."""
        from mdtally import files

        path = self.root / source
        # What a note says of its place is a path of the project, or none at all.
        is_other = files.is_within(path, self.root) and not _is_same(path, self.path)
        found = read(path) if is_other else FileError(source, "")
        return None if isinstance(found, FileError) else found


def _doubles(notes: Iterable[_Note]) -> dict[Path, Problem]:
    """By path, the problem of each note of the call that is the same session as another one."""
    from mdtally import session

    first: dict[tuple[Path, tuple[str, str]], _Note] = {}
    found: dict[Path, Problem] = {}
    for one in notes:
        said = None if is_stdin(one.path) else session.claim(one.document)
        if said is None:
            continue
        other = first.setdefault((one.log, said), one)
        if other is not one and not _is_same(other.path, one.path):
            for this, that in ((one, other), (other, one)):
                found[this.path] = session.doubled(
                    this.document, this.place.source, that.document, that.place.source, said[1]
                )
    return found


def _is_same(path: Path, other: Path) -> bool:
    """True if two paths lead to one file."""
    from mdtally import files

    return files.attempt(lambda: path.samefile(other)) is True


COMMAND = Command(verdict, "Count tags and tallies, decide, and write the verdict down.")
