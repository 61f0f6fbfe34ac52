"""A counter is not stated.

## What it checks

Tallies that state one or two of `A_P`, `A_R` and `A_T`, in a log without tags.

## Why

A verdict is never computed from a part of the numbers, and a missing zero can't be told from a forgotten line.

## Bad

```markdown
A_P: 1 | A_T: 7
```

## Good

```markdown
A_P: 1 | A_R: 0 | A_T: 7
```

## Known false positives

None known.
"""

from __future__ import annotations

from collections.abc import Iterator

from mdtally.model import Problem
from mdtally.rules.base import Checked, describe, read_as

RULE = describe(__doc__, "MDT202", "tally-missing", "error")


def check(checked: Checked) -> Iterator[Problem]:
    """Report what reading the counters found."""
    yield from read_as(checked, RULE)
