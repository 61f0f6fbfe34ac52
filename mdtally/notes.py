"""Recorded sessions on the disk: which there are, which have a note, and writing one or what it lacks.

The sessions of a coding agent lie in a folder of the user's, one below it for each project, named by the project's path
with "-" for every sign that is not a letter or digit. A note lies in the project, and says in its frontmatter which
session it is of.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from mdtally import files
from mdtally.document import parse
from mdtally.model import Refusal
from mdtally.sources import Recording, addition, file_name, note_of, read_claude_code, recorded_size
from mdtally.records import record, replace
from mdtally.regex import regex
from mdtally.source import UnreadableError

_LONGEST = 200  # characters of a project's folder; longer ones are cut and end with a hash
_SESSION = re.compile(rb"^session: *[\"']?([\w.-]+)", re.MULTILINE)  # session: 0ccf1a04-1b4c-43b6-8aa5-79e41db43a68
_SIGN = regex(r"[^A-Za-z0-9]")


@record
class StoredSession:
    """A recorded session on the disk.

    Attributes:
        path: its file.
        lines: the lines of the file, with their line ends.
        recording: what they hold.
        date: the day of its first turn where this program runs; of the file's last change if it does not tell.
    """

    path: Path
    lines: tuple[str, ...]
    recording: Recording
    date: str


@record
class WrittenNote:
    """A note as it stands now: whether it is new, and whether anything was written."""

    path: Path
    is_new: bool
    is_changed: bool


# -- Finding ----------------------------------------------------------------------------------------------------------


def sessions_of(folder: Path) -> Iterator[StoredSession]:
    """The sessions of a folder's project in which somebody speaks, the one changed last first.

    The project is the folder or, if no session was begun in it, the nearest one above. Two projects can have one folder
    of sessions, so what a session tells of its own folder holds.
    """
    for place in (folder, *folder.parents):
        slug = _slug(str(place))
        paths = _session_files(slug)
        for path in sorted(paths, key=_changed, reverse=True):
            stored = read_session(path)
            if isinstance(stored, StoredSession) and stored.recording.turns:
                begun = stored.recording.folder
                is_other = _slug(begun) == slug and os.path.realpath(begun) != os.path.realpath(place)
                if not (begun and is_other):
                    yield stored
        if paths:
            return


def find_session(name: str) -> Path | Refusal:
    """The file of a session by its path, its id or the beginning of that."""
    if files.status(Path(name)) is not None:
        return Path(name)
    if not _SIGN.search(name.replace("-", "")):
        named = {path.stem: path for path in _session_files() if path.stem.startswith(name)}
        if len(named) > 1:
            return Refusal(f"{len(named)} sessions begin so, {' and '.join(sorted(named)[:2])} among them")
        if named:
            return named.popitem()[1]
    return Refusal("neither a file nor a recorded session; `mdtally note --list` shows those of this folder's project")


def read_session(path: Path) -> StoredSession | Refusal:
    """A recorded session; a refusal if its file can't be read."""
    data = files.read(path)
    if isinstance(data, Refusal):
        return data
    lines = tuple(io.StringIO(data.decode("utf-8", "replace"), newline="\n"))
    recording = read_claude_code(lines)
    recording = replace(recording, session=recording.session or path.stem)
    first = recording.turns[0].time if recording.turns else ""
    begun = files.attempt(lambda: datetime.fromisoformat(first).astimezone())
    begun = datetime.fromtimestamp(_changed(path)).astimezone() if isinstance(begun, Refusal) else begun
    return StoredSession(path, lines, recording, begun.date().isoformat())


def notes_in(folder: Path) -> dict[str, Path]:
    """The notes below a folder, by the session that each names in its frontmatter."""
    notes: dict[str, Path] = {}
    for path in _below(folder):
        data = files.read(path)
        named = _SESSION.search(data[:4096]) if isinstance(data, bytes) else None
        if named:
            notes.setdefault(named[1].decode(), path)
    return notes


# -- Writing ----------------------------------------------------------------------------------------------------------


def write_note(stored: StoredSession, path: Path, *, allow_outside: bool = False) -> WrittenNote | Refusal:
    """Write the note of a session, or add to it what the session has more; nothing that stands there is changed."""
    now = stored.recording
    was = b""

    def change(data: bytes) -> bytes | Refusal:
        nonlocal was
        was = data
        if not data:
            return note_of(now, stored.date).encode()
        try:
            document = parse(data)
        except UnreadableError as error:
            return Refusal(str(error))
        size = recorded_size(document)
        if document.head.values.get("session") != now.session or size is None:
            return Refusal("not the note of this session, or it no longer says how far it goes; --output names another")
        if size > now.size:
            return Refusal("the session's file is shorter than it was when this note was written; nothing was added")
        text = addition(document, read_claude_code(stored.lines[:size]), now)
        return data + text.encode(document.source.encoding)

    written = files.edit(path, change, may_be_new=True, allow_outside=allow_outside)
    return written if isinstance(written, Refusal) else WrittenNote(path, not was, written != was)


def path_for(stored: StoredSession, folder: Path) -> Path:
    """Where the note of a session stands below a folder, or would stand if there is none."""
    known = notes_in(folder).get(stored.recording.session)
    path = folder / file_name(stored.recording, stored.date)
    if known is None and files.status(path) is not None:
        path = path.with_stem(f"{path.stem}-{stored.recording.session[:8]}")
    return known or path


# -- Details ----------------------------------------------------------------------------------------------------------


def _roots() -> list[Path]:
    """The folders that hold a folder of sessions for each project."""
    stated, home = os.environ.get("CLAUDE_CONFIG_DIR"), files.attempt(Path.home)
    places = [] if isinstance(home, Refusal) else [home / ".claude", home / ".config" / "claude"]
    places = [Path(stated)] if stated else places
    return [place / "projects" for place in places if files.is_folder(place / "projects")]


def _slug(place: str) -> str:
    """What the folder of a project's sessions is called; of a long one what that begins with, before a hash."""
    return _SIGN.sub("-", place)[:_LONGEST]


def _session_files(slug: str = "") -> list[Path]:
    """The files of sessions, without those of sub-agents; of one project only if the name of its folder is given."""

    def is_wanted(name: str) -> bool:
        return not slug or name == slug or (len(slug) == _LONGEST and name.startswith(f"{slug}-"))

    folders = [root / name for root in _roots() for name in files.names_in(root) if is_wanted(name)]
    found = [folder / name for folder in folders for name in files.names_in(folder)]
    return [path for path in found if path.suffix == ".jsonl" and not path.name.startswith("agent-")]


def _below(folder: Path) -> Iterator[Path]:
    """The Markdown files of a folder and of those in it that are not hidden."""
    for name in sorted(files.names_in(folder)):
        if name.endswith(".md"):
            yield folder / name
        elif not name.startswith(".") and files.is_folder(folder / name):
            yield from _below(folder / name)


def _changed(path: Path) -> float:
    """When a file was changed last, in seconds since 1970."""
    found = files.status(path)
    return found.st_mtime if isinstance(found, os.stat_result) else 0.0
