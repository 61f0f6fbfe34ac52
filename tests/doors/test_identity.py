"""Which session a note is: after branches, merges, renames, copies and edits, and on a page used again each day."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import Run

LOG = Path("state/calibration-log.jsonl")
TWELVE = "# Talk\n\n" + "".join(f"Reply {number}. [A_{letter}]\n\n" for number, letter in enumerate("PTTTTTRTTTPT"))


def git(*words: str) -> None:
    """Run git in the working directory."""
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *identity, *words], check=True, capture_output=True)


def events(run: Run) -> int:
    """How many events the history has."""
    groups = json.loads(run("history", "--output-format", "json").out)["groups"]
    return sum(group["events"] for group in groups)


@pytest.fixture
def branches(run: Run) -> Run:
    """A note judged for the first time on each of two branches, with another event on one, both merged by hand."""
    shutil.rmtree(".git")
    git("init", "-q", "-b", "main")
    Path(".gitattributes").write_text("state/*.jsonl merge=union\n")
    Path("talk.md").write_text(TWELVE)
    git("add", ".")
    git("commit", "-qm", "a note")
    git("checkout", "-qb", "other")
    run("verdict", "talk.md")
    git("add", ".")
    git("commit", "-qm", "judged there")
    git("checkout", "-q", "main")
    Path("talk.md").write_text(TWELVE.replace("Reply 3. [A_T]", "Reply 3. [A_R]"))
    run("verdict", "talk.md")
    git("add", ".")
    git("commit", "-qm", "judged here")
    with pytest.raises(subprocess.CalledProcessError):
        git("merge", "-q", "other")
    return run


def test_first_verdicts_on_two_branches_are_one_session(branches: Run) -> None:
    """The log is merged by union, of the note our side is taken: twelve events, one session in the log."""
    git("checkout", "--ours", "talk.md")
    assert branches("verdict", "talk.md").code == 0
    assert events(branches) == 12
    # A merge by union puts our later line above the other branch's earlier one: its time alone may be remarked.
    assert all(": error: time: " in line for line in branches("log", "check").out.splitlines() if ": error: " in line)


def test_a_conflict_left_in_the_note_is_refused(branches: Run) -> None:
    """The note can't be judged until it is resolved, and the log has the one session."""
    before = LOG.read_bytes()
    assert "MDT013" in branches("verdict", "talk.md").out
    assert LOG.read_bytes() == before and events(branches) == 12


def test_an_older_name_stays(run: Run) -> None:
    """What an earlier version named keeps its name, wherever it lies."""
    Path("talk.md").write_text(f"---\ncalibration_session: 2026-01-05-talk-3f2a91\n---\n{TWELVE}")
    run("verdict", "talk.md")
    assert json.loads(LOG.read_text())["session"] == "2026-01-05-talk-3f2a91"


@pytest.mark.parametrize("way", ["renamed", "moved", "edited"])
def test_a_note_that_is_renamed_moved_or_edited_is_one_session(run: Run, way: str) -> None:
    """Its `source` is brought up to date, and the events are counted once."""
    path = Path("talk.md")
    path.write_text(TWELVE)
    run("verdict", path)
    if way == "edited":
        path.write_text(path.read_text() + "One more. [A_T]\n")
    else:
        target = Path("other name.md" if way == "renamed" else "2026/talk.md")
        target.parent.mkdir(exist_ok=True)
        path = path.rename(target)
    assert run("verdict", path).code == 0
    assert events(run) == 12 + (way == "edited")
    assert json.loads(LOG.read_text().split("\n")[-2])["source"] == str(path)


def test_a_session_that_is_begun_anew_is_taken_back(run: Run) -> None:
    """Its head names it, and neither a counter nor a verdict is left: the log does not go on counting it."""
    path = Path("talk.md")
    path.write_text(f"---\nsession: monday\n---\n{TWELVE}")
    run("verdict", path)
    path.write_text("---\nsession: monday\n---\n# Talk\n")
    checked = run("verdict", "--check", ".")
    assert (checked.code, checked.out[:19]) == (1, "talk.md: no verdict")
    assert "the note counts nothing any more, taken back" in run("verdict", ".").out
    assert '{"retracts": "monday"' in LOG.read_text() and "not reviewed yet" in run("verdict", path).out


def test_two_notes_that_change_places_stay_two_sessions(run: Run) -> None:
    """Neither is told to forget the other's, and the log is well."""
    Path("a.md").write_text(TWELVE)
    Path("b.md").write_text("Sure. [A_T]\n")
    run("verdict", ".")
    for old, new in (("a.md", "t"), ("b.md", "a.md"), ("t", "b.md")):
        Path(old).rename(new)
    ran = run("verdict", ".")
    assert ran.code == 0 and "forget" not in ran.out and events(run) == 13
    assert run("log", "check").code == 0


@pytest.mark.parametrize("way", ["renamed", "named anew", "copied"])
def test_a_note_that_is_headless_elsewhere_is_taken_back(run: Run, way: str) -> None:
    """It loses its keys, and the log its session; that of a copy is the original's, and stays."""
    Path("talk.md").write_text(TWELVE)
    run("verdict", "talk.md")
    other = Path(shutil.copy("talk.md", "other.md")) if way == "copied" else Path("talk.md").rename("other.md")
    name = "session: another\n" if way == "named anew" else ""
    other.write_text(other.read_text().replace("verdict:", f"{name}headless: true\nverdict:", 1))
    assert run("verdict", other).code == 0 and "calibration_id" not in other.read_text()
    assert LOG.read_text().count('{"retracts"') == (way != "copied")


