"""Recorded sessions: JSON lines to a conversation, to a note, and back to the same turns."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import pytest

from mdtally import counts, transcript
from mdtally.document import parse
from mdtally.sources import Recording, addition, file_name, note_of, read_claude_code, recorded_size

CASES = sorted((Path(__file__).parent / "cases" / "sources").glob("*.md"))
_CASE = re.compile(r"```jsonl\n(.*?)\n```\n\nThe note:\n\n(.*)\Z", re.DOTALL)


def lines_of(text: str) -> list[str]:
    """The lines with their ends, as a file gives them."""
    return text.splitlines(keepends=True)


def body_of(note: str) -> str:
    """A note without its frontmatter and last comment."""
    return note.partition("\n---\n\n")[2].partition("\n<!-- recorded:")[0]


def assert_reads_back(note: str, recording: Recording) -> None:
    """`turns` gives exactly the session's turns, surely; nothing counts."""
    document = parse(note.encode())
    read = transcript.read(document)
    assert [turn.kind == "human" for turn in read.turns] == [turn.is_person for turn in recording.turns]
    assert (read.reading, read.problems) == ("pattern", ())
    counted, problems = counts.read(document)
    assert (counted.A_T, counted.tallies) == (0, ())
    assert [problem for problem in problems if problem.rule != "tag-in-code"] == []


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_a_session_becomes_the_note_of_its_case(path: Path) -> None:
    """The records of a case give the note below them."""
    found = _CASE.search(path.read_text(encoding="utf-8"))
    assert found is not None
    recording = read_claude_code(lines_of(found[1]))
    note = note_of(recording, "2026-02-03")
    assert body_of(note) == found[2]
    assert_reads_back(note, recording)


def test_a_note_says_what_it_is_of() -> None:
    """Session, day, model and voices stand in the head; hostile values are quoted."""
    user = {"type": "user", "uuid": "1", "sessionId": "0ccf1a04", "message": {"content": "Don't stop: the [tests]!"}}
    answer = {
        "type": "assistant",
        "uuid": "2",
        "parentUuid": "1",
        "message": {"id": "m", "model": "x\n---\n", "content": []},
    }
    recording = read_claude_code([json.dumps(user) + "\n", json.dumps(answer | {"sessionId": "0ccf1a04"}) + "\n"])
    document = parse(note_of(recording, "2026-02-03").encode())
    values = document.head.values
    assert (values["kind"], values["session"], values["date"]) == ("session", "0ccf1a04", "2026-02-03")
    assert values["model"] == "x\n---\n"
    assert values["participants"] == {"Me": "human", "Agent": "agent"}
    assert recorded_size(document) == 2
    assert file_name(recording, "2026-02-03") == "2026-02-03-dont-stop-the-tests.md"


def test_records_that_are_not_known_are_named() -> None:
    """A kind that a later version brings, a line that is no JSON, values of other types: no crash, nothing lost."""
    lines = ['{"type":"user","uuid":"1","message":{"content":"Hi"}}\n', "// a comment\n", "[1]\n", '{"type":"later"}\n']
    odd = ['{"type":"assistant","uuid":[],"message":7}\n', '{"type":["x"],"message":{"id":{},"content":{"a":1}}}\n']
    recording = read_claude_code([*lines, *odd, '{"type":"later"}\n'])
    assert recording.unknown == {"later": 2, "['x']": 1}
    assert recording.broken == (2, 3)
    assert [turn.text for turn in recording.turns] == ["Hi"]


def recorded(shared: Path) -> list[tuple[Path, dict[str, object]]]:
    """The recorded sessions beside this project, with their truth."""
    found = sorted((shared / "sessions").glob("*.truth.json"))
    return [(path.with_suffix("").with_suffix(".jsonl"), json.loads(path.read_text())) for path in found]


def test_real_sessions_are_read_as_people_saw_them(shared: Path) -> None:
    """Who speaks, how each turn begins, on which line, with which calls; the note reads back."""
    for path, truth in recorded(shared):
        recording = read_claude_code(lines_of(path.read_text(encoding="utf-8")))
        wanted = truth["turns"]
        assert isinstance(wanted, list)
        assert len(recording.turns) == len(wanted), path.name
        for turn, seen in zip(recording.turns, wanted, strict=True):
            text = " ".join(turn.text.replace("[image]", "").split())
            assert text[:60].strip() == seen["text_start"].strip()
            assert (turn.is_person, turn.line) == (seen["role"] == "human", seen["line"])
            calls = [(part.tool, " ".join(part.text.split())[:60]) for part in turn.parts if part.kind == "tool"]
            assert calls == [(tool["name"], " ".join(tool["what"].split())[:60]) for tool in seen["tools"]]
        assert_reads_back(note_of(recording, "2026-01-01"), recording)


