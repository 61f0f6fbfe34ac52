"""``mdtally note``: recorded sessions of agents, and chats of programs' exports, as Markdown notes."""

from __future__ import annotations

import contextlib
import io
import json
import os
import shlex
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from mdtally.doors.cli import common
from mdtally.doors.cli import options as shared
from mdtally.doors.cli.common import Call, ExitCode, fail, or_end, out, with_progress
from mdtally.text import safe

if TYPE_CHECKING:
    from mdtally.events.replies import Answers, State
    from mdtally.sources.notes import Choice, StoredSession
    from mdtally.text.document import Document
    from mdtally.text.model import FileError


FAILURES = "note-failures.txt"
"""The file in the folder of notes in which a hook that failed leaves a line."""

ONLY_NOTES = "without a terminal only a note can be looked at"
"""Why a review says nothing of a recorded session."""

_NAMED = 10  # files that could not be read, each on a line


@shared.with_call("jobs")
def note(
    call: Call,
    session: Annotated[str, Argument(metavar="[SESSION]", help="Its file or id; else this project's last one.")] = "",
    output: Annotated[Path | None, Option("--output", "-o", metavar="FILE", help="Write the note there.")] = None,
    list_: Annotated[bool, Option("--list", help="Show which sessions there are, and which have a note.")] = False,
    all_: Annotated[bool, Option("--all", help="Write notes of all, and bring those there up to date.")] = False,
    from_: Annotated[str, Option("--from", metavar="SOURCE|FILE", help="Those of a program, or in a file.")] = "",
    since: Annotated[str, Option(metavar="DATE", help="Only those that began on this day or later (YYYY-MM-DD).")] = "",
    until: Annotated[str, Option(metavar="DATE", help="Only those that began on this day or before.")] = "",
    match: Annotated[str, Option(metavar="WORDS", help="Only those in which, or in whose titles, all stand.")] = "",
    pressed: Annotated[bool, Option("--pressed", help="Only those in which you seem to push back.")] = False,
    everywhere: Annotated[bool, Option("--everywhere", help="Those of all projects, not only of this one.")] = False,
    output_format: shared.TextOrJson = "text",
    hook: Annotated[bool, Option("--hook", help="Take a SessionEnd hook's JSON on stdin; print nothing.")] = False,
) -> ExitCode:
    """Write recorded sessions and exported chats as notes.

    The note holds what was said, and one line for each call of a tool: no outputs, no thinking. What a session has more
    later is added at the end of its note. Nothing leaves your machine.
    """
    from mdtally.sources.notes import Choice
    from mdtally.text import safe

    if hook:
        _hook(call)
        return ExitCode.CLEAN
    source, file = _source(from_)
    first, last = common.day("--since", since), common.day("--until", until)
    choice = Choice(source, file, first, last, tuple(match.split()), pressed, everywhere)
    if output_format != "text" and not list_:
        fail("--output-format goes with --list")
    if output and common.is_stdin(output):
        fail("- is no file to write; a note is to be gone on with")
    if list_ or all_:
        option = "--list" if list_ else "--all"
        if session:
            fail(f"{option} goes with no session; --from FILE takes those of a file")
        if output:
            fail(f"{option} goes without --output, which names one note; note.folder sets where all go")
        return _list(call, choice, output_format) if list_ else _write_all(call, choice)
    path = write_and_say(call, stored_session(session, choice), output)
    out(f"  to go on: mdtally review {safe.argument(relative(path))}\n")
    return ExitCode.CLEAN


def write_and_say(call: Call, stored: StoredSession, output: Path | None = None) -> Path:
    """Write the note of a session, or what it lacks, and say so; gives its path."""
    from mdtally.sources import notes
    from mdtally.text.percent import count

    folder = _folder(call)
    known = {} if output else _notes_in(call, folder)
    paths = [output] if output else notes.paths_for(stored, folder, known)
    if not (output or _notes_of(folder, known)):
        _warn(folder, 1)
    given = notes.write_note(stored, paths, allow_outside=call.allow_outside or bool(output))
    written = or_end(given, relative(paths[0]))
    turns = count(len(stored.recording.turns), "turn")
    done = f"written, {turns}" if written.is_new else f"what is new was added at its end; {turns}"
    out(f"{safe.path(relative(written.path))}: {done if written.is_changed else f'up to date, {turns}'}\n")
    _name_unknown(stored.recording.unknown)
    return written.path


