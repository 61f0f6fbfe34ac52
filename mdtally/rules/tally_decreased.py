"""A running total goes down.

## What it checks

A tally states less than an earlier tally of the same counter.

## Why

Tallies are running totals: they can only grow. A smaller one is a slip, or a new session in the old file.

## Bad

```markdown
A_P: 1 | A_R: 0 | A_T: 7

A_P: 1 | A_R: 0 | A_T: 6
```

## Good

```markdown
A_P: 1 | A_R: 0 | A_T: 7

A_P: 1 | A_R: 0 | A_T: 8
```

## Known false positives

Two sessions in one file. Give each its own.
"""

from __future__ import annotations

from collections.abc import Iterator

from mdtally.model import Problem
from mdtally.rules.base import Checked, describe, read_as

RULE = describe(__doc__, "MDT204", "tally-decreased", "error")


def check(checked: Checked) -> Iterator[Problem]:
    """Report what reading the counters found."""
    yield from read_as(checked, RULE)
