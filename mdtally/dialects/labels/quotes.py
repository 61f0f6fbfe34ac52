"""A dialogue inside block quotes, each line or paragraph opening with a bold name.

> **Noor:** We cannot pay for both.
> **Imre:** Then drop the second one.
"""

from __future__ import annotations

import re

from mdtally.dialects.forms import Form, Label
from mdtally.dialects.labels import bold

_QUOTE = re.compile(r" {0,3}>[ ]?")


def find(line: str) -> Label | None:
    """A bold label right behind a quote mark."""
    return bold.find_behind(_QUOTE, line, "quote")


FORM = Form("quoted-labels", "quote", find, demand=1)
