"""``log check``: each kind of bad line is named by number."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from series_logs import history_of, record

from mdtally.log.record import Retraction, to_line
from mdtally.log.series.reading import LineProblem, read_lines, sessions_of
from mdtally.text.records import replace

A, B, C = (to_line(record(name, "TTP", minute=i)) for i, name in enumerate("abc"))


def lines(*texts: str) -> list[bytes]:
    return [text.encode() for text in texts]


def check(texts: list[bytes], log: str = "") -> tuple[LineProblem, ...]:
    return read_lines(texts, log, thorough=True).problems


def found(*texts: str) -> list[tuple[int, str]]:
    return [(problem.line, problem.kind) for problem in check(lines(*texts))]


def test_a_good_log_has_no_problems() -> None:
    """Blank lines and CRLF are none."""
    assert found(f"{A}\n", "\n", f"{B}\r\n", f"{C}\n") == []


def test_every_kind_by_its_line() -> None:
    """Torn, duplicate, conflict, foreign and schema, each where it stands."""
    assert found(
        f"{A}\n",
        "<<<<<<< HEAD\n",
        f"{B}\n",
        "=======\n",
        f"{C}\n",
        ">>>>>>> other\n",
        f"{A}\n",
        '{"level": "info"}\n',
        f"{B[:60]}\n",
        f"{B.replace('TTP', 'TTX')}\n",
        f"{B[:40]}",
    ) == [
        (2, "conflict"),
        (4, "conflict"),
        (6, "conflict"),
        (7, "duplicate"),
        (8, "foreign"),
        (9, "torn"),
        (10, "schema"),
        (11, "torn"),
    ]


def test_a_whole_line_behind_a_torn_one_is_said() -> None:
    """A crash tore a line, the next writer appended to it: the same record further down is a duplicate."""
    text = f"{A[:50]}{B}\n"
    assert found(text) == [(1, "torn")]
    assert found(text, f"{B}\n") == [(1, "torn"), (2, "duplicate")]


def test_a_last_line_without_its_end_is_torn() -> None:
    """Whole, but the next writer would append to it."""
    assert found(f"{A}\n", B) == [(2, "torn")]


def test_going_back_to_an_earlier_state_is_no_duplicate() -> None:
    """Labels changed and changed back: the same id a second time, and rightly. Recorded twice in a row, it is one."""
    first = record("a", "TTP", minute=0)
    changed = record("a", "TTT", minute=1)
    back = replace(first, recorded="2026-01-01T12:02:00Z")
    again = replace(first, recorded="2026-01-01T12:03:00Z")
    texts = [f"{to_line(one)}\n" for one in (first, changed, back)]
    assert found(*texts) == []
    assert found(*texts, f"{to_line(again)}\n") == [(4, "duplicate")]


def test_a_session_that_is_not_there_cannot_be_taken_back() -> None:
    """Nor twice; what stands further down counts by its time, as after a merge. Another schema is named as that."""
    taken = to_line(Retraction("a", "2026-01-01T12:05:00Z"))
    assert found(f"{A}\n", f"{taken}\n") == []
    assert found(f"{A}\n", f"{taken}\n", f"{taken}\n") == [(3, "retraction")]
    assert (1, "retraction") not in found(f"{taken}\n", f"{A}\n")
    assert not sessions_of([read_lines(lines(f"{taken}\n", f"{A}\n"))]).records
    early = to_line(Retraction("a", "2026-01-01T11:59:59Z"))
    assert (1, "retraction") in found(f"{early}\n", f"{A}\n")
    long = to_line(Retraction("x" * 100_000, "2026-01-01T12:05:00Z"))
    (problem,) = check(lines(f"{long}\n"))
    assert problem.kind == "retraction" and len(problem.message) < 200
    (problem,) = check([f"{A}\n".replace('schema": 3', 'schema": 4').encode()])
    assert "a line of schema 4; this version of mdtally reads 3" in problem.message


def test_bytes_that_are_no_text() -> None:
    """A reason, not a crash."""
    problems = check([b"\xff\xfe\x00\n"], "log.jsonl")
    assert [(problem.kind, problem.log) for problem in problems] == [("foreign", "log.jsonl")]
    assert "UTF-8" in problems[0].message


PIECES = st.sampled_from([A, B, C, A[:30], A[:30] + B, "<<<<<<< x", "=======", ">>>>>>> y", "{}", "", "\x00", "[]"])


@settings(deadline=None)
@given(st.lists(PIECES, max_size=12), st.booleans())
def test_a_log_without_its_bad_lines_is_good(pieces: list[str], ended: bool) -> None:
    """Removing the lines that are named leaves nothing to find, and the first line of each good session."""
    texts = [f"{piece}\n" for piece in pieces]
    if texts and not ended:
        texts[-1] = texts[-1][:-1]
    bad = {number for number, _ in found(*texts)}
    left = [text for number, text in enumerate(texts, start=1) if number not in bad]
    whole = {text for text in texts if text in (f"{A}\n", f"{B}\n", f"{C}\n") and A[:30] + B not in pieces}
    assert found(*left) == [] and whole <= set(left)


def test_a_verdict_that_its_counts_do_not_give_is_named() -> None:
    """One of three is above 20 %: a line that says CALIBRATED was changed by hand, or by another program; a history
    shows what the counts give."""
    changed = replace(record("a", "TTP"), verdict="CALIBRATED")
    assert [row.verdict.verdict for row in history_of([changed]).sessions] == ["SYCOPHANTIC"]
    (problem,) = check(lines(f"{to_line(changed)}\n"))
    assert (problem.line, problem.kind) == (1, "schema")
    assert "SYCOPHANTIC" in problem.message
