"""What a verdict changes: which session a note is, the log's line, and the frontmatter."""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any, cast

from mdtally.log.calibration import in_words
from mdtally.log.record import VERDICTS, LogRecord, Retraction, held_of, make_id, pressed_of, to_line
from mdtally.session.judging import (
    NAME_KEYS,
    Judgement,
    date_of,
    dated_by_name,
    given_date,
    given_name,
    name_of,
    taken_back,
)
from mdtally.session.stored import KEYS, differing, head_problem, is_judged
from mdtally.text import frontmatter
from mdtally.text.document import Document
from mdtally.text.frontmatter import REMOVED, text_of
from mdtally.text.line_parts import leading_day
from mdtally.text.model import COUNTERS, Head, Problem, Region, Source, Verdict
from mdtally.text.records import pick, record, replace
from mdtally.text.regex import regex

NEVER_JUDGED = "never judged"
"""Why a note is stale that no verdict stands in."""

# " – " in "Monday – talk"
_NO_WORD = regex(r"[\W_]+")
_GROUNDS = {
    "counts": COUNTERS,
    "thresholds": ("sycophancy_ceiling", "overcorrection_floor"),
    "the name of the session": ("session",),
    "the labeler": ("labeler",),
}
# What the line of a session says beside its verdict: a note that comes to state one, or another, changes its line.
_BESIDE = ("date", "model", "domain")


@record
class Place:
    """Where a note stands, and the last lines of its calibration log: further back would cost more with each session.

    Attributes:
        source: its path from the log's root, with forward slashes.
        project: the project's name.
        records: the log's last lines that can be read, oldest first.
        sessions: the names of all its sessions; None if these are only some of its lines, and the others' not known.
        rivals: gives the paths of the other notes of this run that claim a session.
        note_at: gives another note by its path from the log's root, or None if there is none.
    """

    source: str
    project: str | None = None
    records: tuple[LogRecord | Retraction, ...] = ()
    sessions: Collection[str] | None = ()
    rivals: Callable[[str], Iterable[str]] = lambda session: ()
    note_at: Callable[[str], Document | None] = lambda source: None

    def newest(self, session: str) -> LogRecord | Retraction | None:
        """The session's last line among these, or None."""
        names = ((line.session if isinstance(line, LogRecord) else line.retracts, line) for line in self.records[::-1])
        return next((line for name, line in names if name == session), None)

    def time_for(self, session: str, now: str) -> str:
        """When a new line of a session is recorded: now, or when its newest one was, by a clock that was ahead.

        Else the older line would go on counting.
        """
        newest = self.newest(session)
        return max(now, newest.recorded) if newest else now

    def verdicts(self, session: str = "") -> Iterator[LogRecord]:
        """The verdicts among these, the newest first; those of one session if it is named."""
        return (line for line in self.records[::-1] if isinstance(line, LogRecord) and session in ("", line.session))


# A hook sees only what is staged, where `mdtally verdict` finds nothing to write.
_STAGE = "; before a commit, stage the log with the note"


@record
class Due:
    """What is due to a note and to its calibration log.

    Attributes:
        session: the name of the session.
        id: of this state of it; "" if it is taken out of the log.
        source: the note as it should be; equal to what it is if nothing is to change.
        line: the line that the log should get; "" if it lacks none.
        reasons: why note or log are out of date, in words; () if they are not.
        dated: what gave the note its date if it states none, in words; "" if that is not to be said.
        orphans: other sessions that the log has from this very note.
    """

    session: str
    id: str
    source: Source
    line: str = ""
    reasons: tuple[str, ...] = ()
    dated: str = ""
    orphans: tuple[str, ...] = ()


