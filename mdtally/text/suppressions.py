"""Suppression comments: a finding excused at its place, by name, where everybody can read why.

``<!-- mdtally-disable-next-line too-short: quoted on purpose -->`` and its kin: ``-line``, ``-next-turn``, ``-file``.
They always name rules. One that excuses nothing, and one that can't be understood, are findings themselves, because a
comment that looks as if it worked is worse than none.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from mdtally.text.document import Document
from mdtally.text.model import Edit, Problem, Region, Turn
from mdtally.text.records import by_key, record
from mdtally.text.regex import regex

INSTRUCTIONS = ("disable-line", "disable-next-line", "disable-next-turn", "disable-file")
"""Every instruction, as it stands after ``mdtally-``."""

# <!-- mdtally-disable-line too-short, MDT111: quoted on purpose -->, but not <!-- mdtally-dashboard-end -->, and no
# reason behind a dash: <!-- mdtally-disable-line too-short -- quoted on purpose -->
_COMMENT = regex(
    r"<!--\s*mdtally-(?!dashboard)(?P<instruction>[\w-]*)(?P<names>(?:(?!\s[-–—]+\s)[^:>])*?)(?::.*?)?\s*-->"
)

# What was meant as one, in whatever form: <!-- mdtally disable-line echo -->, <!-- MDTALLY:IGNORE echo -->
_BEGIN = regex(r"<!--\s*(mdtally-(?!dashboard)[\w-]*|(?i:mdtally[-:_ \t]*(?:disable|ignore))(?:-[\w-]*|\b))")


@record
class Suppression:
    """One rule excused on a stretch of lines.

    Attributes:
        rule: the rule's name.
        places: where it is excused, as lines and columns: column 0 for all of a line, line 0 for all of the file; ()
            where nothing follows that it could excuse.
        region: where the comment stands.
        instruction: one of INSTRUCTIONS.
        removal: the edit that takes the rule out of the comment, or the comment out of the file.
    """

    rule: str
    places: tuple[tuple[int, int], ...]
    region: Region
    instruction: str
    removal: Edit


def read(
    document: Document, turns: Sequence[Turn], find_rule: Callable[[str], Any]
) -> tuple[tuple[Suppression, ...], tuple[Problem, ...]]:
    """The suppressions of a file, and a problem for each comment that can't be understood.

    Args:
        document: the file.
        turns: the transcript's turns, for ``-next-turn``.
        find_rule: the rule with a code or name, None where there is none.
    """
    lines = document.lines
    if "mdtally" not in document.source.text.lower():
        return (), ()
    found: list[Suppression] = []
    problems: list[Problem] = []
    # What looks like a comment in code is text.
    for comment in document.layout_around([turn.line - 1 for turn in turns]).comments:
        match = _COMMENT.match(lines[comment.first], comment.column)
        line = comment.first + 1
        if not match:
            if ours := _BEGIN.match("\n".join(lines[comment.first : comment.last + 1]), comment.column):
                fault = f"{ours[1]} can't be read: write <!-- mdtally-disable-line RULE: reason --> on one line"
                region = Region(line, comment.column + 1, line, len(lines[comment.first]) + 1)
                problems.append(Problem("unknown-suppression", fault, region, "warning"))
            continue
        instruction = match["instruction"]
        region = Region(line, match.start() + 1, line, match.end() + 1)
        names = match["names"].replace(",", " ").split()
        faults = [f"there is no rule {name}; `mdtally rule` lists them" for name in names if find_rule(name) is None]
        if instruction not in INSTRUCTIONS:
            known = ", ".join(f"mdtally-{word}" for word in INSTRUCTIONS)
            faults, names = [f"mdtally-{instruction} is not an instruction; there are {known}"], []
        elif not names:
            faults = [f"mdtally-{instruction} must name the rules it is about"]
        problems += (Problem("unknown-suppression", fault, region, "warning") for fault in faults)
        for name in names:
            if rule := find_rule(name):
                places = tuple(_places(instruction, line, lines, turns))
                removal = _removal(match, line, [other for other in names if other != name], lines)
                found.append(Suppression(rule.name, places, region, instruction, removal))
    return tuple(found), tuple(problems)


def apply(
    problems: Iterable[Problem], suppressions: Sequence[Suppression], checked_rules: frozenset[str]
) -> tuple[tuple[Problem, ...], tuple[Problem, ...], tuple[Problem, ...]]:
    """The problems that stay, the excused ones, and a problem for each suppression that excused nothing.

    Args:
        problems: what the rules found.
        suppressions: what the file excuses.
        checked_rules: names of the rules that ran; a suppression of another rule is not called unused.
    """
    used: set[Suppression] = set()
    by_place = by_key(((one.rule, *place), one) for one in suppressions for place in one.places)
    stay: list[Problem] = []
    excused: list[Problem] = []
    for problem in problems:
        line, column = problem.region.line, problem.region.column
        places = [(problem.rule, 0, 0), (problem.rule, line, 0), (problem.rule, line, column)]
        reasons = [suppression for place in places for suppression in by_place.get(place, ())]
        used.update(reasons)
        (excused if reasons else stay).append(problem)
    idle = (one for one in suppressions if one not in used and one.rule in checked_rules)
    told = ((one, f"mdtally-{one.instruction} excuses no {one.rule} here; remove it") for one in idle)
    unused = (Problem("unused-suppression", text, one.region, "warning", edit=one.removal) for one, text in told)
    return tuple(stay), tuple(excused), tuple(unused)


def _removal(comment: re.Match[str], line: int, others: Sequence[str], lines: Sequence[str]) -> Edit:
    """The edit that leaves a comment the other rules that it names; without any, it goes, and so does its line.

    Between two lines of text it leaves an empty line: they are two paragraphs, or one and a rule, and would become one.
    """
    if others:
        start, end = comment.span("names")
        title, text = "Take this rule out of the comment: it excuses nothing", f" {', '.join(others)}"
        return Edit(title, Region(line, start + 1, line, end + 1), text)
    before, behind = comment.string[: comment.start()].rstrip(), comment.string[comment.end() :].strip()
    region = Region(line, len(before) + 1, line, comment.end() + 1)
    is_between = 1 < line < len(lines) and lines[line - 2].strip() and lines[line].strip()
    if not (before or behind or is_between):
        region = Region(line, 1, line + 1, 1)
    return Edit("Remove this comment: it excuses nothing", region, "")


def _places(instruction: str, number: int, lines: Sequence[str], turns: Sequence[Turn]) -> Iterator[tuple[int, int]]:
    """What a comment excuses on the line of this number, as ``Suppression`` has it.

    A finding about a whole turn is placed at its label, and who excuses a line of the turn means that one, too.
    """
    if instruction == "disable-file":
        yield 0, 0
    elif instruction == "disable-next-turn":
        place = bisect_right(turns, number, key=lambda turn: turn.line)
        yield from ((line, 0) for turn in turns[place : place + 1] for line in range(turn.line, turn.end_line + 1))
    else:
        line = number
        if instruction == "disable-next-line":
            # The next line with something on it: Markdown sets a blank line between a comment and what follows. Where
            # there is none, a line below the last.
            line = next((n for n in range(number + 1, len(lines) + 1) if lines[n - 1].strip()), len(lines) + 1)
        yield line, 0
        place = bisect_right(turns, line, key=lambda turn: turn.line)
        yield from ((turn.line, turn.column) for turn in turns[:place][-1:] if turn.line < line <= turn.end_line)
