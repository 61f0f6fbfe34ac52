"""The body of a log: every annotation with its place, what looks like one, and what is hidden or in doubt."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from mdtally.counts.annotations import blot, read_comment, read_marks
from mdtally.counts.near import find_near
from mdtally.counts.notation import NAME, TAG_SIGN, Mark, Stated, Tagged, Wrong, shown
from mdtally.counts.reconcile import Assertion
from mdtally.counts.runs import Body, Run, read_body, read_paragraph
from mdtally.counts.tables import read_table
from mdtally.document import kept
from mdtally.lines import FENCE, INDENTED, RAW, Fence
from mdtally.model import Document, Event, Problem, Region, TallyLine
from mdtally.plain import OPAQUE
from mdtally.regex import regex

EXPLANATIONS = ("how to tag",)
"""Case-folded headings of a template's own explanation: what is shown there is neither code in doubt nor misspelt."""

_TAG_IN_CODE = regex(
    rf"\[\s*{NAME}(?:\s*[:\]]| [x×]\d)|#{NAME}|{NAME} \+\d|<!--\s*{NAME}|(?:\[|<!--)\s*(?:agree|hold)\s+\w+=",
    re.IGNORECASE,
)
_LIST_MARK = regex(r"\s*(?:[-*+]|\d{1,9}[.)])[ \t]")


class Statements:
    """What a body states.

    Attributes:
        lines: the events that each line marks, in the order of the text, before marks of a line are taken together.
        assertions: the stated totals, in the order of the text.
        problems: annotations that can't be read, blocks that hide some, and tags in code.
        near: what looks meant as an annotation and is none.
    """

    def __init__(self) -> None:
        self.lines: dict[int, list[Event]] = {}
        self.assertions: list[Assertion] = []
        self.problems: list[Problem] = []
        self.near: list[Problem] = []


@kept
def read_statements(document: Document, labels: Callable[[], Sequence[int]] | None = None) -> Statements:
    """Everything that the body of a document states; ``labels`` as for ``read_body``."""
    body, found = read_body(document, labels), Statements()
    exempt = _explanations(document, body)
    runs = list(body.runs)
    for table in body.tables:
        cells = read_table(table)
        for cell, mark in cells.marks:
            _add(found, cell, mark)
        found.near += [_problem(cell, wrong) for cell, wrong in cells.near if cell.line(0) not in exempt]
        runs += cells.left
    for run in runs:
        marks = read_comment(run.text) if run.kind == "comment" else read_marks(run.text)
        for mark in marks:
            _add(found, run, mark)
        rest = blot(run.text, marks, lambda mark: TAG_SIGN if isinstance(mark, Tagged) else OPAQUE)
        if not (run.kind == "comment" and (marks or rest.startswith("mdtally-"))) and run.line(0) not in exempt:
            found.near += [_problem(run, wrong) for wrong in find_near(run, rest, body.defined)]
    for events in found.lines.values():
        events.sort(key=lambda event: event.region)
    found.assertions.sort(key=lambda assertion: assertion.tally.region)
    found.problems += [*_hidden(document, body, found), *_tags_in_code(document, body, runs, exempt)]
    found.near.sort(key=lambda problem: problem.region)
    return found


def _add(found: Statements, run: Run, mark: Mark) -> None:
    region = run.region(mark.start, mark.end)
    if isinstance(mark, Tagged):
        event = Event(mark.letter, region, mark.fact, mark.note)
        found.lines.setdefault(region.line, []).extend([event] * mark.count)
    elif isinstance(mark, Stated):
        found.assertions.append(Assertion(TallyLine(mark.counter, mark.value, region), mark.past))
    else:
        found.problems.append(_problem(run, mark))


def _problem(run: Run, wrong: Wrong) -> Problem:
    evidence = " ".join(shown(run.text[wrong.start : wrong.end]).split())
    return Problem(wrong.rule, wrong.message, run.region(wrong.start, wrong.end), evidence=evidence, hint=wrong.hint)


def _explanations(document: Document, body: Body) -> frozenset[int]:
    """The numbers of the lines in sections that explain the notation."""
    exempt: set[int] = set()
    headings = body.layout.headings
    for n, heading in enumerate(headings):
        if heading.text.casefold() in EXPLANATIONS:
            later = (each.first for each in headings[n + 1 :] if each.level <= heading.level)
            exempt.update(range(heading.first + 1, next(later, len(document.lines)) + 1))
    return frozenset(exempt)


# -- Code -------------------------------------------------------------------------------------------------------------


