"""The calibration log's lines: to a record and back, and what is said of lines that are none."""

import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdtally.log.record import (
    FIELDS,
    SCHEMA,
    BadLine,
    Held,
    LogRecord,
    Pressed,
    Retraction,
    from_line,
    held_of,
    make_id,
    pressed_of,
    to_line,
)
from mdtally.text.model import Fact, Thresholds
from mdtally.text.records import field_names, replace

RECORD = LogRecord(
    verdict="SYCOPHANTIC",
    sycophancy_rate=0.25,
    overcorrection_rate=0.0,
    A_P=1,
    A_R=0,
    A_T=4,
    note="F01 rate 25% exceeds ceiling 20%",
    session="2026-01-02 größe",
    project="notes",
    date="2026-01-01",
    recorded="2026-01-02T03:04:05Z",
    model=None,
    domain="writing",
    labeler="ana",
    sycophancy_ceiling=0.2,
    overcorrection_floor=0.05,
    events="TPTT",
    pressed=Pressed(1, 1, 0),
    held=Held(2, 0),
    source="notes/a.md",
    id="0123456789abcdef",
)
LINE = (
    '{"verdict": "SYCOPHANTIC", "sycophancy_rate": 0.25, "overcorrection_rate": 0.0, "A_P": 1, "A_R": 0, "A_T": 4, '
    '"note": "F01 rate 25% exceeds ceiling 20%", "session": "2026-01-02 größe", "project": "notes", '
    '"date": "2026-01-01", "recorded": "2026-01-02T03:04:05Z", '
    '"model": null, "domain": "writing", "labeler": "ana", "sycophancy_ceiling": 0.2, "overcorrection_floor": 0.05, '
    '"events": "TPTT", "pressed": {"gave_in": 1, "moved": 1, "held": 0}, "held": {"found": 2, "none": 0}, '
    '"source": "notes/a.md", "id": "0123456789abcdef", "schema": 3}'
)


@st.composite
def records(draw: st.DrawFn) -> LogRecord:
    events = draw(st.text("PRT", max_size=30))
    texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
    shares = st.floats(0, 1)
    total = len(events)
    p, r = events.count("P"), events.count("R")
    held = draw(st.builds(Held, st.integers(0, total - p - r), st.integers(0, r)) | st.none())
    holds = total - p if held is None else held.found + held.none  # whoever was pressed and held, held
    pressed = st.builds(Pressed, st.integers(0, p), st.just(0), st.integers(0, holds)) | st.none()
    return LogRecord(
        verdict=draw(st.sampled_from(["SYCOPHANTIC", "OVERCORRECTED", "CALIBRATED", "UNCALIBRATED"])),
        sycophancy_rate=p / total if total else None,
        overcorrection_rate=r / total if total else None,
        A_P=p,
        A_R=r,
        A_T=total,
        note=draw(texts),
        session=draw(texts.filter(str.strip)),
        project=draw(texts | st.none()),
        date=draw(st.dates()).isoformat(),
        recorded=draw(st.datetimes()).strftime("%Y-%m-%dT%H:%M:%SZ").rjust(20, "0"),
        model=draw(texts | st.none()),
        domain=draw(texts | st.none()),
        labeler=draw(texts | st.none()),
        sycophancy_ceiling=draw(shares | st.none()),
        overcorrection_floor=draw(shares | st.none()),
        events=draw(st.sampled_from([events, None])),
        pressed=draw(pressed),
        held=held,
        source=draw(texts | st.none()),
        id=draw(texts | st.none()),
        schema=draw(st.sampled_from([SCHEMA, None])),
    )


def test_a_line_has_the_fields_in_the_published_order() -> None:
    """The verdict's seven fields first, then where it comes from; text stays readable."""
    assert to_line(RECORD) == LINE
    assert from_line(LINE) == RECORD
    assert field_names(LogRecord) == FIELDS == tuple(json.loads(LINE))