def test_of_a_copy_the_new_one_is_told_to_change_and_the_original_is_judged(run: Run) -> None:
    """In one run or alone: the note that the log knows is the session."""
    Path("talk.md").write_text(TWELVE)
    run("verdict", "talk.md")
    shutil.copy("talk.md", "copy.md")
    for files in (["copy.md"], ["copy.md", "talk.md"]):
        ran = run("verdict", *files)
        assert ran.code == 1 and "MDT212" in ran.out and "of copy.md" in ran.out
    assert run("verdict", "talk.md").code == 0
    Path("talk.md").write_text(Path("talk.md").read_text() + "One more. [A_T]\n")
    assert run("verdict", "talk.md").code == 0
    assert events(run) == 13
    for number, files in enumerate((["copy.md", "talk.md"], ["talk.md", "copy.md"], ["."]), start=14):
        Path("talk.md").write_text(Path("talk.md").read_text() + "One more. [A_T]\n")
        ran, before = run("verdict", *files), Path("copy.md").read_bytes()
        assert ran.code == 1 and ran.out.count("MDT212") == 1 and "of copy.md (`calibration_session:`)" in ran.out
        assert events(run) == number and Path("copy.md").read_bytes() == before
        assert run("verdict", "--check", "talk.md").code == 0


def test_a_page_that_is_used_again_each_day(run: Run) -> None:
    """Emptied, it is told both ways; with a date of its own each day it is a session a day."""
    page = Path("today.md")
    page.write_text(TWELVE)
    run("verdict", page)
    name = json.loads(LOG.read_text())["session"]
    page.write_text("Sure. [A_T]\n\nNo. [A_R]\n")
    ran = run("verdict", page)
    assert ran.code == 1 and "`session:` of its own" in ran.out and f"`calibration_session: {name}`" in ran.out
    page.write_text(f"---\ncalibration_session: {name}\n---\n{page.read_text()}")
    assert run("verdict", page).code == 0 and events(run) == 2
    for day, tags in (("2026-03-01", "[A_T]\n"), ("2026-03-02", "[A_R]\n\n[A_T]\n")):
        page.write_text(f"---\ndate: {day}\n---\n{tags}")
        ran = run("verdict", page)
        assert ran.code == 0 and f"mdtally log forget {name}" in ran.out
    assert events(run) == 5
    assert f"mdtally log forget {name}" in run("log", "check").out
    assert run("log", "forget", name).code == 0
    assert events(run) == 3
    page.write_text(page.read_text().replace("---", "---\nheadless: true", 1))
    assert "mdtally log forget 2026-03-01-today" in run("verdict", page).out and events(run) == 1


def test_a_page_that_is_renamed_each_day(run: Run) -> None:
    """Of the new one no line is to be removed, as it names no session: a name or a date of its own makes it another.

    Nor does it take the place of the other in the log where that is put away.
    """
    page = Path("today.md")
    page.write_text(TWELVE)
    run("verdict", page)
    page.rename("monday.md")
    page.write_text("# Tuesday\n\nNo. [A_R]\n")
    run("verdict", "monday.md")
    ran = run("verdict", page)
    assert ran.code == 1 and "monday.md are both session" in ran.out and "remove line" not in ran.out
    monday = Path("monday.md").rename(Path("..") / "monday-put-away.md")
    ran = run("verdict", page)
    assert ran.code == 1 and "a file that was here and became monday.md" in ran.out and events(run) == 12
    monday.rename("monday.md")
    page.write_text(f"---\ndate: 2026-03-03\n---\n{page.read_text()}")
    assert run("verdict", ".").code == 0 and events(run) == 13


def test_what_is_to_be_forgotten_is_forgotten_from_any_folder(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command that is printed names the log; of the note, which is another session by now, nothing is asked."""
    (project := Path("my notes")).mkdir()
    (project / "mdtally.toml").touch()
    note = project / "talk.md"
    note.write_text(TWELVE)
    run("verdict", note)
    note.write_text(note.read_text().replace("calibration_session: ", "session: my-"))
    (Path("elsewhere")).mkdir()
    monkeypatch.chdir("elsewhere")
    command = run("verdict", Path("..") / note).out.rpartition("if it is not to count: mdtally ")[2]
    ran = run(*shlex.split(command))
    assert ran.code == 0 and "is taken back" in ran.err and "keeps the verdict" not in ran.err


def test_of_a_run_over_folders_without_a_project_each_note_is_in_its_own_log(run: Run) -> None:
    """The log that the first one gets, above the others, is not theirs: note and log say the same, and go on to."""
    shutil.rmtree(".git")
    for folder in ("", "a", "b"):
        Path(folder).mkdir(exist_ok=True)
        Path(folder, "talk.md").write_text(TWELVE)
    assert "3 logs: 3 written" in run("verdict", ".").err
    assert "3 logs: 3 up to date" in run("verdict", ".").err
    assert [len(Path(folder, LOG).read_text().splitlines()) for folder in ("", "a", "b")] == [1, 1, 1]
