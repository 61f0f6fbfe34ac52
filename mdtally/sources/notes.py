"""Recorded conversations on the disk: which there are, which have a note, and writing one or what it lacks.

A program's recordings lie in a folder of the user's; exports lie where a person has put them. A note lies in the
project, and says in its frontmatter which session it is of.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from datetime import datetime
from functools import cached_property, partial
from itertools import chain, groupby, islice, pairwise
from pathlib import Path

from mdtally.events import Run
from mdtally.events.score import languages_of, score
from mdtally.project import files, pool
from mdtally.sources import (
    EDITORS,
    PLACES,
    WITH_OTHERS,
    Recording,
    addition,
    conversations,
    file_name,
    is_something_else,
    note_of,
)
from mdtally.sources.projects import changed_at, is_elsewhere, of_project
from mdtally.sources.recording import ID
from mdtally.text.document import parse
from mdtally.text.model import FileError, Refusal
from mdtally.text.records import record, replace
from mdtally.text.regex import regex
from mdtally.text.source import UnreadableError

_FEW = 40  # sessions for which no process is started
_READ = 1000  # characters of a message in which a push is looked for
# session: 0ccf1a04-1b4c-43b6-8aa5-79e41db43a68, in TOML session = "0ccf1a04-1b4c-43b6-8aa5-79e41db43a68"
_SESSION = re.compile(rb"^session *[:=] *[\"']?([\w.-]+)", re.MULTILINE)
_NAME = regex(r"[A-Za-z0-9_-]+")  # what a session may be asked for by: "0ccf1a04", "ses_1164def0"
_UUID = regex(r"[0-9a-f]{8}-[0-9a-f]{4}-")  # in the name of a file that is called by the id of its session
# "rollout-2026-09-12T13-00-00-01a095a4-…_01a0a000-….jsonl" is there for "rollout-2026-09-12T12-43-28-01a095a4-….jsonl".
_ROLLOUT = regex(r"rollout-[\dT-]{19}-([0-9a-f-]{36})(_[0-9a-f-]{36})?\.jsonl")
_CODE = regex(r"(?sm)^ {0,3}(```|~~~).*?(?:^ {0,3}\1|\Z)|^>[^\n]*")  # fenced code and quotations


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
        groups = groupby(self.recording.turns, key=lambda turn: turn.is_person)
        sides = [(side, _CODE.sub("", "\n".join(turn.text for turn in group))) for side, group in groups]
        # Of a long message its beginning and end are looked at, and of a reply its beginning.
        pairs = [(push, reply[:_READ]) for (is_push, push), (_, reply) in pairwise(sides[1:]) if is_push]
        pushes = (push if len(push) < 2 * _READ else f"{push[:_READ]}\n{push[-_READ:]}" for push, _ in pairs)
        exchanges = [Run((), (), push, reply) for push, (_, reply) in zip(pushes, pairs, strict=True)]
        languages = languages_of(exchanges)
        return sum(score(run.message, run.reply, languages).pressure is not None for run in exchanges)


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
        said = (stored.recording.title, *(turn.text for turn in stored.recording.turns)) if self.words else ()
        text = "\n".join(said).casefold()
        return all(word.casefold() in text for word in self.words) and (not self.is_pressed or stored.pushes > 0)


@record
class WrittenNote:
    """A note as it stands now: where, whether it is new, and whether anything was written."""

    path: Path
    is_new: bool
    is_changed: bool


# -- Finding ----------------------------------------------------------------------------------------------------------


def sessions_of(folder: Path, choice: Choice, unread: list[FileError]) -> Iterator[StoredSession]:
    """The conversations that are meant, those of the file changed last first.

    They are those of a file if one is named, else those of a folder's project: the folder or, if nothing was recorded
    in it, the nearest one above.

    Args:
        folder: the folder.
        choice: which are meant.
        unread: gets the files, or conversations in them, that could not be read.
    """
    is_folder = choice.file is not None and files.is_folder(choice.file)
    if choice.file is not None:
        paths = sorted(_current(files.matching(choice.file, "**/*"))) if is_folder else [choice.file]
        recordings: list[tuple[Path, Path | None]] = [(path, None) for path in paths if not files.is_folder(path)]
    elif choice.is_everywhere:
        recordings = [(path, None) for path in recordings_of(choice.source)]
    else:
        recordings = list(of_project(folder, recordings_of(choice.source)))
    for path, place in recordings:
        for stored in read_sessions(path, unread, is_beside=is_folder):
            if choice.fits(stored) and not (place and is_elsewhere(path, stored.recording.folder, place)):
                yield stored


def recordings_of(source: str = "") -> list[Path]:
    """The files in which programs keep conversations, the one changed last first.

    Args:
        source: the key of one program; "" for all.
    """
    keys = (key for key in PLACES if key == source or not (source or key.startswith("!")))
    places = ((root, glob) for key in keys for root in folders_of(key) for glob in PLACES[key][1])
    paths = {path for root, glob in places for path in files.matching(root, glob)}
    # Files of sub-agents of Claude Code lie beside the sessions.
    current = (path for path in _current(paths) if not path.name.startswith("agent-"))
    return sorted(current, key=changed_at, reverse=True)


def _current(paths: Iterable[Path]) -> Iterable[Path]:
    """The files without those in whose place others are: a compressed one beside its original, Codex's earlier ones."""
    ordered = sorted(paths, key=lambda path: (path.name.removesuffix(".zst"), path.suffix != ".zst", path))
    found = [(path, _ROLLOUT.match(path.name)) for path in ordered]
    again = {name[1] for _, name in found if name and name[2]}
    thread = ((path, name[1] if name and name[1] in again else None) for path, name in found)
    return {name or str(path).removesuffix(".zst"): path for path, name in thread}.values()


