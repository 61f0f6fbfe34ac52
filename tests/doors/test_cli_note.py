"""``mdtally note`` on real files: what is found, what is written, what is never lost."""

from __future__ import annotations

import errno
import hashlib
import io
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import Run
from schemas import validate

from mdtally.sources import notes
from mdtally.text import safe

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
    "1 note of private words will lie in sessions, in this repository; to keep them out of git: "
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


def test_without_a_terminal_a_review_looks_at_the_newest_note(run: Run, project: Path) -> None:
    """At the one that stands, and writes none; without one it says how to make one."""
    session(project / "0ccf1a04-1b4c.jsonl")
    ran = run("review")
    assert ran.code == 2 and "first: mdtally note\n" in ran.err and not Path("sessions").exists()
    run("note")
    ran = run("review")
    assert ran.code == 0 and "mdtally events --candidates sessions/2026-02-10-sort-it-by-date.md\n" in ran.out


def test_a_session_in_which_nothing_looks_like_an_event_does_not_hold_up_the_others(run: Run, project: Path) -> None:
    """Nobody has reviewed it, and a review without a file would ask nothing of it each time."""
    lines = [
        record(number % 2, uuid=str(number), parentUuid=str(number - 1) if number else None) for number in range(24)
    ]
    (project / "0ccf1a04-1b4c.jsonl").write_text("\n".join(lines))
    assert "24 turns" in run("note").out
    ran = run("review")
    assert ran.code == 2 and "nothing is left to ask in 1 session here" in ran.err
    assert "not reviewed yet" in run("verdict", ".").err


def test_a_session_that_nobody_answers_does_not_hold_up_the_others(run: Run, project: Path) -> None:
    """One that was cut short before the agent answered is newer; of it, it is said that there is no reply."""
    session(project / "0ccf1a04-1b4c.jsonl")
    session(project / "1ccf1a04-1b4c.jsonl", 1, sessionId="1ccf1a04-1b4c", timestamp="2026-02-11T12:00:00.000Z")
    assert "2 notes written" in run("note", "--all").out
    assert run("review").out.startswith("sessions/2026-02-10-sort-it-by-date.md: without a terminal")
    assert "No agent's turn answers a person's" in run("review", "sessions/2026-02-11-sort-it-by-date.md").out


def test_a_session_that_was_tagged_by_hand_is_gone_on_with(run: Run, project: Path) -> None:
    """Nothing is left to ask about its replies, and its verdict is not written yet."""
    session(project / "0ccf1a04-1b4c.jsonl")
    assert run("note", "--all").code == 0
    (note,) = Path("sessions").glob("*.md")
    note.write_text(note.read_text() + "\n[hold evidence=none]\n")
    assert "Write this verdict" in run("review").out


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


def test_a_note_whose_head_became_toml_is_the_same_note(run: Run, project: Path) -> None:
    """What is new is added to it."""
    path = session(project / "0ccf1a04-1b4c.jsonl")
    run("note")
    (note,) = Path("sessions").iterdir()
    body = note.read_text().partition("\n---\n")[2]
    head = 'kind = "session"\nsession = "0ccf1a04-1b4c"\n[participants]\nMe = "human"\nAgent = "agent"\n'
    note.write_text(f'+++\n{head}[transcript]\nturn = "**{{speaker}}:** {{text}}"\n+++\n{body}')
    session(path, 4)
    assert f"{note}: what is new was added at its end; 4 turns" in run("note").out


def test_sessions_are_listed_with_their_notes(run: Run, project: Path) -> None:
    """Day, id, turns, first words, note; none of another project whose folder has that name; escapes are shown."""
    session(project / "0ccf1a04-1b4c.jsonl", 4, cwd=str(Path.cwd()))
    run("note")
    other = session(project / "9.jsonl", 1, cwd=str(Path.cwd()) + "_", sessionId="9")
    other.write_text(other.read_text().replace(str(Path.cwd()) + "_", str(Path.cwd()).replace("/", "_", 1)))
    session(project / "5.jsonl", 1, sessionId="5").write_text(record(0, sessionId="5").replace("date", "\\u001b[2J"))
    os.utime(project / "5.jsonl", (1, 1))
    assert run("note", "--all", "--output-format", "json").err == "error: --output-format goes with --list\n"
    ran = run("note", "--list")
    rows = ran.out.split("\n")
    here = [safe.clip(Path.cwd().name, 18)]
    shown = "2026-02-10 0ccf1a04 Claude Code".split() + here + ["opus", "4", "1", *WORDS[0].split()]
    assert rows[1].split()[:-2] == shown
    assert rows[1].endswith("sessions/2026-02-10-sort-it-by-date.md (new)")
    assert rows[2].startswith("  2026-02-10  5") and "\\x1b[2J" in rows[2] and "sessions/" not in rows[2]
    assert rows[3:] == [""]
    assert ran.err == ""


