"""Calibration logs to sessions, each by the line that counts, oldest first; and what is wrong with the lines."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from mdtally.log.calibration import calibrate_counts
from mdtally.log.record import TO_THE_SECOND, BadLine, LogRecord, Retraction, from_line, how_to_forget, moment
from mdtally.text.model import Refusal
from mdtally.text.records import by_key, record, replace

LineKind = Literal[
    "torn", "joined", "duplicate", "conflict", "foreign", "schema", "time", "double", "orphan", "retraction", "empty"
]
Line = LogRecord | Retraction
Claims = Callable[[str], str | None]

_OPENINGS = (b'{"verdict"', b'{"retracts"')


@record
class LineProblem:
    """A line of the calibration log that can't count as it stands.

    Attributes:
        line: its number in the log, 1-based.
        kind: "torn" (a write that broke off), "duplicate", "conflict" (a merge's mark), "foreign" (another
            program's), "schema" (a field that can't be, or a verdict that its counts don't give), "time" (recorded in
            the future, or before a line above it, or of a session that took place later), "double" (two notes that both
            exist claim its session), "orphan" (its note is another session by now), "joined" (whole records on one
            line) or "retraction" (it takes back a session that no line before it judges).
        message: what is wrong, for a person.
        log: the log's name; None where there is only one.
    """

    line: int
    kind: LineKind
    message: str
    log: str | None = None


@record
class LogLines:
    """What the lines of one log hold.

    Attributes:
        records: verdicts and retractions, in the order of the file.
        lines: how many lines there are, blank ones left out; unreadable: how many of them are not records.
        problems: what is wrong with these and with others.
    """

    records: tuple[Line, ...]
    lines: int = 0
    unreadable: int = 0
    problems: tuple[LineProblem, ...] = ()


@record
class Sessions:
    """The sessions of one or several logs, each by the line that counts.

    Attributes:
        records: these lines, oldest session first; of one day, in the order in which they were first recorded.
        superseded: lines that a newer one of their session replaces; repeated: lines that stand in two logs.
        retracted: sessions that were taken back.
        labelers: by name, how many sessions they labelled; the one who counts first comes first.
        labelled_twice: sessions that several labelled, of whose labelings one counts.
        left_out: sessions that the one who is asked for did not label.
        lines, unreadable, problems: as of the logs.
    """

    records: tuple[LogRecord, ...]
    superseded: int = 0
    repeated: int = 0
    retracted: int = 0
    labelers: tuple[tuple[str, int], ...] = ()
    labelled_twice: int = 0
    left_out: int = 0
    lines: int = 0
    unreadable: int = 0
    problems: tuple[LineProblem, ...] = ()


def thresholds_of(line: LogRecord) -> tuple[float, float]:
    """The ceiling and the floor that a verdict was decided with; the rule's own where its line names none."""
    ceiling, floor = line.sycophancy_ceiling, line.overcorrection_floor
    return 0.20 if ceiling is None else ceiling, 0.05 if floor is None else floor


verdict_on = lru_cache(1 << 12)(calibrate_counts)
"""The verdict on A_P, A_R and A_T by a ceiling and a floor; many sessions share theirs."""


# -- Lines ------------------------------------------------------------------------------------------------------------


def read_lines(
    lines: Iterable[bytes],
    log: str = "",
    *,
    now: str = "",
    claims: Claims = lambda source: None,
    thorough: bool = False,
) -> LogLines:
    """Read the lines of a log, as a file opened as bytes gives them.

    Args:
        lines, log: the lines, and the log's name for the problems.
        now: the time, UTC; a line recorded later is a problem. "" asks for no look at the times.
        claims: gives the session that the note at a path of the log says it is, "" if it says none, None if there is no
            note; two notes that claim one session are a problem, and so is a session that its note no longer claims.
        thorough: name lines that say what was recorded before, too, and a last line without its end.
    """
    numbered: list[tuple[int, Line]] = []
    problems: list[tuple[int, _Wrong]] = []
    there = unreadable = 0
    latest, now = "", now[:TO_THE_SECOND]
    for number, line in enumerate(lines, start=1):
        read = from_line(line)
        if isinstance(read, BadLine) and read.kind == "empty":
            continue
        entries, wrongs = _recover_records(line, read) if isinstance(read, BadLine) else ([read], [])
        unreadable += any(kind != "joined" for kind, _ in wrongs)
        there += max(1, len(entries))
        for entry in entries:
            numbered.append((number, entry))
            time = moment(entry)
            if now and not latest <= time <= now:
                what = "which is in the future" if time > now else f"before a line above it ({latest}Z)"
                wrongs.append(("time", f"recorded {entry.recorded}, {what}"))
            if isinstance(entry, LogRecord) and _is_ahead(entry):
                wrongs.append(("time", f"its session is dated {entry.date}, after it was recorded ({entry.recorded})"))
            latest = max(latest, time)
        if entries and thorough and not line.endswith(b"\n"):
            wrongs.append(("torn", "the last line has no line end; add one"))
        problems += [(number, wrong) for wrong in wrongs]
    problems += _wrong_beside_others(numbered, log, claims, thorough=thorough)
    named = (LineProblem(number, *wrong, log or None) for number, wrong in sorted(problems, key=lambda one: one[0]))
    return LogLines(tuple(line for _, line in numbered), there, unreadable, tuple(named))


