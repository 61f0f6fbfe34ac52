"""What an editor offers to do at a place of a text: edits of it, and to write the verdict."""

from __future__ import annotations

from collections.abc import Iterator

from mdtally.check import rules
from mdtally.doors.server.text import EditorText
from mdtally.log.calibration import describe
from mdtally.text.model import Edit, Problem, Region

OPINIONS = ("near-miss-tag", "untagged-agreement")
"""Rules beside the gate's on whose findings a person may think otherwise."""


def edits_between(opened: EditorText, first: tuple[int, int], last: tuple[int, int]) -> Iterator[tuple[Edit, Problem]]:
    """The edits that mend a finding between two places, then those that excuse one there, each with its finding."""
    yield from ((one.edit, one) for one in opened.problems if one.edit and first[0] <= one.region.line <= last[0])
    for problem in dict.fromkeys((*opened.at(*first), *opened.at(*last))):
        yield from ((edit, problem) for edit in _excuse(opened, problem))


def verdict_title(opened: EditorText) -> str:
    """What writing the verdict would do; "" if there is nothing to write, or the thresholds are not known.

    Those of a configuration that can't be used are not.
    """
    if opened.errors or not opened.check_report[0].stale:
        return ""
    if verdict := opened.check_report[0].verdict:
        return f"Write the verdict into the note and its log: {describe(verdict)}"
    return "Take the verdict out of the note and its log"  # no human took part, or nothing counts any more


def _excuse(opened: EditorText, problem: Problem) -> Iterator[Edit]:
    """A comment that excuses a finding, with room for the reason.

    Not for what stops a count, which is not a matter of opinion.
    """
    rule, lines, newline = rules.RULES[problem.rule], opened.document.lines, opened.document.source.newline
    number, top = problem.region.line, opened.document.body_line
    if not (rule.gates or problem.rule in OPINIONS) or number > len(lines):
        return
    line, labels = lines[number - 1], [turn.line for turn in opened.transcript.turns]
    hidden = opened.document.layout_around([label - 1 for label in labels]).hidden
    in_code = hidden[number - 1] or (number in labels and number > 1 and hidden[number - 2])
    reach, at, before, after = "line", len(line.rstrip()) + 1, " ", ""
    if number < top or in_code or "|" in line:
        # No comment can stand there, or none that leaves a table whole.
        reach, number, at, before, after = "file", top, 1, "", newline
    elif number in labels or not line.strip() or line.lstrip().startswith("#") or problem.rule in OPINIONS:
        # Behind a counter that stands alone, a comment would make the line another one.
        reach, at, before, after = "next-line", 1, line[: len(line) - len(line.lstrip(" \t>"))], newline
    comment = f"{before}<!-- mdtally-disable-{reach} {rule.name}: why? -->{after}"
    title = f"Excuse {rule.code} {rule.name} {'in this file' if reach == 'file' else 'here'}; say why"
    yield Edit(title, Region(number, at, number, at), comment)