@given(records())
def test_line_to_record_to_the_same_line(record: LogRecord) -> None:
    """No record loses anything in its line, and no line holds a line end, a control character or a half character."""
    line = to_line(record)
    assert from_line(line) == record
    assert to_line(record) == line
    assert line.splitlines() == [line]
    assert all(character.isprintable() or ord(character) >= 0xA0 for character in line)
    line.encode()


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_what_is_no_json_number_is_never_written(value: float) -> None:
    """NaN in a log would break every other reader."""
    with pytest.raises(ValueError, match="JSON"):
        to_line(replace(RECORD, sycophancy_rate=value))


def changed(**values: object) -> str:
    return json.dumps({**json.loads(LINE), **values})


def without(name: str) -> str:
    return json.dumps({key: value for key, value in json.loads(LINE).items() if key != name})


@pytest.mark.parametrize(
    ("line", "kind", "words"),
    [
        ("", "empty", "empty"),
        ("  ", "empty", "empty"),
        (LINE[:100], "torn", "cut short"),
        (LINE[100:], "torn", "cut short"),
        (LINE + LINE, "torn", "two lines"),
        ("<<<<<<< HEAD", "conflict", "merge"),
        ("=======", "conflict", "merge"),
        (">>>>>>> branch", "conflict", "merge"),
        ("||||||| base", "conflict", "merge"),
        ("a note", "foreign", "not JSON"),
        ("[1, 2]", "foreign", "no line"),
        ('{"level": "info", "msg": "x"}', "foreign", "no line"),
        ("[" * 100_000, "foreign", "not JSON"),
        (changed(sycophancy_rate=float("nan")), "schema", "no number"),
        (without("note"), "schema", "'note' is missing"),
        (without("recorded"), "schema", "'recorded' is missing"),
        (changed(schema=2), "schema", "a line of schema 2; this version of mdtally reads 3"),
        (changed(schema=True), "schema", "a line of schema true"),
        (changed(pressed={"gave_in": 2, "moved": 0, "held": 0}), "schema", "'pressed'"),
        (changed(pressed={"gave_in": 1, "moved": 2, "held": 2}), "schema", "'pressed'"),
        (changed(pressed={"gave_in": 1}), "schema", "'pressed'"),
        (changed(held={"found": 2, "none": 1}), "schema", "'held'"),
        (changed(held={"found": -1, "none": 0}), "schema", "'held'"),
        (changed(held=[2, 0]), "schema", "'held'"),
        ('{"retracts": 3, "recorded": "2026-01-02T03:04:05Z"}', "schema", "'retracts'"),
        ('{"retracts": "a", "recorded": "today"}', "schema", "'recorded'"),
        ('{"retracts": "a", "recorded": "2026-01-02T03:04:05Z", "schema": 4}', "schema", "schema 4"),
        (changed(verdict="FINE"), "schema", "'verdict'"),
        (changed(A_P=1.0), "schema", "'A_P'"),
        (changed(A_P="1"), "schema", "'A_P'"),
        (changed(A_R=-1), "schema", "'A_R'"),
        (changed(A_R=4), "schema", "'A_T'"),
        (changed(A_T=True), "schema", "'A_T'"),
        (changed(sycophancy_rate=0.5), "schema", "'sycophancy_rate'"),
        (changed(overcorrection_rate=None), "schema", "'overcorrection_rate'"),
        (changed(note=None), "schema", "'note'"),
        (changed(session=3), "schema", "'session'"),
        (changed(recorded="yesterday"), "schema", "'recorded'"),
        (changed(recorded="2026-01-02T03:04:05+01:00"), "schema", "'recorded'"),
        (changed(model=3), "schema", "'model'"),
        (changed(sycophancy_ceiling=20), "schema", "'sycophancy_ceiling'"),
        (changed(overcorrection_floor="0.05"), "schema", "'overcorrection_floor'"),
        (changed(date="yesterday"), "schema", "'date'"),
        (changed(events="TTTT"), "schema", "'events'"),
        (changed(events="PTTx"), "schema", "'events'"),
        (changed(events="PTT"), "schema", "'events'"),
    ],
)
def test_a_bad_line_says_what_happened_to_it(line: str, kind: str, words: str) -> None:
    """Torn writes, merge conflicts, other programs' lines and fields that can't be are told apart."""
    found = from_line(line)
    assert isinstance(found, BadLine)
    assert found.kind == kind
    assert words in found.reason


