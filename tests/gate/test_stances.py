"""Stances: what a turn states in so many words, and that it decides before any other word."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from conftest import PROJECT, Run
from schemas import validate

from mdtally import transcript
from mdtally.gate import stances
from mdtally.text.document import parse

CASES = sorted((Path(__file__).parents[1] / "cases" / "stances").glob("*.md"))
STATES = re.compile(r"<!-- states: (.*?) -->")


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_a_stance_is_stated_where_the_case_says(path: Path) -> None:
    """A turn with ``<!-- states: concede -->`` states that stance, the last one of several; every other turn none."""
    turns = transcript.read(parse(path.read_bytes())).turns
    assert turns
    for turn in turns:
        stance = stances.stated_stance(turn)
        assert (stance.name if stance else None) == (STATES.findall(turn.text) or [None])[-1], turn.text


@pytest.mark.parametrize(
    ("reason", "new"),
    [
        ("Ana's run of 40 files took 9 s", True),
        ("the building's permit ends in May, says the town council", True),
        ("Ana is right", False),
        ("a strong point, well argued", False),
        ("the queue is needed", False),
        ("", False),
    ],
)
def test_a_concession_s_reason_is_new_or_not(reason: str, new: bool) -> None:
    """New is what no text known before holds: not praise, not a name, not what was said already."""
    for line in (f"Stance: concede — because {reason}", f"{reason}\nStance: concede"):
        text = f"---\nparticipants: {{agents: [Ana, Ben]}}\n---\n### Ana\n\n{line}\n"
        (turn,) = transcript.read(parse(text.encode())).turns
        stance = stances.stated_stance(turn)
        known = ["A queue is needed.", "It is not: one file takes 40 s."]
        assert stance
        assert stances.gives_a_new_reason(turn, stance.reason, known, ["Ana", "Ben"]) is new


def test_a_stance_line_decides_layer_2(run: Run) -> None:
    """Holding argues; a concession has to name something new, else it is what layer 2 is about."""
    done = run("lint", "--output-format", "json", str(PROJECT / "examples" / "debate-stances.md"))
    data = json.loads(done.out)
    validate(data, "lint.schema.json")
    issues = [turn["issue"] and (turn["issue"]["answer"], turn["issue"]["decided_by"]) for turn in data["turns"]]
    argues, silent = ("argues", "stance"), ("silent", "stance")
    assert issues == [None, argues, argues, None, argues, silent]
    (finding,) = (one for one in data["diagnostics"] if one["code"] == "MDT102")
    assert finding["turn"]["speaker"] == "Cleo"
    assert finding["message"] == "concedes to Ana or Ben, for no reason that is new since its last turn"


def test_words_decide_where_no_stance_is_stated(run: Run) -> None:
    """The same turns without their stance lines, and read by the published rules: no stance counts."""
    text = (PROJECT / "examples" / "debate-stances.md").read_text(encoding="utf-8")
    Path("bare.md").write_text(re.sub(r"^Stance: .*\n", "", text, flags=re.MULTILINE), encoding="utf-8")
    bare = json.loads(run("lint", "--output-format", "json", "bare.md").out)
    assert {turn["issue"]["decided_by"] for turn in bare["turns"] if turn["issue"]} == {"words"}
    Path("stated.md").write_text(text, encoding="utf-8")
    Path("mdtally.toml").write_text('[lint]\nmatching = "literal"\n')
    literal = json.loads(run("lint", "--output-format", "json", "stated.md").out)
    assert not any(turn["issue"] for turn in literal["turns"])


def test_a_second_reader_is_not_asked_what_is_stated(run: Run) -> None:
    """No call for a turn whose stance decides."""
    Path("debate.md").write_text((PROJECT / "examples" / "debate-stances.md").read_text(encoding="utf-8"))
    assert "0 questions" in run("lint", "--ask", "false", "debate.md").err
