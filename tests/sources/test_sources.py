"""Recorded sessions and exports: a file to conversations, to notes, and back to the same turns."""

from __future__ import annotations

import io
import json
import os
import random
import re
import zipfile
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from mdtally import transcript
from mdtally.session import counts
from mdtally.sources import PLACES, SOURCES, Recording, addition, conversations, file_name, note_of
from mdtally.sources.recording import RecordedTurn, TurnPart, time_of
from mdtally.text.document import parse
from mdtally.text.model import Refusal
from mdtally.text.records import replace

CASES = sorted((Path(__file__).parents[1] / "cases" / "sources").glob("*.md"))
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


def test_a_model_that_was_chosen_is_the_one_that_answered() -> None:
    """Copilot's "auto" is no model; which one answered stands in the result, a piece of the answer, or the details."""
    said = {"modelId": "copilot/auto", "message": "Hi"}
    for chosen, model in (
        ({"result": {"metadata": {"resolvedModel": "gpt-9"}, "details": "GPT 9 • 1x"}}, "gpt-9"),
        ({"response": [{"kind": "autoModeResolution", "resolvedModel": "gpt-9"}]}, "gpt-9"),
        ({"result": {"details": "Claude Nine 4.5 • 5.1 credits"}}, "Claude Nine 4.5"),
        ({}, ""),
        ({"modelId": "copilot/gpt-8", "result": {"metadata": {"resolvedModel": "gpt-8-0101"}}}, "gpt-8"),
    ):
        assert read(json.dumps({"responderUsername": "x", "requests": [said | chosen]})).model == model


def test_records_that_are_not_known_are_named() -> None:
    """A kind that a later version brings, a line that is no JSON, values of other types: no crash, nothing lost."""
    lines = ['{"type":"user","uuid":"1","message":{"content":"Hi"}}\n', "// a comment\n", "[1]\n", '{"type":"later"}\n']
    odd = ['{"type":"assistant","uuid":[],"message":7}\n', '{"type":["x"],"message":{"id":{},"content":{"a":1}}}\n']
    conversation, refusal = conversations(io.BytesIO("".join([*lines, *odd, '{"type":"later"}\n']).encode()))
    assert isinstance(conversation, Recording) and isinstance(refusal, Refusal)
    assert conversation.unknown == {"later": 2, "['x']": 1}
    assert refusal.reason == "line 2, line 3 could not be read"
    assert [turn.text for turn in conversation.turns] == ["Hi"]


LATER: dict[str, tuple[object, dict[str, int]]] = {
    "Codex": (
        '{"type": "session_meta", "payload": {"id": "1"}}\n{"type": "later", "payload": {}}\n',
        {"later": 1},
    ),
    "ChatGPT": (
        {
            "mapping": {
                str(number): {"message": {"author": {"role": role}, "content": {"content_type": kind, "parts": ["Hi"]}}}
                for number, (role, kind) in enumerate([("user", "text"), ("user", "later"), ("guest", "text")])
            }
        },
        {"later": 1, "guest": 1},
    ),
    "Claude.ai": (
        {"chat_messages": [{"sender": "human", "content": [{"type": "text", "text": "Hi"}, {"type": "later"}]}]},
        {"later": 1},
    ),
    "Gemini CLI": (
        {"sessionId": "1", "projectHash": "2", "messages": [{"type": "user", "content": "Hi"}, {"type": "later"}]},
        {"later": 1},
    ),
    "Qwen Code": (
        {"uuid": "1", "parentUuid": None, "sessionId": "2", "type": "later", "message": {"parts": []}},
        {"later": 1},
    ),
    "opencode": (
        {
            "info": {"id": "ses_1", "directory": "/"},
            "messages": [
                {"info": {"role": "user"}, "parts": [{"type": "text", "text": "Hi"}, {"type": "later"}]},
                {"info": {"role": "guest"}, "parts": []},
            ],
        },
        {"later": 1, "guest": 1},
    ),
}