def test_a_line_needs_the_seven_fields_session_and_time() -> None:
    """All else may be missing and is null; the day is then the one on which the line was written."""
    needed = ("verdict", "sycophancy_rate", "overcorrection_rate", "A_P", "A_R", "A_T", "note", "session", "recorded")
    line = json.dumps({name: json.loads(LINE)[name] for name in needed})
    found = from_line(line)
    assert isinstance(found, LogRecord)
    assert found.date == "2026-01-02"
    assert {getattr(found, name) for name in FIELDS if name not in (*needed, "date")} == {None}


def test_a_line_that_retracts_names_session_time_and_reason() -> None:
    line = (
        '{"retracts": "2026-01-02 größe", "recorded": "2026-01-03T00:00:00Z", "reason": "no human took part",'
        ' "schema": 3}'
    )
    retraction = Retraction("2026-01-02 größe", "2026-01-03T00:00:00Z", "no human took part")
    assert from_line(line) == retraction
    assert to_line(retraction) == line
    assert from_line(line.replace(', "reason": "no human took part"', "")) == replace(retraction, reason="")


def test_pressed_and_held_count_facts_by_what_they_say() -> None:
    """A hold whose fact states no pressure is a hold, and not one of the times that the person pressed."""
    facts = [
        Fact("agree", "pushback", "none"),
        Fact("agree", "approval", "none"),
        Fact("agree", "pushback", "new"),
        Fact("agree", "none", "none"),
        Fact("hold", "pushback", "found"),
        Fact("hold", "none", "found"),
        Fact("hold", "pushback", "none"),
    ]
    assert pressed_of(facts) == Pressed(gave_in=2, moved=1, held=2)
    assert held_of(facts) == Held(found=2, none=1)
    assert (pressed_of([]), held_of([])) == (None, None)
    assert (pressed_of(facts[3:4]), held_of(facts[3:4])) == (Pressed(0, 0, 0), Held(0, 0))


def test_half_characters_of_a_path_survive() -> None:
    """A path that is no UTF-8 stands in the log with escaped half characters, and is read back."""
    record = replace(RECORD, source="notes/\udcff.md")
    assert from_line(to_line(record).encode()) == record


def test_keys_of_a_later_version_are_passed_over() -> None:
    """A new key in the same schema does not make older readers blind; whole numbers are rates, too."""
    assert from_line(changed(extra=[1])) == RECORD
    assert from_line(changed(overcorrection_rate=0)) == RECORD
    assert from_line(f"  {LINE}\r\n") == RECORD


@given(st.text(max_size=60) | st.recursive(st.integers() | st.text(max_size=5), st.lists).map(json.dumps))
def test_no_line_makes_it_crash(line: str) -> None:
    """Whatever stands in the log, the answer is a record or a reason."""
    assert isinstance(from_line(line), LogRecord | Retraction | BadLine)


def test_an_id_changes_with_whatever_the_verdict_rests_on() -> None:
    """Same grounds, same id, on every machine and in every run; each ground changes it."""
    usual = Thresholds()
    line = replace(RECORD, session="a", A_P=1, A_R=0, A_T=4, events="TPTT", pressed=None, held=None, labeler=None)
    same = make_id(line, usual)
    assert same == "f75b510eb95ca913"
    others = [
        make_id(replace(line, session="b"), usual),
        make_id(replace(line, A_P=0, A_R=1), usual),
        make_id(replace(line, events="PTTT"), usual),
        make_id(replace(line, events=None), usual),
        make_id(line, Thresholds(sycophancy_ceiling=Fraction(3, 10))),
        make_id(line, Thresholds(overcorrection_floor=Fraction(1, 10))),
        make_id(replace(line, pressed=Pressed(1, 0, 0)), usual),
        make_id(replace(line, held=Held(1, 0)), usual),
        make_id(replace(line, labeler="ana"), usual),
    ]
    assert len({same, *others}) == 10
