"""Where hand-kept turns end without another one beginning.

A label ends the turn above it. What else does depends on what the file's turns look like: a round's heading always, a
section's where no more turns of its round follow, a verdict in bold where it closes a section of several turns, and
what is not quoted where all that is said is.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import dropwhile

from mdtally.dialects import evidence, fences, names, narration, words, zones
from mdtally.dialects.labels import bold, items
from mdtally.dialects.page import Page, Start
from mdtally.dialects.styles import Style
from mdtally.dialects.survey import Survey

_ITEM = re.compile(r"(?:[-*+]|\d{1,3}[.)])\s")
_CLOSER = re.compile(r" {0,3}(?:\*\*|__)[^\w*]{0,4}(?P<words>\w[^*:：_(（]{0,60})")
_WORD = re.compile(r"\w+")
# "Q3", "Item 3"
_NUMBERED = re.compile(r"(?P<word>[^\W\d]{1,12}) ?\d{1,2}\b")


def find(page: Page, found: Survey, primary: Style, starts: Sequence[Start]) -> set[int]:
    """Lines that end a turn without opening one: rounds, sections, and headings that are not part of what is said."""
    lines = [start.index for start in starts]
    taken = set(lines)
    by_heading = primary.name.startswith("heading")
    # Where a dead stretch turned out to hold turns, its heading was part of what was said.
    within = {zones.at(primary.zones, index).index for index in primary.revived} if by_heading else set()
    borders = [zone.index for zone in primary.zones if zone.opened and zone.index not in within]
    ends = set(borders)
    documents = by_heading and bool(zones.of_documents(page, found, primary.candidates, primary.level))
    round_level = min((mark.level for mark in found.marks.values()), default=0)
    rich = _rich(found, primary, lines, borders)
    topics = frozenset() if by_heading else _topics(page, found, lines)
    bare = not by_heading and not _hold_headings(page, found, lines, borders)
    closing = _closing_titles(found, lines, borders) if bare else frozenset()
    opening = frozenset() if by_heading else zones.right_below(page, found, primary.candidates)
    rich_to_the_last = bool(rich) and _like_others(starts, rich)
    for heading in found.headings:
        place = bisect_right(lines, heading.index) - 1
        if heading.index in taken or heading.index in ends or place < 0:
            continue
        if zones.directly_above(page, lines, heading.index):
            ends.add(heading.index)
            continue
        if heading.index in opening:
            continue  # "## Closing statement" right below a label is the first line of what is said
        form = starts[place].form
        zone = zones.at(primary.zones, heading.index)
        if not by_heading and zones.is_chapter(page, lines, zone, heading, round_level):
            continue
        coda = place == len(lines) - 1 and heading.level < 3 and narration.is_ruled(page, heading.index)
        if coda and (bare or names.is_section(heading.plain, hard=True)):
            ends.add(heading.index)  # "## Results" behind the last turn; any such title where no turn holds one
            continue
        if heading.index in topics:
            ends.add(heading.index)
            continue
        if bare and (names.is_section(heading.plain, hard=True) or heading.index in closing):
            ends.add(heading.index)  # "### Verdict" behind the last voice, below the heading that all stand under
            continue
        if heading.level > (int(form[8:]) if form.startswith("heading") else primary.level) or documents:
            continue
        # Where another turn comes before the next border, the heading is part of what is said here.
        border = bisect_right(borders, heading.index)
        following = lines[place + 1] if place + 1 < len(lines) else len(page.lines)
        last_of_all = following == len(page.lines)
        said = bool(rich) and (not last_of_all or rich_to_the_last)
        if said and not names.is_section(heading.plain, hard=not last_of_all):
            continue
        if (border < len(borders) and borders[border] < following) or last_of_all:
            ends.add(heading.index)
    ends |= _closing_lines(page, found, primary, starts) | narration.stage_lines(page, primary, starts)
    ends |= narration.unspoken(page, found, primary, starts, borders)
    ends |= narration.scenes(page, primary, starts) | narration.interludes(page, found, primary, lines)
    ends |= _other_voices(found, primary) | _owned_fields(page, found, primary, starts)
    ends |= {index for index in found.times if zones.directly_above(page, lines, index)}
    if primary.name.startswith("bold") and all_quoted(page, starts):
        ends |= _below_quotes(page, lines)
    if primary.name == "quote":
        ends |= _leaving(page, lambda line: line.lstrip().startswith(">"))
    if primary.name == "item":
        ends |= _leaving(page, lambda line: not line.strip() or line.startswith((" ", "\t")) or bool(_ITEM.match(line)))
        ends |= _closing_items(page, found, starts)
    return ends - taken


def all_quoted(page: Page, starts: Sequence[Start]) -> bool:
    """True where nearly every body opens as a block quote: then the quote marks are the form's, not a citation's."""
    quoted = 0
    for start in starts:
        below = page.lines[start.index + 1 : start.index + 4]
        quoted += next((line for line in below if line.strip()), "").lstrip().startswith(">")
    return len(starts) > 3 and quoted * 10 >= len(starts) * 9


def _below_quotes(page: Page, lines: Sequence[int]) -> set[int]:
    """Where every body is a block quote: what stands below it and is about the turn.

    A bold line, and what a rule cuts off where nothing is quoted behind it any more.
    """
    found: set[int] = set()
    for place, line in enumerate(lines):
        following = lines[place + 1] if place + 1 < len(lines) else len(page.lines)
        quoted = below = False
        ruled = -1
        for index in range(line + 1, following):
            text = page.lines[index].lstrip()
            if text.startswith(">"):
                quoted = True
                ruled = -1
            elif text and quoted and ruled < 0:
                if fences.is_rule(page.lines[index]):
                    ruled = index
                elif text.startswith(("**", "__")) and not below:
                    found.add(index)
                    break
                below = True
        if ruled >= 0:
            found.add(ruled)
    return found


def _rich(found: Survey, primary: Style, lines: Sequence[int], borders: Sequence[int]) -> frozenset[int]:
    """Places of turns that others follow at once and that hold headings of their label's level, or shallower.

    Empty where they are fewer than three. Else what the last voice of a round says has such headings too.
    """
    if not primary.name.startswith("heading"):
        return frozenset()
    taken = set(lines)
    turns: set[int] = set()
    for heading in found.headings:
        place = bisect_right(lines, heading.index)
        if heading.index in taken or heading.level > primary.level or not 0 < place < len(lines):
            continue
        if bisect_right(borders, lines[place]) == bisect_right(borders, lines[place - 1]):
            turns.add(place - 1)
    return frozenset(turns) if len(turns) > 2 else frozenset()


def _topics(page: Page, found: Survey, lines: Sequence[int]) -> frozenset[int]:
    """Headings like those right below which turns stand, with a few words of introduction between: "Q3: Costs".

    They are of one level with them, and all of these stand below a rule as they do, or two of these carry such a
    number as they do.
    """
    above = [heading for heading in found.headings if zones.directly_above(page, lines, heading.index)]
    levels = {heading.level for heading in above}
    if len(above) < 2 or len(levels) != 1:
        return frozenset()
    ruled = all(narration.is_ruled(page, heading.index) for heading in above)
    numbered = Counter(match["word"] for heading in above if (match := _NUMBERED.match(heading.plain)))
    return frozenset(
        heading.index
        for heading in found.headings
        if heading.level in levels
        and (
            (ruled and narration.is_ruled(page, heading.index))
            or ((match := _NUMBERED.match(heading.plain)) and numbered[match["word"]] > 1)
        )
    )


def _hold_headings(page: Page, found: Survey, lines: Sequence[int], borders: Sequence[int]) -> bool:
    """True where a turn that another one follows in its section holds a heading, or there are too few to tell."""
    followed = 0
    for place, line in enumerate(lines[:-1]):
        followed += bisect_right(borders, line) == bisect_right(borders, lines[place + 1])
    for heading in found.headings:
        place = bisect_right(lines, heading.index)
        if not 0 < place < len(lines) or zones.directly_above(page, lines, heading.index):
            continue
        if bisect_right(borders, lines[place - 1]) == bisect_right(borders, lines[place]):
            return True
    return followed < 2


def _closing_titles(found: Survey, lines: Sequence[int], borders: Sequence[int]) -> frozenset[int]:
    """Headings with a section's words that come back, word for word, behind the last voices of several sections.

    "### Resolution" below what is said to a question, and below what is said to the next one.
    """
    taken = set(lines)
    places: dict[str, dict[int, int]] = {}
    for heading in found.headings:
        place, border = bisect_right(lines, heading.index), bisect_right(borders, heading.index)
        last = place == len(lines) or (border < len(borders) and borders[border] < lines[place])
        if place and last and heading.index not in taken and names.is_section(heading.plain):
            places.setdefault(heading.plain.casefold(), {})[heading.index] = border
    return frozenset(index for found_ in places.values() if len(set(found_.values())) > 1 for index in found_)


def _like_others(starts: Sequence[Start], rich: frozenset[int]) -> bool:
    """True where most other turns of the last one's voice hold such headings."""
    others = [place for place, start in enumerate(starts[:-1]) if start.name.key == starts[-1].name.key]
    return len(rich.intersection(others)) * 2 > len(others)


