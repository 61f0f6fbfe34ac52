"""Sessions, transcripts, logs and findings as Python values: what the commands know, without the commands.

Each function comes twice, for a file and for a text: ``read_session`` and ``parse_session``, ``read_transcript`` and
``parse_transcript``, ``lint_file`` and ``lint_text``; ``read_log`` is for the calibration log. What is wrong in a file
is a ``Problem`` in what is returned, never an exception. They write nothing.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from mdtally import files
from mdtally.document import parse
from mdtally.log import BadLine, LogRecord, from_line
from mdtally.model import Counts, Document, Problem, Transcript, Verdict
from mdtally.records import record
from mdtally.settings import ConfigText, Settings, load

__all__ = [
    "Log",
    "Session",
    "lint_file",
    "lint_text",
    "parse_session",
    "parse_transcript",
    "read_log",
    "read_session",
    "read_transcript",
]

Place = str | os.PathLike[str]


@record
class Session:
    """What a session log says.

    Attributes:
        verdict: the decision; None if the counts do not reconcile, or no human took part.
        counts: the totals, every event with its letter, line and reason, and every stated tally.
        name: the session's name in the frontmatter; "" if it has none yet.
        model, domain: as the frontmatter says, or None.
        headless: no human took part, so there is nothing to give in to.
        problems: what stands in the way of a verdict, and what a person should know; each has rule, message,
            severity and region (lines and columns from 1 on).
    """

    verdict: Verdict | None
    counts: Counts
    name: str
    model: str | None
    domain: str | None
    headless: bool
    problems: tuple[Problem, ...]


@record
class Log:
    """A calibration log.

    Attributes:
        records: the lines that are records, in the order of the file.
        bad: line number -> why the line is no record.
    """

    records: tuple[LogRecord, ...]
    bad: Mapping[int, BadLine]

    @property
    def newest(self) -> dict[str, LogRecord]:
        """The line that counts of each session, its last one, by the session's name."""
        return {record.session: record for record in self.records}


def read_session(path: Place) -> Session:
    """The counts, events and verdict of a session log, with the thresholds of the nearest configuration.

    Raises:
        OSError: the file can't be read.
        ValueError: it is no text, or the configuration is broken.
    """
    return _session(*_opened(path))


def parse_session(text: str, *, config: str = "") -> Session:
    """The counts, events and verdict of a session log that is given as a text.

    Args:
        text: the whole file, frontmatter included.
        config: the text of a ``mdtally.toml``; "" for the defaults.

    Raises:
        ValueError: the configuration is broken.
    """
    return _session(parse(text.encode()), _configured(config))


def read_transcript(path: Place) -> Transcript:
    """The turns of a debate or session: each with speaker, kind, round, lines and text.

    Raises:
        OSError: the file can't be read.
        ValueError: it is no text.
    """
    return _transcript(_document(Path(path)))


def parse_transcript(text: str) -> Transcript:
    """The turns of a debate or session that is given as a text; as ``read_transcript``."""
    return _transcript(parse(text.encode()))


def lint_file(path: Place) -> tuple[Problem, ...]:
    """What ``mdtally lint`` finds in a file, with the nearest configuration; suppression comments are heeded.

    Raises:
        OSError: the file can't be read.
        ValueError: it is no text, or the configuration is broken.
    """
    document, settings = _opened(path)
    return _lint(document, settings, Path(path).name)


def lint_text(text: str, *, config: str = "") -> tuple[Problem, ...]:
    """What ``mdtally lint`` finds in a text; see ``parse_session`` for the configuration.

    Returns:
        the findings in the order of the text, each with rule, message, severity and region; () for ordinary Markdown.
    """
    return _lint(parse(text.encode()), _configured(config), "")


def read_log(path: Place) -> Log:
    """The records of a calibration log, and its lines that are none.

    Raises:
        OSError: the file can't be read.
    """
    lines = files.read_lines(Path(path))
    if isinstance(lines, files.Refusal):
        raise OSError(f"{path}: {lines.reason}")
    records: list[LogRecord] = []
    bad: dict[int, BadLine] = {}
    for number, line in enumerate(lines, start=1):
        record = from_line(line)
        if isinstance(record, LogRecord):
            records.append(record)
        elif record.kind != "empty":
            bad[number] = record
    return Log(tuple(records), bad)


# -- Details ----------------------------------------------------------------------------------------------------------


def _session(document: Document, settings: Settings) -> Session:
    from mdtally import session

    judged = session.judge(document, settings)
    name = session.name_of(document)
    return Session(judged.verdict, judged.counts, name, judged.model, judged.domain, judged.headless, judged.problems)


def _transcript(document: Document) -> Transcript:
    from mdtally import transcript

    return transcript.read(document)


def _lint(document: Document, settings: Settings, name: str) -> tuple[Problem, ...]:
    from mdtally import lint, rules

    chosen, unknown = rules.select(settings.select, settings.extend_select, settings.ignore)
    if unknown:
        raise ValueError(f"there is no rule {unknown[0]}")
    return lint.lint(document, name, settings, chosen).problems


def _opened(path: Place) -> tuple[Document, Settings]:
    document = _document(Path(path))
    settings, problems = load(files.find_config(files.absolute(Path(path)).parent))
    if problems:
        raise ValueError("; ".join(problems))
    return document, settings


def _document(path: Path) -> Document:
    data = files.read(path)
    if isinstance(data, files.Refusal):
        raise OSError(f"{path}: {data.reason}")
    return parse(data)


def _configured(config: str) -> Settings:
    settings, problems = load([ConfigText("config", config)] if config else [])
    if problems:
        raise ValueError("; ".join(problems))
    return settings
