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

from mdtally.session.counts.notation import (
    NAME,
    REQUIRED,
    Mark,
    Stated,
    Tagged,
    Wrong,
    counter_of,
    fact_form,
    letter_of,
    no_count,
    read_value,
    readable,
)
from mdtally.session.counts.runs import Row, TextRun
from mdtally.text.model import COUNTERS, Counter
from mdtally.text.regex import regex

# A_P
_NAME = regex(NAME)
# A_P, A_P count, A_P so far, Progressive (A_P)
_HEADER = regex(
    rf"(?:(?:no\. of|number of|running|total|cumulative) )?[(\"]?(?P<name>{NAME})[)\"]?"
    rf"(?: (?:count|total|tally|events?|so far|running total))?(?: *\([^()]*\))? *:{{0,2}}"
    rf"|[^()|]{{1,60}}\( *(?P<inner>{NAME}) *\) *:{{0,2}}",
    re.IGNORECASE,
)
# AP, A-R, (A.T), A_S
_MISSPELT = regex(r"\(?A(?:[ .‑–-]?[PRT]|_[A-Z]{1,2})\)?")
# [A_P, #A_P, [agree, A_P: 3, A_P +1
_ANNOTATED = regex(rf"[\[#]{NAME}|\[(?:agree|hold)\b|{NAME} *(?:[:=]|\+\d)", re.IGNORECASE)
# "A_P: gave in", "A_P - asked twice"
_WITH_WORDS = regex(rf"({NAME})(?: *:| +[-–—]) +(.+)", re.IGNORECASE | re.DOTALL)
# progressive, Regressive count
_IN_A_WORD = regex(r"(?:pro|re)gressive(?: (?:count|total|tally|events?|agreements?))?", re.IGNORECASE)
_BESIDE = 20  # so many columns on stands what belongs to a cell: a table may have thousands
_SILENT = frozenset(("", "-", "–", "—", "…", "...", "·", '"', "〃", "''", "_", "__", "___"))
_MARKS = frozenset("xX✓✔●")
# Headings of columns whose numbers are not totals.
_NO_TOTALS = regex(
    r".*(?:%|\b(?:rate|share|percent|ratio|meaning|means|notes?|description|definition|comment|why|what|reason)\b)"
    r"|(?:#|(?:no|nr)\.?|turn|line|message|msg|round|step|date|time|when|id)\Z",
    re.IGNORECASE,
)
# "what it means", "Description"
_LEGEND = regex(r"\b(?:meaning|means?|description|definition|stands for|what it \w+|counts?)\b", re.IGNORECASE)
# "round 1", "Tue", "so far": columns over which a total goes on; not "Claude", "target", "all time"
_IN_ORDER = regex(
    r".*\d|(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6}\Z|(?:start|middle|end)\Z|(?:.* )?(?:total|so far|now)\Z|\Z",
    re.IGNORECASE,
)
# "asked twice"; not "10:15", "turn 5"
_IN_WORDS = regex(r"\D*[^\W\d_]{2}\D*\Z")
# "= 3", "ca. 3", "III"
_ODD_COUNT = regex(r"(?:[=~≈]|ca\.?) *\d+|[IVX]+", re.IGNORECASE)
_DIGITS = regex(r"\d+")
_MAY_BE_EVENTS = "each row may be an event here, or state the number that stands beside the counter"
_HEAD_THE_COLUMNS = "head the columns with A_P, A_R, A_T"
# "event", "Tags"
_EVENTS = regex(r"(?:tag|event|mark|annotation|label|letter|code)s?", re.IGNORECASE)
# "counter", "Total so far", "times", "Anzahl"; not "minutes" beside an event
_TOTALS = regex(
    r"(?i)(?:(?:running|final|total) )?(?:counter|total|tally|count|number|sum|value|n)s?(?: so far|(?: of)? events)?"
    r"|final|times|occurrences?|frequency|freq\.?|amount|results?|how many"
    r"|anzahl|häufigkeit|wert|stand|summe|gesamt|ergebnis"
)


def read_table(rows: Sequence[Row], ruled: bool) -> tuple[list[tuple[TextRun, Mark]], list[TextRun]]:
    """What a table states, each mark with its cell, and the cells that are left to be read as text.

    A table is `ruled` if a line of dashes stands below its first row.
    """
    reader = _Reader(rows)
    if rows:
        reader.read(ruled)
    return reader.marks, [cell for row in rows for cell in row if cell.at not in reader.used and cell.text]


