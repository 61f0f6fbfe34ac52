"""A table with a row a turn: who, and what was said.

    | Round | Speaker | Statement |
    | --- | --- | --- |
    | 1 | Noor | We cannot pay for both. |
    | 1 | Imre | Then drop the second one. |

Only a table whose columns are so titled is a dialogue: tables of votes and verdicts have the same look.
"""

from __future__ import annotations

import re

from mdtally.dialects import names, rounds
from mdtally.dialects.page import Dialect, Page, Reading, Start

_WHO = frozenset("speaker agent name who participant voice author role debater from".split())
_WHAT = frozenset("statement message text utterance said says content speech dialogue turn argument".split())
_ROUND = frozenset("round turn # no".split())
_RULE = re.compile(r"[\s|:-]+$")
_CELL = re.compile(r"(?<!\\)\|")


def matches(page: Page) -> bool:
    """True where a table has a column for the voice and one for the words."""
    return _header(page) is not None


def read(page: Page) -> Reading | None:
    """One turn a row."""
    found = _header(page)
    if found is None:
        return None
    header, columns = found
    starts: list[Start] = []
    index = header + 2
    while index < len(page.lines) and page.lines[index].lstrip().startswith("|"):
        line = page.lines[index]
        bounds = [match.end() for match in _CELL.finditer(line)]
        cells = [(start, end - 1) for start, end in zip(bounds, bounds[1:], strict=False)]
        if len(cells) > max(columns.values()):
            start, end = cells[columns["who"]]
            name = names.clean(line[start:end])
            number = rounds.number_of(line[slice(*cells[columns["round"]])].strip()) if "round" in columns else None
            if name is not None:
                body_start, body_end = cells[columns["what"]]
                text = line[body_start:body_end]
                offset = body_start + len(text) - len(text.lstrip()) if text.strip() else None
                starts.append(Start(index, start, offset, name, number, int(number or 0), "table-rows", body_end))
        index += 1
    if len({start.name.key for start in starts}) < 2 or len(starts) < 3:
        return None
    return Reading(tuple(starts), ends=(index,))


def _header(page: Page) -> tuple[int, dict[str, int]] | None:
    for index in range(page.first, len(page.lines) - 2):
        line = page.lines[index]
        if not line.lstrip().startswith("|") or not _RULE.match(page.lines[index + 1]) or not page.visible(index):
            continue
        titles = [names.plain(cell).casefold() for cell in line.strip().strip("|").split("|")]
        columns: dict[str, int] = {}
        for place, title in enumerate(titles):
            for what, allowed in (("who", _WHO), ("what", _WHAT), ("round", _ROUND)):
                if title in allowed and what not in columns:
                    columns[what] = place
                    break
        if "who" in columns and "what" in columns:
            return index, columns
    return None


DIALECT = Dialect("table-rows", matches, read)
