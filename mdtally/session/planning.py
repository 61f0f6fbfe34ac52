"""What a verdict changes: which session a note is, the log's line, and the frontmatter."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Any, cast

from mdtally import frontmatter
from mdtally.log import LogRecord, to_line
from mdtally.model import Document, Problem, Source
from mdtally.records import record
from mdtally.regex import regex
from mdtally.session.judging import Judgement, name_of, stated_date
from mdtally.session.stored import Layout, changes, fields_of, head_problem, identifier, read_stored, text_of, updates

_DAY_BEFORE = regex(r"\A\d{4}-\d\d-\d\d")
_NO_WORD = regex(r"[\W_]+")


@record
class Place:
    """Where a note stands, and the last lines of its calibration log: further back would cost more with each session.

    Attributes:
        source: its path from the log's root, with forward slashes.
        project: the project's name by the configuration; "" if it names none.
        root: the name of the root folder.
        layout: how the frontmatter is to be written.
        records: the log's last lines that are records, oldest first.
        exists: False if there is no log yet.
        sessions: the names of all its sessions; None if these are only some of its lines, and the others' not known.
        search: gives every record of the log; asked only where a note of an earlier version is taken over.
        note_at: gives another note by its path from the log's root, or None if there is none.
    """

    source: str
    project: str = ""
    root: str = ""
    layout: Layout = "flat"
    records: tuple[LogRecord, ...] = ()
    exists: bool = False
    sessions: Collection[str] | None = ()
    search: Callable[[], Iterable[LogRecord]] = tuple
    note_at: Callable[[str], Document | None] = lambda source: None

    def newest(self, session: str) -> LogRecord | None:
        """The session's last line among these, or None."""
        return next((record for record in reversed(self.records) if record.session == session), None)


@record
class Plan:
    """What a verdict would change.

    Attributes:
        session: the name of the session.
        id: of this state of it.
        source: the note as it should be; equal to what it is if nothing is to change.
        record: the line the log should get, or None.
        reasons: why note or log are out of date, in words; () if they are not.
    """

    session: str
    id: str
    source: Source
    record: LogRecord | None = None
    reasons: tuple[str, ...] = ()

    @property
    def line(self) -> str | None:
        """The record as a line of the log."""
        return to_line(self.record) if self.record else None


def plan(document: Document, judgement: Judgement, place: Place, now: str) -> Plan | Problem:
    """What note and log should say of a judgement that has a verdict, at a time in UTC.

    Returns:
        the plan; or a problem if another note is the same session, or the head can't be edited without touching
        anything else.
    """
    verdict, counts, stored = judgement.verdict, judgement.counts, read_stored(document.head)
    if verdict is None:
        raise ValueError("there is no verdict to write down")
    session = _name(document, judgement, place, now)
    if double := _double(document, session, place):
        return double
    state, newest = identifier(session, verdict, counts), place.newest(session)
    reasons = changes(stored, verdict, counts, session) if stored else ["never judged"]
    was = (stored["source"] or (newest.source if newest else "")) if stored else ""
    if was not in ("", place.source):
        reasons.append(f"renamed: it was {was}")
    if newest:
        is_due = (newest.id, newest.source) != (state, place.source)
    else:
        # A log that was not read whole is trusted to have the line of a note that is up to date.
        is_due = bool(reasons) or (place.sessions is not None and session not in place.sessions)
    date = _date(document, session, place, now) if is_due or reasons else ""
    line = None
    if is_due:
        inherited = next((record.project for record in reversed(place.records) if record.project), None)
        line = LogRecord(
            **cast("Any", verdict.as_dict()),
            session=session,
            project=place.project or inherited or place.root or None,
            date=date,
            recorded=now,
            model=judgement.model,
            domain=judgement.domain,
            sycophancy_ceiling=float(verdict.thresholds.sycophancy_ceiling),
            overcorrection_floor=float(verdict.thresholds.overcorrection_floor),
            events=counts.letters,
            source=place.source,
            id=state,
        )
    if not reasons:
        state_of_log = "its newest line in the calibration log is of another state"
        why = state_of_log if newest else "it has no line in the calibration log"
        return Plan(session, state, document.source, line, (why,) if is_due and place.exists else ())
    recorded = now if is_due or newest is None else newest.recorded
    if stored and stored["id"] == state and stored["recorded"]:
        recorded = stored["recorded"]
    first = (stored["date"] if stored else "") or date
    named = {"session": session, "source": place.source, "date": first, "recorded": recorded, "id": state}
    keys = updates(document.head, place.layout, verdict.verdict, {**fields_of(verdict), **named})
    edited = frontmatter.edit(document.source, keys)
    return edited if isinstance(edited, Problem) else Plan(session, state, edited, line, tuple(reasons))


