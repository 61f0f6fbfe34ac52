"""Suppression comments: each instruction, its reach, and the ones that are findings themselves."""

import pytest

from mdtally.check import rules
from mdtally.text import suppressions
from mdtally.text.document import Document, parse
from mdtally.text.model import Problem, Region, Turn


def turn(line: int, end_line: int) -> Turn:
    """A turn that stands on some lines."""
    return Turn(1, line, end_line, 1, "Ana", "agent", 1, 1, (), 0)


def document(lines: list[str]) -> Document:
    """A file of these lines."""
    return parse("".join(f"{line}\n" for line in lines).encode())


def problem(line: int, rule: str = "too-short") -> Problem:
    """A finding on a line."""
    return Problem(rule, "", Region(line, 1, line, 2), "warning")


LINES = ["one", "<!-- mdtally-{} -->", "", "### Ana", "text", "text", ""]


@pytest.mark.parametrize(
    ("instruction", "excused"),
    [
        ("disable-line too-short: why", {2}),
        ("disable-next-line too-short: why", {4}),
        ("disable-next-turn MDT103", {4, 5, 6}),
        ("disable-file too-short", {1, 2, 3, 4, 5, 6, 7}),
        ("disable-line echo, too-short: two rules", {2}),
        ("disable-line echo", set()),
    ],
)
def test_each_instruction_has_its_reach(instruction: str, excused: set[int]) -> None:
    """A finding is excused on the lines an instruction covers, and on no other."""
    lines = [line.format(instruction) for line in LINES]
    found, misspelt = suppressions.read(document(lines), [turn(4, 6)], rules.find)
    assert not misspelt
    problems = [problem(line) for line in range(1, 8)]
    stay, excused_problems, _ = suppressions.apply(problems, found, frozenset({"too-short"}))
    assert {p.region.line for p in excused_problems} == excused
    assert len(stay) + len(excused_problems) == len(problems)


@pytest.mark.parametrize("instruction", ["disable-next-line", "disable-next-turn"])
@pytest.mark.parametrize("below", [[], [""]])
def test_what_nothing_follows_excuses_nothing(instruction: str, below: list[str]) -> None:
    """A comment at the end has no next line; it excuses nothing above, and is told as unused."""
    lines = ["### Ana", "No.", f"<!-- mdtally-{instruction} too-short -->", *below]
    found, _ = suppressions.read(document(lines), [turn(1, 3)], rules.find)
    stay, excused, unused = suppressions.apply([problem(1), problem(2)], found, frozenset({"too-short"}))
    assert len(stay) == 2 and not excused
    assert [one.rule for one in unused] == ["unused-suppression"]


@pytest.mark.parametrize(
    ("comment", "words"),
    [
        ("mdtally-disable-line", "must name"),
        ("mdtally-disable-line: because", "must name"),
        ("mdtally-disable-line to-short", "no rule to-short"),
        ("mdtally-disable-everything too-short", "not an instruction"),
        ("mdtally-disable too-short", "not an instruction"),
    ],
)
def test_what_can_not_be_understood_is_a_finding(comment: str, words: str) -> None:
    """A misspelt comment never works in silence."""
    found, problems = suppressions.read(document(["x", f"<!-- {comment} -->"]), [], rules.find)
    assert not found
    (one,) = problems
    assert one.rule == "unknown-suppression"
    assert one.region.line == 2
    assert words in one.message


@pytest.mark.parametrize(
    "comment",
    [
        ["<!--", "mdtally-disable-next-turn too-short: why", "-->"],
        ["<!-- mdtally-disable-file", "too-short: why -->"],
        ["<!-- mdtally-disable-line too-short -> why -->"],
        ["<!-- mdtally-disable-line too-short -- why -->"],
        ["<!-- mdtally disable-line too-short -->"],
        ["<!-- MDTALLY-DISABLE-LINE too-short -->"],
        ["<!-- mdtally:disable too-short -->"],
        ["<!-- mdtally-ignore: too-short", "-->"],
    ],
)
def test_a_comment_in_another_form_is_a_finding(comment: list[str]) -> None:
    """Over several lines, in another spelling, or without a colon before the reason, none works in silence."""
    found, problems = suppressions.read(document(["x", *comment, "", "### Ana", "x"]), [turn(6, 7)], rules.find)
    assert not found and [(one.rule, one.region.line) for one in problems] == [("unknown-suppression", 2)]
    assert "mdtally-disable" in problems[0].message and "on one line" in problems[0].message


@pytest.mark.parametrize(
    "words", ["mdtally counts this", "mdtally report", "mdtally disables nothing here", "see mdtally"]
)
def test_a_comment_about_mdtally_is_words(words: str) -> None:
    assert suppressions.read(document([f"<!-- {words} -->"]), [], rules.find) == ((), ())


def test_unused_ones_are_findings_unless_their_rule_did_not_run() -> None:
    """A comment that excuses nothing is reported; one for a rule that is off is not."""
    found, _ = suppressions.read(document(["<!-- mdtally-disable-line too-short, echo -->"]), [], rules.find)
    _, _, unused = suppressions.apply([], found, frozenset({"too-short"}))
    assert [p.rule for p in unused] == ["unused-suppression"]


@pytest.mark.parametrize(
    ("above", "below"), [("Some text", "---"), ("A paragraph.", "Another one."), ("- an item", "Text.")]
)
def test_without_a_comment_paragraphs_stay_apart(above: str, below: str) -> None:
    """Between two lines of text an unused comment leaves an empty line: no heading, no longer paragraph comes of it."""
    comment = "<!-- mdtally-disable-line too-short -->"
    for lines, leaves in (([above, comment, below], 1), ([above, "", comment, below], 0), ([comment, below], 0)):
        (found,), _ = suppressions.read(document(lines), [], rules.find)
        number = lines.index(comment) + 1
        ends = [Region(number, 1, number, len(comment) + 1), Region(number, 1, number + 1, 1)]
        assert (found.removal.region, found.removal.text) == (ends[1 - leaves], "")


@pytest.mark.parametrize("instruction", ["disable-line", "disable-next-line"])
def test_a_line_of_what_was_said_stands_for_its_turn(instruction: str) -> None:
    """A finding about a whole turn is placed at its label; excusing a line of the turn's text excuses it there."""
    comment = f"<!-- mdtally-{instruction} too-short: on purpose -->"
    lines = ["### Ana", "", comment, "No.", "### Ben", "", "No."]
    found, _ = suppressions.read(document(lines), [turn(1, 4), turn(5, 7)], rules.find)
    stay, excused, unused = suppressions.apply([problem(1), problem(5)], found, frozenset({"too-short"}))
    assert [one.region.line for one in stay] == [5]
    assert [one.region.line for one in excused] == [1]
    assert not unused
    # What has a place of its own on the label's line is no finding about the whole turn.
    own = Problem("too-short", "", Region(1, 9, 1, 12), "warning")
    assert suppressions.apply([own], found, frozenset())[0] == (own,)


def test_comments_in_code_are_text() -> None:
    """A page that shows a suppression does not use it."""
    lines = ["```html", "<!-- mdtally-disable-file too-short -->", "```"]
    assert suppressions.read(document(lines), [], rules.find) == ((), ())


def test_the_markers_of_a_dashboard_are_not_suppressions() -> None:
    markers = document(["<!-- mdtally-dashboard -->", "<!-- mdtally-dashboard-end -->"])
    assert suppressions.read(markers, [], rules.find) == ((), ())
