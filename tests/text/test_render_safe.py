"""Hostile text: whatever a transcript or a path holds, no output carries it unescaped to the place it could harm.

What counts as harmful is told here by Unicode's own tables (general category, bidirectional class), not by the list
the program goes by.
"""

import json
import os
import re
import subprocess
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import PureWindowsPath

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from render_sample import turn

from mdtally.check.reports import FileReport, Report, TurnsReport, VerdictReport
from mdtally.check.rules import RULES
from mdtally.gate.result import Issue
from mdtally.log.calibration import calibrate_counts
from mdtally.show import turns_output, verdict_output
from mdtally.show.findings import by_turn
from mdtally.show.lint_formats import FOR_PEOPLE, FORMATS
from mdtally.show.lint_text import remarks, summary
from mdtally.show.style import Options
from mdtally.text import safe
from mdtally.text.model import FileError, Problem, Region, Transcript
from mdtally.text.records import replace

PLAIN = Options()
VERBOSE = Options(verbose=True)
COLOUR = Options(colour=True)
NASTY = (
    "\x1b[2J\x1b]0;title\x07",
    "\x9b31m",
    "a\u202eb\u2066c",
    "line\nbreak\r\nand\u2028more\u2029\x85\x0b\x0c",
    "\n::stop-commands::token",
    "::error file=a::b",
    " ::add-mask::x",
    "##[group]x",
    "100%0A::error::x, y: z",
    "]]><script>&\"'</failure>",
    "\x00\ufffe\uffff\ufdd0",
    "\udc80\ud800",
    "[text](http://example.org) {0} {{",
    "e\u0301\u0301\u0301 漢字 👩\u200d🚀 \t tab",
    "\U000e0001\ufeff\u200b",
)
hostile = st.one_of(
    st.sampled_from(NASTY),
    st.text(st.characters(exclude_categories=()), max_size=30),
    st.lists(st.sampled_from(NASTY), min_size=2, max_size=3).map("".join),
)
names = st.sampled_from(sorted(RULES))


def harmful(text: str) -> Iterator[str]:
    """Every character that a terminal or a log may not get, line ends apart."""
    for one in text:
        if one != "\n" and (
            unicodedata.category(one) in ("Cc", "Cs", "Zl", "Zp")
            or unicodedata.bidirectional(one) in ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")
            or one in "\u200e\u200f\u061c\ufeff"
        ):
            yield f"U+{ord(one):04X}"


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    line, column = draw(st.integers(1, 4)), draw(st.integers(1, 40))
    return Problem(
        rule=draw(names),
        message=draw(hostile),
        region=Region(line, column, line + draw(st.integers(0, 1)), column + draw(st.integers(0, 9))),
        severity=draw(st.sampled_from(("error", "warning", "info"))),
        turn=draw(st.sampled_from((None, 1, 2, 9))),
        evidence=draw(hostile),
        hint=draw(hostile),
        detail=draw(hostile),
    )


@st.composite
def files(draw: st.DrawFn) -> FileReport:
    return FileReport(
        filename=draw(hostile),
        kind="debate",
        problems=tuple(draw(st.lists(problems(), max_size=3))),
        turns=(turn(1, 1, draw(hostile), draw(hostile)), turn(2, 2, draw(hostile), "", model=draw(hostile))),
        lines=tuple(draw(st.lists(hostile, max_size=3))),
        skipped=draw(st.booleans()),
        suppressed=draw(st.integers(0, 2)),
        notices=tuple(draw(st.lists(hostile, max_size=1))),
        issues={1: Issue("unsure", 0.0)},
        advice=draw(hostile),
        corrections={1: draw(hostile)},
    )


reports = st.builds(
    Report,
    files=st.lists(files(), max_size=2).map(tuple),
    errors=st.lists(st.builds(FileError, hostile, hostile), max_size=1).map(tuple),
)


@st.composite
def turns_reports(draw: st.DrawFn) -> TurnsReport:
    file = draw(files())
    return TurnsReport(
        filename=file.filename,
        transcript=Transcript(
            kind="debate",
            exporter=draw(hostile),
            turns=file.turns,
            problems=file.problems,
        ),
        tags={1: ("P",)},
        lines=file.lines,
    )


@st.composite
def verdict_reports(draw: st.DrawFn) -> VerdictReport:
    file = draw(files())
    verdict = replace(calibrate_counts(1, 0, 2), note=draw(hostile))
    return VerdictReport(
        filename=file.filename,
        verdict=draw(st.sampled_from((verdict, None))),
        id=draw(hostile),
        appended=True,
        problems=file.problems,
        written=" ".join(file.notices),
    )


def assert_harmless(output: str) -> None:
    """Nothing steers a terminal, nothing is a workflow command, and any UTF-8 stream can take it."""
    assert not list(harmful(output))
    assert "##[" not in output
    assert not any(line.lstrip().startswith("::") for line in output.split("\n"))
    output.encode("utf-8")


