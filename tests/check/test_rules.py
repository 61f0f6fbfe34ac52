"""The set of rules: every rule has a page, its bad example is found and its good one is not, and nothing drifts."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import get_args

import pytest
import yaml

from mdtally.check import lint, rules
from mdtally.check.rules import Rule
from mdtally.gate.result import FailureKind
from mdtally.project.settings import Settings
from mdtally.text.document import parse
from mdtally.text.model import SEVERITIES, Problem

PROJECT = Path(__file__).resolve().parents[2]
PAGES = PROJECT / "docs" / "rules"
SECTIONS = ("What it checks", "Why", "Bad", "Good", "Known false positives")
ALL = pytest.mark.parametrize("rule", rules.TABLE, ids=lambda rule: rule.name)
UPDATE = bool(os.environ.get("UPDATE_GOLDEN"))


def section(rule: Rule, title: str) -> str:
    """The text of one section of a rule's page."""
    match = re.search(rf"^## {title}\n\n(.*?)(?=^## (?:{'|'.join(SECTIONS)})\n|\Z)", rule.page.text, re.M | re.S)
    assert match, f"{rule.name} has no section {title!r}"
    return match[1].strip()


def examples(rule: Rule, title: str) -> list[str]:
    """The files that a section shows; a turn alone is set into a debate, after somebody else's."""
    head = "---\nkind: debate\nparticipants: { Ana: agent, Ben: agent }\n---\n"
    opening = "The queue hides the overload instead of removing it, and the callers wait forty seconds for a refusal."
    texts = [match[2] for match in re.finditer(r"^(`{3,})markdown\n(.*?)^\1$", section(rule, title), re.M | re.S)]
    return [
        text
        if not rule.code.startswith("MDT1") or text.startswith(("#", "---", "<!--"))
        else f"{head}## Round 1\n\n### Ana\n\n{opening}\n\n### Ben\n\n{text}"
        for text in texts
    ]


def findings(text: str, rule: Rule) -> list[Problem]:
    """What one rule finds in a file."""
    selection = frozenset({rule.name, "too-short"})
    settings = Settings()
    report = lint.lint(parse(text.encode()), "file.md", settings, selection)
    return [problem for problem in report.problems if problem.rule == rule.name]


# Their examples take more than one file, or more turns than a page should show; other tests have them.
ELSEWHERE = {"stale-verdict", "stand-down-streak", "doubled-session"}


@ALL
def test_the_page_is_whole(rule: Rule) -> None:
    """Each of the five sections is there and says something."""
    for title in SECTIONS:
        assert section(rule, title)
    assert rule.page.summary
    assert re.fullmatch(r"MDT\d{3}", rule.code)


@ALL
def test_the_bad_example_is_found(rule: Rule) -> None:
    """What the page calls bad is what the rule reports."""
    texts = examples(rule, "Bad")
    if rule.name in ELSEWHERE:
        pytest.skip("shown by tests of its own")
    assert texts
    for text in texts:
        assert findings(text, rule), text


@ALL
def test_the_good_example_is_not(rule: Rule) -> None:
    """What the page calls good passes."""
    for text in examples(rule, "Good"):
        assert not findings(text, rule), text


def test_codes_and_names_are_unique_and_in_order() -> None:
    """One code, one name, one place."""
    codes = [rule.code for rule in rules.TABLE]
    assert len(rules.RULES) == len(rules.TABLE) == len(set(codes))
    assert codes == sorted(codes)
    assert {rule.severity for rule in rules.TABLE} == set(SEVERITIES)
    assert rules.CHECKS.keys() <= rules.RULES.keys()


