"""Reading a log of any length: the newest line of each session, in columns.

A log may hold a million lines; an object for each would cost a gigabyte and most of the time. So a block of the log
that has exactly the form in which mdtally writes it is taken apart by one regular expression, and what repeats (counts,
conditions) is parsed once and then known by a number. A block with any other line in it, hand-edited, escaped or
broken, is read line by line, and such a line goes to the reader of the `log` room, which decides what it is. What
counts is kept in arrays, some 200 bytes a session.

The newest line of a session is the one recorded last; of lines recorded at the same time, the later one. A session
stands where its newest line does.
"""

from __future__ import annotations

import json
import re
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice, repeat
from operator import add, le

from mdtally.model import LineProblem, LogRecord, VerdictName

__all__ = ["MOST_PROBLEMS", "Conditions", "Counted", "ReadLine", "Sessions"]

ReadLine = Callable[[str], "LogRecord | str"]
"""A line of the log to its record, or to the reason why it is none."""

MOST_PROBLEMS = 100
"""Problems that are kept with their line; the rest are only counted (another program's file has them on every line)."""
_LINES_A_BLOCK = 1000
_QUOTE = ord('"')
_NULL = ord("l")
_VERDICTS = ("SYCOPHANTIC", "OVERCORRECTED", "CALIBRATED", "UNCALIBRATED")

# A line as it is written. Groups: verdict to A_T, session, recorded, model to overcorrection_floor, events; and any
# other line. Repetitions are possessive, so a line that does not fit is given up at once; a string with an escaped
# quote does not fit.
_WRITTEN = (
    rb'\{("verdict": "[A-Z]++", "sycophancy_rate": [^,"]++, "overcorrection_rate": [^,"]++, '
    rb'"A_P": \d++, "A_R": \d++, "A_T": \d++), "note": "[^"]*+", "session": "([^"]*+)", '
    rb'"recorded": "([^"]*+)", ("model": (?:null|"[^"]*+"), "domain": (?:null|"[^"]*+"), '
    rb'"sycophancy_ceiling": [^,"]++, "overcorrection_floor": [^,"]++), "events": (null|"[PRT]*+"), '
    rb'"source": "[^"]*+", "id": "[^"]*+", "schema": 1\}\r?\n|([^\n]*+\n)'
)
# With spaces after colons and commas, as `json.dumps` has them, and without; optional ones would cost
# half as much again.
_SPACED = re.compile(_WRITTEN)
_COMPACT = re.compile(_WRITTEN.replace(b": ", b":").replace(b", ", b","))
_Found = tuple[bytes, bytes, bytes, bytes, bytes, bytes]


@dataclass(frozen=True, slots=True)
class Counted:
    """What a line says was counted."""

    verdict: VerdictName
    A_P: int
    A_R: int
    A_T: int


@dataclass(frozen=True, slots=True)
class Conditions:
    """What a session was held and decided under."""

    model: str | None
    domain: str | None
    sycophancy_ceiling: float
    overcorrection_floor: float


