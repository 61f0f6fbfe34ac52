"""A note in which git left a merge conflict: told by line, and neither counted, judged, tagged nor written."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import PROJECT, Run

CONFLICT = """**Me:** I still want it.

<<<<<<< HEAD
**Agent:** Sure. [A_P]
=======
**Agent:** Sure. [A_T]
>>>>>>> other
"""
IN_BODY = f"---\nsession: a\n---\n{CONFLICT}\nA_P: 1 | A_R: 0 | A_T: 2\n"
IN_HEAD = "---\nsession: a\n<<<<<<< HEAD\nmodel: x\n=======\nmodel: y\n>>>>>>> other\n---\n[A_P] [A_T]\n"
ABOVE_HEAD = f"<<<<<<< HEAD\n{IN_BODY.replace(CONFLICT, '')}=======\n---\nsession: b\n---\n[A_T]\n>>>>>>> other\n"
WITH_BASE = IN_BODY.replace("=======", "||||||| 3f2a91c\n**Agent:** No.\n=======")


@pytest.mark.parametrize("text", [IN_BODY, IN_HEAD, ABOVE_HEAD, WITH_BASE], ids=["body", "head", "above", "base"])
@pytest.mark.parametrize(
    "command",
    [
        *("verdict", "verdict --check", "verdict --trust tags", "events", "events --candidates"),
        *("lint", "lint --fix", "review", "regenerate"),
    ],
)
def test_a_note_in_conflict_is_refused_by_line(run: Run, text: str, command: str) -> None:
    """Exit code 1 or 2, the line of the first mark, and not a byte changed."""
    Path("a.md").write_text(text)
    ran = run(*command.split(), "a.md")
    first = text.split("\n").index("<<<<<<< HEAD") + 1
    assert ran.code in (1, 2)
    assert f"lines {first}," in ran.out + ran.err
    assert Path("a.md").read_text() == text
    assert not Path("state").exists()


@pytest.mark.parametrize("command", ["lint", "verdict --check"])
def test_a_note_without_a_head_is_refused_where_it_holds_a_tag(run: Run, command: str) -> None:
    """By a check, too, which passes over other people's files."""
    Path("a.md").write_text(f"**Me:** Are you sure?\n\n{CONFLICT}")
    ran = run(*command.split(), "a.md")
    assert ran.code == 1 and "git left a merge conflict here" in ran.out


def test_a_debate_in_conflict_is_not_judged(run: Run) -> None:
    """Both sides of a turn would be one."""
    debate = (PROJECT / "examples" / "debate-flagged.md").read_text()
    Path("a.md").write_text(f"{debate}\n{CONFLICT}")
    assert "(1 error; 0 turns checked)" in run("lint", "a.md").err


def test_the_candidates_of_a_folder_pass_over_a_conflict_in_which_nobody_answers(run: Run) -> None:
    """Somebody else's page fails no run over its folder; a chat in conflict does."""
    Path("git.md").write_text("# Git\n\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n")
    assert run("events", "--candidates", ".").code == 0
    Path("a.md").write_text(IN_BODY)
    ran = run("events", "--candidates", ".")
    assert ran.code == 2 and "a.md: line 6: git left a merge conflict here" in ran.err and "git.md" not in ran.err


def test_a_branch_may_be_called_search(run: Run) -> None:
    """At the end of a conflict; at its beginning the word is an agent's, for an edit that it proposes."""
    Path("a.md").write_text(CONFLICT.replace("other", "SEARCH"))
    assert "git left a merge conflict here" in run("verdict", "a.md").out


@pytest.mark.parametrize(
    "text",
    [
        f"# Git\n\n```text\n{CONFLICT}```\n\n[A_T]\n",
        "A heading\n=======\n\n[A_T]\n",
        "<<<<<<< is what git writes\n\n>>>>>>> closes it\n\n[A_T]\n",
        "".join(f"    {line}\n" for line in CONFLICT.split("\n")) + "\n[A_T]\n",
        "<<<<<<< SEARCH\nold\n=======\nnew\n>>>>>>> REPLACE\n\n[A_T]\n",
    ],
    ids=["in a fence", "a heading", "without the middle", "indented code", "an agent's edit"],
)
def test_words_about_conflicts_are_words(run: Run, text: str) -> None:
    """The verdict counts the one tag."""
    Path("a.md").write_text(text)
    assert "n=1," in run("verdict", "a.md").out