def folders_of(key: str) -> list[Path]:
    """The folders on this machine in which a program keeps its conversations, by its key in the table of places."""
    stated = [place.replace("EDITOR", editor) for place in PLACES.get(key, ((), ()))[0] for editor in EDITORS]
    named = [os.path.expandvars(place) for place in stated if place.startswith("$")]
    named = [place for place in named if not place.startswith("$")]
    places = named or [place for place in stated if not place.startswith("$")]
    found = (files.attempt(Path(place).expanduser) for place in dict.fromkeys(places))
    return [place for place in found if isinstance(place, Path) and files.is_folder(place)]


def read_sessions(path: Path, unread: list[FileError], *, is_beside: bool = False) -> Iterator[StoredSession]:
    """The conversations of a file in which somebody speaks; ``unread`` gets what could not be read, with the reason.

    Of files that lie beside each other some are something else: an export that was unpacked has pictures and pages.
    """
    for found in _conversations_in(path):
        if isinstance(found, Recording):
            # An export keeps a chat that was deleted: without its words, and with the files that were sent along.
            if any(turn.text for turn in found.turns) and not found.is_sub_agent:
                yield _to_stored(path, found)
        elif not (is_beside and is_something_else(found.reason, path.name)):
            unread.append(FileError(files.relative(path, Path.cwd()), found.reason))


def is_of_sub_agent(path: Path) -> bool:
    """True if a file holds a session of a sub-agent, or one that a program began for itself."""
    return any(isinstance(found, Recording) and found.is_sub_agent for found in _conversations_in(path))


def _conversations_in(path: Path) -> Iterator[Recording | Refusal]:
    """The conversations of a file, with what belongs to it in other files, and why something could not be read."""
    stream = files.open_file(path)
    if isinstance(stream, Refusal):
        yield stream
        return
    with stream:
        for with_others in WITH_OTHERS:
            stream = with_others(path, stream)
        yield from conversations(stream, lambda: files.open_database(path))


