"""Counters that a missing fence or "-->" hides.

A fence that is not closed makes code of the rest of a log, and a comment makes nothing of it: the totals would be
too low and nobody would know. So the hidden lines are read as if nothing hid them; if they state anything, the opening
line is the place of the error.

People also show fences in fences. "```", then "```python", then "```" closes the outer one, and the text after it
changes places with the code. Where a reading that nests fences comes out even and disagrees with Markdown's about a
line that states something, nobody can tell what was meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from mdtally.counts.annotations import read_marks
from mdtally.counts.notation import COMMENT_CLOSE, COMMENT_OPEN
from mdtally.counts.tables import read_tables
from mdtally.counts.visible import Reader, Unclosed
from mdtally.model import Block, Document, Problem, Region
from mdtally.text import opens_fence

_RULE = "unclosed-block"


def find_swallowed(document: Document, reader: Reader) -> list[Problem]:
    """The problems of blocks that hide annotations.

    Args:
        document: the log.
        reader: has read all its runs.
    """
    problems = []
    for unclosed in reader.unclosed:
        line = _states_at(reader, unclosed)
        if line:
            problems.append(
                Problem(
                    _RULE,
                    f"this {unclosed.what} is never closed and hides the counters below it, the first in line {line}",
                    unclosed.region,
                    hint=f'close it with "{unclosed.closing}"',
                )
            )
    if not problems:
        problems += _confused_fences(document, reader)
    return problems


def _states_at(reader: Reader, unclosed: Unclosed) -> int | None:
    """The first line of what is hidden that states something, or None."""
    if read_marks(f"{COMMENT_OPEN}{unclosed.first}{COMMENT_CLOSE}") or read_marks(unclosed.first):
        return unclosed.region.line
    return _first_statement(reader, unclosed.start, unclosed.end)


def _first_statement(reader: Reader, start: int, end: int) -> int | None:
    if start > end:
        return None
    run = reader.uncovered(start, end)
    marks, rest = read_tables(run.text)
    marks += read_marks(rest)
    return min((run.lines[mark.start] for mark in marks), default=None)


def _confused_fences(document: Document, reader: Reader) -> Iterator[Problem]:
    fences = [block for block in document.blocks if block.kind == "fence"]
    nesting = [fence for fence in fences if _nested_opening(document, fence)]
    if not nesting:
        return
    nested = _nested_code(document, min(fence.line for fence in nesting))
    if nested is None:
        return
    strict = {number for fence in fences for number in range(fence.line, fence.end_line + 1)}
    opening = nesting[0]
    for start, end in _stretches(sorted(nested ^ {number for number in strict if number >= opening.line})):
        line = _first_statement(reader, start, end)
        if line:
            text = document.lines[opening.line - 1]
            inner = _nested_opening(document, opening)
            yield Problem(
                _RULE,
                f"this code fence holds what looks like another one (line {inner}), so that line {line}, which states "
                "a counter, may be code or text",
                Region(opening.line, 1, opening.line, len(text) + 1),
                hint="open and close the outer fence with more backticks than the inner one",
            )
            return


def _nested_opening(document: Document, fence: Block) -> int | None:
    """The line inside a fence that opens another one, with an info string as no closing fence has."""
    opening = opens_fence(document.lines[fence.line - 1])
    for number in range(fence.line + 1, fence.end_line + 1):
        line = document.lines[number - 1]
        inner = opens_fence(line)
        if opening and inner and inner[0] == opening[0] and re.match(rf"\s*{re.escape(inner)}\s*\w", line):
            return number
    return None


def _nested_code(document: Document, start: int) -> set[int] | None:
    """The lines from start on that are code if fences nest; None where they don't come out even."""
    code: set[int] = set()
    stack: list[str] = []
    for number in range(start, len(document.lines) + 1):
        line = document.lines[number - 1]
        fence = opens_fence(line)
        if fence and stack and fence[0] == stack[-1][0]:
            bare = not line.strip().lstrip(fence[0]).strip()
            if bare and len(fence) >= len(stack[-1]):
                stack.pop()
                code.add(number)
                continue
            if not bare:
                stack.append(fence)
        elif fence and not stack:
            stack.append(fence)
        if stack:
            code.add(number)
    return None if stack else code


def _stretches(numbers: list[int]) -> Iterator[tuple[int, int]]:
    start = previous = None
    for number in numbers:
        if start is None or previous is None:
            start = number
        elif number != previous + 1:
            yield start, previous
            start = number
        previous = number
    if start is not None and previous is not None:
        yield start, previous
