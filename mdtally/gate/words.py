"""Lists of words in `words.txt`, by name."""

from mdtally.text import datafiles

WORDS = {name: frozenset(words) for name, words in datafiles.tables(__file__, "words.txt").items()}