def find_session(name: str, source: str = "") -> Path | Refusal:
    """The file of a session by its path, its id or the beginning of that; ``source`` is the key of its program, if one
    is meant.
    """
    if files.status(Path(name)) is not None:
        return Path(name)
    if _NAME.fullmatch(name):
        paths = recordings_of(source)
        # "rollout-2026-02-01T10-00-00-019c5fa3…"
        named = {path.stem: path for path in paths if f"-{name}" in f"-{path.stem}"}
        for path in () if named else (path for path in paths if not _UUID.search(path.stem)):
            ids = (one.recording.session for one in read_sessions(path, []))
            named = dict.fromkeys((one for one in ids if one.startswith(name)), path) | named
        if len(named) > 1:
            return Refusal(f"{len(named)} sessions begin so, {' and '.join(sorted(named)[:2])} among them")
        if named:
            return named.popitem()[1]
    of_program = f" of {source}" if source else ""
    listed = "`mdtally note --list` shows those of this folder's project"
    return Refusal(f"neither a file nor a recorded session{of_program}; {listed}")


def next_session(
    folder: Path, known: Mapping[str, Path], is_done: Callable[[Path, StoredSession], bool]
) -> StoredSession | None:
    """The last session of a folder's project that has no note or whose note is not done; None if all are.

    Args:
        folder: the project's folder, or one in it.
        known: the notes there are, as of `notes_in`.
        is_done: tells of a note whether nothing is left to ask about it, with what its session has more since.
    """
    for stored in sessions_of(folder, Choice(), []):
        note = known.get(stored.recording.session)
        if note is None or not is_done(note, stored):
            return stored
    return None


def notes_in(folder: Path, root: Path | None = None) -> dict[str, Path]:
    """The notes below a folder, by the session that each names in its frontmatter.

    Args:
        folder: the folder of notes.
        root: a folder below which notes that are not in that one are looked for, too: they were moved. There other
            files may speak of a session, so of these only those are notes whose frontmatter has its source as well.
    """
    notes: dict[str, Path] = {}
    found = files.find_markdown([root], is_spared=lambda path: True).files if root else ()
    elsewhere = (path for path in found if folder not in path.parents)
    for path in chain(_below(folder), filter(_is_recorded, elsewhere)):
        if session := _session_of(path):
            notes.setdefault(session, path)
    return notes


def _is_recorded(path: Path) -> bool:
    """True of a note with a recorded session: its frontmatter names that and where it was recorded."""
    data = files.read(path)
    if isinstance(data, bytes) and _SESSION.search(data[:4096]):
        with suppress(UnreadableError):
            return parse(data).head.values.keys() >= {"session", "source"}
    return False


def _session_of(path: Path) -> str:
    """The session that a file's beginning names as a note's frontmatter does; "" if it names none."""
    data = files.read(path)
    named = _SESSION.search(data[:4096]) if isinstance(data, bytes) else None
    return named[1].decode() if named else ""


# -- Writing ----------------------------------------------------------------------------------------------------------


def write_note(stored: StoredSession, paths: Sequence[Path], *, allow_outside: bool = False) -> WrittenNote | Refusal:
    """Write the note of a session, or add to it what the session has more; nothing that stands there is changed.

    Args:
        stored: the session.
        paths: where the note may stand; of several the one that is the note of this session, else the first at which
            nothing stands. That is looked for under a lock, since another process may write notes, too.
        allow_outside: as in `files.edit`.
    """
    now, was, is_one = stored.recording, b"", len(paths) == 1
    made = "" if is_one else note_of(now, stored.date)  # before the lock, as it takes its time

    def with_note(data: bytes) -> bytes | Refusal:
        nonlocal was
        was = data
        if not data:
            text = made or note_of(now, stored.date)
            return text if isinstance(text, Refusal) else text.encode()
        document = parse(data)
        if document.conflict:
            return Refusal(document.conflict.message)
        if document.head.values.get("session") != now.session:
            return Refusal("not the note of this session; --output names another")
        more = addition(document, now)
        return more if isinstance(more, Refusal) else data + more.encode(document.source.encoding)

    if isinstance(made, Refusal):
        return made
    with nullcontext() if is_one else files.lock_file(paths[0]) as refusal:
        if refusal:
            return refusal
        free = [path for path in paths if files.status(path) is None] or [*paths[-1:]]
        path = next((path for path in paths if _session_of(path) == now.session), free[0])
        written = files.edit(path, with_note, may_be_new=True, allow_outside=allow_outside)
    return written if isinstance(written, Refusal) else WrittenNote(path, not was, written != was)


