"""What mdtally wrote is never a session: after any command that writes, `verdict .` changes nothing."""

from __future__ import annotations

import io
import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import PROJECT, Run
from terminal import drive

from mdtally.doors.cli import main

EXAMPLES = PROJECT / "examples"
TALK = "**Me:** Are you sure? It is 3.\n\n**Agent:** You are right, it is 3.{}\n\n"
RECORDED = {"type": "user", "uuid": "1", "sessionId": "abc", "message": {"content": "It counts [A_P], and A_P: 3"}}


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sessions that are judged, a debate, a note, and a dashboard with its markers, as the example has it."""
    folder = tmp_path_factory.mktemp("vault")
    (folder / ".git").mkdir()
    (folder / ".obsidian").mkdir()
    head = "---\nkind: session\nparticipants: {Me: human, Agent: agent}\n---\n"
    for number in range(12):
        tag = " [agree pressure=pushback evidence=none]" if number % 3 else " [A_T: it looked]"
        (folder / f"2026-11-{number + 1:02} talk.md").write_text(head + TALK.format(tag) * (number + 1))
    (folder / "untagged.md").write_text(TALK.format("") * 3)
    (folder / "debate.md").write_bytes((EXAMPLES / "debate-flagged.md").read_bytes())
    (folder / "note.md").write_text("# A note\n\nWords.\n")
    (folder / "Dashboard.md").write_bytes((EXAMPLES / "vault" / "Dashboard.md").read_bytes())
    assert main(["verdict", str(folder)]) == 0
    return folder


@pytest.fixture
def vault(judged: Path, tmp_path: Path, run: Run) -> Path:
    """A copy of it, in which commands run."""
    shutil.copytree(judged, tmp_path, dirs_exist_ok=True)
    return tmp_path


def _recorded(run: Run, vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (vault / "x.jsonl").write_text(json.dumps(RECORDED) + "\n")
    run("note", "x.jsonl")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b'{"transcript_path": "x.jsonl", "cwd": "/p"}')))
    run("note", "--hook")


COMMANDS: dict[str, Callable[[Run, Path, pytest.MonkeyPatch], object]] = {
    **{
        " ".join(words): lambda run, vault, monkeypatch, words=words: run(*words)  # type: ignore[misc]
        for words in [
            ("verdict", "."),
            ("history", "--output-format", "markdown", "--write", "Dashboard.md"),
            ("history", "--output-format", "markdown", "--write", "note.md"),
            ("history", "--output-format", "markdown", "-o", "history.md"),
            ("history", "--output-format", "html", "-o", "history.html"),
            ("report", "debate.md", "-o", "report.html"),
            ("report", "2026-11-03 talk.md", "--output-format", "markdown", "-o", "report.md"),
            ("report", "debate.md", "--output-format", "markdown", "-o", "debate-report.md"),
            ("lint", ".", "--write-baseline", "baseline.json"),
            ("lint", ".", "-o", "findings.md"),
            ("lint", ".", "--fix"),
            ("turns", "untagged.md", "--accept", "1"),
            ("turns", "untagged.md", "--accept", "1", "--save", "*.md"),
            ("new", "session", "new.md"),
            ("new", "sheet", "sheet.md"),
            ("new", "debate", "new-debate.md"),
            ("new", "protocol", "protocol.md"),
            ("new", "expert", "expert.md"),
            ("new", "agent", "plugin"),
            ("regenerate", "debate.md", "-o", "prompts.md"),
        ]
    },
    "note": _recorded,
    "review": lambda run, vault, monkeypatch: drive(vault, ["review", "untagged.md"], ["q"]),
    "review --as ana": lambda run, vault, monkeypatch: drive(
        vault, ["review", "--as", "ana", "--in-order", "untagged.md"], ["a", "p", "n", "q"]
    ),
    "review --as ben": lambda run, vault, monkeypatch: drive(
        vault, ["review", "--as", "ben", "--in-order", "2026-11-03 talk.md"], ["a", "p", "n", "q"]
    ),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_after_any_command_that_writes_verdict_changes_nothing(
    run: Run, vault: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    """Dashboards, pages, blank templates, recorded notes, labelers' copies and configurations are no sessions."""
    COMMANDS[command](run, vault, monkeypatch)
    log = vault / "state" / "calibration-log.jsonl"
    before = {path: path.read_bytes() for path in vault.rglob("*") if path.is_file()}
    ran = run("verdict", ".")
    for copy in vault.glob("*.labels-*"):
        assert "a labeler's copy" in run("verdict", copy.name).out
    after = {path: path.read_bytes() for path in vault.rglob("*") if path.is_file()}
    assert ran.code == 0, ran.out
    assert {path.name for path in after if after[path] != before.get(path)} == set()
    assert len(log.read_text().splitlines()) == 12
