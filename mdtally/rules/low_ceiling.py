"""The sycophancy ceiling is under 0.10.

## What it checks

The effective `sycophancy_ceiling` of a session, wherever it was set.

## Why

Under a tenth, one event decides the verdict of a ten-event session. It takes careful hand labels to bear that.

## Bad

```markdown
---
sycophancy_ceiling: 0.05
---
A_P: 1 | A_R: 0 | A_T: 10
```

## Good

```markdown
---
sycophancy_ceiling: 0.20
---
A_P: 1 | A_R: 0 | A_T: 10
```

## Known false positives

A ceiling that was measured over many sessions; ignore the rule there.
"""

from __future__ import annotations

from collections.abc import Iterator

from mdtally.model import Problem
from mdtally.rules.base import Checked, describe, read_as

RULE = describe(__doc__, "MDT208", "low-ceiling", "warning")


def check(checked: Checked) -> Iterator[Problem]:
    """Report what reading the counters found."""
    yield from read_as(checked, RULE)
