"""Lines of a calibration log that a person or a merge has spoiled are told as what they are."""

from __future__ import annotations

import pytest
from series_logs import as_lines, record

from mdtally.log.series.reading import read_lines

WHOLE = as_lines([record("a", "TTP")])[0].decode().strip()


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"A_P": 1', '"A_P": NaN', "it holds NaN, which is no number"),
        ('"recorded": "2026-01-', '"recorded": "2026-13-', "'recorded' can't be"),
        ('"session": "a"', '"session": ""', "'session' can't be \"\" here"),
        ('"A_R": 0', '"A_R": 0, "A_R": 1', "the key 'A_R' is given twice"),
    ],
    ids=["NaN", "month 13", "an empty name", "a key twice"],
)
def test_a_field_that_cannot_be_is_named(old: str, new: str, said: str) -> None:
    """Not as half a line: what is wrong is said."""
    text = WHOLE.replace(old, new)
    assert text != WHOLE
    found = read_lines([f"{text}\n".encode()])
    (problem,) = found.problems
    assert problem.kind == "schema" and said in problem.message and not found.records


def test_two_whole_records_on_one_line_count_as_both() -> None:
    """Nobody is advised to remove one of them."""
    lines = as_lines([record("a", "TTP"), record("b", "TP"), record("c", "T")])
    found = read_lines([lines[0].strip() + lines[1], lines[2]], thorough=True)
    (problem,) = found.problems
    assert [line.session for line in found.records] == ["a", "b", "c"]  # type: ignore[union-attr]
    assert problem.kind == "joined" and "remove" not in problem.message and found.unreadable == 0


def test_a_session_dated_years_ahead_is_named() -> None:
    """A slip of the pen in the year, which would stand last in every history."""
    text = WHOLE.replace('"date": "20', '"date": "21')
    assert text != WHOLE
    (problem,) = read_lines([f"{text}\n".encode()]).problems
    assert problem.kind == "time" and "is dated 21" in problem.message
