"""A turn pads with agreement or praise beyond the eight published phrases.

## What it checks

The wider family of agreement padding: *I completely agree*, *brilliant point*, *I appreciate your ...*, *spot on*. A
concession that says what is conceded and why is not padding, nor is plain courtesy.

## Why

Agents that may not say "great point" say "excellent insight". It is a warning where no disagreement follows, else for
information.

## Bad

```markdown
I completely agree. This is a brilliant and insightful perspective, and it captures everything I was thinking.
```

## Good

```markdown
The cost figure is right, because it includes egress. The schedule is not: it assumes two people who left in May.
```

## Known false positives

Irony ("oh, brilliant"). The measured error rate stands in the documentation of the gate.
"""

from __future__ import annotations

from collections.abc import Iterator

from mdtally.model import Problem
from mdtally.rules.base import Checked, describe, gated

RULE = describe(__doc__, "MDT104", "agreement-padding", "warning")


def check(checked: Checked) -> Iterator[Problem]:
    """Report every stretch of padding."""
    yield from gated(
        checked,
        RULE,
        "agreement_padding",
        lambda failure, seen: f"“{seen}” is padding ({failure.detail}): say what is right, and why",
    )
