"""Command lines: the quick reader reads what typer reads, and leaves to it what is wrong or unusual."""

from __future__ import annotations

import inspect
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer
from conftest import PROJECT, Run
from hypothesis import given
from hypothesis import strategies as st

from mdtally.cli import COMMANDS, program
from mdtally.cli.common import Call
from mdtally.cli.lint import COMMAND as LINT
from mdtally.cli.options import Command, read
from mdtally.cli.regenerate import COMMAND as REGENERATE

WORDS = st.lists(
    st.sampled_from(
        "a.md b c -- - --mode --mode=off off --color --no-color --exit-zero --select --select=a,b --config x "
        "--inline-config --no-inline-config --timeout 1.5 0 nan --max-regenerations 2 9 --with --diff -h -v -q -vq "
        "--nonsense --exit-zero=1 --mod --keep= --keep".split()
    ),
    max_size=7,
)


def by_typer(command: Command, words: list[str]) -> dict[str, Any] | None:
    """What typer gives to the command; None where it complains or helps."""
    given: dict[str, Any] = {}

    def run(**arguments: Any) -> None:
        given.update(arguments, ran=True)

    app = typer.Typer(add_completion=False, context_settings={"help_option_names": ["-h", "--help"]})
    wrapped = program.for_typer(command)
    run.__signature__ = wrapped.__signature__  # type: ignore[attr-defined]
    run.__annotations__ = wrapped.__annotations__
    app.command()(run)
    try:
        typer.main.get_command(app).main(args=words, standalone_mode=False)
    except Exception:
        return None
    return given if given.pop("ran", False) else None


@pytest.mark.parametrize("command", [LINT, REGENERATE], ids=["lint", "regenerate"])
@given(words=WORDS)
def test_the_quick_reader_reads_what_typer_reads(command: Command, words: list[str]) -> None:
    """Whatever it does not leave to typer has the same values there."""
    quick = read(command, words)
    if quick is not None:
        full = by_typer(command, words)
        assert full is not None
        assert {name: full[name] for name in quick} == quick


def test_what_is_plainly_right_needs_no_typer() -> None:
    assert read(LINT, ["a.md", "--mode", "off", "-v", "b.md", "--no-color"]) == {
        "paths": [Path("a.md"), Path("b.md")],
        "mode": "off",
        "verbose": True,
        "color": False,
    }
    assert read(LINT, ["--", "-v"]) == {"paths": [Path("-v")]}


def test_every_command_says_what_it_does() -> None:
    """Each module has a COMMAND whose function is documented, and takes what its table gives, of the same types."""
    for place in COMMANDS.values():
        found = __import__(f"mdtally.cli.{place}", fromlist=["COMMAND"]).COMMAND
        for command in found.values() if isinstance(found, dict) else [found]:
            assert command.run.__doc__
            parameters = inspect.signature(command.run).parameters
            own = {option.name: option for option in command.options if option.name not in Call.SHARED}
            rest = [name for name, parameter in parameters.items() if parameter.kind is parameter.VAR_KEYWORD]
            assert [*parameters] == ["call", *own] or rest
            for name, option in own.items():
                if name in parameters and not option.choices:
                    kind = f"list[{option.kind[0].__name__}]" if isinstance(option.kind, list) else option.kind.__name__
                    optional = option.default is None and not getattr(option, "is_needed", False)
                    assert parameters[name].annotation == kind + " | None" * optional, (place, name)


@pytest.mark.parametrize(
    ("line", "unused"),
    [
        ("--version", "typer re typing pathlib"),
        ("lint a.md", "typer dataclasses inspect mistune yaml tomlkit tomllib msgspec subprocess"),
        ("verdict a.md", "typer inspect mistune tomlkit msgspec subprocess jinja2"),
        ("--help", "pygls lsprotocol mdtally.server"),
        ("config show", "typer dataclasses inspect mistune yaml tomlkit msgspec subprocess"),
    ],
)
def test_a_command_imports_what_it_needs(tmp_path: Path, line: str, unused: str) -> None:
    """A hook pays for every import at each commit."""
    (tmp_path / "a.md").write_text("# Words\n")
    code = f"import sys; from mdtally.cli import main; main({line.split()!r}); print(*sys.modules, sep='\\n', end='')"
    ran = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path[:0] = {[str(PROJECT), *sys.path]!r}; {code}"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert set(unused.split()) & set(ran.stdout.splitlines()) == set()


def test_the_language_server_says_what_it_needs(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without its library: one line with what to install, and no trace."""
    monkeypatch.delitem(sys.modules, "mdtally.server.program", raising=False)
    monkeypatch.setitem(sys.modules, "pygls", None)
    for name in [name for name in sys.modules if name.startswith("pygls.")]:
        monkeypatch.delitem(sys.modules, name)
    ran = run("lsp")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("error: ") and "pip install 'pygls>=2,<3'" in ran.err and ran.err.count("\n") == 1


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
    """Commands, those of a group, and options; a file's name is left to the shell."""
    program = tmp_path / "mdtally"
    program.write_text(f'#!/bin/sh\nPYTHONPATH={PROJECT} exec {sys.executable} -m mdtally "$@"\n')
    program.chmod(0o755)

    def completed(line: str) -> str:
        environment = {**os.environ, "LINE": line, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
        command = ["bash", "-c", script]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout

    assert "turns" in completed("mdtally tu")
    assert "show" in completed("mdtally config ")
    assert "lint" not in completed("mdtally config ")
    assert "--stdin-filename" in completed("mdtally lint --stdin-f")
    assert completed("mdtally lint no").strip() in ("", "_files")
