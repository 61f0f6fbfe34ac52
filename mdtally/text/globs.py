"""Globs: which paths and names a pattern of a person's means.

In a path ``*`` and ``?`` stay within one part and ``**`` is any number of parts. A glob without a slash is a name at
any depth, one with a slash starts at the folder it is written in, and a folder's glob holds for all that lies in it: as
in .gitignore. The time is bounded by the length of the glob times that of the path, whoever wrote either: in what
``fnmatch`` makes of a part, only its last star is ever tried again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from fnmatch import translate
from functools import lru_cache

from mdtally.text.regex import regex

# "[!x-z]"
_SET = regex(r"\[!?+\]?+[^\]]*\]")


class BadGlobError(ValueError):
    """A glob that means nothing; the message says why."""


def matches_path(glob: str, path: str, *, within: bool = True) -> bool:
    """True if a glob means a path or, with ``within``, a folder that it lies in.

    Args:
        glob: such as ``drafts/**``, ``*.draft.md``, ``archive``; a slash at its beginning changes nothing but that the
            name is not looked for at any depth.
        path: relative to the folder in which the glob is written, with forward slashes.

    Raises:
        BadGlobError: the glob means nothing.
    """
    names = path.split("/")
    # How many of the names the parts so far may take.
    taken = {0}
    for part in _parts(glob):
        if part is None:
            taken = set(range(min(taken), len(names) + 1)) if taken else taken
        else:
            taken = {count + 1 for count in taken if count < len(names) and part.match(names[count])}
    return bool(taken - {0}) if within else len(names) in taken


def matches_name(glob: str, name: str) -> bool:
    """True if a glob means a whole name: of a file, a folder, a model; ``*`` is any text, slashes too.

    Raises:
        BadGlobError: the glob means nothing.
    """
    return _compile(glob).match(name) is not None


def fits(glob: str, value: str) -> bool:
    """True if a glob means a value of a key; an empty one means that there is none.

    Raises:
        BadGlobError: the glob means nothing.
    """
    return matches_name(glob, value) if glob else not value


def most_specific(globs: Iterable[str], name: str) -> list[str]:
    """The globs that mean a name in upper or lower case, the one that names most of its characters first."""
    found = [glob for glob in globs if matches_name(glob.lower(), name.lower())]
    return sorted(found, key=lambda glob: -len(re.sub(r"[*?]", "", _SET.sub("", glob))))


@lru_cache(1_000)
def _parts(glob: str) -> list[re.Pattern[str] | None]:
    """What fits each part between slashes; None for ``**``."""
    parts = glob.removeprefix("./").strip("/").split("/")
    for part in parts:
        if not part or part in (".", ".."):
            raise BadGlobError("a part between its slashes is empty" if not part else f"{part} leads nowhere in a glob")
        if "**" in part and part != "**":
            raise BadGlobError("** stands alone between slashes")
    is_anchored = "/" in glob.rstrip("/").removeprefix("./")
    return [None if part == "**" else _compile(part) for part in (parts if is_anchored else ["**", *parts])]


@lru_cache(1_000)
def _compile(glob: str) -> re.Pattern[str]:
    if not glob or "\\" in glob:
        raise BadGlobError("a backslash means nothing in a glob; folders are divided by /" if glob else "it is empty")
    if "[" in _SET.sub("", glob):
        raise BadGlobError("a [ is never closed")
    pattern = translate(glob)
    # What a set without a character becomes; a bracket or an "!" of the glob itself is escaped.
    if "(?!)" in pattern:
        raise BadGlobError("a set such as [z-a] holds no character")
    return re.compile(pattern)
