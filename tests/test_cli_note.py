"""``mdtally note`` on real files: what is found, what is written, what is never lost."""

from __future__ import annotations

import errno
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import Run

from mdtally.output import safe

WORDS = ["Sort it by date.", "Sorted.", "Are you sure?", "Yes, look at line 3."]


def record(number: int, **more: object) -> str:
    """One line of a session file: a prompt, or an answer to it."""
    message = {"id": str(number), "model": "opus", "content": [{"type": "text", "text": WORDS[number]}]}
    parent = str(number - 1) if number else None
    about = {"sessionId": "0ccf1a04-1b4c", "timestamp": "2026-02-10T12:00:00.000Z", **more}
    return json.dumps(
        {
            "type": ("user", "assistant")[number % 2],
            "uuid": str(number),
            "parentUuid": parent,
            "message": message,
            **about,
        }
    )


WARNED = (
    "1 note will lie in sessions: private words, in this repository; to keep them out of git: "
    "echo sessions/ >> .gitignore\n"
)


def session(path: Path, turns: int = 2, **more: object) -> Path:
    """A session file of so many turns."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{record(number, **more)}\n" for number in range(turns)))
    return path


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the sessions that were begun in the working directory."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    folder = tmp_path / "claude" / "projects" / "".join(c if c.isalnum() else "-" for c in str(tmp_path))
    folder.mkdir(parents=True)
    return folder


def test_the_last_session_of_the_folder_becomes_a_note(run: Run, project: Path) -> None:
    """One that holds nothing but snapshots, and a sub-agent's file, are passed over; the next command is named."""
    os.utime(session(project / "0ccf1a04-1b4c.jsonl"), (1, 1))
    session(project / "agent-1.jsonl")
    (project / "empty.jsonl").write_text('{"type":"file-history-snapshot"}\n')
    ran = run("note")
    assert (ran.code, ran.err) == (0, WARNED)
    note = Path("sessions/2026-02-10-sort-it-by-date.md")
    assert f"{note}: written, 2 turns\n" in ran.out
    assert f"mdtally review {note}\n" in ran.out
    assert "**Me:** Sort it by date.\n\n**Agent:** Sorted.\n" in note.read_text()


def test_again_adds_what_is_new_and_changes_no_byte(run: Run, project: Path) -> None:
    """Also where a person has tagged, renamed and added to the note; a line that is not finished yet waits."""
    path = session(project / "0ccf1a04-1b4c.jsonl")
    run("note")
    (made,) = Path("sessions").iterdir()
    note = made.rename("sessions/Notes on sorting.md")
    note.write_text(note.read_text().replace("Sorted.", "Sorted. [A_T]") + "My own words.\n")
    before = note.read_bytes()
    assert "up to date, 2 turns" in run("note").out
    with path.open("a") as file:
        file.write(f"{record(2)}\n{record(3)[:30]}")
    assert "what is new was added at its end; 3 turns" in run("note").out
    assert note.read_bytes().startswith(before)
    with path.open("a") as file:
        file.write(f"{record(3)[30:]}\n")
    run("note")
    run("note", "0ccf")
    assert re.search(r"line 3\.\n\n<!-- recorded: 4 turns, 1 parts: [a-z2-7]{20} -->\n\Z", note.read_text())
    assert [*Path("sessions").iterdir()] == [note]


def test_sessions_are_listed_with_their_notes(run: Run, project: Path) -> None:
    """Day, id, turns, first words, note; none of another project whose folder has that name; escapes are shown."""
    session(project / "0ccf1a04-1b4c.jsonl", 4, cwd=str(Path.cwd()))
    run("note")
    other = session(project / "9.jsonl", 1, cwd=str(Path.cwd()) + "_", sessionId="9")
    other.write_text(other.read_text().replace(str(Path.cwd()) + "_", str(Path.cwd()).replace("/", "_", 1)))
    session(project / "5.jsonl", 1, sessionId="5").write_text(record(0, sessionId="5").replace("date", "\\u001b[2J"))
    os.utime(project / "5.jsonl", (1, 1))
    ran = run("note", "--list")
    rows = ran.out.split("\n")
    here = [safe.clip(Path.cwd().name, 18)]
    shown = "2026-02-10 0ccf1a04 Claude Code".split() + here + ["opus", "4", "1", *WORDS[0].split()]
    assert rows[1].split()[:-1] == shown
    assert rows[1].endswith("sessions/2026-02-10-sort-it-by-date.md")
    assert rows[2].startswith("  2026-02-10  5") and "\\x1b[2J" in rows[2] and rows[2].endswith("-")
    assert rows[3:] == [""]
    assert re.fullmatch(
        r"the oldest is \d+ days old; Claude Code deletes .*cleanupPeriodDays says otherwise\n", ran.err
    )


