"""A turn voices doubt without a reason, a name, a number or a case.

## What it checks

Phrases of doubt ("there may be issues with this", "some concerns remain") in a turn that takes issue with nothing in
particular.

## Why

Doubt that names nothing can't be answered. It looks like independence and is not.

## Bad

```markdown
There may be some issues with this, and various stakeholders might raise concerns, but overall it seems fine to me.
```

## Good

```markdown
The consent form has no field for minors, and a third of last year's patients were under sixteen.
```

## Known false positives

A hedge in front of a reason that is given without a name, a number or a case.
"""

from __future__ import annotations

from collections.abc import Iterator

from mdtally.model import Problem
from mdtally.rules.base import Checked, describe, gated

RULE = describe(__doc__, "MDT112", "vague-objection", "warning")


def check(checked: Checked) -> Iterator[Problem]:
    """Report every vague objection."""
    yield from gated(
        checked, RULE, "vague_objection", lambda failure, _: f"“{failure.detail}” names no reason, number or case"
    )