def _counter(cell: TextRun) -> Counter | None:
    """The counter that a header's cell names, such as "A_P", "Progressive (A_P)", "A_P so far"; else None."""
    match = _HEADER.fullmatch(cell.text)
    return counter_of(match["name"] or match["inner"]) if match else None


def _looks_like_one(cell: TextRun) -> str:
    return f'"{readable(cell.text)}" looks like a counter, but is not written as one'


def _is_of_tags(title: TextRun) -> bool:
    return title.text.lower() in ("event", "events", "tag", "tags")


def _is_count(cell: TextRun) -> bool:
    return isinstance(read_value(cell.text), int)


def _nonempty(cells: Sequence[TextRun]) -> list[TextRun]:
    return [cell for cell in cells if cell.text not in _SILENT]


def _is_once(rows: Sequence[Row]) -> bool:
    return len({_counter(row[0]) for row in rows}) == len(rows)


def _is_in_order(columns: Sequence[int], head: Sequence[TextRun]) -> bool:
    """True if a total may go on over some columns: by their titles, where there are any, or as there is but one.

    Beside "event" the one has to be headed as a total: it may hold minutes.
    """
    titles = [head[index].text for index in columns if index < len(head)]
    is_clear = len(columns) < 2 and not _EVENTS.fullmatch(head[0].text if head else "")
    return is_clear or all(map(_IN_ORDER.match, titles)) or (len(titles) == 1 and bool(_TOTALS.fullmatch(titles[0])))


def _are_several(rows: Sequence[Row], head: Sequence[TextRun]) -> bool:
    """True if rows that name a counter twice stand beside a column that says how many, and not one each time."""
    titled = [index for index, cell in enumerate(head) if index and _TOTALS.fullmatch(cell.text)]
    cells = (cell.text for row in rows for index in titled for cell in _nonempty(row[index : index + 1]))
    numbers = ({*_DIGITS.findall(text)} for text in cells if read_value(text) not in ("word", "words"))
    return not _is_once(rows) and any(found - {"1"} for found in numbers)


def _are_events(rows: Sequence[Row], titles: Sequence[str]) -> bool:
    """True if a table says that each row is an event: its first title does, or each row has more than words."""
    more = (any(not _explains(cell.text) for cell in _nonempty(row[1:])) for row in rows)
    return bool(titles and titles[0].lower().startswith("event")) or all(more)


def _explains(text: str) -> bool:
    """True for a cell that may say what a counter means, or how many there are, and not where an event is."""
    return bool(_IN_WORDS.match(text) or _ODD_COUNT.fullmatch(text) or _ANNOTATED.search(text))


def _columns_of_totals(rows: Sequence[Row], head: Sequence[TextRun], *, may_be_odd: bool = True) -> list[int]:
    """Which columns state the totals of rows that begin with a counter, each with another one; empty if none does.

    Where no column holds a count, it is one that is headed as a total, or the next one if it holds what can't be a
    count, such as "3?", and that may be.
    """
    if not _is_once(rows):
        return []
    others = {index for index, cell in enumerate(head) if _NO_TOTALS.match(cell.text) or _counter(cell)}
    counts = {index for row in rows for index, cell in enumerate(row) if index and _is_count(cell)}
    numeric = sorted(counts - others)
    titled = [index for index, cell in enumerate(head) if index and _TOTALS.fullmatch(cell.text)]
    if titled and (not numeric or (len(titled) == 1 and not _is_in_order(numeric, head))):
        return titled
    beside = (cell.text for row in rows for cell in _nonempty(row[1:2]))
    is_odd = may_be_odd and not numeric and any(read_value(text) == "odd" for text in beside)
    return [1] if is_odd else numeric


