"""A name in square brackets alone on its line opens the turn.

[USER]

Can we lease it?

[ASSISTANT]

Only until June.
"""

from __future__ import annotations

import re

from mdtally.dialects.forms import Form, Label

_BRACKET = re.compile(r"(?:\*\*)?\[(?P<name>[^\W\d_][\w.'’ —–:-]{0,60})\](?:\*\*)?\s*:?\s*$")


def find(line: str) -> Label | None:
    """A bracketed name and nothing else."""
    if line[:1] not in "[*":
        return None
    match = _BRACKET.match(line)
    return Label("bracket", 0, f"[{match['name']}]", None) if match else None


FORM = Form("bracket-labels", find)
