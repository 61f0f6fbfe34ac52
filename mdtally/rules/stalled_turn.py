"""A turn asks for leave, material or instructions, or declines, where it should argue.

## What it checks

Phrases such as "I need permission to", "please paste the file", "I can't assist with that" and "let me know how to
proceed" in a turn of fewer than 60 words that takes issue with nobody. Where a longer turn asks for something too, it
has had room to say what it holds.

## Why

An agent that waits for somebody to approve its work has taken no part, and looks in the count of turns as though it
had. Often its tools or its prompt need mending, which nobody notices as long as the transcript looks complete.

## Bad

```markdown
I need write permission before I can update the proposal with the three hypotheses. Could you approve the pending edit?
```

## Good

```markdown
The proposal needs a third hypothesis: the tariff may bind before the split does, and then both forecasts fail.
```

## Known false positives

A turn that is meant to ask for leave before it acts, and a host's short greeting ("What would you like to discuss?").
"""

from __future__ import annotations

from collections.abc import Iterator

from mdtally.model import Problem
from mdtally.rules.base import Checked, describe, gated

RULE = describe(__doc__, "MDT116", "stalled-turn", "warning")


def check(checked: Checked) -> Iterator[Problem]:
    """Report every turn that waits for somebody or declines."""
    yield from gated(
        checked, RULE, "stalled_turn", lambda failure, _: f"“{failure.detail}” waits or declines where it should argue"
    )
