"""Globs: what they mean, what is none, and that a hostile one costs no more than its length."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdtally.text.globs import BadGlobError, matches_name, matches_path, most_specific


@pytest.mark.parametrize(
    ("glob", "yes", "no"),
    [
        ("drafts/**", "drafts/a.md drafts/x/a.md", "a.md my/drafts/a.md drafts2/a.md"),
        ("**/drafts/*.md", "drafts/a.md x/y/drafts/a.md", "drafts/a.txt drafts.md"),
        ("*.draft.md", "a.draft.md x/y/a.draft.md", "draft.md a.draft.md2"),
        ("archive", "archive archive/a.md x/archive/a.md", "archives/a.md x.archive"),
        ("archive/", "archive/a.md", "archives/a.md"),
        ("/archive", "archive/a.md", "x/archive/a.md"),
        ("./a/b", "a/b a/b/c", "b x/a/b"),
        ("a/**/z", "a/z a/b/c/z", "a/zz az"),
        ("a/*/z", "a/b/z", "a/z a/b/c/z"),
        ("n[0-9]?.md", "n1x.md", "nx1.md n1.md"),
        ("n[!0-9].md", "nx.md", "n1.md"),
        ("n[]x].md", "n].md nx.md", "n.md"),
        ("größe.md", "größe.md", "grösse.md"),
    ],
)
def test_what_a_glob_means(glob: str, yes: str, no: str) -> None:
    """As in .gitignore: no slash is a name at any depth, a folder's glob holds for all in it."""
    assert [path for path in yes.split() if not matches_path(glob, path)] == []
    assert [path for path in no.split() if matches_path(glob, path)] == []


@pytest.mark.parametrize(
    "glob", ["", "/", "a//b", "../a", "a/./b", "a**", "**a/b", "x[", "x[]", "a\\b", "[z-a]", "x[b-a].md"]
)
def test_what_is_no_glob(glob: str) -> None:
    """It is an error that says why, not a glob that means nothing."""
    with pytest.raises(BadGlobError):
        matches_path(glob, "a")


def test_names_of_models() -> None:
    """In a name a star is any text; of several globs the one that names most characters comes first."""
    assert matches_name("anthropic*", "anthropic/claude-4")
    assert most_specific(["*", "claude-*", "Claude-opus-?", "gpt*"], "CLAUDE-opus-4") == [
        "Claude-opus-?",
        "claude-*",
        "*",
    ]


def test_a_hostile_glob_is_not_slow() -> None:
    """A regular expression would take longer than anyone waits."""
    assert not matches_path("*a" * 200 + "b", "a" * 5_000)
    assert not matches_path("**/a/" * 100 + "b", "a/" * 500 + "c")


@given(st.text("ab*?/", max_size=10), st.text("ab/", max_size=12))
def test_it_agrees_with_a_regular_expression(glob: str, path: str) -> None:
    """Within one part, where both are defined."""
    if "/" in glob or "/" in path or not glob or ("**" in glob and glob != "**"):
        return
    pattern = re.escape(glob).replace(r"\*", ".*").replace(r"\?", ".")
    assert matches_path(glob, path) == bool(re.fullmatch(pattern, path))
    assert matches_name(glob, path) == bool(re.fullmatch(pattern, path))