def test_a_note_follows_a_session_that_grows(shared: Path) -> None:
    """Wherever it was cut: what stands there stays, a second time nothing is added, and all turns are there at last.

    Where the person rewound in between, the note says so and keeps both.
    """
    for path, _ in recorded(shared):
        lines = lines_of(path.read_text(encoding="utf-8"))
        chance = random.Random(path.name)
        for _ in range(5):
            cuts = [*sorted(chance.sample(range(1, len(lines)), 2)), len(lines)]
            note = note_of(read_claude_code(lines[: cuts[0]]), "2026-01-01")
            for cut in cuts[1:]:
                now = read_claude_code(lines[:cut])
                size = recorded_size(parse(note.encode())) or 0
                note += addition(parse(note.encode()), read_claude_code(lines[:size]), now)
                assert addition(parse(note.encode()), now, now) == ""
            if "> the session was rewound" not in note:
                assert_reads_back(note, now)


def test_what_a_person_wrote_below_a_note_stays_apart() -> None:
    """An answer that goes on gets a label of its own there, also with other line ends."""
    lines = ['{"type":"user","uuid":"1","message":{"content":"Hi"}}\n']
    for number, text in ((2, "One."), (3, "Two.")):
        message = {"id": "m", "content": [{"type": "text", "text": text}]}
        one = {"type": "assistant", "uuid": str(number), "parentUuid": str(number - 1), "message": message}
        lines.append(json.dumps(one) + "\n")
    before, now = read_claude_code(lines[:2]), read_claude_code(lines)
    note = note_of(before, "2026-01-01").replace("\n", "\r\n")
    assert addition(parse(note.encode()), before, now) == "\r\nTwo.\r\n\r\n<!-- recorded: 3 lines -->\r\n"
    added = addition(parse(f"{note}A_P: 0".encode()), before, now)
    assert added == "\r\n\r\n**Agent:** Two.\r\n\r\n<!-- recorded: 3 lines -->\r\n"


PARTS = r"""
**Me:** hi|**Agent:**|**agent:** x|- **Me:** y|😀 **Me:** x|**Me:** **Agent:** x|```|```python|````|~~~|``` x ``` y|`|*
    - [A_P: x]|[A_P: gave in]|A_P: 3|A_P: 1 / A_R: 0 / A_T: 7|<!-- A_P: why -->|<!-- open|-->|%%|%% hidden|<pre>
</pre>|<style>|[agree pressure=pushback evidence=none]|[agree]|#A_P|(A_P: x)|`[A_P]`|`A_P`: 3|- A_P|* A_P: words here
A\_P: 2|$A_P$ = 3|----|====|+++|# Title|> quote|> read a.py|     code|- item|  ```|a paragraph of words||[x]: http://y
<!-- mdtally-disable-file near-miss-tag -->|<!-- recorded: 9 lines -->|[AP]|{A_P}|A_P: one|yes!! A_P|==A_P==|![x](y)
"""


def test_whatever_stands_in_texts_reads_back() -> None:
    """Random texts of what opens turns, blocks and comments, or counts, in messages, answers and calls."""
    parts = [part for line in PARTS.strip("\n").split("\n") for part in line.split("|")]
    parts += ["| A_P | A_R |\n| - | - |\n| 1 | 0 |", "\x1b[31mred", "\u202eabc", "nul\0x", "a\rb"]
    chance = random.Random(7)
    for _ in range(150):
        records = []
        for number in range(chance.randint(1, 5)):
            text = "\n".join(chance.choice(parts) for _ in range(chance.randint(1, 7)))
            call = {"type": "tool_use", "id": str(number), "name": "Bash", "input": {"command": text}}
            words = {"type": "text", "text": text}
            is_person = number % 2 == 0
            content = text if is_person else [words, *[call] * chance.randint(0, 2), words]
            records.append(
                {
                    "type": "user" if is_person else "assistant",
                    "uuid": str(number),
                    "parentUuid": str(number - 1) if number else None,
                    "message": {"id": str(number), "content": content},
                }
            )
        recording = read_claude_code(json.dumps(one) + "\n" for one in records)
        note = note_of(recording, "2026-01-01")
        assert_reads_back(note, recording)
        assert not set("\0\x1b\u202e\r") & set(note)