def plan(document: Document, judgement: Judgement, place: Place, now: str) -> Due | Problem | None:
    """What note and log should say of a judgement, at a time in UTC; None if they say nothing and should not.

    Returns:
        what is due; or a problem if another note is the same session, or the head can't be edited without touching
        anything else.
    """
    if reason := taken_back(document, judgement):
        return _take_back(document, place, now, reason)
    verdict = judgement.verdict
    if verdict is None:
        return None
    session = session_name(document, place.source)
    if double := _double(document, session, place) or _used_again(document, judgement, session, place):
        return double
    newest = place.newest(session)
    record = _record(document, judgement, session, place, now)
    reasons = _reasons(document, judgement, record, place)
    if isinstance(newest, LogRecord):
        is_due = any(getattr(newest, field) != getattr(record, field) for field in ("id", "source", *_BESIDE))
        lack = f"its newest line in the calibration log is of another state{_STAGE}"
    elif newest:
        is_due, lack = True, "it was taken back in the calibration log"
    else:
        # A log that was not read whole is trusted to have the line of a note up to date.
        is_due = bool(reasons) if place.sessions is None else session not in place.sessions
        lack = f"it has no line in the calibration log{_STAGE}"
    edited = frontmatter.edit(document.source, document.head, _keys(document, verdict, record) if reasons else {})
    if isinstance(edited, Problem):
        return edited
    if is_due and not reasons and place.records:
        reasons = [lack]
    dated = "" if newest else _date_source(document, place.source, record)
    due = to_line(record) if is_due else ""
    return Due(session, record.id or "", edited, due, tuple(reasons), dated, tuple(_orphans(session, place)))


def stale(document: Document, judgement: Judgement) -> str | None:
    """Why the verdict in the frontmatter is not that of the log, in words; None if it is, or if there is none.

    One that was written by hand, without an id, is right as long as it names the log's verdict.
    """
    head, verdict = document.head, judgement.verdict
    shown = text_of(head, "verdict")
    if shown not in VERDICTS:
        return None
    if not is_judged(head):
        # Of what was written by hand about something that we can't see, nothing is said.
        if verdict is None or shown == verdict.verdict or not judgement.counts.decided_by:
            return None
        return f"the frontmatter says {shown}, the counts say {verdict.verdict}"
    if reason := taken_back(document, judgement):
        return f"the frontmatter says {shown}, but {reason}"
    if verdict is None:
        return None
    nowhere = Place("")
    record = _record(document, judgement, judgement.name, nowhere, "")
    return "; ".join(_reasons(document, judgement, record, nowhere)) or None


def _take_back(document: Document, place: Place, now: str, reason: str) -> Due | Problem | None:
    """What is due if a session that was judged before has no verdict any more; None if it never had one."""
    was, has_verdict = _line_of(document.head, place), is_judged(document.head)
    session = was.session if was else name_of(document)  # which may have another name by now
    newest = place.newest(session)
    # A note that was renamed since then is that session still; of a copy the original is.
    is_own = has_verdict and not _rival(session, place)
    is_logged = isinstance(newest, LogRecord) and (newest.source == place.source or is_own)
    if not (has_verdict or is_logged):
        return None
    without: dict[str, object] = dict.fromkeys(KEYS, REMOVED) if has_verdict else {}
    edited = frontmatter.edit(document.source, document.head, without)
    if isinstance(edited, Problem) and without:
        # Comments alone would be no head any more: one key stays, without a value.
        edited = frontmatter.edit(document.source, document.head, {**without, "verdict": None})
    if isinstance(edited, Problem):
        return edited
    unknown = newest is None and place.sessions is None
    line = to_line(Retraction(session, place.time_for(session, now), reason)) if is_logged or unknown else ""
    return Due(session, "", edited, line, (reason,), orphans=tuple(_orphans(session, place)))


def _line_of(head: Head, place: Place) -> LogRecord | None:
    """The log's line of the verdict in a frontmatter; None if there is none."""
    shown = text_of(head, "calibration_id") if is_judged(head) else ""
    return next((one for one in place.verdicts() if one.id == shown), None)