def _tags_in_code(document: Document, body: Body, runs: Sequence[Run], exempt: frozenset[int]) -> Iterator[Problem]:
    """Tags that are code: a notice, how many and where; an error where a tab before a bullet made code of it."""
    quiet: list[Region] = []
    for index, kind in enumerate(body.layout.kinds):
        line = document.lines[index]
        if kind in (FENCE, INDENTED, RAW) and index + 1 not in exempt and (tag := _TAG_IN_CODE.search(line)):
            region = Region(index + 1, tag.start() + 1, index + 1, tag.end() + 1)
            if kind == INDENTED and _LIST_MARK.match(line):
                message = "this list item is indented so far that it is code, and its tag does not count"
                hint = "indent it by fewer than four columns, or as a part of a list above it"
                yield Problem("tag-in-code", message, region, hint=hint)
            else:
                quiet.append(region)
    for run in runs:
        quiet += [run.region(at, at + 1) for at, code in run.code() if _TAG_IN_CODE.search(code)]
    quiet = sorted(region for region in quiet if region.line not in exempt)
    if quiet:
        places = ", ".join(str(line) for line in sorted({region.line for region in quiet})[:10])
        many = len({region.line for region in quiet}) > 1
        message = (
            f"{len(quiet)} tag{'s' if len(quiet) > 1 else ''} in code {'are' if len(quiet) > 1 else 'is'} not counted "
            f"(line{'s' if many else ''} {places}{', ...' if len({r.line for r in quiet}) > 10 else ''})"
        )
        yield Problem("tag-in-code", message, quiet[0], "info", hint="take the backticks or the fence away to count it")


# -- What is hidden ---------------------------------------------------------------------------------------------------


def _hidden(document: Document, body: Body, found: Statements) -> Iterator[Problem]:
    """Fences and comments that nobody closed above statements, and fences in fences around one.

    What is never closed was read as text. To a Markdown renderer it hides all that follows, and nobody can tell what
    was meant; if nothing is stated there, it does not matter.
    """
    stated = sorted(
        [
            *(event.region for events in found.lines.values() for event in events),
            *(assertion.tally.region for assertion in found.assertions),
            *(problem.region for problem in found.problems),
        ]
    )
    lines = document.lines
    opened = [
        (
            fence.first,
            _margin(lines[fence.first]),
            "code fence" if fence.marker[0] in "`~" else "HTML block",
            fence.closing,
        )
        for fence in body.layout.fences
        if fence.last is None
    ]
    names = {"<!--": ("HTML comment", "-->"), "%%": ("Obsidian comment", "%%")}
    opened += [
        (comment.first, comment.column, *names[comment.mark]) for comment in body.layout.comments if not comment.closed
    ]
    for index, column, what, closing in sorted(opened):
        opening = Region(index + 1, column + 1, index + 1, len(lines[index].rstrip()) + 1)
        below = next((region.line for region in stated if region > opening), None)
        if below is None and what == "HTML comment" and read_comment(lines[index][column + 4 :]):
            below = index + 1
        if below:
            yield Problem(
                "unclosed-block",
                f"this {what} is never closed and hides the counters below it, the first in line {below}",
                opening,
                hint=f'close it with "{closing}"',
            )
            return
    yield from _nested(document, body.layout.fences)


def _margin(line: str) -> int:
    return len(line) - len(line.lstrip(" \t>"))


def _nested(document: Document, fences: Sequence[Fence]) -> Iterator[Problem]:
    """Fences in fences: "```", then "```python", then "```" closes the outer one, and text and code change places.

    Where a reading that nests fences comes out even, and disagrees about a line that states something, it is reported.
    """
    outer = next((fence for fence in fences if fence.inner is not None), None)
    code = _nested_code(document.lines, outer.first) if outer else None
    if outer is None or outer.inner is None or code is None:
        return
    strict = {index for fence in fences if fence.last is not None for index in range(fence.first, fence.last + 1)}
    for index in sorted(code ^ {index for index in strict if index >= outer.first}):
        run = read_paragraph(document.lines, index, index + 1)
        if read_marks(run.text) or read_comment(run.text):
            line = document.lines[outer.first]
            yield Problem(
                "unclosed-block",
                f"this code fence holds what looks like another one (line {outer.inner + 1}), so that line "
                f"{index + 1}, which states a counter, may be code or text",
                Region(outer.first + 1, 1, outer.first + 1, len(line) + 1),
                hint="open and close the outer fence with more backticks than the inner one",
            )
            return


def _nested_code(lines: Sequence[str], start: int) -> set[int] | None:
    """The indices from start on that are code if fences nest; None where they don't come out even."""
    code: set[int] = set()
    stack: list[str] = []
    for index in range(start, len(lines)):
        mark = re.match(r" {0,3}(`{3,}|~{3,})(.*)", lines[index])
        inside = bool(stack)
        if mark and (not stack or mark.group(1)[0] == stack[-1][0]):
            if not stack or mark.group(2).strip():
                stack.append(mark.group(1))
            elif len(mark.group(1)) >= len(stack[-1]):
                stack.pop()
        if inside or stack:
            code.add(index)
    return None if stack else code
