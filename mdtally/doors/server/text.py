"""One version of a text in an editor, read once: each part when it is first asked for, and kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from itertools import accumulate
from pathlib import Path

from lsprotocol import types
from pygls.workspace import PositionCodec

from mdtally import session, transcript
from mdtally.check import lint
from mdtally.check.baseline import Baselines
from mdtally.check.reports import File, VerdictReport
from mdtally.check.verdicts import Verdicts, first_report
from mdtally.events.survey.note import read_survey
from mdtally.project import files
from mdtally.project.settings import ConfigProblem, Settings
from mdtally.session import Judgement
from mdtally.show.findings import to_findings
from mdtally.text.document import Document, parse
from mdtally.text.model import Problem, Region, Transcript
from mdtally.text.records import record, replace

Judged = tuple[VerdictReport, tuple[str, ...]]
"""What `verdict` says of a file, and what the disk refused, a sentence each."""


@record
class Host:
    """What the command line tells.

    Attributes:
        settings: the configuration of a file, or of one that was never saved, and all that is wrong with it.
        now: the time, as the calibration log has it.
    """

    settings: Callable[[Path | None], tuple[Settings, tuple[ConfigProblem, ...]]]
    now: Callable[[], str]


class EditorText:
    """One version of a text in an editor, with all that is known of it.

    Attributes:
        path: the file it will be saved as; None for one that was never saved.
        document: the text, read; one that can't be read is empty.
        settings: the configuration that holds for it.
        errors: why the text or its configuration can't be used, a sentence each.
        selection: names of the rules that are asked.
        is_excluded: the configuration leaves the file out.
    """

    def __init__(self, text: str, path: Path | None, host: Host, codec: PositionCodec) -> None:
        self.path, self._now, self._codec = path, host.now, codec
        settings, problems = host.settings(path)
        errors = tuple(map(str, problems))
        self.settings = settings = Settings() if problems else settings
        self.selection, _ = lint.selection(settings, path)
        # Half a surrogate pair, which an editor may send, can't be encoded; "?" takes as many columns.
        document = files.document_of(text.encode(errors="replace"))
        if isinstance(document, files.Refusal):
            errors += (document.reason,)
            document = parse(b"")
        self.errors = errors
        self.is_excluded = path is not None and settings.excludes(path)
        self.document = replace(document, form=settings.transcript_for(path)) if path else document

    @cached_property
    def transcript(self) -> Transcript:
        """The turns."""
        return transcript.read(self.document)

    @cached_property
    def judgement(self) -> Judgement:
        """Counts and verdict."""
        return session.judge(self.document, self.settings, labels=transcript.label_lines)

    @cached_property
    def check_report(self) -> Judged:
        """What `verdict --check` says; of a text that was never saved, and of one that is no session log, no more than
        its verdict; of a survey, no more than what is wrong with its answers."""
        if self.document.is_survey:
            survey = read_survey(self.document)
            return VerdictReport("", problems=(survey,) if isinstance(survey, Problem) else survey.problems), ()
        if self.path is None or not (self.judgement.counts.decided_by or session.is_declared(self.document)):
            return VerdictReport("", self.judgement.verdict), ()
        return self._verdict_report(self.path, self.document)

    @cached_property
    def problems(self) -> tuple[Problem, ...]:
        """Every finding: those of `lint`, and what `verdict --check` finds beyond them; in the order of the text."""
        if self.is_excluded:
            return ()
        report = lint.lint(self.document, str(self.path or ""), self.settings, self.selection)
        rest = Baselines().without(self.path, report, self.settings) if self.path else report
        # What is wrong with a baseline, the command line says.
        found = list((report if isinstance(rest, files.Refusal) else rest).problems)
        known = {(one.rule, one.region.line) for one in (*found, *self.judgement.problems)}
        beyond = (one for one in self.check_report[0].problems if (one.rule, one.region.line) not in known)
        found += (lint.with_visible_region(one, self.document.lines) for one in beyond if one.rule in self.selection)
        return tuple(self.with_file_name(sorted(found, key=lambda problem: problem.region)))

    def with_file_name(self, problems: Iterable[Problem]) -> Iterable[Problem]:
        """Problems whose commands name this file, as a terminal in the server's folder finds it; FILE of one that was
        never saved."""
        named = to_findings(files.display_path(self.path) if self.path else "FILE", problems)
        return (finding.problem for finding in named)

    def at(self, line: int, column: int) -> list[Problem]:
        """The findings at a place."""
        regions = ((problem, problem.region) for problem in self.problems)
        return [one for one, at in regions if (at.line, at.column) <= (line, column) <= (at.end_line, at.end_column)]

    def write(self) -> Judged | None:
        """What `verdict` says, and writes; None where the file does not hold this very text, or none is known."""
        saved = files.document_of(files.read(self.path)) if self.path else None
        if self.path is None or not isinstance(saved, Document) or saved.source.text != self.document.source.text:
            return None
        if self.errors:
            return VerdictReport(str(self.path)), self.errors
        return self._verdict_report(self.path, replace(saved, form=self.document.form), write=True)

    def _verdict_report(self, path: Path, document: Document, *, write: bool = False) -> Judged:
        run = Verdicts(self._now, write=write)
        (report,) = run.reports([first_report(File(path, document, self.settings), self.judgement, is_check=not write)])
        return report, tuple(f"{error.filename}: {error.message}" for error in run.errors)

    # -- Places: the editor counts from 0, columns in UTF-8, UTF-16 or UTF-32 units and with the BOM ------------------

    def range(self, region: Region) -> types.Range:
        """The editor's range of a region; what lies beyond the text is cut to its end."""
        end = max(region.line, region.end_line), region.end_column
        return types.Range(self.position(region.line, region.column), self.position(*end))

    def position(self, line: int, column: int) -> types.Position:
        """The editor's position of a line and column, both from 1 on."""
        row = max(0, min(line, len(self.document.lines)) - 1)
        if line > row + 1 and self.document.source.text.endswith(("\n", "\r")):
            return types.Position(row + 1, 0)  # an editor has an empty line behind the last line end
        text, shift = self._row(row)
        before = text if line > len(self.document.lines) else text[: max(0, shift + column - 1)]
        return types.Position(row, self._codec.client_num_units(before))

    def place(self, position: types.Position) -> tuple[int, int]:
        """Line and column, from 1 on, of a position of the editor's."""
        row = max(0, min(position.line, len(self.document.lines) - 1))
        text, shift = self._row(row)
        units = accumulate(map(self._codec.client_num_units, text), initial=0)
        reached = (index for index, before in enumerate(units) if before >= position.character)
        index = next(reached, len(text)) if position.line == row else len(text)
        return row + 1, max(0, index - shift) + 1

    def _row(self, row: int) -> tuple[str, int]:
        """A line as the editor has it, and how many characters of it no column of ours counts."""
        bom = self.document.source.bom if row == 0 else ""
        return bom + (self.document.lines[row] if row < len(self.document.lines) else ""), len(bom)
