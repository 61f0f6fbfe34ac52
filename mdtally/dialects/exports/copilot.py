"""GitHub Copilot's chat as Visual Studio Code exports it: the person's account name, and the program's, with a colon.

    noor-h: rename the module

    GitHub Copilot: I'll look for its imports first.

    ## What changed

    Two imports.

Both stand at the start of a line with no markup, and answers hold headings, fences and lists with colons of their own.
So a label is known by its exact text: the program's name, and whatever name opens the file's text with a colon.
"""

from __future__ import annotations

import re

from mdtally.dialects import fences
from mdtally.dialects.forms import body_offset
from mdtally.dialects.names import Name
from mdtally.dialects.page import Dialect, Page, Reading, Start, heading_of, is_comment

_PROGRAM = "GitHub Copilot: "
_PERSON = re.compile(r"(?P<name>[^\W_][\w.@-]{0,38}): ")


def matches(page: Page) -> bool:
    """True where the program answers somebody whose label is the first line of text."""
    return _person(page) is not None and any(line.startswith(_PROGRAM) for line in page.lines[page.first :])


def read(page: Page) -> Reading | None:
    """A turn for each line that opens with one of the two names; a fence is never open across them."""
    person = _person(page)
    if person is None:
        return None
    labels = {f"{person}: ": Name(person, kind="human"), _PROGRAM: Name(_PROGRAM[:-2], kind="agent")}
    found = [
        (index, label)
        for index in range(page.first, len(page.lines))
        for label in labels
        if page.lines[index].startswith(label)
    ]
    code = fences.find(page.lines, page.first, [index for index, _ in found])
    starts = tuple(
        Start(index, 0, body_offset(page.lines[index], len(label)), labels[label], form="copilot")
        for index, label in found
        if not code.hidden[index]
    )
    return Reading(starts, code=code, kind="session") if len({start.name.key for start in starts}) > 1 else None


def _person(page: Page) -> str | None:
    """The name that opens the text, a heading and comments aside."""
    for line in page.lines[page.first :]:
        if line.strip() and not is_comment(line) and heading_of(line) is None:
            match = _PERSON.match(line)
            return match["name"] if match and not line.startswith(_PROGRAM) else None
    return None


DIALECT = Dialect("copilot", matches, read)