_Wrong = tuple[LineKind, str]


def _wrong_beside_others(
    numbered: Iterable[tuple[int, Line]], log: str, claims: Claims, *, thorough: bool
) -> Iterator[tuple[int, _Wrong]]:
    """What is wrong with lines beside those recorded before them, wherever these stand, each with its line's number."""
    newest: dict[str, LogRecord | None] = {}
    places: dict[str, int] = {}
    for number, line in sorted(numbered, key=lambda pair: moment(pair[1])):
        yield from ((number, wrong) for wrong in _wrong_with(line, newest, claims, thorough=thorough))
        places[line.session if isinstance(line, LogRecord) else line.retracts] = number
    yield from ((places[session], ("orphan", message)) for session, message in _orphans(newest, claims, log))


def _orphans(newest: dict[str, LogRecord | None], claims: Claims, log: str) -> Iterator[tuple[str, str]]:
    """The sessions of a note that claims another one by now, each with what to do."""
    sources = ((line.source, session) for session, line in newest.items() if line and line.source)
    for source, sessions in by_key(sources).items():
        claimed = claims(source) if len(sessions) > 1 else None
        for session in sessions if claimed else ():
            if session != claimed:
                what = f"{source} is session {claimed!r} by now, and no note claims {session!r} any more"
                yield session, f"{what}; {how_to_forget(session, log)}"


def _recover_records(line: bytes, bad: BadLine) -> tuple[Sequence[Line], list[_Wrong]]:
    """The whole records on a line that is none itself, and what is wrong with the line."""
    starts = sorted(match.start() for opening in _OPENINGS for match in re.finditer(re.escape(opening), line))
    parts = [from_line(line[start:end]) for start, end in pairwise([*starts, len(line)])]
    whole = [part for part in parts if not isinstance(part, BadLine)]
    if len(whole) > 1 and len(whole) == len(parts) and not line[: starts[0]].strip():
        return whole, [("joined", f"{len(whole)} whole records on one line, which all count: put each on its own line")]
    if starts and starts[-1] > 0 and not isinstance(parts[-1], BadLine):
        message = "a write broke off here; a whole line follows it: remove what stands before that one"
        return whole[-1:], [("torn", message)]
    is_torn = bad.kind == "foreign" and not line.endswith(b"\n")
    return [], [("torn" if is_torn else bad.kind, bad.reason)]


def _is_ahead(line: LogRecord) -> bool:
    """True if a session is dated more than a day after its line was recorded."""
    return (date.fromisoformat(line.date[:10]) - date.fromisoformat(line.recorded[:10])).days > 1


def _wrong_with(line: Line, newest: dict[str, LogRecord | None], claims: Claims, *, thorough: bool) -> Iterator[_Wrong]:
    """What is wrong with a line beside those before it: the last one of each session, None where that took it back."""
    if isinstance(line, Retraction):
        if newest.get(line.retracts):
            newest[line.retracts] = None
            return
        why = "is taken back already" if line.retracts in newest else "no line recorded before it judges"
        yield "retraction", f"it takes back {line.retracts[:80]!r}, which {why}: remove this line"
        return
    given = verdict_on(line.A_P, line.A_R, line.A_T, *thresholds_of(line)).verdict
    if line.verdict != given:
        yield "schema", f"it says {line.verdict}, and its counts and thresholds {given}: judge its note again"
    before, newest[line.session] = newest.get(line.session), line
    if before is None or before.labeler != line.labeler:
        return
    if thorough and replace(before, recorded=line.recorded) == line:
        yield "duplicate", "this state of its session was recorded before; remove this line"
    elif line.source != before.source and all(claims(one.source or "") == one.session for one in (line, before)):
        what = f"{line.source} and {before.source} both claim the session {line.session!r}"
        yield "double", f"{what}: give one of them a `session:` of its own, and remove this line"


# -- Sessions ---------------------------------------------------------------------------------------------------------

_Key = tuple[str | None, str, int]
_Labelings = dict[str | None, LogRecord]