def _record(document: Document, judgement: Judgement, session: str, place: Place, now: str) -> LogRecord:
    """The line of the log for a judgement that has a verdict."""
    verdict = cast("Verdict", judgement.verdict)
    limits, first_date = verdict.thresholds, next((line.date for line in place.verdicts(session)), "")
    line = LogRecord(
        **cast("Any", verdict.as_dict()),
        session=session,
        date=date_of(document, place.source) or first_date or _local_day(now),
        recorded=place.time_for(session, now),
        sycophancy_ceiling=float(limits.sycophancy_ceiling),
        overcorrection_floor=float(limits.overcorrection_floor),
        pressed=pressed_of(judgement.counts.facts),
        held=held_of(judgement.counts.facts),
        **pick(judgement, "model domain labeler events=counts.letters"),
        **pick(place, "project source"),
    )
    return replace(line, id=make_id(line, limits))


def _local_day(now: str) -> str:
    """The day that it is where the person is, at a time in UTC; "" at none."""
    from datetime import datetime  # a note that has its date pays nothing for it

    return datetime.fromisoformat(now).astimezone().date().isoformat() if now else ""


def _keys(document: Document, verdict: Verdict, record: LogRecord) -> dict[str, object]:
    """The keys of the frontmatter and their new values for a verdict.

    Session and date stand there only if the person gave none of their own; else a key of ours goes.
    """
    shown = (rate and round(rate, 4) for rate in (verdict.sycophancy_rate, verdict.overcorrection_rate))
    session = "" if given_name(document) else record.session
    date = "" if given_date(document) else record.date
    values = (verdict.verdict, in_words(verdict), *shown, verdict.qualifier, record.id, session, date)
    return {key: REMOVED if value == "" else value for key, value in zip(KEYS, values, strict=True)}


def _reasons(document: Document, judgement: Judgement, record: LogRecord, place: Place) -> list[str]:
    """Why the verdict in the frontmatter is not that of the note, in words; empty if it is.

    The frontmatter keeps few values, so what has changed is told from the line that the verdict had in the log.
    """
    head = document.head
    if not is_judged(head):
        return [NEVER_JUDGED]
    names = differing(head, _keys(document, cast("Verdict", judgement.verdict), record))
    was = _line_of(head, place)
    found = []
    if "verdict" in names:
        found.append(f"the frontmatter says {text_of(head, 'verdict')}, the counts say {record.verdict}")
    if "calibration_id" in names:
        unknown = [] if found else ["counts, facts, thresholds, labeler or the session's name have changed"]
        found += _grounds(was, record, judgement) if was else unknown
    elif names and not found:
        missing = [key for key in names if text_of(head, key) is None]
        found.append(f"missing: {', '.join(missing)}" if missing else f"not what the counts give: {', '.join(names)}")
    if was and was.source != place.source:
        found.append(f"renamed: it was {was.source}")
    # Where the log was not read whole, a date of ours beside the person's own shows that this one came later.
    ours = text_of(head, "calibration_date") if given_date(document) else None
    since = f"date {ours} to {record.date}" if ours and ours != record.date else ""
    if changed := _changes(was, record, _BESIDE) if was else since:
        found.append(f"changed: {changed}")
    return found


def _grounds(was: LogRecord, now: LogRecord, judgement: Judgement) -> list[str]:
    """What a verdict rests on that is not as it was, in words."""
    found = []
    for title, fields in _GROUNDS.items():
        if changed := _changes(was, now, fields):
            found.append(f"{title} changed: {changed}")
    lines = [one.region.line for one in judgement.counts.events or judgement.counts.tallies]
    if found and lines and found[0].startswith("counts"):
        found[0] += f" (the last in line {max(lines)})"
    same_order = was.events == now.events
    return found or ["facts changed: what was noted of an event" if same_order else "the events or their order changed"]


def _changes(was: LogRecord, now: LogRecord, fields: Sequence[str]) -> str:
    """Which of these fields differ, from what to what; "" if none does."""
    changed = [(one, getattr(was, one), getattr(now, one)) for one in fields if getattr(was, one) != getattr(now, one)]
    return ", ".join(f"{field} {_or_none(before)} to {_or_none(after)}" for field, before, after in changed)


def _or_none(value: object) -> object:
    return "none" if value is None else value


# -- Which session it is ----------------------------------------------------------------------------------------------


