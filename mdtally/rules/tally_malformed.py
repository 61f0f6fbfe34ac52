"""A counter is stated, but not as a count.

## What it checks

A counter with a separator and one word or number that is no count: `A_P: one`, `A_P = -1`, `A_T: 1.5`, `A_R: ?`, alone
or between bars and commas, or in a table.

## Why

It was meant as a number. Skipping it would compute the verdict from a part of the numbers.

## Bad

```markdown
A_P: one | A_R: 0 | A_T: 7
```

## Good

```markdown
A_P: 1 | A_R: 0 | A_T: 7
```

## Known false positives

A definition in one word (`A_P: caving`). Write it as a sentence, or the counter's name without the colon.
"""

from __future__ import annotations

from collections.abc import Iterator

from mdtally.model import Problem
from mdtally.rules.base import Checked, describe, read_as

RULE = describe(__doc__, "MDT205", "tally-malformed", "error")


def check(checked: Checked) -> Iterator[Problem]:
    """Report what reading the counters found."""
    yield from read_as(checked, RULE)
