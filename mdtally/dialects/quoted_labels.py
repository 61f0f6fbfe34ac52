"""A dialogue inside block quotes, each line or paragraph opening with a bold name.

> **Noor:** We cannot pay for both.
> **Imre:** Then drop the second one.
"""

from __future__ import annotations

import re

from mdtally.dialects import bold_labels
from mdtally.dialects.forms import Form, Label

_QUOTE = re.compile(r" {0,3}>[ ]?")


def find(line: str) -> Label | None:
    """A bold label right behind a quote mark."""
    match = _QUOTE.match(line)
    if match is None:
        return None
    label = bold_labels.find(line[match.end() :])
    if label is None:
        return None
    body = None if label.body is None else label.body + match.end()
    return Label("quote", match.end() + label.column, label.text, body)


FORM = Form("quoted-labels", find, demand=1)