def next_note(call: Call, *, is_there: bool = False) -> Path:
    """The note of the newest session of this folder's project that is not done; one without a note gets one.

    Args:
        call: the call.
        is_there: True if nothing may be written: then it is the newest note that stands already.
    """
    from mdtally.sources import notes
    from mdtally.text.line_parts import leading_day
    from mdtally.text.percent import count

    folder = _folder(call)
    known = _notes_in(call, folder)
    mine = _notes_of(folder, known)
    mine.sort(key=lambda path: (leading_day(path.name), path.name), reverse=True)
    first = next((path for path in mine if not _is_done(call, path)), None)
    if is_there and first:
        return first
    stored = notes.next_session(Path.cwd(), known, lambda path, stored: _is_done(call, path, stored))
    if is_there and stored:
        fail(f"{ONLY_NOTES}; first: mdtally note")
    if stored and (first is None or stored.date >= leading_day(first.name)):
        return write_and_say(call, stored)
    if first is None:
        done = f"nothing is left to ask in {count(len(mine or known), 'session')} here; `mdtally review NOTE --again`"
        done += " asks anew about one, `--all` about every reply"
        fail(done if known else _nothing(notes.Choice()))
    out(f"{safe.path(relative(first))}: the newest that is not done\n")
    return first


def state_of(call: Call, path: Path, stored: StoredSession) -> State:
    """How far a review of a session's note has come; "new" for one that can't be read."""
    from mdtally.events.replies import review_state

    answered = _answers_to(call, path, stored)
    return review_state(*answered) if answered else "new"


def _is_done(call: Call, path: Path, stored: StoredSession | None = None) -> bool:
    """True if a review of a note would ask nothing: it is reviewed, nothing looks like an event, or nobody answers."""
    from mdtally.ask import open_questions
    from mdtally.events import candidates
    from mdtally.events.replies import is_unasked, review_state

    answered = _answers_to(call, path, stored)
    if answered is None or review_state(*answered) == "reviewed":
        return answered is not None
    # One that was tagged by hand is asked for its verdict.
    is_empty = not (candidates(answered[0]).ranked or open_questions(*answered[:2]).is_any)
    return is_empty or is_unasked(*answered[:2])


def _answers_to(call: Call, path: Path, stored: StoredSession | None) -> tuple[Document, Answers, bool] | None:
    """A note with what was answered about it on this machine; None for one that can't be read.

    If its session is given and has more since, it is the note with that, and the last value is True.
    """
    from mdtally.check.reports import File
    from mdtally.check.verdicts import session_of
    from mdtally.events.replies import answers_of
    from mdtally.sources import addition
    from mdtally.text.document import parse
    from mdtally.text.model import FileError

    document = common.read_document(path)
    if isinstance(document, FileError):
        return None
    more = found if stored and isinstance(found := addition(document, stored.recording), str) else ""
    if more:
        document = parse((document.source.text + more).encode())
    return document, answers_of(session_of(File(path, document, call.settings(path))), path), bool(more)


def relative(path: Path) -> str:
    """A path as a person in the working directory would name it."""
    from mdtally.project import files

    return files.relative(path, Path.cwd())


def stored_session(session: str, choice: Choice | None = None) -> StoredSession:
    """The session that is named, by its file or id, or else the last one that is meant.

    Args:
        session: a path, an id or the beginning of one; "" for none.
        choice: which are meant; if not given, those of this folder's project.
    """
    from mdtally.sources import is_something_else, notes
    from mdtally.text import safe
    from mdtally.text.records import replace

    choice = choice or notes.Choice()
    if session and choice.file is None:
        path = or_end(notes.find_session(session, choice.source), session)
        choice = replace(choice, file=path)
        session = "" if path == Path(session) else session
    unread: list[FileError] = []
    meant = notes.sessions_of(Path.cwd(), choice, unread)
    if session:
        meant = (stored for stored in meant if stored.recording.session.startswith(session))
    first, second = next(meant, None), None if choice.file is None else next(meant, None)
    _name_unread(unread)
    if first is None:
        if any(is_something_else(one.message, one.filename) for one in unread):
            raise typer.Exit(ExitCode.ERROR)  # it was said what is read
        _name_others()
        fail(_nothing(choice, session))
    if second is not None:
        shows = f"`mdtally note --from {safe.argument(str(choice.file))} --list` shows them"
        fail(f"{choice.file} holds several: {shows}, an id in place of --list writes one, --all a note for each")
    return first


