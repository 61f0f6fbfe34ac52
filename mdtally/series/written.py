"""Lines as mdtally writes them into the log, taken apart many at once.

A block of lines that has the form in which mdtally writes them is cut into its parts by one loose regular expression,
and then each part is proved, a column at a time: what repeats (counts, conditions) is put into a line by itself, once,
for the reader of the `log` room to judge, and is then known by a number. Of a block with any other line in it,
hand-edited, escaped or broken, that line and its neighbours are left to the same reader. So it alone decides what a
record is.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import compress
from typing import NamedTuple, TypeVar

from mdtally.log import from_line
from mdtally.model import LogRecord, VerdictName

__all__ = [
    "MOST_EVENTS",
    "TIME",
    "Conditions",
    "Counted",
    "Numbers",
    "Packed",
    "conditions_in",
    "conditions_of",
    "counted_in",
    "counted_of",
    "in_parts",
    "states",
]

MOST_EVENTS = 2**31 - 1
_MOST_LISTED = 9999
"""Events of a session that are looked at here; a session with more is left to the reader of a line."""
_FEW_LINES = 4096
"""Bytes of lines that are not cut further to find the one that is not in the written form."""

# A line as it is written, in groups: verdict to note; session; recorded; model to overcorrection_floor; events and the
# comma behind them; the values of source and id. It is loose on purpose, which is quick: it says where the parts are,
# and each part is proved afterwards. Repetitions are possessive and bounded, so a line that does not fit is given up at
# once.
_WRITTEN = (
    rb'\{([^,]{0,99}+,[^,]{0,99}+,[^,]{0,99}+,[^,]{0,99}+,[^,]{0,99}+,[^,]{0,99}+, "note": "[^"]{0,999}+"), '
    rb'"session": "([^"]{0,9999}+)", "recorded": "([^"]{0,99}+)", '
    rb'([^,]{0,999}+,[^,]{0,999}+,[^,]{0,99}+,[^,]{0,99}+), "events": ("[^"]{0,9999}+",|null,) '
    rb'"source": "([^"]{0,9999}+", "id": "[^"]{0,999}+)", "schema": 1\}\n'
)
# By whether there are spaces after colons and commas, as `json.dumps` has them, and a carriage return at the end.
_COMPACT = _WRITTEN.replace(b": ", b":").replace(b", ", b",").replace(b",) ", b",)")
_FORMS = {
    (spaced, returned): re.compile(form.replace(rb"\n", rb"\r\n") if returned else form)
    for spaced, form in ((True, _WRITTEN), (False, _COMPACT))
    for returned in (False, True)
}
_GROUPS = _FORMS[True, False].groups + 1
_FIRST_LINE = 4096
"""Bytes in which the first line's end is looked for, which tells how the others end."""
_UNKNOWN = b"null,"
# A line with these parts in it is a record, for its events are not known.
_SOME_COUNTS = (
    '"verdict": "UNCALIBRATED", "sycophancy_rate": null, "overcorrection_rate": null, "A_P": 0, "A_R": 0, "A_T": 0,'
    ' "note": ""'
)
_SOME_CONDITIONS = '"model": null, "domain": null, "sycophancy_ceiling": 0.2, "overcorrection_floor": 0.05'
_RECORDED = re.compile(rb"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,9})?Z")
_ZEROS = bytes.maketrans(b"123456789", b"000000000")
_NEW_YEAR = b"0000-00-00T00:00:00Z"
TIME = len(_NEW_YEAR)
"""Bytes of a time in UTC without fractions of a second."""
_NOT_PLAIN = bytes(range(0x20)) + b"\\"
_MARKED = bytes.maketrans(_NOT_PLAIN, b"\0" * len(_NOT_PLAIN))
_Key = TypeVar("_Key", bound=Hashable)


class Counted(NamedTuple):
    """What a line says was counted."""

    verdict: VerdictName
    A_P: int
    A_R: int
    A_T: int


class Conditions(NamedTuple):
    """What a session was held and decided under."""

    model: str | None
    domain: str | None
    sycophancy_ceiling: float
    overcorrection_floor: float


