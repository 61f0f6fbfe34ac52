"""Colour, tables and counts for a terminal, and what a renderer may be told about the place it writes for.

Renderers are pure: whether there is a terminal, and whether a person wants colour on it, is decided once, by
`wants_colour`, and handed in. Text is made harmless before it is painted, never after, so that the only escape
characters in any output are the ones of this file. No meaning rests on colour alone: the words say it all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Literal

from mdtally.text import safe
from mdtally.text.records import record

Style = Literal["error", "warning", "info", "good", "strong", "faint"]

WIDEST, _LEAST, _LAST = 60, 16, 24
"""Columns that a cell may take, that it has however few there are, and that the last one of a row has, which takes
what it needs."""

# SGR parameters: the sixteen basic colours only, which every terminal theme keeps readable.
_CODES: Mapping[Style, str] = {
    "error": "1;31",
    "warning": "33",
    "info": "36",
    "good": "32",
    "strong": "1",
    "faint": "2",
}


@record
class Options:
    """What a renderer may be told.

    Attributes:
        colour: whether to write colour.
        verbose: whether to show what things rest on.
        width: how many columns there are; 0 for no end of them.
    """

    colour: bool = False
    verbose: bool = False
    width: int = 0

    def paint(self, text: str, style: Style) -> str:
        """The text in a style; as it is where colour is off or there is nothing to paint."""
        return f"\x1b[{_CODES[style]}m{text}\x1b[0m" if self.colour and text else text


def wants_colour(flag: bool | None, environ: Mapping[str, str], isatty: bool) -> bool:
    """Whether to write colour; the first that speaks decides.

    Args:
        flag: what the command line says; None where it says nothing.
        environ: the environment. FORCE_COLOR switches colour on, unless it is empty, "0" or "false"; NO_COLOR, set to
            anything but nothing, switches it off (no-color.org); so does TERM=dumb.
        isatty: whether the stream is a terminal.
    """
    if flag is not None:
        return flag
    if environ.get("FORCE_COLOR", "").lower() not in ("", "0", "false"):
        return True
    return isatty and not (environ.get("NO_COLOR") or environ.get("TERM") == "dumb")


def table(
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    options: Options,
    styles: Sequence[Style | None] = (),
    width: int = 0,
) -> list[str]:
    """The lines of a table of harmless texts, its headings first; for each row ``styles`` may paint its last cell.

    A heading with a colon is over numbers, which stand to the right. The last cells are wrapped to fit ``width``
    columns, if there are any; 0 for no end of them. The widest others are cut until the last ones have room beside
    them; where there is none, they stand below.
    """
    names = [heading.rstrip(":") for heading in headings]
    *widths, last_width = [max(map(safe.cells, column)) for column in zip(names, *rows, strict=True)]
    if width:
        below = width - 2 * len(widths) - 2
        beside = below - min(_LAST, last_width)
        room = beside if sum(min(one, _LEAST) for one in widths) <= beside else below
        cuts = range(WIDEST, _LEAST, -1)
        most = next((cut for cut in cuts if sum(min(one, cut) for one in widths) <= room), _LEAST)
        rows = [[*(safe.clip(cell, most) for cell in row[:-1]), row[-1]] for row in rows]
        widths = [max(map(safe.cells, column)) for column in zip(names, *rows, strict=True)][:-1]
    left = 2 + sum(widths) + 2 * len(widths)

    def row_text(row: Sequence[str], style: Style | None = None) -> str:
        cells = []
        for heading, cell, most in zip(headings, row, (*widths, last_width), strict=True):
            space = " " * (most - safe.cells(cell))
            cells.append(space + cell if heading.endswith(":") else cell + space)
        last, indent = [cells[-1].rstrip()], left
        if width and last[0] and left + safe.cells(last[0]) > width:
            is_below = left + _LAST > width
            indent = 4 if is_below else left
            last = [*[""] * is_below, *safe.wrap(row[-1], width - indent)]
        painted = [options.paint(part, style) if style else part for part in last]
        return "  " + f"\n{' ' * indent}".join(["  ".join([*cells[:-1], painted[0]]).rstrip(), *painted[1:]])

    lines = (row_text(row, style) for row, style in zip_longest(rows, styles[: len(rows)]))
    return [options.paint(row_text(names), "faint"), *lines]
