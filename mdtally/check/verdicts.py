"""Verdicts on the disk: what is due to each session log and to its calibration log, and writing that down.

The log's line is written first, then the note: a run that is cut short between them heals on the next one.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from functools import lru_cache
from pathlib import Path
from typing import Literal

from mdtally import session
from mdtally.check.reports import NOT_FILLED_IN, File, VerdictReport
from mdtally.log.record import LogRecord, Retraction, from_line, is_record, moment
from mdtally.project import files
from mdtally.project.settings import Settings
from mdtally.session import Judgement
from mdtally.session import counts as counting
from mdtally.session.planning import Due, Place, plan
from mdtally.text import safe
from mdtally.text.document import Document, parse
from mdtally.text.line_parts import original_name
from mdtally.text.model import Counts, FileError, Problem, Refusal, Source, errors_of
from mdtally.text.records import pick, replace
from mdtally.text.source import encode

Change = tuple[str, str, str, int]
"""What would change in a file: its name, its text or a part of it before and after, how many lines stand above that."""

# Most lines of a log's end stood there when it was read for the note before.
_record_of = lru_cache(2048)(from_line)


def judge(file: File, flags: Mapping[str, str] | None = None, trust: counting.Trust | None = None) -> Judgement:
    """What a file says as a session log; its turns are read only if a fence is in doubt and the voices are declared."""
    return session.judge(file.document, file.settings, flags=flags, trust=trust, labels=_label_lines)


def _label_lines(document: Document) -> Sequence[int]:
    from mdtally import transcript

    return transcript.label_lines(document)


def session_of(file: File) -> str:
    """What a file's session is known by: the name that it was given, which outlives that of the project's folder, else
    the project and the name that its verdict has or would give it: "notes/2026-01-05-talk".
    """
    if given := session.given_name(file.document):
        return given
    root = files.find_project_root(file.path, file.settings.log)
    return f"{file.settings.project or root.name}/{session.session_name(file.document, _source(file.path, root))}"


def _source(path: Path, root: Path) -> str:
    """Where a note stands, as the log names it; a link within the project is the note that it leads to."""
    real, base = Path(os.path.realpath(path)), Path(os.path.realpath(root))
    return real.relative_to(base).as_posix() if real.is_relative_to(base) else files.relative(path, root)


class Verdicts:
    """One run over session logs.

    Attributes:
        changes: what was found due and not written, as ``--diff`` shows it.
        errors: what the disk refused.
    """

    def __init__(self, now: Callable[[], str], *, write: bool, judge: Callable[[File], Judgement] = judge) -> None:
        self.changes: list[Change] = []
        self.errors: list[FileError] = []
        self._now, self._write, self._judge = now, write, judge
        # The names of a log's sessions: of one that was seen whole, they stay known however much this run adds.
        self._names: dict[Path, set[str] | None] = {}
        self._claims: dict[tuple[Path, str], list[JudgedFile]] = {}

    def reports(self, firsts: Iterable[tuple[VerdictReport, JudgedFile | None]]) -> list[VerdictReport]:
        """What is said of each file, given its ``first_report``; what is due is written, or kept in ``changes``."""
        notes = list(firsts)
        for _, note in notes:
            if note and note.judgement.name and str(note.file.path) != "-":
                self._claims.setdefault((note.log, note.judgement.name), []).append(note)
        return [self._write_report(report, note) if note else report for report, note in notes]

    def _write_report(self, report: VerdictReport, note: JudgedFile) -> VerdictReport:
        """What is said of a file after what is due was written or, if nothing may be, kept in ``changes``."""
        file = note.file
        if _is_final(report, note.judgement):
            return report
        if file.is_piped and (self._write or str(file.path) == "-"):
            piped = "standard input is no file, and no session of the log: nothing written"
            return report if _counts_nothing(report) else replace(report, written=piped)
        due = self._plan(note)
        if isinstance(due, Due):
            report = replace(report, skipped=False, unreviewed=False)
        if self._write and isinstance(due, Due) and (due.line or due.source != file.document.source):
            # What was changed meanwhile may have been judged by another process, as the log will show.
            if (refusal := _check_edit(file, due.source)) and refusal != files.CHANGED:
                self.errors.append(FileError(str(file.path), refusal.reason))
                return report
            # Nobody else may write to the log between the look at it and the new line.
            with files.lock_file(note.log) if due.line else nullcontext() as refusal:
                due = refusal or self._plan(note)
                if isinstance(due, Due):
                    return self._write_down(note, report, due)
        if isinstance(due, Refusal):
            self.errors.append(FileError(f"{file.path}: log = {file.settings.log}", due.reason))
            return replace(report, state="failed", written="the calibration log can't be used: nothing written")
        if isinstance(due, Problem):
            return replace(report, verdict=None, problems=(*report.problems, due))
        if due is None:
            return report
        report = _with_session(report, note, due)
        if self._write:
            return replace(report, state="current", written="up to date: nothing written")
        self.changes += changes_of(file, due.source, note.log, due.line if due.reasons else "")
        # A day that a name gives is said once, with the verdict; one by the clock can still be given by the person.
        is_by_clock = due.dated and not session.dated_by_name(file.document, note.source)
        report = replace(report, written=f"will be {due.dated}" if is_by_clock else "")
        return replace(report, state="stale" if due.reasons else "current", stale=due.reasons)

    def _write_down(self, note: JudgedFile, report: VerdictReport, due: Due) -> VerdictReport:
        """The report, with what was written in words."""
        done, refusal, where = write_down(note.file, due, note.log, follows=is_record)
        if refusal:
            self.errors.append(FileError(str(where), refusal.reason))
        words = f"{'written' if due.id else f'{due.reasons[0]}, taken back'}: {' and '.join(done)}" if done else ""
        report = replace(_with_session(report, note, due), written=words)
        if due.source != note.file.document.source and not refusal:
            report = self._with_lines_of(due.source, note.file, report)
        state: Literal["written", "current", "failed"] = "failed" if refusal else "written" if done else "current"
        return replace(report, state=state, appended=bool(due.line and done))

    def _with_lines_of(self, source: Source, file: File, report: VerdictReport) -> VerdictReport:
        """The report with the lines of the file as it was written: a longer frontmatter has moved all below it."""
        if not (report.problems or report.basis):
            return report
        after = replace(file, document=replace(parse(encode(source)), form=file.document.form))
        return replace(report, **pick(verdict_report(after, self._judge(after), asked=True), "problems basis"))

    def _plan(self, note: JudgedFile) -> Due | Problem | Refusal | None:
        """What note and log should say; a refusal if the log can't be read, or lies where it may not."""
        settings, log = note.file.settings, note.log
        if isinstance(refusal := files.find_log(note.file.path, settings), Refusal):
            return refusal
        size, lines = files.size(log), files.last_lines(log)
        if isinstance(lines, Refusal):
            return lines
        found = (one for line in lines if isinstance(one := _record_of(line), LogRecord | Retraction))
        records = tuple(sorted(found, key=moment))
        is_whole = isinstance(size, Refusal) or size <= files.TAIL_BYTES
        names = self._names.setdefault(log, set() if is_whole else None)
        if names is not None:
            for one in records:
                names.add(one.session) if isinstance(one, LogRecord) else names.discard(one.retracts)
        inherited = (one.project for one in reversed(records) if isinstance(one, LogRecord) and one.project)
        project = settings.project or next(inherited, note.root.name) or None

        def rivals(name: str) -> Iterator[str]:
            return (one.source for one in self._claims.get((log, name), ()) if one is not note)

        place = Place(note.source, project, records, names, rivals, note.other)
        return plan(note.file.document, note.judgement, place, self._now())