# -- Which session it is ----------------------------------------------------------------------------------------------


def claim(document: Document) -> tuple[str, str] | None:
    """What a note says of its session, to find two that are one: ("session", name), ("id", the id of a verdict of
    0.1.0), or None if it says nothing."""
    if name := name_of(document):
        return "session", name
    stored = read_stored(document.head)
    return ("id", stored["id"]) if stored and stored.is_old else None


def doubled(document: Document, source: str, other: Document, other_source: str, session: str) -> Problem:
    """The problem of a note that exists beside another one of the same session; it says which line to remove.

    Args:
        document, source: the note it is reported for.
        other, other_source: the other one.
        session: the name of both.
    """
    stored = read_stored(document.head)
    is_original = stored is not None and stored["source"] == source
    copy, path = (other, other_source) if is_original else (document, source)
    key = _name_key(copy)
    message = (
        f"this note and {other_source} are both session {session!r}, and one would take the other's place; "
        f"remove line {copy.head.lines.get(key, 1)} of {path} (`{key}:`) or give it a `session:` of its own"
    )
    return head_problem(document.head, _name_key(document), "doubled-session", message)


def _name_key(document: Document) -> str:
    """The key that names a note's session."""
    keys = ("session", "id", "calibration_session")
    return next((key for key in keys if text_of(document.head.values, key)), "calibration")


def _name(document: Document, judgement: Judgement, place: Place, now: str) -> str:
    """The name of a note's session; a new one if it has none."""
    if judgement.name:
        return judgement.name
    stored = read_stored(document.head)
    if stored and stored.is_old and judgement.verdict:
        # Version 0.1.0 named a session without a name by its path.
        if identifier(place.source, judgement.verdict, judgement.counts) == stored["id"]:
            return place.source
        lines = [*place.search()]
        for of_it in (lambda line: line.id == stored["id"], lambda line: line.source == place.source):
            if line := next(filter(of_it, reversed(lines)), None):
                return line.session
    import hashlib

    mark = hashlib.sha256(f"{place.source}\n{document.source.body}".encode(errors="replace")).hexdigest()[:6]
    # A run that was cut short between log and note has left the name in the log.
    for line in reversed(place.records):
        if line.source == place.source and line.session.endswith(f"-{mark}"):
            return line.session
    stem = place.source.rpartition("/")[2].removesuffix(".md")
    slug = _NO_WORD.sub("-", _DAY_BEFORE.sub("", stem).lower()).strip("-")[:40].rstrip("-")
    return f"{(stated_date(document) or now)[:10]}-{slug or 'session'}-{mark}"


def _date(document: Document, session: str, place: Place, now: str) -> str:
    """When the session took place: as the note says, else when it was first recorded."""
    stored, newest = read_stored(document.head), place.newest(session)
    if stated := stated_date(document) or (stored["date"] if stored else ""):
        return stated
    if stored and stored.is_old:
        known = (line.date for line in place.search() if line.session == session)
        return min([*known, stored["recorded"][:10] or now[:10]])
    return newest.date if newest else now[:10]


def _double(document: Document, session: str, place: Place) -> Problem | None:
    """The problem of another note that exists and is the same session; at a cost that does not grow with the log."""
    stored = read_stored(document.head)
    mine = [record for record in place.records if record.session == session]
    sources = dict.fromkeys([*([stored["source"]] if stored else []), *(record.source for record in mine)])
    ids = {record.id for record in mine} | ({stored["id"]} if stored else set())
    for source in sources:
        other = place.note_at(source) if source and source != place.source else None
        said = claim(other) if other else None
        if other and said and (said == ("session", session) or (said[0] == "id" and said[1] in ids)):
            return doubled(document, place.source, other, source, session)
    return None
