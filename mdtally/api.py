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
from mdtally import transcript as transcripts
from mdtally.document import parse
from mdtally.log import BadLine, LogRecord, from_line
from mdtally.model import Document, Problem, Transcript
from mdtally.records import record, replace
from mdtally.reports import FileReport
from mdtally.session import Judgement, judge
from mdtally.settings import ConfigText, Settings, load

Place = str | os.PathLike[str]
Session = Judgement


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
    return judge(*_opened(path))


def parse_session(text: str, *, config: str = "") -> Session:
    """The counts, events and verdict of a session log that is given as a text.

    Args:
        text: the whole file, frontmatter included.
        config: the text of a ``mdtally.toml``; "" for the defaults.

    Raises:
        ValueError: the configuration is broken.
    """
    return judge(parse(text.encode()), settings_of(config))


def read_transcript(path: Place) -> Transcript:
    """The turns of a debate or session: each with speaker, kind, round, lines and text.

    Raises:
        OSError: the file can't be read.
        ValueError: it is no text, or the configuration is broken.
    """
    return transcripts.read(_opened(path)[0])


def parse_transcript(text: str) -> Transcript:
    """The turns of a debate or session that is given as a text; as ``read_transcript``."""
    return transcripts.read(parse(text.encode()))


def lint_file(path: Place) -> tuple[Problem, ...]:
    """What ``mdtally lint`` finds in a file, with the nearest configuration; suppression comments are heeded.

    Raises:
        OSError: the file can't be read.
        ValueError: it is no text, or the configuration is broken.
    """
    document, settings = _opened(path)
    return report_of(document, settings, Path(path).name).problems


def lint_text(text: str, *, config: str = "") -> tuple[Problem, ...]:
    """What ``mdtally lint`` finds in a text; see ``parse_session`` for the configuration.

    Returns:
        the findings in the order of the text, each with rule, message, severity and region; () for ordinary Markdown.
    """
    return report_of(parse(text.encode()), settings_of(config), "").problems


def read_log(path: Place) -> Log:
    """The records of a calibration log, and its lines that are none.

    Raises:
        OSError: the file can't be read.
    """
    lines = files.read_lines(Path(path))
    if isinstance(lines, files.Refusal):
        raise OSError(f"{path}: {lines.reason}")
    made = [*enumerate(map(from_line, lines), start=1)]
    bad = {number: line for number, line in made if isinstance(line, BadLine) and line.kind != "empty"}
    return Log(tuple(line for _, line in made if isinstance(line, LogRecord)), bad)


# -- Details ----------------------------------------------------------------------------------------------------------


def report_of(document: Document, settings: Settings, name: str) -> FileReport:
    """What the rules that the settings select say of a document.

    Raises:
        ValueError: the settings name a rule that does not exist.
    """
    from mdtally import lint, rules

    chosen, unknown = rules.select(settings.select, settings.extend_select, settings.ignore)
    if unknown:
        raise ValueError(f"there is no rule {unknown[0]}")
    return lint.lint(document, name, settings, chosen)


def _opened(path: Place) -> tuple[Document, Settings]:
    """A file, read by the form of transcript that is configured for it, and its configuration."""
    absolute = files.absolute(Path(path))
    data = files.read(absolute)
    if isinstance(data, files.Refusal):
        raise OSError(f"{path}: {data.reason}")
    settings = settings_of(*files.find_config(absolute.parent))
    return replace(parse(data), form=settings.transcript_for(absolute)), settings


def settings_of(*texts: ConfigText | str) -> Settings:
    """The settings of configurations; a text alone is a ``mdtally.toml``, and an empty one the defaults.

    Raises:
        ValueError: one of them is broken.
    """
    settings, problems = load([ConfigText("config", text) if isinstance(text, str) else text for text in texts if text])
    if problems:
        raise ValueError("; ".join(problems))
    return settings
