"""OpenClaw's memory of a session: a record of keys, then the messages, each behind its role and nothing between them.

    # Session: 2026-01-05 10:12:00 UTC

    - **Session Key**: agent:harbour:main
    - **Session ID**: 41c0
    - **Source**: web

    ## Conversation Summary

    user: Rename the module.
    assistant: Done; two imports changed.

    ## The imports
    user: Thanks.

A message may hold headings and blank lines of its own, so the roles alone tell where the next one starts.
"""

from __future__ import annotations

import re

from mdtally.dialects import names
from mdtally.dialects.forms import body_offset
from mdtally.dialects.page import Dialect, Page, Reading, Start
from mdtally.model import SpeakerKind

_KEY = re.compile(r"- \*\*Session (?:Key|ID)\*\*:")
_MESSAGES = re.compile(r"## Conversation Summary\s*$")
_ROLE = re.compile(r"(?P<role>user|assistant|system|tool):(?:\s|$)")
_KINDS: dict[str, SpeakerKind] = {"user": "human", "assistant": "agent"}


def matches(page: Page) -> bool:
    """True where the record's title and one of its keys stand."""
    titled = keyed = False
    for line in page.lines[page.first :]:
        titled = titled or line.startswith("# Session: ")
        keyed = keyed or (titled and bool(_KEY.match(line)))
        if keyed:
            return True
    return False


def read(page: Page) -> Reading | None:
    """A turn for each message below the record."""
    lines = range(page.first, len(page.lines))
    messages = next((index for index in lines if _MESSAGES.match(page.lines[index])), len(page.lines))
    labels, code = page.labelled(_ROLE, messages)
    starts = tuple(
        Start(
            index,
            0,
            body_offset(page.lines[index], match.end()),
            names.Name(match["role"], kind=_KINDS.get(match["role"], "other")),
            form="openclaw",
        )
        for index, match in labels.items()
    )
    return Reading(starts, code=code, kind="session") if starts else None


DIALECT = Dialect("openclaw", matches, read)