# -- What there is ----------------------------------------------------------------------------------------------------


def _list(call: Call, choice: Choice, output_format: str) -> ExitCode:
    """Show the sessions that are meant, the last one first."""
    from mdtally.show.note_output import sessions_json, sessions_table
    from mdtally.sources import listing

    known, rows = _notes_in(call, _folder(call)), list[listing.ListedSession]()
    for stored in with_progress(_each_meant(choice, call.errors)):
        path = known.get(stored.recording.session)
        note_and_state = (relative(path), state_of(call, path, stored)) if path else (None, None)
        rows.append(listing.to_listed(stored, *note_and_state))
    rows.sort(key=lambda row: row.date, reverse=True)
    if output_format == "json":
        out(sessions_json(rows, call.errors) + "\n")
        return call.code()
    if rows:
        out(sessions_table(rows, call.options(wraps=False)))
    _name_unread(call.errors)
    if choice.file is None:
        _name_others()
    if not (rows or call.errors):
        fail(_nothing(choice))
    return call.code()


def _write_all(call: Call, choice: Choice) -> ExitCode:
    """Write a note for each session that is meant and has none, and what is new into the others."""
    from mdtally.sources import notes
    from mdtally.text import safe
    from mdtally.text.model import FileError, Refusal
    from mdtally.text.percent import count

    folder = _folder(call)
    known = _notes_in(call, folder)
    number = 0 if _notes_of(folder, known) else sum(1 for _ in _each_meant(choice, []))
    if number:
        _warn(folder, number)
    done, unknown = Counter[str](), Counter[str]()
    meant, jobs = with_progress(_each_meant(choice, call.errors), number), call.jobs or os.cpu_count() or 1
    try:
        for stored, written in notes.write_notes(meant, folder, known, jobs=jobs, allow_outside=call.allow_outside):
            if isinstance(written, Refusal):
                note = relative(known[stored.recording.session])
                call.errors.append(FileError(relative(stored.path), f"{note}: {written.reason}"))
                continue
            unknown.update(stored.recording.unknown)
            done["new" if written.is_new else "on" if written.is_changed else "same"] += 1
    except KeyboardInterrupt:
        common.note(f"stopped after {count(done.total(), 'session')}; the same command goes on from there")
        raise
    if not (done or call.errors):
        fail(_nothing(choice))
    where = safe.path(relative(folder))
    out(f"{where}: {count(done['new'], 'note')} written, {done['on']:,} went on, {done['same']:,} up to date\n")
    _name_unknown(unknown)
    _name_unread(call.errors)
    return call.code()


# -- What people are told ---------------------------------------------------------------------------------------------


def _each_meant(choice: Choice, unread: list[FileError]) -> Iterator[StoredSession]:
    """The sessions that are meant, each once; what could not be read, with the reason, is added to a list."""
    from mdtally.sources import listing, notes

    return listing.first_of_each(notes.sessions_of(Path.cwd(), choice, unread), unread)


def _warn(folder: Path, number: int) -> None:
    """Say before the first note of a folder where the notes go, and that they are private words."""
    from mdtally.project import files
    from mdtally.text.percent import count

    root = files.find_project_root(folder)
    ignored = files.read_text(root / ".gitignore")
    name = f"{files.relative(folder, root)}/"
    if folder == root or all(files.status(place / ".git") is None for place in (root, *root.parents)):
        hint = ""
    elif isinstance(ignored, str) and name.rstrip("/") in (line.strip().strip("/") for line in ignored.split("\n")):
        return
    else:
        # Behind a last line that has no end, the name would only make that one longer.
        add = r"printf '\n%s\n'" if isinstance(ignored, str) and ignored and not ignored.endswith("\n") else "echo"
        target = safe.argument(relative(root / ".gitignore"))
        hint = f"; to keep them out of git: {add} {shlex.quote(name)} >> {target}"
    where = f"{count(number, 'note')} of private words will lie in {relative(folder)}"
    common.note(f"{where}, in this {'repository' if hint else 'folder'}{hint}")


