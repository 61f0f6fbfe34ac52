"""Sessions, transcripts, logs and findings as Python values: what the commands know, without the commands.

``read_session``, ``read_transcript`` and ``lint_markdown`` take a path, or as ``text=`` what such a file holds;
``read_log`` is for the calibration log. What is wrong in a file is a ``Problem`` in what is returned, never an
exception. They write nothing.

A note comes as python-frontmatter's ``Post``, and what mdtally says of it beside it: ``session.post["model"]`` is as it
is written, and ``frontmatter.dumps(session.post)`` is the file to the last character, with what you changed in it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from mdtally import transcript as transcripts
from mdtally.check.reports import FileReport
from mdtally.log.agreement import Labelers, compare_records
from mdtally.log.record import BadLine, LogRecord, Retraction, from_line
from mdtally.log.series.history import WINDOW, summarise
from mdtally.log.series.reading import LogLines, of_two_labelers, sessions_of
from mdtally.log.series.records import History
from mdtally.project import files
from mdtally.project.settings import ConfigText, Settings, load
from mdtally.session import Judgement, judge
from mdtally.text import frontmatter
from mdtally.text.document import Document, parse
from mdtally.text.model import Counts, Problem, Transcript, Turn, Verdict
from mdtally.text.records import record, replace
from mdtally.text.source import UnreadableError

if TYPE_CHECKING:
    from frontmatter import Post

Place = str | os.PathLike[str]


@record
class Session:
    """A session log.

    Attributes:
        post: the note as python-frontmatter's ``Post``, every scalar as it is written.
        judgement: its counts and verdict, and what stands in the way of one; of these:
        verdict: the decision; None if the counts do not reconcile, or no human took part.
        counts: the totals, every event with its letter, line and reason, and every stated tally.
        problems: what stands in the way of a verdict, and what a person should know.
    """

    post: Post
    judgement: Judgement
    verdict: Verdict | None
    counts: Counts
    problems: tuple[Problem, ...]


@record
class Conversation:
    """A debate or session, turn by turn.

    Attributes:
        post: the file as python-frontmatter's ``Post``, every scalar as it is written.
        transcript: its turns, how they were read, and what is wrong with them.
        turns: these turns, each with speaker, kind, round, lines and text.
    """

    post: Post
    transcript: Transcript
    turns: tuple[Turn, ...]


@record
class Log:
    """A calibration log.

    Attributes:
        records: the lines that are records, in the order of the file: verdicts, and lines that take a session back.
        bad: line number -> why the line is not a record.
    """

    records: tuple[LogRecord | Retraction, ...]
    bad: Mapping[int, BadLine]

    @property
    def newest(self) -> dict[str, LogRecord]:
        """The line that counts of each session, by the session's name; sessions that were taken back are left out."""
        return {line.session: line for line in sessions_of([LogLines(self.records)]).records}


def read_session(path: Place | None = None, *, text: str | None = None, config: str | None = None) -> Session:
    """The counts, events and verdict of a session log.

    Args:
        path: the file.
        text: what it would hold, frontmatter included, in place of a path.
        config: the text of a ``mdtally.toml``, which alone holds then; None takes what the commands do, the nearest one
            of a path and the user's own, and the defaults for a text.

    Raises:
        OSError: the file, or its baseline, can't be read.
        ValueError: it is not text, or the configuration is broken.
    """
    document, settings = _open_document(path, text, config)
    found = judge(document, settings, labels=transcripts.label_lines)
    return Session(frontmatter.post(document.source, document.head), found, found.verdict, found.counts, found.problems)


def read_transcript(path: Place | None = None, *, text: str | None = None, config: str | None = None) -> Conversation:
    """The turns of a debate or session: each with speaker, kind, round, lines and text.

    Args, Raises: as ``read_session``.
    """
    document, _ = _open_document(path, text, config)
    found = transcripts.read(document)
    return Conversation(frontmatter.post(document.source, document.head), found, found.turns)


