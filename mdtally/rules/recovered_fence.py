"""A code fence was ended at a speaker's label.

## What it checks

A fence that is open where an unmistakable label of the transcript's own form stands, or that is never closed. mdtally
ends it there and goes on reading turns.

## Why

People paste prompts that hold fences into fences. Read strictly, the rest of the debate is then code and every later
turn is lost; read leniently without a word, a quoted transcript could pass for the real one. So it is read and said.

## Bad

````markdown
---
kind: debate
participants: { Ana: agent, Ben: agent }
---
### Ana

```text
the prompt we used

### Ben

I would not ship that.
````

## Good

````markdown
---
kind: debate
participants: { Ana: agent, Ben: agent }
---
### Ana

```text
the prompt we used
```

### Ben

I would not ship that.
````

## Known false positives

A fence that holds a sample of the same transcript's own form. Close it with as many backticks as opened it.
"""

from __future__ import annotations

from collections.abc import Iterator

from mdtally.model import Problem
from mdtally.rules.base import Checked, describe, read_as

RULE = describe(__doc__, "MDT003", "recovered-fence", "info")


def check(checked: Checked) -> Iterator[Problem]:
    """Report what reading the turns recovered."""
    yield from read_as(checked, RULE)
