"""A turn is empty, or says only that there was no response.

## What it checks

A label with no text below it, or with nothing but "unavailable", "timed out", "no response" or "skipped".

## Why

Such a turn is short, but it is no flattery: it is reported here and not gated.

## Bad

```markdown
---
kind: debate
participants: { ChatGPT: agent, Gemini: agent }
---
### ChatGPT

A cache in front of the price service halves its load.

### Gemini

*Unavailable: the service returned an error.*
```

## Good

```markdown
---
kind: debate
participants: { ChatGPT: agent, Gemini: agent }
---
### ChatGPT

A cache in front of the price service halves its load.

### Gemini

The cache answers stale prices for a minute after each import, which is when most orders come in.
```

## Known false positives

None known.
"""

from __future__ import annotations

from collections.abc import Iterator

from mdtally.model import Problem
from mdtally.rules.base import Checked, describe

RULE = describe(__doc__, "MDT006", "placeholder-turn", "info")


def check(checked: Checked) -> Iterator[Problem]:
    """Report every placeholder of an agent."""
    for turn in checked.transcript.turns:
        if turn.placeholder and turn.kind == "agent":
            yield Problem(
                RULE.name, f"{turn.speaker} gave no response here; not gated", turn.region(), "info", turn.index
            )
