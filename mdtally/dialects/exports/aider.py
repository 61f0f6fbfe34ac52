"""aider's chat history: every line of the prompt is a fourth-level heading, the answer has no label.

    # aider chat started at 2026-01-05 10:12:00

    > Aider v0.80

    #### Rename the module.
    #### And fix the imports.

    Done; two imports changed.

    > Applied edit to app.py

Lines behind `> ` are the program's own. The answer starts at the first line of text below a prompt that is not one of
those. A prompt may be a command ("/add app.py"), which has no answer.
"""

from __future__ import annotations

import re

from mdtally.dialects import fences, names
from mdtally.dialects.page import Dialect, Page, Reading, Start, is_comment

_BANNER = re.compile(r"# aider chat started at ")
_PROMPT = re.compile(r"#### ?")


def matches(page: Page) -> bool:
    """True where the banner of a chat stands on a line."""
    return any(line.startswith("# aider chat") and _BANNER.match(line) for line in page.lines[page.first :])


def read(page: Page) -> Reading | None:
    """Alternating turns of the person and of aider."""
    banners = [index for index in range(page.first, len(page.lines)) if _BANNER.match(page.lines[index])]
    code = fences.find(page.lines, page.first, banners)
    starts: list[Start] = []
    ends: list[int] = list(banners)
    banner_lines = set(banners)
    waiting = False  # a prompt has been read and nothing has answered it yet
    behind = -1  # first of the program's own lines behind the answer's last text
    index = page.first
    while index < len(page.lines):
        line = page.lines[index]
        if not code.hidden[index] and _PROMPT.match(line) and line.startswith("####") and line[4:5] in ("", " "):
            match = _PROMPT.match(line)
            assert match is not None
            body = match.end() if match.end() < len(line) else None
            ends.extend([behind] if behind >= 0 else [])
            behind = -1
            starts.append(Start(index, 0, body, names.Name("User", kind="human"), form="aider"))
            while index < len(page.lines) and page.lines[index].startswith("####"):
                index += 1
            waiting = True
            continue
        if index in banner_lines:
            waiting = False
        elif waiting and line.strip() and not line.startswith(">") and not is_comment(line):
            starts.append(Start(index, 0, 0, names.Name("aider", kind="agent"), form="aider"))
            waiting = False
        elif waiting and line.startswith(">"):
            ends.append(index)
        elif line.startswith(">") and not code.hidden[index]:
            behind = index if behind < 0 else behind
        elif line.strip() and not is_comment(line):
            behind = -1
        index += 1
    ends.extend([behind] if behind >= 0 else [])
    return Reading(tuple(starts), tuple(sorted(ends)), marker=_PROMPT, code=code, kind="session") if starts else None


DIALECT = Dialect("aider", matches, read)
