"""A turn uses a phrase of performative agreement.

## What it checks

Layer 1 of the gate. The eight published phrases: *I agree with*, *great point*, *solid analysis*, *well said*, *just
echoing*, *echoing your*, *echoing the*, *building on that* (and the pack's equivalents in other languages). A use is a
finding, at its column. Words inside other words, quotations and code are mentions, not uses.

## Why

These are the formulas in which agents flatter each other. Where the debate ran under a protocol that forbids them, a
use breaks it; elsewhere it is a hint that padding stands where reasoning should.

## Bad

```markdown
Great point! I agree with the previous speaker and have nothing to change in the plan.
```

## Good

```markdown
The migration order holds. The rollback omits the sequence values, so inserts will collide after a restore.
```

## Known false positives

A concession that opens a real counter ("I agree with the migration itself, but the rollback ...") is a use too. Outside
the protocol it is for information only; under it, it is a warning like any other.
"""

from __future__ import annotations

from collections.abc import Iterator

from mdtally.model import Problem
from mdtally.rules.base import Checked, describe, gated

RULE = describe(__doc__, "MDT101", "forbidden-phrase", "warning", layer=1)


def check(checked: Checked) -> Iterator[Problem]:
    """Report every use."""
    yield from gated(
        checked, RULE, "forbidden_phrase", lambda failure, _: f"“{failure.detail}” is performative agreement"
    )