def _nothing(choice: Choice, session: str = "") -> str:
    """Why there is no session, where it was looked for, and what else can be tried."""
    from mdtally.sources import PLACES, SOURCES, notes

    if choice.since or choice.until or choice.words or choice.is_pressed:
        where = f"{choice.file}: " if choice.file else ""
        return f"{where}no recorded session is meant by these options"
    if choice.file is not None:
        if notes.is_of_sub_agent(choice.file):
            return f"{choice.file}: a sub-agent's session, or one of the program's own; no person speaks in it"
        return f"{choice.file}: no recorded session or chat in it{' begins so' if session else ''}, or nobody speaks"
    if choice.source and choice.source not in PLACES:
        return f"{choice.source} keeps nothing on this machine; --from FILE names its export"
    keys = {row.key: row.name for row in SOURCES if choice.source in ("", row.key)}
    places = [f"{folder} ({name})" for key, name in keys.items() for folder in notes.folders_of(key)]
    looked = f"looked in {', '.join(places)}" if places else "no program that is known keeps its recordings here"
    whose = "is recorded" if choice.is_everywhere else "of this folder's project is recorded"
    shows = (
        "" if choice.is_everywhere else "`mdtally note --list --everywhere` (or --all) takes those of all projects, "
    )
    takes = "`mdtally note --from FILE` takes a session's file or an export"
    return f"no session {whose} ({looked}); {shows}{takes}, `mdtally review chat.md` a chat that you pasted"


def _name_others() -> None:
    """Name the programs on this machine whose conversations are not read, and what to do."""
    from mdtally.sources import PLACES, notes

    for key, (_, hints) in PLACES.items():
        if key.startswith("!") and notes.folders_of(key):
            common.note(f"{key[1:]} is here too, and not read: {' '.join(hints)}, which `mdtally review FILE` reads")


def _name_unknown(unknown: Mapping[str, int]) -> None:
    """Name the kinds of records that were left out because nobody knows them."""
    if unknown:
        kinds = ", ".join(f"{kind} {number}" for kind, number in sorted(unknown.items()))
        common.note(f"records of kinds that are not known were left out: {kinds}")


def _name_unread(unread: list[FileError]) -> None:
    """Name what could not be read or written."""
    for one in unread[:_NAMED]:
        common.note(f"{one.filename}: {one.message}")
    if len(unread) > _NAMED:
        common.note(f"and {len(unread) - _NAMED:,} more")


# -- What was asked for -----------------------------------------------------------------------------------------------


def _source(text: str) -> tuple[str, Path | None]:
    """The key of a source, or a file or folder that holds sessions."""
    from mdtally.project import files
    from mdtally.sources import SOURCES

    keys = {name.lower(): row.key for row in SOURCES for name in (row.name, row.key)}
    path = Path(text).expanduser()
    if text and text not in keys.values() and files.status(path) is not None:
        return "", path  # such as the folder "ChatGPT" of an export
    if text and text.lower() not in keys:
        fail(f"--from {text}: neither a file nor one of {', '.join(dict.fromkeys(keys.values()))}")
    return keys.get(text.lower(), ""), None


def _folder(call: Call) -> Path:
    """The folder of notes of the project that the command runs in."""
    from mdtally.project import files

    here = Path.cwd()
    settings = call.settings(here)
    root = files.find_project_root(here, settings.log)
    folder = root / Path(settings.note_folder).expanduser()
    if not (settings.may_leave("note.folder") or files.is_within(folder, root)):
        fail(f"note.folder = {settings.note_folder}: it leads out of {root}")
    return folder


def _notes_in(call: Call, folder: Path) -> dict[str, Path]:
    """The notes there are, by their sessions; once one was judged, also those that were moved within the project."""
    from mdtally.project import files
    from mdtally.sources import notes

    log = files.find_log(folder, call.settings(Path.cwd()))
    is_judged = isinstance(log, Path) and files.status(log) is not None
    return notes.notes_in(folder, files.find_project_root(folder) if is_judged else None)


def _notes_of(folder: Path, known: Mapping[str, Path]) -> list[Path]:
    """The notes that lie in the folder of notes."""
    return [path for path in known.values() if folder in path.parents]


def _hook(call: Call) -> None:
    """Write the note of the session that a hook tells of; whatever fails is a line in the folder of notes."""
    from mdtally.project import files

    folder, said = Path("sessions"), io.StringIO()
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(said):
            folder = _folder(call)
            told = json.loads(sys.stdin.buffer.read(1 << 20))
            write_and_say(call, stored_session(str(told.get("transcript_path") or told["session_id"])))
    except (Exception, typer.Exit) as error:
        reason = " ".join((said.getvalue() or f"{type(error).__name__}: {error}").split())
        files.append_line(folder / FAILURES, f"{common.now()} {reason}"[:500])