@pytest.mark.parametrize("name", sorted(FOR_PEOPLE))
@settings(max_examples=40)
@given(report=reports)
def test_text_formats_are_harmless(name: str, report: Report) -> None:
    """No text format lets a control character, a bidirectional mark or a workflow command through."""
    assert_harmless(FORMATS[name](report, VERBOSE))


@settings(max_examples=40)
@given(report=reports)
def test_remarks_are_harmless_and_keep_their_lines(report: Report) -> None:
    """Errors and the lines of the summary are harmless, and each is one line."""
    output = remarks(report, PLAIN)
    assert_harmless(output)
    assert output.count("\n") == len(report.errors) + len(summary(report))


@settings(max_examples=40)
@given(report=reports)
def test_concise_has_a_line_for_each_finding(report: Report) -> None:
    """A newline in a name or message opens no second line."""
    output = FORMATS["concise"](report, PLAIN)
    assert output.count("\n") == sum(len(file.problems) for file in report.files)


@settings(max_examples=40)
@given(report=reports)
def test_colour_adds_only_its_own_escapes(report: Report) -> None:
    """Without the palette's sequences, coloured output is the plain one: no escape character came from the text."""
    coloured = FORMATS["full"](report, COLOUR)
    assert re.sub(r"\x1b\[[0-9;]+m", "", coloured) == FORMATS["full"](report, PLAIN)


def _run_command(line: str) -> tuple[str, dict[str, str], str]:
    """A workflow command, read as GitHub's runner reads one: name, properties, message."""
    assert line.startswith("::")
    info, data = line[2:].split("::", 1)
    command, _, pairs = info.partition(" ")

    def decode(value: str, codes: tuple[str, ...]) -> str:
        for code in codes:
            value = value.replace(code, chr(int(code[1:], 16)))
        return value.replace("%25", "%")

    properties = dict(pair.split("=", 1) for pair in pairs.split(",") if pair)
    return (
        command,
        {key: decode(value, ("%0D", "%0A", "%3A", "%2C")) for key, value in properties.items()},
        decode(data, ("%0D", "%0A")),
    )


@settings(max_examples=40)
@given(report=reports)
def test_github_has_one_command_a_line(report: Report) -> None:
    """Each line is one command, and the runner reads from it the very path, title and message that were meant."""
    output = FORMATS["github"](report, PLAIN)
    assert not list(harmful(output))
    lines = output.split("\n")[:-1]
    found = [group for file in report.files for group in by_turn(file)]
    assert len(lines) == len(report.errors) + len(found)
    for line, group in zip(lines[len(report.errors) :], found, strict=True):
        command, properties, message = _run_command(line)
        assert command in ("error", "warning", "notice")
        # The runner drops an empty property.
        assert properties.get("file", "") == safe.terminal(group[0].filename)
        said = message.split("\n")
        for shown, finding in zip(said, group, strict=False):
            assert shown.endswith(safe.terminal(finding.problem.message))
        assert set(properties) <= {"file", "line", "endLine", "col", "endColumn", "title"}


def _without_halves(text: str) -> str:
    return re.sub("[\ud800-\udfff]", "\ufffd", text)


@pytest.mark.parametrize("name", sorted(FORMATS.keys() - FOR_PEOPLE - {"github"}))
@settings(max_examples=40)
@given(report=reports)
def test_json_formats_load(name: str, report: Report) -> None:
    """The document is JSON, holds nothing that steers a terminal, and no half of a surrogate pair."""
    output = FORMATS[name](report, PLAIN)
    assert not list(harmful(output))
    loaded = json.loads(output)
    json.dumps(loaded, ensure_ascii=False).encode("utf-8")
    if name == "json":
        expected = [_without_halves(problem.message) for file in report.files for problem in file.problems]
        assert [diagnostic["message"] for diagnostic in loaded["diagnostics"]] == expected


@settings(max_examples=40)
@given(report=turns_reports())
def test_turns_formats_are_harmless(report: TurnsReport) -> None:
    """The table of turns is harmless, and the JSON form gives the names back."""
    assert_harmless(turns_output.FORMATS["text"]([report], PLAIN, ()))
    output = turns_output.FORMATS["json"]([report], PLAIN, ())
    assert not list(harmful(output))
    speakers = [turn["speaker"] for turn in json.loads(output)["files"][0]["turns"]]
    assert speakers == [_without_halves(turn.speaker) for turn in report.transcript.turns]


@settings(max_examples=40)
@given(report=verdict_reports())
def test_verdict_formats_are_harmless(report: VerdictReport) -> None:
    """The verdict's text is harmless, and the JSON form loads."""
    assert_harmless(verdict_output.FORMATS["text"]([report], PLAIN, ()))
    output = verdict_output.FORMATS["json"]([report], PLAIN, ())
    assert not list(harmful(output))
    assert json.loads(output)["files"][0]["filename"] == _without_halves(report.filename)


@given(text=st.text(max_size=40))
def test_readable_text_stays(text: str) -> None:
    """Letters, marks, emoji and spaces of any script pass through; only what is unsafe changes."""
    kept = "".join(one for one in text if unicodedata.category(one)[0] in "LMNPS" or one == " ").replace("##[", "")
    assert safe.terminal(kept) == kept


