"""The headings of a file, as the scanner of `lines` finds them."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence

from mdtally.text.records import record

_UNDERLINED = 8
"""Added to the level of a heading that is the line above a row of hyphens or equals signs."""


@record
class Heading:
    """A heading of the file itself, not of a quote: the index of its (first) line, its level, its text as written."""

    first: int
    level: int
    text: str


class Headings:
    """The headings of a file in order, each made when it is asked for: of a million, 5 MB are kept."""

    def __init__(self, lines: Sequence[str]) -> None:
        """None yet of some lines."""
        self._lines, self._rows, self._levels = lines, array("L"), bytearray()

    def add(self, row: int, level: int, *, is_underlined: bool) -> None:
        """Append the heading of a line."""
        self._rows.append(row)
        self._levels.append(level + _UNDERLINED * is_underlined)

    def pop(self) -> None:
        """Drop the last one."""
        self._rows.pop()
        self._levels.pop()

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index: int) -> Heading:
        row, level, line = self._rows[index], self._levels[index], self._lines[self._rows[index]]
        return Heading(
            row, level % _UNDERLINED, line.strip() if level > _UNDERLINED else _heading_text(line.lstrip(" \t"))
        )

    def __iter__(self) -> Iterator[Heading]:
        return map(self.__getitem__, range(len(self)))


def _heading_text(line: str) -> str:
    """The text of a line that is a heading, without its hashes."""
    text = line.rstrip()
    bare = text.rstrip("#")
    return (bare if bare[-1:] in ("", " ", "\t") else text).lstrip("#").strip()
