"""The program as a process of its own: what becomes of its output where nobody takes it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import PROJECT
from terminal import ran_into

from mdtally.doors.cli import COMMANDS, main

LINES = (
    "verdict session.md --output-format json",
    "lint debate.md",
    "regenerate debate.md",
    "turns debate.md",
    "events session.md",
    "history --output-format html",
    "plan --ceiling .2 --margin .15",
    "compare session.md other.md",
    "log check --output-format json",
    "new session",
    "note session.jsonl",
    "survey session.md --size 5",
    "rule",
    "config show",
    "events --candidates session.md",
    "report debate.md",
    "--help",
)
"""For each command a line that has something to say on stdout."""


def test_every_command_is_tried() -> None:
    # `lsp` speaks to an editor only, `review` to a person.
    assert {line.split()[0] for line in LINES} - {"--help"} | {"lsp", "review"} >= set(COMMANDS)


@pytest.mark.parametrize("line", ["lint debate.md", "report debate.md", "history calibration-log.jsonl", "note s"])
def test_no_file_is_called_like_standard_input(line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody could name it in another command."""
    shutil.copy(PROJECT / "examples" / "debate-flagged.md", tmp_path / "debate.md")
    shutil.copy(PROJECT / "examples" / "calibration-log.jsonl", tmp_path)
    monkeypatch.chdir(tmp_path)
    assert main([*line.split(), "-o", "-"]) == 2 and not Path("-").exists()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with a judged session, a second opinion on it and a debate."""
    path = tmp_path_factory.mktemp("project")
    (path / ".git").mkdir()
    shutil.copy(PROJECT / "examples" / "session.md", path / "session.md")
    shutil.copy(PROJECT / "examples" / "debate-flagged.md", path / "debate.md")
    said = {"type": "user", "uuid": "1", "sessionId": "s", "message": {"role": "user", "content": "Sort it."}}
    (path / "session.jsonl").write_text(json.dumps({**said, "timestamp": "2026-01-01T10:00:00Z"}))
    assert main(["verdict", str(path / "session.md")]) in (0, 1)
    shutil.copy(path / "session.md", path / "other.md")
    return path


@pytest.mark.parametrize("line", LINES)
def test_a_reader_that_has_seen_enough(folder: Path, line: str) -> None:
    """``... | head`` ends quietly and not as if all were clean, whether or not the output fits into the pipe."""
    reader, stdout = os.pipe()
    os.close(reader)
    complaint, code = ran_into(folder, line.split(), stdout)
    assert code == 141  # as a shell says it of SIGPIPE
    assert not any(word in complaint for word in ("rror", "Exception", "pipe"))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
@pytest.mark.parametrize("line", LINES[::3])
def test_a_full_disk_is_one_clear_line(folder: Path, line: str) -> None:
    complaint, code = ran_into(folder, line.split(), os.open("/dev/full", os.O_WRONLY))
    assert code == 2
    assert [text for text in complaint.splitlines() if "rror" in text] == [
        "error: no space left on device; no file was half-written"
    ]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
@pytest.mark.parametrize("line", ["lint debate.md", "lint missing.md", "lint --nonsense"])
def test_where_nothing_can_be_told_the_exit_code_is_no_finding(folder: Path, line: str) -> None:
    """Standard error is full: of a file with findings, an error of its own, a usage error."""
    environment = {**os.environ, "PYTHONPATH": str(PROJECT)}
    command = [sys.executable, "-m", "mdtally", *line.split()]
    with open("/dev/full", "w") as full:  # noqa: PTH123
        assert (
            subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=full, env=environment).returncode == 2
        )