def test_a_session_is_found_above_and_by_its_name(run: Run, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From a folder of the project; by the beginning of an id of any project; as a file; two that fit are told, and
    one that options leave out.
    """
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
    assert "0ccf7: neither a file nor a recorded session of codex;" in run("note", "0ccf7", "--from", "codex").err
    assert "no recorded session is meant by these options" in run("note", "0ccf7", "--until", "2020").err


def test_a_note_in_conflict_does_not_go_on(run: Run, project: Path) -> None:
    """What a merge left in it is told, and nothing is added."""
    session(project / "0ccf1a04-1b4c.jsonl", 2)
    run("note")
    note = Path("sessions/2026-02-10-sort-it-by-date.md")
    note.write_text(before := f"{note.read_text()}\n<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n")
    session(project / "0ccf1a04-1b4c.jsonl", 4)
    ran = run("note")
    assert (ran.code, note.read_text()) == (2, before) and "git left a merge conflict here" in ran.err


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


def test_a_file_of_a_sub_agent_is_named_as_one(run: Run) -> None:
    """No person speaks in it, and that is no fault of the file."""
    session(Path("s.jsonl"), isSidechain=True)
    for command in (("note", "s.jsonl"), ("review", "s.jsonl"), ("note", "--list", "--from", "s.jsonl")):
        ran = run(*command)
        told = "error: s.jsonl: a sub-agent's session, or one of the program's own; no person speaks in it\n"
        assert (ran.code, ran.err) == (2, told)


def test_a_file_of_no_program_that_is_read_is_told_once(run: Run) -> None:
    """Other JSON, and the database of another program, which lies beside recordings and is passed over there."""
    Path("kept").mkdir()
    Path("kept/a.json").write_text('{"a": 1}')
    with sqlite3.connect("kept/state.db") as database:
        database.execute("CREATE TABLE threads (id)")
    for name in ("kept/a.json", "kept/state.db"):
        ran = run("note", name)
        assert (ran.code, ran.err.count("\n")) == (2, 1) and ran.err.startswith(f"{name}: no session or export of a")
    session(Path("kept/s.jsonl"))
    assert (run("note", "--all", "--from", "kept").code, run("note", "kept/s.jsonl").code) == (0, 0)


def test_a_log_of_what_was_typed_is_passed_over_beside_the_recording(run: Run) -> None:
    """Gemini CLI keeps both, and a recording's id ends with its time; of another session it is all there is."""
    Path("kept/chats").mkdir(parents=True)
    meta = {"sessionId": "3f-1", "projectHash": "f0", "startTime": "2026-04-16T10:38:00Z"}
    messages = [{"id": "1", "type": "user", "content": "Sort."}, {"id": "2", "type": "gemini", "content": "Sorted."}]
    Path("kept/chats/session.json").write_text(json.dumps(meta | {"messages": messages}))
    typed = {"messageId": 0, "type": "user", "message": "Sort.", "timestamp": "2026-04-16T10:38:00Z"}
    Path("kept/logs.json").write_text(json.dumps([typed | {"sessionId": name} for name in ("3f-1", "4a-2")]))
    rows = json.loads(run("note", "--list", "--from", "kept", "--output-format", "json").out)["sessions"]
    assert sorted(row["session"] for row in rows) == ["3f-1-202604161038", "4a-2"]
    assert run("note", "--all", "--from", "kept").out == "sessions: 2 notes written, 0 went on, 0 up to date\n"


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
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(Path(__file__).parents[2])}
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
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    command = [sys.executable, "-m", "mdtally", "note", "--hook"]
    running = [subprocess.Popen(command, stdin=subprocess.PIPE, cwd=tmp_path, env=environment) for _ in range(4)]
    for process in running:
        process.communicate(told)
    (note,) = (tmp_path / "sessions").iterdir()
    assert note.read_text().count("**Agent:**") == 2


def test_runs_at_once_write_one_note_a_session(run: Run, project: Path) -> None:
    """What another run has written since this one looked is known by its session, whatever name it had to take."""
    for name in ("a1", "b2", "c3"):
        session(project / f"{name}.jsonl", 4, sessionId=name)
    run("note", "--all")
    found = [*notes.sessions_of(Path.cwd(), notes.Choice(), [])]
    folder, known = Path("sessions"), dict[str, Path]()
    for _, written in notes.write_notes(reversed(found), folder, known, jobs=1, allow_outside=False):
        assert isinstance(written, notes.WrittenNote) and not written.is_changed
    assert known == notes.notes_in(folder) and len(known) == len([*folder.iterdir()]) == 3
    for one in found:  # while this run means that name for another session
        place = known[one.recording.session]
        paths = notes.paths_for(one, folder, {}, {place})
        assert notes.write_note(one, paths) == notes.WrittenNote(place, is_new=False, is_changed=False)


def test_ids_that_begin_alike_get_notes_each(run: Run, project: Path) -> None:
    """Of sessions of one day and with the same first words whose ids have the same eight first characters."""
    for number in range(4):
        name = f"019c5fa3-{number}abc"
        session(project / f"{name}.jsonl", 4, sessionId=name)
    ran = run("note", "--all")
    assert (ran.code, ran.out) == (0, "sessions: 4 notes written, 0 went on, 0 up to date\n")
    assert run("note", "--all").out == "sessions: 0 notes written, 0 went on, 4 up to date\n"


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


