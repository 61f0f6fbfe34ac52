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

LineKind = Literal["torn", "duplicate", "conflict", "foreign", "schema", "time", "double"]

MOST_PROBLEMS = 100
"""Problems that are kept with their line; the rest are only counted (another program's file has them on every line)."""
_TO_THE_SECOND = len("2026-01-02T03:04:05")
_OPENING = b'{"verdict"'


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


Counted = tuple[VerdictName, int, int, int, str | None]
"""What was counted in a session: the verdict, A_P, A_R, A_T, and the ordered events or None."""


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

    def is_as(self, other: Session) -> bool:
        """True where both say the same of the session, whenever they were written."""
        return (self.counted, self.held, self.date, self.source) == (
            other.counted,
            other.held,
            other.date,
            other.source,
        )


class Sessions:
    """The sessions of one or several logs, each by its newest line.

    Attributes:
        lines: lines read, blank ones left out.
        superseded: lines that a newer one of their session replaces.
        repeated: lines that stand in two logs.
        unreadable: lines that are no record; problems: what was wrong with the first of them, and other problems.
    """

    def __init__(
        self, now: str = "", has_note: Callable[[str], object] | None = None, most_problems: int = MOST_PROBLEMS
    ) -> None:
        """No sessions yet.

        Args:
            now: the time, UTC; a line recorded later is a problem. "" asks for no look at the times.
            has_note: tells whether there is a note at a path of the log; two that exist and are one session are a
                problem.
            most_problems: problems to keep.
        """
        self.lines = self.superseded = self.repeated = self.unreadable = 0
        self.problems: list[LineProblem] = []
        self._now, self._has_note, self._most = now, has_note, most_problems
        self._known: dict[Any, Session] = {}
        self._logs = 0
        self._shared: dict[object, Any] = {}

    def __len__(self) -> int:
        return len(self._known)

    def read(
        self, lines: Iterable[bytes], log: str = "", *, duplicates: bool = False, project: str | None = None
    ) -> None:
        """Read one log.

        Within a log the session is the key. Over several logs it is project and session, so that sessions of different
        projects never hide each other; a line that stands in two logs is one.

        Args:
            lines: its lines with their line ends, as a file opened as bytes gives them.
            log: its name, for the problems.
            duplicates: look for lines that say what stands further up, too.
            project: the project of all its lines, in place of what they say.
        """
        from_here: dict[bytes, Session] = {}
        replaced: set[int] | None = set() if duplicates else None
        latest, now = "", self._now[:_TO_THE_SECOND]
        for number, line in enumerate(lines, start=1):
            self.lines += 1
            found = decoded(line)
            if isinstance(found, BadLine):
                if found.kind == "empty":
                    self.lines -= 1
                    continue
                self.unreadable += 1
                kind, message, whole = _broken(line, found)
                self._note(number, kind, message, log)
                if whole is None:
                    continue
                found = whole
            session = self.session(found, project)
            time = found.recorded[:_TO_THE_SECOND]
            if now and not latest <= time <= now:
                what = "which is in the future" if time > now else f"before a line above it ({latest}Z)"
                self._note(number, "time", f"recorded {found.recorded}, {what}", log)
            if time > latest:
                latest = time
            told = (found.A_P, found.A_R, found.A_T, found.sycophancy_ceiling, found.overcorrection_floor)
            if found.verdict != (decided := _decided(*told)):
                message = f"it says {found.verdict}, and its counts and thresholds {decided}: judge its note again"
                self._note(number, "schema", message, log)
            before = from_here.setdefault(session.key, session)
            if before is not session:
                self.superseded += 1
                from_here[session.key] = self._newer(session, before, found.schema)
                self._compare(number, session, before, replaced, log)
            if duplicates and not line.endswith(b"\n"):
                self._note(number, "torn", "the last line has no line end; add one", log)
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
        counted = (found.verdict, found.A_P, found.A_R, found.A_T, found.events)
        project = project or found.project
        held = (project, found.model, found.domain, found.sycophancy_ceiling, found.overcorrection_floor)
        folder, slash, note = found.source.rpartition("/")
        folder += slash
        return Session(
            shared.setdefault(counted, counted),
            shared.get(held) or shared.setdefault(held, Held(*held)),
            shared.setdefault(found.date, found.date),
            shared.setdefault(folder, folder),
            found.session.encode("utf-8", "surrogatepass"),
            f"{found.recorded}\0{note}".encode("utf-8", "surrogatepass"),
        )

    def _newer(self, session: Session, before: Session, schema: int) -> Session:
        """The one of a session's two lines that was recorded later."""
        kept = session if session.written[:_TO_THE_SECOND] >= before.written[:_TO_THE_SECOND] else before
        if schema == 1 and kept.held.project is None:
            # Its day is only that on which it was judged anew: a session stays where it was first recorded.
            kept.date = min(session.date, before.date)
        return kept

    def _compare(self, number: int, session: Session, before: Session, replaced: set[int] | None, log: str) -> None:
        """Note what is wrong with a further line of a session."""
        if replaced is not None:
            written = hash((session.key, session.written, session.counted, session.held))
            if written in replaced or session.is_as(before):
                self._note(number, "duplicate", "this state of its session stands further up; remove this line", log)
                return
            # A session that went back to an earlier state has that state again, and rightly: only its lines may not.
            replaced.add(hash((before.key, before.written, before.counted, before.held)))
        one, other = session.source, before.source
        if one != other and self._has_note and self._has_note(one) and self._has_note(other):
            message = (
                f"{one} and {other} both claim the session {session.name!r}: give one of them a `session:` of its own,"
                " and remove this line"
            )
            self._note(number, "double", message, log)

    def _merge(self, from_here: dict[bytes, Session]) -> None:
        self._logs += 1
        if self._logs == 1:
            self._known = from_here
            return
        if self._logs == 2:
            self._known = {_key(one, 1): one for one in self._known.values()}
        for session in from_here.values():
            # Lines of the first schema name no project: the same name in two logs is one session only if the line is.
            unnamed = session.held.project is None
            places = range(1, self._logs) if unnamed else (0,)
            others = [other for place in places if (other := self._known.get(_key(session, place)))]
            if session in others:
                self.repeated += 1
            elif unnamed or not others:
                self._known[_key(session, self._logs)] = session
            else:
                self.superseded += 1
                self._known[_key(session, 0)] = self._newer(session, others[0], schema=2)

    def _note(self, line: int, kind: LineKind, message: str, log: str) -> None:
        if len(self.problems) < self._most:
            self.problems.append(LineProblem(line, kind, message, log))