class _Reader:
    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows = rows
        self.marks: list[tuple[TextRun, Mark]] = []
        self.used: set[tuple[int, int]] = set()

    def read(self, ruled: bool) -> None:
        head, body = self.rows[0], self.rows[1:]
        columns = {index: counter for index, cell in enumerate(head) if (counter := _counter(cell))}
        counters = [row for row in self.rows if _counter(row[0])]
        single = list(columns) == [0] and (len(counters) > 1 or any(map(_is_count, head[1:])) or not body)
        by_rows = bool(counters) and (not columns or single)
        if by_rows:
            self._read_rows(counters, () if _counter(head[0]) else head)
        elif columns:
            self.used |= {head[index].at for index in columns}
            self._read_columns(columns, body, len(head))
            if not (body or ruled):
                message = "a row of counters with no rows below it is not read as a table"
                self._report(head[next(iter(columns))], message, _HEAD_THE_COLUMNS)
        for index in range(len(head)) if ruled and not by_rows else ():
            if index not in columns:
                end = index + _BESIDE
                self._read_column(head[index:end], [row[index:end] for row in body if index < len(row)])
        below = [[row[index] for row in self.rows if index < len(row)] for index in range(len(head))]
        for cells in (head, below[0], *(cells for cells in below[1:] if _is_of_tags(cells[0]))):
            self._find_misspelt(cells)
        in_words = [row[:2] for row in self.rows if _IN_A_WORD.fullmatch(row[0].text)]
        for cells in (*(below if ruled else ()), *(in_words if len(in_words) > 1 else ())):
            self._find_misspelt_title(cells[0], cells[1:])
        self._find_facts({cell.text.lower() for cell in head}, body)

    def _use(self, cell: TextRun, mark: Mark) -> None:
        self.used.add(cell.at)
        self.marks.append((cell, mark))

    def _report(self, cell: TextRun, message: str, hint: str, legend: Counter | None = None) -> None:
        """Take a cell for something that looks like a counter or a fact, and is none."""
        self._use(cell, Wrong(0, max(len(cell.text), 1), "near-miss-tag", message, hint, legend))

    def _refuse(self, cell: TextRun, message: str, hint: str) -> None:
        """Take a cell for something that can't be read."""
        self._use(cell, Wrong(0, max(len(cell.text), 1), "tally-malformed", message, hint))

    def _refuse_numbers(self, rows: Sequence[Row], message: str = _MAY_BE_EVENTS) -> None:
        """Take rows that begin with a counter for events or totals: the numbers beside them leave it open."""
        self.used |= {row[0].at for row in rows}
        hint = "for events take the numbers away; for totals each counter once below `counter`, numbers below `total`"
        self._refuse(rows[0][0], message, hint)

    def _total(self, counter: Counter, cell: TextRun, *, past: bool = False) -> None:
        value, end = read_value(cell.text), len(cell.text)
        stated = Stated(0, end, counter, value, past) if isinstance(value, int) else None
        self._use(cell, stated or no_count(counter, cell.text, 0, end))

    def _find_misspelt(self, cells: Sequence[TextRun]) -> None:
        """Cells of a header or column that are near misses: "AP", "AR" and "AT", or "A_S" beside a counter."""
        unused = [cell for cell in cells if cell.at not in self.used and not _counter(cell)]
        wrong = [cell for cell in unused if _MISSPELT.fullmatch(cell.text)]
        is_meant = _is_of_tags(cells[0]) or any(_NAME.fullmatch(cell.text) for cell in cells)
        if is_meant or {cell.text.strip("()")[-1] for cell in wrong} >= {"P", "R", "T"}:
            for cell in wrong:
                self._report(cell, _looks_like_one(cell), "write A_P, A_R or A_T")

    def _find_misspelt_title(self, title: TextRun, cells: Sequence[TextRun]) -> None:
        """A counter's name, misspelt or in a word, that heads counts or marks alone."""
        filled = _nonempty(cells)
        is_country = title.text.strip("()") in ("AR", "AT")  # Argentina and Austria
        is_meant = _IN_A_WORD.fullmatch(title.text) or (_MISSPELT.fullmatch(title.text) and not is_country)
        holds = filled and all(_is_count(each) or each.text in _MARKS for each in filled)
        if is_meant and holds and title.at not in self.used:
            self._report(title, _looks_like_one(title), "write A_P, A_R or A_T in its place")

    def _find_facts(self, titles: set[str], body: Sequence[Row]) -> None:
        """A table that has a fact's parts in columns, which is not read: told at its first row."""
        decisions = [cell for row in body for cell in row if cell.text.lower() in REQUIRED]
        if {"pressure", "evidence"} <= titles and decisions:
            message = "a table with a column for each part of a fact is not read"
            self._report(decisions[0], message, f"write each fact in one cell: {fact_form('agree')}")

    def _read_columns(self, columns: dict[int, Counter], body: Sequence[Row], width: int) -> None:
        """Rows below a header of counters."""
        rows = [row for row in body if not self._is_drawn(row, width)]
        below = ((counter, row[index], row) for row in rows for index, counter in columns.items() if index < len(row))
        cells = [one for one in below if not (_counter(one[1]) or _ANNOTATED.search(one[1].text))]
        self.used |= {cell.at for _, cell, _ in cells}
        filled = [one for one in cells if one[1].text not in _SILENT]
        unclear = _unclear(filled, gaps=len(filled) < len(cells))
        if any(cell.text in _MARKS for _, cell, _ in filled):
            notes = {id(row): _note(row) for row in body}
            for counter, cell, row in filled:
                if cell.text in _MARKS:
                    self._use(cell, Tagged(0, len(cell.text), letter_of(counter), note=notes[id(row)]))
                else:
                    message = f'"{readable(cell.text)}" stands among marks of events, and is none'
                    self._refuse(cell, message, "mark each event with x; write running totals in a table of their own")
        elif unclear:
            hint = "write x for each event and leave the other cells empty, or totals that go on rising: 1, 2, 3"
            self._refuse(unclear, _both_readings(filled), hint)
        else:
            for counter, cell, _ in filled:
                self._total(counter, cell)

    def _read_column(self, head: Sequence[TextRun], rows: Sequence[Row]) -> None:
        """A column, as the first of the rows from it on, that may hold counters: totals beside numbers, else events."""
        filled = [row for row in rows if row[0].text not in _SILENT]
        if not any(_NAME.match(row[0].text) for row in filled):
            return
        are_names = all(_NAME.fullmatch(row[0].text) for row in filled)
        is_headed = any(_TOTALS.fullmatch(cell.text) for cell in head)
        is_several = are_names and _are_several(filled, head)
        if not is_several and not (are_names and _columns_of_totals(filled, head, may_be_odd=is_headed)):
            is_legend = are_names or not any(_is_count(cell) for row in filled for cell in row[1:])
            self._read_names(head[0].text, [row[0] for row in rows], is_legend=is_legend)
        elif is_several or _EVENTS.fullmatch(head[0].text) or not is_headed:
            self._refuse_numbers(filled)
        else:
            self._read_rows(filled, head)

    def _read_rows(self, rows: Sequence[Row], head: Sequence[TextRun]) -> None:
        """Rows that begin with a counter: totals beside numbers, a later number a later total; beside words, events."""
        rows = [row for row in rows if not self._is_drawn(row, len(head) or 2)]
        titles = [cell.text for cell in head]
        self.used |= {row[0].at for row in rows}
        is_once, numeric = _is_once(rows), _columns_of_totals(rows, head)
        if not _is_in_order(numeric, head):
            names = " or ".join(f'"{readable(titles[index])}"' for index in numeric if index < len(head))
            self._refuse_numbers(rows, f"whether the running totals stand below {names} is not clear")
        elif _are_several(rows, head):
            self._refuse_numbers(rows)
        elif numeric:
            for row in rows:
                cells = _nonempty([row[index] for index in numeric if index < len(row)])
                cells = [cell for cell in cells if not _ANNOTATED.search(cell.text)]
                for cell in cells:
                    self._total(_counter(row[0]) or "A_P", cell, past=cell is not cells[-1])
        elif is_once and (any(map(_LEGEND.search, titles[1:])) or all(row[0].is_code(0) for row in rows)):
            pass  # a legend
        elif is_once and len(rows) == len(COUNTERS) and not _are_events(rows, titles):
            self._read_each_once(rows)
        else:
            title = titles[0] if titles else ""
            firsts = [row[0] for row in self.rows[1 if head else 0 :]]
            is_events = _EVENTS.fullmatch(title)
            self._read_names(title, [cell for cell in firsts if is_events or _counter(cell) or _with_words(cell)])

    def _read_each_once(self, rows: Sequence[Row]) -> None:
        """Rows of all three counters, each once: a legend or three events, and that is asked; or counts gone wrong."""
        for row in rows:
            counter, beside = _counter(row[0]) or "A_P", _nonempty(row[1:2])
            if beside and _ODD_COUNT.fullmatch(beside[0].text):
                self._total(counter, beside[0])
            else:
                message = "this row may be an event, or say what the counter means"
                hint = "head the column `event`, or write the names in backticks, as `A_P`, to explain them"
                self._report(row[0], message, hint, counter)

    def _is_drawn(self, row: Row, width: int) -> bool:
        """True, and a finding, for bars that are drawn as tally marks and not escaped: "| A_P | |||| || |"."""
        drawn = len(row) > width and any(not left.text and not right.text for left, right in pairwise(row))
        if drawn:
            message = "this row has more cells than its header: bars drawn as tally marks end a cell"
            self._refuse(row[0], message, "write numbers, or \\| for each mark")
        return drawn

    def _read_names(self, title: str, cells: Sequence[TextRun], *, is_legend: bool = True) -> None:
        """A column with a counter's name in each row has an event a row; a name with words is told, as in a list."""
        filled = _nonempty(cells)
        names = [cell for cell in filled if _NAME.fullmatch(cell.text)]
        begins = _with_words if is_legend else lambda cell: _WITH_WORDS.fullmatch(cell.text)
        with_words = {cell.at: match for cell in filled if (match := begins(cell))}
        named = len(names) + len(with_words)
        if not named or (named < len(filled) and not _EVENTS.fullmatch(title)):
            return
        for cell in filled:
            if _NAME.fullmatch(cell.text):
                self._use(cell, Tagged(0, len(cell.text), letter_of(cell.text)))
            elif match := with_words.get(cell.at):
                counter = counter_of(match[1])
                message = f"this cell begins with {counter} and goes on in words, so that it counts nothing"
                hint = f"write [{counter}: words], or {counter} alone and the words in a column of their own"
                self._report(cell, message, hint, counter if is_legend else None)
            elif not _ANNOTATED.search(cell.text):
                message = f'"{readable(cell.text)}" stands in a column of events, and is no counter'
                self._refuse(cell, message, "write A_P, A_R or A_T, in a row for each event")


