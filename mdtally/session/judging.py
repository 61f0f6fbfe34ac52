"""What a log says: counts, thresholds, and the decision; and whether the verdict in its frontmatter is still that."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from mdtally import counts as counting
from mdtally import transcript as transcripts
from mdtally.calibration import calibrate_counts
from mdtally.model import COUNTERS, Counts, Document, Problem, Verdict
from mdtally.records import record, replace
from mdtally.regex import regex
from mdtally.session.stored import VERDICTS, changes, head_problem, is_date, read_stored, taken, text_of
from mdtally.settings import Settings, thresholds

# A line of a head that begins with a key of mdtally's: "kind: debate", `"A_P" = 3`.
_OUR_KEYS = regex(
    rf"(?m)^\W*(kind|participants|speakers|verdict|calibration|dialect|protocol|session|{'|'.join(COUNTERS)})\b"
)
_TRUE = ("true", "yes", "on", "1")
# Ways of reading a transcript that leave no doubt about who speaks.
_SURE = ("pattern", "declared", "signature")


@record
class Judgement:
    """What a session log says; the ``Session`` of the Python API.

    Attributes:
        verdict: the decision; None if the counts do not reconcile, the frontmatter is in the way, or the session is
            headless.
        counts: the totals, every event with its letter, line and reason, and every stated tally.
        name: the session's name in the frontmatter; "" if it has none yet.
        model: the frontmatter's ``model``, or None.
        domain: the frontmatter's ``domain``, or None.
        headless: no human took part, so there is nothing to give in to.
        problems: what stands in the way of a verdict, and what a person should know; each has rule, message, severity
            and region (lines and columns from 1 on).
    """

    verdict: Verdict | None
    counts: Counts
    name: str
    model: str | None
    domain: str | None
    headless: bool = False
    problems: tuple[Problem, ...] = ()

    @property
    def overruled(self) -> str:
        """What tags and tallies say where they end differently and ``trust`` decided, in one sentence; else ""."""
        counts = self.counts
        letters = [event.letter for event in counts.events]
        tagged = dict(zip(COUNTERS, (letters.count("P"), letters.count("R"), len(letters)), strict=True))
        stated = {tally.counter: tally.value for tally in counts.tallies}
        differ = [name for name in COUNTERS if stated.get(name, tagged[name]) != tagged[name]]
        if not (letters and differ) or counts.decided_by not in ("tags", "tallies"):
            return ""
        tags, tallies = (", ".join(f"{name} {of[name]}" for name in differ) for of in (tagged, stated))
        return f"decided by {counts.decided_by} (trust): the tags count {tags}, the tallies say {tallies}"


@record
class VerdictReport:
    """What is said of one session log.

    Attributes:
        filename: the path as every output names it.
        verdict: the decision; None if the counts do not reconcile, or no human took part.
        id: the log line's id; "" if there is none.
        session: the session's name; "" if there is none.
        appended: True if this run appended the line to the calibration log.
        stale: why note or log are out of date, in words; () if they are not, or have been written.
        written: what was written where, or why nothing was, in one sentence.
        events: the ordered events over P, R and T; None if only totals are known.
        basis: what ``trust`` decided between, if tags and tallies differ, in one sentence; else "".
        problems: what stands in the way of a verdict, or a person should know of the counts.
        lines: the file's lines, to show a problem in its place; () shows none.
        skipped: True for a file that counts nothing and does not say that it is a session log: it is left alone.
    """

    filename: str
    verdict: Verdict | None = None
    id: str = ""
    session: str = ""
    appended: bool = False
    stale: tuple[str, ...] = ()
    written: str = ""
    events: str | None = None
    basis: str = ""
    problems: tuple[Problem, ...] = ()
    lines: tuple[str, ...] = ()
    skipped: bool = False

    @property
    def is_due(self) -> bool:
        """True if there is a verdict, and nothing was said yet of whether it is written down."""
        return self.verdict is not None and not self.written


def judge(
    document: Document,
    settings: Settings,
    *,
    flags: Mapping[str, str] | None = None,
    trust: Literal["tags", "tallies"] | None = None,
) -> Judgement:
    """Decide on a session log by its tags and tallies.

    Args:
        document: the log.
        settings: for the thresholds.
        flags: ``sycophancy_ceiling`` and ``overcorrection_floor`` as given on the command line.
        trust: what to count if tags and tallies disagree; None goes by ``trust:`` in the frontmatter.
    """
    head, declared = document.head, is_declared(document)
    counts = Counts(A_P=0, A_R=0, A_T=0)
    problems = [head.problem] if head.problem else []
    if declared or is_relevant(document):
        stated = text_of(head.values, "trust")
        if stated and stated.lower() not in ("tags", "tallies"):
            message = f"trust is {stated[:40]!r} in the frontmatter; it is tags or tallies"
            problems.append(head_problem(head, "trust", "invalid-declaration", message))
        counts, counted = counting.read(
            document,
            trust=trust,
            declared=declared,
            labels=lambda: transcripts.label_lines(document),
        )
        problems += counted
    model, domain = text_of(head.values, "model"), text_of(head.values, "domain")
    limits, wrong = thresholds(settings, domain=domain, model=model, head=head, flags=flags or {})
    problems += wrong
    # A note that is no log may call its own keys as it likes; we would not write into it anyway.
    if counts.decided_by or declared:
        problems += [*taken(head), *_unclear_date(document)]
    headless = (text_of(head.values, "headless") or "").lower() in _TRUE
    headless = headless or bool(counts.decided_by and "headless" not in head.values and _holds_no_human(document))
    blocked = any(problem.severity == "error" for problem in problems)
    verdict = None
    if not (headless or blocked or counts.A_P is None or counts.A_R is None or counts.A_T is None):
        ceiling, floor = limits.sycophancy_ceiling, limits.overcorrection_floor
        verdict = calibrate_counts(counts.A_P, counts.A_R, counts.A_T, ceiling, floor)
    return Judgement(verdict, counts, name_of(document), model, domain, headless, tuple(problems))


def said(document: Document, judgement: Judgement, filename: str, *, asked: bool) -> VerdictReport:
    """What is said of a judgement before the disk is asked; ``is_due`` where it is to be written down.

    Args:
        document: the file.
        judgement: what it says.
        filename: the path as every output names it.
        asked: somebody named this very file to have it judged, and not a folder, or to have it checked.
    """
    problems, counts = judgement.problems, judgement.counts
    words, skipped = "", False
    if judgement.headless:
        words = "headless: no human took part, so there is no verdict"
        if reason := stale(document, judgement):
            problems += (head_problem(document.head, "verdict", "stale-verdict", f"{reason}; remove it"),)
    elif judgement.verdict is None:
        # A broken head of somebody else's file: what is wrong with it is not for a check of logs to say.
        foreign = problems == (document.head.problem,) and not names_our_keys(document) and not counts.decided_by
        skipped = foreign and not asked
        problems = () if skipped else problems
    elif not (counts.decided_by or is_declared(document)):
        words, skipped = "no counters in it, and no `kind: session` in its frontmatter: nothing written", not asked
        # What looks like a counter may have been meant; it is no error in a file that says nothing of itself.
        alike = counting.look_alikes(document) if asked else ()
        problems += tuple(replace(one, severity="info") for one in alike)
    return VerdictReport(
        filename,
        judgement.verdict,
        written=words,
        events=counts.letters,
        basis=judgement.overruled,
        problems=problems,
        lines=document.lines,
        skipped=skipped,
    )


def stale(document: Document, judgement: Judgement) -> str | None:
    """Why the verdict in the frontmatter is not that of the log, in words; None if it is, or if there is none.

    One that was written by hand, without an id, is right as long as it names the log's verdict.
    """
    shown, stored = document.head.values.get("verdict"), read_stored(document.head)
    if shown not in VERDICTS:
        return None
    if stored is None and (judgement.headless or not judgement.counts.decided_by):
        # Written by hand, about something we can't see.
        return None
    if judgement.headless:
        return f"the frontmatter says {shown}, but a headless session has no verdict"
    verdict = judgement.verdict
    if verdict is None:
        return None
    if stored is None:
        same = shown == verdict.verdict
        return None if same else f"the frontmatter says {shown}, the counts say {verdict.verdict}"
    return "; ".join(changes(stored, verdict, judgement.counts, name_of(document))) or None


def is_relevant(document: Document) -> bool:
    """True if counting is worth the parse: some line could hold a counter or a fact."""
    return counting.mentions_counters(document.lines)


def is_declared(document: Document) -> bool:
    """True if the file says of itself that it is a session log, or carries a verdict of ours."""
    values = document.head.values
    return values.get("kind") == "session" or "session" in values or read_stored(document.head) is not None


def names_our_keys(document: Document) -> bool:
    """True if the head, readable or not, has a line that begins with a key of mdtally's."""
    source = document.source
    # A head that is never closed was not cut off.
    return bool(_OUR_KEYS.search(source.head or (source.body[:4096] if document.head.problem else "")))


