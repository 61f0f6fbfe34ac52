"""The diff that ``--diff`` shows: complete, readable, harmless."""

from hypothesis import given
from hypothesis import strategies as st
from test_render_safe import assert_harmless, hostile

from mdtally.show.diff import file_diff
from mdtally.show.style import Options

PLAIN = Options()


def test_change_is_shown_with_its_context() -> None:
    """Removed and added lines, three lines about them, and the missing final newline."""
    before = "one\ntwo\nthree\nfour\nfive\n"
    after = "one\ntwo\nthree\nfour\n5"
    assert file_diff("a.md", before, after, PLAIN).split("\n") == [
        "--- a.md",
        "+++ a.md",
        "@@ -2,4 +2,4 @@",
        " two",
        " three",
        " four",
        "-five",
        "+5",
        "\\ No newline at end of file",
        "",
    ]


def test_line_ends_alone_are_a_change_that_shows() -> None:
    """CRLF against LF is no empty difference."""
    assert file_diff("a.md", "one\n", "one\r\n", PLAIN).split("\n")[3:] == ["-one", "+one\\r", ""]


def test_no_change_shows_nothing() -> None:
    """The same text twice has no difference, not even a header."""
    assert file_diff("a.md", "one\n", "one\n", PLAIN) == ""


def test_colour_paints_whole_lines() -> None:
    """Added lines are green, removed ones red."""
    output = file_diff("a.md", "a\n", "b\n", Options(colour=True))
    assert "\x1b[1;31m-a\x1b[0m" in output
    assert "\x1b[32m+b\x1b[0m" in output


@given(filename=hostile, before=st.lists(hostile, max_size=4), after=st.lists(hostile, max_size=4))
def test_diff_is_harmless_and_has_every_changed_line(filename: str, before: list[str], after: list[str]) -> None:
    """No text of the file or its name steers a terminal; each text differs from another one visibly."""
    old, new = "\n".join(before), "\n".join(after)
    output = file_diff(filename, old, new, PLAIN)
    assert_harmless(output)
    assert bool(output) == (old != new)