class JudgedFile:
    """A file of the run, what it says, and the folder that its calibration log stands under."""

    def __init__(self, file: File, judgement: Judgement) -> None:
        self.file, self.judgement = file, judgement
        self.root = files.find_project_root(file.path, file.settings.log)
        self.log = self.root / Path(file.settings.log).expanduser()
        self.source = _source(file.path, self.root)

    def other(self, source: str) -> Document | None:
        """Another note of the log, by its path from the log's root; None if it is not there, or this note."""
        path = self.root / source
        # What a line says of a place is a path of the project, or none at all.
        is_other = files.is_within(path, self.root) and files.attempt(lambda: path.samefile(self.file.path)) is not True
        found = files.document_of(files.read(path)) if is_other else None
        return None if isinstance(found, Refusal) else found


def _with_session(report: VerdictReport, note: JudgedFile, due: Due) -> VerdictReport:
    """The report with the session of its note, without a verdict if that is taken back; and the log's others of it."""
    verdict, log = report.verdict if due.id else None, files.display_path(note.log)
    return replace(report, id=due.id, session=due.session, verdict=verdict, orphans=due.orphans, log=log)


def write_down(
    file: File, due: Due, log: Path, *, follows: Callable[[str], bool] = bool
) -> tuple[list[str], Refusal | None, Path]:
    """Write what is due to a log and then to a note; what was written, in words, and what the disk refused, with its
    place.

    Args:
        file: the note.
        due: what is due.
        log: the log.
        follows: see ``append_line``.
    """
    # A line about a note that can't be written would say what the note does not.
    refusal, where, done = _check_edit(file, due.source) if due.line else None, file.path, list[str]()
    if due.line and refusal is None:
        where = log
        refusal = files.append_line(log, due.line, follows=follows, allow_outside=file.settings.may_leave("log"))
        done = [] if refusal else [f"one line in {files.display_path(log)}"]
    if due.source != file.document.source and refusal is None:
        where, before, outside = file.path, encode(file.document.source), file.settings.allow_outside
        refusal = files.write_atomically(file.path, encode(due.source), was=before, allow_outside=outside)
        done = done if refusal else [f"its frontmatter{f' ({due.dated})' if due.dated else ''}", *done]
    return done, refusal, where


def _check_edit(file: File, source: Source) -> Refusal | None:
    """Why a note can't be written, or None; also if it need not be, unless its file has two names."""
    before, outside = file.document.source, file.settings.allow_outside
    is_asked = source != before or files.attempt(lambda: file.path.stat().st_nlink > 1) is True
    return files.check_replace(file.path, was=encode(before), allow_outside=outside) if is_asked else None


