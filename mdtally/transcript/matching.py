"""One engine for every way that goes by patterns: it opens, names and ends turns, whoever chose the patterns."""

from __future__ import annotations

from collections.abc import Callable

from mdtally.labels.names import Name
from mdtally.lines import scan
from mdtally.model import Way
from mdtally.transcript.page import Mark, Page, Reading, Start
from mdtally.transcript.patterns import Patterns, read_round, read_turn


def matched(
    page: Page,
    patterns: Patterns,
    way: Way,
    exporter: str,
    *,
    within: range | None = None,
    name_of: Callable[[Name, str], Name | None] = lambda name, _: name,
    is_quiet: bool = False,
    is_pasted: bool = False,
) -> Reading:
    """What patterns read on a page: exact, and nothing else opens or ends a turn.

    A line is tried as a turn, then as a round, then as an end; a stray fence around a label is ended there.

    Args:
        page: the document.
        patterns: what labels, rounds and ends look like.
        way, exporter: as in Reading.
        within: the rows that are looked at; None for the whole page.
        name_of: who speaks, of the name and the chat's role that a label says; None if the label opens no turn.
        is_quiet: nobody speaks behind a round's line that has no number ("━━━ Synthesis ━━━").
        is_pasted: a fence around nearly all of the page, its labels among it, is not code.
    """
    rows = range(page.first, len(page.lines)) if within is None else within
    found: dict[int, Start] = {}
    for row in rows:
        line = page.lines[row]
        for pattern in patterns.turns if line.strip() else ():
            told = read_turn(pattern, line)
            name = name_of(told.name, told.chat_role) if told else None
            if told and name:
                found[row] = Start(row, len(line) - len(line.lstrip()), told.body, name, exporter, told.end)
                break
    rounds = {row for row in rows if any(pattern.match(page.lines[row]) for pattern in patterns.rounds)}
    labels = sorted(rounds.union(found))
    layout = page.scanned(labels)
    ends = [rows.stop] if rows.stop < len(page.lines) else []
    for fence in layout.fences if is_pasted else ():
        last = len(page.lines) if fence.last is None else fence.last
        if 5 * (last - fence.first) > 4 * (len(page.lines) - page.first):
            lines = [*page.lines[: fence.first], "", *page.lines[fence.first + 1 : last], "", *page.lines[last + 1 :]]
            layout, ends = scan(lines[: len(page.lines)], page.first, labels), [*ends, last]
    starts: list[Start] = []
    marks: list[Mark] = []
    for row in rows:
        line = page.lines[row]
        if layout.hidden[row] or not line.strip():
            continue
        if row in found:
            if not (is_quiet and marks and marks[-1].number is None):
                starts.append(found[row])
            continue
        opened = [number for pattern in patterns.rounds for hit, number in [read_round(pattern, line)] if hit]
        if opened:
            declared = page.declared.stage_in(line)
            marks.append(Mark(row, opened[0] if declared is None else declared))
        elif any(pattern.match(line) for pattern in patterns.ends):
            ends.append(row)
    return Reading(way, exporter, tuple(starts), tuple(sorted(ends)), tuple(marks), layout)
