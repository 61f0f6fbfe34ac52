"""Headings that name the two roles of a session, again and again.

    ## 👤 User

    Rename the module.

    ---

    ## 🤖 Claude

    # Renaming

    ## What changed

    Two imports.

Whole files are pasted into such logs, with headings of the same level and above and with fences inside fences. So a
label is known by its exact text: a person's or machine's emoji with a name, or the bare name of a role, and the same
few texts over and over. Every other heading is part of what is said.
"""

from __future__ import annotations

import re
from collections import Counter

from mdtally.dialects import fences, names, words
from mdtally.dialects.names import Name
from mdtally.dialects.page import Dialect, Page, Reading, Start, heading_of

_EMOJI_FIRST = re.compile(f"(?P<emoji>[{words.PERSON_EMOJI}{words.MACHINE_EMOJI}])\ufe0f?\\s*(?P<name>\\S.{{0,60}})$")


def matches(page: Page) -> bool:
    """True where two heading lines name a role, whatever the fences say."""
    count = 0
    for line in page.lines[page.first :]:
        if line.startswith("#") and _role(line) is not None:
            count += 1
            if count > 1:
                return True
    return False


def read(page: Page) -> Reading | None:
    """The level at which a person and a machine alternate."""
    found: dict[int, list[tuple[int, Name, bool]]] = {}
    for index in range(page.first, len(page.lines)):
        line = page.lines[index]
        role = _role(line) if line.startswith("#") else None
        if role is not None:
            found.setdefault(role[0], []).append((index, role[1], role[2]))
    for level, labels in sorted(found.items(), key=lambda item: -len(item[1])):
        reading = _level(page, level, labels)
        if reading is not None:
            return reading
    return None


def _level(page: Page, level: int, labels: list[tuple[int, Name, bool]]) -> Reading | None:
    strong = [index for index, _, _ in labels]
    code = fences.find(page.lines, page.first, strong)
    live = [(index, name, emoji) for index, name, emoji in labels if not code.hidden[index]]
    kinds = [_kind(name) for _, name, _ in live]
    keys = Counter(name.key for _, name, _ in live)
    with_emoji = sum(1 for _, _, emoji in live if emoji) * 2 > len(live)
    if "human" not in kinds or len(keys) < 2:
        return None
    if len({name.key for (_, name, _), kind in zip(live, kinds, strict=True) if kind != "human"}) > 2:
        return None  # more voices than a session has: the hand-kept reading weighs them
    lines = {index for index, _, _ in live}
    others = [heading for heading in page.headings if heading.level == level and heading.index not in lines]
    # Bare words as headings may be about roles; a conversation comes back to them, or has nothing but them.
    if (
        not with_emoji
        and max(keys.values()) < 2
        and (others or len(live) > 2 or not _first_is_label(page, live[0][0], level))
    ):
        return None
    if not with_emoji and len(others) > len(live) * 3:
        return None
    starts = tuple(
        Start(
            index,
            0,
            None,
            Name(name.speaker, name.role, name.model, name.addressee, name.note, None, kind, name.emoji),
            form="role-headings",
        )
        for (index, name, _), kind in zip(live, ["agent" if kind is None else kind for kind in kinds], strict=True)
    )
    ends = [start.index - 1 for start in starts if start.index and fences.is_rule(page.lines[start.index - 1])]
    return Reading(starts, tuple(ends), code=code, kind="session")


def _kind(name: Name) -> names.SpeakerKind | None:
    return names.kind_of(name)


def _first_is_label(page: Page, index: int, level: int) -> bool:
    return all(heading.level < level or heading.index >= index for heading in page.headings)


def _role(line: str) -> tuple[int, Name, bool] | None:
    """Level, name, and whether an emoji marks it, of a heading line that names a role of a session."""
    heading = heading_of(line)
    if heading is None:
        return None
    match = _EMOJI_FIRST.match(heading[1])
    name = names.clean(heading[1])
    if name is None or names.is_field(name):
        return None
    if match:
        return heading[0], name, True
    key = name.key
    if key in words.HUMANS or key in words.AGENTS or key in words.OTHERS:
        return heading[0], name, False
    if key.split()[0] in words.MODEL_FAMILIES and len(key.split()) < 4 and not name.cut & {"noun", "topic"}:
        return heading[0], name, False
    return None


DIALECT = Dialect("role-headings", matches, read)
