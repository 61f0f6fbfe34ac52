"""A group chat as AutoGen prints it: who speaks, to whom, in parentheses; a long rule below each message.

    Planner (to chat_manager):

    We lease it.

    --------------------------------------------------------------------------------
    Critic (to chat_manager):

    Only until June.

Between the messages stand the program's own lines ("Next speaker: …", ">>>>>>>> USING AUTO REPLY…"), which end a turn.
"""

from __future__ import annotations

import re

from mdtally.dialects.names import Name
from mdtally.dialects.page import Dialect, Page, Reading, Start
from mdtally.model import SpeakerKind

_LABEL = re.compile(r"(?P<name>[^\W\d_][\w .-]{0,60}) \(to (?P<whom>[\w .-]{1,60})\):\s*$")
_OWN = re.compile(r"-{20,}\s*$|>{4,} |Next speaker: ")
_PERSON = re.compile(r"(?:user|human|admin)(?:_?proxy)?", re.IGNORECASE)


def matches(page: Page) -> bool:
    """True where two lines outside code say who speaks to whom."""
    return len(_labels(page)) > 1


def read(page: Page) -> Reading | None:
    """A turn for each such line."""
    starts = tuple(
        Start(index, 0, None, Name(name, addressee=whom, kind=_kind(name)), form="autogen")
        for index, name, whom in _labels(page)
    )
    ends = tuple(index for index in range(page.first, len(page.lines)) if _OWN.match(page.lines[index]))
    return Reading(starts, ends) if len({start.name.key for start in starts}) > 1 else None


def _labels(page: Page) -> list[tuple[int, str, str]]:
    return [
        (index, match["name"], match["whom"])
        for index in range(page.first, len(page.lines))
        if "(to " in page.lines[index] and page.visible(index) and (match := _LABEL.match(page.lines[index]))
    ]


def _kind(name: str) -> SpeakerKind:
    return "human" if _PERSON.match(name) else "agent"


DIALECT = Dialect("autogen", matches, read)
