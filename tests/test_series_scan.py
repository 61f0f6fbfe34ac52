"""The quick reader of a log against the reader of a line: the same lines are records, with the same values.

Lines come in blocks, one or two of them spoilt in the ways that hands, other programs, merges and crashes spoil them,
and in a few that only somebody who knows the quick reader would think of.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from series_logs import record

from mdtally.log import from_line, to_line
from mdtally.model import LogRecord
from mdtally.series.history import summarise
from mdtally.series.scan import Sessions
from mdtally.series.written import Packed, in_parts, states

ODD_VALUES: dict[str, list[str]] = {
    "verdict": ['"FINE"', "null", '"\\u0043ALIBRATED"', '"CALIBRATED" '],
    "sycophancy_rate": ["0", "NaN", "Infinity", "null", '"0.0"', "true", "-0.0", "0.30000000001", "[0.0", "1e999"],
    "overcorrection_rate": ["0", "0.0e0", "{}", "0.1"],
    "A_P": ["0.0", "-0", "00", "true", '"0"', "null", str(10**30), "9" * 5000, "1", "0\n", "[0]"],
    "A_R": ["-1", "1", "0x0", "\u0660"],
    "A_T": ["4.0", "5", "2147483648", "1e1"],
    "note": [
        '"a\\qb"',
        '"a\\"b"',
        '"a\tb"',
        '"a\\nb"',
        '"a\\\\"',
        "null",
        '"a", "note": "b"',
        '"\x7f\u2028"',
        '"\u00e9"',
    ],
    "session": [
        '"a\\"b"',
        '"a\\u0062"',
        '"\\ud800"',
        '"a\x00b"',
        '"a\nb"',
        '"a\\/b"',
        '""',
        "7",
        '"a, b: {c}"',
        "null",
    ],
    "recorded": [
        '"2026-01-01T00:00:00.5Z"',
        '"2026-01-01T00:00:00.1234567891Z"',
        '"2026-01-01t00:00:00z"',
        '"2026-01-01T00:00:00+01:00"',
        '"2026-01-01T00:00:0\u0660Z"',
        '"\\u0032026-01-01T00:00:00Z"',
        '""',
        '"2026-01-01T00:00:00Z "',
    ],
    "model": ['"a,b"', '"a\\"b"', '{"a": 1}', "[1]", "7", '"\\ud83d\\ude00"', '""', '"a" ', '"\x01"', '"\n"', "nul"],
    "domain": ['"x: y"', "true", '"\u00e9"', "\u00a0null"],
    "sycophancy_ceiling": ["0", "1", "true", "1.0000001", "-0.0", "2e-1", '"0.2"', "NaN", "0.2\r"],
    "overcorrection_floor": ["1", "0.05000", "Infinity", ".05", "null"],
    "events": [
        "null",
        "nuTll",
        'T"TTT"',
        '"TTT"',
        '"TTTTT"',
        '"TTxT"',
        '"TTT,"',
        '"PTTT"',
        '"tttt"',
        '"TTT\\u0054"',
        '""',
    ],
    "source": ['"a\\b"', '"a\x1fb"', '"\\u00e9"', "null", '"a", "id": "b"', '"\u00e9"'],
    "id": ['"\x00"', "7", '"\\n"', '""'],
    "schema": ["1.0", "2", "true", "1 ", "01", '1, "schema": 1', '1, "A_P": 3', '1, "later": [1]', "1}, {"],
}
WHOLE: list[str] = [
    "",
    " ",
    "{}",
    "[1]",
    "text",
    "<<<<<<< ours",
    "=======",
    '{"verdict": ',
    '{"verdict": "CALIBRATED", ' + "," * 300,
]


def line(session: str, changed: dict[str, str], compact: bool, twice: str | None) -> str:
    """A line with some values as given, raw; perhaps one key is there twice."""
    fields = {name: json.dumps(value) for name, value in json.loads(to_line(record(session, "TTTT"))).items()}
    parts = [(name, changed.get(name, value)) for name, value in fields.items()]
    if twice is not None:
        parts.insert(3, (twice, fields[twice]))
    colon, comma = (":", ",") if compact else (": ", ", ")
    return "{" + comma.join(f'"{name}"{colon}{value}' for name, value in parts) + "}"


ODD = st.one_of(
    st.sampled_from([(name, value) for name, values in ODD_VALUES.items() for value in values]).map(lambda one: [one]),
    st.lists(st.sampled_from([(name, value) for name, values in ODD_VALUES.items() for value in values]), max_size=2),
)
LINES = st.one_of(
    st.builds(
        line,
        st.sampled_from(["a", "b", "caf\u00e9"]),
        ODD.map(dict),
        st.booleans(),
        st.sampled_from([None, None, None, "A_P", "session", "events"]),
    ),
    st.builds(line, st.sampled_from("abcdef"), st.just({}), st.just(False), st.none()),
    st.sampled_from(WHOLE),
    st.builds(lambda text, at: text[:at], st.just(line("torn", {}, False, None)), st.integers(0, 400)),
    st.builds(
        lambda text, end: text + end, st.just(line("end", {}, False, None)), st.sampled_from(["\r", " ", "x", "\x1f"])
    ),
)


def by_lines(data: bytes) -> list[LogRecord]:
    """The records of a log, each line asked for by itself."""
    found = []
    for one in data.split(b"\n"):
        try:
            made = from_line(one.decode())
        except UnicodeDecodeError:
            continue
        if isinstance(made, LogRecord) and made.A_T < 2**31:
            found.append(made)
    return found


def agree(data: bytes) -> None:
    sessions = Sessions()
    sessions.add_blocks([data])
    records = by_lines(data)
    assert sessions.lines - sessions.unreadable == len(records)
    for by in ("none", "model"):
        ours, theirs = summarise(sessions, by=by), summarise(records, by=by)
        assert (list(ours.sessions), ours.groups) == (list(theirs.sessions), theirs.groups)


@given(st.lists(LINES, max_size=8))
def test_what_is_a_record_is_what_its_reader_says(lines: Sequence[str]) -> None:
    """A block of lines of all kinds."""
    agree("".join(f"{one}\n" for one in lines).encode("utf-8", "surrogatepass"))


@pytest.mark.parametrize("name", ODD_VALUES)
@pytest.mark.parametrize("compact", [False, True])
def test_every_odd_value_between_good_lines(name: str, compact: bool) -> None:
    """One at a time, so that no value hides behind another, and with its neighbours' values where they are."""
    for value in ODD_VALUES[name]:
        texts = [line("a", {}, compact, None), line("b", {name: value}, compact, None), line("c", {}, compact, None)]
        agree("".join(f"{text}\n" for text in texts).encode("utf-8", "surrogatepass"))


