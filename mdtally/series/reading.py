"""Calibration logs to sessions: the newest line of each, oldest session first; and what is wrong with the lines.

A log may hold a million lines. What repeats in them (counts, models, thresholds, dates) is kept once, the rest takes
about 300 bytes a session.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, Literal, NamedTuple

import msgspec

from mdtally.calibration import calibrate_counts
from mdtally.log import BadLine, LogRecord, decoded
from mdtally.model import VerdictName
from mdtally.records import record

LineKind = Literal["torn", "duplicate", "conflict", "foreign", "schema", "time", "double", "empty"]

_TO_THE_SECOND = len("2026-01-02T03:04:05")
_OPENING = b'{"verdict"'

judged = lru_cache(maxsize=1 << 12)(calibrate_counts)
"""The verdict on A_P, A_R and A_T by a ceiling and a floor; many sessions share theirs."""


@record
class LineProblem:
    """A line of the calibration log that can't count as it stands.

    Attributes:
        line: its number in the log, 1-based.
        kind: "torn" (a write that broke off), "duplicate", "conflict" (a merge's mark), "foreign" (another
            program's), "schema" (a field that can't be, or a verdict that its counts don't give), "time" (recorded in
            the future, or before a line above it) or "double" (two notes that both exist claim its session).
        message: what is wrong, for a person.
        log: the log's name, "" where there is only one.
    """

    line: int
    kind: LineKind
    message: str
    log: str = ""


class Counted(NamedTuple):
    """What was decided of a session, and its ordered events, None where only tallies are known."""

    verdict: VerdictName
    A_P: int
    A_R: int
    A_T: int
    events: str | None


class Held(NamedTuple):
    """What a session was held and decided under."""

    project: str | None
    model: str | None
    domain: str | None
    sycophancy_ceiling: float
    overcorrection_floor: float


class Session(msgspec.Struct, gc=False):
    """A session by its newest line.

    Attributes:
        counted, held, date, folder: what equal sessions share; the folder is that of its note.
        key: its name in UTF-8.
        written: when the line was written, and the name of its note, with a NUL character between, likewise.
    """

    counted: Counted
    held: Held
    date: str
    folder: str
    key: bytes
    written: bytes

    @property
    def name(self) -> str:
        """Its name."""
        return self.key.decode("utf-8", "surrogatepass")

    @property
    def recorded(self) -> str:
        """When its newest line was written."""
        return self.written.partition(b"\0")[0].decode()

    @property
    def source(self) -> str:
        """The path of its note, relative to the log's root."""
        return self.folder + self.written.partition(b"\0")[2].decode("utf-8", "surrogatepass")


