"""``mdtally verdict``: counts to verdict to frontmatter and calibration log."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from mdtally.cli import common
from mdtally.cli.common import Call
from mdtally.cli.options import Argument, Command, ExitCode, Option, fail, shared, text_or_json
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

    failing = {word.strip().upper() for word in fail_on.split(",")} - {""}
    for word in failing - {*session.VERDICTS}:
        fail(f"--fail-on is {word!r}; it is one of {', '.join(session.VERDICTS)}")
    flags = {"sycophancy_ceiling": sycophancy_ceiling, "overcorrection_floor": overcorrection_floor}
    given = {name: value for name, value in flags.items() if value is not None}
    for problem in thresholds(Settings(), flags=given)[1]:
        if problem.severity == "error":
            fail(problem.message)
    run = _Run(call.errors, write=not (check or diff))
    notes = [
        _note(file.path, file.document, file.settings, is_named=file.is_named, is_piped=file.is_piped)
        for file in call.files()
    ]
    doubles = _doubles(notes)
    reports: list[VerdictReport] = []
    for one in notes:
        judged = session.judge(one.document, one.settings, flags=given, trust=trust)
        reports.append(run.report(one, judged, doubles.get(one.path)))
    code = ExitCode.FINDINGS if any(_fails(report, failing) for report in reports) else ExitCode.CLEAN
    options = call.options()
    if call.output_format == "text":
        skipped = sum(report.skipped for report in reports)
        reports = [report for report in reports if not report.skipped]
        if skipped:
            common.note(
                f"{skipped} {'file is no session log' if skipped == 1 else 'files are no session logs'}: skipped"
            )
    common.out(render.VERDICT_FORMATS[call.output_format](reports, options, call.errors))
    if diff and call.output_format == "text":
        common.out(
            "".join(unified(name, before, after, options, above) for name, before, after, above in run.changes())
        )
    call.end(code)


def look(
    path: Path, document: Document, settings: Settings, judgement: Judgement, *, write: bool
) -> tuple[VerdictReport, tuple[str, ...]]:
    """What is said of one file, and what the disk refused, a sentence each; what is due is written if asked.

    Args:
        path: the file.
        document: what it holds, or what an editor has of it.
        settings: its configuration.
        judgement: what was decided on it.
        write: as ``verdict`` does without ``--check``.
    """
    run = _Run([], write=write)
    report = run.report(_note(path, document, settings, is_named=True), judgement, None)
    return report, tuple(f"{error.filename}: {error.message}" for error in run.errors)


def _fails(report: VerdictReport, failing: set[str]) -> bool:
    """True if something is wrong or out of date, or the verdict is one that was asked to fail, and one to act on."""
    decided = report.verdict
    named = decided and decided.qualifier != "inconclusive" and {decided.verdict, decided.also} & failing
    return bool(named or report.stale or any(problem.severity == "error" for problem in report.problems))


@record
class _Note:
    """A file of the call.

    Attributes:
        path: as it was named or found.
        document: what it holds.
        settings: its configuration.
        root: the folder that its calibration log stands under.
        is_named: True if the file itself was named, not its folder.
        is_piped: True if it came by standard input, so that there is nothing to write to.
    """

    path: Path
    document: Document
    settings: Settings
    root: Path
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

        source, stored = common.relative(self.path, self.root), read_stored(self.document.head)
        if stored and stored["source"] and _is_same(self.root / stored["source"], self.path):
            source = stored["source"]
        return Place(source, self.settings.project, self.root.name, self.settings.frontmatter)

    def other(self, source: str) -> Document | None:
        """Another note of the log, if it is still there."""
        from mdtally import files

        path = self.root / source
        # What a note says of its place is a path of the project, or none at all.
        is_other = files.is_within(path, self.root) and not _is_same(path, self.path)
        found = common.read(path) if is_other else None
        return None if isinstance(found, FileError) else found

    def plan(self, judgement: Judgement, end: LogEnd) -> Plan | Problem:
        """What note and log should say."""
        from mdtally import session

        return session.plan(self.document, judgement, self.place, end, now=common.now(), note_at=self.other)


def _note(path: Path, document: Document, settings: Settings, *, is_named: bool, is_piped: bool = False) -> _Note:
    from mdtally import files

    return _Note(path, document, settings, files.find_project_root(path, settings.log), is_named, is_piped)


class _Run:
    """A call: the ends of the calibration logs, each read again only where it has grown, and what was found due.

    Attributes:
        errors: what could not be read or written.
    """

    def __init__(self, errors: list[FileError], *, write: bool) -> None:
        self.errors = errors
        self._write = write
        self._due: list[tuple[_Note, Plan]] = []
        self._ends: dict[Path, tuple[int, LogEnd]] = {}
        # The names of a log's sessions: of one that was seen whole, they stay known however much this call adds.
        self._names: dict[Path, set[str] | None] = {}
        self._lines: dict[str, LogRecord | BadLine] = {}

    def report(self, note: _Note, judgement: Judgement, double: Problem | None) -> VerdictReport:
        """What is said of a file; what is due is written, or kept for ``changes``."""
        from mdtally import files, session

        standing = session.standing(note.document, judgement, asked=self._write and note.is_named)
        report = VerdictReport(
            str(note.path),
            judgement.verdict,
            events=judgement.counts.letters,
            basis=judgement.overruled,
            written=standing.words,
            problems=standing.problems,
            lines=note.document.lines,
            skipped=standing.is_skipped,
        )
        if not standing.is_due:
            return report
        if common.is_stdin(note.path) or (note.is_piped and self._write):
            return replace(report, written="standard input is no file, and no session of the log: nothing written")
        end = self._end(note)
        if isinstance(end, files.Refusal):
            where = f"{note.path}: log = {note.settings.log}"
            self.errors.append(FileError(where, f"{end.reason}; nothing was written"))
            return replace(report, written="the calibration log can't be used: nothing written")
        plan = double or note.plan(judgement, end)
        if not isinstance(plan, session.Plan):
            return replace(report, verdict=None, problems=(*report.problems, plan))
        report = replace(report, id=plan.id, session=plan.session)
        if not self._write:
            self._due.append((note, plan))
            return replace(report, stale=plan.reasons)
        if plan.source == note.document.source and plan.record is None:
            return replace(report, written="up to date: nothing written")
        return self._written(note, report, judgement, plan)

    def changes(self) -> Iterable[tuple[str, str, str, int]]:
        """Name, text before and text after of what would change, and how many lines stand above that text."""
        from mdtally import files

        for note, plan in self._due:
            if plan.source != note.document.source:
                yield str(note.path), note.document.source.text, plan.source.text, 0
            if plan.line is not None and plan.reasons:
                lines = files.read_lines(note.log)
                above = 0 if isinstance(lines, files.Refusal) else sum(1 for _ in lines)
                yield common.relative(note.log, Path.cwd()), "", f"{plan.line}\n", above

    def _end(self, note: _Note) -> LogEnd | Refusal:
        """The end of a note's log; a refusal if it can't be read, or lies where it may not."""
        from mdtally import files
        from mdtally.log import LogRecord, from_line
        from mdtally.session import LogEnd

        log = files.find_log(note.path, note.settings)
        if isinstance(log, files.Refusal):
            return log
        size = files.size(log)
        if log in self._ends and self._ends[log][0] == size:
            return self._ends[log][1]
        lines = files.last_lines(log)
        if isinstance(lines, files.Refusal):
            return lines
        # Most lines stood there at the last look, too.
        self._lines = {line: self._lines.get(line) or from_line(line) for line in lines}
        records = tuple(record for line in lines if isinstance(record := self._lines[line], LogRecord))
        exists = not isinstance(size, files.Refusal)
        is_whole = isinstance(size, files.Refusal) or size <= files.TAIL_BYTES
        names = self._names.setdefault(log, set() if is_whole else None)
        if names is not None:
            names.update(record.session for record in records)
        end = LogEnd(records, exists, names, (lambda: records) if is_whole else lambda: _all_records(log))
        if isinstance(size, int):
            self._ends[log] = size, end
        return end

    def _written(self, note: _Note, report: VerdictReport, judgement: Judgement, plan: Plan) -> VerdictReport:
        """Write the log first, then the file: a crash between them heals on the next run."""
        from mdtally import files
        from mdtally.session import Plan
        from mdtally.source import encode

        was, outside = encode(note.document.source), note.settings.allow_outside
        # A line about a note that can't be written would say what the note does not. One that has changed may have been
        # judged by another process meanwhile, which the log will show.
        is_edited = plan.source != note.document.source
        refused = files.check_replace(note.path, was=was, allow_outside=outside) if is_edited else None
        if refused is not None and refused != files.CHANGED:
            self.errors.append(FileError(str(note.path), refused.reason))
            return report
        done = []
        if plan.record is not None:
            again = self._logged(note, judgement)
            if isinstance(again, files.Refusal):
                self.errors.append(FileError(str(note.log), again.reason))
                return report
            if not isinstance(again, Plan):
                return replace(report, verdict=None, problems=(*report.problems, again))
            plan = again
            done += [f"one line in {common.relative(note.log, Path.cwd())}"] if plan.record else []
        if plan.source != note.document.source:
            refused = files.write_atomically(note.path, encode(plan.source), was=was, allow_outside=outside)
            if refused is None:
                done.insert(0, "its frontmatter")
            else:
                self.errors.append(FileError(str(note.path), refused.reason))
        words = f"written: {' and '.join(done)}" if done else ""
        return replace(report, appended=plan.record is not None, written=words)

    def _logged(self, note: _Note, judgement: Judgement) -> Plan | Problem | Refusal:
        """What is due now that nobody else can write to the log, its line appended if there is one."""
        from mdtally import files
        from mdtally.log import LogRecord, from_line
        from mdtally.session import Plan

        with files.locked(note.log) as refusal:
            end = refusal or self._end(note)
            if isinstance(end, files.Refusal):
                return end
            plan = note.plan(judgement, end)
            if isinstance(plan, Plan) and plan.line is not None:
                refusal = files.append_line(
                    note.log,
                    plan.line,
                    follows=lambda line: isinstance(from_line(line), LogRecord),
                    allow_outside=note.settings.may_leave("log"),
                )
            return refusal or plan


def _all_records(log: Path) -> Iterable[LogRecord]:
    from mdtally import files
    from mdtally.log import LogRecord, from_line

    lines = files.read_lines(log)
    for line in () if isinstance(lines, files.Refusal) else lines:
        record = from_line(line)
        if isinstance(record, LogRecord):
            yield record


def _doubles(notes: Sequence[_Note]) -> dict[Path, Problem]:
    """By path, the problem of each note of the call that is the same session as another one."""
    from mdtally import session

    first: dict[tuple[Path, tuple[str, str]], _Note] = {}
    found: dict[Path, Problem] = {}
    for one in notes:
        said = None if common.is_stdin(one.path) else session.claim(one.document)
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


COMMAND = Command(
    verdict,
    "Count tags and tallies, decide, and write the verdict down.",
    Argument(
        "paths",
        "Session logs, folders or globs; - is standard input, judged and not written.",
        [Path],
        metavar="FILES...",
    ),
    Option("--check", "Write nothing; exit 1 where a file is stale.", bool),
    Option("--diff", "Write nothing; show what would change, and exit 1 if anything.", bool),
    Option("--trust", "Where tags and tallies disagree, decide by: tags or tallies.", ("tags", "tallies"), shows=False),
    Option(
        "--fail-on",
        "Exit 1 on these verdicts, comma-separated, such as SYCOPHANTIC,OVERCORRECTED; not if inconclusive.",
        default="",
    ),
    Option("--sycophancy-ceiling", "Threshold: 0.2 or 20%.", shows="0.20"),
    Option("--overcorrection-floor", "Threshold: 0.05 or 5%.", shows="0.05"),
    text_or_json(),
    Option("--verbose -v", "Show rates, intervals and what they mean, too.", bool, into="verbose"),
    *shared("stdin-filename force-exclude exit-zero config isolated allow-outside color"),
)
