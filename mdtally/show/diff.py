"""What would change in a file, as a unified diff for a person to read.

The lines of a diff are the file's own, so they are made harmless like any other text: the diff is for looking at, and
not for ``patch``, where it holds escapes. An edit of line ends alone shows as ``\\r`` at a line's end.
"""

from __future__ import annotations

import re

from mdtally.show.style import Options, Style
from mdtally.text import safe

_STYLES: dict[str, Style] = {"+": "good", "-": "error", "@": "info"}


def file_diff(filename: str, before: str, after: str, options: Options, above: int = 0) -> str:
    """The difference of two texts of a file, three lines of context about each change; "" where they are the same.

    ``above`` lines of the file stand above the texts.
    """
    from difflib import unified_diff

    name = safe.terminal(filename)
    # Cut at LF only: a CR stays with its line and shows.
    old, new = (re.findall(r"[^\n]*\n|[^\n]+", text) for text in (before, after))
    lines = list(unified_diff(old, new, n=3, lineterm=""))[2:]
    if not lines:
        return ""
    paint = options.paint
    shown = [paint(f"--- {name}", "strong"), paint(f"+++ {name}", "strong")]
    for line in lines:
        if above and line[0] == "@":
            line = re.sub(r"[-+](\d+)", lambda number: f"{number[0][0]}{int(number[1]) + above}", line)
        style = _STYLES.get(line[0])
        text, ended = line.removesuffix("\n"), line.endswith("\n") or line[0] == "@"
        shown.append(paint(safe.opening(text), style) if style else safe.opening(text))
        if not ended:
            shown.append("\\ No newline at end of file")
    return "".join(f"{line}\n" for line in shown)
