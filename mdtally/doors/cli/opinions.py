"""The second reader of ``lint``: runs the command, keeps its answers, and says how often it was called."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mdtally.doors.cli.common import fail, granted, note

if TYPE_CHECKING:
    from mdtally.check.reports import File, FileReport
    from mdtally.gate.opinion import SecondReader
    from mdtally.text.model import Refusal

CACHED = "cached"
"""In place of a command: take the kept answers, and call nobody."""


def with_opinions(
    files: Sequence[File], check: Callable[..., FileReport], command: str, timeout: float, most: int | None
) -> list[FileReport]:
    """The report of each file, second opinions heeded; all files are looked through before the program is called.

    Args:
        files: the files.
        check: makes the report of one, given ``second``, a second reader.
        command: the program; ``CACHED`` for the kept answers alone.
        timeout: seconds that a call may take.
        most: calls to make; None for no limit.
    """
    from mdtally.gate.opinion import SecondReader, label_of
    from mdtally.project import command as commands
    from mdtally.show.style import count
    from mdtally.text.model import Refusal

    words = [] if command == CACHED else commands.split(command)
    if isinstance(words, Refusal):
        fail(f"--ask: {words.reason}")
    reader = SecondReader(label_of(words) if words else "")
    places: dict[str, Path | Refusal] = {}
    reports: list[FileReport] = []
    waiting: list[int] = []
    for number, file in enumerate(files):
        places[str(file.path)] = _remember(reader, file, places.values())
        known = len(reader.wanted)
        reports.append(check(file, second=reader))
        waiting += [number] if len(reader.wanted) > known else []
    questions = f"{count(len(reader.wanted) + reader.kept, 'open turn')}, {reader.kept} with a kept answer"
    if not words:
        note(f"second opinion: {questions}; no calls")
        return reports
    calls = len(reader.wanted) if most is None else min(len(reader.wanted), most)
    note(f"second opinion: {questions}; {count(calls, 'call')} of {words[0]} to make")
    reader.ask(
        most,
        lambda prompt: commands.ask(words, prompt, timeout),
        lambda question, line: _keep(places[question.filename], line),
    )
    for number in waiting if calls else ():
        reports[number] = check(files[number], second=reader)
    left = len(reader.wanted) - calls
    more = f"; {left} not asked about (--max-asked)" if left else ""
    note(f"second opinion: {count(calls, 'call')} made, {count(reader.used, 'answer')} used{more}")
    for failure in reader.failed:
        note(f"second opinion: {failure}")
    return reports


def _remember(reader: SecondReader, file: File, known: Iterable[object]) -> Path | Refusal:
    """Where the answers about a file lie, read once: beside the calibration log; or why they lie nowhere."""
    from mdtally.project import files

    log = files.find_log(file.path, file.settings)
    if isinstance(log, files.Refusal):
        return log
    place = log.parent / "opinions.jsonl"
    if place not in known and files.status(place) is not None:
        reader.remember(line.decode("utf-8", "replace") for line in granted(files.read_lines(place), place))
    return place


def _keep(place: Path | Refusal, line: str) -> Refusal | None:
    """Keep an answer; gives why it could not."""
    from mdtally.project import files

    if isinstance(place, files.Refusal):
        return place
    return files.append_line(place, line, follows=lambda last: '"takes_issue"' in last)
