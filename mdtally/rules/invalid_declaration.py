"""The frontmatter declares something mdtally can't use.

## What it checks

The values of `kind`, `dialect`, `participants`, `rounds`, `ignore_sections`, `transcript_section`, `headless`,
`protocol` and the thresholds: an unknown kind or dialect, a participant without a name, a ceiling that is no number.

## Why

A declaration that is silently ignored looks as if it had settled something.

## Bad

```markdown
---
participants:
  Ana: expret
---
```

## Good

```markdown
---
participants:
  Ana: agent
  Me: human
---
```

## Known false positives

A file of another program that uses the same key for something else. Name the rule in `lint.ignore`, or exclude the
file.
"""

from __future__ import annotations

from collections.abc import Iterator

from mdtally.model import Problem
from mdtally.rules.base import Checked, describe, read_as

RULE = describe(__doc__, "MDT005", "invalid-declaration", "error")


def check(checked: Checked) -> Iterator[Problem]:
    """Report what reading the declarations found."""
    yield from read_as(checked, RULE)
