"""``log check``: which lines of a log can't count, and the log without them.

Two writers, a crash, a full disk or a merge leave lines behind that are no records. Statistics skip them and say how
many; here each is named, with what to do. Lines stream through: nothing is kept but a fingerprint a line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from mdtally.log import BadLine, from_line
from mdtally.model import LineProblem, LogRecord

__all__ = ["Judged", "check", "judge", "repaired"]

_OPENING = b'{"verdict"'


@dataclass(frozen=True, slots=True)
class Judged:
    """A line of the log, judged.

    Attributes:
        kept: what a repaired log keeps of it, without a line end; None for nothing.
        problem: what is wrong with it, or None.
    """

    kept: bytes | None
    problem: LineProblem | None


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
        if judged.kept is not None:
            yield judged.kept + b"\n"


def judge(lines: Iterable[bytes], log: str = "") -> Iterator[Judged]:
    """Every line that is not blank, judged."""
    seen: set[int] = set()
    newest: dict[int, int] = {}
    for number, raw in enumerate(lines, start=1):
        line = raw.rstrip(b"\r\n")
        if not line.strip():
            continue
        record = _read(line)
        if isinstance(record, BadLine):
            yield _judge_bad(record, line, LineProblem(number, "schema", record.reason, log), seen, newest)
            continue
        repeated = _repeats(record, line, seen, newest)
        if repeated:
            yield Judged(None, LineProblem(number, "duplicate", repeated, log))
        elif not raw.endswith(b"\n"):
            words = "the last line has no line end; a repaired copy gives it one"
            yield Judged(line, LineProblem(number, "torn", words, log))
        else:
            yield Judged(line, None)


def _judge_bad(bad: BadLine, line: bytes, problem: LineProblem, seen: set[int], newest: dict[int, int]) -> Judged:
    """A line that is no record: a whole record that was appended right behind a torn one is saved."""
    at = line.rfind(_OPENING)
    rest = line[at:]
    whole = _read(rest) if at > 0 else bad
    if isinstance(whole, LogRecord):
        repeated = _repeats(whole, rest, seen, newest)
        words = "a write broke off here, and a whole line follows it; a repair keeps that one"
        return Judged(None if repeated else rest, LineProblem(problem.line, "torn", words, problem.log))
    kind = "foreign" if bad.kind == "empty" else bad.kind
    return Judged(None, LineProblem(problem.line, kind, problem.message, problem.log))


def _read(line: bytes) -> LogRecord | BadLine:
    try:
        return from_line(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        return BadLine("foreign", f"not UTF-8 (byte {error.start + 1} of the line)")


def _repeats(record: LogRecord, line: bytes, seen: set[int], newest: dict[int, int]) -> str | None:
    """Why a record is a duplicate: the same line again, or the state the session is in anyway. Else it is noted.

    A session that went back to an earlier state has that state's id again, and rightly: only its newest line counts.
    """
    session, state, whole = hash(record.session), hash(record.id), hash(line)
    if whole in seen:
        return "the same line stands further up; the first one is kept"
    if newest.get(session) == state:
        return "the same verdict on the same state of this session stands further up; the first one is kept"
    seen.add(whole)
    newest[session] = state
    return None
