"""``mdtally note``: a coding agent's recorded session as a Markdown note."""

from __future__ import annotations

import contextlib
import io
import json
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mdtally.cli import common
from mdtally.cli import options as shared
from mdtally.cli.common import Call, ExitCode, fail, granted, out

if TYPE_CHECKING:
    from mdtally.notes import StoredSession

Session = Annotated[
    str,
    typer.Argument(
        metavar="[SESSION]",
        help="A session's file, its id or the beginning of that; if not given, the last one of this folder's project.",
    ),
]
Output = Annotated[
    Path | None, typer.Option("--output", "-o", help="The note to write; if not given, one in the folder of notes.")
]
List = Annotated[bool, typer.Option("--list", help="Show the project's sessions: day, turns, first words, note.")]
Hook = Annotated[
    bool, typer.Option("--hook", help="Take a SessionEnd hook's JSON from standard input; print nothing, exit with 0.")
]

FAILURES = "note-failures.txt"
"""The file in the folder of notes in which a hook that failed leaves a line."""

app = shared.new_app(no_args_is_help=False)


@app.command()
@shared.with_call()
def note(
    call: Call,
    session: Session = "",
    output: Output = None,
    list_: List = False,
    hook: Hook = False,
) -> ExitCode:
    """Write a coding agent's recorded session as a Markdown note.

    Reads the sessions that Claude Code keeps below $CLAUDE_CONFIG_DIR or ~/.claude. The note holds what was said, and
    one line for each call of a tool: no outputs, no thinking. What a session has more is added at the end of its note.
    """
    if hook:
        _hook(call)
    elif list_:
        out(_listed(_folder(call)))
    else:
        stored = stored_session(session)
        path = write(call, stored, output)
        out(f"  to go on: mdtally review {shlex.quote(relative(path))}\n")
    return ExitCode.CLEAN


def write(call: Call, stored: StoredSession, output: Path | None = None) -> Path:
    """Write the note of a session, or what it lacks, and say so; gives its path."""
    from mdtally import notes
    from mdtally.output import safe
    from mdtally.output.style import count

    path = output or notes.path_for(stored, _folder(call))
    written = granted(notes.write_note(stored, path, allow_outside=call.allow_outside or bool(output)), path)
    turns = count(len(stored.recording.turns), "turn")
    done = f"written, {turns}" if written.is_new else f"what is new was added at its end; {turns}"
    out(f"{safe.path(relative(path))}: {done if written.is_changed else f'up to date, {turns}'}\n")
    if unknown := stored.recording.unknown:
        kinds = ", ".join(f"{kind} {number}" for kind, number in sorted(unknown.items()))
        common.note(f"records of kinds that are not known were left out: {kinds}")
    if broken := stored.recording.broken:
        common.note(f"{count(len(broken), 'line')} of the session's file could not be read, the first is {broken[0]}")
    return path


def relative(path: Path) -> str:
    """A path as a person in the working directory would name it."""
    from mdtally import files

    return files.relative(path, Path.cwd())


def _folder(call: Call) -> Path:
    """The folder of notes of the project that the command runs in."""
    from mdtally import files

    here = Path.cwd()
    settings = call.settings(here)
    root = files.find_project_root(here, settings.log)
    folder = root / Path(settings.note_folder).expanduser()
    if not (settings.may_leave("note.folder") or files.is_within(folder, root)):
        fail(f"note.folder = {settings.note_folder}: it leads out of {root}")
    return folder


def stored_session(session: str) -> StoredSession:
    """The session that is named, or else the last one of this folder's project."""
    from mdtally import notes

    if not session:
        last = next(notes.sessions_of(Path.cwd()), None)
        if last is None:
            fail(
                "no session of this folder's project is recorded; `mdtally note FILE` takes a session's file, "
                "`mdtally review chat.md` a chat that you pasted"
            )
        return last
    stored = granted(notes.read_session(granted(notes.find_session(session), session)), session)
    if not stored.recording.turns:
        fail(f"{session}: no recorded session, or one in which nobody speaks")
    return stored


def _listed(folder: Path) -> str:
    """The sessions of this folder's project, a line each, the one changed last first."""
    from mdtally import notes
    from mdtally.output import safe

    known, rows = notes.notes_in(folder), []
    for stored in notes.sessions_of(Path.cwd()):
        recording = stored.recording
        words = safe.clip(safe.terminal(" ".join(recording.first_words.split())), 50)
        path = known.get(recording.session)
        note = safe.path(relative(path)) if path else "-"
        rows.append(f"{stored.date}  {recording.session[:8]:8}  {len(recording.turns):5}  {words:50}  {note}\n")
    if not rows:
        fail("no session of this folder's project is recorded")
    return f"date        session   turns  {'first words':50}  note\n" + "".join(rows)


def _hook(call: Call) -> None:
    """Write the note of the session that a hook tells of; whatever fails is a line in the folder of notes."""
    from mdtally import files

    folder, said = Path("sessions"), io.StringIO()
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(said):
            folder = _folder(call)
            told = json.loads(sys.stdin.buffer.read(1 << 20))
            write(call, stored_session(str(told.get("transcript_path") or told["session_id"])))
    except (Exception, typer.Exit) as error:
        reason = " ".join((said.getvalue() or f"{type(error).__name__}: {error}").split())
        files.append_line(folder / FAILURES, f"{common.now()} {reason}"[:500])
