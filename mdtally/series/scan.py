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
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, islice, repeat
from operator import add, eq, le

from mdtally.log import BadLine, from_line
from mdtally.model import LineProblem, LogRecord, VerdictName

__all__ = ["MOST_PROBLEMS", "Columns", "Conditions", "Counted", "Packed", "Sessions", "pack"]

MOST_PROBLEMS = 100
"""Problems that are kept with their line; the rest are only counted (another program's file has them on every line)."""
_LINES_A_BLOCK = 1000
_MOST_EVENTS = 2**31 - 1
_QUOTE = ord('"')
_NULL = ord("l")
_VERDICTS = ("SYCOPHANTIC", "OVERCORRECTED", "CALIBRATED", "UNCALIBRATED")

# A line as it is written. Groups: verdict to A_T, session, recorded, model to overcorrection_floor, events; and any
# other line. Repetitions are possessive, so a line that does not fit is given up at once; a string with an escaped
# quote does not fit.
_WRITTEN = (
    rb'\{("verdict": "[A-Z]++", "sycophancy_rate": [^,"]++, "overcorrection_rate": [^,"]++, '
    rb'"A_P": \d++, "A_R": \d++, "A_T": \d++), "note": "[^"]*+", "session": "([^"]*+)", '
    rb'"recorded": "(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z)", '
    rb'("model": (?:null|"[^"]*+"), "domain": (?:null|"[^"]*+"), '
    rb'"sycophancy_ceiling": [^,"]++, "overcorrection_floor": [^,"]++), "events": (null|"[PRT]*+"), '
    rb'"source": "[^"]*+", "id": "[^"]*+", "schema": 1\}\r?\n|([^\n]*+\n)'
)
# With spaces after colons and commas, as `json.dumps` has them, and without; optional ones would cost
# half as much again.
_SPACED = re.compile(_WRITTEN)
_COMPACT = re.compile(_WRITTEN.replace(b": ", b":").replace(b", ", b","))
_COUNTS = ("verdict", "A_P", "A_R", "A_T")
_CONDITIONS = ("model", "domain", "sycophancy_ceiling", "overcorrection_floor")


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


@dataclass(frozen=True, slots=True)
class Packed:
    """A block of lines in the written form, small enough to be handed from one process to another.

    Attributes:
        counts, conditions: those that occur, as written.
        codes, held: for each line, which of them it has.
        sessions: the names, joined by quotes (which none has).
        texts: when each line was recorded and its events, as written, one after the other; sizes: their lengths.
        first, last: when the first and the last line were recorded.
        in_order: True where no line was recorded before the one above it.
    """

    counts: list[bytes]
    conditions: list[bytes]
    codes: array[int]
    held: array[int]
    sessions: bytes
    texts: bytes
    sizes: array[int]
    first: bytes
    last: bytes
    in_order: bool


