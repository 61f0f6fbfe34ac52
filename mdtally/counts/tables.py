"""Tables of counters: running totals or events.

A table is read from its source lines, because one ragged row makes a Markdown parser call the whole a paragraph. The
counters are the header: then its numbers are running totals, and its marks (x) are events. Or a column holds a
counter's name in each row: beside numbers these are totals, beside words, or repeated, events. Cells that say nothing
as a table are left to be read as text: a tag in a row still is a tag.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from mdtally.counts.notation import (
    LETTER_OF,
    NAME,
    Mark,
    Stated,
    Tagged,
    Wrong,
    counter_of,
    letter_of,
    no_count,
    read_value,
    shown,
)
from mdtally.counts.runs import Row, Run, Table
from mdtally.model import COUNTERS, Counter
from mdtally.regex import regex

_NAME = regex(NAME)
# A_P, A_P count, A_P so far, Progressive (A_P)
_HEADER = regex(
    rf"(?:(?:no\. of|number of|running|total|cumulative) )?[(\"]?(?P<name>{NAME})[)\"]?"
    rf"(?: (?:count|total|tally|events?|so far|running total))?(?: *\([^()]*\))? *:{{0,2}}"
    rf"|[^()|]{{1,60}}\( *(?P<inner>{NAME}) *\) *:{{0,2}}",
    re.IGNORECASE,
)
_MISSPELT = regex(r"\(?A(?:[ .‑–-]?[PRT]|_[A-Z]{1,2})\)?")
_ANNOTATED = regex(rf"[\[#]{NAME}|\[(?:agree|hold)\b|{NAME} *(?:[:=]|\+\d)", re.IGNORECASE)
_SILENT = frozenset(("", "-", "–", "—", "…", "...", "·", '"', "〃", "''"))
_MARKS = frozenset("xX✓✔●")
# Headings of columns whose numbers are no totals.
_NO_TOTALS = regex(
    r".*(?:%|\b(?:rate|share|percent|ratio|meaning|means|notes?|description|definition|comment|why|what|reason)\b)"
    r"|(?:#|(?:no|nr)\.?|turn|line|message|msg|round|step|date|time|when|id)\Z",
    re.IGNORECASE,
)
_LEGEND = regex(r"\b(?:meaning|means?|description|definition|stands for|what it \w+|counts?)\b", re.IGNORECASE)
_EVENTS = regex(r"(?:tag|event|mark|annotation|label|letter|code)s?", re.IGNORECASE)


class Found:
    """What tables state, each mark with its cell, near misses, and the cells that are left to be read as text."""

    def __init__(self) -> None:
        self.marks: list[tuple[Run, Mark]] = []
        self.near: list[tuple[Run, Wrong]] = []
        self.left: list[Run] = []
        self.used: set[int] = set()

    def use(self, cell: Run, mark: Mark) -> None:
        """Take a cell for a mark."""
        self.used.add(id(cell))
        self.marks.append((cell, mark))

    def refuse(self, cell: Run, message: str, hint: str) -> None:
        """Take a cell for something that can't be read."""
        self.use(cell, Wrong(0, max(len(cell.text), 1), "tally-malformed", message, hint))

    def total(self, counter: Counter, cell: Run, *, past: bool = False) -> None:
        """Take a cell for a running total."""
        value, end = read_value(cell.text), len(cell.text)
        stated = Stated(0, end, counter, value, past) if isinstance(value, int) else None
        self.use(cell, stated or no_count(counter, cell.text, 0, end))


def read_table(table: Table) -> Found:
    """What a table states."""
    found = Found()
    rows = [row for row in table.rows if row]
    if not rows:
        return found
    head, body = rows[0], rows[1:]
    columns = {index: counter for index, cell in enumerate(head) if (counter := _counter(cell))}
    counters = [row for row in rows if _counter(row[0])]
    single = list(columns) == [0] and (len(counters) > 1 or any(_is_count(cell) for cell in head[1:]) or not body)
    by_rows = bool(counters) and (not columns or single)
    if by_rows:
        _read_rows(found, counters, None if _counter(head[0]) else head)
    elif columns:
        found.used |= {id(head[index]) for index in columns}
        _read_columns(found, columns, head, body)
    for cells in (head, [row[0] for row in rows]):
        _find_misspelt(found, cells)
    if table.ruled and not by_rows:
        for index in range(len(head)):
            if index not in columns:
                _read_names(found, head[index], [row[index] for row in body if index < len(row)])
    found.left = [cell for row in rows for cell in row if id(cell) not in found.used and cell.text]
    return found


def _find_misspelt(found: Found, cells: Sequence[Run]) -> None:
    """Cells of a header that are near misses: "AP", "AR" and "AT", or "A_S" beside a counter."""
    spelt = any(_NAME.fullmatch(cell.text) for cell in cells)
    wrong = [cell for cell in cells if _MISSPELT.fullmatch(cell.text) and not _counter(cell)]
    if spelt or {cell.text.strip("()")[-1] for cell in wrong} >= {"P", "R", "T"}:
        for cell in wrong:
            message = f'"{shown(cell.text)}" looks meant as a counter, and is written as none'
            found.near.append((cell, Wrong(0, len(cell.text), "near-miss-tag", message, "write A_P, A_R or A_T")))


def _counter(cell: Run) -> Counter | None:
    """The counter that a header's cell names, such as "A_P", "Progressive (A_P)", "A_P so far"; else None."""
    match = _HEADER.fullmatch(cell.text)
    return counter_of(match["name"] or match["inner"]) if match else None


def _is_count(cell: Run) -> bool:
    return isinstance(read_value(cell.text), int)


