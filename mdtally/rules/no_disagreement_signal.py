"""A turn takes issue with nobody, though others have spoken, and does not stand down.

## What it checks

Layer 2 of the gate. Another agent has spoken earlier in the round, and the turn holds neither a disagreement signal
(a contradiction, a rejected premise, something a claim ignores, a failing case, counter-evidence, an opposed
conclusion, a question that exposes a gap) nor the stand-down form: "I've stress-tested Ana's argument and cannot find
a material weakness." A negated signal is none.

## Why

A panel whose members do not test each other's arguments adds no information. It is a warning where the turn also
pads, echoes or is thin, since that is what a fair editor would send back; elsewhere it is for information. Under the
protocol (`protocol: true`, or `lint.strict = true`) it is always a warning.

## Bad

```markdown
Yes, the earlier plan is correct, and I only want to thank the author for the careful preparation of it.
```

## Good

```markdown
That estimate is off by a factor of ten: the log shows 4,100 writes per second, not 410.
```

## Known false positives

Disagreement that is only implied by arguing for another course, without naming what it opposes. The measured rates
stand in the documentation of the gate.
"""

from __future__ import annotations

from collections.abc import Iterator

from mdtally.model import Problem
from mdtally.rules.base import Checked, describe, gated

RULE = describe(__doc__, "MDT102", "no-disagreement-signal", "warning", layer=2)


def check(checked: Checked) -> Iterator[Problem]:
    """Report every later turn without a signal and without a stand-down."""
    yield from gated(
        checked, RULE, "no_disagreement_signal", lambda failure, _: f"takes issue with nobody ({failure.detail})"
    )