def first_report(file: File, judgement: Judgement, *, is_check: bool) -> tuple[VerdictReport, JudgedFile | None]:
    """What a judgement comes to before the disk is asked, and the note if log or other files have a say in it.

    ``is_check`` means that nothing is to be written.
    """
    report = verdict_report(file, judgement, asked=not is_check and file.is_named)
    return report, JudgedFile(file, judgement) if judgement.name or not _is_final(report, judgement) else None


def _counts_nothing(report: VerdictReport) -> bool:
    """True for a session that waits for a review, or to be filled in."""
    return report.unreviewed or report.written == NOT_FILLED_IN


def _is_final(report: VerdictReport, judgement: Judgement) -> bool:
    """True if neither log nor note can have to change; a session that counts nothing may have to be taken back."""
    if _counts_nothing(report):
        return not judgement.name
    return report.skipped or (not judgement.headless and bool(report.written or report.verdict is None))


def verdict_report(file: File, judgement: Judgement, *, asked: bool) -> VerdictReport:
    """What is said of a judgement before the disk is asked; ``written`` says why nothing is to be written, or "".

    ``asked`` means that somebody named this very file to have it judged, and not a folder, or to have it checked.
    """
    document, problems, head = file.document, judgement.problems, file.document.head
    verdict, basis = judgement.verdict, _basis(judgement.counts)
    words, skipped, unreviewed = "", False, False
    if judgement.headless:
        words = "headless: no human took part, so there is no verdict"
        skipped = not (asked or judgement.counts.decided_by or session.is_declared(document))
    elif verdict is None:
        # A broken head of somebody else's file: what is wrong with it is not for a check of logs to say.
        is_foreign = problems == (document.head.problem,) and not session.is_ours(document)
        skipped = is_foreign and not judgement.counts.decided_by and not asked
        problems = () if skipped else problems
    elif not (judgement.counts.decided_by or session.is_declared(document)):
        words, skipped = "no counters in it: nothing written", not asked
        # What looks like a counter may have been meant; it is not an error in a file that says nothing of itself.
        alike = counting.look_alikes(document) if asked or counting.mentions_counters(document.lines) else ()
        problems += tuple(replace(one, severity="info") for one in alike)
        words += f"; {_next_step(file)}" if asked else ""
    elif not judgement.counts.decided_by and session.is_blank(document):
        words, skipped = NOT_FILLED_IN, not asked
    elif not (judgement.counts.decided_by or session.reviewed_on(head) or session.is_judged(head)):
        command = f"mdtally review {safe.argument(str(file.path))}"
        words, skipped, unreviewed = f"not reviewed yet: {command}; nothing written", not asked, True
    elif log := original_name(file.path.name):
        words = f"a labeler's copy of {log}, no session of its own: nothing written"
    return VerdictReport(
        str(file.path), verdict, written=words, basis=basis, problems=problems, skipped=skipped, unreviewed=unreviewed
    )


def has_failed(report: VerdictReport, failing: Collection[str], settings: Settings) -> bool:
    """True if something is wrong or out of date, or the verdict is one that was asked to fail, and one to act on.

    That a log was never judged is not a failure where the configuration says so.
    """
    decided = report.survey.estimate if report.survey else report.verdict
    named = decided and decided.qualifier != "inconclusive" and {decided.verdict, decided.also} & {*failing}
    stale = [reason for reason in report.stale if (reason, settings.never_judged) != (session.NEVER_JUDGED, "warning")]
    return bool(named or stale or errors_of(report.problems))


def _basis(counts: Counts) -> str:
    """Which totals a verdict rests on, if several are stated: somebody may have meant a row a session."""
    totals = [tally for tally in counts.tallies if tally.counter == "A_T"]
    if counts.decided_by != "tallies" or counts.events or len(totals) < 2:
        return ""
    counted = f"counted: the last of {len(totals)} running totals, in line {totals[-1].region.line}"
    return f"{counted}; the earlier ones are not added to it"


def _next_step(file: File) -> str:
    """What a person who named a file without counters may do: review its turns, or write who speaks."""
    from mdtally.check import settling
    from mdtally.events import NOBODY_ANSWERS, candidates

    advice = settling.advice(file.document)
    if advice != settling.HOW_TO_LABEL:
        what = "say who speaks, and to mark the events" if advice else "find and mark the events"
        is_chat = advice or candidates(file.document).ranked
        advice = f"to {what}: `mdtally review FILE`" if is_chat else NOBODY_ANSWERS
    return safe.with_file_name(advice, str(file.path))


def changes_of(file: File, source: Source, log: Path, line: str) -> Iterator[Change]:
    """What a verdict would change, as ``--diff`` shows it: the note's text, and the line that a log gets."""
    before = file.document.source.text
    if source.text != before:
        yield str(file.path), before, source.text, 0
    if line:
        lines = files.read_lines(log)
        above = 0 if isinstance(lines, Refusal) else sum(1 for _ in lines)
        yield files.display_path(log), "", f"{line}\n", above
