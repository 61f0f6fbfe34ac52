"""A heading names the speaker, usually one level below a round's heading.

## Round 1: First positions

### Noor Haddad (Treasurer)

We cannot pay for both.

### 🔧 Engineer responds to Noor:

Then drop the second one.
"""

from __future__ import annotations

from mdtally.dialects.forms import Form, Label
from mdtally.dialects.page import heading_of, label_column


def find(line: str) -> Label | None:
    """A heading with its level as the style."""
    heading = heading_of(line)
    if heading is None or not heading[1]:
        return None
    return Label(f"heading:{heading[0]}", label_column(line), heading[1], None)


FORM = Form("heading-speakers", "heading", find)
