"""Lists of words in `words.txt`, by name."""

from functools import cache

from mdtally.text import datafiles


@cache
def listed_words(name: str) -> frozenset[str]:
    """The words of a list; it may stand in several lines."""
    listed = (row.partition(": ") for row in datafiles.rows(__file__, "words.txt"))
    return frozenset(word for of, _, words in listed if of == name for word in words.split(", "))
