"""What a log says: counts, thresholds, and the decision; and whether the verdict in its frontmatter is still that."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import dropwhile
from typing import Literal

from mdtally.log.calibration import calibrate_counts
from mdtally.project.settings import Settings, thresholds
from mdtally.session import counts as counting
from mdtally.session.counts.runs import LabelLines
from mdtally.session.stored import colliding_keys, head_problem, is_judged
from mdtally.text import voices
from mdtally.text.document import Document
from mdtally.text.frontmatter import text_of, value_of
from mdtally.text.line_parts import is_date, leading_day
from mdtally.text.model import COUNTERS, Counts, Head, Problem, Verdict, errors_of
from mdtally.text.records import record
from mdtally.text.regex import regex

# A line of a head that begins with a key of mdtally's: "kind: debate", `"A_P" = 3`
_OUR_KEYS = regex(rf"(?m)^\W*(kind|participants|speakers|verdict|calibration|protocol|session|{'|'.join(COUNTERS)})\b")
# The label of a turn in the template, "**Me:**", and what stands behind it.
_LABEL = regex(r"\*\*[^*:]{1,40}:\*\*\s*(.*)")
REVIEWED = "calibration_reviewed"
"""The key of the frontmatter that says when a person had answered every question of a review."""
_TRUE = ("true", "yes", "on", "1")
_WORDS = {"trust": ("tags", "tallies"), "headless": ("true", "false", *_TRUE, "no", "off", "0")}
"""The keys of the frontmatter that take one of some words, of which the first two are told."""
_ONE_VALUE = ("session", "id", "date", "created", "labeler", "model", "domain", *_WORDS)


@record
class Judgement:
    """What a session log says.

    Attributes:
        verdict: the decision; None if the counts do not reconcile, the frontmatter is in the way, or the session is
            headless.
        counts: the totals, every event with its letter, line and reason, and every stated tally.
        name: the session's name in the frontmatter; "" if it has none yet.
        model, domain, labeler: as the frontmatter says, the labeler else as the configuration does; or None.
        headless: no human took part, so there is nothing to give in to.
        problems: what stands in the way of a verdict, and what a person should know; each has rule, message, severity
            and region (lines and columns from 1 on).
    """

    verdict: Verdict | None
    counts: Counts
    name: str
    model: str | None
    domain: str | None
    labeler: str | None = None
    headless: bool = False
    problems: tuple[Problem, ...] = ()


def judge(
    document: Document,
    settings: Settings,
    *,
    flags: Mapping[str, str] | None = None,
    trust: Literal["tags", "tallies"] | None = None,
    labels: LabelLines | None = None,
) -> Judgement:
    """Decide on a session log by its tags and tallies.

    Args:
        document: the log.
        settings: for thresholds and labeler.
        flags: ``sycophancy_ceiling`` and ``overcorrection_floor`` as given on the command line.
        trust: what to count if tags and tallies disagree; None goes by ``trust:`` in the frontmatter.
        labels: reads the turns; asked only if a fence is in doubt and the voices are declared.
    """
    head, is_log = document.head, is_declared(document)
    counts = Counts(A_P=0, A_R=0, A_T=0)
    problems = [head.problem] if head.problem else []
    if is_log or is_relevant(document):
        problems += _unclear_declarations(head)
        counts, counted = counting.read(document, trust=trust, declared=is_log, labels=labels)
        problems += (problem for problem in counted if problem != head.problem)
    model, domain = text_of(head, "model"), text_of(head, "domain")
    limits, wrong = thresholds(settings, domain=domain, model=model, head=head, flags=flags or {})
    problems += wrong
    # A note that is not a log may call its own keys as it likes; we would not write into it anyway.
    if counts.decided_by or is_log:
        problems += [*colliding_keys(head), *_unclear_date(document)]
    headless = is_headless(document)
    verdict = None
    if not (headless or errors_of(problems) or counts.A_P is None or counts.A_R is None or counts.A_T is None):
        ceiling, floor = limits.sycophancy_ceiling, limits.overcorrection_floor
        verdict = calibrate_counts(counts.A_P, counts.A_R, counts.A_T, ceiling, floor)
    labeler = text_of(head, "labeler") or settings.labeler or None
    return Judgement(verdict, counts, name_of(document), model, domain, labeler, headless, tuple(problems))


def taken_back(document: Document, judgement: Judgement) -> str:
    """Why a session that was judged before is taken out of the log, in words; "" if it stays."""
    if judgement.headless:
        return "a headless session has no verdict"
    lost = judgement.verdict is not None and not judgement.counts.decided_by and not reviewed_on(document.head)
    return "the note counts nothing any more" if lost else ""


def is_relevant(document: Document) -> bool:
    """True if counting is worth the parse: some line could hold a counter or a fact."""
    return not document.is_survey and counting.mentions_counters(document.lines)


def is_declared(document: Document) -> bool:
    """True if the file says of itself that it is a session log, or carries a verdict of ours or the day of a review."""
    kind = (text_of(document.head, "kind") or "").casefold()
    # "Session: 12" is a course's or a game's.
    says_so = kind == "session" or ("session" in document.head.values and kind != "debate")
    return (says_so or is_judged(document.head) or bool(reviewed_on(document.head))) and not document.is_survey


def reviewed_on(head: Head) -> str:
    """The day on which a person had answered every question of a review, as the frontmatter says; "" if never."""
    stated = text_of(head, REVIEWED) or ""
    return stated if is_date(stated) else ""


def is_blank(document: Document) -> bool:
    """True for a page of the template that waits to be filled in: labels of turns, and below the first nothing else."""
    lines = [line for line in document.lines[document.body_line - 1 :] if not line.startswith(("#", "<!--"))]
    below = [*dropwhile(lambda line: not _LABEL.match(line), lines)]
    return bool(below) and not any(label[1] if (label := _LABEL.match(line)) else line.strip() for line in below)


def is_headless(document: Document) -> bool:
    """True if `headless:` says so, or two declared voices or more have a kind and none of them is human."""
    stated = text_of(document.head, "headless")
    if stated is not None:
        return stated.lower() in _TRUE
    kinds = [voice.kind for voice in voices.declared_voices(document.head, document.form)[0]]
    return len(kinds) > 1 and all(kinds) and "human" not in kinds


def is_ours(document: Document) -> bool:
    """True if the head, readable or not, has a line that begins with a key of mdtally's, or if a merge conflict stands
    in a file that mentions counters."""
    source = document.source
    # A head that is never closed was not cut off.
    head = source.head or (source.body[:4096] if document.head.problem else "")
    return bool(_OUR_KEYS.search(head) or (document.conflict and counting.mentions_counters(document.lines)))


NAME_KEYS = ("session", "id", "calibration_session")
"""Keys that name a session: as a person gave it, and as its first verdict wrote it."""


def given_name(document: Document) -> str:
    """The session's name as the person gave it, in ``session`` or ``id``; "" if there is none."""
    return text_of(document.head, "session") or text_of(document.head, "id") or ""


