"""Recorded sessions and exports: a file to conversations, to notes, and back to the same turns."""

from __future__ import annotations

import io
import json
import random
import re
from pathlib import Path

import pytest

from mdtally import counts, transcript
from mdtally.document import parse
from mdtally.model import Refusal
from mdtally.records import replace
from mdtally.sources import Recording, addition, conversations, file_name, note_of
from mdtally.sources.recording import RecordedTurn, TurnPart

CASES = sorted((Path(__file__).parent / "cases" / "sources").glob("*.md"))
_CASE = re.compile(r"```json(?:l|)\n(.*?\n)```\n\nThe note:\n\n(.*)\Z", re.DOTALL)


def read(data: str | bytes) -> Recording:
    """The one conversation of a file in which somebody speaks."""
    found = list(conversations(io.BytesIO(data.encode() if isinstance(data, str) else data)))
    (conversation,) = (each for each in found if isinstance(each, Recording) and each.turns)
    return conversation


def note(conversation: Recording) -> str:
    """Its note."""
    made = note_of(conversation, "2026-02-03")
    assert isinstance(made, str)
    return made


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
    conversation = read(found[1])
    made = note(conversation)
    assert body_of(made) == found[2]
    assert_reads_back(made, conversation)


def test_a_note_says_what_it_is_of() -> None:
    """Session, day, model, program and voices stand in the head; hostile values are quoted."""
    user = {"type": "user", "uuid": "1", "sessionId": "0ccf1a04", "message": {"content": "Don't stop: the [tests]!"}}
    answer = {
        "type": "assistant",
        "uuid": "2",
        "parentUuid": "1",
        "message": {"id": "m", "model": "x\n---\n", "content": []},
    }
    conversation = read(json.dumps(user) + "\n" + json.dumps(answer | {"sessionId": "0ccf1a04"}) + "\n")
    values = parse(note(conversation).encode()).head.values
    assert list(values) == ["kind", "session", "date", "model", "source", "participants", "transcript"]
    assert (values["kind"], values["session"], values["date"]) == ("session", "0ccf1a04", "2026-02-03")
    assert (values["model"], values["source"]) == ("x\n---\n", "Claude Code")
    assert values["participants"] == {"Me": "human", "Agent": "agent"}
    assert file_name(conversation, "2026-02-03") == "2026-02-03-dont-stop-the-tests.md"


def test_records_that_are_not_known_are_named() -> None:
    """A kind that a later version brings, a line that is no JSON, values of other types: no crash, nothing lost."""
    lines = ['{"type":"user","uuid":"1","message":{"content":"Hi"}}\n', "// a comment\n", "[1]\n", '{"type":"later"}\n']
    odd = ['{"type":"assistant","uuid":[],"message":7}\n', '{"type":["x"],"message":{"id":{},"content":{"a":1}}}\n']
    conversation, refusal = conversations(io.BytesIO("".join([*lines, *odd, '{"type":"later"}\n']).encode()))
    assert isinstance(conversation, Recording) and isinstance(refusal, Refusal)
    assert conversation.unknown == {"later": 2, "['x']": 1}
    assert refusal.reason == "line 2, line 3 could not be read"
    assert [turn.text for turn in conversation.turns] == ["Hi"]


def recorded(shared: Path) -> list[tuple[Path, dict[str, object]]]:
    """The recorded sessions beside this project, with their truth."""
    found = sorted((shared / "sessions").glob("*.truth.json"))
    return [(path.with_suffix("").with_suffix(".jsonl"), json.loads(path.read_text())) for path in found]


def test_real_sessions_are_read_as_people_saw_them(shared: Path) -> None:
    """Who speaks, how each turn begins, on which line, with which calls; the note reads back."""
    for path, truth in recorded(shared):
        recording = read(path.read_bytes())
        wanted = truth["turns"]
        assert isinstance(wanted, list)
        assert len(recording.turns) == len(wanted), path.name
        for turn, seen in zip(recording.turns, wanted, strict=True):
            assert " ".join(turn.text.split())[:60].strip() == seen["text_start"].strip()
            assert turn.is_person == (seen["role"] == "human")
            calls = [(part.tool, " ".join(part.text.split())[:60]) for part in turn.parts if part.kind == "tool"]
            assert calls == [(tool["name"], " ".join(tool["what"].split())[:60]) for tool in seen["tools"]]
        assert_reads_back(note(recording), recording)


