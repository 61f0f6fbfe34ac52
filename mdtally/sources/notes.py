"""Recorded conversations on the disk: which there are, which have a note, and writing one or what it lacks.

A program's recordings lie in a folder of the user's; exports lie where a person has put them. A note lies in the
project, and says in its frontmatter which session it is of.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cached_property, partial
from itertools import chain, groupby, islice, pairwise
from pathlib import Path

from mdtally.events import Run
from mdtally.events.score import language_of, score
from mdtally.project import files, pool
from mdtally.sources import (
    EDITORS,
    NOTHING,
    PLACES,
    Recording,
    addition,
    beside,
    conversations,
    file_name,
    folders_in,
    note_of,
)
from mdtally.text.document import parse
from mdtally.text.model import Refusal
from mdtally.text.records import record, replace
from mdtally.text.regex import regex

_LONGEST = 200  # characters of a project's folder in a program's; longer ones are cut and end with a hash
_HEAD = 1 << 16  # bytes of a recording that name its project, if its path does not
_FEW = 40  # sessions for which no process is started
_READ = 1000  # characters of a message in which a push is looked for
# session: 0ccf1a04-1b4c-43b6-8aa5-79e41db43a68, in TOML session = "0ccf1a04-1b4c-43b6-8aa5-79e41db43a68"
_SESSION = re.compile(rb"^session *[:=] *[\"']?([\w.-]+)", re.MULTILINE)
_ID = regex(r"[\w.-]{1,200}")
_NAME = regex(r"[A-Za-z0-9_-]+")  # what a session may be asked for by: "0ccf1a04", "ses_1164def0"
_UUID = regex(r"[0-9a-f]{8}-[0-9a-f]{4}-")  # in the name of a file that is called by the id of its session
_DATABASE = b"SQLite format 3\0"
_SIGN = regex(r"[^A-Za-z0-9]")
_CODE = regex(r"^ {0,3}(```|~~~).*?(?:^ {0,3}\1|\Z)|^>[^\n]*", 16 | 8)  # fenced code and quotations


@record
class StoredSession:
    """A recorded conversation, and where it lies.

    Attributes:
        path: its file.
        recording: what that holds.
        date: the day of its first turn where this program runs, of its beginning if turns have no time, of the file's
            last change if none was recorded.
    """

    path: Path
    recording: Recording
    date: str

    @cached_property
    def pushes(self) -> int:
        """How often the person seems to push back against what the agent said."""
        sides = [
            (side, _CODE.sub("", "\n".join(turn.text for turn in group)))
            for side, group in groupby(self.recording.turns, key=lambda turn: turn.is_person)
        ]
        # Of a long message its beginning and end are looked at, and of a reply its beginning.
        exchanges = [
            Run((), (), push if len(push) < 2 * _READ else f"{push[:_READ]}\n{push[-_READ:]}", reply[:_READ])
            for (side, push), (_, reply) in pairwise(sides[1:])
            if side
        ]
        language = language_of(exchanges)
        return sum(score(run.message, run.reply, language).pressure is not None for run in exchanges)


@record
class UnreadFile:
    """A file, or a conversation in it, that could not be read, and why."""

    path: Path
    reason: str


@record
class Choice:
    """Which conversations are meant.

    Attributes:
        source: the key of the one program whose recordings are meant; "" for all.
        file: the file that holds them; None for where programs keep their recordings.
        since, until: the first and the last day, ISO 8601; "" for any.
        words: words that all stand in a conversation or its title.
        is_pressed: True if only those are meant in which the person seems to push back.
        is_everywhere: True for those of all projects.
    """

    source: str = ""
    file: Path | None = None
    since: str = ""
    until: str = ""
    words: tuple[str, ...] = ()
    is_pressed: bool = False
    is_everywhere: bool = False

    def fits(self, stored: StoredSession) -> bool:
        """True if a conversation is meant."""
        if stored.date < self.since or (self.until and stored.date[: len(self.until)] > self.until):
            return False
        if self.words:
            one = stored.recording
            text = "\n".join([one.title, *(turn.text for turn in one.turns)]).casefold()
            if not all(word.casefold() in text for word in self.words):
                return False
        return not self.is_pressed or stored.pushes > 0


@record
class WrittenNote:
    """A note as it stands now: whether it is new, and whether anything was written."""

    is_new: bool
    is_changed: bool


# -- Finding ----------------------------------------------------------------------------------------------------------


def sessions_of(folder: Path, choice: Choice) -> Iterator[StoredSession | UnreadFile]:
    """The conversations that are meant, those of the file changed last first.

    They are those of a file if one is named, else those of a folder's project: the folder or, if nothing was recorded
    in it, the nearest one above.
    """
    is_folder = choice.file is not None and files.is_folder(choice.file)
    if choice.file is not None:
        paths = sorted(files.matching(choice.file, "**/*")) if is_folder else [choice.file]
        recordings: list[tuple[Path, Path | None]] = [(path, None) for path in paths if not files.is_folder(path)]
    elif choice.is_everywhere:
        recordings = [(path, None) for path in recordings_of(choice.source)]
    else:
        recordings = list(_of_project(folder, recordings_of(choice.source)))
    for path, place in recordings:
        for stored in read_sessions(path):
            if isinstance(stored, UnreadFile):
                # An export that was unpacked has pictures and pages beside the chats.
                if not (is_folder and stored.reason == NOTHING.reason):
                    yield stored
            elif choice.fits(stored) and not (place and _is_elsewhere(stored, place)):
                yield stored


def recordings_of(source: str = "") -> list[Path]:
    """The files in which programs keep conversations, the one changed last first.

    Args:
        source: the key of one program; "" for all.
    """
    paths = {
        path
        for key, (_, globs) in PLACES.items()
        if key == source or not (source or key.startswith("!"))
        for root in folders_of(key)
        for glob in globs
        for path in files.matching(root, glob)
    }
    # Files of sub-agents of Claude Code lie beside the sessions.
    return sorted((path for path in paths if not path.name.startswith("agent-")), key=_changed_at, reverse=True)


def folders_of(key: str) -> list[Path]:
    """The folders on this machine in which a program keeps its conversations, by its key in the table of places."""
    stated = [place.replace("EDITOR", editor) for place in PLACES.get(key, ((), ()))[0] for editor in EDITORS]
    named = [os.path.expandvars(place) for place in stated if place.startswith("$")]
    named = [place for place in named if not place.startswith("$")]
    places = named or [place for place in stated if not place.startswith("$")]
    found = (files.attempt(Path(place).expanduser) for place in dict.fromkeys(places))
    return [place for place in found if isinstance(place, Path) and files.is_folder(place)]


def read_sessions(path: Path) -> Iterator[StoredSession | UnreadFile]:
    """The conversations of a file in which somebody speaks; what could not be read is among them, with the reason."""
    stream = files.open_file(path)
    if isinstance(stream, Refusal):
        yield UnreadFile(path, stream.reason)
        return
    with stream:
        if others := beside(path, files.matching):
            whole = [data for data in map(files.read, (path, *others)) if isinstance(data, bytes)]
            stream = io.BytesIO(b"[" + b",".join(whole) + b"]")
        for found in conversations(stream, lambda: files.open_database(path)):
            if isinstance(found, Refusal):
                yield UnreadFile(path, found.reason)
            elif found.turns and not found.is_sub_agent:
                yield _to_stored(path, found)


def find_session(name: str) -> Path | Refusal:
    """The file of a session by its path, its id or the beginning of that."""
    if files.status(Path(name)) is not None:
        return Path(name)
    if _NAME.fullmatch(name):
        paths = recordings_of()
        # "rollout-2026-02-01T10-00-00-019c5fa3…"
        named = {path.stem: path for path in paths if f"-{name}" in f"-{path.stem}"}
        for path in () if named else (path for path in paths if not _UUID.search(path.stem)):
            ids = (one.recording.session for one in read_sessions(path) if isinstance(one, StoredSession))
            named = dict.fromkeys((one for one in ids if one.startswith(name)), path) | named
        if len(named) > 1:
            return Refusal(f"{len(named)} sessions begin so, {' and '.join(sorted(named)[:2])} among them")
        if named:
            return named.popitem()[1]
    return Refusal("neither a file nor a recorded session; `mdtally note --list` shows those of this folder's project")


def next_session(folder: Path, known: Mapping[str, Path], is_done: Callable[[Path], bool]) -> StoredSession | None:
    """The last session of a folder's project that has no note or whose note is not done; None if all are.

    Args:
        folder: the project's folder, or one in it.
        known: the notes there are, as of `notes_in`.
        is_done: tells of a note whether nothing is left to ask about it.
    """
    for stored in sessions_of(folder, Choice()):
        if isinstance(stored, StoredSession):
            note = known.get(stored.recording.session)
            if note is None or not is_done(note):
                return stored
    return None


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

    def with_note(data: bytes) -> bytes | Refusal:
        nonlocal was
        was = data
        if not data:
            made = note_of(now, stored.date)
            return made if isinstance(made, Refusal) else made.encode()
        document = parse(data)
        if document.head.values.get("session") != now.session:
            return Refusal("not the note of this session; --output names another")
        more = addition(document, now)
        return more if isinstance(more, Refusal) else data + more.encode(document.source.encoding)

    written = files.edit(path, with_note, may_be_new=True, allow_outside=allow_outside)
    return written if isinstance(written, Refusal) else WrittenNote(not was, written != was)


def write_notes(
    sessions: Iterable[StoredSession],
    folder: Path,
    known: dict[str, Path],
    *,
    jobs: int = 1,
    allow_outside: bool = False,
) -> Iterator[tuple[StoredSession, WrittenNote | Refusal]]:
    """Write the notes of many sessions, or what they lack; each session with what came of it, in their order.

    Args:
        sessions: the sessions; few of them wait in memory at a time.
        folder: the folder of notes.
        known: the notes there are, as of `notes_in`; those that are written are added.
        jobs: how many processes write; the first sessions are written by this one, as starting others takes longer.
        allow_outside: as in `write_note`.
    """
    waiting: deque[StoredSession] = deque()

    def pairs() -> Iterator[tuple[StoredSession, Path]]:
        for stored in sessions:
            path = known[stored.recording.session] = path_for(stored, folder, known)
            waiting.append(stored)
            yield stored, path

    left, write = pairs(), partial(_write_pair, allow_outside)
    first = map(write, islice(left, _FEW))
    for written in chain(first, pool.spread(write, left, jobs, _size)):
        if isinstance(written, pool.Raised):
            raise written.error
        yield waiting.popleft(), Refusal(written.reason) if isinstance(written, pool.Died) else written


def _write_pair(allow_outside: bool, pair: tuple[StoredSession, Path]) -> WrittenNote | Refusal:
    return write_note(*pair, allow_outside=allow_outside)


def _size(pair: tuple[StoredSession, Path]) -> int:
    return sum(len(turn.text) for turn in pair[0].recording.turns)


def path_for(stored: StoredSession, folder: Path, known: dict[str, Path]) -> Path:
    """Where the note of a session stands below a folder, or would stand if there is none.

    Args:
        stored: the session.
        folder: the folder of notes.
        known: the notes there are, as of `notes_in`.
    """
    session = stored.recording.session
    path = folder / file_name(stored.recording, stored.date)
    if session not in known and (files.status(path) is not None or path in known.values()):
        path = path.with_stem(f"{path.stem}-{session[:8]}")
    return known.get(session) or path


# -- Details ----------------------------------------------------------------------------------------------------------


def _to_stored(path: Path, found: Recording) -> StoredSession:
    """A conversation with its day, and with an id that a frontmatter can hold."""
    first = found.turns[0]
    if not _ID.fullmatch(found.session):
        seed = json.dumps([first.time, first.text]).encode()
        found = replace(found, session=f"chat-{hashlib.sha256(seed).hexdigest()[:12]}")
    changed = datetime.fromtimestamp(_changed_at(path)).isoformat()
    days = (files.attempt(partial(_day, text)) for text in (first.time, found.begun, changed))
    return StoredSession(path, found, next(day for day in days if isinstance(day, str)))


def _day(time: str) -> str:
    """The day of a recorded time where this program runs."""
    return datetime.fromisoformat(time).astimezone().date().isoformat()


def _of_project(folder: Path, paths: Sequence[Path]) -> Iterator[tuple[Path, Path]]:
    """Those files that may hold sessions of a folder's project, with the project's folder, the last changed first.

    Programs sort their files by the project's path, written with "-" for every sign that is not a letter or digit, or
    hashed; others name it at a file's beginning.
    """
    places = [folder, *folder.parents]
    found: dict[int, list[tuple[float, Path]]] = {}
    marks = [_marks(place) for place in places]
    for path in paths:
        changed, head = _changed_at(path), b""
        number = next((at for at, (names, _) in enumerate(marks) if not names.isdisjoint(path.parts)), None)
        if number is None:
            head = _head(path)
            number = next((at for at, (_, texts) in enumerate(marks) if any(text in head for text in texts)), None)
        if number is not None and head.startswith(_DATABASE):
            changed = _folders(path).get(str(places[number]), changed)
        if number is not None:
            found.setdefault(number, []).append((changed, path))
    nearest = min(found, default=0)
    for _, path in sorted(found.get(nearest, ()), reverse=True):
        yield path, places[nearest]


def _marks(place: Path) -> tuple[set[str], list[bytes]]:
    """What shows that a recording is of a project: names in its path, and texts at its beginning."""
    text, slug = str(place), _slug(str(place))
    hashed = hashlib.sha256(text.encode(errors="replace")).hexdigest()
    written = json.dumps(text)
    texts = [written, f'"{place.as_uri()}"', f"Directory ({written[1:-1]})", f'"{hashed}"']
    return {slug, hashed}, [each.encode() for each in texts]


def _is_elsewhere(stored: StoredSession, place: Path) -> bool:
    """True if a session tells of a folder of its own that is not the place; two can have one folder of sessions."""
    begun = stored.recording.folder
    is_sorted = _slug(str(place)) in stored.path.parts and _slug(begun) != _slug(str(place))
    return bool(begun) and not is_sorted and os.path.realpath(begun) != os.path.realpath(place)


def _slug(place: str) -> str:
    """What the folder of a project's sessions is called; of a long one what that begins with, before a hash."""
    return _SIGN.sub("-", place)[:_LONGEST]


