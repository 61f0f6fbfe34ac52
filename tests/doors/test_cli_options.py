"""Command lines: what is imported for them, what they complete, and that each format is an option."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest
from conftest import PROJECT, Run
from terminal import drive

from mdtally.doors.cli import history, lint, report
from mdtally.show import history_output, lint_formats, report_output


@pytest.mark.parametrize(
    ("line", "unused"),
    [
        ("--version", "rich dataclasses mdtally.doors.cli.lint mdtally.text.model"),
        ("lint a.md", "rich dataclasses mistune yaml tomlkit tomllib jinja2 mdtally.doors.cli.verdict"),
        ("verdict a.md", "rich dataclasses mistune tomlkit jinja2 mdtally.doors.cli.lint"),
        ("--help", "rich pygls lsprotocol mdtally.doors.server"),
        ("config show", "rich dataclasses mistune yaml tomlkit"),
    ],
)
def test_a_command_imports_what_it_needs(tmp_path: Path, line: str, unused: str) -> None:
    """A hook pays for every import at each commit."""
    (tmp_path / "a.md").write_text("# Words\n")
    code = f"import sys; from mdtally.doors.cli import main; main({line.split()!r}); print(*sys.modules, sep='\\n')"
    ran = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path[:0] = {[str(PROJECT), *sys.path]!r}; {code}"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert set(unused.split()) & set(ran.stdout.splitlines()) == set()


def test_each_format_is_an_option() -> None:
    assert set(lint_formats.FORMATS) == set(get_args(lint.Format))
    assert {*report_output.PAGES, "json"} == set(get_args(report.Format))
    assert set(history_output.FORMATS) == set(get_args(history.Format))


def test_a_misspelt_command_or_option_is_told_with_the_nearest(run: Run) -> None:
    ran = run("lnt", "a.md")
    assert (ran.code, ran.out) == (2, "") and "Did you mean 'lint'" in ran.err
    ran = run("lint", "--selct", "MDT101", "a.md")
    assert ran.code == 2 and "--select" in ran.err


def test_a_file_alone_is_told_the_command_that_takes_it(run: Run) -> None:
    Path("my chat.md").write_text("**Me:** Why?\n")
    ran = run("my chat.md")
    assert (ran.code, ran.out) == (2, "") and "`mdtally review 'my chat.md'` takes it" in ran.err


def test_the_language_server_says_what_it_needs(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without its library: one line with what to install, and no trace."""
    monkeypatch.delitem(sys.modules, "mdtally.doors.server.program", raising=False)
    monkeypatch.setitem(sys.modules, "pygls", None)
    for name in [name for name in sys.modules if name.startswith("pygls.")]:
        monkeypatch.delitem(sys.modules, name)
    ran = run("lsp")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("error: ") and "pip install 'pygls>=2,<3'" in ran.err and ran.err.count("\n") == 1


def test_at_a_terminal_the_language_server_says_that_nothing_is_missing(tmp_path: Path) -> None:
    """And ends: nobody types what an editor says."""
    pytest.importorskip("pygls.lsp.server")
    shown, code = drive(tmp_path, ["lsp"], ())
    assert (shown.startswith("nothing is missing; an editor starts this command"), code) == (True, 0)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("tu", "turns"),
        ("config ", "show"),
        ("lint --stdin-f", "--stdin-filename"),
        ("lint --output-format s", "sarif"),
    ],
)
def test_words_are_completed(run: Run, monkeypatch: pytest.MonkeyPatch, line: str, expected: str) -> None:
    """Commands, those of a group, options, and their choices."""
    monkeypatch.setenv("_MDTALLY_COMPLETE", "complete_zsh")
    monkeypatch.setenv("_TYPER_COMPLETE_ARGS", f"mdtally {line}")
    assert expected in run().out


BASH = """
source <(_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION=1 mdtally --show-completion bash)
COMP_WORDS=($LINE); [ "${LINE: -1}" = " " ] && COMP_WORDS+=("")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_mdtally_completion mdtally
printf "%s\\n" "${COMPREPLY[@]}"
"""
ZSH = '_TYPER_COMPLETE_ARGS="$LINE" _MDTALLY_COMPLETE=complete_zsh mdtally'


@pytest.mark.skipif(not shutil.which("bash"), reason="there is no bash to complete in")
@pytest.mark.parametrize("script", [BASH, ZSH], ids=["bash", "zsh"])
def test_shells_complete(tmp_path: Path, script: str) -> None:
    """What is completed reaches the shell, and nothing of other places; a file's name is left to the shell."""
    program = tmp_path / "mdtally"
    program.write_text(f'#!/bin/sh\nPYTHONPATH="{PROJECT}" exec "{sys.executable}" -m mdtally "$@"\n')
    program.chmod(0o755)

    def completed(line: str) -> str:
        environment = {**os.environ, "LINE": line, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
        command = ["bash", "-c", script]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout

    of_a_group = completed("mdtally config ")
    assert "show" in of_a_group and "lint" not in of_a_group
    assert completed("mdtally lint no").strip() in ("", "_files")


@pytest.mark.parametrize("number", [199, 200])
def test_at_a_terminal_many_files_show_how_many_are_read(tmp_path: Path, number: int) -> None:
    """While several processes read them; the summary stands below."""
    for name in range(number):
        (tmp_path / f"{name}.md").write_text("# Words\n")
    shown, code = drive(tmp_path, ["lint", "--jobs", "2"], ())
    assert code == 0 and f"{number} files skipped" in shown.rpartition("]  200/200")[2]
    assert ("200/200" in shown) == (number == 200)
