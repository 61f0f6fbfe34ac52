"""A session kept step by step, each step with a field for what was asked and one for what was done.

    ### Step 1 — Install

    #### **Prompt**

    `tool install`

    **Action**

    - installed, with defaults

The same field is a heading in one step and bold in the next; a step may be called a session ("## Session 2") or an
interaction ("## Interaction [12:31]"). Requests and responses are fields of API docs too, so the
fields count inside numbered steps only, and one of them has to be a prompt.
"""

from __future__ import annotations

import re

from mdtally.dialects import names, words
from mdtally.dialects.page import Dialect, Page, Reading, Start

_STEP = re.compile(r"(?:step|session|interaction|paso|schritt|étape|шаг|步骤|步驟)\s*\[?\d", re.IGNORECASE)
_FIELD = re.compile(
    r"(?:(?P<hashes>#{2,6})\s+)?(?P<bold>\*\*)?(?P<field>[A-Za-z][\w -]{1,20}?)(?=\s*(?:[:*(]|$))(?:\s\([^()]{1,30}\))?"
    r":?(?(bold)\*\*)\s*:?\s*(?P<rest>.*)$"
)


def matches(page: Page) -> bool:
    """True where two numbered steps are headings."""
    return sum(1 for heading in page.headings if _STEP.match(heading.plain)) > 1


def read(page: Page) -> Reading | None:
    """A human turn for each field that asks, an agent's for each that answers."""
    steps = [heading for heading in page.headings if _STEP.match(heading.plain)]
    level = steps[0].level
    step_lines = {heading.index for heading in steps}
    bounds = {heading.index: heading.index in step_lines for heading in page.headings if heading.level <= level}
    starts: list[Start] = []
    ends: list[int] = list(bounds)
    inside = False
    for index in range(page.first, len(page.lines)):
        if index in bounds:
            inside = bounds[index]
            continue
        if not inside or not page.visible(index):
            continue
        match = _FIELD.match(page.lines[index])
        if match is None or not (match["hashes"] or match["bold"]):
            continue
        field = match["field"].strip().casefold()
        kind = "human" if field in words.PROMPT_FIELDS else "agent" if field in words.ACTION_FIELDS else None
        if kind is None:
            ends.append(index)
            continue
        name = names.Name(match["field"].strip(), kind="human" if kind == "human" else "agent")
        starts.append(Start(index, 0, match.start("rest") if match["rest"] else None, name, form="step-fields"))
    asked = {start.name.key for start in starts if start.name.kind == "human"}
    answered = any(start.name.kind == "agent" for start in starts)
    return Reading(tuple(starts), tuple(sorted(ends)), kind="session") if "prompt" in asked and answered else None


DIALECT = Dialect("step-fields", matches, read)
