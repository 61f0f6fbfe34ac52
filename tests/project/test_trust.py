"""What a hostile repository, a failing disk or a signal can't do: each attack that worked once, as a person would meet
it."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import PROJECT, Run

from mdtally.project import files
from mdtally.project.files import write as writing
from mdtally.transcript import reading

TALLIES = "---\nkind: session\n---\n\nA_P: 3 | A_R: 1 | A_T: 12\n"
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(PROJECT)}


def start(*arguments: str) -> subprocess.Popen[str]:
    """The program as a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "mdtally", *arguments],
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def project() -> Path:
    """A repository below the test's folder, so that there is an outside."""
    folder = Path("project")
    (folder / ".git").mkdir(parents=True)
    (folder / "session.md").write_text(TALLIES)
    return folder


# -- The boundary -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("log", "why"),
    [
        ("../outside.jsonl", "it leads out of"),
        ("link/outside.jsonl", "it leads out of"),
        ("~/outside.jsonl", "it leads out of"),
        ("../.bashrc", "log has to be a path in quotes that ends in .jsonl"),
    ],
)
def test_a_log_can_not_be_planted_outside(run: Run, log: str, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A session named like a command, in a log that a shell would run: nothing is written, the note included."""
    folder = project()
    monkeypatch.setenv("HOME", str(Path.cwd()))
    (folder / "mdtally.toml").write_text(f'log = "{log}"\n')
    (folder / "link").symlink_to(Path.cwd())
    note = folder / "session.md"
    note.write_text(note.read_text().replace("kind:", "session: $(touch pwned)\nkind:"))
    before = note.read_text()
    ran = run("verdict", note)
    assert ran.code == 2
    assert why in ran.err
    assert note.read_text() == before
    assert sorted(path.name for path in Path().iterdir()) == [".git", "project"]


def test_the_user_may_say_that_a_log_lies_outside(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a flag, or in the configuration of their own; the repository's can't say it of itself."""
    folder = project()
    note = folder / "session.md"
    (folder / "mdtally.toml").write_text('log = "../outside.jsonl"\nallow-outside = true\n')
    assert "only your own configuration" in run("verdict", note).err
    (folder / "mdtally.toml").write_text('log = "../outside.jsonl"\n')
    assert run("verdict", note).code == 2
    own = Path("own/mdtally/mdtally.toml")
    own.parent.mkdir(parents=True)
    own.write_text("allow-outside = true\n")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(Path("own").absolute()))
    assert run("verdict", note).code == 0
    assert len(Path("outside.jsonl").read_text().splitlines()) == 1
    assert run("verdict", note, "--isolated").code == 0


@pytest.mark.parametrize("config", [None, "", "[lint]\nmode = 'warn'\n"])
def test_globs_of_the_users_own_configuration_start_in_the_project(
    run: Run, monkeypatch: pytest.MonkeyPatch, config: str | None
) -> None:
    """In the folder of its configuration, or in its root where it has none."""
    folder = project()
    if config is not None:
        (folder / "mdtally.toml").write_text(config)
    for path in (folder / "drafts" / "x" / "a.md", folder / "b.draft.md", folder / "drafts" / "talk.md"):
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text("Ana - One.\n\nBen - Two.\n")
    own = Path("own/mdtally/mdtally.toml")
    own.parent.mkdir(parents=True)
    form = "[[transcript]]\nfiles = 'drafts/talk.md'\nturn = '{speaker} - {text}'\n"
    own.write_text(f"lint.exclude = ['*.draft.md', 'drafts/x']\n{form}")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(Path("own").absolute()))
    found = json.loads(run("turns", folder, "--output-format", "json").out)["files"]
    assert {Path(one["filename"]).name: len(one["turns"]) for one in found} == {"session.md": 0, "talk.md": 2}


