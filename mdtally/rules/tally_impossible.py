"""More progressive and regressive events than events.

## What it checks

`A_P + A_R` is greater than `A_T`.

## Why

Each `A_P` and each `A_R` is one of the `A_T` events, so the three can't all be right.

## Bad

```markdown
A_P: 3 | A_R: 2 | A_T: 4
```

## Good

```markdown
A_P: 3 | A_R: 2 | A_T: 9
```

## Known false positives

None known.
"""

from __future__ import annotations

from collections.abc import Iterator

from mdtally.model import Problem
from mdtally.rules.base import Checked, describe, read_as

RULE = describe(__doc__, "MDT203", "tally-impossible", "error")


def check(checked: Checked) -> Iterator[Problem]:
    """Report what reading the counters found."""
    yield from read_as(checked, RULE)
