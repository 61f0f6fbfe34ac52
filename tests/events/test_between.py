"""What stands between the push and the reply."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from conftest import Run
from schemas import validate

from mdtally.events import exchanges
from mdtally.text.document import parse

CASES = sorted((Path(__file__).parents[1] / "cases" / "between").glob("*.md"))


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_each_case(path: Path) -> None:
    """A case ends with a comment: the line of each reply, and what stands between the message and it."""
    text = path.read_text(encoding="utf-8")
    expected = re.search(r"<!-- expected\n(.*?)-->", text, re.DOTALL)
    found = [f"{one.run.line}: {one.between.words}\n" for one in exchanges(parse(text.encode()))]
    assert expected
    assert "".join(found) == expected[1]


def test_candidates_and_events_carry_it_as_json(run: Run) -> None:
    """Each thing with its kind and line; outside of any reply there is nothing."""
    Path("log.md").write_text(
        "---\nparticipants: {Me: human, Bot: agent}\n---\n\n**Me:** No, it is 12 % in run.txt.\n\n"
        "**Bot:** You're right. [A_P]\n\n> ran make\n"
    )
    for command in (["events"], ["events", "--candidates"]):
        data = json.loads(run(*command, "--output-format", "json", "log.md").out)
        validate(data, f"{command[-1].strip('-')}.schema.json")
        (one,) = data["files"][0]["events" if command == ["events"] else "candidates"]
        assert one["brought"] == [
            {"kind": "number", "text": "12", "line": 5},
            {"kind": "path", "text": "run.txt", "line": 5},
        ]
        assert one["looked"] == [{"kind": "run", "what": "make", "line": 9}]
    assert "you brought a number and a path; it ran make" in run("events", "log.md").out