def _with_words(cell: TextRun) -> re.Match[str] | None:
    """The counter and the words of a cell such as "A_P: gave in", which states nothing as it is written; else None."""
    match = _WITH_WORDS.fullmatch(cell.text)
    is_meant = match and not cell.is_code(0) and read_value(match[2]) == "words" and not _ANNOTATED.search(match[2])
    return match if is_meant else None


def _note(row: Row) -> str:
    """The last cell with words: what a row's marks are explained by."""
    words = (cell.text for cell in reversed(row) if cell.text not in _MARKS)
    return next((text for text in words if any(map(str.isalpha, text))), "")


def _unclear(filled: Sequence[tuple[Counter, TextRun, Row]], *, gaps: bool) -> TextRun | None:
    """The cell that makes a table of 0 and 1 unclear: a 1 or less is below a 1, or, with gaps, a 1 in another row."""
    seen: dict[Counter, tuple[int, int]] = {}
    first = None
    for counter, cell, row in filled:
        if cell.text not in ("0", "1"):
            return None
        if counter in seen or (gaps and cell.text == "1" and any(other != row[0].at for other in seen.values())):
            first = first or cell
        if cell.text == "1":
            seen[counter] = row[0].at
    return first


def _both_readings(filled: Sequence[tuple[Counter, TextRun, Row]]) -> str:
    """What a table of 0 and 1 comes to as marks of events, and as running totals."""
    marked: dict[tuple[int, int], set[Counter]] = {}
    for counter, other, row in filled:
        marked.setdefault(row[0].at, set()).update([counter] if other.text == "1" else [])
    ones = {counter: sum(counter in row for row in marked.values()) for counter in COUNTERS}
    # Each A_P and each A_R of a row is one of its events.
    ones["A_T"] += sum(max(0, len(row - {"A_T"}) - ("A_T" in row)) for row in marked.values())
    last = {counter: other.text for counter, other, _ in filled}
    events = ", ".join(f"{counter} {ones[counter]}" for counter in COUNTERS)
    totals = ", ".join(f"{counter} {last.get(counter, '?')}" for counter in COUNTERS)
    return f"this table may mark events ({events}) or state running totals ({totals})"