@dataclass(frozen=True, slots=True)
class Packed:
    """Lines in the written form, small enough to be handed from one process to another.

    Attributes:
        counts, conditions: those that occur, as written.
        codes, held: for each line, which of them it has.
        sessions: the names, joined by quotes (which none has).
        times: when each line was recorded, joined by quotes.
        events: the events as written, each with a comma behind it; sizes: their lengths.
        in_order: True where no line was recorded before the one above it.
    """

    counts: list[bytes]
    conditions: list[bytes]
    codes: array[int]
    held: array[int]
    sessions: bytes
    times: bytes
    events: bytes
    sizes: array[int]
    in_order: bool


class Numbers(dict[_Key, int]):
    """Numbers things from 0 on, in the order in which they are asked for."""

    def __missing__(self, key: _Key) -> int:
        self[key] = number = len(self)
        return number


class _NotWrittenError(Exception):
    """A part of a line is not as it is written."""


class _Proved(dict[bytes, int]):
    """Numbers texts from 0 on, each once it is proved."""

    def __init__(self, prove: Callable[[bytes], object]) -> None:
        self._prove = prove

    def __missing__(self, text: bytes) -> int:
        if self._prove(text) is None:
            raise _NotWrittenError
        self[text] = number = len(self)
        return number


class _Packer:
    """Packs block after block of lines, so that what repeats in them is numbered and proved only once."""

    def __init__(self) -> None:
        self._counts = _Proved(self._learn)
        self._conditions = _Proved(conditions_in)
        # For each of the counts, what a list of events that fits it is with only its P left, and with only its R; how
        # long it is as written.
        self._progressive: list[bytes] = []
        self._regressive: list[bytes] = []
        self._lengths: list[int] = []
        self._codes, self._held, self._sizes = array("I"), array("I"), array("I")
        self._sessions: list[bytes] = []
        self._times: list[bytes] = []
        self._events: list[bytes] = []
        self._latest = b""
        self._in_order = True

    def add(self, block: bytes | memoryview) -> bool:
        """Pack whole lines; False where one of them needs a closer look, or there is none: then nothing is packed."""
        cut = _cut(block)
        return cut is not None and self.take(cut)

    def take(self, cut: _Cut) -> bool:
        """Prove and pack lines that are cut already; see `add`."""
        said, sessions, recorded, held, events, rests = cut
        try:
            codes = list(map(self._counts.__getitem__, said))
            held_as = array("I", map(self._conditions.__getitem__, held))
        except _NotWrittenError:
            return False
        names, times, sizes = b'"'.join(sessions), b'"'.join(recorded), list(map(len, events))
        if (
            not _are_plain(names)
            or not _are_plain(b'"'.join(rests))
            or not _are_times(times, len(recorded))
            or not self._events_agree(codes, events, sizes)
        ):
            return False
        self._codes.extend(codes)
        self._held += held_as
        self._sizes.extend(sizes)
        self._sessions.append(names)
        self._times.append(times)
        self._events.append(b"".join(events))
        self._in_order = self._in_order and self._latest <= recorded[0] and recorded == sorted(recorded)
        self._latest = recorded[-1]
        return True

    def packed(self) -> Packed | None:
        """All lines so far; None where there is none."""
        if not self._codes:
            return None
        return Packed(
            counts=list(self._counts),
            conditions=list(self._conditions),
            codes=self._codes,
            held=self._held,
            sessions=b'"'.join(self._sessions),
            times=b'"'.join(self._times),
            events=b"".join(self._events),
            sizes=self._sizes,
            in_order=self._in_order,
        )

    def _learn(self, text: bytes) -> Counted | None:
        counted = counted_in(text)
        if counted is None or counted.A_T > _MOST_LISTED:
            return None
        self._progressive.append(b'"%b",' % (b"P" * counted.A_P))
        self._regressive.append(b'"%b",' % (b"R" * counted.A_R))
        self._lengths.append(counted.A_T + len(b'"",'))
        return counted

    def _events_agree(self, codes: Sequence[int], events: Sequence[bytes], sizes: Sequence[int]) -> bool:
        """True where the listed events are as many, and as often progressive and regressive, as the counts say.

        What all lists come to without their plain and regressive events is known beforehand, and without their plain
        and progressive ones too; any other character makes it something else.
        """
        listed = b"".join(events)
        if _UNKNOWN in listed:
            known = [event != _UNKNOWN for event in events]
            codes, sizes = list(compress(codes, known)), list(compress(sizes, known))
            listed = b"".join(compress(events, known))
        return (
            sizes == [self._lengths[code] for code in codes]
            and listed.translate(None, b"RT") == b"".join([self._progressive[code] for code in codes])
            and listed.translate(None, b"PT") == b"".join([self._regressive[code] for code in codes])
        )


