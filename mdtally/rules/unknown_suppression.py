"""A suppression comment can't be understood.

## What it checks

A `mdtally-` comment that names no rule, a rule that does not exist, or an instruction that does not exist.

## Why

A misspelt suppression looks as if it worked. It must always name what it suppresses: a bare `disable` would also hide
what is found next year.

## Bad

```markdown
<!-- mdtally-disable-next-line to-short -->
```

## Good

```markdown
<!-- mdtally-disable-next-line too-short: quoted on purpose -->
```

## Known false positives

None known: comments inside code are text.
"""

from __future__ import annotations

from collections.abc import Iterator

from mdtally.model import Problem
from mdtally.rules.base import Checked, describe

RULE = describe(__doc__, "MDT010", "unknown-suppression", "warning")


def check(checked: Checked) -> Iterator[Problem]:
    """Nothing: the comments are read by the linter, which reports the ones it can't understand."""
    yield from ()