@pytest.mark.parametrize("broken", [b"\xff", b"\xed\xa0\x80", b"\xc3"])
@pytest.mark.parametrize("place", [b"a note", b'"session": "b', b"claude", b"notes/b"])
def test_bytes_that_are_no_utf_8(broken: bytes, place: bytes) -> None:
    """Wherever they stand, the line is none; the others count."""
    good = line("a", {}, False, None).encode()
    bad = line("b", {}, False, None).encode().replace(place, place + broken)
    assert broken in bad
    agree(b"\n".join([good, bad, good, b""]))


def test_a_bad_line_costs_its_neighbours_only() -> None:
    """Of some thousand lines, one is spoilt: all but a few around it are taken in columns."""
    texts = [line(f"s{number}", {}, False, None) for number in range(2000)]
    texts[1234] = texts[1234].replace('"A_T": 4', '"A_T": 5')
    parts = list(in_parts(["".join(f"{text}\n" for text in texts).encode()]))
    alone = [part for part in parts if isinstance(part, bytes)]
    assert len(alone) == 1 and alone[0].count(b"\n") < 20
    assert sum(len(part.codes) for part in parts if isinstance(part, Packed)) + alone[0].count(b"\n") == 2000


def test_lines_in_the_written_form_are_packed() -> None:
    """Otherwise the tests above would compare the reader of a line with itself."""
    texts = [line("a", {}, compact, None) for compact in (False, True)]
    texts += [to_line(record("b", None, counts=(1, 0, 3))), to_line(record("c", "")), to_line(record("d", "PRT" * 40))]
    texts.append(to_line(record("e", "TP")).replace("00Z", "00.25Z"))
    for text in texts:
        for end in ("\n", "\r\n"):
            (packed,) = in_parts([f"{text}{end}".encode()])
            assert isinstance(packed, Packed) and len(packed.codes) == 1
    (torn,) = in_parts([texts[0].encode()])
    assert isinstance(torn, bytes)


def test_what_repeats_is_numbered_once() -> None:
    """Blocks are packed together, up to a line that is not in the written form, and anew behind it."""
    blocks = [f"{line(f's{number}', {}, False, None)}\n".encode() * 3 for number in range(4)]
    (packed,) = in_parts(blocks)
    assert isinstance(packed, Packed)
    assert (len(packed.codes), len(packed.counts), len(packed.conditions)) == (12, 1, 1)
    before, odd, after = in_parts([*blocks[:2], b"odd\n", *blocks[2:]])
    assert isinstance(before, Packed) and isinstance(after, Packed) and odd == b"odd\n"
    assert len(before.codes) == len(after.codes) == 6


def test_session_and_id_of_lines_in_the_written_form() -> None:
    """Asked for by `log check`; a single line that is not in the written form, and none is told."""
    good = f"{line('a', {}, False, None)}\n".encode()
    assert states(good * 2) == [(b"a", states(good)[0][1])] * 2  # type: ignore[index]
    assert states(b"") is None
    assert states(good + good[:-3]) is None
    assert states(good.replace(b'"TTTT"', b'"TTTP"')) is None


@pytest.mark.parametrize("unknown", [0, 3, 1])
def test_columns_say_what_each_session_says(unknown: int) -> None:
    """Thousands of rows are looked at a stretch at a time: events, turns of flip and kinds are those of each session,
    the newest line of some being far below, and every third one's, or every one's, events unknown."""
    texts = ["TTP", "P", "", "TRRTT", "RTTTTTTTTTTP", "PTP"]
    sessions = Sessions()
    for number in range(3300):
        events = texts[number * 7 % len(texts)]
        known = not unknown or number % unknown
        counts = None if known else (events.count("P"), events.count("R"), len(events))
        sessions.add(record(f"s{number % 3000}", events if known else None, minute=number, counts=counts))
    order = sessions.order()
    of = sessions.events_of(order)
    each = [sessions.events(number) for number in order]
    assert [of(place) for place in range(len(order))] == each
    assert any(each) == (unknown != 1)
    assert sessions.first_flips(order) == Counter((len(one), one.find("P") + 1 or None) for one in each if one)
    assert sessions.kinds(order) == Counter(map(sessions.kind, order))
