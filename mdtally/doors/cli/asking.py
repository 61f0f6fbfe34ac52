"""A person at a terminal who answers what a review asks: shows it, reads keys, changes the file."""

from __future__ import annotations

from pathlib import Path

from mdtally.ask import Ask, Judge, Look, Propose, Rewrite, Steps, Tell
from mdtally.check import verdicts
from mdtally.check.reports import File, VerdictReport
from mdtally.doors.cli import common
from mdtally.doors.cli.common import Call, fail_at_conflict, fail_if_refused, or_end, out
from mdtally.doors.cli.keys import Keys
from mdtally.doors.cli.model import propose
from mdtally.events.replies import Answers, answers_of
from mdtally.project import files
from mdtally.show import review_screen as screen
from mdtally.text.document import Document, parse
from mdtally.text.model import Refusal
from mdtally.text.records import replace
from mdtally.text.system import interruptible

_LARGE = 1_500_000


class Terminal:
    """The terminal and the note that a review is about.

    Attributes:
        document: the note as it was read last.
    """

    def __init__(self, path: Path, call: Call) -> None:
        self._path, self._settings, self._call = path, call.settings(path), call
        self._data: bytes | None = None
        self.document = self._reread()

    def check_writable(self) -> None:
        """End the call if the note can't be written: a person is told so before the first question."""
        or_end(files.check_replace(self._path, was=self._data, allow_outside=self._settings.allow_outside), self._path)

    def log(self) -> list[Path]:
        """The note's calibration log, to be named in a command; none where `mdtally history` takes it by itself."""
        log = files.find_project_root(self._path, self._settings.log) / Path(self._settings.log).expanduser()
        own = files.find_log(Path.cwd(), self._call.settings(Path.cwd()))
        is_own = not isinstance(own, Refusal) and files.absolute(own) == files.absolute(log)
        return [] if is_own else [Path(files.relative(log, Path.cwd()))]

    def answers(self) -> Answers:
        """What was answered before about this note's replies."""
        return answers_of(verdicts.session_of(File(self._path, self.document, self._settings)), self._path)

    def answer_all(self, steps: Steps) -> str:
        """Answer all that a review asks, until it ends; gives how it ended."""
        answer: object = None
        with interruptible(), Keys() as keys:
            while True:
                try:
                    request = steps.send(answer)
                except StopIteration as end:
                    return str(end.value)
                if isinstance(request, Ask):
                    out(screen.question_text(request, self._call.options()))
                    answer = key = keys.next()
                    out(screen.answer_text(request.question, key))
                elif isinstance(request, Look):
                    answer = self._reread()
                elif isinstance(request, Rewrite):
                    answer = self._edit(request)
                elif isinstance(request, Judge):
                    answer = self.judge(write=request.write)
                elif isinstance(request, Propose):
                    answer = propose(self._call, self._path, self._reread())
                elif isinstance(request, Tell):
                    guide = or_end(files.read_template("guide", self._settings)) if request.question else ""
                    out(screen.tell_text(request, self._call.options(), guide))
                else:
                    out(screen.written_line_text(request, self._call.options()))

    def _reread(self) -> Document:
        data = or_end(files.read(self._path), self._path)
        if len(data) > _LARGE and self._data is None:
            out(f"reading {len(data) / 1_000_000:.0f} MB: this takes some seconds\n")
        with fail_if_refused(f"{self._path}: "):
            document = self._document_of(data)
        fail_at_conflict(self._path, document)
        return document

    def _document_of(self, data: bytes) -> Document:
        """The document of these bytes; the same one as long as they are the same."""
        if data != self._data:
            self.document = replace(parse(data), form=self._settings.transcript_for(self._path.absolute()))
            self._data = data
        return self.document

    def _edit(self, request: Rewrite) -> Document | Refusal:
        outside = self._settings.allow_outside
        written = files.edit(self._path, lambda data: request.make(self._document_of(data)), allow_outside=outside)
        return written if isinstance(written, Refusal) else self._document_of(written)

    def judge(self, *, write: bool) -> VerdictReport:
        """The verdict of the note as it is now, which is written down if asked for."""
        run = verdicts.Verdicts(common.now, write=write)
        file = File(self._path, self._reread(), self._settings)
        (report,) = run.reports([verdicts.first_report(file, verdicts.judge(file), is_check=not write)])
        for error in run.errors:
            common.note(f"error: {error.filename}: {error.message}")
        return report