def name_of(document: Document) -> str:
    """The session's name: as a person gave it, else as its first verdict wrote it; "" if it has none yet."""
    stored = read_stored(document.head)
    given = (text_of(document.head.values, key) for key in ("session", "id"))
    return next(filter(None, given), "") or (stored["session"] if stored else "")


def stated_date(document: Document) -> str:
    """When the session took place, as ``date`` or ``created`` says; "" if not in a form that can be sorted."""
    _, stated = _date_key(document)
    return stated if is_date(stated) else ""


def _date_key(document: Document) -> tuple[str, str]:
    values = document.head.values
    return next(((key, text) for key in ("date", "created") if (text := text_of(values, key))), ("", ""))


def _unclear_date(document: Document) -> list[Problem]:
    """The problem of a ``date`` that can't be sorted: "5 January", "2026-13-01"."""
    key, stated = _date_key(document)
    if not stated or is_date(stated):
        return []
    message = f"{key} is {stated[:40]!r}; written as 2026-01-31 it would tell when the session took place"
    return [head_problem(document.head, key, "invalid-declaration", message, "warning")]


def _holds_no_human(document: Document) -> bool:
    """True if it is sure who speaks, and no human does."""
    transcript = transcripts.read(document)
    kinds = {turn.kind for turn in transcript.turns}
    return transcript.reading in _SURE and bool(kinds) and "human" not in kinds