def _is_silent(cell: Run) -> bool:
    return cell.text in _SILENT


def _read_columns(found: Found, columns: dict[int, Counter], head: Row, body: Sequence[Row]) -> None:
    """Rows below a header of counters."""
    cells: list[tuple[Counter, Run, Row]] = []
    for row in body:
        if not _is_drawn(found, row, len(head)):
            cells += [
                (counter, row[index], row)
                for index, counter in columns.items()
                if index < len(row) and not _counter(row[index]) and not _ANNOTATED.search(row[index].text)
            ]
    found.used |= {id(cell) for _, cell, _ in cells}
    said = [(counter, cell, row) for counter, cell, row in cells if not _is_silent(cell)]
    if any(cell.text in _MARKS for _, cell, _ in said):
        for counter, cell, row in said:
            if cell.text in _MARKS:
                notes = (other.text for other in reversed(row) if other.text not in _MARKS)
                note = next((text for text in notes if any(map(str.isalpha, text))), "")
                found.use(cell, Tagged(0, len(cell.text), LETTER_OF[counter], note=note))
            else:
                message = f'"{shown(cell.text)}" stands among marks of events, and is none'
                found.refuse(cell, message, "mark each event with x; write running totals in a table of their own")
    elif unclear := _unclear(said, len(said) < len(cells)):
        _refuse_unclear(found, unclear, said)
    else:
        for counter, cell, _ in said:
            found.total(counter, cell)


def _unclear(said: Sequence[tuple[Counter, Run, Row]], gaps: bool) -> Run | None:
    """The cell that makes a table of 0 and 1 unclear: a 1 or less is below a 1, or, with gaps, a 1 in another row."""
    seen: dict[Counter, int] = {}
    first = None
    for counter, cell, row in said:
        if cell.text not in ("0", "1"):
            return None
        if counter in seen or (gaps and cell.text == "1" and any(other != id(row) for other in seen.values())):
            first = first or cell
        if cell.text == "1":
            seen[counter] = id(row)
    return first


def _refuse_unclear(found: Found, cell: Run, said: Sequence[tuple[Counter, Run, Row]]) -> None:
    """Show both readings of a table of 0 and 1."""
    marked: dict[int, set[Counter]] = {}
    for counter, other, row in said:
        marked.setdefault(id(row), set()).update([counter] if other.text == "1" else [])
    ones = {counter: sum(counter in row for row in marked.values()) for counter in COUNTERS}
    # Each A_P and each A_R of a row is one of its events.
    ones["A_T"] += sum(max(0, len(row - {"A_T"}) - ("A_T" in row)) for row in marked.values())
    last = {counter: other.text for counter, other, _ in said}
    events = ", ".join(f"{counter} {ones[counter]}" for counter in COUNTERS)
    totals = ", ".join(f"{counter} {last.get(counter, '?')}" for counter in COUNTERS)
    message = f"this table may mark events ({events}) or state running totals ({totals})"
    hint = "write x for each event and leave the other cells empty, or totals that go on rising: 1, 2, 3"
    found.refuse(cell, message, hint)


def _read_rows(found: Found, rows: Sequence[Row], head: Row | None) -> None:
    """Rows that begin with a counter: totals beside numbers, a later number a later total; beside words, events."""
    rows = [row for row in rows if not _is_drawn(found, row, len(head) if head else 2)]
    titles = [cell.text for cell in head] if head else []
    found.used |= {id(row[0]) for row in rows}
    once = len({_counter(row[0]) for row in rows}) == len(rows)
    numeric = {
        index
        for row in rows
        for index, cell in enumerate(row)
        if index and _is_count(cell) and not any(map(_NO_TOTALS.match, titles[index : index + 1]))
    }
    if once and not numeric:
        numeric = {1 for row in rows if len(row) > 1 and not _is_silent(row[1]) and read_value(row[1].text) == "odd"}
    if once and numeric:
        for row in rows:
            cells = [row[index] for index in sorted(numeric) if index < len(row) and not _is_silent(row[index])]
            cells = [cell for cell in cells if not _ANNOTATED.search(cell.text)]
            for cell in cells:
                found.total(_counter(row[0]) or "A_P", cell, past=cell is not cells[-1])
    elif not once or not (any(map(_LEGEND.search, titles[1:])) or all(row[0].is_code(0) for row in rows)):
        _read_names(found, head[0] if head else None, [row[0] for row in rows])


def _is_drawn(found: Found, row: Row, width: int) -> bool:
    """True, and a finding, for bars that are drawn as tally marks and not escaped: "| A_P | |||| || |"."""
    if len(row) <= width or not any(not left.text and not right.text for left, right in pairwise(row)):
        return False
    message = "this row has more cells than its header: bars drawn as tally marks end a cell"
    found.refuse(row[0], message, "write numbers, or \\| for each mark")
    return True


def _read_names(found: Found, title: Run | None, cells: Sequence[Run]) -> None:
    """A column that holds a counter's name in each row has an event a row."""
    said = [cell for cell in cells if not _is_silent(cell)]
    names = sum(_NAME.fullmatch(cell.text) is not None for cell in said)
    tagged = title is not None and _EVENTS.fullmatch(title.text)
    if not names or (names < len(said) and not tagged):
        return
    for cell in said:
        if _NAME.fullmatch(cell.text):
            found.use(cell, Tagged(0, len(cell.text), letter_of(cell.text)))
        elif not _ANNOTATED.search(cell.text):
            message = f'"{shown(cell.text)}" stands in a column of events, and is no counter'
            found.refuse(cell, message, "write A_P, A_R or A_T, in a row for each event")