def test_a_session_is_found_above_and_by_its_name(run: Run, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From a folder of the project; by the beginning of an id of any project; as a file; two that fit are told."""
    session(project / "0ccf1a04-1b4c.jsonl")
    Path("deep").mkdir()
    monkeypatch.chdir("deep")
    assert "../sessions" not in run("note").out
    assert Path("../sessions/2026-02-10-sort-it-by-date.md").exists()
    session(project.parent / "-elsewhere" / "0ccf7777.jsonl", 4, sessionId="0ccf7777")
    assert "written, 4 turns" in run("note", "0ccf7").out
    assert "written, 4 turns" in run("note", session(Path("x.jsonl"), 4, sessionId="8"), "-o", "y.md").out
    ran = run("note", "0ccf")
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert "2 sessions begin so" in ran.err
    assert "mdtally note --list" in run("note", "nothing").err


def test_a_note_of_another_session_is_not_touched(run: Run, project: Path) -> None:
    """Neither where one has that name already, nor where it is named; nor one of a file that has become shorter."""
    session(project / "0ccf1a04-1b4c.jsonl", 4)
    run("note")
    first = Path("sessions/2026-02-10-sort-it-by-date.md")
    before = first.read_bytes()
    session(project / "1234567890.jsonl", 2, sessionId="1234567890")
    assert "2026-02-10-sort-it-by-date-12345678.md: written" in run("note", "1234").out
    ran = run("note", "1234", "-o", first)
    assert (ran.code, first.read_bytes()) == (2, before)
    session(project / "0ccf1a04-1b4c.jsonl", 2)
    assert "up to date, 2 turns" in run("note", "0ccf").out and first.read_bytes() == before
    Path("own.md").write_text("# Mine\n")
    assert run("note", "1234", "-o", "own.md").code == 2
    assert Path("own.md").read_text() == "# Mine\n"


def test_kinds_and_lines_that_are_not_known_are_named(run: Run) -> None:
    """On standard error; the note is written."""
    path = session(Path("x.jsonl"))
    path.write_text(f'// from a gist\n{path.read_text()}{{"type":"later"}}\n')
    ran = run("note", path)
    assert ran.code == 0
    assert ran.err == (
        f"x.jsonl: line 1 could not be read\n{WARNED}records of kinds that are not known were left out: later 1\n"
    )


def hook(run: Run, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """Run the hook with a text on standard input: it prints nothing and exits with 0, whatever happens."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    ran = run("note", "--hook")
    assert (ran.code, ran.out, ran.err) == (0, "", "")


def test_a_hook_writes_the_note_of_its_session(run: Run, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the file it names, or by the session's id."""
    path = session(project / "0ccf1a04-1b4c.jsonl")
    told = {"session_id": "0ccf1a04-1b4c", "transcript_path": str(path), "cwd": "/", "hook_event_name": "SessionEnd"}
    hook(run, monkeypatch, json.dumps(told))
    (note,) = Path("sessions").iterdir()
    before = note.read_bytes()
    hook(run, monkeypatch, json.dumps({"session_id": "0ccf1a04-1b4c", "reason": "exit"}))
    assert note.read_bytes() == before


@pytest.mark.parametrize(
    "told",
    ["", "[", "[1]", "{}", '{"transcript_path": "/etc"}', '{"transcript_path": ["\\u0000"]}', "[" * 3_000_000],
    ids=["missing", "torn", "list", "empty", "folder", "odd", "huge"],
)
def test_a_hook_that_fails_leaves_a_line(run: Run, monkeypatch: pytest.MonkeyPatch, told: str) -> None:
    """In the folder of notes, with the time and the reason."""
    hook(run, monkeypatch, told)
    (line,) = Path("sessions/note-failures.txt").read_text().splitlines()
    assert line[:2] == "20" and len(line) < 600
    assert [path.name for path in Path("sessions").iterdir()] == ["note-failures.txt"]


@pytest.mark.skipif(os.geteuid() == 0, reason="the administrator may write everywhere")
def test_a_hook_in_a_folder_that_is_read_only_is_silent(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no place for a line."""
    Path.cwd().chmod(0o500)
    hook(run, monkeypatch, "{}")


def test_a_hook_on_a_full_disk_loses_nothing(run: Run, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing can be written, not even the line about it: the note is what it was, and the next time it follows."""
    path = session(project / "0ccf1a04-1b4c.jsonl")
    told = json.dumps({"transcript_path": str(path)})
    hook(run, monkeypatch, told)
    (note,) = Path("sessions").iterdir()
    before = note.read_bytes()
    session(path, 4)

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as disk:
        disk.setattr(os, "fsync", full)
        disk.setattr(os, "write", full)
        hook(run, monkeypatch, told)
    assert note.read_bytes() == before and not [one for one in Path("sessions").iterdir() if one.suffix == ".tmp"]
    hook(run, monkeypatch, told)
    assert note.read_bytes().startswith(before) and len(note.read_bytes()) > len(before)


def test_a_hook_without_a_home_folder(tmp_path: Path) -> None:
    """Nobody knows where sessions lie; the file that is named is read all the same."""
    path = session(tmp_path / "x.jsonl")
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(Path(__file__).parents[1])}
    told = json.dumps({"transcript_path": str(path)}).encode()
    ran = subprocess.run(
        [sys.executable, "-m", "mdtally", "note", "--hook"],
        input=told,
        cwd=tmp_path,
        env=environment,
        capture_output=True,
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"", b"")
    assert (tmp_path / "sessions" / "2026-02-10-sort-it-by-date.md").exists()


def test_two_hooks_at_once_write_one_note(tmp_path: Path) -> None:
    """Both read, both write: each turn is there once."""
    path = session(tmp_path / "x.jsonl", 4)
    told = json.dumps({"transcript_path": str(path)}).encode()
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    command = [sys.executable, "-m", "mdtally", "note", "--hook"]
    running = [subprocess.Popen(command, stdin=subprocess.PIPE, cwd=tmp_path, env=environment) for _ in range(4)]
    for process in running:
        process.communicate(told)
    (note,) = (tmp_path / "sessions").iterdir()
    assert note.read_text().count("**Agent:**") == 2


def test_notes_stay_in_the_project(run: Run, project: Path) -> None:
    """Wherever the configuration, a link or the session would have them; an own folder below it is fine."""
    session(project / "0ccf1a04-1b4c.jsonl", cwd="/etc")
    Path("mdtally.toml").write_text('[note]\nfolder = "../elsewhere"\n')
    assert "leads out" in run("note").err
    Path("mdtally.toml").write_text('[note]\nfolder = "docs/chats"\n')
    assert run("note").code == 0
    assert Path("docs/chats/2026-02-10-sort-it-by-date.md").exists()


def test_a_note_that_was_edited_moved_or_deleted(run: Run, project: Path) -> None:
    """What a person wrote in it stays; moved within the folder of notes it is found; deleted, it is written anew."""
    path = session(project / "0ccf1a04-1b4c.jsonl")
    run("note")
    (note,) = Path("sessions").iterdir()
    edited = note.read_text().replace("**Agent:**", "A remark of mine.\n\n**Agent:**", 1)
    Path("sessions/kept").mkdir()
    moved = note.rename("sessions/kept/by another name.md")
    moved.write_text(edited)
    session(path, 4)
    assert run("note").code == 0
    assert moved.read_text().startswith(edited) and len(moved.read_text()) > len(edited)
    assert [path.name for path in Path("sessions").iterdir()] == ["kept"]
    moved.write_text(edited.replace("<!-- recorded:", "<!-- was recorded:"))
    ran = run("note")
    assert ran.code == 2 and "--output names another" in ran.err
    moved.unlink()
    assert run("note").code == 0 and note.exists()


def test_a_session_without_a_usable_id_gets_one(run: Run) -> None:
    """An id that is no id is none; the second time the note is up to date all the same."""
    path = session(Path("odd-one.jsonl"), sessionId="a\nb: c")
    assert run("note", path).code == 0
    (note,) = Path("sessions").iterdir()
    assert re.search(r"\nsession: chat-[0-9a-f]{12}\n", note.read_text())
    assert "up to date" in run("note", path).out


def test_a_record_of_megabytes_and_a_path_with_line_ends(run: Run) -> None:
    """A call is one line of at most 200 characters, whatever it was given."""
    path = session(Path("big.jsonl"))
    call = {"type": "tool_use", "id": "c", "name": "Read", "input": {"file_path": "a\n**Me:** b\n" + "x" * 2_000_000}}
    record = {"type": "assistant", "uuid": "z", "parentUuid": json.loads(path.read_text().split("\n")[-2])["uuid"]}
    path.write_text(path.read_text() + json.dumps(record | {"message": {"id": "z", "content": [call]}}) + "\n")
    assert run("note", path).code == 0
    (note,) = Path("sessions").iterdir()
    assert max(map(len, note.read_text().split("\n"))) < 300
    assert "session" in run("turns", note).out and "3 turns" not in run("turns", note).out
