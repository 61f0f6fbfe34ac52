"""Suppression comments: a finding excused at its place, by name, where everybody can read why.

``<!-- mdtally-disable-next-line too-short: quoted on purpose -->`` and its kin: ``-line``, ``-next-turn``, ``-file``,
and pairs of ``disable`` and ``enable``. They always name rules. One that excuses nothing, and one that can't be
understood, are findings themselves, because a comment that looks as if it worked is worse than none.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from mdtally.lines import scan
from mdtally.model import Problem, Region, Turn
from mdtally.records import record, replace
from mdtally.regex import regex

INSTRUCTIONS = ("disable", "enable", "disable-line", "disable-next-line", "disable-next-turn", "disable-file")
"""Every instruction, as it stands after ``mdtally-``."""

_COMMENT = regex(r"<!--\s*mdtally-(?P<instruction>[\w-]*)(?P<names>[^:>]*?)(?::(?P<reason>.*?))?\s*-->")
_NOWHERE = (0, 0)


@record
class Suppression:
    """One rule excused on a stretch of lines.

    Attributes:
        rule: the rule's name.
        first_line, last_line: the stretch, inclusive; empty where nothing follows that it could excuse.
        region: where the comment stands.
        instruction: one of INSTRUCTIONS.
        reason: the words after the colon.
        label: line and column of the label whose turn's text the stretch stands in. A finding about the whole turn is
            placed there, and who excuses a line of what was said means that one too; 0, 0 where there is none.
    """

    rule: str
    first_line: int
    last_line: int
    region: Region
    instruction: str
    reason: str
    label: tuple[int, int]

    def excuses(self, problem: Problem) -> bool:
        """Whether it excuses a problem."""
        place = problem.region
        is_within = self.first_line <= place.line <= self.last_line or self.label == (place.line, place.column)
        return self.rule == problem.rule and is_within


@record
class Suppressed:
    """A finding that a comment in the file silences, and the words after the comment's colon."""

    problem: Problem
    reason: str = ""


def read(
    lines: Sequence[str], turns: Iterable[Turn], find_rule: Callable[[str], Any]
) -> tuple[tuple[Suppression, ...], tuple[Problem, ...]]:
    """The suppressions of a file, and a problem for each comment that can't be understood.

    Args:
        lines: every line of the file.
        turns: the transcript's turns, for ``-next-turn``.
        find_rule: the rule with a code or name, None where there is none.
    """
    if not any("mdtally-" in line for line in lines):
        return (), ()
    said = list(turns)
    found: list[Suppression] = []
    open_pairs: dict[str, Suppression] = {}
    problems: list[Problem] = []
    # A comment in code is none.
    for comment in scan(lines, labels=[turn.line - 1 for turn in said]).comments:
        match = _COMMENT.match(lines[comment.first], comment.column)
        if not match:
            continue
        line, instruction = comment.first + 1, match["instruction"]
        region = Region(line, match.start() + 1, line, match.end() + 1)
        names = match["names"].replace(",", " ").split()
        wrong = [f"there is no rule {name}; `mdtally rule` lists them" for name in names if find_rule(name) is None]
        if instruction not in INSTRUCTIONS:
            known = ", ".join(f"mdtally-{word}" for word in INSTRUCTIONS)
            wrong, names = [f"mdtally-{instruction} is no instruction; there are {known}"], []
        elif not names:
            wrong = [f"mdtally-{instruction} must name the rules it is about"]
        problems += (Problem("unknown-suppression", message, region, "warning") for message in wrong)
        for rule in filter(None, map(find_rule, names)):
            first, last, label = _reach(instruction, line, lines, said)
            reason = (match["reason"] or "").strip()
            one = Suppression(rule.name, first, last, region, instruction, reason, label)
            if instruction == "disable":
                open_pairs.setdefault(rule.name, one)
            elif instruction == "enable":
                found.append(replace(open_pairs.pop(rule.name, one), last_line=line))
            else:
                found.append(one)
    return (*found, *open_pairs.values()), tuple(problems)


def apply(
    problems: Iterable[Problem], suppressions: Sequence[Suppression], checked_rules: frozenset[str]
) -> tuple[tuple[Problem, ...], tuple[Suppressed, ...], tuple[Problem, ...]]:
    """The problems that stay, the excused ones, and a problem for each suppression that excused nothing.

    Args:
        problems: what the rules found.
        suppressions: what the file excuses.
        checked_rules: names of the rules that ran; a suppression of another rule is not called unused.
    """
    used: set[Suppression] = set()
    stay: list[Problem] = []
    excused: list[Suppressed] = []
    for problem in problems:
        if reasons := [one for one in suppressions if one.excuses(problem)]:
            used.update(reasons)
            excused.append(Suppressed(problem, reasons[0].reason))
        else:
            stay.append(problem)
    unused = []
    for one in suppressions:
        if one not in used and one.rule in checked_rules:
            message = f"mdtally-{one.instruction} excuses no {one.rule} here; remove it"
            unused.append(Problem("unused-suppression", message, one.region, "warning"))
    return tuple(stay), tuple(excused), tuple(unused)


def _reach(
    instruction: str, number: int, lines: Sequence[str], turns: Sequence[Turn]
) -> tuple[int, int, tuple[int, int]]:
    """The first and last line that a comment excuses, and the label of the turn in whose text such a line stands."""
    if instruction in ("disable", "disable-file"):
        return number if instruction == "disable" else 1, len(lines), _NOWHERE
    # Where nothing was disabled, "enable" excuses nothing, and is reported.
    first, last = number + 1, number
    if instruction == "disable-next-turn":
        place = bisect_right(turns, number, key=lambda turn: turn.line)
        return (turns[place].line, turns[place].end_line, _NOWHERE) if place < len(turns) else (first, last, _NOWHERE)
    if instruction == "disable-line":
        first = number
    elif instruction == "disable-next-line":
        # The next line with something on it: Markdown sets a blank line between a comment and what follows.
        first = last = next((n for n in range(number + 1, len(lines) + 1) if lines[n - 1].strip()), 0)
    place = bisect_right(turns, first, key=lambda turn: turn.line) - 1
    if instruction == "enable" or place < 0 or not turns[place].line < first <= turns[place].end_line:
        return first, last, _NOWHERE
    return first, last, (turns[place].line, turns[place].column)
