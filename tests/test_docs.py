"""README and docs say what is true: their examples are run, commands are all documented, links lead somewhere."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import PROJECT, Run

from mdtally.check.rules import TABLE
from mdtally.doors.cli import COMMANDS
from mdtally.show import events_output, lint_formats, report_output, turns_output, verdict_output
from mdtally.transcript.exporters import exporters

UPDATE = bool(os.environ.get("UPDATE_GOLDEN"))
TOP = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "examples/README.md")
FOLDERS = (PROJECT / "docs", PROJECT / "docs" / "reference")
PAGES = [*(PROJECT / name for name in TOP), *(page for folder in FOLDERS for page in sorted(folder.glob("*.md")))]
CONSOLE = re.compile(r"^```console\n(?P<body>.*?)^```$", re.M | re.S)
# What differs from run to run.
VARIES = re.compile(r"as [0-9a-f]{16}")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_console_blocks_show_what_is_printed(run: Run, page: Path) -> None:
    """Each command of a page is run in a copy of the examples, none changes one; UPDATE_GOLDEN=1 writes what it prints.

    `.demo` holds the copies that the README's first line makes.
    """
    text = page.read_text()
    for block in CONSOLE.finditer(text):
        for folder in ("examples", ".demo"):
            shutil.copytree(PROJECT / "examples", folder, dirs_exist_ok=True)
        Path(".demo/mdtally.toml").touch()
        shutil.rmtree("state", ignore_errors=True)
        command = block["body"].splitlines()[0]
        assert command.startswith("$ mdtally ")
        ran = run(*shlex.split(command[len("$ mdtally ") :]))
        shown = f"{command}\n{ran.out}{ran.err}"
        for path in (PROJECT / "examples").glob("*.*"):
            assert (Path("examples") / path.name).read_bytes() == path.read_bytes()
        if UPDATE:
            text = text.replace(block["body"], shown)
        else:
            assert VARIES.sub("as ID", block["body"]) == VARIES.sub("as ID", shown)
    if UPDATE:
        page.write_text(text)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_blocks_run(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The Python examples work as they stand."""
    for match in re.finditer(r"^```python\n(.*?)^```$", page.read_text(), re.M | re.S):
        exec(compile(match[1], str(page), "exec"), {})
        assert capsys.readouterr().out


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    """Every relative link in the documentation names a file that is there, and a heading of it."""
    for target, anchor in re.findall(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)", page.read_text()):
        linked = page.parent / target if target else page
        assert linked.exists(), target
        if anchor:
            headings = re.findall(r"^#+ (.*)$", linked.read_text(), re.M)
            assert anchor in {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}, anchor


MOST_WORDS = 900
"""How long a page for users may be; measurements, lists of everything and long outputs stand in docs/reference."""


@pytest.mark.parametrize(
    "page", [PROJECT / "README.md", *sorted((PROJECT / "docs").glob("*.md"))], ids=lambda page: page.name
)
def test_a_page_for_users_is_short(page: Path) -> None:
    """Words as `wc -w` counts them."""
    assert len(page.read_text("utf-8").split()) <= MOST_WORDS


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_page_is_linked(page: Path) -> None:
    """A page that no other page leads to is not found."""
    links = (
        (other.parent / target).resolve()
        for other in PAGES
        if other != page
        for target in re.findall(r"\]\((?!https?:)([^)#\s]+)", other.read_text("utf-8"))
    )
    assert page.name == "README.md" or page in links


def test_every_command_is_documented(run: Run) -> None:
    """In the table of commands and in the help, with help for every option."""
    page = (PROJECT / "docs" / "commands.md").read_text()
    listing = run("--help").out
    for name in COMMANDS:
        assert f"`mdtally {name}" in page
        assert name in listing
        shown = run(name, "--help")
        assert shown.code == 0
        assert "Usage: mdtally" in shown.out


