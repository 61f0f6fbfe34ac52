"""A turn is too short to hold an argument.

## What it checks

Layer 3 of the gate: fewer than 12 words (`lint.min-words`). Where it fails, layer 2 is not asked, so a one-line turn
gets one clear message. Scripts without spaces are counted fairly.

## Why

"Agreed, ship it today." gives a reason for nothing.

## Bad

```markdown
Agreed, ship it today.
```

## Good

```markdown
Ship it today: the two open findings are in the admin pages, which no customer can reach before Monday.
```

## Known false positives

A turn that answers a yes-or-no question. The stand-down form is exempt.
"""

from __future__ import annotations

from collections.abc import Iterator

from mdtally.model import Problem
from mdtally.rules.base import Checked, describe, gated

RULE = describe(__doc__, "MDT103", "too-short", "warning", layer=3)


def check(checked: Checked) -> Iterator[Problem]:
    """Report every turn under the minimum."""
    yield from gated(checked, RULE, "too_short", lambda failure, _: failure.detail)