def test_a_judged_note_that_was_moved_gets_no_second_one(run: Run, project: Path) -> None:
    """Wherever in the project it lies, what is new is added to it, and the list names it."""
    path = session(project / "0ccf1a04-1b4c.jsonl")
    run("note")
    (note,) = Path("sessions").iterdir()
    note.write_text(note.read_text().replace("Sorted.", "Sorted. [A_T]"))
    assert run("verdict", note).code == 0
    Path("archive").mkdir()
    moved = note.rename("archive/kept.md")
    session(path, 4)
    ran = run("note", "--all")
    assert ran.out == "sessions: 0 notes written, 1 went on, 0 up to date\n"
    assert not [*Path("sessions").iterdir()] and "line 3." in moved.read_text()
    assert "archive/kept.md" in run("note", "--list").out
    assert run("verdict", ".").code == 0
    Path("README.md").write_text(f"```yaml\nsession: {path.stem}\nsource: here\n```\n")
    moved.unlink()
    assert run("note", "--all").out == "sessions: 1 note written, 0 went on, 0 up to date\n"


@pytest.mark.parametrize("name", ["a\nb: c", "séance"])
def test_a_session_without_a_usable_id_gets_one(run: Run, name: str) -> None:
    """An id that is no id is none; the second time the note is up to date all the same."""
    path = session(Path("odd-one.jsonl"), sessionId=name)
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


# -- Many -------------------------------------------------------------------------------------------------------------


def export(*titles: str, path: str = "conversations.json", replies: int = 1) -> Path:
    """A ChatGPT export with a conversation a title, a day apart from 2026-03-01 on."""
    chats = []
    for day, title in enumerate(titles):
        words = [
            "Sort it by date.",
            "Sorted.",
            *["No, that is wrong. Are you sure?", "You are right, I was wrong."] * replies,
        ]
        nodes = {
            str(at): {
                "parent": str(at - 1) if at else None,
                "children": [str(at + 1)] * (at + 1 < len(words)),
                "message": {
                    "author": {"role": "assistant" if at % 2 else "user"},
                    "content": {"content_type": "text", "parts": [text]},
                    "metadata": {"model_slug": "gpt-9"},
                },
            }
            for at, text in enumerate(words[: 2 + 2 * (replies if day % 2 else 0)])
        }
        time = 1772366400 + day * 86400  # 2026-03-01, noon
        chats.append({"title": title, "conversation_id": f"c-{title}", "create_time": time, "mapping": nodes})
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(json.dumps(chats))
    return Path(path)


def test_a_chat_without_words_is_none(run: Run) -> None:
    """An export of Claude.ai keeps those that were deleted, with the names of the files that were sent along."""
    sent = {"sender": "human", "text": "", "content": [], "files": [{"file_name": "a.png"}]}
    deleted = {"uuid": "c1", "created_at": "2026-06-01T12:00:00Z", "chat_messages": [sent, {"sender": "assistant"}]}
    said = {"uuid": "c2", "created_at": "2026-06-02T12:00:00Z", "chat_messages": [sent | {"text": "Sort it."}]}
    Path("export.json").write_text(json.dumps([deleted, said]))
    rows = json.loads(run("note", "--list", "--from", "export.json", "--output-format", "json").out)["sessions"]
    assert [row["session"] for row in rows] == ["c2"]
    Path("export.json").write_text(json.dumps([deleted]))
    assert run("note", "--from", "export.json").err.endswith("no recorded session or chat in it, or nobody speaks\n")


def test_all_of_an_export_become_notes_and_go_on(run: Run) -> None:
    """Where they lie is said before; the same again writes nothing; what an export holds more later is added."""
    ran = run("note", "--all", "--from", export("one", "two", "three"))
    assert (ran.code, ran.out) == (0, "sessions: 3 notes written, 0 went on, 0 up to date\n")
    assert ran.err.startswith("3 notes of private words will lie in sessions, in this repository")
    before = {path: path.read_bytes() for path in Path("sessions").iterdir()}
    assert len(before) == 3 and all(b"source: ChatGPT\n" in data for data in before.values())
    again = run("note", "--all", "--from", "conversations.json")
    assert (again.out, again.err) == ("sessions: 0 notes written, 0 went on, 3 up to date\n", "")
    ran = run("note", "--all", "--from", export("one", "two", "three", "four", replies=2))
    assert ran.out == "sessions: 1 note written, 1 went on, 2 up to date\n"
    assert all(path.read_bytes().startswith(data) for path, data in before.items())
    assert run("verdict", "--check", ".").code == 0, "notes that nobody has reviewed are no sessions to judge"


def test_chats_without_an_id_that_begin_alike_stay_two(run: Run) -> None:
    """In one file at one time, or in several without a time; each goes on in its own note."""
    chats = json.loads(export("one", "two").read_text())
    for chat in chats:
        del chat["conversation_id"]
        chat["create_time"] = 1772366400
    chats[1]["mapping"]["1"]["message"]["content"]["parts"] = ["By which date?"]
    Path("conversations.json").write_text(json.dumps(chats))
    assert run("note", "--all", "--from", "conversations.json").out.startswith("sessions: 2 notes written")
    for turns in (2, 4):
        words = ["hi", "Hello.", "Is it slow?", "No."][:turns]
        rows = [{"role": ("user", "model")[at % 2], "parts": [{"text": text}]} for at, text in enumerate(words)]
        for name in ("a", "b"):
            Path(f"checkpoint-{name}.json").write_text(json.dumps(rows))
            ran = run("note", "--from", f"checkpoint-{name}.json")
            assert ("new was added" if turns > 2 else ": written") in ran.out
    assert len([*Path("sessions").iterdir()]) == 4