def test_table_folder_and_index_agree() -> None:
    """A page a rule; UPDATE_GOLDEN=1 makes docs/rules.md anew from them."""
    assert {path.name for path in PAGES.glob("MDT*.md")} == {f"{rule.code}-{rule.name}.md" for rule in rules.TABLE}
    rows = []
    for rule in rules.TABLE:
        name = f"{rule.code}-{rule.name}.md"
        _, head, body = (PAGES / name).read_text().split("---\n", 2)
        assert yaml.safe_load(head) == {"summary": rule.page.summary}
        assert body.startswith(f"\n# {rule.code} {rule.name}\n\n## What it checks\n")
        rows.append(f"| [{rule.code} {rule.name}](rules/{name}) | {rule.severity} | {rule.page.summary} |\n")
    index = (
        "# Rules\n\nEach has a code and a name, and both are accepted everywhere. "
        "`mdtally rule NAME` prints a page. The severity is that of the\n"
        "gravest findings; others of the rule may be milder, as its page says.\n\n"
        f"| rule | severity | what it reports |\n| --- | --- | --- |\n{''.join(rows)}\n"
        "Verdicts name a failure mode, too: [F01 sycophancy](rules/F01-sycophancy.md).\n"
    )
    if UPDATE:
        (PROJECT / "docs" / "rules.md").write_text(index)
    is_new = (PROJECT / "docs" / "rules.md").read_text() == index
    assert is_new, "UPDATE_GOLDEN=1 python -m pytest tests/check/test_rules.py writes docs/rules.md"


@pytest.mark.parametrize("name", ["F01", *(rule.code for rule in rules.TABLE)])
def test_a_page_that_is_shown_names_other_pages_instead_of_linking_them(name: str) -> None:
    """From a terminal, an editor's hover or a log of code scanning a link of the documentation leads nowhere."""
    found = rules.find(name)
    text = rules.page_markdown(found) if found else rules.failure_mode(name)
    assert ".md)" not in re.sub(r" \(docs/[\w/-]+\.md\)", "", text)
    named = re.findall(r" \((docs/[\w/-]+\.md)\)", text)
    assert [page for page in named if not (PROJECT / page).is_file()] == []


def test_every_problem_is_of_a_rule() -> None:
    """What any module makes a problem of stands in the table: a format may look it up."""
    texts = [path.read_text("utf-8") for path in (PROJECT / "mdtally").rglob("*.py")]
    named = {name for text in texts for name in re.findall(r'Problem\(\s*"([^"]+)"', text)}
    assert len(named) > 10 and named <= rules.RULES.keys()


def test_every_rule_is_found_by_something() -> None:
    """A failure of the gate of its kind, a function in the table, or a problem of its name made in another room."""
    kinds = {kind.replace("_", "-") for kind in get_args(FailureKind)}
    assert kinds == {rule.name for rule in rules.TABLE if rule.says}
    source = "".join(path.read_text() for path in (PROJECT / "mdtally").rglob("*.py") if path.name != "rules.py")
    for rule in rules.TABLE:
        assert (bool(rule.says) + (rule.name in rules.CHECKS) + (f'"{rule.name}"' in source)) >= 1, rule.name


@pytest.mark.parametrize("word", ["MDT102", "mdt102", " No-Disagreement-Signal ", "no_disagreement_signal"])
def test_a_rule_answers_to_its_code_and_its_name(word: str) -> None:
    """In any case, and to the word of the gate's notice."""
    found = rules.find(word)
    assert found is not None
    assert found.code == "MDT102"


def test_an_unknown_word_has_a_nearest_rule() -> None:
    """A slip gets a suggestion."""
    assert rules.find("to-short") is None
    assert "; the nearest is MDT103 too-short (" in rules.no_rule("to-short")
    assert "; the nearest is MDT113 stand-down-streak (" in rules.no_rule("MDT113x")
    for word in ("MDT1O1", "MDT101, MDT102", "MDT1"):
        assert "; the nearest is MDT101 forbidden-phrase (" in rules.no_rule(word)
    assert rules.no_rule("flattery") == "there is no rule flattery (`mdtally rule` lists them all)"


def test_selection() -> None:
    """Codes, names and beginnings of codes choose; by default it is all; unknown words come back."""
    default, unknown = rules.select([], [])
    assert not unknown and default == frozenset(rules.RULES)
    assert rules.select(["MDT10"], [])[0] == {
        "forbidden-phrase", "no-disagreement-signal", "too-short", "agreement-padding",
    }  # fmt: skip
    assert rules.select(["ALL"], [])[0] == default
    assert rules.select([], ["MDT101"])[0] == default - {"forbidden-phrase"}
    assert rules.select(["MDT999", "echo"], ["nonsense"]) == (frozenset({"echo"}), ["MDT999", "nonsense"])
