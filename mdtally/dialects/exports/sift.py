"""Sift AI's debates: the round and the model stand behind the name, and thoughts are folded below it.

    ### Proponent (Round 1) *(some-model)*
    <details><summary>💭 <i>Inner Monologue (Click to expand)</i></summary>

    > Start with the rent.
    </details>

    # Why one quay is enough

    ### Thesis 1: The rent

Bodies hold headings of every level, so only the whole shape of the label tells one.
"""

from __future__ import annotations

import re

from mdtally.dialects import names
from mdtally.dialects.page import Dialect, Page, Reading, Start

_LABEL = re.compile(r"#{2,4} (?P<who>[^()]{1,60}?) \(Round (?P<round>\d{1,3})\) \*\((?P<model>[^*]{1,80})\)\*\s*$")


def matches(page: Page) -> bool:
    """True where two labels or more have the shape."""
    return sum(1 for line in page.lines[page.first :] if line.startswith("##") and _LABEL.match(line)) > 1


def read(page: Page) -> Reading | None:
    """A turn for each label."""
    labels, code = page.labelled(_LABEL)
    starts: list[Start] = []
    for index, match in labels.items():
        kind = names.kind_of(names.Name(match["who"])) or "agent"
        name, number = names.Name(match["who"], kind=kind, model=match["model"]), int(match["round"])
        starts.append(Start(index, 0, None, name, number, number, form="sift"))
    return Reading(tuple(starts), code=code, kind="debate") if starts else None


DIALECT = Dialect("sift", matches, read)
