"""Prompt history records: one prompt and one response as sections below a frontmatter.

    ---
    stage: implement
    model: some-model
    ---

    ## Prompt

    Rename the module.

    ## Response snapshot

    Done.

    ## Outcome

"Prompt" and "Response" are common headings of API docs, so the frontmatter or the word "snapshot" has to vouch for
them. Sections of the response itself are told from the record's by the record's own titles.
"""

from __future__ import annotations

import re

from mdtally.dialects import fences, names
from mdtally.dialects.page import Dialect, Page, Reading, Start

_PROMPT = re.compile(r"## (?:User )?Prompt\s*$", re.IGNORECASE)
_RESPONSE = re.compile(r"## (?:Agent |Assistant )?Response(?P<snapshot> snapshot)?\s*$", re.IGNORECASE)
_OWN = re.compile(r"## (?:Outcome|Evaluation notes|Evaluation|Metadata|Links|Follow-?up|Notes|Tests)\b", re.IGNORECASE)
_KEYS = frozenset({"stage", "model", "surface", "feature", "branch", "command", "prompt", "agent", "session"})


def matches(page: Page) -> bool:
    """True where both sections stand there, and a record's frontmatter or title with them."""
    prompt = any(_PROMPT.match(line) for line in page.lines[page.first :])
    response = [
        match for line in page.lines[page.first :] if line.startswith("## ") and (match := _RESPONSE.match(line))
    ]
    return prompt and bool(response) and (len(page.keys & _KEYS) > 1 or any(match["snapshot"] for match in response))


def read(page: Page) -> Reading | None:
    """A human turn for the prompt, an agent's for the response."""
    labels = [
        index
        for index in range(page.first, len(page.lines))
        if page.lines[index].startswith("## ")
        and (_PROMPT.match(page.lines[index]) or _RESPONSE.match(page.lines[index]))
    ]
    own = [index for index in range(page.first, len(page.lines)) if _OWN.match(page.lines[index])]
    code = fences.find(page.lines, page.first, sorted(labels + own))
    starts = tuple(
        Start(
            index,
            0,
            None,
            names.Name("Prompt", kind="human")
            if _PROMPT.match(page.lines[index])
            else names.Name("Response", kind="agent"),
            form="prompt-record",
        )
        for index in labels
        if not code.hidden[index]
    )
    return Reading(starts, tuple(own), code=code, kind="session") if len(starts) > 1 else None


DIALECT = Dialect("prompt-record", matches, read)
