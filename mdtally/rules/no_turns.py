"""A file that is declared a debate or session shows no turns.

## What it checks

The frontmatter says `kind: debate` or `kind: session`, or names `participants:`, and mdtally recognised no turn.

## Why

A check that looks clean because nothing was recognised is worse than none. Ordinary Markdown is skipped in silence; a
file that says what it is must be read or reported.

## Bad

```markdown
---
kind: debate
---
We talked about the queue and agreed to keep it.
```

## Good

```markdown
---
kind: debate
participants: { Ana: agent }
---
## Round 1

### Ana

The queue hides the overload; keep the limit at forty instead and let the caller wait.
```

## Known false positives

A debate that has only just been begun. Leave `kind:` out until the first turn stands.
"""

from __future__ import annotations

from collections.abc import Iterator

from mdtally.model import Problem
from mdtally.rules.base import Checked, describe, first_line

RULE = describe(__doc__, "MDT001", "no-turns", "error")


def check(checked: Checked) -> Iterator[Problem]:
    """Report a declared transcript without turns; a session with counters needs none."""
    transcript = checked.transcript
    if not transcript.declared or transcript.turns:
        return
    if transcript.kind == "session" and checked.counts.decided_by:
        return
    kind = transcript.kind or "transcript"
    yield Problem(
        RULE.name,
        f"declared a {kind}, but no turn was recognised; name the speakers under `participants:` in the frontmatter",
        first_line(checked),
        hint=" ".join(transcript.hints),
    )