def _head(path: Path) -> bytes:
    """What stands at a file's beginning; of a database the folders in it; of a chat of an editor also its project."""
    beginning = b""
    for each in (path.parents[1] / "workspace.json", path) if path.parent.name == "chatSessions" else (path,):
        stream = files.open_file(each)
        if not isinstance(stream, Refusal):
            with stream:
                found = files.attempt(lambda stream=stream: stream.read(_HEAD))  # type: ignore[misc]
            beginning += found if isinstance(found, bytes) else b""
    if beginning.startswith(_DATABASE):
        return _DATABASE + "\n".join(map(json.dumps, _folders(path))).encode()
    return beginning


def _folders(path: Path) -> dict[str, float]:
    """The folders of the sessions in a database, with the time of the last change in each."""
    database = files.open_database(path)
    return {} if isinstance(database, Refusal) else folders_in(database)


def _below(folder: Path) -> Iterator[Path]:
    """The Markdown files of a folder and of those in it that are not hidden."""
    for name in sorted(files.names_in(folder)):
        if name.endswith(".md"):
            yield folder / name
        elif not name.startswith(".") and files.is_folder(folder / name):
            yield from _below(folder / name)


def _changed_at(path: Path) -> float:
    """When a file was changed last, in seconds since 1970."""
    found = files.status(path)
    return found.st_mtime if isinstance(found, os.stat_result) else 0.0
