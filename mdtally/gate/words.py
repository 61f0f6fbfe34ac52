"""Lists of words in `words.txt`, by name."""

from functools import cache
from pathlib import Path


@cache
def listed_words(name: str) -> frozenset[str]:
    """The words of a list; it may stand in several lines."""
    lines = (Path(__file__).parent / "words.txt").read_text("utf-8").splitlines()
    listed = (line.removeprefix(f"{name}: ") for line in lines if line.startswith(f"{name}: "))
    return frozenset(word for line in listed for word in line.split(", "))
