"""What stands between turns: the lines that open rounds, and those that end a turn without opening one.

Used for participants and for structure; a pattern says both itself, an exporter's form has its own.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence

from mdtally.lines import Layout, is_rule
from mdtally.regex import regex
from mdtally.transcript import rounds, words
from mdtally.transcript.labels import style_of
from mdtally.transcript.names import is_section, plain
from mdtally.transcript.page import Heading, Mark, Page, Start, headings_of

# "━━━ Round 1 ━━━", "--- Round 1 ---", "**Round 1**", "=== ROUND 2 ==="
_RULED = regex(r"\s*(?:[━═─=*_~#>-]{2,}\s*)(?P<text>[^━═─=]*?[^\W_][^━═─=]*?)(?P<closed>\s*[━═─=*_~-]{2,})?\s*:?\s*$")
_ASIDE = regex(r"\s*(?:<!--.*-->|[*_][^*_].*[*_]|>.*|<[^>]*>)\s*$")
# "**VERDICT: ❌ ELIMINATE** — both agree"
_CLOSING = regex(r"\W*\*\*\W*(?P<word>[^\W_]+)[^*]*\*\*")


def bounds(
    page: Page, layout: Layout, starts: Sequence[Start], *, session: bool
) -> tuple[tuple[int, ...], tuple[Mark, ...]]:
    """Where turns end without another one opening, and where rounds open.

    Args:
        page: the document.
        layout: what is code, with the fences that were ended at a label.
        starts: the turns' starts, in order; not empty.
        session: a person and a machine talk, so that headings of any level are part of answers.

    Returns:
        ascending indices of lines that end a turn, and the round marks, in order.
    """
    opening = {start.row for start in starts}
    headings = [heading for heading in headings_of(layout) if heading.row not in opening]
    leading = _leading(page, layout, starts)
    marks = _marks(page, layout, headings, starts, leading)
    ends = {mark.row for mark in marks}
    lines = [start.row for start in starts]
    # The page's title is above all of it, and no container.
    container = max((heading.level for heading in headings[1:] if heading.row in leading), default=0)
    inner = 0  # headings as high as labels that are part of what is said
    for heading in headings:
        place = bisect_left(lines, heading.row)
        if not place:
            continue
        owner = starts[place - 1]
        level = int(owner.style.partition(":")[2]) if owner.style.startswith("heading:") else container
        last = place == len(lines)
        high = heading.level <= level or not level
        if (
            heading.row in leading
            or (high and is_section(heading.plain, strict=session or not last) and (last or not session))
            or (high and level and last and not session and not inner)
        ):
            ends.add(heading.row)
        elif high and not last:
            inner += 1
    if not session and all(start.style.startswith("bold") for start in starts):
        closers = words.table("closers")
        for index in range(lines[0] + 1, len(page.lines)):
            closing = _CLOSING.match(page.lines[index])
            if closing and index not in opening and closing["word"].casefold() in closers:
                ends.add(index)
    for start, below in zip(starts, [*lines[1:], len(page.lines)], strict=True):
        if start.style.startswith("item") and start.body is not None:
            ends.add(_item_end(page.lines, start.row, below))
    return tuple(sorted(ends)), marks


def _item_end(lines: Sequence[str], row: int, stop: int) -> int:
    """The first line below a list item that is no part of it: as far left as its mark, behind a blank line."""
    margin, blank = len(lines[row]) - len(lines[row].lstrip()), False
    for index in range(row + 1, stop):
        line = lines[index]
        if blank and line.strip() and len(line) - len(line.lstrip()) <= margin:
            return index
        blank = not line.strip()
    return stop


def _leading(page: Page, layout: Layout, starts: Sequence[Start]) -> frozenset[int]:
    """Headings and ruled lines that labels follow at once; blank lines, rules and asides aside."""
    found: set[int] = set()
    headings = {heading.first for heading in layout.headings}
    opening = {start.row for start in starts}
    for start in starts:
        index = start.row - 1
        while index >= page.first and index not in opening:
            line = page.lines[index]
            ruled = None if is_rule(line) else _RULED.match(line)
            opened = rounds.parse(plain(ruled["text"])) if ruled else None
            if index in headings or (ruled and ruled["closed"]) or (opened and not opened.refused):
                found.add(index)
            elif line.strip() and not is_rule(line) and not _ASIDE.match(line):
                break
            index -= 1
    return frozenset(found)


def _marks(
    page: Page, layout: Layout, headings: Sequence[Heading], starts: Sequence[Start], leading: frozenset[int]
) -> tuple[Mark, ...]:
    """The lines that open rounds, by the plainest word for a round that the page has."""
    if page.declared.rounds == "none":
        return ()
    lines = [start.row for start in starts]
    titled = {heading.row: heading for heading in headings}
    found: list[tuple[int, rounds.RoundLine]] = []
    for index in sorted({*titled, *leading}):
        ruled = None if index in titled else _RULED.match(page.lines[index])
        text = titled[index].plain if index in titled else plain(ruled["text"]) if ruled else ""
        parsed = rounds.parse(text)
        if parsed is None or parsed.refused or layout.hidden[index]:
            continue
        if index in leading or _holds_labels(index, titled, lines):
            found.append((index, parsed))
    rank = min((parsed.rank for _, parsed in found), default=0)
    marks = [Mark(index, parsed.number) for index, parsed in found if parsed.rank == rank]
    if rank and len(marks) > 2 and len(marks) >= len(starts) - 1:
        return ()  # "Turn 1", "Turn 2": each turn has a number, and none is a round
    return tuple(_with_stages(marks, titled, lines, page))


def _holds_labels(index: int, titled: dict[int, Heading], lines: Sequence[int]) -> bool:
    """True if a label stands below a heading before the next heading of its level or higher."""
    place = bisect_left(lines, index)
    if place == len(lines):
        return False
    level = titled[index].level
    return not any(index < other < lines[place] and heading.level <= level for other, heading in titled.items())


def _with_stages(marks: list[Mark], titled: dict[int, Heading], lines: Sequence[int], page: Page) -> list[Mark]:
    """The marks, with stages ("Opening Statements") before the first and behind the last round, and declared stages."""
    stages = page.declared.stages
    numbered = [mark.number for mark in marks if mark.number is not None]
    count = 0
    for index, heading in titled.items():
        folded = heading.plain.casefold()
        declared = next((number for word, number in stages.items() if word in folded), None)
        if declared is not None:
            marks.append(Mark(index, declared))
            continue
        stage = rounds.stage(heading.plain)
        if stage is None or not _holds_labels(index, titled, lines) or any(mark.row == index for mark in marks):
            continue
        if not numbered:
            count += 1
            marks.append(Mark(index, count))
        elif stage == 1 and index < marks[0].row:
            marks.append(Mark(index, numbered[0] - 1))
        elif index > max(mark.row for mark in marks):
            marks.append(Mark(index, numbered[-1] + 1))
    return sorted(marks)


def among_fields(page: Page, found: Mapping[int, str]) -> set[int]:
    """Rows of labels above the first section that stand among fields of their shape: "**Date:** May", "**Host:** Ana".

    Args:
        page: the document.
        found: the labels' shapes by row.
    """
    walls = [heading for heading in page.headings if heading.row not in found]
    titled = len(walls) > 1 and walls[0].level < walls[1].level
    stop = walls[titled].row if walls else -1
    if len(walls) + titled < 2:  # nothing but a title: up to the first rule
        stop = next((row for row in range(page.first, len(page.lines)) if is_rule(page.lines[row])), stop)
    dropped: set[int] = set()
    paragraph: list[int] = []
    for row in range(page.first, stop + 1):
        if page.lines[row].strip():
            paragraph.append(row)
            continue
        labels = found.keys() & paragraph
        shapes = {found[at] for at in labels}
        if any(style_of(page.lines[at]) in shapes for at in paragraph if at not in labels):
            dropped |= labels
        paragraph = []
    return dropped


def most_common_style(starts: Sequence[Start]) -> str:
    """The shape that most labels have, a heading's level aside."""
    return Counter(start.style.partition(":")[0] for start in starts).most_common(1)[0][0]
