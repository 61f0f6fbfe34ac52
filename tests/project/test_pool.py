"""Work over processes: the same bytes as in one, and what happens if one of them, or the person, ends it."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from conftest import Run

from mdtally.project import pool

DEBATE = (
    "---\nkind: debate\nagents: [Ana, Ben]\n---\n\n### Ana\n\nThe launch is late.\n\n### Ben\n\nGreat point, Ana!\n\n"
)
LOG = "---\nkind: session\n---\n\n**Me:** why?\n\n**Agent:** You are right. [A_P: nothing new] [A_T]\n\n"
COMMANDS = (
    "lint",
    "lint --diff",
    "verdict --check",
    "turns",
    "events",
    "events --candidates",
    "report -o pages",
    "survey -o pages/survey.md",
)


def square(number: int) -> int:
    """Its square; the smaller it is, the longer it takes."""
    time.sleep(0.02 / (1 + number))
    if number == 13:
        raise ValueError("thirteen")
    if number == 17:
        os.kill(os.getpid(), signal.SIGKILL)
    return number * number


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """A folder of debates, logs, prose, and files that can't be read or have a broken configuration."""
    (tmp_path / ".git").mkdir(exist_ok=True)
    for number in range(12):
        (tmp_path / f"debate-{number}.md").write_text(DEBATE + f"### Ana\n\nNo: {number} days are too few.\n" * number)
        (tmp_path / f"log-{number}.md").write_text(LOG * number + "A_P: 3 | A_R: 0 | A_T: 2\n")
        (tmp_path / f"prose-{number}.md").write_text("# Prose\n\nNothing else.\n" * number)
    (tmp_path / "binary.md").write_bytes(b"\0\1\2" * 50)
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "mdtally.toml").write_text("[lint]\nslect = []\n")
    (tmp_path / "bad" / "one.md").write_text(DEBATE)
    return tmp_path


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_order_and_what_happened(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Results come in the order of the items; who died stands where its item stood, and what was raised is raised."""
    import multiprocessing

    context = multiprocessing.get_context(method)
    monkeypatch.setattr(multiprocessing, "get_context", lambda _: context)
    *found, died, after = pool.spread(square, [*range(13), 17, 18], 2)
    assert found == [number * number for number in range(13)]
    with pytest.raises(ValueError, match="thirteen"):
        list(pool.spread(square, range(19), 2))
    assert isinstance(died, pool.Died)
    assert died.reason.startswith("the process that was at it was killed by signal 9")
    assert after == 18 * 18


def test_a_pool_starts_where_it_pays() -> None:
    """Not for few small files; an option is obeyed, though not beyond the number of files."""
    assert pool.processes(None, [1000] * 39) == 1
    assert pool.processes(3, [1000] * 39) == 3
    assert pool.processes(3, [1000]) == 1
    assert pool.processes(1, [100_000] * 100) == 1
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    assert pool.processes(None, [1000] * 40) == pool.processes(None, [600_000] * 2 * 40) == min(cores or 1, 40)


@pytest.mark.parametrize("command", COMMANDS)
def test_the_same_bytes(run: Run, notes: Path, command: str) -> None:
    """With three processes every command says what it says with one, errors included."""
    several = run(*command.split(), "--jobs", "3", ".")
    pages = {page.name: page.read_bytes() for page in notes.glob("pages/*")}
    for page in notes.glob("pages/*"):
        page.unlink()
    assert run(*command.split(), "--jobs", "1", ".") == several
    assert {page.name: page.read_bytes() for page in notes.glob("pages/*")} == pages
    assert several.code == 2 and "binary.md" in several.err


def test_fixes_are_the_same(run: Run, notes: Path) -> None:
    """Files that several processes mend are those that one would have made."""
    before = {path: path.read_bytes() for path in notes.rglob("*.md")}
    one = run("lint", "--fix", "--jobs", "1", ".")
    mended = {path: path.read_bytes() for path in before}
    assert mended != before
    for path, data in before.items():
        path.write_bytes(data)
    assert run("lint", "--fix", "--jobs", "3", ".") == one
    assert {path: path.read_bytes() for path in before} == mended


@pytest.mark.skipif(sys.platform != "linux", reason="the program's functions are replaced in a copy of this process")
def test_a_killed_process_names_the_file(
    notes: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The other files are checked all the same, and the exit code is 2."""
    from mdtally.check import lint
    from mdtally.doors.cli import main

    def deadly(
        known: Callable[..., object], document: object, filename: str, *more: object, **options: object
    ) -> object:
        if filename == "debate-5.md":
            os.kill(os.getpid(), signal.SIGKILL)
        return known(document, filename, *more, **options)

    monkeypatch.setattr(lint, "lint", partial(deadly, lint.lint))
    monkeypatch.chdir(notes)
    assert (
        main(["lint", "--jobs", "2", "--output-format", "json", *(path.name for path in notes.glob("debate-*.md"))])
        == 2
    )
    shown, told = capfd.readouterr()
    assert "debate-5.md: the process that was at it was killed by signal 9" in told
    assert json.loads(shown)["summary"]["files"] == 12


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="no process groups")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_no_process_stays(tmp_path: Path, number: int) -> None:
    """Ctrl-C, SIGTERM and even SIGKILL end all processes, and none of them says anything."""
    for at in range(20):
        (tmp_path / f"{at}.md").write_text(DEBATE * 400)
    command = [sys.executable, "-m", "mdtally", "lint", "--jobs", "2", "."]
    with subprocess.Popen(
        command, cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, start_new_session=True
    ) as it:
        children = Path(f"/proc/{it.pid}/task/{it.pid}/children")
        while children.exists() and len(children.read_text().split()) < 2 and it.poll() is None:
            time.sleep(0.01)
        if number == signal.SIGINT:
            os.killpg(it.pid, number)
        else:
            it.send_signal(number)
        _, told = it.communicate(timeout=60)  # ends when the last process has closed the stream
    assert told == b""
    assert it.returncode == {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGKILL: -9}[number]
