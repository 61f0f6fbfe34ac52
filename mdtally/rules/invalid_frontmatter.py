"""The frontmatter can't be read.

## What it checks

The block between `---`, between `+++`, or in braces at the top of the file is not valid YAML, TOML or JSON, or names a
key twice.

## Why

Settings, participants and the verdict live there. A head that can't be read is never edited either, so `verdict`
writes nothing until it is mended.

## Bad

```markdown
---
model: "claude
---
```

## Good

```markdown
---
model: "claude"
---
```

## Known false positives

None known: text between two thematic breaks is no frontmatter unless it has keys.
"""

from __future__ import annotations

from collections.abc import Iterator

from mdtally.model import Problem
from mdtally.rules.base import Checked, describe, read_as

RULE = describe(__doc__, "MDT004", "invalid-frontmatter", "error")


def check(checked: Checked) -> Iterator[Problem]:
    """Report what reading the head found."""
    yield from read_as(checked, RULE)
