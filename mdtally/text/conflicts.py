"""Marks that a merge of git leaves in a file where two branches have changed the same lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mdtally.text.model import Problem, Region
from mdtally.text.regex import regex

CONFLICT = "conflict-marks"
"""The rule of such a problem."""

# "<<<<<<< HEAD", "||||||| 3f2a91c", "=======", ">>>>>>> branch"; agents write "<<<<<<< SEARCH" for an edit they propose
_MARK = regex(r"(?!<{7} SEARCH\s*$)([<|>=])\1{6}(?: |$)")


def find_conflict(lines: Sequence[str], is_code: Callable[[int], bool]) -> Problem | None:
    """The problem of a conflict that is not resolved, or None: its marks begin lines, in the order in which git writes
    them, the first one not in code.

    Args:
        lines: a file's lines.
        is_code: tells of the index of a line whether it is code; asked only about lines that may be a first mark.
    """
    opened: list[int] = []
    for index, line in enumerate(lines):
        mark = _MARK.match(line)
        if mark is None:
            continue
        sign = mark[1]
        if sign == "<" and not is_code(index):
            opened = [index]
        elif opened and sign in "|=" and len(opened) == 1:
            opened += [index] if sign == "=" and line.rstrip() == "=======" else []
        elif sign == ">" and len(opened) == 2:
            numbers = f"lines {opened[0] + 1}, {opened[1] + 1} and {index + 1}"
            message = f"git left a merge conflict here ({numbers}), so nothing is counted, tagged or written"
            hint = "keep what is right of both sides, and remove the marks"
            return Problem(CONFLICT, message, Region(opened[0] + 1, 1, index + 1, len(line) + 1), hint=hint)
    return None
