"""The files of a run, and what it says of them before that is put into words: one record a file, and those unread."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from mdtally.text.document import Document
from mdtally.text.model import (
    SEVERITIES,
    FileError,
    FileKind,
    Letter,
    Problem,
    Severity,
    Transcript,
    Turn,
    Verdict,
    Way,
)
from mdtally.text.records import record, replace

if TYPE_CHECKING:
    # Records of rooms that take their time to import.
    from mdtally.check.rules import Response
    from mdtally.check.settling import Offer
    from mdtally.events import Candidates, Exchange
    from mdtally.events.between import Between
    from mdtally.events.register import Register
    from mdtally.events.survey.estimating import SurveyEstimate
    from mdtally.events.survey.note import SurveyNote
    from mdtally.gate.result import Issue
    from mdtally.log.agreement import Agreement
    from mdtally.project.settings import Settings


@record
class FileReport:
    """What a run says of one file that could be read.

    Attributes:
        filename: the path as every output names it.
        kind, reading: as in Transcript.
        problems: the findings in the order of the file.
        turns: the transcript's turns; a problem's ``turn`` is the index of one of them.
        lines: the file's lines without line ends, to show a finding in its place; () shows none.
        skipped: True for ordinary Markdown, which was left alone.
        asked: the names of the rules that were asked: what they do not find is not there.
        turns_checked: how many turns the gate judged.
        responses: what the gate says of each agent's turn.
        issues: by turn index, whether the turn takes issue with somebody, where the gate asked.
        suppressed: how many findings comments in the file silence.
        baselined: how many findings a baseline holds, which are not among the problems.
        fixed: how many findings were mended.
        notices: what the summary says of this file beside its findings ("not gated: the gate is off").
        advice: what holds for many of its findings and is said once a run; "" where there is nothing of the kind.
        corrections: by turn index, the corrective sentence for a re-prompt; filled in mode "regenerate" only.
    """

    filename: str
    kind: FileKind | None = None
    reading: Way = "none"
    problems: tuple[Problem, ...] = ()
    turns: tuple[Turn, ...] = ()
    lines: tuple[str, ...] = ()
    skipped: bool = False
    turns_checked: int = 0
    responses: tuple[Response, ...] = ()
    issues: Mapping[int, Issue] = {}
    suppressed: int = 0
    baselined: int = 0
    fixed: int = 0
    notices: tuple[str, ...] = ()
    advice: str = ""
    corrections: Mapping[int, str] = {}
    asked: frozenset[str] = frozenset()

    def reaches(self, level: Severity) -> bool:
        """True if a finding is of this severity, or graver."""
        return any(SEVERITIES.index(problem.severity) >= SEVERITIES.index(level) for problem in self.problems)


@record
class FileToRead:
    """A file that a call names, whatever is in it.

    Attributes:
        path, settings, is_named, is_piped: as in File.
    """

    path: Path
    settings: Settings
    is_named: bool = True
    is_piped: bool = False


@record
class File:
    """A file that could be read.

    Attributes:
        path: as it was named or found; of standard input ``--stdin-filename``, where that is given.
        document: what it holds, with the form of transcript that is configured for it.
        settings: its configuration.
        is_named: True if the file itself was named, not its folder or a glob.
        is_piped: True if it came by standard input.
    """

    path: Path
    document: Document
    settings: Settings
    is_named: bool = True
    is_piped: bool = False


@record
class Report:
    """What one run of the linter says, over all its files.

    Attributes:
        files: every file that could be read, in the order of the run.
        errors: every file that could not, and those whose safe edits could not be written.
    """

    files: tuple[FileReport, ...] = ()
    errors: tuple[FileError, ...] = ()

    def at_least(self, level: Severity) -> Report:
        """The report without the findings that are milder than a severity."""
        levels = SEVERITIES[SEVERITIES.index(level) :]
        files = (replace(one, problems=tuple(p for p in one.problems if p.severity in levels)) for one in self.files)
        return replace(self, files=tuple(files))

    @property
    def total(self) -> int:
        """Files that were named or found."""
        return len(self.files) + self.unread_count

    @property
    def unread_count(self) -> int:
        """Files that could not be read; the other errors are about files that could."""
        read = {file.filename for file in self.files}
        return sum(error.files for error in self.errors if error.filename not in read)

    def sum_of(self, name: Literal["suppressed", "baselined", "fixed", "turns_checked"]) -> int:
        """A number of all files together, by its name in ``FileReport``."""
        return sum(getattr(file, name) for file in self.files)

    @property
    def checked_count(self) -> int:
        """Files that were not ordinary Markdown and were looked at."""
        return sum(not file.skipped for file in self.files)

    @property
    def unsure_files(self) -> int:
        """Files that look like a transcript and may be read wrongly, so that nothing in them was gated."""
        return sum(file.reading == "unsure" for file in self.files)

    @property
    def unsure_turns(self) -> int:
        """Turns whose words do not tell whether they take issue with somebody."""
        return sum(issue.answer == "unsure" for file in self.files for issue in file.issues.values())

    @property
    def findings(self) -> Mapping[Severity, int]:
        """Number of findings by severity, the gravest first; every severity is a key."""
        found = Counter(problem.severity for file in self.files for problem in file.problems)
        return {severity: found[severity] for severity in reversed(SEVERITIES)}


@record
class SurveyVerdict:
    """What a survey says.

    Attributes:
        note: the survey.
        estimate: the rates, the rule's word, the differences of sides.
        sentence: the same in one sentence.
        taken: how many answers were taken over from notes; is_mixed: over a tenth on one side, and not on another.
        with_model: how far the answers agree with a model's words, weighted by the draw; None if none was asked.
    """

    note: SurveyNote
    estimate: SurveyEstimate
    sentence: str
    taken: int
    is_mixed: bool
    with_model: Agreement | None


NOT_FILLED_IN = "a page that is not filled in yet: nothing written"
"""What is said of a blank page of the template."""


@record
class VerdictReport:
    """What is said of one session log.

    Attributes:
        filename: the path as every output names it.
        verdict: the decision; None if the counts do not reconcile, or no human took part.
        id: the log line's id; "" if there is none.
        session: the session's name; "" if there is none.
        appended: True if this run appended a line to the calibration log.
        stale: why note or log are out of date, in words; () if they are not, or have been written.
        written: what was written where, or why nothing was, in one sentence.
        state: "written" by this run, "current" if note and log say already what they should, "stale" if they don't,
            "failed" if the disk refused, "left" if there is nothing to write.
        basis: which totals it rests on, if several are stated and nothing but them; "" if nobody could mistake it.
        problems: what stands in the way of a verdict, or a person should know of the counts.
        skipped: True for a file that counts nothing and does not say that it is a session log: it is left alone.
        unreviewed: True for a session that counts nothing and that nobody has reviewed.
        orphans: other sessions that the log has from this very file; log: that log's path, "" if it has none.
        is_survey: True for a survey, which is no session; survey: what it says, None if it was not asked.
    """

    filename: str
    verdict: Verdict | None = None
    id: str = ""
    session: str = ""
    appended: bool = False
    stale: tuple[str, ...] = ()
    written: str = ""
    state: Literal["written", "current", "stale", "failed", "left"] = "left"
    basis: str = ""
    problems: tuple[Problem, ...] = ()
    skipped: bool = False
    unreviewed: bool = False
    orphans: tuple[str, ...] = ()
    log: str = ""
    is_survey: bool = False
    survey: SurveyVerdict | None = None


@record
class TurnsReport:
    """What a file was read as, turn by turn.

    Attributes:
        filename: the path as every output names it.
        transcript: the reading.
        tags: by turn index, the letters of the events marked in it, in order.
        lines: the file's lines, to show a problem in its place; () shows none.
        form: what was read as patterns that give the same turns; None if none do.
        offers: what an unsure file may be read as, the likeliest first.
        asked: the options that the offers were made with ("--like 3"): the command that keeps one needs them, too.
        likely: if nothing is offered, the lines that look most like labels, with their numbers.
        advice: what to write into a text without labels; "" if it has some.
    """

    filename: str
    transcript: Transcript
    tags: Mapping[int, Sequence[Letter]] = {}
    lines: tuple[str, ...] = ()
    form: Offer | None = None
    offers: tuple[Offer, ...] = ()
    asked: tuple[str, ...] = ()
    likely: tuple[tuple[int, str], ...] = ()
    advice: str = ""


@record
class EventsReport:
    """The register of one session log.

    Attributes:
        filename: the path as every output names it.
        register: the events and tallies.
        between: what stands between the person's message and the reply, by the line of an event in one.
    """

    filename: str
    register: Register
    between: Mapping[int, Between] = {}


@record
class CandidatesReport:
    """Which turns of a log may hold an event.

    Attributes:
        filename: the path as every output names it.
        found: the turns.
        exchanges: what stands between the message and each of them.
        advice: if there are none, what a person has to do; "" if nothing is known.
    """

    filename: str
    found: Candidates
    exchanges: tuple[Exchange, ...]
    advice: str = ""