@pytest.mark.parametrize("source", LATER)
def test_what_a_later_version_brings_is_named(source: str) -> None:
    """A message, a role or a piece of a kind that no version had: it may be words of somebody."""
    recorded, unknown = LATER[source]
    text = recorded if isinstance(recorded, str) else json.dumps(recorded)
    (found,) = conversations(io.BytesIO(text.encode()))
    assert isinstance(found, Recording) and (found.source, found.unknown) == (source, unknown)


def test_every_source_is_asked_about_a_later_version() -> None:
    """Claude Code is above; what the last three leave out, they leave out without a word."""
    others = {"Claude Code", "Copilot Chat", "Cline", "DeepSeek"}
    assert {source.name for source in SOURCES} == LATER.keys() | others, "LATER has no record of it"


def test_a_session_of_claude_code_has_its_last_title() -> None:
    """That of the person, else that of the program; an empty one is none."""
    titles = ['{"type":"ai-title","aiTitle":"Sorting"}\n', '{"type":"ai-title","aiTitle":"Sorting a list"}\n']
    prompt = '{"type":"user","uuid":"1","message":{"content":"Hi"}}\n'
    assert read("".join([titles[0], prompt, titles[1]])).title == "Sorting a list"
    assert read("".join(['{"type":"custom-title","customTitle":"Mine"}\n', prompt, *titles])).title == "Mine"
    assert read(prompt).title == ""


@pytest.mark.parametrize(
    ("meta", "prompt", "is_one"),
    [
        ({"source": "exec", "originator": "codex_vscode"}, "Name this: Sort it.", True),
        ({"source": "exec", "originator": "codex_exec"}, "Sort it.", False),
        ({"source": "vscode"}, "Generate a concise UI title (20-40 characters) for this task.\nTask: Sort it.", True),
        ({"source": "vscode"}, "Generate a concise title.", False),
        ({"source": {"subagent": "review"}}, "Review it.", True),
    ],
)
def test_what_codex_asks_for_itself_is_no_session(meta: dict[str, object], prompt: str, is_one: bool) -> None:
    """An editor has a title made in a thread of its own, with the person's message in it."""
    lines = [
        {"type": "session_meta", "payload": {"id": "r1", **meta}},
        {"type": "event_msg", "payload": {"type": "user_message", "message": prompt}},
    ]
    assert read("".join(f"{json.dumps(line)}\n" for line in lines)).is_sub_agent is is_one


def test_what_gemini_asks_its_sub_agents_is_no_session() -> None:
    """Before 2026 nothing else says that a recording is one's."""
    meta = {"sessionId": "g", "projectHash": "f"}
    for prompt, is_one in (
        ("Your task is to answer the following question about Gemini CLI:\n<question>\nHow?\n</question>", True),
        ("Your task is to do a deep investigation of the codebase to find all files", True),
        ("Your task is to answer.", False),
    ):
        messages = [{"id": "1", "type": "user", "content": prompt}]
        assert read(json.dumps(meta | {"messages": messages})).is_sub_agent is is_one


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


