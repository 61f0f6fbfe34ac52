"""A tally and the tags above it disagree.

## What it checks

Where a log has both tags and tallies, each tally asserts how many events the tags above it mark. The first one that
fails is reported with what it states, what was counted, the difference, and the last tally that still agreed.

## Why

One of the two is a slip of the pen, and only a person knows which. It is the balance assertion of plain-text
accounting: the mistake lies between the last tally that agreed and this one.

## Bad

```markdown
[A_P: asked twice, nothing new]

A_P: 2 | A_R: 0 | A_T: 2
```

## Good

```markdown
[A_P: asked twice, nothing new]

A_P: 1 | A_R: 0 | A_T: 1
```

## Known false positives

A log whose tags are only examples. `mdtally verdict --trust tallies` decides on purpose.
"""

from __future__ import annotations

from collections.abc import Iterator

from mdtally.model import Problem
from mdtally.rules.base import Checked, describe, read_as

RULE = describe(__doc__, "MDT201", "tally-mismatch", "error")


def check(checked: Checked) -> Iterator[Problem]:
    """Report what reading the counters found."""
    yield from read_as(checked, RULE)
