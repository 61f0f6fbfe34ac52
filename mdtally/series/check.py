"""``log check``: which lines of a log can't count, and the log without them.

Two writers, a crash, a full disk or a merge leave lines behind that are no records. Statistics skip them and say how
many; here each is named, with what to do. Lines stream through: nothing is kept but a fingerprint a line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from mdtally.model import LineProblem, LogRecord
from mdtally.series.scan import ReadLine

__all__ = ["Judged", "check", "judge", "repaired"]

_MARKERS = ("<<<<<<<", "|||||||", "=======", ">>>>>>>")
_OPENING = '{"verdict"'


@dataclass(frozen=True, slots=True)
class Judged:
    """A line of the log, judged.

    Attributes:
        kept: what a repaired log keeps of it, without a line end; None for nothing.
        problem: what is wrong with it, or None.
    """

    kept: bytes | None
    problem: LineProblem | None


def check(lines: Iterable[bytes], read: ReadLine, log: str = "") -> Iterator[LineProblem]:
    """The problems of a log, in its order.

    Args:
        lines: its lines with their line ends, as a file opened as bytes gives them.
        read: reads a line, or gives the reason why it is no record.
        log: its name.
    """
    for judged in judge(lines, read, log):
        if judged.problem:
            yield judged.problem


def repaired(lines: Iterable[bytes], read: ReadLine) -> Iterator[bytes]:
    """The log with only the lines that count, each with a line end; checking it again finds nothing."""
    for judged in judge(lines, read):
        if judged.kept is not None:
            yield judged.kept + b"\n"


def judge(lines: Iterable[bytes], read: ReadLine, log: str = "") -> Iterator[Judged]:
    """Every line that is not blank, judged."""
    seen: set[int] = set()
    newest: dict[int, int] = {}
    for number, raw in enumerate(lines, start=1):
        line = raw.rstrip(b"\r\n")
        if not line.strip():
            continue
        record = _read(line, read)
        if isinstance(record, LogRecord):
            repeated = _repeats(record, line, seen, newest)
            if repeated:
                yield Judged(None, LineProblem(number, "duplicate", repeated, log))
            elif not raw.endswith(b"\n"):
                words = "the last line has no line end; a repaired copy gives it one"
                yield Judged(line, LineProblem(number, "torn", words, log))
            else:
                yield Judged(line, None)
            continue
        if line.decode("utf-8", "replace").startswith(_MARKERS):
            words = "a merge left its marker here; both sides are kept by a repair"
            yield Judged(None, LineProblem(number, "conflict", words, log))
            continue
        rest = _behind_a_tear(line, read)
        if rest is not None:
            whole = _read(rest, read)
            again = isinstance(whole, LogRecord) and _repeats(whole, rest, seen, newest)
            words = "a write broke off here, and a whole line follows it; a repair keeps that one"
            yield Judged(None if again else rest, LineProblem(number, "torn", words, log))
        elif _is_torn(line, raw):
            words = f"a write broke off here ({record}); record the session again"
            yield Judged(None, LineProblem(number, "torn", words, log))
        else:
            yield Judged(None, LineProblem(number, "schema", record, log))


def _read(line: bytes, read: ReadLine) -> LogRecord | str:
    try:
        return read(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        return f"not UTF-8 (byte {error.start + 1} of the line)"


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


def _behind_a_tear(line: bytes, read: ReadLine) -> bytes | None:
    """The whole record that was appended right behind a torn one, on the same line; None where there is none."""
    at = line.rfind(_OPENING.encode())
    if at <= 0:
        return None
    rest = line[at:]
    return rest if isinstance(_read(rest, read), LogRecord) else None


def _is_torn(line: bytes, raw: bytes) -> bool:
    """True for the beginning of an object without its end, and for whatever the file ends in without a line end."""
    whole = line.strip()
    return (whole.startswith(b"{") and not whole.endswith(b"}")) or not raw.endswith(b"\n")
