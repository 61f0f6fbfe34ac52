"""Globs: which paths and names a pattern of a person's means.

In a path ``*`` and ``?`` stay within one part and ``**`` is any number of parts. A glob without a slash is a name at
any depth, one with a slash starts at the folder it is written in, and a folder's glob holds for all that lies in it: as
in .gitignore. The time is bounded by the length of the glob times that of the path, whoever wrote either.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from mdtally.regex import regex

_PIECE = regex(r"\*+|\?|\[!?[\s\S][^\]]*\]|[^\\]", re.DOTALL)
_RANGE = regex(r"(.)-(.)|(.)", re.DOTALL)

Part = TypeVar("Part")
Item = TypeVar("Item")


class BadGlobError(ValueError):
    """A glob that means nothing; the message says why."""


def matches_path(glob: str, path: str, *, within: bool = True) -> bool:
    """True where a glob means a path or, with ``within``, a folder that it lies in.

    Args:
        glob: such as ``drafts/**``, ``*.draft.md``, ``archive``; a slash at its beginning changes nothing but that the
            name is not looked for at any depth.
        path: relative to the folder in which the glob is written, with forward slashes.

    Raises:
        BadGlobError: the glob means nothing.
    """
    names, pattern = path.split("/"), _parts(glob)
    return any(
        _wild(pattern, names[:end], "**", matches_name)
        for end in range(len(names), 0 if within else len(names) - 1, -1)
    )


def matches_name(glob: str, name: str) -> bool:
    """True where a glob means a whole name: of a file, a folder, a model; ``*`` is any text, slashes too.

    Raises:
        BadGlobError: the glob means nothing.
    """
    return _wild(_pieces(glob), name, "*", _fits)


def most_specific(globs: Iterable[str], name: str) -> list[str]:
    """The globs that mean a name in upper or lower case, the one that names most of its characters first."""
    found = [glob for glob in globs if matches_name(glob.lower(), name.lower())]
    return sorted(found, key=lambda glob: -sum(len(piece) == 1 and piece not in "*?" for piece in _pieces(glob)))


def _parts(glob: str) -> list[str]:
    """The glob's parts between slashes."""
    parts = glob.removeprefix("./").strip("/").split("/")
    for part in parts:
        if not part or part in (".", ".."):
            raise BadGlobError("a part between its slashes is empty" if not part else f"{part} leads nowhere in a glob")
        if "**" in part and part != "**":
            raise BadGlobError("** stands alone between slashes")
        _pieces(part)
    return parts if "/" in glob.rstrip("/").removeprefix("./") else ["**", *parts]


def _pieces(glob: str) -> list[str]:
    """The glob's characters, wildcards and sets: ``a``, ``*``, ``?``, ``[!x-z]``."""
    pieces = [match[0] for match in _PIECE.finditer(glob)]
    if not glob or sum(map(len, pieces)) < len(glob):
        raise BadGlobError("a backslash means nothing in a glob; folders are divided by /" if glob else "it is empty")
    if "[" in pieces:
        raise BadGlobError("a [ is never closed")
    return ["*" if piece.startswith("*") else piece for piece in pieces]


def _fits(piece: str, character: str) -> bool:
    if len(piece) == 1:
        return piece in ("?", character)
    inside = piece[1:-1].removeprefix("!")
    among = any((low <= character <= high) if low else one == character for low, high, one in _RANGE.findall(inside))
    return among != piece.startswith("[!")


def _wild(pattern: Sequence[Part], items: Sequence[Item], star: Part, fits: Callable[[Part, Item], bool]) -> bool:
    """True where a pattern fits all the items; ``star`` fits any number of them.

    Only the latest star is ever tried again, one item further on: an earlier one can't help where that one fails.
    """
    at = place = 0
    again: tuple[int, int] | None = None
    while place < len(items):
        if at < len(pattern) and pattern[at] == star:
            again = (at + 1, place)
            at += 1
        elif at < len(pattern) and fits(pattern[at], items[place]):
            at, place = at + 1, place + 1
        elif again is not None:
            again = (again[0], again[1] + 1)
            at, place = again
        else:
            return False
    return all(part == star for part in pattern[at:])
