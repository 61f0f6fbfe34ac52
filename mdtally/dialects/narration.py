"""What stands between turns and is nobody's: a narrator's lines and sections, and the rules that part them off.

None of it has a label, so each kind is known by its look and by where it stands.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

from mdtally.dialects import fences, names, words, zones
from mdtally.dialects.page import Page, Start, is_comment
from mdtally.dialects.styles import Style
from mdtally.dialects.survey import Survey

PARAGRAPH = 12
"""How many lines are looked at for the text above or below one."""
_MANY = 8
"""How many turns a file has to have before what none of them holds is foreign to all."""
_WORD = re.compile(r"\w+")
_WHOLLY_BOLD = re.compile(r"(?:[-*+]\s+)?(?:\*\*|__)(?P<text>[^*\n]+)(?:\*\*|__)\s*$")
_TIME = re.compile(r"[\[(]?\d{1,2}:\d\d(?::\d\d)?[\])]?")
_SCENE = re.compile(r"\*(?!\*)[^*]{8,}\*|_(?!_)[^_]{8,}_")
_SPOKEN = re.compile(r"\b(?:I|you|we|my|your|our|me|us)\b|[\"“«]", re.IGNORECASE)
# "Part 2: Costs", "3. Costs", "Teil 2 – Kosten"
_COUNTED = re.compile(r"(?:\w+\s)?\d{1,2}\b\s*[.:：—–-]")


def is_ruled(page: Page, index: int) -> bool:
    """True where the text above a line is a rule."""
    text = (line for line in reversed(page.lines[max(0, index - PARAGRAPH) : index]) if line.strip())
    return fences.is_rule(next((line for line in text if not is_comment(line)), ""))


def unspoken(page: Page, found: Survey, primary: Style, starts: Sequence[Start], borders: Sequence[int]) -> set[int]:
    """Sections below a moderator's line, and bold titles of tables, in a file in which nobody speaks in such things.

    The list of topics below what a moderator says, a questionnaire in the middle of an interview.
    """
    if primary.name not in ("bold", "plain") or len(starts) < _MANY:
        return set()
    lines = [start.index for start in starts]
    taken = set(lines)
    deeper = [one.index for one in found.headings if one.level > primary.level]
    breaks: set[int] = set()
    last: set[int] = set()
    holding: set[int] = set()
    for index, is_heading in [*((index, True) for index in deeper), *((index, False) for index in _tables(page))]:
        place = bisect_right(lines, index)
        if not place or index in taken:
            continue
        if not is_heading or names.kind_of(starts[place - 1].name) == "moderator":
            breaks.add(index)
        border = bisect_right(borders, index)
        if place < len(lines) and (border == len(borders) or borders[border] > lines[place]):
            holding.add(place)
        elif is_heading:
            last.add(index)
    if not holding:
        breaks |= last  # a section behind the last voice of its own
    return breaks if len(holding) * 10 <= len(lines) else set()


def stage_lines(page: Page, primary: Style, starts: Sequence[Start]) -> set[int]:
    """Lines wholly bold that are nobody's: "**(Part 2: Costs)**" anywhere, "**Part 2: Costs**" right above a turn."""
    if primary.name not in ("bold", "item", "plain") or not starts:
        return set()
    lines = [start.index for start in starts]
    taken = set(lines)
    found: set[int] = set()
    for index in range(lines[0], len(page.lines)):
        line = page.lines[index]
        match = _WHOLLY_BOLD.match(line) if line[:1] in "*_-+" and len(line) < 200 else None
        if match is None or index in taken or not page.visible(index):
            continue
        text = match["text"].strip()
        above = next((line for line in reversed(page.lines[max(0, index - 4) : index]) if line.strip()), "")
        ruled = fences.is_rule(above)
        aside = text.startswith("(") and text.endswith(")")
        closing = ruled and bool(words.CLOSERS & set(_WORD.findall(text.casefold())[:3]))
        opening = (ruled or bool(_COUNTED.match(text))) and zones.directly_above(page, lines, index)
        if aside or closing or opening or _TIME.fullmatch(text):
            found.add(index)
    return found


def scenes(page: Page, primary: Style, starts: Sequence[Start]) -> set[int]:
    """Paragraphs in italics at the end of a turn that tell what others do ("*Noor and Imre turn to the window.*")."""
    if primary.name not in ("bold", "plain"):
        return set()
    keys = {start.name.key for start in starts}
    found: set[int] = set()
    for place, start in enumerate(starts):
        following = starts[place + 1].index if place + 1 < len(starts) else len(page.lines)
        said = (i for i in range(following - 1, start.index, -1) if page.lines[i].strip())
        index = next((i for i in said if not is_comment(page.lines[i])), start.index)
        text = page.lines[index].strip()
        if not _SCENE.fullmatch(text) or page.lines[index - 1].strip() or not page.visible(index):
            continue
        told = _spaced(text)
        others = any(_spaced(key) in told for key in keys - {start.name.key})
        if (others or told.startswith((" they ", " both "))) and not _SPOKEN.search(text):
            found.add(index)
    return found


def interludes(page: Page, found: Survey, primary: Style, lines: Sequence[int]) -> set[int]:
    """Headings shallower than the labels' that rules part from the turn above and the one below: a narrator's."""
    if not primary.name.startswith("heading"):
        return set()
    ruled = sum(1 for line in lines if is_ruled(page, line))
    if ruled * 2 > len(lines):
        return set()
    interludes: set[int] = set()
    for heading in found.headings:
        place = bisect_right(lines, heading.index)
        within = heading.level < primary.level and 0 < place < len(lines)
        if within and is_ruled(page, heading.index) and is_ruled(page, lines[place]):
            interludes.add(heading.index)
    return interludes


def _tables(page: Page) -> list[int]:
    """Wholly bold lines right below which a table stands."""
    return [
        index
        for index in range(page.first, len(page.lines) - 1)
        if page.lines[index + 1].startswith("|") and _WHOLLY_BOLD.match(page.lines[index]) and page.visible(index)
    ]


def _spaced(text: str) -> str:
    """The words of a text, case-folded, with a space around each."""
    return f" {' '.join(_WORD.findall(text.casefold()))} "