def _closing_lines(page: Page, found: Survey, primary: Style, starts: Sequence[Start]) -> set[int]:
    """Bold lines like "**VERDICT: …**" that close a section rather than belong to its last turn.

    They stand in a section's last paragraph, below several turns. The same words in turns that are alone in their
    section are what a voice says each time. Any field is such a line where it closes sections and does nothing else.
    """
    if primary.name != "bold" or not starts:
        return set()
    lines = [start.index for start in starts]
    headings = [heading.index for heading in found.headings]
    closing: list[int] = []
    open_ended: list[tuple[str, int]] = []
    fields: dict[str, list[int]] = {}
    elsewhere: set[str] = set()
    alone = several = 0
    for index in range(lines[0], len(page.lines)):
        line = page.lines[index]
        match = _CLOSER.match(line) if line.lstrip()[:2] in ("**", "__") else None
        if match is None:
            continue
        word = match["words"].casefold()
        if names.kind_of(starts[bisect_right(lines, index) - 1].name) == "moderator":
            continue  # a judge's verdict is what the judge says
        known = bool(words.CLOSERS & set(_WORD.findall(word)[:3]))
        if not known and index not in found.fields:
            continue
        below = page.lines[index + 1 : index + narration.PARAGRAPH]
        rest = dropwhile(lambda line: not line.strip(), dropwhile(str.strip, below))
        after = next(rest, "#" if len(below) < narration.PARAGRAPH - 1 else "")
        closes = fences.is_rule(after) or after.startswith("#")
        above = headings[bisect_right(headings, index) - 1] if headings else -1
        turns = bisect_right(lines, index) - bisect_right(lines, above)
        if known and closes:
            alone += turns == 1
            several += turns > 1
            closing.append(index)
        elif known and turns > 1 and not _followed(lines, headings, index):
            open_ended.append((_WORD.findall(word)[0], index))
        elif closes and turns > 1:
            fields.setdefault(word, []).append(index)
        elif turns:
            elsewhere.add(word)
    ends = set(closing) if several >= alone else set()
    # "**Vote: 3 to 2.** Adopted are:", a list below it, where "**Vote: 5 to 0.**" closes another section.
    heads = {_WORD.findall(page.lines[index].casefold())[0] for index in ends}
    ends.update(index for head, index in open_ended if head in heads)
    for word, places in fields.items():
        if len(places) > 1 and word not in elsewhere:
            ends.update(places)
    return ends