def test_a_home_that_is_no_folder_has_no_configuration(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Build servers run programs with such a home; git takes it so, too."""
    monkeypatch.setenv("HOME", os.devnull)
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    Path("a.md").write_text("[A_P: asked twice]\n")
    assert [run(*command.split()).code for command in ("lint a.md", "verdict a.md", "config show a.md")] == [0, 0, 0]
    assert run("lint", "a.md/b.md").err.startswith("error: a.md/b.md: not a directory\n")


@pytest.mark.parametrize("text", ["export PATH=x\n", '{"name": "package"}\n'])
def test_a_file_that_is_no_log_is_not_appended_to(run: Run, text: str) -> None:
    """Its last whole line has to be a record."""
    folder = project()
    (folder / "mdtally.toml").write_text('log = "other.jsonl"\n')
    (folder / "other.jsonl").write_text(text)
    ran = run("verdict", folder / "session.md")
    assert ran.code == 2
    assert "its last line is none that mdtally writes" in ran.err
    assert (folder / "other.jsonl").read_text() == text
    assert (folder / "session.md").read_text() == TALLIES


def test_a_log_can_not_make_history_look_into_a_note(run: Run) -> None:
    """A log is a repository's: ``history`` groups by what its lines hold, and opens no note that they name."""
    folder = project()
    (folder / "session.md").write_text(TALLIES.replace("kind: session", "kind: session\nstakes: private-words"))
    assert run("verdict", folder / "session.md").code == 0
    log = folder / "state" / "calibration-log.jsonl"
    (folder / "session.md").rename("outside.md")
    for source in ("session.md", "../outside.md", Path("outside.md").absolute().as_posix()):
        log.write_text(json.dumps({**json.loads(log.read_text()), "source": source}) + "\n")
        assert run("history", log).code == 0
        ran = run("history", log, "--by", "stakes")
        assert ran.code == 2
        assert "have no key 'stakes'" in ran.err
        assert "private-words" not in ran.out + ran.err


@pytest.mark.parametrize("target", [".git/hooks/post-checkout", "../outside.jsonl"])
def test_a_link_in_the_place_of_a_log_plants_nothing(run: Run, target: str) -> None:
    """Of the calibration log or of the kept opinions: neither outside nor a file of another kind inside."""
    folder = project()
    (folder / "state").mkdir()
    (folder / ".git" / "hooks").mkdir()
    for name in ("calibration-log.jsonl", "opinions.jsonl"):
        (folder / "state" / name).symlink_to((folder / target).absolute())
    ran = run("verdict", folder / "session.md")
    assert ran.code == 2
    (folder / "debate.md").write_text(DEBATE)
    Path("answer.py").write_text("""print('{"takes_issue": "yes", "send_back": "no", "quote": "such a clear plan"}')""")
    (folder / "state" / "calibration-log.jsonl").unlink()
    ran = run("lint", folder / "debate.md", "--ask", shlex.join([sys.executable, "answer.py"]))
    assert "1 call made, " in ran.err
    assert "a symbolic link" in ran.err
    assert not (folder / target).exists()


def test_a_template_can_not_show_another_file(run: Run) -> None:
    """A link in the repository's folder of templates put any file into a prompt."""
    folder = project()
    Path("secret").write_text("private words")
    (folder / "mine").mkdir()
    (folder / "mine" / "session.md").symlink_to(Path("secret").absolute())
    (folder / "mdtally.toml").write_text('templates = "mine"\n')
    ran = run("new", "session", folder / "a.md")
    assert ran.code == 2
    assert "private" not in ran.out + ran.err
    assert not (folder / "a.md").exists()
    (folder / "mdtally.toml").write_text(f'templates = "{Path.cwd().as_posix()}"\n')
    Path("session.md").symlink_to(Path("secret"))
    assert run("new", "session", folder / "a.md").code == 2


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_a_planted_configuration_is_told_and_ignored(run: Run) -> None:
    Path("mdtally.toml").write_text('[lint]\nmode = "off"\n')
    os.chown("mdtally.toml", 12345, 12345)
    ran = run("config", "show")
    assert ran.code == 0
    assert 'lint.mode = "warn"' in ran.out
    assert "ignored, because it belongs to another user" in ran.err


def test_modules_of_the_working_directory_are_not_imported(tmp_path: Path) -> None:
    """``python -m`` puts it first; the repository that is checked could hold a module with a library's name."""
    for name in ("typer", "yaml", "mistune", "frontmatter", "tomllib", "fractions"):
        (tmp_path / f"{name}.py").write_text("open('pwned', 'w')\n")
    (tmp_path / "session.md").write_text(TALLIES.replace("kind:", "a: {b: 1}\nkind:"))
    for arguments in (["verdict", "session.md"], ["--help"], ["lint", "session.md"]):
        process = subprocess.run(
            [sys.executable, "-m", "mdtally", *arguments],
            cwd=tmp_path,
            env=ENVIRONMENT,
            capture_output=True,
            text=True,
            check=False,
        )
        assert process.returncode == 0, process.stderr
    assert not (tmp_path / "pwned").exists()


# -- Paths ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["~nosuchuser/a.md", "x" * 300 + ".md", "no/such/folder/a.md", "a.md/b.md"])
@pytest.mark.parametrize("command", ["lint", "verdict", "turns", "regenerate"])
def test_paths_that_can_not_be_are_one_clear_line(run: Run, command: str, name: str) -> None:
    """Usage, exit 2, and no bug of ours."""
    Path("a.md").write_text("words\n")
    ran = run(command, name)
    assert ran.code == 2
    assert "bug" not in ran.err
    assert ran.err.count("rror") == 1
    assert "\0" not in ran.err


@pytest.mark.parametrize("name", ["\x1b]0;owned\x07.md", "::add-mask::x.md"])
def test_names_of_files_are_inert(run: Run, name: str) -> None:
    """One with an escape sequence does not reach the terminal, and none is a workflow command."""
    try:
        shutil.copyfile(PROJECT / "examples" / "debate-flagged.md", name)
    except OSError:
        pytest.skip("this file system has no such names")
    for command in (f"lint {name}", f"verdict {name}", f"turns {name}", f"regenerate {name}", f"lint {name}x"):
        ran = run(*command.split())
        assert not re.search(r"\x1b|^\s*::", ran.out + ran.err, re.MULTILINE)


def test_what_is_written_is_named_so_that_a_shell_finds_it(run: Run) -> None:
    """A survey and a plugin, in a folder whose name would clear the screen: nothing of it reaches the terminal."""
    shutil.copyfile(PROJECT / "examples" / "session-untagged.md", "chat.md")
    Path("a\x1b[2J").mkdir()
    for command in ("survey chat.md --size 5 -o a\x1b[2J/s.md", "new agent a\x1b[2J/p"):
        ran = run(*command.split())
        assert ran.code == 0 and "\x1b" not in ran.out + ran.err and "$'a\\x1b[2J/" in ran.out + ran.err


def test_in_the_root_folder_a_path_is_named_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Editors start their servers there: "home/me/a.md" would lead nowhere from where the person is."""
    monkeypatch.chdir(tmp_path.anchor)
    assert files.display_path(tmp_path / "a.md") == str(tmp_path / "a.md")


@pytest.mark.parametrize("command", [["lint", "a.md"], ["verdict", "a.md"], ["config", "show"], ["history"]])
def test_a_working_directory_that_is_gone(tmp_path: Path, command: list[str]) -> None:
    """Exit 2 and one line, not a bug."""
    gone = tmp_path / "gone"
    gone.mkdir()
    script = f"import shutil; shutil.rmtree({str(gone)!r}); from mdtally.doors.cli import main; exit(main())"
    ran = subprocess.run(
        [sys.executable, "-c", script, *command],
        cwd=gone,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 2, ran.stderr
    assert "bug" not in ran.stderr
    assert "Traceback" not in ran.stderr


def test_a_large_input_is_refused_by_name(run: Run) -> None:
    """And the other files of the call are done."""
    with Path("large.md").open("wb") as file:
        file.truncate(files.LIMIT + 1)
    Path("b.md").write_text("A_P: one\n")
    ran = run("lint", "large.md", "b.md")
    assert ran.code == 2
    assert "large.md: larger than 32 MB" in ran.err
    assert "b.md" in ran.out


@pytest.mark.parametrize("stream", ["ascii", "latin-1", "cp1252"])
def test_a_stream_that_can_not_show_everything_is_no_bug(tmp_path: Path, stream: str) -> None:
    """A pipe on Windows has such an encoding; what programs read is UTF-8 everywhere."""
    (tmp_path / "d\u0416.md").write_text(DEBATE, "utf-8")
    for how in ("concise", "json"):
        ran = subprocess.run(
            [sys.executable, "-m", "mdtally", "lint", "d\u0416.md", "--output-format", how],
            cwd=tmp_path,
            env={**ENVIRONMENT, "PYTHONIOENCODING": stream},
            capture_output=True,
            check=False,
        )
        assert ran.returncode == 1, ran.stderr
        assert "d\u0416.md" in ran.stdout.decode()


# -- Globs ------------------------------------------------------------------------------------------------------------


def test_excluded_files_stay_out_also_where_a_hook_names_them(run: Run) -> None:
    """pre-commit names every file that changed."""
    Path("mdtally.toml").write_text('[lint]\nexclude = "drafts"\n')
    Path("drafts").mkdir()
    Path("drafts/a.md").write_text("A_P: one\n")
    assert run("lint", "drafts/a.md").code == 1
    assert run("lint", "drafts/a.md", "--force-exclude").code == 0
    assert run("verdict", "--check", "drafts/a.md", "--force-exclude").code == 0
    hooks = (PROJECT / ".pre-commit-hooks.yaml").read_text()
    assert hooks.count("--force-exclude\n") == hooks.count("entry:")


def test_a_hostile_glob_of_a_repository_costs_nothing(run: Run) -> None:
    """It took a minute a file."""
    Path("mdtally.toml").write_text(f'[lint]\nexclude = "{"*a" * 60}b"\n')
    Path("a" * 120 + ".md").write_text("words\n")
    assert run("lint", ".").code == 0
    Path("mdtally.toml").write_text('[lint]\nexclude = ["ok", "x["]\n')
    ran = run("lint", ".")
    assert ran.code == 2
    assert "mdtally.toml:2:1: lint.exclude" in ran.err
    assert "never closed" in ran.err


def test_quoted_globs_and_gitignore(run: Run) -> None:
    """The same files on every machine, and those that git does not see aren't searched."""
    for name in ("a/b/one.md", "a/two.md", "built/three.md"):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text("A_P: one\n")
    Path(".gitignore").write_text("built/\n")
    found = run("lint", "--output-format", "concise", "a/**/*.md").out
    assert [name in found for name in ("one.md", "two.md", "three.md")] == [True, True, False]
    found = run("lint", "--output-format", "concise", ".").out
    assert [name in found for name in ("one.md", "two.md", "three.md")] == [True, True, False]
    Path("sessions").mkdir()
    Path("sessions/four.md").write_text("A_P: 1\n")
    Path(".gitignore").write_text("built/\nsessions/\n")
    # Private notes are kept out of git, and judged.
    found = run("verdict", "--check", ".").out
    assert ("three.md" in found, "four.md" in found) == (False, True)
    ran = run("lint", "nothing/*.md")
    assert ran.code == 2
    assert "bug" not in ran.err


# -- Writes -----------------------------------------------------------------------------------------------------------


def test_what_is_saved_while_verdict_works_is_kept(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The note is what the person saved, the exit code 2, and the next run puts it right."""
    path = Path("session.md")
    path.write_text(TALLIES)
    real = writing._append

    def save(descriptor: int, data: bytes) -> None:
        real(descriptor, data)
        path.write_text(TALLIES + "A paragraph.\n")

    monkeypatch.setattr(writing, "_append", save)
    ran = run("verdict", path)
    assert ran.code == 2
    assert "changed while I read it" in ran.err
    assert path.read_text() == TALLIES + "A paragraph.\n"
    monkeypatch.undo()


def test_a_note_with_two_names_is_refused(run: Run) -> None:
    """Replacing one of them would tear them apart."""
    Path("a.md").write_text(TALLIES)
    os.link("a.md", "b.md")
    ran = run("verdict", "a.md")
    assert ran.code == 2
    assert "hard links" in ran.err
    assert Path("a.md").read_text() == Path("b.md").read_text() == TALLIES
    assert not Path("state").exists()


def test_a_note_that_got_a_second_name_gets_no_second_line(run: Run) -> None:
    """Each run would take the one for the other, renamed; without the first name it is."""
    Path("a.md").write_text(TALLIES)
    run("verdict", "a.md")
    os.link("a.md", "b.md")
    log = Path("state/calibration-log.jsonl")
    for _ in range(2):
        ran = run("verdict", ".")
        assert ran.code == 2 and "hard links" in ran.err and len(log.read_text().splitlines()) == 1
    Path("a.md").unlink()
    assert run("verdict", ".").code == 0 and len(log.read_text().splitlines()) == 2


def test_a_link_out_of_the_repository_is_not_written(run: Run) -> None:
    """Neither the note it leads to nor a line about it, unless the user says so; in a folder it is told."""
    folder = project()
    Path("other.md").write_text(TALLIES)
    (folder / "link.md").symlink_to(Path("other.md").absolute())
    for words in (["verdict", folder / "link.md"], ["lint", folder]):
        ran = run(*words)
        assert ran.code == 2
        assert "--allow-outside" in ran.err
    assert Path("other.md").read_text() == TALLIES
    assert not (folder / "state").exists()
    assert run("lint", "--allow-outside", folder).code == 0
    assert run("verdict", "--allow-outside", folder / "link.md").code == 0
    assert Path("other.md").read_text() != TALLIES


def test_four_forms_at_once_are_all_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each process reads, edits and writes the configuration under a lock."""
    monkeypatch.chdir(tmp_path)
    Path("mdtally.toml").write_text("# mine\n")
    Path("a.md").write_text("## Ana\n\nSplit it.\n\n## Ben\n\nWhy?\n")
    globs = [f"{name}/**" for name in "abcd"]
    started = [start("turns", "a.md", "--turn", "## {speaker}", "--save", glob) for glob in globs]
    assert [process.wait() for process in started] == [0] * 4
    text = Path("mdtally.toml").read_text()
    for process in started:
        process.communicate()
    assert text.startswith("# mine\n") and all(f'files = "{glob}"' in text for glob in globs)


def test_a_byte_order_mark_stays(run: Run) -> None:
    """A configuration saved by an editor that writes one."""
    Path("mdtally.toml").write_bytes(b"\xef\xbb\xbf# mine\r\n")
    Path("a.md").write_text("## Ana\n\nSplit it.\n\n## Ben\n\nWhy?\n")
    assert run("turns", "a.md", "--turn", "## {speaker}", "--save", "*.md").code == 0
    assert Path("mdtally.toml").read_bytes().startswith(b"\xef\xbb\xbf# mine\r\n")


DEBATE = """\
---
kind: debate
agents: [Ana, Ben]
---
## Round 1

### Ana

Launch on the ninth. The audit closes on the sixth, and both findings are fixed in the branch already.

### Ben

Great point! I agree with Ana on every count, and I have nothing to add to such a clear plan.
"""


@pytest.mark.parametrize("number", ["SIGTERM", "SIGHUP", "SIGINT"])
def test_a_signal_ends_the_command_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: str) -> None:
    """Nothing goes on running, nothing is left beside the note, and the note is as it was."""
    monkeypatch.chdir(tmp_path)
    Path("debate.md").write_text(DEBATE)
    Path("slow.py").write_text("import os, time\nopen('pid', 'w').write(str(os.getpid()))\ntime.sleep(60)\n")
    process = start("regenerate", "debate.md", "--with", shlex.join([sys.executable, "slow.py"]))
    while not (Path("pid").exists() and Path("pid").read_text()):
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(getattr(signal, number))
    assert process.wait(20) == 128 + getattr(signal, number)
    process.communicate()
    with pytest.raises(ProcessLookupError):
        os.kill(int(Path("pid").read_text()), 0)
    assert sorted(path.name for path in Path().iterdir()) == ["debate.md", "pid", "slow.py"]
    assert Path("debate.md").read_text() == DEBATE


def test_behind_nohup_a_closed_terminal_ends_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("debate.md").write_text(DEBATE)
    slow = "import os, time\nopen('pid', 'w').write('here')\ntime.sleep(1)\nprint('no')\n"
    Path("slow.py").write_text(slow)
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        process = start("regenerate", "debate.md", "--with", shlex.join([sys.executable, "slow.py"]))
    finally:
        signal.signal(signal.SIGHUP, before)
    while not (Path("pid").exists() and Path("pid").read_text()):
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(signal.SIGHUP)
    process.communicate()
    assert process.returncode == 1  # the answer is one word, and still flagged


def test_whoever_keeps_the_output_open_is_not_waited_for(run: Run) -> None:
    """A program's own child in a session of its own, which no signal reaches."""
    Path("debate.md").write_text(DEBATE)
    Path("forks.py").write_text(
        "import subprocess, sys\nsubprocess.Popen([sys.executable, '-c', 'import time; time.sleep(8)'],"
        " start_new_session=True)\n"
    )
    ran = run("regenerate", "debate.md", "--with", shlex.join([sys.executable, "forks.py"]), "--timeout", "1")
    assert ran.code == 1
    assert "its answer is empty" in ran.err
    assert Path("debate.md").read_text() == DEBATE


@pytest.mark.parametrize(
    "pattern",
    [
        pytest.param(r"/(?:a|a)*(?P<speaker>x)/", id="a repeat of the same twice"),
        pytest.param("/(?=(?P<speaker>.*.*.*.*.*.*.*x))/", id="repeats side by side"),
        pytest.param("{any} a {any} a {any} a {speaker} a {any} b {text} a", id="a template of many fields"),
    ],
)
def test_a_hostile_pattern_of_a_repository_ends_and_is_told(
    run: Run, pattern: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such a pattern would take years on one line; who is asked about it is a person."""
    monkeypatch.setattr(reading, "LONGEST", 0.3)
    Path("mdtally.toml").write_text(f"[[transcript]]\nfiles = '**'\nturn = '{pattern}'\n")
    Path("chat.md").write_text(f"{'a' * 5000}{' a b' * 2000}!\n")
    ran = run("lint", "chat.md")
    assert ran.code == 1
    assert "a pattern of the configuration takes too long on this file" in ran.out


@pytest.mark.parametrize("text", ["a." * 50_000, "b/" * 50_000, "/" * 100_000, "wordError" * 10_000, "a" * 100_000])
def test_one_long_word_in_a_message_costs_nothing(run: Run, text: str) -> None:
    """It took minutes to see that it holds no link and no path."""
    head = "---\nkind: session\nparticipants: {Me: human, Agent: agent}\n---\n"
    Path("chat.md").write_text(f"{head}\n**Me:** {text}!\n\n**Agent:** {text}!\n")
    assert run("events", "chat.md", "--candidates").code == 0
