"""One heading holds the round (or the turn's number) and the speaker.

    ### Round 1 - Noor

    We cannot pay for both.

    ### Round 1 - Imre

    Then drop the second one.

Also "## Turn 4: 🔧 Imre" and "## Turn 4 — assistant". A turn's number is no round: it counts the turns. Where such headings
hold other labelled voices, they are rounds with titles instead ("## Round 1 — Wild"), and the hand-kept reading has them.
"""

from __future__ import annotations

import re
from collections import Counter

from mdtally.dialects import names, rounds
from mdtally.dialects.names import Name
from mdtally.dialects.page import Heading, Page, Reading, Start
from mdtally.dialects.rounds import RoundLine

_SEPARATOR = re.compile(r"^\s*(?:(?:/|of)\s*\d+)?\s*[:：—–|·•/>,.-]*\s*")


def read(page: Page) -> Reading | None:
    """One turn a numbered heading; None where the headings name no voices."""
    if page.declared.rounds == "none" and not page.declared.participants:
        return None
    by_level: dict[int, list[tuple[Heading, RoundLine, Name | None]]] = {}
    for heading in page.headings:
        line = rounds.parse(heading.plain)
        if line is not None and not line.refused:
            by_level.setdefault(heading.level, []).append((heading, line, _name(heading, line)))
    for level in sorted(by_level):
        named = [(heading, line, name) for heading, line, name in by_level[level] if name is not None]
        if len(named) * 5 < len(by_level[level]) * 4 or not _voices(page, [(line, name) for _, line, name in named]):
            continue
        numbers = Counter(line.number for _, line, _ in named)
        # Turns are numbered through; rounds come back, or are called rounds.
        counts_turns = named[0][1].rank == 1 and max(numbers.values()) == 1
        place = {number: rank for rank, number in enumerate(sorted(numbers), start=1)}
        starts = tuple(
            Start(
                heading.index,
                0,
                None,
                name,
                None if counts_turns or page.declared.rounds == "none" else line.number,
                0 if counts_turns else place[line.number],
                "numbered-headings",
            )
            for heading, line, name in named
        )
        lines = {start.index for start in starts}
        ends = tuple(
            heading.index
            for heading in page.headings
            if heading.index not in lines
            and (heading.level < level or (heading.level == level and _is_outside(heading)))
        )
        return Reading(starts, ends)
    return None


def _name(heading: Heading, line: RoundLine) -> Name | None:
    if not line.rest or "→" in line.rest or "->" in line.rest:
        return None
    # The text as written, behind the number: an emoji beside the name is part of what it says.
    name = names.clean(_SEPARATOR.sub("", heading.text[heading.text.find(line.token) + len(line.token) :]))
    if name is None or names.is_field(name):
        return None
    return name if names.is_capitalised(name.speaker) or names.is_voice(name) else None


def _voices(page: Page, named: list[tuple[RoundLine, Name]]) -> bool:
    keys = [name.key for _, name in named]
    distinct = set(keys)
    if page.declared.participants:
        return True
    if len(keys) < 2 or len(distinct) < 2:
        return False
    numbers = [line.number for line, _ in named]
    voices = {name.key for _, name in named if names.is_voice(name) or names.is_role(name)}
    # The same number with several names, or a few names over and over.
    return (
        len(voices) > 1
        or (len(set(numbers)) < len(numbers) and max(Counter(keys).values()) > 1)
        or (len(keys) > 3 and len(distinct) * 2 <= len(keys) and named[0][0].rank == 1)
    )


def _is_outside(heading: Heading) -> bool:
    line = rounds.parse(heading.plain)
    return names.is_section(heading.plain) or (line is not None and line.refused)
