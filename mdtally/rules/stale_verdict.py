"""The verdict in the frontmatter is not that of the log below it.

## What it checks

A file with a `verdict:` of mdtally's whose tags, tallies or thresholds have changed since it was written.

## Why

Whoever reads only the frontmatter, and a program that queries notes does, would believe the old one.

## Bad

```markdown
---
verdict: CALIBRATED
---
A_P: 3 | A_R: 0 | A_T: 9
```

## Good

Run `mdtally verdict` on the file: it writes the verdict and its line in the calibration log.

## Known false positives

None known: a log that was never judged is not stale here. `mdtally verdict --check` is stricter and reports it too.
"""

from __future__ import annotations

from collections.abc import Iterator

from mdtally.model import Problem, Region
from mdtally.rules.base import Checked, describe

RULE = describe(__doc__, "MDT206", "stale-verdict", "error")


def check(checked: Checked) -> Iterator[Problem]:
    """Report a verdict that the log no longer bears out."""
    if checked.stale is not None:
        line = checked.document.head.lines.get("verdict", 1)
        yield Problem(
            RULE.name, f"{checked.stale}; run `mdtally verdict` on this file", Region(line, 1, line, 1), "error"
        )
