"""Data that stands beside the code in text files: rows, or sections of rows below a name in brackets.

# for people, as is a line that is blank
[name] what else its line says
a row
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path


def rows(module: str, name: str) -> list[str]:
    """The rows of the file with this name that stands beside a module, which gives its ``__file__``."""
    lines = Path(module).with_name(name).read_text("utf-8").split("\n")
    return [line for line in lines if line.strip("#") and not line.startswith("# ")]


def tables(module: str, name: str) -> dict[str, list[str]]:
    """The words of each section by its name, in their order; phrases parted by commas where the name ends in one."""
    found: dict[str, list[str]] = {}
    for title, _, below in sections(module, name):
        said = "\n".join(below)
        words = [" ".join(phrase.split()) for phrase in said.split(",")] if title.endswith(",") else said.split()
        found[title.rstrip(",")] = [word for word in words if word]
    return found


def sections(module: str, name: str) -> Iterator[tuple[str, str, list[str]]]:
    """The sections of such a file: the name in brackets, what stands behind it on its line, and the rows below."""
    title, below = "", list[str]()
    for row in [*rows(module, name), "["]:
        if row.startswith("["):
            if title:
                head, _, rest = title[1:].partition("]")
                yield head, rest.strip(), below
            title, below = row, []
        else:
            below.append(row)
