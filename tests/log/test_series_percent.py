"""Percents never print a falsehood, whatever the rate and the limit beside it."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from mdtally.text.percent import ends, limit, percent, span

COUNTS = st.integers(1, 3000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
LIMITS = st.integers(0, 1000).map(lambda thousandths: Fraction(thousandths, 1000))


@given(COUNTS, LIMITS)
def test_a_shown_rate_lies_where_the_rate_does(counts: tuple[int, int], ceiling: Fraction) -> None:
    """On the same side of the limit, of nothing and of all; the limit itself is shown as it was given."""
    rate = Fraction(*counts)
    shown = Fraction(percent(rate, ceiling)[:-1]) / 100
    for one in (ceiling, Fraction(0), Fraction(1)):
        assert (shown > one, shown < one) == (rate > one, rate < one)
    assert Fraction(limit(ceiling)[:-1]) / 100 == ceiling


@given(st.floats(0, 1), st.floats(0, 1))
def test_two_ends_that_differ_do_not_look_alike(a: float, b: float) -> None:
    """Down to a millionth of a millionth."""
    low, high = sorted((a, b))
    shown = ends((low, high))
    assert (shown[0] != shown[1]) == (high != low) or 0 < high - low < 1e-11


def test_the_usual_ones_are_whole() -> None:
    """As a person would write them."""
    assert percent(0.25) == "25%" and percent(3 / 1000) == "0.3%" and percent(997 / 1000) == "99.7%"
    assert percent(0.204, 0.2) == "20.4%" and percent(0.2, 0.2) == "20%" and percent(None) == "-"
    assert span((0.0894, 0.5323)) == "9-53%" and span((0.0, 0.004)) == "0-0.4%" and span(None) == "-"
    assert limit(0.2) == "20%" and limit(0.125) == "12.5%"
