"""A key of yours has the name of one of mdtally's.

## What it checks

`verdict:` or `calibration:` in the frontmatter of a session log, with a value that is not one mdtally writes.

## Why

`mdtally verdict` writes those two keys. It never overwrites a value with another meaning: the log is judged once the
key has another name.

## Bad

```markdown
---
verdict: guilty
---
A_P: 1 | A_R: 0 | A_T: 7
```

## Good

```markdown
---
outcome: guilty
---
A_P: 1 | A_R: 0 | A_T: 7
```

## Known false positives

None known: a file without counters is not judged.
"""

from __future__ import annotations

from collections.abc import Iterator

from mdtally.model import Problem
from mdtally.rules.base import Checked, describe, read_as

RULE = describe(__doc__, "MDT209", "verdict-key-taken", "error")


def check(checked: Checked) -> Iterator[Problem]:
    """Report what judging the log found."""
    yield from read_as(checked, RULE)