def test_what_is_new_is_said_by_the_voices_that_the_note_has() -> None:
    """Renamed voices go on by their new names; where new turns would not be read, or old are not, nothing is added."""
    old, now = grown("Sort.", "Sorted."), grown("Sort.", "Sorted.", "By date?", "By name.")
    renamed = note(old).replace("Me: human", "Ana B: human").replace("**Me:**", "**Ana B:**")
    more = addition(parse(renamed.encode()), now)
    assert isinstance(more, str) and "**Ana B:** By date?\n\n**Agent:** By name.\n" in more
    assert [turn.speaker for turn in transcript.read(parse((renamed + more).encode())).turns] == ["Ana B", "Agent"] * 2
    headings = note(old).replace("**Me:** ", "### Me\n\n").replace("**Agent:** ", "### Agent\n\n")
    headings = headings.replace('"**{speaker}:** {text}"', '"### {speaker}"')
    for made in (headings, note(old).replace("Agent: agent", "A: agent\n  B: agent")):
        refused = addition(parse(made.encode()), now)
        assert isinstance(refused, Refusal) and "would not be read as turns" in refused.reason
    refused = addition(parse(note(old).replace("Me: human", "Ana: human").encode()), now)
    assert isinstance(refused, Refusal) and "a voice of it is not read any more" in refused.reason


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
    parts += [
        "| A_P | A_R |\n| - | - |\n| 1 | 0 |",
        "[Tool Result]",
        "<task-notification>\n</task-notification>",
        "\x1b[31mred",
        "\u202eabc",
        "nul\0x",
        "a\rb",
    ]
    chance = random.Random(7)
    for _ in range(150):
        turns = []
        for number in range(chance.randint(1, 5)):
            text = "\n".join(chance.choice(parts) for _ in range(chance.randint(1, 7)))
            words, call = TurnPart("text", text), TurnPart("tool", text, chance.choice(("Bash", "Read", text)))
            rest = [
                chance.choice((words, call, TurnPart("notice", f"answered: {text}"), TurnPart("attached", text)))
                for _ in range(3)
            ]
            turns.append(RecordedTurn(number % 2 == 0, (words, *rest[: chance.randint(0, 3)])))
        conversation = Recording(text, "x", folder=text, model=text, turns=tuple(turns), elsewhere=chance.randint(0, 2))
        made = note(conversation)
        assert_reads_back(made, conversation)
        assert not set("\0\x1b\u202e\r") & set(made)


def test_the_pages_list_every_source() -> None:
    """As the tables of sources and places have them; UPDATE_GOLDEN=1 writes the table of the second page anew."""
    names = (Path(__file__).parents[2] / "docs" / "sources.md").read_text("utf-8")
    assert [row.name for row in SOURCES if row.name not in names] == [], "docs/sources.md does not say that it is read"
    rows = ["| `--from` | program | where it keeps its conversations |", "| --- | --- | --- |"]
    for row in SOURCES:
        folders, globs = PLACES.get(row.key, ((), ()))
        where = f"{', '.join(f'`{name}`' for name in folders)}: {', '.join(f'`{glob}`' for glob in globs)}"
        rows.append(
            f"| `{row.key}` | {row.name} | {where if folders else 'nowhere: name the export, a zip or its files'} |"
        )
    page = Path(__file__).parents[2] / "docs" / "reference" / "sources.md"
    text = page.read_text("utf-8")
    before, rest = text.split("<!-- sources -->\n")
    made = (
        f"{before}<!-- sources -->\n"
        + "\n".join(rows)
        + f"\n<!-- sources end -->{rest.partition('<!-- sources end -->')[2]}"
    )
    if os.environ.get("UPDATE_GOLDEN"):
        page.write_text(made, "utf-8")
    is_new = made == page.read_text("utf-8")
    assert is_new, "UPDATE_GOLDEN=1 python -m pytest tests/sources/test_sources.py writes the table"


# -- Attacks ----------------------------------------------------------------------------------------------------------


def chat(name: str, *texts: str, parents: Mapping[str, str | None] | None = None) -> dict[str, object]:
    """A conversation of a ChatGPT export."""
    nodes: dict[str, object] = {}
    for at, text in enumerate(texts):
        message = {"author": {"role": "assistant" if at % 2 else "user"}, "content": {"parts": [text]}}
        parent = (parents or {}).get(str(at), str(at - 1) if at else None)
        nodes[str(at)] = {"parent": parent, "children": [str(at + 1)] * (at + 1 < len(texts)), "message": message}
    return {"title": name, "conversation_id": name, "create_time": 1702349853, "mapping": nodes}


def read_all(data: bytes) -> tuple[list[Recording], list[str]]:
    """The conversations of a file, and what could not be read."""
    found = list(conversations(io.BytesIO(data)))
    refusals = [each.reason for each in found if isinstance(each, Refusal)]
    return [each for each in found if isinstance(each, Recording)], refusals