def _double(document: Document, session: str, place: Place) -> Problem | None:
    """The problem of another note that exists and is the same session; it says which line to remove.

    It is told from the notes of this run and from the log's last lines, so at a cost that does not grow.
    """
    newest = next(place.verdicts(session), None)
    # The note that the log knows stays, and a copy is told so.
    if (newest and newest.source == place.source) or not (source := _rival(session, place)):
        return None
    key = next((key for key in NAME_KEYS if text_of(document.head, key)), "")
    both = f"this note and {source} are both session {session!r}, and one would take the other's place"
    advice = f"write a `session:` or a `date:` of its own into the frontmatter of {place.source}"
    if key:
        line = f"line {document.head.lines.get(key, 1)} of {place.source} (`{key}:`)"
        advice = f"remove {line} or give it a `session:` of its own"
    return head_problem(document.head, key, "doubled-session", f"{both}; {advice}")


def _rival(session: str, place: Place) -> str:
    """Another note that exists and says that it is a session, by its path from the log's root; "" if there is none."""
    for source in dict.fromkeys((*place.rivals(session), *(line.source or "" for line in place.verdicts(session)))):
        other = place.note_at(source) if source and source != place.source else None
        if other is not None and name_of(other) == session:
            return source
    return ""


def session_name(document: Document, source: str) -> str:
    """The name of a note's session: its own, or one made of what two branches share.

    That is a stated date, a slug of the file's name and six characters of a hash of its path from the log's root:
    nothing of the body and nothing of today, so that a first verdict on each of two branches is one session.
    """
    if name := name_of(document):
        return name
    import hashlib

    mark = hashlib.sha256(source.encode(errors="replace")).hexdigest()[:6]
    stem = source.rpartition("/")[2].removesuffix(".md")
    day = leading_day(stem)
    slug = _NO_WORD.sub("-", stem.removeprefix(day).lower()).strip("-")[:40].rstrip("-")
    return "-".join(filter(None, ((given_date(document) or day)[:10], slug or "session", mark)))


def _used_again(document: Document, judgement: Judgement, session: str, place: Place) -> Problem | None:
    """The problem of a page that was emptied and used again: the log has other events of it, and it says no name.

    So, too, of a note at the old place of one that was renamed, and is gone by now.
    """
    was = place.newest(session)
    if name_of(document) or not isinstance(was, LogRecord):
        return None
    counts = judgement.counts
    old, new = (was.A_P, was.A_R, was.A_T), (counts.A_P or 0, counts.A_R or 0, counts.A_T or 0)
    if was.events is not None and counts.letters is not None:
        short, long = sorted((was.events, counts.letters), key=len)
        goes_on = long.startswith(short)
    else:  # no total has risen while another fell
        goes_on = not (any(map(operator.lt, old, new)) and any(map(operator.gt, old, new)))
    if goes_on:
        return None
    shown = " ".join(f"{counter} {number}" for counter, number in zip(COUNTERS, old, strict=True))
    is_moved = was.source is not None and was.source != place.source
    of = f"a file that was here and became {was.source}" if is_moved else "this file"
    what = f"the log has another session of {of}, {session!r} ({shown}), and its events are not those of this note"
    if_new = "if this is a new session, write a `session:` of its own into the frontmatter"
    message = f"{what}; {if_new}; if it is the same one, write `calibration_session: {session}`"
    return Problem("doubled-session", message, Region(1, 1, 1, 1))


def _orphans(session: str, place: Place) -> Iterator[str]:
    """The other sessions that the log has from this very note and that no note claims, the newest first."""
    for name in dict.fromkeys(line.session for line in place.verdicts()):
        newest = place.newest(name)
        is_from_here = name != session and isinstance(newest, LogRecord) and newest.source == place.source
        if is_from_here and not _rival(name, place):
            yield name


def _date_source(document: Document, source: str, record: LogRecord) -> str:
    """How a session without a date got one, in words: by its name, or, with the way to give one, by the clock."""
    if day := dated_by_name(document, source):
        return f"dated {day} by its name"
    if date_of(document, source):
        return ""
    return f"dated {record.date}, the day of its first verdict; another day: `date: YYYY-MM-DD` in the frontmatter"
