"""Rates as percents that are never false: no "0%" for three of a thousand, no "20% is above 20%".

A whole percent is shown where it is true: where it lies on the same side of 0, 1 and every limit as the rate does.
Otherwise as many digits are shown as it takes.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil

_MOST_DIGITS = 12
Number = float | Fraction


def percent(rate: Number | None, *limits: Number) -> str:
    """A rate as a percentage: "8%", "0.3%", "20.4%" beside a ceiling of 20%; "-" for None.

    ``limits`` are other rates beside which it is shown; it must not look like one of them, or lie on its other side,
    unless it is so.
    """
    return "-" if rate is None else f"{in_100(rate, *limits)}%"


def at_most(rate: Number | None) -> str:
    """An upper bound as a percentage: rounded up, so that "no more than 45%" is true of 44.3."""
    return "-" if rate is None else f"{ceil(100 * exactly(rate))}%"


def limit(rate: Number) -> str:
    """A threshold as a person gave it, with all its digits: "20%", "12.5%"."""
    return f"{float(100 * exactly(rate)):.10g}%"


def ends(interval: tuple[float, float], *limits: Number) -> tuple[str, str]:
    """Both ends of an interval without the sign; ends that differ do not look like one, nor like a limit."""
    low, high = interval
    for least in range(_MOST_DIGITS + 1):
        shown = in_100(low, *limits, least=least), in_100(high, *limits, least=least)
        if shown[0] != shown[1] or low == high:
            break
    return shown


def span(interval: tuple[float, float] | None, *limits: Number) -> str:
    """An interval of a rate, "9-53%"; see ``ends``; "-" for None."""
    return "-" if interval is None else f"{'-'.join(ends(interval, *limits))}%"


def in_100(rate: Number, *limits: Number, least: int = 0) -> str:
    """A percentage without the sign, for sentences such as "24 in 100"; with at least so many decimals."""
    exact = exactly(rate)
    apart = [Fraction(0), Fraction(1), *map(exactly, limits)]
    shown = ""
    for digits in range(least, _MOST_DIGITS + 1):
        shown = f"{float(100 * exact):.{digits}f}"
        at = Fraction(shown) / 100
        if all(_side(at, one) == _side(exact, one) for one in apart):
            break
    return shown


def _side(rate: Fraction, of: Fraction) -> int:
    return (rate > of) - (rate < of)


def exactly(rate: Number | str) -> Fraction:
    """The rational a person means: the float 0.2 is one fifth."""
    # The floats of numpy show their type.
    return Fraction(repr(float(rate))) if isinstance(rate, float) else Fraction(rate)


def count(number: int, noun: str) -> str:
    """A number of things in words: ``1 file``, ``1,200 files``, ``2 replies``."""
    # "info" is the one severity that is not a countable noun.
    if number == 1 or noun == "info":
        return f"{number:,} {noun}"
    is_ending_changed = noun[-1] == "y" and noun[-2:-1] not in "aeiou"  # replies, but surveys
    return f"{number:,} {f'{noun[:-1]}ies' if is_ending_changed else f'{noun}s'}"


def first_few(names: Sequence[str], most: int = 5, between: str = ", ") -> str:
    """The first of some names, and how many more there are: ``a, b and 3 more``."""
    return between.join(names[:most]) + f" and {len(names) - most:,} more" * (len(names) > most)
