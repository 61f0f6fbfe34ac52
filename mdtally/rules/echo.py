"""A turn mostly restates an earlier one.

## What it checks

How many of the turn's content words an earlier speaker of the same round used, in the same order. No phrase is needed.

## Why

Restating others is agreement without the word, and adds nothing to a panel.

## Bad

```markdown
### Ana

The queue hides the overload instead of removing it, so the latency moves from two seconds to forty.

### Ben

As said, the queue hides the overload instead of removing it, and the latency moves from two seconds to forty.
```

## Good

```markdown
### Ben

Forty seconds assumes the default depth. At a depth of ten the caller sees the refusal after half a second.
```

## Known false positives

A turn that quotes at length without quotation marks in order to answer.
"""

from __future__ import annotations

from collections.abc import Iterator

from mdtally.model import Problem
from mdtally.rules.base import Checked, describe, gated

RULE = describe(__doc__, "MDT111", "echo", "warning")


def check(checked: Checked) -> Iterator[Problem]:
    """Report every turn that repeats an earlier one."""
    yield from gated(checked, RULE, "echo", lambda failure, _: failure.detail)