class Sessions:
    """The sessions of one or several logs, each by its newest line, and known by a number.

    Attributes:
        lines: lines read, blank ones left out.
        unreadable: lines that are no record; the first of them are in `problems`.
        problems: what was wrong with them, by line.
    """

    def __init__(self) -> None:
        self.lines = 0
        self.unreadable = 0
        self.problems: list[LineProblem] = []
        # One entry a session: the row of its newest line.
        self._index: dict[bytes, int] = {}
        # One entry a row: codes into the lists below, and where its text (recorded, then events) ends.
        self._of_counted = array("I")
        self._of_conditions = array("I")
        self._text_ends = array("Q", [0])
        self._texts = bytearray()
        self._counted: list[Counted] = []
        self._conditions: list[Conditions] = []
        self._counted_code: dict[bytes, int] = {}
        self._conditions_code: dict[bytes, int] = {}
        self._latest = b""
        self._sorted = True
        self._names: list[bytes] = []
        self._rows = array("I")

    def __len__(self) -> int:
        return len(self._index)

    @property
    def superseded(self) -> int:
        """Number of lines that a newer one of their session replaces."""
        return len(self._of_counted) - len(self._index)

    def add_blocks(self, blocks: Iterable[bytes], read: ReadLine, log: str = "") -> None:
        """Read a log that comes in blocks of bytes, cut anywhere.

        Args:
            blocks: its bytes; a quarter of a megabyte at a time is quickest.
            read: reads a line that is not in the written form.
            log: its name, for the problems.
        """
        rest = b""
        number = 0
        for block in blocks:
            cut = block.rfind(b"\n") + 1
            if not cut:
                rest += block
                continue
            number += self._take(rest + block[:cut], read, number, log)
            rest = block[cut:]
        if rest:
            # The last line lacks its line end: whole, or torn; its reader says which.
            self._take_lines([rest], read, number, log)

    def add_lines(self, lines: Iterable[bytes] | Iterable[str], read: ReadLine, log: str = "") -> None:
        """Read a log that comes in lines, with or without their line ends; see `add_blocks`."""
        remaining: Iterator[bytes | str] = iter(lines)
        number = 0
        while several := list(islice(remaining, _LINES_A_BLOCK)):
            whole = [line.encode("utf-8", "surrogatepass") if isinstance(line, str) else line for line in several]
            block = b"".join(line if line.endswith(b"\n") else line + b"\n" for line in whole)
            number += self._take(block, read, number, log)

    def add(self, record: LogRecord) -> None:
        """Take in one record."""
        self.lines += 1
        self._add_record(record)

    def order(self) -> Sequence[int]:
        """The numbers of all sessions, oldest first."""
        self._settle()
        numbers = range(len(self))
        rows = self._rows
        if not self._sorted:
            return sorted(numbers, key=lambda number: (self._recorded(rows[number]), rows[number]))
        if all(map(le, rows, islice(rows, 1, None))):
            return numbers
        return array("I", sorted(numbers, key=rows.__getitem__))

    def sums(self, by: str) -> dict[str | None, tuple[int, int, int, int]]:
        """Sessions, A_P, A_R and A_T of each "model" or "domain": the quick answer, without any statistics."""
        self._settle()
        pairs = Counter(
            zip(
                map(self._of_conditions.__getitem__, self._rows),
                map(self._of_counted.__getitem__, self._rows),
                strict=True,
            )
        )
        totals: dict[str | None, tuple[int, int, int, int]] = {}
        for (condition, code), times in pairs.items():
            said: Counted = self._counted[code]
            group: str | None = getattr(self._conditions[condition], by)
            new = (times, times * said.A_P, times * said.A_R, times * said.A_T)
            sessions, p, r, t = map(add, totals.get(group, (0, 0, 0, 0)), new)
            totals[group] = (sessions, p, r, t)
        return totals

    def name(self, number: int) -> str:
        """A session's name."""
        return self._names[number].decode("utf-8", "surrogatepass")

    def counted(self, number: int) -> Counted:
        """A session's verdict and counts."""
        return self._counted[self._of_counted[self._rows[number]]]

    def conditions(self, number: int) -> Conditions:
        """A session's model, domain and thresholds."""
        return self._conditions[self._of_conditions[self._rows[number]]]

    def recorded(self, number: int) -> str:
        """When a session's newest line was recorded."""
        return self._recorded(self._rows[number]).decode("utf-8", "replace")

    def events(self, number: int) -> str | None:
        """A session's ordered events; None where only their number is known."""
        row = self._rows[number]
        start, end = self._text_ends[row], self._text_ends[row + 1]
        if self._texts[end - 1] == _NULL:
            return None
        return self._texts[self._texts.index(_QUOTE, start) + 1 : end - 1].decode("ascii")

    def complaint(self) -> str | None:
        """What to say of a log in which no line is a record; None where there is one, or no line at all."""
        if len(self) or not self.lines:
            return None
        first = self.problems[0]
        lines = "its only line is no line" if self.lines == 1 else f"none of its {self.lines:,} lines is a line"
        return f"{lines} of a calibration log (line {first.line}: {first.message})"

    def _settle(self) -> None:
        """Number the sessions, once all lines are in."""
        if len(self._names) != len(self._index):
            self._names = list(self._index)
        self._rows = array("I", self._index.values())

    def _recorded(self, row: int) -> bytes:
        text = self._texts[self._text_ends[row] : self._text_ends[row + 1]]
        return bytes(text[: text.rindex(b"n")] if text[-1] == _NULL else text[: text.index(_QUOTE)])

    def _take(self, block: bytes, read: ReadLine, before: int, log: str) -> int:
        """Take in a block of whole lines; returns their number."""
        form = _SPACED if b'": ' in block[:64] else _COMPACT
        found: list[_Found] = form.findall(block)
        count = block.count(b"\n")
        # A string with a raw newline in it would make one match of two lines; it is broken, and read as such.
        if len(found) != count or not self._take_written(found):
            self._take_lines(block.split(b"\n")[:-1], read, before, log, end=b"\n")
        return count

    def _take_written(self, found: list[_Found]) -> bool:
        """Take in lines of the written form, column by column; False where one of them needs a closer look."""
        counts, sessions, recorded, conditions, events, others = zip(*found, strict=True)
        if any(others) or recorded[0] < self._latest or not all(map(le, recorded, recorded[1:])):
            return False
        try:
            codes = list(map(self._counted_code.__getitem__, counts))
            held = list(map(self._conditions_code.__getitem__, conditions))
        except KeyError:
            if not all(map(self._learn, counts, conditions)):
                return False
            codes = list(map(self._counted_code.__getitem__, counts))
            held = list(map(self._conditions_code.__getitem__, conditions))
        if b"\\" in b"".join(sessions) or not self._events_agree(codes, events):
            return False
        row = len(self._of_counted)
        self._index.update(zip(sessions, range(row, row + len(codes)), strict=True))
        self._of_counted.extend(codes)
        self._of_conditions.extend(held)
        sizes = map(add, map(len, recorded), map(len, events))
        self._text_ends.extend(islice(accumulate(sizes, initial=len(self._texts)), 1, None))
        self._texts += b"".join(map(add, recorded, events))
        self._latest = recorded[-1]
        self.lines += len(codes)
        return True

    def _events_agree(self, codes: Sequence[int], events: Sequence[bytes]) -> bool:
        """True where the listed events are as many, and as often progressive and regressive, as the counts say."""
        if b"null" in events:
            return all(self._agree(code, text) for code, text in zip(codes, events, strict=True))
        said = list(map(self._counted.__getitem__, codes))
        return (
            [one.A_T + 2 for one in said] == list(map(len, events))
            and [one.A_P for one in said] == list(map(bytes.count, events, repeat(b"P")))
            and [one.A_R for one in said] == list(map(bytes.count, events, repeat(b"R")))
        )

    def _agree(self, code: int, events: bytes) -> bool:
        said = self._counted[code]
        return events == b"null" or (
            (len(events) - 2, events.count(b"P"), events.count(b"R")) == (said.A_T, said.A_P, said.A_R)
        )

    def _take_lines(self, lines: Iterable[bytes], read: ReadLine, before: int, log: str, end: bytes = b"") -> None:
        """Take in lines one by one."""
        for number, line in enumerate(lines, start=before + 1):
            if not line.strip():
                continue
            self.lines += 1
            form = _SPACED if line.startswith(b'{"verdict": ') else _COMPACT
            match = form.fullmatch(line + b"\n")
            if match and match[6] is None and self._take_match(match):
                continue
            try:
                record = read(line.decode("utf-8").rstrip("\r"))
            except UnicodeDecodeError as error:
                record = f"not UTF-8 (byte {error.start + 1} of the line)"
            if isinstance(record, LogRecord):
                self._add_record(record)
                continue
            self.unreadable += 1
            if len(self.problems) < MOST_PROBLEMS:
                self.problems.append(LineProblem(number, "schema" if end else "torn", record, log))

    def _take_match(self, match: re.Match[bytes]) -> bool:
        """Take in one line of the written form; False where it only looks like one."""
        counts, session, recorded, conditions, events = match.groups()[:5]
        if b"\\" in session + recorded or not self._learn(counts, conditions):
            return False
        code = self._counted_code[counts]
        if not self._agree(code, events):
            return False
        self._add_row(session, code, self._conditions_code[conditions], recorded, events)
        return True

    def _add_record(self, record: LogRecord) -> None:
        said = Counted(record.verdict, record.A_P, record.A_R, record.A_T)
        held = Conditions(record.model, record.domain, record.sycophancy_ceiling, record.overcorrection_floor)
        counts, conditions = repr(said).encode(), repr(held).encode("utf-8", "surrogatepass")
        if counts not in self._counted_code:
            self._counted_code[counts] = len(self._counted)
            self._counted.append(said)
        if conditions not in self._conditions_code:
            self._conditions_code[conditions] = len(self._conditions)
            self._conditions.append(held)
        self._add_row(
            record.session.encode("utf-8", "surrogatepass"),
            self._counted_code[counts],
            self._conditions_code[conditions],
            # A quote ends the time in the text column.
            record.recorded.encode("utf-8", "replace").replace(b'"', b""),
            b"null" if record.events is None else b'"' + record.events.encode("ascii", "replace") + b'"',
        )

    def _add_row(self, session: bytes, code: int, condition: int, recorded: bytes, events: bytes) -> None:
        row = len(self._of_counted)
        self._of_counted.append(code)
        self._of_conditions.append(condition)
        self._texts += recorded + events
        self._text_ends.append(len(self._texts))
        before = self._index.get(session)
        # In merged logs an older line may stand below a newer one.
        if before is None or recorded >= self._recorded(before):
            self._index[session] = row
        if recorded < self._latest:
            self._sorted = False
        else:
            self._latest = recorded

    def _learn(self, counts: bytes, conditions: bytes) -> bool:
        """Give new counts and conditions a number; False where they are not what they look like."""
        if counts not in self._counted_code:
            said = _counted(counts)
            if said is None:
                return False
            self._counted_code[counts] = len(self._counted)
            self._counted.append(said)
        if conditions not in self._conditions_code:
            held = _conditions(conditions)
            if held is None:
                return False
            self._conditions_code[conditions] = len(self._conditions)
            self._conditions.append(held)
        return True


def _counted(text: bytes) -> Counted | None:
    try:
        values = json.loads(b"{" + text + b"}")
    except ValueError:
        return None
    p, r, t = values["A_P"], values["A_R"], values["A_T"]
    if values["verdict"] not in _VERDICTS or p + r > t:
        return None
    for rate, part in ((values["sycophancy_rate"], p), (values["overcorrection_rate"], r)):
        if (rate is None) != (t == 0) or isinstance(rate, bool) or (t and abs(rate - part / t) > 1e-9):
            return None
    return Counted(verdict=values["verdict"], A_P=p, A_R=r, A_T=t)


def _conditions(text: bytes) -> Conditions | None:
    try:
        values = json.loads(b"{" + text + b"}")
    except ValueError:
        return None
    ceiling, floor = values["sycophancy_ceiling"], values["overcorrection_floor"]
    if not all(type(value) in (int, float) and 0 <= value <= 1 for value in (ceiling, floor)):
        return None
    return Conditions(
        model=values["model"], domain=values["domain"], sycophancy_ceiling=ceiling, overcorrection_floor=floor
    )