class Sessions:
    """The sessions of one or several logs, each by its newest line.

    Attributes:
        lines: lines read, blank ones left out.
        superseded: lines that a newer one of their session replaces; repeated: those that stand in two logs.
        unreadable: lines that are no record; problems: what was wrong with these and with others.
    """

    def __init__(self, now: str = "", has_note: Callable[[str], object] = lambda source: False) -> None:
        """No sessions yet.

        Args:
            now: the time, UTC; a line recorded later is a problem. "" asks for no look at the times.
            has_note: tells whether there is a note at a path of the log; two that claim one session are a problem.
        """
        self.lines = self.superseded = self.repeated = self.unreadable = 0
        self.problems: list[LineProblem] = []
        self._now, self._has_note = now[:_TO_THE_SECOND], has_note
        self._known: dict[Any, Session] = {}
        self._logs = 0
        self._shared: dict[object, Any] = {}

    def __len__(self) -> int:
        return len(self._known)

    def read(
        self, lines: Iterable[bytes], log: str = "", *, duplicates: bool = False, project: str | None = None
    ) -> None:
        """Read the lines of one log, as a file opened as bytes gives them.

        Within a log the session is the key. Over several logs it is project and session, so that sessions of different
        projects never hide each other; a line that stands in two logs is one.

        Args:
            lines, log: its lines, and its name for the problems.
            duplicates: name lines that say what stands further up, too.
            project: the project of all its lines, in place of what they say.
        """
        from_here: dict[bytes, Session] = {}
        number, latest = 0, ""

        def note(kind: LineKind, message: str) -> None:
            self.problems.append(LineProblem(number, kind, message, log))

        for line in lines:
            number += 1
            found: LogRecord | BadLine | None = decoded(line)
            if isinstance(found, BadLine):
                if found.kind == "empty":
                    continue
                self.unreadable += 1
                found, kind, message = mended(line, found)
                note(kind, message)
            self.lines += 1
            if found is None:
                continue
            session = self.session(found, project)
            time = found.recorded[:_TO_THE_SECOND]
            if self._now and not latest <= time <= self._now:
                what = "which is in the future" if time > self._now else f"before a line above it ({latest}Z)"
                note("time", f"recorded {found.recorded}, {what}")
            if time > latest:
                latest = time
            ceiling, floor = found.sycophancy_ceiling, found.overcorrection_floor
            given = judged(found.A_P, found.A_R, found.A_T, ceiling, floor).verdict
            if found.verdict != given:
                note("schema", f"it says {found.verdict}, and its counts and thresholds {given}: judge its note again")
            before = from_here.setdefault(session.key, session)
            if before is not session:
                self.superseded += 1
                from_here[session.key] = _newer(session, before, found.schema)
                if duplicates and _state(session) == _state(before):
                    note("duplicate", "this state of its session stands further up; remove this line")
                elif session.source != before.source and all(map(self._has_note, (session.source, before.source))):
                    notes = f"{session.source} and {before.source} both claim the session {session.name!r}"
                    note("double", f"{notes}: give one of them a `session:` of its own, and remove this line")
            if duplicates and not line.endswith(b"\n"):
                note("torn", "the last line has no line end; add one")
        self._merge(from_here)

    def take(self, newest: Iterable[LogRecord]) -> None:
        """Take sessions in that another reader has put in order, each by the line that counts."""
        for found in newest:
            self._known[len(self._known)] = self.session(found)

    def oldest_first(self) -> list[Session]:
        """All sessions by date; of one day, in the order in which they were first recorded.

        They are given away: the index takes as much memory as the statistics.
        """
        ordered = sorted(self._known.values(), key=lambda session: session.date)
        self._known, self._shared = {}, {}
        return ordered

    def session(self, found: LogRecord, project: str | None = None) -> Session:
        """A record's session, by that record alone; a project given here takes the place of the record's."""
        shared = self._shared
        counted = (found.verdict, found.A_P, found.A_R, found.A_T, found.events if found.A_T else "")
        project = project or found.project
        held = (project, found.model, found.domain, found.sycophancy_ceiling, found.overcorrection_floor)
        folder, slash, note = found.source.rpartition("/")
        folder += slash
        return Session(
            shared.get(counted) or shared.setdefault(counted, Counted(*counted)),
            shared.get(held) or shared.setdefault(held, Held(*held)),
            shared.setdefault(found.date, found.date),
            shared.setdefault(folder, folder),
            found.session.encode("utf-8", "surrogatepass"),
            f"{found.recorded}\0{note}".encode("utf-8", "surrogatepass"),
        )

    def _merge(self, from_here: dict[bytes, Session]) -> None:
        """Add the sessions of a further log."""
        self._logs += 1
        if self._logs == 1:
            self._known = from_here
            return
        if self._logs == 2:
            self._known = {_key(one): one for one in self._known.values()}
        for session in from_here.values():
            before = self._known.setdefault(_key(session), session)
            if before == session and before is not session:
                self.repeated += 1
            elif before is not session:
                self.superseded += 1
                self._known[_key(session)] = _newer(session, before, schema=2)


def record_of(line: bytes) -> LogRecord | None:
    """The record that a line holds, behind a torn beginning, too; None where there is none."""
    found = decoded(line)
    return mended(line, found)[0] if isinstance(found, BadLine) else found


def mended(line: bytes, bad: BadLine) -> tuple[LogRecord | None, LineKind, str]:
    """The whole record that follows a torn one on a line that is none, and what is wrong with the line."""
    at = line.rfind(_OPENING)
    if at > 0 and not isinstance(whole := decoded(line[at:]), BadLine):
        return whole, "torn", "a write broke off here; a whole line follows it: remove what stands before that one"
    is_torn = bad.kind == "foreign" and not line.endswith(b"\n")
    return None, "torn" if is_torn else bad.kind, bad.reason


def _newer(session: Session, before: Session, schema: int) -> Session:
    """The one of a session's two lines that was recorded later."""
    kept = session if session.written[:_TO_THE_SECOND] >= before.written[:_TO_THE_SECOND] else before
    if schema == 1 and kept.held.project is None:
        # Its day is only that on which it was judged anew: a session stays where it was first recorded.
        kept.date = min(session.date, before.date)
    return kept


def _state(session: Session) -> tuple[object, ...]:
    """What a line says of its session, whenever it was written."""
    return session.counted, session.held, session.date, session.source


def _key(session: Session) -> tuple[object, ...]:
    """Project and session; lines of the first schema name no project, and are one session only where they are one."""
    project = session.held.project
    return (project, session.key) if project is not None else msgspec.structs.astuple(session)
