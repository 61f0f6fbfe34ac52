"""Verdicts on the disk: what is due to each session log and to its calibration log, and writing that down.

The log's line is written first, then the note: a run that is cut short between them heals on the next one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from mdtally import files
from mdtally.document import parse
from mdtally.files import Refusal
from mdtally.log import LogRecord, from_line
from mdtally.model import Document, Problem
from mdtally.records import record, replace
from mdtally.reports import File, FileError
from mdtally.session import (
    Judgement,
    Place,
    Plan,
    VerdictReport,
    claim,
    doubled,
    plan,
    read_stored,
    said,
)
from mdtally.source import UnreadableError, encode

# Most lines of a log's end stood there when it was read for the note before.
_record_of = lru_cache(2048)(from_line)


@record
class Change:
    """A file that a verdict would change.

    Attributes:
        path: the file.
        before, after: its text, or a part of it.
        above: how many lines stand above that part.
    """

    path: Path
    before: str
    after: str
    above: int = 0


class Verdicts:
    """One run over session logs.

    Attributes:
        changes: what was found due and not written, as ``--diff`` shows it.
        errors: what the disk refused.
    """

    def __init__(self, now: Callable[[], str], *, write: bool) -> None:
        self.changes: list[Change] = []
        self.errors: list[FileError] = []
        self._now, self._write = now, write
        # The names of a log's sessions: of one that was seen whole, they stay known however much this run adds.
        self._names: dict[Path, set[str] | None] = {}

    def reports(self, judged: Sequence[tuple[File, Judgement]]) -> list[VerdictReport]:
        """What is said of each file; what is due is written, or kept in ``changes``."""
        notes = [(_Note(file), judgement) for file, judgement in judged]
        doubles = _doubles([note for note, _ in notes])
        return [self._report(note, judgement, doubles.get(note.file.path)) for note, judgement in notes]

    def _report(self, note: _Note, judgement: Judgement, double: Problem | None) -> VerdictReport:
        file = note.file
        report = said(file.document, judgement, str(file.path), asked=self._write and file.is_named)
        if not report.is_due:
            return report
        if file.is_piped and (self._write or str(file.path) == "-"):
            return replace(report, written="standard input is no file, and no session of the log: nothing written")
        due = self._plan(note, judgement)
        if isinstance(due, Refusal):
            self._refused(f"{file.path}: log = {file.settings.log}", f"{due.reason}; nothing was written")
            return replace(report, written="the calibration log can't be used: nothing written")
        due = double or due
        if isinstance(due, Problem):
            return replace(report, verdict=None, problems=(*report.problems, due))
        report = replace(report, id=due.id, session=due.session)
        if not self._write:
            self.changes += _changes(note, due)
            return replace(report, stale=due.reasons)
        if due.source == file.document.source and due.record is None:
            return replace(report, written="up to date: nothing written")
        return self._written(note, report, judgement, due)

    def _written(self, note: _Note, report: VerdictReport, judgement: Judgement, due: Plan) -> VerdictReport:
        """The report, with what was written in words."""
        file, before = note.file, note.file.document.source
        was, outside = encode(before), file.settings.allow_outside
        # A line about a note that can't be written would say what the note does not. One that has changed may have been
        # judged by another process meanwhile, which the log will show.
        is_edited = due.source != before
        refused = files.check_replace(file.path, was=was, allow_outside=outside) if is_edited else None
        if refused is not None and refused != files.CHANGED:
            self._refused(file.path, refused.reason)
            return report
        done = []
        if due.record is not None:
            again = self._appended(note, judgement)
            if isinstance(again, Refusal):
                self._refused(note.log, again.reason)
                return report
            if isinstance(again, Problem):
                return replace(report, verdict=None, problems=(*report.problems, again))
            due = again
            done += [f"one line in {shown(note.log)}"] if due.record else []
        if due.source != before:
            refused = files.write_atomically(file.path, encode(due.source), was=was, allow_outside=outside)
            if refused is None:
                done.insert(0, "its frontmatter")
            else:
                self._refused(file.path, refused.reason)
        words = f"written: {' and '.join(done)}" if done else ""
        return replace(report, appended=due.record is not None, written=words)

    def _refused(self, where: object, reason: str) -> None:
        self.errors.append(FileError(str(where), reason))

    def _appended(self, note: _Note, judgement: Judgement) -> Plan | Problem | Refusal:
        """What is due now that nobody else can write to the log, its line appended if there is one."""
        with files.locked(note.log) as refusal:
            due = refusal or self._plan(note, judgement)
            if isinstance(due, Plan) and due.line is not None:
                refusal = files.append_line(
                    note.log,
                    due.line,
                    follows=lambda line: isinstance(from_line(line), LogRecord),
                    allow_outside=note.file.settings.may_leave("log"),
                )
            return refusal or due

    def _plan(self, note: _Note, judgement: Judgement) -> Plan | Problem | Refusal:
        """What note and log should say; a refusal if the log can't be read, or lies where it may not."""
        log = files.find_log(note.file.path, note.file.settings)
        if isinstance(log, Refusal):
            return log
        size, lines = files.size(log), files.last_lines(log)
        if isinstance(lines, Refusal):
            return lines
        records = tuple(one for line in lines if isinstance(one := _record_of(line), LogRecord))
        is_whole = isinstance(size, Refusal) or size <= files.TAIL_BYTES
        names = self._names.setdefault(log, set() if is_whole else None)
        if names is not None:
            names.update(one.session for one in records)
        place = Place(
            note.source,
            note.file.settings.project,
            note.root.name,
            note.file.settings.frontmatter,
            records,
            not isinstance(size, Refusal),
            names,
            (lambda: records) if is_whole else lambda: _records(log),
            note.other,
        )
        return plan(note.file.document, judgement, place, self._now())


