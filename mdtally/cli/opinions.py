"""The second reader of ``lint``: runs the command, keeps its answers, and says how often it was called."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from mdtally.cli.common import granted, note
from mdtally.cli.options import fail

if TYPE_CHECKING:
    from mdtally.gate.opinion import Question
    from mdtally.reports import FileReport
    from mdtally.settings import Settings

    Check = Callable[..., FileReport]

CACHED = "cached"
"""In place of a command: take the kept answers, and call nobody."""


class Opinions:
    """The second reader of one call. First every file is looked through, then the program is called."""

    def __init__(self, command: str, timeout: float, most: int | None) -> None:
        from mdtally import command as commands
        from mdtally.gate.opinion import SecondReader, label_of

        self._files: dict[str, Path | str] = {}
        self._open: list[tuple[int, Check]] = []
        self._words: list[str] = []
        self._timeout, self._most = timeout, most
        if command == CACHED:
            self._reader = SecondReader()
            return
        words = commands.split(command)
        if isinstance(words, str):
            fail(f"--second-opinion: {words}")
        self._words = words
        self._reader = SecondReader(label_of(words))

    def look(self, index: int, path: Path, settings: Settings, check: Check) -> FileReport:
        """A file's report with the kept answers; where some are wanting, it is checked again by `settle`.

        Args:
            index: of the report among all of the call.
            path: the file.
            settings: its settings, which say where the answers lie: beside the calibration log.
            check: makes the report; ``second`` is its second reader.
        """
        from mdtally import files

        log = files.find_log(path, settings)
        place = log.reason if isinstance(log, files.Refusal) else log.parent / "opinions.jsonl"
        if isinstance(place, Path) and place not in self._files.values():
            lines = granted(files.read_lines(place), place) if files.status(place) is not None else ()
            self._reader.remember(line.decode("utf-8", "replace") for line in lines)
        self._files[str(path)] = place
        known = len(self._reader.wanted)
        report = check(second=self._reader)
        if len(self._reader.wanted) > known:
            self._open.append((index, check))
        return report

    def settle(self, reports: list[FileReport]) -> None:
        """Call the program about what is open, put the new reports in place, and say what came of it."""
        from mdtally.render.style import count as counted

        reader = self._reader
        questions = f"{counted(len(reader.wanted) + reader.kept, 'open turn')}, {reader.kept} with a kept answer"
        if not self._words:
            note(f"second opinion: {questions}; no calls")
            return
        calls = len(reader.wanted) if self._most is None else min(len(reader.wanted), self._most)
        note(f"second opinion: {questions}; {counted(calls, 'call')} of {self._words[0]} to make")
        reader.ask(self._most, self._call, self._keep)
        for index, check in self._open if calls else ():
            reports[index] = check(second=reader)
        left = len(reader.wanted) - calls
        more = f"; {left} not asked about (--max-opinions)" if left else ""
        note(f"second opinion: {counted(calls, 'call')} made, {counted(reader.used, 'answer')} used{more}")
        for failure in reader.failed:
            note(f"second opinion: {failure}")

    def _call(self, prompt: str) -> tuple[str, str]:
        from mdtally import command as commands

        answer = commands.ask(self._words, prompt, self._timeout)
        return answer.text, answer.error

    def _keep(self, question: Question, line: str) -> str:
        from mdtally import files

        place = self._files[question.filename]
        if isinstance(place, str):
            return place
        refusal = files.append_line(place, line, follows=lambda last: '"takes_issue"' in last)
        return refusal.reason if refusal else ""