def test_a_note_follows_a_session_that_grows(shared: Path) -> None:
    """Wherever it was cut: what stands there stays, a second time nothing is added, and all turns are there at last.

    Where the person rewound in between, the note says so and keeps both.
    """
    for path, _ in recorded(shared):
        lines = path.read_bytes().splitlines(keepends=True)
        chance = random.Random(path.name)
        for _ in range(5):
            cuts = [*sorted(chance.sample(range(len(lines) // 2, len(lines)), 2)), len(lines)]
            made = note(read(b"".join(lines[: cuts[0]])))
            for cut in cuts[1:]:
                now = read(b"".join(lines[:cut]))
                more = addition(parse(made.encode()), now)
                assert isinstance(more, str)
                made += more
                assert addition(parse(made.encode()), now) == ""
            if "> the session was rewound" not in made:
                assert_reads_back(made, now)


def grown(*texts: str) -> Recording:
    """A conversation of a person and an agent by turns."""
    turns = (RecordedTurn(at % 2 == 0, (TurnPart("text", text),)) for at, text in enumerate(texts))
    return Recording("s", turns=tuple(turns))


def test_a_rewound_session_says_so_and_keeps_both() -> None:
    """What stands there stays; the new branch follows from where they part."""
    made = note(grown("Sort.", "Sorted.", "By date?", "By name."))
    more = addition(parse(made.encode()), grown("Sort.", "Sorted.", "By size, please.", "Done."))
    assert isinstance(more, str)
    assert more.startswith("\n> the session was rewound") and "**Me:** By size, please.\n\n**Agent:** Done.\n" in more
    assert "Sorted." not in more
    assert addition(parse(made.encode()), grown("Sort.", "Sorted.")) == ""


def test_a_turn_that_is_read_otherwise_is_no_rewinding() -> None:
    """A later version of a reader may cut a turn otherwise, or find one more: only what is new is added."""
    made = note(grown("Sort.", "Sorted.", "By date?", "By name.", "Why?", "Because."))
    now = grown("Sort this.", "Sorted.", "By date?", "By name.", "Why?", "Because.", "Fine.")
    more = addition(parse(made.encode()), now)
    assert isinstance(more, str) and more.startswith("\n**Me:** Fine.\n")


def test_what_a_person_wrote_below_a_note_stays_apart() -> None:
    """An answer that goes on gets a label of its own there, also with other line ends."""
    now = grown("Hi", "One.")
    made = note(now).replace("\n", "\r\n")
    now = replace(now, turns=(now.turns[0], RecordedTurn(False, (*now.turns[1].parts, TurnPart("text", "Two.")))))
    more = addition(parse(made.encode()), now)
    assert isinstance(more, str) and more.startswith("\r\nTwo.\r\n\r\n<!-- recorded: 2 turns, 2 parts: ")
    more = addition(parse(f"{made}A_P: 0".encode()), now)
    assert isinstance(more, str) and more.startswith("\r\n\r\n**Agent:** Two.\r\n\r\n<!-- recorded: ")


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
        turns = []
        for number in range(chance.randint(1, 5)):
            text = "\n".join(chance.choice(parts) for _ in range(chance.randint(1, 7)))
            words, call = TurnPart("text", text), TurnPart("tool", text, chance.choice(("Bash", "Read", text)))
            rest = [
                chance.choice((words, call, TurnPart("notice", f"refused: {text}"), TurnPart("attached", text)))
                for _ in range(3)
            ]
            turns.append(RecordedTurn(number % 2 == 0, (words, *rest[: chance.randint(0, 3)])))
        conversation = Recording(text, "x", folder=text, model=text, turns=tuple(turns), elsewhere=chance.randint(0, 2))
        made = note(conversation)
        assert_reads_back(made, conversation)
        assert not set("\0\x1b\u202e\r") & set(made)