@dataclass(frozen=True, slots=True)
class Columns:
    """Counts and thresholds of several sessions: a column each, and what only their sum is needed of."""

    successes: Sequence[int]
    sizes: Sequence[int]
    regressive: int
    verdicts: Counter[VerdictName]
    ceilings: Sequence[float]


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

    def add_blocks(self, blocks: Iterable[bytes], log: str = "") -> None:
        """Read a log that comes in blocks of bytes, cut anywhere.

        Args:
            blocks: its bytes; a quarter of a megabyte at a time is quickest.
            log: its name, for the problems.
        """
        rest = b""
        number = 0
        for block in blocks:
            cut = block.rfind(b"\n") + 1
            if not cut:
                rest += block
                continue
            number += self.take(rest + block[:cut], number, log)
            rest = block[cut:]
        if rest:
            self.add_end(rest, number, log)

    def add_end(self, line: bytes, before: int = 0, log: str = "") -> None:
        """Read a last line that lacks its line end: whole, or torn; its reader says which."""
        self._take_lines([line], before, log)

    def add_lines(self, lines: Iterable[bytes] | Iterable[str], log: str = "") -> None:
        """Read a log that comes in lines, with or without their line ends; see `add_blocks`."""
        remaining: Iterator[bytes | str] = iter(lines)
        number = 0
        while several := list(islice(remaining, _LINES_A_BLOCK)):
            whole = [line.encode("utf-8", "surrogatepass") if isinstance(line, str) else line for line in several]
            block = b"".join(line if line.endswith(b"\n") else line + b"\n" for line in whole)
            number += self.take(block, number, log)

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

    def columns(self, numbers: Sequence[int]) -> Columns:
        """Counts and thresholds of these sessions, in this order."""
        rows = [self._rows[number] for number in numbers]
        said = [self._counted[code] for code in map(self._of_counted.__getitem__, rows)]
        held = list(map(self._of_conditions.__getitem__, rows))
        ceilings = [one.sycophancy_ceiling for one in self._conditions]
        return Columns(
            successes=array("i", [one.A_P for one in said]),
            sizes=array("i", [one.A_T for one in said]),
            regressive=sum([one.A_R for one in said]),
            verdicts=Counter([one.verdict for one in said]),
            ceilings=array("d", map(ceilings.__getitem__, held)),
        )

    def split(self, by: str) -> dict[str | None, Sequence[int]]:
        """The sessions' numbers by "model" or "domain", oldest first, in the order of each one's first session."""
        groups: dict[str | None, array[int]] = {}
        # Conditions differ in thresholds too: several of them are one group.
        of_condition = [groups.setdefault(getattr(held, by), array("I")) for held in self._conditions]
        rows, conditions = self._rows, self._of_conditions
        order = self.order()
        for number in order:
            of_condition[conditions[rows[number]]].append(number)
        place = {number: place for place, number in enumerate(order)} if not self._sorted else None
        return dict(
            sorted(
                ((name, numbers) for name, numbers in groups.items() if numbers),
                key=lambda item: rows[item[1][0]] if place is None else place[item[1][0]],
            )
        )

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
        return _apart(bytes(self._texts[self._text_ends[row] : self._text_ends[row + 1]]))[0]

    def take(self, block: bytes, before: int = 0, log: str = "", packed: Packed | None = None) -> int:
        """Take in a block of whole lines.

        Args:
            block: the lines; may be empty where they come packed.
            before: lines of the log above the block.
            log: its name, for the problems.
            packed: the block as `pack` packed it elsewhere.

        Returns:
            the number of lines.
        """
        if packed is None:
            packed = pack(block)
        if packed is None:
            lines = block.split(b"\n")[:-1]
            self._take_lines(lines, before, log, ended=True)
            return len(lines)
        self._take_packed(packed)
        return len(packed.codes)

    def _take_packed(self, packed: Packed) -> None:
        """Take in a block column by column; a block from before the latest line, as in merged logs, row by row."""
        counted_as = [self._number(text) for text in packed.counts]
        held_as = [self._condition(text) for text in packed.conditions]
        sessions = packed.sessions.split(b'"')
        self.lines += len(packed.codes)
        if not packed.in_order or packed.first < self._latest:
            start = 0
            for session, code, held, size in zip(sessions, packed.codes, packed.held, packed.sizes, strict=True):
                recorded, events = _apart(packed.texts[start : start + size])
                self._add_row(session, counted_as[code], held_as[held], recorded, events)
                start += size
            return
        row = len(self._of_counted)
        self._index.update(zip(sessions, range(row, row + len(sessions)), strict=True))
        self._of_counted.extend(map(counted_as.__getitem__, packed.codes))
        self._of_conditions.extend(map(held_as.__getitem__, packed.held))
        self._text_ends.extend(islice(accumulate(packed.sizes, initial=len(self._texts)), 1, None))
        self._texts += packed.texts
        self._latest = packed.last

    def _take_lines(self, lines: Iterable[bytes], before: int, log: str, ended: bool = False) -> None:
        """Take in lines one by one."""
        for number, line in enumerate(lines, start=before + 1):
            if not line.strip():
                continue
            packed = pack(line + b"\n")
            if packed is not None:
                self._take_packed(packed)
                continue
            self.lines += 1
            try:
                record = from_line(line.decode("utf-8"))
            except UnicodeDecodeError as error:
                record = BadLine("foreign", f"not UTF-8 (byte {error.start + 1} of the line)")
            if isinstance(record, LogRecord) and record.A_T > _MOST_EVENTS:
                record = BadLine("schema", "'A_T' is more than any session holds")
            if isinstance(record, LogRecord):
                self._add_record(record)
                continue
            self.unreadable += 1
            if len(self.problems) < MOST_PROBLEMS:
                kind = record.kind if ended or record.kind != "foreign" else "torn"
                self.problems.append(LineProblem(number, "foreign" if kind == "empty" else kind, record.reason, log))

    def _add_record(self, record: LogRecord) -> None:
        counts = json.dumps({name: getattr(record, name) for name in _COUNTS})[1:-1].encode()
        conditions = json.dumps({name: getattr(record, name) for name in _CONDITIONS})[1:-1].encode()
        self._add_row(
            record.session.encode("utf-8", "surrogatepass"),
            self._number(counts),
            self._condition(conditions),
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

    def _number(self, counts: bytes) -> int:
        """The number of counts, as they are written; a new one where they are new."""
        code = self._counted_code.get(counts)
        if code is None:
            values = json.loads(b"{" + counts + b"}")
            code = self._counted_code[counts] = len(self._counted)
            self._counted.append(Counted(values["verdict"], values["A_P"], values["A_R"], values["A_T"]))
        return code

    def _condition(self, conditions: bytes) -> int:
        """The number of conditions, as they are written; a new one where they are new."""
        code = self._conditions_code.get(conditions)
        if code is None:
            code = self._conditions_code[conditions] = len(self._conditions)
            values = json.loads(b"{" + conditions + b"}")
            ceiling, floor = (float(values[name]) for name in _CONDITIONS[2:])
            self._conditions.append(Conditions(values["model"], values["domain"], ceiling, floor))
        return code


def pack(block: bytes) -> Packed | None:
    """A block of whole lines, packed; None where one of them needs a closer look than the written form."""
    if not block.endswith(b"\n"):
        return None
    form = _SPACED if b'": ' in block[:64] else _COMPACT
    found: list[tuple[bytes, bytes, bytes, bytes, bytes, bytes]] = form.findall(block)
    # A string with a raw newline in it would make one match of two lines; it is broken, and read as such.
    if not found or len(found) != block.count(b"\n"):
        return None
    counts, sessions, recorded, conditions, events, others = zip(*found, strict=True)
    if any(others):
        return None
    every_counts, every_condition = list(dict.fromkeys(counts)), list(dict.fromkeys(conditions))
    said = list(map(_counted, every_counts))
    names = b'"'.join(sessions)
    if None in said or not all(map(_is_condition, every_condition)) or not _is_plain(names):
        return None
    codes = array("I", map(dict(zip(every_counts, range(len(said)), strict=True)).__getitem__, counts))
    if not _events_agree([one for one in said if one], codes, events):
        return None
    return Packed(
        counts=every_counts,
        conditions=every_condition,
        codes=codes,
        held=array("I", map({text: code for code, text in enumerate(every_condition)}.__getitem__, conditions)),
        sessions=names,
        texts=b"".join(map(add, recorded, events)),
        sizes=array("I", map(add, map(len, recorded), map(len, events))),
        first=recorded[0],
        last=recorded[-1],
        in_order=all(map(le, recorded, islice(recorded, 1, None))),
    )


def _is_plain(names: bytes) -> bool:
    """True for names that are written as they are: no escapes, no control characters, UTF-8."""
    try:
        return b"\\" not in names and names.decode("utf-8").isprintable()
    except UnicodeDecodeError:
        return False


def _events_agree(said: Sequence[Counted], codes: Sequence[int], events: Sequence[bytes]) -> bool:
    """True where the listed events are as many, and as often progressive and regressive, as the counts say."""
    if b"null" in events:
        known = [(code, text) for code, text in zip(codes, events, strict=True) if text != b"null"]
        codes, events = [code for code, _ in known], [text for _, text in known]
    lengths, progressive, regressive = (
        [one.A_T + 2 for one in said],
        [one.A_P for one in said],
        [one.A_R for one in said],
    )
    return (
        all(map(eq, map(lengths.__getitem__, codes), map(len, events)))
        and all(map(eq, map(progressive.__getitem__, codes), map(bytes.count, events, repeat(b"P"))))
        and all(map(eq, map(regressive.__getitem__, codes), map(bytes.count, events, repeat(b"R"))))
    )


def _apart(text: bytes) -> tuple[bytes, bytes]:
    """A row's text: when it was recorded, and its events as they are written."""
    at = text.rindex(b"n") if text[-1] == _NULL else text.index(_QUOTE)
    return text[:at], text[at:]


@lru_cache(maxsize=1 << 16)
def _counted(text: bytes) -> Counted | None:
    try:
        values = json.loads(b"{" + text + b"}")
    except ValueError:
        return None
    p, r, t = values["A_P"], values["A_R"], values["A_T"]
    if values["verdict"] not in _VERDICTS or p + r > t or t > _MOST_EVENTS:
        return None
    for rate, part in ((values["sycophancy_rate"], p), (values["overcorrection_rate"], r)):
        if (
            (rate is None) != (t == 0)
            or isinstance(rate, bool)
            or (t and not (abs(rate - part / t) < 1e-9 and 0 <= rate <= 1))
        ):
            return None
    return Counted(verdict=values["verdict"], A_P=p, A_R=r, A_T=t)


@lru_cache(maxsize=1 << 16)
def _is_condition(text: bytes) -> bool:
    try:
        values = json.loads(b"{" + text + b"}")
    except ValueError:
        return False
    thresholds = (values["sycophancy_ceiling"], values["overcorrection_floor"])
    return all(type(value) in (int, float) and 0 <= value <= 1 for value in thresholds)