class _Note:
    """A file of the run, and the folder that its calibration log stands under."""

    def __init__(self, file: File) -> None:
        self.file, self.root = file, files.find_project_root(file.path, file.settings.log)

    @property
    def log(self) -> Path:
        """The calibration log."""
        return self.root / Path(self.file.settings.log).expanduser()

    @property
    def source(self) -> str:
        """Where the note stands, as the log names it; a link to the place that it names itself is that place."""
        stored = read_stored(self.file.document.head)
        if stored and stored["source"] and _is_same(self.root / stored["source"], self.file.path):
            return stored["source"]
        return files.relative(self.file.path, self.root)

    def other(self, source: str) -> Document | None:
        """Another note of the log, if it is still there."""
        path = self.root / source
        # What a note says of its place is a path of the project, or none at all.
        is_other = files.is_within(path, self.root) and not _is_same(path, self.file.path)
        data = files.read(path) if is_other else None
        try:
            return parse(data) if isinstance(data, bytes) else None
        except UnreadableError:
            return None


def shown(path: Path) -> str:
    """A path as a person in the working directory would name it."""
    return files.relative(path, Path.cwd())


def _changes(note: _Note, due: Plan) -> Iterator[Change]:
    log, before = note.log, note.file.document.source
    if due.source != before:
        yield Change(note.file.path, before.text, due.source.text)
    if due.line is not None and due.reasons:
        lines = files.read_lines(log)
        yield Change(log, "", f"{due.line}\n", 0 if isinstance(lines, Refusal) else sum(1 for _ in lines))


def _records(log: Path) -> Iterator[LogRecord]:
    lines = files.read_lines(log)
    made = (from_line(line) for line in (() if isinstance(lines, Refusal) else lines))
    return (one for one in made if isinstance(one, LogRecord))


def _doubles(notes: Sequence[_Note]) -> dict[Path, Problem]:
    """By path, the problem of each note of the run that is the same session as another one."""
    first: dict[tuple[Path, tuple[str, str]], _Note] = {}
    found: dict[Path, Problem] = {}
    for one in notes:
        mine = None if str(one.file.path) == "-" else claim(one.file.document)
        if mine is None:
            continue
        other = first.setdefault((one.log, mine), one)
        if other is not one and not _is_same(other.file.path, one.file.path):
            for this, that in ((one, other), (other, one)):
                problem = doubled(this.file.document, this.source, that.file.document, that.source, mine[1])
                found[this.file.path] = problem
    return found


def _is_same(path: Path, other: Path) -> bool:
    """True if two paths lead to one file."""
    return files.attempt(lambda: path.samefile(other)) is True