@pytest.mark.parametrize(
    ("function", "text", "expected"),
    [
        (safe.terminal, "a\x1b[31mb\nc\td", r"a\x1b[31mb\nc\td"),
        (safe.terminal, "\u202e\U000e0001\udc80", r"\u202e\U000e0001\udc80"),
        (safe.terminal, "##[error]x and #[y]", r"##\x5berror]x and #[y]"),
        (safe.opening, " ::error::a", r" \x3a:error::a"),
        (safe.opening, "a::b", "a::b"),
        (safe.path, "::error::a.md", "./::error::a.md"),
        (safe.path, ":", "./:"),
        (safe.argument, "-x y.md", "'./-x y.md'"),
        (safe.argument, "a-x.md", "a-x.md"),
        (safe.argument, "-", "FILE"),
        (safe.opening, ":", r"\x3a"),
        (safe.prompt, "::a\x1b[31m\tb\u202e\n##[c", "\u200b::a[31m\tb\n##\u200b[c"),
        (safe.path, "a::b.md", "a::b.md"),
        (safe.markup, "<a href='x'>&\"\x0c", r"&lt;a href=&#39;x&#39;&gt;&amp;&quot;\x0c"),
        (safe.workflow_data, "5%, a: b\n", r"5%25, a: b\n"),
        (safe.workflow_property, "5%, a: b", "5%25%2C a%3A b"),
        (safe.sarif_message, "[A_P] and [a](b)", r"[A_P] and \[a](b)"),
        (safe.uri, "notes/a b#1.md", "notes/a%20b%231.md"),
        (safe.uri, "a:b.md", "a%3Ab.md"),
        (safe.uri, "/tmp/é.md", "file:///tmp/%C3%A9.md"),
        (safe.uri, "\udc80.md", "%80.md"),
    ],
)
def test_each_place_has_its_escapes(function: Callable[[str], str], text: str, expected: str) -> None:
    """One example for each rule of each function."""
    assert function(text) == expected


@pytest.mark.parametrize("name", ["-x.md", "a\tb.md", "a\n'b\\t.md", "##[a]\u202e.md", "\udc80\x7f0.md", "::a b.md"])
def test_a_path_in_a_command_is_what_a_shell_takes_for_it(name: str) -> None:
    """Nothing in it steers a terminal, and it is no option."""
    shown = safe.argument(name)
    assert safe.terminal(shown) == shown
    given = subprocess.run(["bash", "-c", f"printf %s {shown}"], capture_output=True, check=True).stdout
    assert os.fsdecode(given).removeprefix("./") == name and not given.startswith(b"-")


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (r"my notes\a#1.md", "my%20notes/a%231.md"),
        (r"C:\my notes\a.md", "file:///C:/my%20notes/a.md"),
        (r"\\server\notes\a.md", "file://server/notes/a.md"),
    ],
)
def test_a_path_of_windows_is_an_address(path: str, expected: str) -> None:
    """With forward slashes; a drive or a server makes it absolute."""
    assert safe.uri(path, PureWindowsPath) == expected


@given(text=hostile, width=st.integers(2, 20))
def test_wrapped_lines_keep_to_their_width(text: str, width: int) -> None:
    """And lose no letter, wide and combining ones included; without a width there is one line."""
    shown = safe.terminal(text)
    lines = safe.wrap(shown, width, "- ", "  ")
    assert all(safe.cells(line) <= width for line in lines) or width < 4
    assert "".join("".join(lines).split()) == "".join(f"- {shown}".split())
    assert safe.wrap(shown, 0) == [shown.rstrip(" ")]
    assert safe.wrap("  two words here", 9, "", " ") == ["  two", " words", " here"]


@pytest.mark.parametrize(("before", "behind"), [("`", "` shows"), (": ", "; shows"), (": ", " (shows)")])
def test_a_command_is_never_broken(before: str, behind: str) -> None:
    """It is there to be copied, in backticks as behind a colon."""
    command = "mdtally note --list 'a b (1); c'"
    assert any(command in line for line in safe.wrap(f"first{before}{command}{behind} them", 12))


def test_colours_take_no_columns() -> None:
    """And none is cut in two, be the word longer than a line."""
    painted = COLOUR.paint("a-name.md", "error")
    assert safe.wrap(f"{painted} is red", 16) == [f"{painted} is red"]
    assert safe.wrap(painted, 4) == ["\x1b[1;31ma-na", "me.m", "d\x1b[0m"]


@given(text=hostile, width=st.integers(2, 20))
def test_clip_keeps_to_its_width(text: str, width: int) -> None:
    """A clipped text takes no more columns than it may, and a short one is left as it is."""
    shown = safe.terminal(text)
    clipped = safe.clip(shown, width)
    if safe.cells(shown) <= width:
        assert clipped == shown
    else:
        assert clipped.endswith("…") and shown.startswith(clipped[:-1])
        assert width - 1 <= safe.cells(clipped) <= width
