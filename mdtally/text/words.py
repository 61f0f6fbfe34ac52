"""The words that transcripts are marked with, read from `words.txt`: a table is a set of case-folded words."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from mdtally.text import datafiles

_TABLES: Final = datafiles.tables(__file__, "words.txt")


@cache
def table(*names: str) -> frozenset[str]:
    """The words of one table or of several together; KeyError for a table that does not exist."""
    return frozenset(word for name in names for word in _TABLES[name])


def either(*names: str) -> str:
    """An expression for any word of some tables, the longest first: the order in which a regex has to try them."""
    found = sorted((word for name in names for word in _TABLES[name]), key=len, reverse=True)
    return f"(?:{'|'.join(map(re.escape, found))})"


@cache
def numbers_of(name: str) -> dict[str, int]:
    """The words of the tables "name-0", "name-1", … with their numbers: for "number" "two", "second", "二" -> 2."""
    ends = ((table, table.removeprefix(f"{name}-")) for table in _TABLES)
    return {word: int(end) for table, end in ends if end.isdigit() for word in _TABLES[table]}
