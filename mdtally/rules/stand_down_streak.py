"""A speaker stands down in every turn.

## What it checks

An agent with three or more gated turns after somebody else's, all of which use the stand-down form.

## Why

Standing down is the accepted form of agreement, so it is also the easiest way through the gate. Whoever finds no
weakness in anything, round after round, has probably not looked.

## Bad

```markdown
### Ben

I've stress-tested Ana's argument and cannot find a material weakness.
```

in each of three rounds.

## Good

One stand-down, and an objection, an omission or a failing case in the other rounds.

## Known false positives

A panel that is simply right about everything. It happens less often than it seems.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from mdtally.model import Problem
from mdtally.rules.base import Checked, Response, describe

RULE = describe(__doc__, "MDT113", "stand-down-streak", "warning")

SHORTEST_STREAK = 3


def check(checked: Checked) -> Iterator[Problem]:
    """Report a speaker once, at the last of the turns."""
    first_speaker: dict[int, str] = {}
    later: dict[str, list[Response]] = defaultdict(list)
    for response in checked.responses:
        opener = first_speaker.setdefault(response.turn.group, response.turn.speaker)
        if response.result and response.turn.speaker != opener:
            later[response.turn.speaker].append(response)
    for speaker, responses in later.items():
        if len(responses) < SHORTEST_STREAK:
            continue
        if all(response.result and response.result.stand_down for response in responses):
            turn = responses[-1].turn
            yield Problem(
                RULE.name,
                f"{speaker} stands down in all {len(responses)} turns that answer somebody",
                turn.region(),
                "warning",
                turn.index,
                hint="Attack the strongest claim of an earlier speaker: name a case in which it fails.",
            )