def test_every_command_that_is_named_exists() -> None:
    """In pages, templates, messages and docstrings: "`mdtally verdict FILE`"."""
    places = ((PROJECT / "docs", "*.md"), (PROJECT / "templates", "*.*"), (PROJECT / "mdtally", "*.py"))
    files = [*PAGES, *(path for folder, names in places for path in folder.rglob(names))]
    named = {word for path in files for word in re.findall(r"`mdtally ([a-z]+)", path.read_text("utf-8"))}
    assert {"review", "verdict"} <= named <= set(COMMANDS)


def test_every_format_is_documented() -> None:
    """The page on outputs names every format of the tables."""
    page = (PROJECT / "docs" / "output.md").read_text(encoding="utf-8")
    tables = (
        lint_formats.FORMATS,
        turns_output.FORMATS,
        verdict_output.FORMATS,
        events_output.FORMATS,
        report_output.PAGES,
    )
    for name in (name for table in tables for name in table):
        assert f"`{name}`" in page
    for path in (PROJECT / "docs" / "schemas").iterdir():
        assert f"(schemas/{path.name})" in page


def test_every_form_is_documented() -> None:
    """Whoever adds an exporter says whose form it is."""
    text = (PROJECT / "docs/reference/reading.md").read_text(encoding="utf-8")
    assert [row.name for row in exporters() if f"`{row.name}`" not in text] == []


def test_the_two_lines_of_the_readme_are_there() -> None:
    """One line that shows a verdict, one that runs the tests."""
    lines = (PROJECT / "README.md").read_text().splitlines()
    assert sum(line.endswith("# run") for line in lines) == 1
    assert sum(line.endswith("# test") for line in lines) == 1


@pytest.mark.parametrize("folder", [".git", "docs"])
def test_the_line_that_shows_a_verdict_runs(tmp_path: Path, folder: str) -> None:
    """Behind its installation, in a clone and in an unpacked archive."""
    (line,) = re.findall(r"mkdir -p \.demo.*(?=  # run$)", (PROJECT / "README.md").read_text(), re.M)
    (tmp_path / folder).mkdir()
    shutil.copytree(PROJECT / "examples", tmp_path / "examples")
    line = line.replace(".venv/bin/mdtally", f"{shlex.quote(sys.executable)} -m mdtally")
    environment = {**os.environ, "PYTHONPATH": str(PROJECT)}
    ran = subprocess.run(line, shell=True, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert '"verdict": "SYCOPHANTIC"' in ran.stdout.splitlines()[-1]


def test_nothing_is_installed_by_the_name_of_mdtally() -> None:
    """It is on no package index, where the name could be somebody else's: a clone is named, or another package."""
    written = [
        *PAGES,
        PROJECT / "action.yml",
        *(PROJECT / "mdtally").rglob("*.py"),
        *(PROJECT / "examples").rglob("*.py"),
    ]
    written += [path for path in (PROJECT / "editors" / "vscode").iterdir() if path.suffix in (".js", ".md")]
    by_name = re.compile(r"pipx? install (?:-\S+ )*['\"]?mdtally\b")
    assert [path for path in written if by_name.search(path.read_text(encoding="utf-8"))] == []


def test_the_changelog_names_this_version() -> None:
    """Whoever updates reads it."""
    from mdtally.text.about import __version__

    assert f"## {__version__}" in (PROJECT / "CHANGELOG.md").read_text()


@pytest.mark.parametrize("path", sorted((PROJECT / "examples").glob("*.md")), ids=lambda path: path.name)
def test_every_example_is_mentioned(path: Path) -> None:
    """An example that nobody can find is none: the index has it."""
    assert path.name == "README.md" or f"]({path.name})" in (PROJECT / "examples" / "README.md").read_text()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_rules_that_are_named_exist(page: Path) -> None:
    """Each code, and each name that stands behind its code, is one of the table's."""
    codes = {rule.code: rule.name for rule in TABLE}
    for code, name in re.findall(r"\b(MDT\d{3})(?:[ -]([a-z]+(?:-[a-z]+)+))?", page.read_text()):
        assert code in codes
        assert not name or codes[code] == name