def lint_markdown(
    path: Place | None = None, *, text: str | None = None, config: str | None = None
) -> tuple[Problem, ...]:
    """What ``mdtally lint`` finds in a file, or a text; suppression comments and a file's ``lint.baseline`` are heeded.

    Args, Raises: as ``read_session``.

    Returns:
        the findings in the order of the text, each with rule, message, severity and region; () for ordinary Markdown.
    """
    document, settings = _open_document(path, text, config)
    report = report_of(document, settings, "" if path is None else os.fspath(path))
    if path is None:
        return report.problems
    from mdtally.check.baseline import Baselines

    rest = Baselines().without(Path(path), report, settings)
    if isinstance(rest, files.Refusal):
        raise OSError(rest.reason)
    return rest.problems


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
    return Log(tuple(line for _, line in made if not isinstance(line, BadLine)), bad)


def history(
    records: Iterable[LogRecord | Retraction],
    *,
    by: str = "none",
    split: str = "",
    labeler: str | None = None,
    window: int = WINDOW,
    ceiling: float | None = None,
) -> History:
    """What ``mdtally history`` says of the records of a calibration log, as values.

    Rates are shares of 1, differences of rates shares from -1 to 1, intervals (lower, upper) at 95 %, counts events or
    sessions; ``mdtally.log.series.records`` says of each field what it is.

    Args:
        records: as ``read_log(path).records`` has them.
        by: "none", "family" or a key of the lines, such as "model", to group the sessions by.
        split: a day, such as "2026-05-01", to compare the sessions since then with those before it.
        labeler: whose labels count, and no others; None takes those of whoever labelled most sessions.
        window: sessions in the rolling rates.
        ceiling: the sycophancy rate that is allowed, from 0 to 1; None takes what each line was decided with.

    Raises:
        ValueError: there is no such key, the window is not a whole number from 1 on, or the ceiling no rate.
    """
    sessions = sessions_of([LogLines(tuple(records))], labeler)
    return summarise(sessions, by=by, split=split, window=window, ceiling=ceiling)


def compare(a: Iterable[LogRecord | Retraction], b: Iterable[LogRecord | Retraction]) -> Labelers:
    """How far two labelers agree, by the records of their calibration logs.

    Sessions are matched by their names, events by their order; a session without the order of its events, or with
    another number of them, is among ``unmatched``. Agreement is a share of 1, kappa lies between -1 and 1, its interval
    is (lower, upper) at 95 %, counts are events; ``mdtally.log.agreement`` says of each field what it is. Facts and
    lines stand in the notes only: ``mdtally compare`` reads them.

    Args:
        a, b: as ``read_log(path).records`` has them.
    """
    return compare_records(*of_two_labelers(LogLines(tuple(a)), LogLines(tuple(b))))


# -- Details ----------------------------------------------------------------------------------------------------------


def report_of(document: Document, settings: Settings, name: str) -> FileReport:
    """What the rules that the settings select say of a document.

    Raises:
        ValueError: the settings name a rule that does not exist.
    """
    from mdtally.check import lint

    chosen, unknown = lint.selection(settings, files.absolute(Path(name)) if name else None)
    if unknown:
        raise ValueError(f"there is no rule {unknown[0]}")
    return lint.lint(document, name, settings, chosen)


def _open_document(path: Place | None, text: str | None, config: str | None) -> tuple[Document, Settings]:
    """A file, read by the form of transcript that is configured for it, or a text; and its configuration."""
    if (path is None) == (text is None):
        raise TypeError("a path, or text=, and not both")
    if path is None:
        try:
            return parse((text or "").encode()), settings_of(config or "")
        except UnicodeEncodeError as error:
            raise UnreadableError(f"not text: character {error.start + 1} is half a surrogate pair") from None
    absolute = files.absolute(Path(path))
    data = files.read(absolute)
    if isinstance(data, files.Refusal):
        raise OSError(f"{path}: {data.reason}")
    texts = [*files.find_config(absolute.parent), files.own_config()] if config is None else [config]
    settings = settings_of(*texts, root=str(files.find_project_root(absolute)))
    return replace(parse(data), form=settings.transcript_for(absolute)), settings


def settings_of(*texts: ConfigText | str | None, root: str = "") -> Settings:
    """The settings of configurations; a text alone is a ``mdtally.toml``, and an empty one the defaults.

    Args:
        texts: the nearest one, then the user's own; those that are empty or None are left out.
        root: the folder in which globs start, if none of them is a project's.

    Raises:
        ValueError: one of them is broken.
    """
    found = [ConfigText("config", text) if isinstance(text, str) else text for text in texts if text]
    settings, problems = load(found, root)
    if problems:
        raise ValueError("; ".join(map(str, problems)))
    return settings
