"""Places in a text, as an editor counts them: from 0 on, columns in UTF-8, UTF-16 or UTF-32 units."""

from __future__ import annotations

from collections.abc import Sequence

from lsprotocol import types

from mdtally.model import Region


class Positions:
    """The way between our places and the editor's, for one text.

    Attributes:
        lines: the text's lines without line ends.
        encoding: "utf-8", "utf-16" or "utf-32", as was agreed on.
        bom: "\\ufeff" if the editor's text opens with one, which our columns do not count.
    """

    def __init__(self, lines: Sequence[str], encoding: str, bom: str = "") -> None:
        self.lines, self.encoding, self.bom = lines, encoding, bom

    def range(self, region: Region) -> types.Range:
        """The editor's range of a region; what lies beyond the text is cut to its end."""
        return types.Range(
            self.position(region.line, region.column),
            self.position(max(region.line, region.end_line), region.end_column),
        )

    def position(self, line: int, column: int) -> types.Position:
        """The editor's position of a line and column, both from 1 on."""
        row = max(0, min(line, len(self.lines)) - 1)
        text = self.lines[row] if self.lines else ""
        if line > len(self.lines):
            column = len(text) + 1
        return types.Position(row, self._units(self._before(row) + text[: max(0, column - 1)]))

    def place(self, position: types.Position) -> tuple[int, int]:
        """Line and column, from 1 on, of a position of the editor's."""
        row = min(position.line, len(self.lines) - 1)
        if row < 0:
            return 1, 1
        text = self.lines[row]
        if position.line > row:
            return row + 1, len(text) + 1
        left = position.character - self._units(self._before(row))
        for index, character in enumerate(text):
            if left <= 0:
                return row + 1, index + 1
            left -= self._units(character)
        return row + 1, len(text) + 1

    def _before(self, row: int) -> str:
        return self.bom if row == 0 else ""

    def _units(self, text: str) -> int:
        if self.encoding == "utf-32" or text.isascii():
            return len(text)
        if self.encoding == "utf-8":
            return len(text.encode())
        return len(text) + sum(character > "\uffff" for character in text)