def _followed(lines: Sequence[int], headings: Sequence[int], index: int) -> bool:
    """True where a label follows a line before the next heading."""
    label = bisect_right(lines, index)
    heading = bisect_right(headings, index)
    return label < len(lines) and (heading == len(headings) or lines[label] < headings[heading])


def _other_voices(found: Survey, primary: Style) -> set[int]:
    """Labels dressed like all the others that name a section ("🧠 Synthesis (Round 1):"): they end a turn."""
    dress = evidence.majority_dress(primary.candidates)
    if not dress:
        return set()
    return {
        candidate.index
        for candidate in found.candidates
        if candidate.style == primary.name
        and candidate.index in found.fields
        and dress <= evidence.dress_of(candidate)
        and names.is_section(candidate.name.speaker)
    }


def _owned_fields(page: Page, found: Survey, primary: Style, starts: Sequence[Start]) -> set[int]:
    """Labels that name what a voice has been given ("Noor's Score:"), told about the voice rather than by it."""
    if primary.name != "bold":
        return set()
    keys = {start.name.key for start in starts}
    return {
        index
        for index in found.fields
        if (label := bold.find(page.lines[index])) and names.owner_of(label.text) in keys
    }


def _closing_items(page: Page, found: Survey, starts: Sequence[Start]) -> set[int]:
    """Items beside the turns whose label is no voice's: "- **Consensus reached:** …".

    Where it names no section ("- **Both agree:** …"), nobody may speak behind such an item in any section.
    """
    columns = {start.column for start in starts}
    lines = [start.index for start in starts]
    headings = [heading.index for heading in found.headings]
    closing: set[int] = set()
    others: list[int] = []
    for index in sorted(found.fields.difference(lines)):
        label = items.find(page.lines[index]) if index > lines[0] else None
        if label is None or label.column not in columns:
            continue
        if names.is_section(names.plain(label.text)):
            closing.add(index)
        else:
            others.append(index)
    if not any(_followed(lines, headings, index) for index in others):
        closing.update(others)
    return closing


def _leaving(page: Page, inside: Callable[[str], bool]) -> set[int]:
    """Lines right below a stretch of lines that belong together, such as a quotation."""
    return {
        index
        for index in range(page.first + 1, len(page.lines))
        if not inside(page.lines[index]) and inside(page.lines[index - 1])
    }