def write_notes(
    sessions: Iterable[StoredSession], folder: Path, known: dict[str, Path], *, jobs: int, allow_outside: bool
) -> Iterator[tuple[StoredSession, WrittenNote | Refusal]]:
    """Write the notes of many sessions, or what they lack; each session with what came of it, in their order.

    Args:
        sessions: the sessions; few of them wait in memory at a time.
        folder: the folder of notes.
        known: the notes there are, as of `notes_in`; those that are written are added, before that where they may be.
        jobs: how many processes write; the first sessions are written by this one, as starting others takes longer.
        allow_outside: as in `write_note`.
    """
    waiting: deque[StoredSession] = deque()
    taken = {*known.values()}

    def pairs() -> Iterator[tuple[StoredSession, Sequence[Path]]]:
        for stored in sessions:
            paths = paths_for(stored, folder, known, taken)
            known[stored.recording.session] = paths[0]
            taken.add(paths[0])
            waiting.append(stored)
            yield stored, paths

    left, write = pairs(), partial(_write_pair, allow_outside)
    first = map(write, islice(left, _FEW))
    rest = pool.spread(write, left, jobs)
    for written in chain(first, rest):
        if isinstance(written, WrittenNote):
            known[waiting[0].recording.session] = written.path
        yield waiting.popleft(), Refusal(written.reason) if isinstance(written, pool.Died) else written


def _write_pair(allow_outside: bool, pair: tuple[StoredSession, Sequence[Path]]) -> WrittenNote | Refusal:
    return write_note(*pair, allow_outside=allow_outside)


def paths_for(
    stored: StoredSession, folder: Path, known: Mapping[str, Path], taken: Collection[Path] = ()
) -> Sequence[Path]:
    """Where the note of a session stands below a folder; if there is none, where it may stand, as of `write_note`.

    Args:
        stored: the session.
        folder: the folder of notes.
        known: the notes there are, as of `notes_in`.
        taken: the names that notes of other sessions have or may get in this run; they come last.
    """
    session = stored.recording.session
    if session in known:
        return (known[session],)
    path = folder / file_name(stored.recording, stored.date)
    names = (path, *(path.with_stem(f"{path.stem}-{end}") for end in (session[:8], session)))
    free = next((at for at, one in enumerate(names) if one not in taken), 0)
    return (*names[free:], *names[:free])


# -- Details ----------------------------------------------------------------------------------------------------------


def _to_stored(path: Path, found: Recording) -> StoredSession:
    """A conversation with its day, and with an id that a frontmatter can hold.

    Without an id of its own it is known by when it began and with which words and answer: chats of a file may begin at
    the same time, and many begin with "hi". Where no time was recorded, the file's name takes its place.
    """
    first = found.turns[0]
    if not ID.fullmatch(found.session):
        answer = found.turns[1].parts[0].text if found.turns[1:] else ""
        seed = json.dumps([found.session] if found.session else [first.time or path.name, first.text, answer]).encode()
        found = replace(found, session=f"chat-{hashlib.sha256(seed).hexdigest()[:12]}")
    changed = datetime.fromtimestamp(changed_at(path)).isoformat()
    return StoredSession(path, found, next(filter(None, map(_day, (first.time, found.begun, changed)))))


def _day(time: str) -> str:
    """The day of a recorded time where this program runs; "" if it is no time, or has no day in the calendar here."""
    try:
        return datetime.fromisoformat(time).astimezone().date().isoformat()
    except (ValueError, OverflowError, OSError):
        return ""


def _below(folder: Path) -> Iterator[Path]:
    """The Markdown files of a folder and of those in it that are not hidden."""
    found = sorted(files.matching(folder, "**/*.md"))
    return (path for path in found if not any(part.startswith(".") for part in path.relative_to(folder).parts[:-1]))