def zipped(members: Mapping[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip with these members."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return stream.getvalue()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be"])
def test_encodings(encoding: str) -> None:
    """What PowerShell writes, too; without a mark it is UTF-8, and what is none is shown as U+FFFD."""
    mark = b"\xfe\xff" if encoding == "utf-16-be" else b""
    (found,), refusals = read_all(mark + json.dumps([chat("a", "Zoë?", "Ja.")], ensure_ascii=False).encode(encoding))
    assert (found.turns[0].text, refusals) == ("Zoë?", [])
    (found,), _ = read_all(json.dumps([chat("a", "Zoë?", "Ja.")], ensure_ascii=False).encode("latin-1"))
    assert found.turns[0].text == "Zo\ufffd?"


def test_one_broken_conversation_is_named_and_the_rest_is_read() -> None:
    """In the middle of an export, at its torn end, and where it is the first one; inner lists begin alike."""
    texts = [json.dumps(chat(str(number), "Hi", "Hello.")) for number in range(5)]
    for broken in range(5):
        rows = [*texts]
        rows[broken] = rows[broken][:-30]
        found, refusals = read_all(f"[{', '.join(rows)}]".encode())
        assert [one.title for one in found] == [str(number) for number in range(5) if number != broken]
        assert refusals == [f"conversation {broken + 1} could not be read"]
    found, refusals = read_all(f"[{','.join(texts)}]".encode()[:-40])
    assert (len(found), refusals) == (4, ["conversation 5 could not be read"])
    messages = [{"uuid": str(number), "sender": "human", "text": "Hi"} for number in range(3)]
    chats = [json.dumps({"uuid": f"c{number}", "chat_messages": messages}) for number in range(4)]
    chats[1] = chats[1].replace('"Hi"', '"Hi', 1)
    assert [one.session for one in read_all(f"[{','.join(chats)}]".encode())[0]] == ["c0", "c2", "c3"]


def test_a_part_of_an_export_that_gives_nothing_is_named() -> None:
    """Torn in its first chat, empty, or with something else in its list."""
    whole = json.dumps([chat("0", "Hi", "Hello.")]).encode()
    parts = {
        "conversations-0.json": whole,
        "conversations-1.json": whole[:-30],
        "conversations-2.json": b"",
        "a.md": b"",
    }
    found, refusals = read_all(zipped(parts))
    named = ["conversations-1.json: conversation 1 could not be read", "conversations-2.json: empty"]
    assert ([one.title for one in found], refusals) == (["0"], named)
    found, refusals = read_all(json.dumps([chat("0", "Hi"), 7, None, {"mapping": 5}]).encode())
    assert (len(found), refusals) == (1, ["conversation 2, conversation 3, conversation 4 could not be read"])


def test_parts_of_an_export_may_stand_behind_each_other() -> None:
    """As `cat conversations-*.json` writes them; what is torn in the second list is numbered on."""
    first, second = (json.dumps([chat(name, "Hi", "Hello.") for name in names]) for names in ("ab", "cd"))
    for between in ("\n", "\r\n\ufeff", ",\n", "[]"):
        found, refusals = read_all(f"{first}{between}{second}".encode())
        assert ([one.title for one in found], refusals) == (["a", "b", "c", "d"], [])
    found, refusals = read_all(f"{first}{second}"[:-40].encode())
    assert ([one.title for one in found], refusals) == (["a", "b", "c"], ["conversation 4 could not be read"])


def test_a_line_break_in_a_text_breaks_nothing() -> None:
    """Some programs write it as it is; in a list, in one object, and in one that is laid out over lines."""
    one = {"uuid": "c", "chat_messages": [{"uuid": "m", "sender": "human", "text": "One#two."}]}
    for text in (json.dumps([one, one]), json.dumps(one), json.dumps(one, indent=1)):
        found, refusals = read_all(text.replace("#", "\n\t").encode())
        assert ({each.turns[0].text for each in found}, refusals) == ({"One\n\ttwo."}, [])
        (reason,) = read_all(text[:-9].encode())[1]
        assert reason.endswith("could not be read")


