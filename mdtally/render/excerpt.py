"""The source line of a finding with a caret line below it.

In a transcript a whole paragraph is one line, often of thousands of characters, so the excerpt is a window around the
finding; its cost depends on the window, not on the line. Carets are placed by terminal columns: a wide letter takes
two, a combining mark none, an escaped control character as many as its escape.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mdtally.model import Region
from mdtally.render import safe
from mdtally.render.style import Options, Style

_ELLIPSIS = "…"
_MIN_WIDTH = 24


def excerpt(lines: Sequence[str], region: Region, options: Options, style: Style) -> list[str]:
    """The lines to print for a region: gutter, source line, carets; none where the file's lines are not at hand.

    Only the first line of a region is shown. An empty region is a single caret, and so is a place after the line's end.
    """
    if not 1 <= region.line <= len(lines):
        return []
    line = lines[region.line - 1]
    start = min(max(region.column - 1, 0), len(line))
    end = len(line) if region.end_line > region.line else min(max(region.end_column - 1, start), len(line))
    number = str(region.line)
    text, before, marked = window(line, start, end, max(options.width - len(number) - 3, _MIN_WIDTH))
    faint = options.palette.paint
    gutter = faint(f"{' ' * len(number)} |", "faint")
    carets = options.palette.paint("^" * max(marked, 1), style)
    return [
        gutter,
        f"{faint(f'{number} |', 'faint')} {text}".rstrip(),
        f"{gutter} {' ' * before}{carets}",
    ]


def window(line: str, start: int, end: int, width: int) -> tuple[str, int, int]:
    """The part of a line around ``line[start:end]`` that fits a number of columns.

    Returns:
        the text, harmless; the columns before the marked part; the columns of the marked part that is shown.
    """
    whole = "".join(safe.character(line, index) for index in range(len(line))) if len(line) <= width else ""
    if len(line) <= width and safe.cells(whole) <= width:
        return whole, _columns(line, range(start)), _columns(line, range(start, end))
    room = width - 2 * len(_ELLIPSIS)
    # A third of the room for what leads up to the finding, or more where little follows it.
    _, following = _take(line, range(start, len(line)), room)
    left, spent = _take(line, range(start - 1, -1, -1), max(room // 3, room - following))
    right, _ = _take(line, range(start, len(line)), room - spent)
    first, last = start - left, start + right
    head = _ELLIPSIS if first else ""
    tail = _ELLIPSIS if last < len(line) else ""
    text = "".join(safe.character(line, index) for index in range(first, last))
    return f"{head}{text}{tail}", len(head) + spent, _columns(line, range(start, min(end, last)))


def _take(line: str, indices: Iterable[int], room: int) -> tuple[int, int]:
    """How many characters, taken in the order of the indices, fit the room, and the columns they take."""
    taken = spent = 0
    for index in indices:
        needed = safe.cells(safe.character(line, index))
        # The second bound keeps a line of combining marks, which take no columns, from being taken whole.
        if spent + needed > room or taken > 4 * room:
            break
        taken += 1
        spent += needed
    return taken, spent


def _columns(line: str, indices: Iterable[int]) -> int:
    return sum(safe.cells(safe.character(line, index)) for index in indices)
