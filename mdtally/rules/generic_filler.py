"""A turn leans on filler words.

## What it checks

*Holistic*, *synergy*, *leverage*, *robust*, *best practices* and their like. Off by default.

## Why

The words fit every plan, so they say nothing about this one. They are also terms of art (robust standard errors), and
in real debates most uses are; switch the rule on where the panel's subject has none of them.

## Bad

```markdown
A holistic approach lets us leverage synergies and follow best practices for a robust outcome.
```

## Good

```markdown
One team owns both services from June, so the hand-over that caused the March outage goes away.
```

## Known false positives

Every technical use of the words: of the published list's hits in real debates, 11 of 13 were *leverage* and *robust*
as subject words.
"""

from __future__ import annotations

from collections.abc import Iterator

from mdtally.model import Problem
from mdtally.rules.base import Checked, describe, gated

RULE = describe(__doc__, "MDT115", "generic-filler", "info", default=False)


def check(checked: Checked) -> Iterator[Problem]:
    """Report every filler word."""
    yield from gated(checked, RULE, "generic_filler", lambda failure, _: f"“{failure.detail}” fits every plan")
