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


def numbers() -> dict[str, int]:
    """Numbers in words, cardinal and ordinal, with their values ("two", "second", "二" -> 2)."""
    return {word: value for value in range(11) for word in _TABLES[f"number-{value}"]}


def round_words() -> dict[str, int]:
    """What a round is called, with a rank: where a file has several such words, only the lowest rank counts rounds."""
    return {word: rank for rank in range(4) for word in _TABLES[f"round-words-{rank}"]}