@lru_cache(maxsize=1 << 12)
def _decided(progressive: int, regressive: int, total: int, ceiling: float, floor: float) -> VerdictName:
    """What the decision rule says; many lines share their counts."""
    return calibrate_counts(progressive, regressive, total, ceiling, floor).verdict


def _key(session: Session, log: int) -> tuple[str, bytes]:
    """Project and session; for one that names no project, the number of the log stands for it."""
    project = session.held.project
    return (f"\0{log}" if project is None else project), session.key


def record_of(line: bytes) -> LogRecord | None:
    """The record that a line holds as ``Sessions`` reads it, behind a torn beginning, too; None where there is none."""
    found = decoded(line)
    return _broken(line, found)[2] if isinstance(found, BadLine) else found


def _broken(line: bytes, bad: BadLine) -> tuple[LineKind, str, LogRecord | None]:
    """What is wrong with a line that is no record, and the whole record that follows a torn one on the line."""
    at = line.rfind(_OPENING)
    if at > 0 and not isinstance(whole := decoded(line[at:]), BadLine):
        return "torn", "a write broke off here, and a whole line follows it: remove what stands before that one", whole
    if bad.kind == "foreign" and not line.endswith(b"\n"):
        return "torn", bad.reason, None
    return bad.kind, bad.reason, None  # type: ignore[return-value]
