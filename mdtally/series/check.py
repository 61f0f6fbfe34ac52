"""``log check``: which lines of a log can't count, and the log without them.

Two writers, a crash, a full disk or a merge leave lines behind that are no records. Statistics skip them and say how
many; here each is named, with what to do. Lines stream through: nothing is kept but a fingerprint a line.

Most lines of most logs are as mdtally wrote them, and the reader of large logs proves a thousand of those at once
(`written.states`). Where that fails, the lines are halved until the few are left that are looked at one by one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from mdtally.log import BadLine, from_bytes
from mdtally.model import LineProblem, LogRecord
from mdtally.series.written import states

__all__ = ["Judged", "check", "judge", "repaired"]

_OPENING = b'{"verdict"'
_TOGETHER = 1000
"""Lines that are proved at once."""
_FEW = 8
"""Lines that are not halved further."""


@dataclass(frozen=True, slots=True)
class Judged:
    """Lines of the log, judged: one with a problem, or as many without one as stand in a row.

    Attributes:
        kept: what a repaired log keeps of them, without line ends.
        problem: what is wrong, or None.
    """

    kept: tuple[bytes, ...]
    problem: LineProblem | None = None


def check(lines: Iterable[bytes], log: str = "") -> Iterator[LineProblem]:
    """The problems of a log, in its order.

    Args:
        lines: its lines with their line ends, as a file opened as bytes gives them.
        log: its name.
    """
    for judged in judge(lines, log):
        if judged.problem:
            yield judged.problem


def repaired(lines: Iterable[bytes]) -> Iterator[bytes]:
    """The log with only the lines that count, each with a line end; checking it again finds nothing."""
    for judged in judge(lines):
        yield from (line + b"\n" for line in judged.kept)


def judge(lines: Iterable[bytes], log: str = "") -> Iterator[Judged]:
    """Every line that is not blank, judged, in the order of the log."""
    seen = _Seen()
    remaining = iter(lines)
    number = 1
    while several := list(islice(remaining, _TOGETHER)):
        yield from _judge_several(several, number, log, seen)
        number += len(several)


class _Seen:
    """What stands further up in the log: fingerprints of its lines, and of the state each session is in."""

    def __init__(self) -> None:
        self.lines: set[int] = set()
        self.newest: dict[int, int] = {}

    def repeats(self, line: bytes, session: bytes, state: bytes) -> str | None:
        """Why a record is a duplicate: the same line again, or the state the session is in anyway. Else it is noted.

        A session that went back to an earlier state has that state's id again, and rightly: only its newest line
        counts.
        """
        whole, of, to = hash(line), hash(session), hash(state)
        if whole in self.lines:
            return "the same line stands further up; the first one is kept"
        if self.newest.get(of) == to:
            return "the same verdict on the same state of this session stands further up; the first one is kept"
        self.lines.add(whole)
        self.newest[of] = to
        return None

    def repeats_record(self, line: bytes, record: LogRecord) -> str | None:
        """The same for a record that was read."""
        session, state = (text.encode("utf-8", "surrogatepass") for text in (record.session, record.id))
        return self.repeats(line, session, state)


def _judge_several(lines: Sequence[bytes], first: int, log: str, seen: _Seen) -> Iterator[Judged]:
    """Lines from that number on: all at once where they are as mdtally writes them, else half by half."""
    proved = states(b"".join(lines))
    if proved is not None and len(proved) == len(lines):
        bare = [line.rstrip(b"\r\n") for line in lines]
        start = 0
        for place, (line, state) in enumerate(zip(bare, proved, strict=True)):
            if repeated := seen.repeats(line, *state):
                yield Judged(tuple(bare[start:place]))
                yield Judged((), LineProblem(first + place, "duplicate", repeated, log))
                start = place + 1
        yield Judged(tuple(bare[start:]))
    elif len(lines) > _FEW:
        middle = len(lines) // 2
        yield from _judge_several(lines[:middle], first, log, seen)
        yield from _judge_several(lines[middle:], first + middle, log, seen)
    else:
        for number, line in enumerate(lines, start=first):
            if line.strip():
                yield _judge_one(line, number, log, seen)


def _judge_one(raw: bytes, number: int, log: str, seen: _Seen) -> Judged:
    line = raw.rstrip(b"\r\n")
    record = from_bytes(line)
    if isinstance(record, BadLine):
        return _judge_bad(record, line, LineProblem(number, "schema", record.reason, log), seen)
    repeated = seen.repeats_record(line, record)
    if repeated:
        return Judged((), LineProblem(number, "duplicate", repeated, log))
    if not raw.endswith(b"\n"):
        words = "the last line has no line end; a repaired copy gives it one"
        return Judged((line,), LineProblem(number, "torn", words, log))
    return Judged((line,))


def _judge_bad(bad: BadLine, line: bytes, problem: LineProblem, seen: _Seen) -> Judged:
    """A line that is no record: a whole record that was appended right behind a torn one is saved."""
    at = line.rfind(_OPENING)
    rest = line[at:]
    whole = from_bytes(rest) if at > 0 else bad
    if isinstance(whole, LogRecord):
        repeated = seen.repeats_record(rest, whole)
        words = "a write broke off here, and a whole line follows it; a repair keeps that one"
        return Judged(() if repeated else (rest,), LineProblem(problem.line, "torn", words, problem.log))
    kind = "foreign" if bad.kind == "empty" else bad.kind
    return Judged((), LineProblem(problem.line, kind, problem.message, problem.log))
