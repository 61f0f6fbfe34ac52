"""Only one agent speaks, so the gate does not apply.

## What it checks

A transcript that is a debate, or is declared one, and has turns of fewer than two agents.

## Why

The gate asks whether agents reasoned with each other. One agent has nobody to flatter but the person, and for that
there is the tally: tag the events and run `mdtally verdict`.

## Bad

```markdown
---
kind: debate
participants: { Human: human, Ana: agent }
---
**Human:** Shall we split the service?

**Ana:** Not before the import is done; it locks the tables that both halves need.
```

## Good

```markdown
---
kind: debate
participants: { Human: human, Ana: agent, Ben: agent }
---
**Human:** Shall we split the service?

**Ana:** Not before the import is done; it locks the tables that both halves need.

**Ben:** The import can be moved to a copy of those tables, so that is no reason to wait.
```

## Known false positives

A second agent whose label was not recognised; `participants:` in the frontmatter settles it.
"""

from __future__ import annotations

from collections.abc import Iterator

from mdtally.model import Problem
from mdtally.rules.base import Checked, describe

RULE = describe(__doc__, "MDT008", "single-expert", "info")


def check(checked: Checked) -> Iterator[Problem]:
    """Say once a file that there was no panel to gate."""
    turns = checked.transcript.turns
    agents = {turn.speaker for turn in turns if turn.kind == "agent"}
    if turns and len(agents) < 2:
        who = f"only {next(iter(agents))} speaks as an agent" if agents else "no agent speaks"
        yield Problem(RULE.name, f"{who} here: no panel, so the gate was not applied", turns[0].region(), "info")
