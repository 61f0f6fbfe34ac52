"""Every form of transcript has a small case that a person can read: the expectation stands above each label.

``<!-- expect: kind=debate reading=guess -->`` says what the file is read as (a guess is sure or
unsure), ``<!-- expect-turn: round=1 speaker="Ana" kind=agent -->`` that the next line that is neither blank nor a
comment opens that turn (``below=2``: the one after it, where no comment can stand). A file or line without one above
it must show no turn there. The loader is a plain regex.
"""

import re
from pathlib import Path

import pytest

from mdtally import transcript
from mdtally.text import document
from mdtally.text.model import Transcript, Turn

LOOKALIKES = sorted((Path(__file__).parents[1] / "cases" / "lookalikes").glob("*.md"))
CASES = sorted((Path(__file__).parents[1] / "cases" / "turns").glob("*.md"))
FILE = re.compile(r"<!-- expect: (?P<fields>.*?) -->")
TURN = re.compile(r"<!-- expect-turn: ?(?P<fields>.*?) ?-->")
FIELD = re.compile(r'(\w+)=(?:"((?:[^"\\]|\\.)*)"|(\S+))')


def fields(text: str) -> dict[str, str]:
    """``a="b c" d=e`` as a mapping."""
    return {key: quoted.replace("\\n", "\n") or bare for key, quoted, bare in FIELD.findall(text)}


def expected_turns(lines: list[str]) -> dict[int, dict[str, str]]:
    """Line of each expected label, with what is expected of it."""
    found: dict[int, dict[str, str]] = {}
    for number, line in enumerate(lines, start=1):
        match = TURN.match(line)
        if match:
            wanted = fields(match["fields"])
            text = [n for n in range(number + 1, len(lines) + 1) if lines[n - 1].strip() and "<!--" not in lines[n - 1]]
            found[text[int(wanted.pop("below", "1")) - 1]] = wanted
    return found


def read(path: Path) -> Transcript:
    return transcript.read(document.parse(path.read_bytes()))


def seen(turn: Turn, wanted: dict[str, str]) -> dict[str, str]:
    """Of a turn, what the case speaks about; the round always."""
    facts = {
        "round": "" if turn.round is None else str(turn.round),
        "speaker": turn.speaker,
        "kind": turn.kind,
        "model": turn.model,
        "addressee": turn.addressee,
        "text": turn.text,
        "end": str(turn.end_line),
        "placeholder": str(turn.placeholder).lower(),
    }
    return {key: value for key, value in facts.items() if key in wanted or key == "round"}


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_a_case_reads_as_it_says(path: Path) -> None:
    """Turns stand on exactly the expected lines, with the expected facts; the file has its kind and exporter."""
    lines = path.read_text().split("\n")
    wanted = expected_turns(lines)
    result = read(path)
    got = {turn.line: turn for turn in result.turns}
    assert {line: turn.speaker for line, turn in got.items()} == {
        line: want["speaker"] for line, want in wanted.items()
    }
    for line, want in wanted.items():
        assert seen(got[line], want) == {"round": "", **want}, f"line {line}"
    match = next((match for line in lines if (match := FILE.match(line))), None)
    assert match, "the case does not say what the file is"
    about = fields(match["fields"])
    assert (result.kind or "none") == about.pop("kind")
    reading = about.pop("reading")
    assert result.reading in (("sure", "unsure") if reading == "guess" else (reading,))
    assert result.exporter == about.pop("exporter", "")
    assert result.declared == (about.pop("declared", "false") == "true")
    recovered = about.pop("recovered", None)
    assert [problem.region.line for problem in result.problems] == ([int(recovered)] if recovered else [])
    assert not about, "unknown expectation"


def test_few_cases_pin_a_guess() -> None:
    """What structure reads may become unsure, or better: a case for each common form is enough."""
    assert sum("reading=guess" in path.read_text() for path in CASES) <= 18


@pytest.mark.parametrize("path", LOOKALIKES, ids=lambda path: path.stem)
def test_a_look_alike_is_never_read_surely(path: Path) -> None:
    """Papers that name voices in a shape of labels, and hold no turn: left alone, or said to be unsure."""
    assert read(path).reading in ("none", "unsure")


def test_a_program_s_prompt_is_left_alone() -> None:
    """A place for what the person asks, "$ARGUMENTS", is nobody's turn, though "User" stands above it."""
    assert read(next(path for path in LOOKALIKES if path.stem.startswith("a-command-with"))).reading == "none"