def name_of(document: Document) -> str:
    """The session's name: as a person gave it, else as its first verdict wrote it; "" if it has none yet."""
    return given_name(document) or text_of(document.head, "calibration_session") or ""


def given_date(document: Document) -> str:
    """When the session took place, as ``date`` or ``created`` says; "" if not in a form that can be sorted."""
    _, stated = _date_key(document)
    return stated if is_date(stated) else ""


def dated_by_name(document: Document, source: str) -> str:
    """The day that the session's or the file's name begins with; "" if neither does, or the person gave a date."""
    if given_date(document):
        return ""
    return leading_day(given_name(document)) or leading_day(source.rpartition("/")[2])


def date_of(document: Document, source: str) -> str:
    """When the session took place, as the note, its name or its first verdict says; "" if none of them does."""
    return given_date(document) or dated_by_name(document, source) or text_of(document.head, "calibration_date") or ""


def _date_key(document: Document) -> tuple[str, str]:
    return next(((key, text) for key in ("date", "created") if (text := text_of(document.head, key))), ("", ""))


def _unclear_declarations(head: Head) -> Iterator[Problem]:
    """The problems of keys that decide how a log is judged, and have another value than they take."""
    for key in _ONE_VALUE:
        value, allowed, wrong = text_of(head, key), _WORDS.get(key), ""
        if isinstance(value_of(head, key), Mapping | list):
            wrong = "a list or mapping in the frontmatter; it takes one value"
        elif value and allowed and value.lower() not in allowed:
            wrong = f"{value[:40]!r} in the frontmatter; it is {' or '.join(allowed[:2])}"
        if wrong:
            yield head_problem(head, key, "invalid-declaration", f"{key} is {wrong}")


def _unclear_date(document: Document) -> Iterator[Problem]:
    """The problem of a ``date`` that can't be sorted: "5 January", "2026-13-01"."""
    key, stated = _date_key(document)
    if stated and not is_date(stated):
        message = f"{key} is {stated[:40]!r}; written as 2026-01-31 it would tell when the session took place"
        yield head_problem(document.head, key, "invalid-declaration", message, "warning")