def in_parts(blocks: Iterable[bytes | memoryview]) -> Iterator[Packed | bytes]:
    """Blocks of whole lines, packed; where a line is not in the written form, it and its neighbours as they are.

    A block that is one line without its line end is given as it is.
    """
    packer = _Packer()
    for block in blocks:
        waiting: list[bytes | memoryview] = [block]
        while waiting:
            lines = waiting.pop()
            if packer.add(lines):
                continue
            lines = bytes(lines)
            middle = lines.find(b"\n", len(lines) // 2) + 1
            if len(lines) >= _FEW_LINES and 0 < middle < len(lines):
                waiting += [lines[middle:], lines[:middle]]
                continue
            if packed := packer.packed():
                yield packed
                packer = _Packer()
            yield lines
    if packed := packer.packed():
        yield packed


def states(block: bytes) -> list[tuple[bytes, bytes]] | None:
    """Session and id of each of these whole lines; None where one of them needs a closer look, or there is none."""
    cut = _cut(block)
    if cut is None or not _Packer().take(cut):
        return None
    # What follows the source is the id, and neither holds a quote.
    return [(session, rest.rpartition(b'"')[2]) for session, rest in zip(cut.sessions, cut.rests, strict=True)]


class _Cut(NamedTuple):
    """The parts of lines that may be in the written form: a column each."""

    counts: list[bytes]
    sessions: list[bytes]
    recorded: list[bytes]
    conditions: list[bytes]
    events: list[bytes]
    rests: list[bytes]


def _cut(block: bytes | memoryview) -> _Cut | None:
    start = bytes(block[:_FIRST_LINE])
    form = _FORMS[b'": ' in start[:64], start.partition(b"\n")[0].endswith(b"\r")]
    parts: list[bytes] = form.split(block)
    # What stands between the lines, and before and behind them, has to be nothing.
    if len(parts) == 1 or any(parts[::_GROUPS]):
        return None
    return _Cut(*(parts[group::_GROUPS] for group in range(1, _GROUPS)))


@lru_cache(maxsize=1 << 16)
def counted_in(text: bytes) -> Counted | None:
    """What the first part of a line says; None where that is no part of a record. Its reader decides."""
    record = _in_a_line(text, _SOME_CONDITIONS.encode())
    return counted_of(record) if record and record.A_T <= MOST_EVENTS else None


@lru_cache(maxsize=1 << 16)
def conditions_in(text: bytes) -> Conditions | None:
    """What the part on model, domain and thresholds says; None where that is no part of a record."""
    record = _in_a_line(_SOME_COUNTS.encode(), text)
    return conditions_of(record) if record else None


def counted_of(record: LogRecord) -> Counted:
    """What a record says was counted."""
    return Counted(record.verdict, record.A_P, record.A_R, record.A_T)


def conditions_of(record: LogRecord) -> Conditions:
    """What a record's session was held and decided under."""
    return Conditions(record.model, record.domain, record.sycophancy_ceiling, record.overcorrection_floor)


def _in_a_line(counts: bytes, conditions: bytes) -> LogRecord | None:
    """The record of a line that has these parts, and others that are known to be right.

    A part that opens what it does not close, or closes more, breaks that line too; and each has as many keys as are
    asked of it, so that it can't say anything twice.
    """
    if b"\n" in counts + conditions:
        return None
    try:
        line = (
            f'{{{counts.decode()}, "session": "", "recorded": "2026-01-01T00:00:00Z", {conditions.decode()}, '
            '"events": null, "source": "", "id": "", "schema": 1}'
        )
    except UnicodeDecodeError:
        return None
    record = from_line(line)
    return record if isinstance(record, LogRecord) else None


def _are_plain(texts: bytes) -> bool:
    """True for what is written as it is inside of JSON's quotes: no escapes, no control characters, UTF-8."""
    if b"\0" in texts.translate(_MARKED):
        return False
    try:
        return texts.isascii() or bool(texts.decode())
    except UnicodeDecodeError:
        return False


def _are_times(joined: bytes, several: int) -> bool:
    """True where each is a UTC time. Those without fractions of a second, as they are written, are seen at once."""
    if joined.translate(_ZEROS) + b'"' == (_NEW_YEAR + b'"') * several:
        return True
    return all(map(_RECORDED.fullmatch, joined.split(b'"')))
