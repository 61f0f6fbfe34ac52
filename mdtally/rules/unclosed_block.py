"""An unclosed fence or comment swallows the rest of a log.

## What it checks

A code fence or an HTML comment that is never closed, in a file with counters: all tags and tallies below its opening
line would silently not count.

## Why

A verdict is never computed from a part of the numbers. The finding names the opening line, which is where the mistake
was made, and not the end of the file, where it shows.

## Bad

````markdown
[A_P] [A_T]

```text
the agent's answer

[A_T]
````

## Good

````markdown
[A_P] [A_T]

```text
the agent's answer
```

[A_T]
````

## Known false positives

None known: in a transcript without counters the fence is recovered and reported as `recovered-fence` instead.
"""

from __future__ import annotations

from collections.abc import Iterator

from mdtally.model import Problem
from mdtally.rules.base import Checked, describe, read_as

RULE = describe(__doc__, "MDT002", "unclosed-block", "error")


def check(checked: Checked) -> Iterator[Problem]:
    """Report what reading the counters found."""
    yield from read_as(checked, RULE)
