"""Tables of counters, read from the lines of a run.

A Markdown parser makes a paragraph of a table as soon as one row is ragged, and people draw tables without the line of
dashes, so tables are found here: counters as the header, each row a running total; or counters as the first column,
each cell to the right a later total of its row. What a table has said is blotted out, so that the reader of annotations
sees only the cells that are left: a tag in a row still is a tag.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mdtally.counts.marks import Malformed, Mark, Stated, increment
from mdtally.counts.notation import (
    LETTER_OF,
    NAME,
    NO_VALUE_COLUMN,
    OPAQUE,
    PLACEHOLDERS,
    TAG_COLUMN,
    as_written,
    counter_of,
    letter_of,
)
from mdtally.counts.values import TALLY_MARKS, count_marks, read_value
from mdtally.model import Counter

_DELIMITER = re.compile(r" *\|? *:?-+:? *(?:\| *:?-+:? *)*\|? *")
_HEAD = re.compile(
    rf"(?:#? ?|no\. of |number of |running |total |cumulative )?[(\"]?(?P<name>{NAME})[)\"]?"
    r"(?: (?:count|total|tally|events?|so far|running total))?(?: *\([^()]*\))? *:{0,2}"
    rf"|[^()|]{{1,60}}\( *(?P<inner>{NAME}) *\) *:{{0,2}}",
    re.IGNORECASE,
)
_BRACKETED_HEAD = re.compile(rf"\[ *(?P<name>{NAME}) *\]")
_TAGGED_CELL = re.compile(rf"(?P<name>{NAME})(?: ?[x×] ?(?P<times>\d+))?", re.IGNORECASE)
_ANNOTATED = re.compile(rf"[\[#]{NAME}|\[(?:agree|hold)\b|{NAME} *[:=+x×]|\ue002", re.IGNORECASE)
_ANY_NAME = re.compile(NAME)


@dataclass(frozen=True, slots=True)
class _Cell:
    start: int
    end: int
    text: str


_Row = list[_Cell]


def read_tables(text: str) -> tuple[list[Mark], str]:
    """Read the tables of a run.

    Args:
        text: plain text.

    Returns:
        what its tables say, in the order of the text, and the text with that blotted out.
    """
    marks: list[Mark] = []
    blots: list[tuple[int, int]] = []
    if "|" not in text or ("\n" not in text and not text.lstrip().startswith("|")):
        return marks, text
    for rows, delimiter in _tables(text):
        _read_table(text, rows, delimiter, marks, blots)
    pieces, last = [], 0
    for start, end in sorted(blots):
        pieces += [text[last:start], OPAQUE * (end - start)]
        last = end
    return sorted(marks, key=lambda mark: mark.start), "".join([*pieces, text[last:]])


def _tables(text: str) -> Iterator[tuple[list[_Row], bool]]:
    """Each table as its rows, without the line of dashes, and whether it has one below its first row."""
    lines: list[tuple[int, str]] = []
    offset = 0
    for line in text.split("\n"):
        lines.append((offset, line))
        offset += len(line) + 1
    group: list[_Row] = []
    delimited = False
    for index, (start, line) in enumerate(lines):
        ruled = index + 1 < len(lines) and _is_delimiter(lines[index + 1][1])
        bordered = line.lstrip().startswith("|")
        if group and _is_delimiter(line):
            continue
        if group and "|" in line and (delimited or bordered) and not (ruled and len(group) > 1):
            group.append(_cells(start, line))
            delimited = delimited or (len(group) == 1 and ruled)
            continue
        if group:
            yield group, delimited
        group = [_cells(start, line)] if "|" in line and (ruled or bordered) else []
        delimited = ruled
    if group:
        yield group, delimited


def _is_delimiter(line: str) -> bool:
    return "-" in line and "|" in line and bool(_DELIMITER.fullmatch(line))


def _cells(offset: int, line: str) -> _Row:
    cells, start = [], 0
    stripped = line.rstrip()
    if stripped.lstrip().startswith("|"):
        start = stripped.index("|") + 1
    end = len(stripped) - 1 if stripped.endswith("|") and len(stripped) > start else len(stripped)
    while start <= end:
        stop = line.find("|", start, end)
        stop = end if stop < 0 else stop
        raw = line[start:stop]
        left = start + len(raw) - len(raw.lstrip())
        cells.append(_Cell(offset + left, offset + left + len(raw.strip()), raw.strip()))
        start = stop + 1
    return cells


def _head_counter(cell: _Cell) -> Counter | None:
    match = _HEAD.fullmatch(cell.text)
    return counter_of(match.group("name") or match.group("inner")) if match else None


def _read_table(text: str, rows: list[_Row], delimited: bool, marks: list[Mark], blots: list[tuple[int, int]]) -> None:
    head, body = rows[0], rows[1:]
    columns = {index: counter for index, cell in enumerate(head) if (counter := _head_counter(cell))}
    bracketed = {
        index: counter_of(match.group("name"))
        for index, cell in enumerate(head)
        if (match := _BRACKETED_HEAD.fullmatch(cell.text))
    }
    if not columns and len(bracketed) > 1 and body:
        columns = bracketed
    first_column = [row for row in rows if row and _head_counter(row[0])]
    by_rows = first_column and (
        not columns
        or (list(columns) == [0] and (len(first_column) > 1 or any(_is_count(cell) for cell in head[1:]) or not body))
    )
    if by_rows:
        _read_rows(text, first_column, head if head not in first_column else None, marks, blots)
        return
    if columns:
        blots += [(head[index].start, head[index].end) for index in columns]
        for row in body:
            _read_totals(text, row, columns, len(head), marks, blots)
    if delimited:
        tags = [index for index, cell in enumerate(head) if TAG_COLUMN.fullmatch(cell.text)]
        for row in body:
            for index in tags:
                if index < len(row) and (match := _TAGGED_CELL.fullmatch(row[index].text)):
                    letter = letter_of(match.group("name"))
                    cell = row[index]
                    marks.append(increment(letter, int((match.group("times") or "1")[:9]), cell.start, cell.end))
                    blots.append((cell.start, cell.end))


def _is_count(cell: _Cell) -> bool:
    return read_value(cell.text).kind == "count"


def _read_totals(
    text: str,
    row: _Row,
    columns: dict[int, Counter],
    width: int,
    marks: list[Mark],
    blots: list[tuple[int, int]],
) -> None:
    """One row below a header of counters."""
    if len(row) > width and "||" in text[row[0].start - 1 : row[-1].end + 2]:
        message = "this row has more cells than its header: bars drawn as tally marks end a cell"
        marks.append(_malformed(message, row[0].start, row[-1].end, "write numbers, or \\| for each mark"))
        return
    for index, counter in columns.items():
        if index >= len(row):
            continue
        cell = row[index]
        if cell.text in PLACEHOLDERS or _head_counter(cell) or _ANNOTATED.search(cell.text):
            continue  # nothing stated, a header repeated, or an annotation of its own
        _read_cell(counter, cell, marks, past=False)
        blots.append((cell.start, cell.end))


def _read_cell(counter: Counter, cell: _Cell, marks: list[Mark], *, past: bool) -> None:
    value = read_value(cell.text)
    if value.kind == "count":
        marks.append(Stated(counter, value.number, cell.start, cell.end, past))
    elif value.kind == "increment" and cell.text.startswith("+"):
        marks.append(increment(LETTER_OF[counter], value.number, cell.start, cell.end))
    else:
        message = f'"{as_written(cell.text)}" is no count, and this cell of the table is a total of {counter}'
        marks.append(
            _malformed(message, cell.start, cell.end, "write a whole number from 0 up, or leave the cell empty")
        )


def _read_rows(
    text: str, rows: Sequence[_Row], head: _Row | None, marks: list[Mark], blots: list[tuple[int, int]]
) -> None:
    """Rows that begin with a counter; a row's later numbers are later totals."""
    drawn = {id(row): marks_cell for row in rows if (marks_cell := _drawn(text, row))}
    numeric = {
        index
        for row in rows
        if id(row) not in drawn
        for index, cell in enumerate(row)
        if index and _is_value(cell) and not (head and index < len(head) and NO_VALUE_COLUMN.search(head[index].text))
    }
    for row in rows:
        counter = _head_counter(row[0])
        assert counter is not None
        blots.append((row[0].start, row[0].end))
        if id(row) in drawn:
            cell = drawn[id(row)]
            _read_cell(counter, cell, marks, past=False)
            blots.append((cell.start, cell.end))
            continue
        cells = [cell for index, cell in enumerate(row) if index in numeric and cell.text not in PLACEHOLDERS]
        if not numeric:
            # A legend of words, unless something that wants to be a number stands there.
            cells = [
                cell for cell in row[1:2] if read_value(cell.text).kind == "no-count" and cell.text not in PLACEHOLDERS
            ]
        cells = [cell for cell in cells if not _ANNOTATED.search(cell.text)]
        for cell in cells:
            _read_cell(counter, cell, marks, past=cell is not cells[-1])
            blots.append((cell.start, cell.end))


def _is_value(cell: _Cell) -> bool:
    value = read_value(cell.text)
    return value.kind == "count" or (value.kind == "increment" and cell.text.startswith("+"))


def _drawn(text: str, row: _Row) -> _Cell | None:
    """Tally marks drawn with bars that were not escaped: "| A_P | |||| || |"."""
    line_end = text.find("\n", row[0].end)
    rest = text[row[0].end : len(text) if line_end < 0 else line_end].rstrip()
    inner = rest.removeprefix(" ").lstrip()[1:]
    bordered = text[text.rfind("\n", 0, row[0].start) + 1 : row[0].start].strip() == "|"
    if bordered and re.search(r"(?:\A| )\|\Z", inner):
        inner = inner[:-1]
    stripped = inner.strip()
    if "||" not in stripped or not TALLY_MARKS.fullmatch(stripped) or count_marks(stripped) is None:
        return None
    start = row[0].end + rest.index(inner) + len(inner) - len(inner.lstrip()) if stripped else row[0].end
    return _Cell(start, start + len(stripped), stripped)


def _malformed(message: str, start: int, end: int, hint: str) -> Malformed:
    return Malformed("tally-malformed", message, start, max(end, start + 1), hint)
