"""Which of the files of programs hold sessions of a folder's project."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import BinaryIO

from mdtally.project import files
from mdtally.sources import COMPRESSED, decompress, folders_in
from mdtally.text.model import Refusal
from mdtally.text.regex import regex

_LONGEST = 200  # characters of a project's folder in a program's; longer ones are cut and end with a hash
_HEAD = 1 << 16  # bytes of a recording that name its project, if its path does not
_DATABASE = b"SQLite format 3\0"
_SIGN = regex(r"[^A-Za-z0-9]")


def of_project(folder: Path, paths: Sequence[Path]) -> Iterator[tuple[Path, Path]]:
    """The files that may hold sessions of a folder's project, with the project's folder, the last changed first.

    Programs sort their files by the project's path, written with "-" for every sign that is not a letter or digit, or
    hashed; others name it at a file's beginning. Last come those whose beginning can't be read: they may be of it.
    """
    places = [folder, *folder.parents]
    found: dict[int, list[tuple[float, Path]]] = {}
    marks = [_marks(place) for place in places]
    for path in paths:
        changed, head = changed_at(path), b""
        number = next((at for at, (names, _) in enumerate(marks) if not names.isdisjoint(path.parts)), None)
        if number is None:
            head = _head(path)
            number = next((at for at, (_, texts) in enumerate(marks) if any(text in head for text in texts)), None)
        if number is not None and head.startswith(_DATABASE):
            changed = _folders(path).get(str(places[number]), changed)
        if number is None and (head.startswith(COMPRESSED) or head == _DATABASE):
            number = len(places)
        if number is not None:
            found.setdefault(number, []).append((changed, path))
    unread = found.pop(len(places), [])
    nearest = min(found, default=0)
    for _, path in [*sorted(found.get(nearest, ()), reverse=True), *sorted(unread, reverse=True)]:
        yield path, places[nearest]


def is_elsewhere(path: Path, begun: str, place: Path) -> bool:
    """True if a session tells of a folder of its own that is not the place; two can have one folder of sessions.

    Args:
        path: the session's file.
        begun: the folder in which it was begun; "" if none was recorded.
        place: the project's folder.
    """
    is_sorted = _slug(str(place)) in path.parts and _slug(begun) != _slug(str(place))
    return bool(begun) and not is_sorted and os.path.realpath(begun) != os.path.realpath(place)


def changed_at(path: Path) -> float:
    """When a file was changed last, in seconds since 1970."""
    found = files.status(path)
    return found.st_mtime if isinstance(found, os.stat_result) else 0.0


def _marks(place: Path) -> tuple[set[str], list[bytes]]:
    """What shows that a recording is of a project: names in its path, and texts at its beginning."""
    text, slug = str(place), _slug(str(place))
    hashed = hashlib.sha256(text.encode(errors="replace")).hexdigest()
    written = [json.dumps(text), json.dumps(text, ensure_ascii=False)]  # programs write "é" either way
    texts = {*written, f'"{place.as_uri()}"', *(f"Directory ({each[1:-1]})" for each in written), f'"{hashed}"'}
    return {slug, hashed}, [each.encode(errors="surrogateescape") for each in texts]


def _slug(place: str) -> str:
    """What the folder of a project's sessions is called; of a long one what that begins with, before a hash."""
    return _SIGN.sub("-", place)[:_LONGEST]


def _head(path: Path) -> bytes:
    """What stands at a file's beginning, below what a file beside it says of the project; of a database its folders."""
    beginning = b""
    about = path.with_name(path.name.replace(".messages.json", ".json"))  # of a session of Cline's
    about = path.parents[1] / "workspace.json" if path.parent.name == "chatSessions" else about
    for each in dict.fromkeys((about, path)):
        stream = files.open_file(each)
        if not isinstance(stream, Refusal):
            with stream:
                found = files.attempt(partial(_beginning, stream))
            beginning += found if isinstance(found, bytes) else b""
    if beginning.startswith(_DATABASE):
        return _DATABASE + "\n".join(map(json.dumps, _folders(path))).encode()
    return beginning


def _beginning(stream: BinaryIO) -> bytes:
    """The first bytes of a file; of one that is compressed those of its content, if that can be read."""
    data = stream.read(_HEAD)
    if data.startswith(COMPRESSED):
        stream.seek(0)
        plain = decompress(stream, _HEAD)
        return data if isinstance(plain, Refusal) else plain.read()
    return data


def _folders(path: Path) -> dict[str, float]:
    """The folders of the sessions in a database, with the time of the last change in each."""
    database = files.open_database(path)
    return {} if isinstance(database, Refusal) else folders_in(database)
