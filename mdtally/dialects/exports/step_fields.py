"""A session kept step by step, each step with a field for what was asked and one for what was done.

    ### Step 1 — Install

    #### **Prompt**

    `tool install`

    **Action**

    - installed, with defaults

The same field is a heading in one step and bold in the next; a step may be called a session ("## Session 2") or an
interaction ("## Interaction [12:31]"), or a turn or round ("## Turn 2 — Export"), which then counts the rounds.
Requests and responses are fields of API docs too, so the fields count inside numbered steps only, and one of them has
to be a prompt.
"""

from __future__ import annotations

import re

from mdtally.dialects import names, rounds, words
from mdtally.dialects.page import Dialect, Heading, Page, Reading, Start

_STEP = re.compile(r"(?:step|session|interaction|paso|schritt|étape|шаг|步骤|步驟)\s*\[?\d", re.IGNORECASE)
_FIELD = re.compile(
    r"(?:(?P<hashes>#{2,6})\s+)?(?P<bold>\*\*)?(?P<field>[A-Za-z][\w -]{1,20}?)(?=\s*(?:[:*(]|$))(?:\s\([^()]{1,30}\))?"
    r":?(?(bold)\*\*)\s*:?\s*(?P<rest>.*)$"
)


def matches(page: Page) -> bool:
    """True where two numbered steps are headings."""
    return sum(1 for heading in page.headings if _is_step(heading)) > 1


def read(page: Page) -> Reading | None:
    """A human turn for each field that asks, an agent's for each that answers."""
    steps = [heading for heading in page.headings if _is_step(heading)]
    level = steps[0].level
    step_lines = {heading.index: rounds.parse(heading.plain) for heading in steps}
    bounds = {heading.index: heading.index in step_lines for heading in page.headings if heading.level <= level}
    # "### What was done" among "### Turn 1" and "### Turn 2" is part of an answer.
    said = {
        heading.index
        for heading in page.headings
        if heading.level == level
        and heading.index not in step_lines
        and steps[0].index < heading.index < steps[-1].index
        and not names.is_section(heading.plain, hard=True)
    }
    starts: list[Start] = []
    ends: list[int] = []
    bold_fields: list[int] = []
    by_heading = True
    inside = False
    counted: rounds.RoundLine | None = None
    container = 0
    prompted = False
    for index in range(page.first, len(page.lines)):
        if index in said:
            continue
        if index in bounds:
            ends.append(index)
            inside = bounds[index]
            counted = step_lines.get(index)
            container += 1
            continue
        if not inside or not page.visible(index):
            continue
        match = _FIELD.match(page.lines[index])
        if match is None or not (match["hashes"] or match["bold"]):
            continue
        field = match["field"].strip().casefold()
        asks = field.replace(" ", "-") in words.PROMPT_FIELDS
        prompted = prompted or (asks and field.endswith("prompt"))
        kind = "human" if asks else "agent" if field in words.ACTION_FIELDS else None
        if kind is None:
            (ends if match["hashes"] else bold_fields).append(index)
            continue
        speaker = match["field"].strip()
        voice, _, what = speaker.partition(" ")
        if what and voice.casefold() in words.HUMANS | words.AGENTS and not page.declared.participants:
            speaker = voice  # "User Prompt", "AI Response"; what is declared is spelt as the labels are
        name = names.Name(speaker, kind="human" if kind == "human" else "agent")
        number = counted.number if counted is not None and page.declared.rounds != "none" else None
        body = match.start("rest") if match["rest"] else None
        starts.append(Start(index, 0, body, name, number, container, "step-fields"))
        by_heading = by_heading and bool(match["hashes"])
    answered = any(start.name.kind == "agent" for start in starts)
    if not by_heading:
        ends += bold_fields  # where all fields are headings, what is bold is part of an answer
    return Reading(tuple(starts), tuple(sorted(ends)), kind="session") if prompted and answered else None


def _is_step(heading: Heading) -> bool:
    parsed = rounds.parse(heading.plain)
    return bool(_STEP.match(heading.plain)) or (parsed is not None and not parsed.refused)


DIALECT = Dialect("step-fields", matches, read)
