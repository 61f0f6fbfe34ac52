"""A name in square brackets opens the turn: alone on its line, or bold with the text behind it.

[USER]

Can we lease it?

**[assistant]** Only until June.
"""

from __future__ import annotations

import re

from mdtally.dialects.forms import Form, Label, body_offset

_NAME = r"\[(?P<name>[^\W\d_][\w.'’ —–:-]{0,60})\]"
_ALONE = re.compile(rf"(?:\*\*)?{_NAME}(?:\*\*)?\s*:?\s*$")
_BOLD = re.compile(rf"\*\*{_NAME}\*\*\s?:?(?=\s)")


def find(line: str) -> Label | None:
    """A bracketed name, bold where anything else stands on the line."""
    if line[:1] not in "[*":
        return None
    match = _ALONE.match(line) or _BOLD.match(line)
    return Label("bracket", 0, f"[{match['name']}]", body_offset(line, match.end())) if match else None


FORM = Form("bracket-labels", "bracket", find)