def test_an_export_is_read_by_pieces() -> None:
    """Of ten megabytes less than half is read before the first conversation is given, and none is kept behind it."""

    class Counting(io.BytesIO):
        number = 0

        def read1(self, size: int | None = -1, /) -> bytes:
            data = super().read1(-1 if size is None else size)
            self.number += len(data)
            return data

    text = json.dumps([chat(str(number), "x" * 100_000, "y" * 100_000) for number in range(50)])
    stream = Counting(text.encode())
    first = next(iter(conversations(stream)))
    assert isinstance(first, Recording) and first.title == "0"
    assert 0 < stream.number < len(text) / 2


def test_a_zip_as_it_came(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In parts, with pictures and pages beside; a path out of it is a name and nothing else."""
    monkeypatch.chdir(tmp_path)
    parts = {
        f"../../conversations-{number:03}.json": json.dumps([chat(str(number), "Hi")]).encode() for number in range(3)
    }
    more = {"chat.html": b"<html>", "user.json": b'{"id": 1}', "file-1.png": b"\x89PNG", "a/": b""}
    found, refusals = read_all(zipped({**more, **parts}))
    assert ([one.title for one in found], refusals) == (["0", "1", "2"], [])
    assert not list(tmp_path.iterdir())
    (nothing,) = read_all(zipped(more))[1]
    assert nothing.startswith("no session or export of a program that is read (Claude Code, ")


def test_a_zip_that_is_a_bomb_or_torn() -> None:
    """A bomb is not opened, a torn member does not stop the others, and what is no zip any more is said."""
    bomb = zipped({"conversations.json": b"[" + b" " * (300 << 20)})
    assert len(bomb) < 1 << 20
    assert read_all(bomb) == ([], ["a zip that would grow to 300 MB; not opened"])
    data = bytearray(
        zipped({"a.json": json.dumps([chat("a", "Hi")]).encode(), "b.json": json.dumps([chat("b", "Hi")]).encode()})
    )
    data[60] ^= 255
    found, refusals = read_all(bytes(data))
    assert [one.title for one in found][-1:] == ["b"] and refusals[0].startswith("a.json: ")
    found, refusals = read_all(bytes(data[:200]))
    assert found == [] and refusals[0].startswith("a zip that can't be read")


def test_a_compressed_rollout() -> None:
    """Read where Python or a package does it; torn, it is said."""
    zstd = pytest.importorskip("backports.zstd")
    line = {"type": "event_msg", "payload": {"type": "user_message", "message": "Hi"}}
    data = zstd.compress(b'{"type":"session_meta","payload":{"id":"r"}}\n' + json.dumps(line).encode() + b"\n")
    (found,), _ = read_all(data)
    assert [turn.text for turn in found.turns] == ["Hi"]
    assert read_all(data[:-8])[1][0].startswith("compressed with Zstandard, and torn")


@pytest.mark.parametrize(
    "parents",
    [{"0": "3"}, {"2": "2"}, {"2": "gone"}, {"0": "gone", "3": "1"}, {"1": []}],
    ids=["circle", "its-own", "lost", "lost-and-left", "odd"],
)
def test_cycles_and_lost_parents_lose_nothing(parents: dict[str, str | None]) -> None:
    """The path goes on with what stands above."""
    texts = ["One?", "One.", "Two?", "Two."]
    (found,), _ = read_all(json.dumps([chat("a", *texts, parents=parents)]).encode())
    assert sum(len(turn.parts) for turn in found.turns) + found.elsewhere == 4
    assert found.turns[-1].text.endswith("Two.")


def test_where_no_message_names_a_parent_the_list_is_the_path() -> None:
    """Nothing was left then."""
    parents = dict.fromkeys("0123")
    (found,), _ = read_all(json.dumps([chat("a", "One?", "One.", "Two?", "Two.", parents=parents)]).encode())
    assert ([turn.text for turn in found.turns], found.elsewhere) == (["One?", "One.", "Two?", "Two."], 0)


def test_what_a_file_is_is_told_from_its_content() -> None:
    """Nothing else is taken for a recording: other JSON, Markdown, an empty file, a picture."""
    for data in (
        b"",
        b"{}",
        b"[]",
        b"[1, 2]",
        b'{"a": 1}\n{"a": 2}\n',
        b'{"a": 1}\n{"a": \n{"a": 3}\n',
        b"# A note\n\n**Me:** hi\n",
        b"\x89PNG\r\n",
        b"[",
    ):
        found, refusals = read_all(data)
        assert found == [] and refusals[-1].startswith("no session or export of a program" if data else "empty")


@pytest.mark.parametrize(
    ("time", "iso"),
    [
        (1702349853, "2023-12-12T02:57:33+00:00"),
        (1702349853.5, "2023-12-12T02:57:33.500000+00:00"),
        (1702349853000, "2023-12-12T02:57:33+00:00"),
        (1702349853000000000, "2023-12-12T02:57:33+00:00"),
        ("1702349853000", "2023-12-12T02:57:33+00:00"),
        ("2026-03-01T10:00:00.123456Z", "2026-03-01T10:00:00.123456Z"),
        ("2026-03-01 10:00", "2026-03-01 10:00"),
        (None, ""),
        ([], ""),
        (float("inf"), ""),
        (float("nan"), ""),
        (10**400, ""),
    ],
)
def test_times(time: object, iso: str) -> None:
    """Seconds, milliseconds, nanoseconds, texts with and without a zone, and nothing that is a time."""
    assert time_of(time) == iso


def test_records_of_megabytes() -> None:
    """A first line that is longer than a piece, another one below it, and a value in a list that is longer."""
    line = {"type": "user", "uuid": "1", "sessionId": "s", "message": {"content": "word " * 1_500_000}}
    (found,), refusals = read_all(json.dumps(line).encode() + b'\n{"type": "user", "uuid": "2", "parentUuid": "1"}\n')
    assert (len(found.turns[0].text), refusals) == (7_500_000 - 1, [])
    (found,), refusals = read_all(json.dumps([chat("a", "word " * 2_000_000, "Yes.")]).encode())
    assert (len(found.turns), refusals) == (2, [])


# -- Real files -------------------------------------------------------------------------------------------------------

# Whose truth lists less than they hold: made-up samples of converters, and a session without what its dialogs say.
LESS = {"codex-6302af94", "codex-e24adb3a", "gemini-2d16d633", "opencode-0199c637"}


def runs_of(truth: Iterable[tuple[str, str]]) -> list[tuple[bool, list[str]]]:
    """What a person saw, as turns: messages of the agent that follow each other are one."""
    runs: list[tuple[bool, list[str]]] = []
    for role, start in truth:
        if role == "human" or not runs or runs[-1][0]:
            runs.append((role == "human", [start.strip()]))
        else:
            runs[-1][1].append(start.strip())
    return runs


def test_real_files_of_all_programs_are_read_as_people_saw_them(shared: Path) -> None:
    """Every turn, who speaks, and how each message begins."""
    read_exactly, all_of_them = Counter[str](), Counter[str]()
    for path in sorted((shared / "agents").glob("*/*.truth.json")):
        if path.name.removesuffix(".truth.json") in LESS:
            continue
        (recording,) = (each for each in path.parent.glob(path.name.replace(".truth.json", ".json*")) if each != path)
        found = [one for one in read_all(recording.read_bytes())[0] if one.turns]
        truth = json.loads(path.read_text())
        seen = [runs_of(one["turns"]) for one in truth.get("conversations", [truth])]
        if len(found) > len(seen) == 1:
            found = [
                replace(found[0], turns=tuple(turn for one in found for turn in one.turns))
            ]  # a log of many sessions
        assert len(found) == sum(map(bool, seen)), path.name
        for one, turns in zip(found, filter(None, seen), strict=True):
            said = [(turn.is_person, " ".join(turn.text.split())) for turn in one.turns if turn.text or turn.is_person]
            same = [side for side, _ in said] == [side for side, _ in turns] and all(
                text.startswith(starts[0]) and all(start in text for start in starts)
                for (_, text), (_, starts) in zip(said, turns, strict=True)
            )
            all_of_them[path.parent.name] += 1
            read_exactly[path.parent.name] += same
            assert_reads_back(note(one), one)
    assert all(read_exactly[program] >= 0.95 * number for program, number in all_of_them.items()), read_exactly