def sessions_of(logs: Sequence[LogLines], labeler: str | None = None) -> Sessions:
    """The sessions of one or several logs, each by the newest line; what was taken back is left out.

    Within a log the session is the key; over several it is project and session, so that sessions of different projects
    never hide each other. A line that stands in two logs is one. Of two labelings of one session one counts.

    Args:
        logs: what the lines of each hold.
        labeler: whose labelings count, and no others; None takes those of whoever labelled most sessions.

    Raises:
        ValueError: nobody of that name labelled a session; the message says who did.
    """
    ordered, repeated = _in_order_of_time([log.records for log in logs])
    sessions: dict[_Key, _Labelings] = {}
    superseded = 0
    for key, line in ordered:
        if isinstance(line, Retraction):
            sessions.get(key, {}).clear()
            continue
        labelings = sessions.setdefault(key, {})
        # A line without a labeler is the same session judged before it had one, or after.
        old = [name for name in labelings if name is None or line.labeler in (None, name)]
        superseded += len(old)
        for name in old:
            del labelings[name]
        labelings[line.labeler] = line
    retracted = sum(not labelings for labelings in sessions.values())
    _join_labelings(sessions)
    many = Counter(name for labelings in sessions.values() for name in labelings if name)
    if labeler is not None and labeler not in many:
        names = ", ".join(f"{name} ({number})" for name, number in many.most_common())
        known = f"there are {names}" if names else "no line names one"
        raise ValueError(f"no session is labelled by {labeler!r}; {known}")
    labelers = sorted(many, key=lambda name: (name != labeler, -many[name], name))
    counting = sorted(_chosen(sessions.values(), labeler, labelers), key=lambda line: line.date)
    return Sessions(
        records=tuple(counting),
        superseded=superseded,
        repeated=repeated,
        retracted=retracted,
        labelers=tuple((name, many[name]) for name in labelers),
        labelled_twice=sum(len(labelings) > 1 for labelings in sessions.values()),
        left_out=len(sessions) - retracted - len(counting),
        lines=sum(log.lines for log in logs),
        unreadable=sum(log.unreadable for log in logs),
        problems=tuple(problem for log in logs for problem in log.problems),
    )


def of_two_labelers(a: LogLines, b: LogLines) -> tuple[Sequence[LogRecord], Sequence[LogRecord]]:
    """The sessions of two logs, or of one that is given twice: of another labeler in the second one if there is any."""
    of_a, of_b = sessions_of([a]), sessions_of([b])
    first = {line.labeler for line in of_a.records if line.labeler}
    others = [name for name, _ in of_b.labelers if name not in first]
    is_same = any(line.labeler in first for line in of_b.records)
    return of_a.records, sessions_of([b], others[0]).records if is_same and others else of_b.records


def _in_order_of_time(logs: Sequence[Sequence[Line]]) -> tuple[list[tuple[_Key, Line]], int]:
    """All lines with the keys of their sessions, oldest first, each once; and how many stand in two logs."""
    keyed: list[tuple[_Key, Line]] = []
    first_log: dict[Line, int] = {}
    repeated = 0
    for number, lines in enumerate(logs):
        in_order = sorted(lines, key=moment)
        projects = {line.session: line.project for line in in_order if isinstance(line, LogRecord)}
        for line in in_order:
            if len(logs) > 1 and first_log.setdefault(line, number) != number:
                repeated += 1
                continue
            session = line.retracts if isinstance(line, Retraction) else line.session
            project = projects.get(session)
            # Two logs that name no project may each have a "notes/a.md".
            keyed.append(((project, session, number if project is None else -1), line))
    return sorted(keyed, key=lambda pair: moment(pair[1])), repeated


def _join_labelings(sessions: dict[_Key, _Labelings]) -> None:
    """Make one of sessions that are one: session, date and model are the same in several logs, all labelers differ."""
    newest = ((key, next(reversed(each.values()))) for key, each in sessions.items() if each and None not in each)
    same = by_key(((line.session, line.date, line.model), key) for key, line in newest)
    for first, *others in same.values():
        names = [name for key in (first, *others) for name in sessions[key]]
        if len(names) == len(set(names)):
            for key in others:
                sessions[first] |= sessions.pop(key)


def _chosen(sessions: Iterable[_Labelings], labeler: str | None, labelers: Sequence[str]) -> Iterator[LogRecord]:
    """The labeling of each session that counts: that of the first of the labelers who labelled it."""
    ranks: dict[str | None, int] = {name: rank for rank, name in enumerate(labelers)}
    for labelings in sessions:
        if counting := [name for name in labelings if labeler in (None, name)]:
            yield labelings[min(counting, key=lambda name: ranks.get(name, 0))]


def retraction(lines: LogLines, session: str, now: str, reason: str = "") -> Retraction | Refusal | None:
    """The line that takes a session of a log out of every statistic; None where it is out already.

    Refused where there is no such session; the reason names one that is called nearly so.
    """
    counting = {line.session for line in sessions_of([lines]).records}
    if session in counting:
        # Lines of a clock that was ahead are newer than now, and are taken back, too.
        times = (line.recorded for line in lines.records if isinstance(line, LogRecord) and line.session == session)
        return Retraction(session, max(now, *times), reason)
    if any(isinstance(line, Retraction) and line.retracts == session for line in lines.records):
        return None
    from difflib import get_close_matches

    near = "".join(f"; did you mean {name!r}?" for name in get_close_matches(session, counting, n=1))
    return Refusal(f"no session {session!r}{near}")
