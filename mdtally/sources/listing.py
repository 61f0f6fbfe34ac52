"""Recorded sessions for a list: each once, with what a person knows it by."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from pathlib import Path

from mdtally.project import files
from mdtally.session import counts as counting
from mdtally.sources import Recording, is_copy, turns_hash
from mdtally.sources.notes import StoredSession
from mdtally.text.model import FileError, Refusal
from mdtally.text.records import record

_TAGS = b"[agree ", b"[hold "
"""What the tags that a review writes begin with."""


@record
class ListedSession:
    """A recorded session in a list.

    Attributes:
        session: its id.
        source: the program that recorded it.
        date: the day of its first turn, ISO 8601.
        project: the folder in which it was begun; None if none was recorded.
        model: the model that gave most answers; None if none was recorded.
        turns: how many turns it has.
        pushes: how often the person seems to push back.
        title: what the program calls it; None if it has no name.
        first_words: what the person said first.
        note: the path of its note; None if there is none.
        review: how far a review of the note has come, "new", "begun" or "reviewed"; None without a note.
        file: the file that holds it.
    """

    session: str
    source: str
    date: str
    project: str | None
    model: str | None
    turns: int
    pushes: int
    title: str | None
    first_words: str
    note: str | None
    review: str | None
    file: str


def first_of_each(found: Iterable[StoredSession], unread: list[FileError]) -> Iterator[StoredSession]:
    """The sessions without copies of one; another one that claims the same id counts as a file that can't be read.

    A log of what was typed is a copy, too, where the recording of its session comes before it; that one's id may end
    with the time at which it was begun.
    """
    known: dict[str, tuple[Path, str]] = {}
    begun: set[str] = set()
    for stored in found:
        session, turns = stored.recording.session, turns_hash(stored.recording)
        if _is_log(stored.recording) and (session in begun or known.get(session, (stored.path,))[0] != stored.path):
            continue
        begun.add(session.rpartition("-")[0])
        path, others = known.get(session, (stored.path, ""))
        if path == stored.path:
            if not others.startswith(turns):
                known.setdefault(session, (path, turns))
                yield stored
        elif not is_copy(turns, others):
            first, claims = (files.relative(one, Path.cwd()) for one in (path, stored.path))
            unread.append(FileError(claims, f"claims to be session {session}, as {first} does; left out"))


def _is_log(recording: Recording) -> bool:
    """True if nobody but the person speaks, and nothing else was recorded."""
    is_told = recording.begun or recording.model or recording.folder
    return not is_told and all(turn.is_person for turn in recording.turns)


def to_listed(stored: StoredSession, note: str | None, review: str | None) -> ListedSession:
    """A session for a list, with the path of its note and how far a review of that is; None without a note."""
    one = stored.recording
    whole = one.folder or None, one.model or None, len(one.turns), stored.pushes, one.title or None
    shown = *whole, one.first_words[:200], note, review, str(stored.path)
    return ListedSession(one.session, one.source, stored.date, *shown)


def fresh_notes(root: Path, folder: Path) -> Iterator[tuple[Path, bool]]:
    """The notes of sessions below a folder of a project that nobody has judged or reviewed; True of those with tags."""
    for path in sorted(files.matching(folder, "**/*.md")) if files.is_within(folder, root) else ():
        found = files.read(path)
        data = found if isinstance(found, bytes) else b""
        head = data[:4096].removeprefix(BOM_UTF8).partition(b"\n---")[0]
        if head.startswith(b"---") and b"kind: session" in head and b"calibration_" not in head:
            yield path, any(tag in data for tag in _TAGS) and _is_tagged(found)


def _is_tagged(data: bytes | Refusal) -> bool:
    """True if events count in a note: one that only speaks of tags has none."""
    document = files.document_of(data)
    return not isinstance(document, Refusal) and bool(counting.read(document)[0].events)
