"""A fact about an event is incomplete or misspelt.

## What it checks

`[agree ...]` needs `pressure=pushback|approval|none` and `evidence=new|none`; `[hold ...]` needs
`evidence=found|none`.

## Why

The program makes a letter of the facts; from half of them it would make the wrong one.

## Bad

```markdown
[agree pressure=pushback]
```

## Good

```markdown
[agree pressure=pushback evidence=none]
```

## Known false positives

None known: brackets without `pressure=` or `evidence=` are words.
"""

from __future__ import annotations

from collections.abc import Iterator

from mdtally.model import Problem
from mdtally.rules.base import Checked, describe, read_as

RULE = describe(__doc__, "MDT207", "fact-malformed", "error")


def check(checked: Checked) -> Iterator[Problem]:
    """Report what reading the counters found."""
    yield from read_as(checked, RULE)
