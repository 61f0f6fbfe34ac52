"""A suppression comment suppresses nothing.

## What it checks

A `mdtally-disable` comment in whose reach the named rule finds nothing.

## Why

A comment that once excused a finding hides the next one that has no excuse.

## Bad

```markdown
---
kind: debate
participants: { Ana: agent, Ben: agent }
---
### Ana

The queue hides the overload, and the caller waits forty seconds for a refusal.

<!-- mdtally-disable-next-turn too-short: quoted on purpose -->
### Ben

This turn has far more than the twelve words that the rule asks for, so nothing is suppressed.
```

## Good

```markdown
---
kind: debate
participants: { Ana: agent, Ben: agent }
---
### Ana

The queue hides the overload, and the caller waits forty seconds for a refusal.

<!-- mdtally-disable-next-turn too-short: quoted on purpose -->
### Ben

Ship it.
```

## Known false positives

A rule that is switched off in this run: its suppressions are not reported.
"""

from __future__ import annotations

from collections.abc import Iterator

from mdtally.model import Problem
from mdtally.rules.base import Checked, describe

RULE = describe(__doc__, "MDT009", "unused-suppression", "warning")


def check(checked: Checked) -> Iterator[Problem]:
    """Nothing: only the linter, which applies the suppressions, knows which were used."""
    yield from ()
