"""A bold name with a colon opens a list item, one item a turn.

    - **Noor:** We cannot pay for both.
    - **Imre** (Engineer): Then drop the second one.
      Or lease it.

Rosters, findings and action items have the same shape, so it takes more evidence than others.
"""

from __future__ import annotations

import re

from mdtally.dialects import bold_labels
from mdtally.dialects.forms import Form, Label

_ITEM = re.compile(r" {0,3}(?:[-*+]|\d{1,3}[.)])[ \t]+(?=[^\s])")


def find(line: str) -> Label | None:
    """A list item that opens with a bold label."""
    match = _ITEM.match(line)
    if match is None:
        return None
    label = bold_labels.find(line[match.end() :])
    if label is None:
        return None
    body = None if label.body is None else label.body + match.end()
    return Label("item", match.end() + label.column, label.text, body)


FORM = Form("list-labels", find, demand=2)
