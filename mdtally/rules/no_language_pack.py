"""No language pack fits the debate, so layers 1 and 2 were skipped.

## What it checks

The frontmatter's `language:`, else what a light stop-word test says of the turns, names a language that mdtally has no
phrases and signals for.

## Why

English lists never match another language: every turn would be called empty of disagreement. Skipping without a word
would make the debate look clean. So it is skipped and said.

## Bad

```markdown
---
kind: debate
participants: { Ana: agent, Ben: agent }
language: nl
---
### Ana

De wachtrij verbergt de overbelasting, en de beller wacht veertig seconden op een weigering.

### Ben

Veertig seconden klopt alleen bij de standaarddiepte; bij een diepte van tien is het een halve seconde.
```

## Good

```markdown
---
kind: debate
participants: { Ana: agent, Ben: agent }
language: en
---
### Ana

The queue hides the overload, and the caller waits forty seconds for a refusal.

### Ben

Forty seconds assumes the default depth; at a depth of ten it is half a second.
```

## Known false positives

A debate that mixes languages can be taken for the wrong one; `language:` in the frontmatter settles it.
"""

from __future__ import annotations

from collections.abc import Iterator

from mdtally.model import Problem
from mdtally.rules.base import Checked, describe

RULE = describe(__doc__, "MDT007", "no-language-pack", "info")


def check(checked: Checked) -> Iterator[Problem]:
    """Say once a file that only the length was checked."""
    # An empty turn is in no language: a template that waits to be filled in needs no pack.
    turn = next((response.turn for response in checked.responses if not response.turn.placeholder), None)
    if checked.language == "" and turn:
        yield Problem(
            RULE.name,
            "no language pack fits this debate: forbidden phrases and disagreement signals were not checked; "
            "name the language with `language:` in the frontmatter",
            turn.region(),
            "info",
            turn.index,
        )