def test_which_of_them_are_meant(run: Run) -> None:
    """By days, by words in text or title, by a push, by an id; several are not written without being asked for."""
    path = export("one", "two", "three", "four")

    def listed(*options: object) -> list[str]:
        ran = run("note", "--list", "--from", path, "--output-format", "json", *options)
        data = json.loads(ran.out)
        validate(data, "note.schema.json")
        return [row["title"] for row in data["sessions"]]

    assert listed() == ["four", "three", "two", "one"]
    assert listed("--since", "2026-03-02", "--until", "2026-03-03") == ["three", "two"]
    assert listed("--until", "2026-03") == ["four", "three", "two", "one"] and listed("--until", "2026-02") == []
    assert listed("--match", "THREE sorted") == ["three"] and listed("--match", "nowhere") == []
    for option in ("--list", "--all"):
        assert f"{option} goes without --output" in run("note", option, "--from", path, "-o", "x.md").err
    assert not Path("x.md").exists() and not Path("sessions").exists()
    ran = run("note", "--list", "--from", path, "--match", "nowhere")
    assert (ran.code, ran.err) == (2, "error: conversations.json: no recorded session is meant by these options\n")
    assert listed("--pressed") == ["four", "two"]
    ran = run("note", "--from", path)
    assert ran.code == 2 and "holds several: `mdtally note --from conversations.json --list" in ran.err
    assert "written, 2 turns" in run("note", "c-th", "--from", path).out
    assert "written, 4 turns" in run("note", "--from", path, "--match", "four").out
    assert sum(line.endswith(".md (new)") for line in run("note", "--list", "--from", path).out.split("\n")) == 2
    long = Path("long.json")
    begins = f"conversation-{'0' * 36}-"
    long.write_text(path.read_text().replace('"c-', f'"{begins}'))
    rows = run("note", "--list", "--from", long).out.split("\n")[1:-1]
    assert [row.split()[1] for row in rows] == [f"{begins}{end}" for end in ("f", "th", "tw", "o")]
    for day in ("yesterday", "2026-13", "2026-02-30", "٢٠٢٦-01-01", "2026-1"):
        assert "it has to be a date such as" in run("note", "--list", "--since", day).err
    assert "neither a file nor one of claude-code, codex" in run("note", "--from", "nobody").err
    assert "claude-ai keeps nothing on this machine" in run("note", "--from", "Claude.ai").err


@pytest.mark.parametrize(
    "rows",
    [
        [
            {"id": "r", "timestamp": "2025-03-01T12:00:00Z", "instructions": None, "git": {}},
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Sort."}]},
        ],
        [{"uuid": "c", "created_at": "2025-03-01T12:00:00Z", "chat_messages": [{"sender": "human", "text": "Sort."}]}],
        [{"sessionId": "v", "creationDate": 1740830400000, "requests": [{"message": "Sort.", "response": []}]}],
        [
            {
                "sessionId": "g",
                "projectHash": "p",
                "startTime": "2025-03-01T12:00:00Z",
                "messages": [{"type": "user", "content": "Sort."}],
            }
        ],
        [
            {
                "info": {"id": "ses_1", "time": {"created": 1740830400000}},
                "messages": [{"info": {"id": "m", "role": "user"}, "parts": [{"type": "text", "text": "Sort."}]}],
            }
        ],
    ],
    ids=["codex", "claude-ai", "copilot", "gemini", "opencode"],
)
def test_the_day_is_that_of_the_beginning_where_turns_have_no_time(run: Run, rows: list[object]) -> None:
    """As the conversation tells it, and not as its file was changed last."""
    Path("x.json").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    assert "sessions/2025-03-01-sort.md: written, 1 turn\n" in run("note", "x.json").out


@pytest.mark.parametrize("time", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "2025-13-01", "x"])
def test_a_time_that_is_no_day_is_none(run: Run, time: str) -> None:
    """The day is then that of the file's last change."""
    os.utime(session(Path("x.jsonl"), timestamp=time), (1740830400, 1740830400))  # 2025-03-01, noon
    assert "sessions/2025-03-01-sort-it-by-date.md: written, 2 turns\n" in run("note", "x.jsonl").out


def test_a_folder_of_an_export_that_was_unpacked(run: Run) -> None:
    """Be it named as a program; its pictures and pages are passed over, and of a copy only what is another is named."""
    export("one", "two", path="ChatGPT/conversations-000.json")
    export("three", path="ChatGPT/conversations-001.json")
    export("one", path="ChatGPT/old/copy.json")
    Path("ChatGPT/chat.html").write_text("<html>")
    Path("ChatGPT/user.json").write_text('{"id": "u"}')
    shutil.make_archive("packed", "zip", "ChatGPT")
    for place in ("packed.zip", "ChatGPT"):
        assert len(json.loads(run("note", "--list", "--from", place, "--output-format", "json").out)["sessions"]) == 3
    ran = run("note", "--all", "--from", "ChatGPT")
    assert (ran.code, ran.out) == (0, "sessions: 3 notes written, 0 went on, 0 up to date\n")
    assert ran.err.startswith("3 notes of private words will lie in sessions")
    assert run("note", "--all", "--from", "packed.zip").out == "sessions: 0 notes written, 0 went on, 3 up to date\n"
    other = export("one", path="ChatGPT/old/copy.json")
    other.write_text(other.read_text().replace("Sort it", "Cut it"))
    ran = run("note", "--all", "--from", "ChatGPT")
    assert (
        ran.code == 2
        and "ChatGPT/old/copy.json: claims to be session c-one, as ChatGPT/conversations-000.json does" in ran.err
    )
    assert ran.out == "sessions: 0 notes written, 0 went on, 3 up to date\n"


