"""A bold name with a colon opens a list item, one item a turn.

    - **Noor:** We cannot pay for both.
    - **Imre** (Engineer): Then drop the second one.
      Or lease it.

Rosters, findings and action items have the same shape, so it takes more evidence than others.
"""

from __future__ import annotations

import re

from mdtally.dialects.forms import Form, Label
from mdtally.dialects.labels import bold

_ITEM = re.compile(r" {0,3}(?:[-*+]|\d{1,3}[.)])[ \t]+(?=[^\s])")


def find(line: str) -> Label | None:
    """A list item that opens with a bold label."""
    return bold.find_behind(_ITEM, line, "item")


FORM = Form("list-labels", "item", find, demand=2)
