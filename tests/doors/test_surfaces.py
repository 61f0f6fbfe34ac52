"""Command line, editor, Action, page and Python say the same of the same files: one table, built from what they say."""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from pathlib import Path

import pytest
from conftest import PROJECT, Run
from test_rules import ELSEWHERE, examples

pytest.importorskip("pygls.lsp.server", reason="the language server needs pygls 2, which `.[test]` brings")

from lsprotocol import types
from pygls.workspace import PositionCodec

import mdtally
from mdtally.check import rules
from mdtally.doors.cli import common, lsp
from mdtally.doors.server import shown
from mdtally.doors.server.actions import verdict_title
from mdtally.doors.server.text import EditorText, Host
from mdtally.show.findings import to_findings

SOURCES = (*sorted((PROJECT / "examples").glob("*.md")), PROJECT / "tests" / "golden" / "lsp-session.md")
LEVELS = {"error": "error", "warning": "warning", "notice": "info"}
SEVERITIES = {1: "error", 2: "warning", 3: "info"}
Found = Counter[str]
"""What a surface shows of a file: "MDT201 error", "event A_P 1 0 2", "verdict SYCOPHANTIC (...)"; each how often."""


def command_line(run: Run, path: Path) -> Found:
    """``lint``, ``events`` and ``verdict --check``."""
    findings = json.loads(run("lint", path, "--output-format", "json").out)["diagnostics"]
    register = json.loads(run("events", path, "--output-format", "json").out)["files"][0]
    first = run("verdict", "--check", path).out.split("\n")[0]
    return Counter(
        [f"{one['code']} {one['severity']}" for one in findings]
        + [f"event in line {one['line']}: {one['A_P']} {one['A_R']} {one['A_T']}" for one in register["events"]]
        + verdict(first)
    )


def verdict(line: str) -> list[str]:
    """The verdict in a line of any surface, with its n, interval and qualifier; nothing where there are no events."""
    match = re.search(r"\b(SYCOPHANTIC|OVERCORRECTED|CALIBRATED|too few to judge)\b[^(]*(\([^()]*\))", line)
    return [f"verdict {match[1]} {match[2]}"] if match else []


def editor(path: Path) -> Found:
    """Diagnostics and the offer to write the verdict."""
    opened = EditorText(path.read_text(), path.absolute(), Host(lsp.settings_of, common.now), PositionCodec())
    findings = shown.diagnostics(opened)
    return Counter(
        [f"{one.code} {SEVERITIES[one.severity or types.DiagnosticSeverity.Error]}" for one in findings]
        + verdict(verdict_title(opened))
    )


def action(run: Run, path: Path) -> Found:
    """The annotations, of which one holds all findings of a turn, and the summary's verdict."""
    found: Found = Counter(verdict(run("verdict", "--check", "--", path).out))
    for line in run("lint", "--output-format", "github", "--", path).out.splitlines():
        level, _, rest = line.removeprefix("::").partition(" ")
        properties, _, message = rest.partition("::")
        of_turn = re.findall(r"(?:^|%0A)(MDT\d{3}) [a-z-]+:", message)
        found.update(f"{code}" for code in of_turn or re.findall(r"\((MDT\d{3})", properties))
        assert level in LEVELS
    return found


def page(run: Run, path: Path) -> Found:
    """The codes that stand on the page of a debate, the events on that of a session."""
    out = run("report", path).out.partition("<h2>The rules</h2>")[0]
    events = re.findall(r"<(?:h2|p)>\d+\. It [^<]*?\(line (\d+)\)", out)
    return Counter(
        re.findall(r'class="rule-link"[^>]*>(MDT\d{3})<', out) + [f"event in line {line}" for line in events]
    )


def python(path: Path) -> Found:
    """``lint_markdown`` and ``read_session``."""
    session = mdtally.read_session(path)
    decided = session.verdict and session.verdict.A_T
    few = decided and session.verdict and session.verdict.qualifier == "inconclusive"
    return Counter(
        [f"{finding.rule.code} {finding.problem.severity}" for finding in to_findings("", mdtally.lint_markdown(path))]
        + [
            f"verdict {'too few to judge' if few else session.verdict['verdict']}"
            for _ in range(1)
            if decided and session.verdict
        ]
    )


COLUMNS = ("command line", "editor", "Action", "page", "Python")
Row = dict[str, int]


def rows(run: Run, path: Path) -> dict[str, Row]:
    """The table of one file: for each finding, event and verdict, how often each surface shows it.

    A surface that does not show such a thing has no cell: the page has a debate's findings and a session's events, by
    their lines, and Action and page know a finding's code without its severity: their cells are in rows of codes.
    """
    found = (command_line(run, path), editor(path), action(run, path), page(run, path), python(path))
    kind_of_file = json.loads(run("turns", path, "--output-format", "json").out)["files"][0]["kind"]
    table: dict[str, Row] = {}
    for what in {*found[0], *found[1]}:
        kind, short = what.split()[0], what.split(" (")[0]
        table[what] = {"command line": found[0][what]} | ({} if kind == "event" else {"editor": found[1][what]})
        if kind == "verdict":
            table[what] |= {"Action": found[2][what], "Python": found[4][short]}
        place = what.split(":")[0]
        if kind == "event" and kind_of_file == "session":
            told = sum(n for one, n in found[0].items() if one.startswith(f"{place}:"))
            table[place] = {"command line": told, "page": found[3][place]}
        if kind.startswith("MDT"):
            table[what]["Python"] = found[4][what]
            told = sum(n for one, n in found[0].items() if one.startswith(kind))
            table[kind] = {"command line": told, "Action": found[2][kind]} | (
                {"page": found[3][kind]} if kind_of_file == "debate" else {}
            )
    return table


def assert_all_agree(run: Run, path: Path) -> dict[str, Row]:
    """The table of a file, of which the cells of each row are equal."""
    table = rows(run, path)
    shown = [f"{what:<60} " + "  ".join(f"{column} {row[column]}" for column in COLUMNS if column in row)
             for what, row in sorted(table.items())]  # fmt: skip
    assert all(len(set(row.values())) == 1 for row in table.values()), "\n".join(shown)
    return table


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.name)
def test_all_surfaces_say_the_same(run: Run, source: Path) -> None:
    """Of the examples."""
    assert_all_agree(run, Path(shutil.copy(source, source.name)))


@pytest.mark.parametrize("rule", [one for one in rules.TABLE if one.name not in ELSEWHERE], ids=lambda one: one.name)
def test_each_kind_of_finding_is_shown_everywhere(run: Run, rule: rules.Rule) -> None:
    """Of the bad example of each rule."""
    path = Path("bad.md")
    path.write_text("".join(examples(rule, "Bad")[:1]))
    assert assert_all_agree(run, path)[rule.code]["Action"]


def test_the_table_has_rows_of_each_kind(run: Run) -> None:
    """Findings of the gate and of counts, events, verdicts; of the first and of events also on a page."""
    kinds, on_pages = set[str](), set[str]()
    for source in SOURCES:
        table = rows(run, Path(shutil.copy(source, source.name)))
        kinds.update(what[:4] for what in table)
        on_pages.update(what[:4] for what, row in table.items() if row.get("page"))
    assert {"MDT1", "MDT2", "even", "verd"} <= kinds
    assert {"MDT1", "even"} <= on_pages
