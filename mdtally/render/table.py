"""Tables for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from mdtally.model import COUNTERS
from mdtally.render import safe

_NUMBERS = frozenset("#|line|round|words|turns|argues|stands down|unsure|silent|padding".split("|")) | set(COUNTERS)


def table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """The lines of a table, its headings first: columns of numbers to the right, all others to the left."""
    widths = [max(safe.cells(row[place]) for row in (headings, *rows)) for place in range(len(headings))]

    def laid(row: Sequence[str]) -> str:
        cells = (
            " " * (width - safe.cells(cell)) + cell if heading in _NUMBERS else safe.pad(cell, width)
            for heading, cell, width in zip(headings, row, widths, strict=True)
        )
        return "  " + "  ".join(cells).rstrip()

    return [laid(headings), *map(laid, rows)]