def test_one_bad_conversation_does_not_stop_the_others(run: Run) -> None:
    """It is named; the notes of the others are written, and the exit code says that something is missing."""
    path = export("one", "two", "three")
    path.write_text(path.read_text().replace('"title": "two", ', '"title": "two" '))
    ran = run("note", "--all", "--from", path)
    assert (ran.code, ran.out) == (2, "sessions: 2 notes written, 0 went on, 0 up to date\n")
    assert "conversations.json: conversation 2 could not be read\n" in ran.err


def test_all_that_was_cut_short_goes_on(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is written is whole; the same command writes the rest."""
    path, written = export(*map(str, range(6))), []
    write_note = notes.write_note

    def interrupted(*args: object, **options: object) -> object:
        written.append(args)
        if len(written) == 4:
            raise KeyboardInterrupt
        return write_note(*args, **options)  # type: ignore[arg-type]

    with monkeypatch.context() as patched:
        patched.setattr(notes, "write_note", interrupted)
        ran = run("note", "--all", "--from", path)
    assert ran.code == 130 and "stopped after 3 sessions; the same command goes on from there\n" in ran.err
    assert run("note", "--all", "--from", path).out == "sessions: 3 notes written, 0 went on, 3 up to date\n"


def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder in which no program has kept anything."""
    for name in (
        "CLAUDE_CONFIG_DIR",
        "CODEX_HOME",
        "GEMINI_CLI_HOME",
        "XDG_DATA_HOME",
        "APPDATA",
        "PI_CODING_AGENT_DIR",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


def opencode(home: Path, *names: str, **folders: str) -> None:
    """A database of opencode with sessions of these names, of which those with a folder were begun there."""
    path = home / ".local/share/opencode/opencode.db"
    path.parent.mkdir(parents=True, exist_ok=True)
    database = sqlite3.connect(path)
    database.executescript("""
        CREATE TABLE session (id, directory, title, parent_id, revert, time_updated);
        CREATE TABLE message (id, session_id, time_created, data); CREATE TABLE part (id, message_id, session_id, data);
    """)
    for name, place in (dict.fromkeys(names, "/") | folders).items():
        database.execute("INSERT INTO session VALUES (?, ?, '', NULL, NULL, 1)", (name, place))
        database.execute("INSERT INTO message VALUES (?, ?, 1, ?)", (f"m{name}", name, '{"role": "user"}'))
        part = '{"type": "text", "text": "opencode?"}'
        database.execute("INSERT INTO part VALUES (?, ?, ?, ?)", (f"p{name}", f"m{name}", name, part))
    database.commit()
    database.close()


def test_opencode_has_other_tables_since_version_2(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They hold the sessions of before, too; one that they lack, or have no word of, is read from those of before."""
    at, here = home(tmp_path, monkeypatch), str(tmp_path)
    opencode(at, ses_old=here, ses_empty=here, ses_both=here)
    database = sqlite3.connect(at / ".local/share/opencode/opencode.db")
    database.executescript("""
        CREATE TABLE session_v2 (id, directory, title, parent_id, revert, time_updated);
        CREATE TABLE session_message (id, session_id, type, seq, data);
        INSERT INTO session_v2 (id, time_updated) VALUES ('ses_empty', 2);
    """)
    for name in ("ses_both", "ses_new"):
        database.execute("INSERT INTO session_v2 VALUES (?, ?, '', NULL, NULL, 2)", (name, here))
        said = json.dumps({"text": f"Is it {name}?", "model": {"id": "gpt-9"}})
        database.execute("INSERT INTO session_message VALUES ('m1', ?, 'user', 1, ?)", (name, said))
    database.commit()
    database.close()
    rows = json.loads(run("note", "--list", "--output-format", "json").out)["sessions"]
    assert sorted(row["first_words"] for row in rows) == ["Is it ses_both?", "Is it ses_new?", "opencode?", "opencode?"]
    assert [row["model"] for row in rows].count("gpt-9") == 2


def test_the_sessions_of_all_programs_of_a_folder(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A path in a rollout, a hashed one, one with hyphens, a row of a database, the files of older versions of it."""
    at, here, hashed = home(tmp_path, monkeypatch), str(tmp_path), hashlib.sha256(str(tmp_path).encode()).hexdigest()

    def put(name: str, *rows: object) -> None:
        (at / name).parent.mkdir(parents=True, exist_ok=True)
        (at / name).write_text("".join(f"{json.dumps(row)}\n" for row in rows))

    for place in (here, "/elsewhere"):
        put(
            f".codex/sessions/2026/02/03/rollout-2026-02-03T10-00-00-0{len(place)}.jsonl",
            {"type": "session_meta", "payload": {"id": f"r{place[1]}", "cwd": place}},
            {"type": "event_msg", "payload": {"type": "user_message", "message": "Codex?"}},
        )
    message = {"id": "1", "type": "user", "content": "Gemini?"}
    meta = {"sessionId": "g", "projectHash": hashed}
    put(".gemini/tmp/some-name/chats/session-2026-02-03T10-00-g.jsonl", meta, message)
    slug = re.sub("[^A-Za-z0-9]", "-", here)
    qwen = {
        "uuid": "1",
        "parentUuid": None,
        "sessionId": "q",
        "type": "user",
        "cwd": here,
        "message": {"parts": [{"text": "Qwen?"}]},
    }
    put(f".qwen/projects/{slug}/chats/q.jsonl", qwen)
    put(
        ".local/share/opencode/storage/session/p/ses_old.json",
        {"id": "ses_old", "directory": here, "time": {"created": 1}},
    )
    put(
        ".local/share/opencode/storage/message/ses_old/msg_1.json",
        {"id": "msg_1", "role": "user", "time": {"created": 1}},
    )
    put(
        ".local/share/opencode/storage/part/msg_1/prt_1.json",
        {"id": "prt_1", "messageID": "msg_1", "type": "text", "text": "Older?"},
    )
    chat = {"sessionId": "v", "responderUsername": "Copilot", "requests": [{"message": "Copilot?", "response": []}]}
    put(".config/Code/User/workspaceStorage/1/chatSessions/v.jsonl", {"kind": 0, "v": chat})
    put(".config/Code/User/workspaceStorage/1/workspace.json", {"folder": tmp_path.as_uri()})
    opencode(at, ses_1=here, ses_2="/elsewhere")
    (at / ".cursor").mkdir()
    (at / ".pi/agent").mkdir(parents=True)
    ran = run("note", "--list", "--output-format", "json")
    words = {row["first_words"] for row in json.loads(ran.out)["sessions"]}
    assert words == {"Codex?", "Gemini?", "Qwen?", "opencode?", "Older?", "Copilot?"}
    assert len(json.loads(run("note", "--list", "--everywhere", "--output-format", "json").out)["sessions"]) == 8
    ran = run("note", "--list", "--from", "qwen")
    assert ran.out.count("\n") == 2 and "Qwen?" in ran.out
    assert 'Cursor is here too, and not read: its "Export Chat" writes a chat as Markdown' in ran.err
    assert "pi is here too, and not read: copy what the page of its /export shows into a text file" in ran.err
    assert run("note", "--all").out == "sessions: 6 notes written, 0 went on, 0 up to date\n"
    assert {path.name for path in (at / ".local/share/opencode").iterdir()} == {"opencode.db", "storage"}


def rollout(home: Path, name: str, folder: str) -> bytes:
    """A session of Codex that was begun in a folder, as Codex writes it: letters as they are."""
    meta = {"type": "session_meta", "payload": {"id": name, "cwd": folder}}
    said = {"type": "event_msg", "payload": {"type": "user_message", "message": f"What is {name}?"}}
    path = home / f".codex/sessions/2026/02/03/rollout-2026-02-03T10-00-00-{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in (meta, said)))
    return path.read_bytes()


def test_a_folder_with_letters_beyond_ascii(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A recording names it in its letters or as escapes, a task of Cline's in a text, a session in a file beside it."""
    at, here = home(tmp_path, monkeypatch), tmp_path / "projé"
    here.mkdir()
    monkeypatch.chdir(here)
    rollout(at, "r1", str(here))
    task = at / ".config/Code/User/globalStorage/cline/tasks/17/ui_messages.json"
    task.parent.mkdir(parents=True)
    rows = [{"ts": 1740000000000, "type": "say", "say": "task", "text": "Cline?"}]
    told = {"ts": 1740000000001, "type": "say", "say": "api_req_started", "text": f"Working Directory ({here}) Files"}
    task.write_text(json.dumps([*rows, told], ensure_ascii=False))
    messages = {"agent": "lead", "sessionId": "19_ab", "messages": [{"role": "user", "content": "A session?"}]}
    session = at / ".cline/data/sessions/19_ab/19_ab.messages.json"
    session.parent.mkdir(parents=True)
    session.write_text(json.dumps(messages))
    session.with_name("19_ab.json").write_text(json.dumps({"session_id": "19_ab", "cwd": str(here)}, indent=2))
    listed = json.loads(run("note", "--list", "--output-format", "json").out)["sessions"]
    assert sorted((row["source"], row["first_words"]) for row in listed) == [
        ("Cline", "A session?"),
        ("Cline", "Cline?"),
        ("Codex", "What is r1?"),
    ]
    assert "written, 1 turn" in run("note", "19_ab").out


def test_compressed_rollouts(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that can be read is of its folder's project; the plain file counts where both are there.

    The first line of the oldest ones is of no kind.
    """
    zstd = pytest.importorskip("backports.zstd")
    at = home(tmp_path, monkeypatch)
    for name, folder in (("r1", tmp_path), ("r2", tmp_path), ("r3", "/elsewhere")):
        packed = zstd.compress(rollout(at, name, str(folder)))
        path = at / f".codex/sessions/2026/02/03/rollout-2026-02-03T10-00-00-{name}.jsonl"
        path.with_suffix(".jsonl.zst").write_bytes(packed)
        if name != "r2":
            path.unlink()
    ran = run("note", "--list", "--output-format", "json")
    assert (ran.code, ran.err) == (0, "")
    assert sorted(row["session"] for row in json.loads(ran.out)["sessions"]) == ["r1", "r2"]
    assert "written, 1 turn" in run("note", "r2").out
    said = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Is it slow?"}]}
    rows = ({"id": "r0", "timestamp": "2025-06-03T10:00:00Z", "instructions": None}, said)
    (path.parent / "rollout-2025-06-03T10-00-00-r0.jsonl.zst").write_bytes(
        zstd.compress("\n".join(map(json.dumps, rows)).encode())
    )
    (path.parent / ".zst").write_bytes(b"")
    ran = run("note", "r0", "--from", path.parent)
    assert "written, 1 turn" in ran.out and ran.err == ""


def test_a_thread_of_codex_goes_on_from_another_file(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread that was taken back is one session, up to where it was taken back; a fork of it is another one."""
    folder = home(tmp_path, monkeypatch) / ".codex/sessions/2026/09/12"
    folder.mkdir(parents=True)
    thread, again, fork = (f"0{number}a095a4-ebb9-7c10-a8e3-0e8e7fc24e87" for number in (1, 2, 3))

    def put(name: str, thread: str, texts: list[str], base: str = "", first: int = 0) -> None:
        begins = {"history_base": {"thread_id": base, "end_ordinal_exclusive": first}} if base else {}
        rows = [{"type": "session_meta", "payload": {"id": thread, "cwd": str(tmp_path), **begins}}]
        rows += [{"type": "event_msg", "payload": {"type": "user_message", "message": text}} for text in texts]
        numbered = (json.dumps({"ordinal": number, **row}) + "\n" for number, row in enumerate(rows, start=first))
        (folder / f"rollout-2026-09-12T{name}.jsonl").write_text("".join(numbered))

    put(f"10-00-00-{thread}", thread, ["Is it slow?", "Rewrite it.", "Thanks!"])
    shutil.copytree(folder, folder.with_name("11"))  # it was begun on the day before
    next(folder.iterdir()).unlink()
    put(f"11-00-00-{thread}_{again}", thread, ["Batch it."], thread, 2)
    put(f"12-00-00-{fork}", fork, ["Test it."], again, 4)
    ran = run("note", "--all")
    assert (ran.out, ran.err.count("left")) == ("sessions: 2 notes written, 0 went on, 0 up to date\n", 0)
    notes = [path.read_text() for path in (tmp_path / "sessions").glob("*.md")]
    said = {tuple(re.findall(r"^\*\*Me:\*\* (.*)$", text, re.MULTILINE)) for text in notes}
    assert said == {("Is it slow?", "Batch it."), ("Is it slow?", "Batch it.", "Test it.")}
    assert all("2 turns on branches that were left" in text for text in notes)
    assert run("note", "--all").out == "sessions: 0 notes written, 0 went on, 2 up to date\n"
    next(folder.glob(f"*-{thread}_*")).unlink()
    for base in (again, fork):  # one that is gone, and itself
        put(f"12-00-00-{fork}", fork, ["Test it."], base, 4)
        ran = run("note", fork, "--output", f"{base}.md")
        assert "written, 1 turn" in ran.out
        assert "records of kinds that are not known were left out: history_base 1" in ran.err


def test_compressed_rollouts_that_cannot_be_read_are_named(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody can tell whose they are: below what can be read, and also where there is nothing else."""
    for name in ("compression.zstd", "backports.zstd"):
        monkeypatch.setitem(sys.modules, name, None)
    at = home(tmp_path, monkeypatch)
    rollout(at, "r1", "/elsewhere")
    path = at / ".codex/sessions/2026/02/03/rollout-2026-02-03T10-00-00-r2.jsonl.zst"
    path.write_bytes(b"\x28\xb5\x2f\xfd packed")
    said = f"{path.relative_to(tmp_path)}: compressed with Zstandard; `pip install backports.zstd` lets it be read"
    said += " (`pipx inject mdtally backports.zstd`)\n"
    ran = run("note", "--list")
    assert (ran.code, ran.err) == (2, said)
    rollout(at, "r1", str(tmp_path))
    assert "r1" in run("note", "--list").out and "written, 1 turn" in run("note").out
    assert run("note", "--all").err == said
    assert run("note", "--all").out == "sessions: 0 notes written, 0 went on, 1 up to date\n"


def test_a_database_that_cannot_be_read_is_named(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may hold sessions of this folder."""
    path = home(tmp_path, monkeypatch) / ".local/share/opencode/opencode.db"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"SQLite format 3\0 torn")
    assert "opencode.db: a database that can't be read" in run("note", "--list").err


def test_every_id_that_is_listed_is_found(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the file is not called by it: a row of a database, a task, a recording with its time in the id."""
    at = home(tmp_path, monkeypatch)
    message = {"id": "1", "type": "user", "content": "Gemini?"}
    time = "2026-03-09T18:07:45.394Z"
    for name, value in (
        (".gemini/tmp/p/chats/session-x-7aa2c3d4.json", {"sessionId": "7aa2c3d4-1111", "projectHash": "p"}),
        (".config/Code/User/globalStorage/cline/tasks/17/ui_messages.json", None),
    ):
        (at / name).parent.mkdir(parents=True)
        task = [{"ts": 1740000000000, "type": "say", "say": "task", "text": "Cline?"}]
        (at / name).write_text(json.dumps(value | {"startTime": time, "messages": [message]} if value else task))
    opencode(at, "ses_1", "ses_22")
    listed = json.loads(run("note", "--list", "--everywhere", "--output-format", "json").out)["sessions"]
    ids = [row["session"] for row in listed]
    assert sorted(ids) == ["1740000000000", "7aa2c3d4-1111-202603091807", "ses_1", "ses_22"]
    for name in (*ids, "17400", "ses_2", "7aa2c3d4-1111-20"):
        assert "written, 1 turn" in run("note", name, "-o", f"{name}.md").out
    assert "2 sessions begin so, ses_1 and ses_22 among them" in run("note", "ses_").err


def test_where_nothing_is_recorded_says_where_it_looked(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And what else can be tried; a home folder that is missing, a link or unreadable is none."""
    at = home(tmp_path, monkeypatch)
    ran = run("note")
    assert (
        ran.code == 2 and "no session of this folder's project is recorded (no program that is known keeps" in ran.err
    )
    (at / ".codex").mkdir()
    ran = run("note", "--list")
    assert ran.code == 2 and f"looked in {at}/.codex (Codex)" in ran.err and "--everywhere" in ran.err
    assert "names its export" in run("note", "--from", "chatgpt").err
    monkeypatch.setenv("HOME", str(tmp_path / "gone"))
    ran = run("note", "--list", "--everywhere")
    assert ran.code == 2 and "--everywhere" not in ran.err


def test_what_git_leaves_out_is_not_warned_of(run: Run) -> None:
    """Nor is a folder that is no repository told how to."""
    Path(".gitignore").write_text("build/\n/sessions/\n")
    assert run("note", "--from", export("one")).err == ""
    Path("sessions").rename("kept")
    Path(".gitignore").unlink()
    Path(".git").rmdir()
    assert (
        run("note", "--from", "conversations.json").err
        == "1 note of private words will lie in sessions, in this folder\n"
    )


@pytest.mark.parametrize("ignored", [None, "", "build/\n", "build/", "a\r\nbuild"])
def test_the_command_that_keeps_notes_out_of_git_does_so(
    run: Run, monkeypatch: pytest.MonkeyPatch, ignored: str | None
) -> None:
    """Whatever the file ends with; also in a worktree, whose .git is a file, and in a project below a repository."""
    Path(".git").rmdir()
    Path(".git").write_text("gitdir: elsewhere\n")
    if ignored is not None:
        Path(".gitignore").write_bytes(ignored.encode())
    said = run("note", "--from", export("one")).err
    command = re.search(r"repository; to keep them out of git: (.*)\n", said)
    assert command
    subprocess.run(["sh", "-c", command[1]], check=True)
    assert [*filter(None, Path(".gitignore").read_text().split("\n"))] == [*(ignored or "").split(), "sessions/"]
    Path("below").mkdir()
    Path("below/mdtally.toml").write_text("")
    monkeypatch.chdir("below")
    assert "echo sessions/ >> .gitignore\n" in run("note", "--from", "../conversations.json").err
    Path("own").mkdir()
    Path("own/mdtally.toml").write_text('[note]\nfolder = "."\n')  # git leaves out no folder by the name "."
    monkeypatch.chdir("own")
    assert run("note", "--from", "../../conversations.json").err.endswith("will lie in ., in this folder\n")


def test_a_reviewed_session_that_has_gone_on_is_begun(run: Run, project: Path) -> None:
    """What its recording has more is looked at, too, though its note does not hold it yet."""
    path = session(project / "0ccf1a04-1b4c.jsonl")
    run("note")
    note = next(Path("sessions").iterdir())
    note.write_text(note.read_text().replace("---\n", "---\ncalibration_reviewed: 2026-02-10\n", 1))
    assert "(reviewed)" in run("note", "--list").out
    assert "nothing is left to ask" in run("review").err
    session(path, turns=4)
    assert "(begun)" in run("note", "--list").out
    assert "first: mdtally note" in run("review").err


def test_the_next_session_is_the_last_one_that_is_not_done(run: Run, project: Path) -> None:
    """It has no note, or one that somebody has not been through yet; None if all are done."""
    for number, name in enumerate(("a1", "b2", "c3")):
        os.utime(session(project / f"{name}.jsonl", sessionId=name), (number + 1, number + 1))
    run("note", "c3")
    folder, done = Path.cwd(), set[Path]()
    found = notes.next_session(folder, notes.notes_in(folder / "sessions"), lambda note, _: note in done)
    assert found and found.recording.session == "c3"
    done.update((folder / "sessions").iterdir())
    found = notes.next_session(folder, notes.notes_in(folder / "sessions"), lambda note, _: note in done)
    assert found and found.recording.session == "b2"
    run("note", "--all")
    assert notes.next_session(folder, notes.notes_in(folder / "sessions"), lambda *_: True) is None
