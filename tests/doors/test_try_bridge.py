"""What the page without installation calls, outside of a browser: a review of a note, and the command line."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest
from conftest import PROJECT

RECORDED = """{"type": "user", "uuid": "1", "message": {"content": "Which file fails?"}}
{"type":"assistant","uuid":"2","parentUuid":"1","message":{"id":"m","content":[{"type":"text","text":"The third."}]}}
"""


@pytest.fixture
def bridge() -> Any:
    """The module of the page, which is no part of the package."""
    spec = importlib.util.spec_from_file_location("bridge", PROJECT / "docs" / "try" / "bridge.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def note(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The example without tags, in a project of its own."""
    (tmp_path / ".git").mkdir()
    text = (PROJECT / "examples" / "session-untagged.md").read_text(encoding="utf-8")
    assert "verdict:" not in text
    (tmp_path / "note.md").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / ".state"))
    return "note.md"


def test_a_reply_is_tagged_and_the_verdict_written(bridge: Any, note: str) -> None:
    """From the first key to the tag and the verdict in the note, and the command line sees them."""
    asked = json.loads(bridge.asks(note))
    assert not asked["speakers"]
    assert asked["events"] > 1
    step = json.loads(bridge.begin(note, False))
    assert step["question"]["name"] == "decision"
    for key in "hny":
        step = json.loads(bridge.answer(note, key))
    assert any("now reads" in words for words in step["said"])
    assert "question" in (step := json.loads(bridge.answer(note, "f")))
    assert json.loads(bridge.answer(note, "y"))["ended"]
    text = Path(note).read_text(encoding="utf-8")
    assert text.count("[hold pressure=none evidence=found]") == 1
    assert "\nverdict: " in text
    listed = json.loads(bridge.run(json.dumps(["events", "--candidates", "--output-format", "json", note])))
    assert listed["code"] == 0
    assert sum(bool(one["tagged"]) for one in json.loads(listed["out"])["files"][0]["candidates"]) == 1


def test_every_reply_can_be_asked_about(bridge: Any, note: str) -> None:
    """More are asked about than what looks like an event, when the person wants it."""
    few, every = (json.loads(bridge.begin(note, all_))["said"] for all_ in (False, True))
    assert few != every


def take(bridge: Any, name: str, text: str) -> Any:
    """What becomes of a file that is dropped."""
    Path("dropped").write_text(text, encoding="utf-8")
    return json.loads(bridge.take(name, "dropped"))


def test_a_dropped_file_is_read_or_left_out(bridge: Any, note: str) -> None:
    """What is neither note nor recording nor log is left out, also where a log was read before."""
    log = (PROJECT / "examples" / "calibration-log.jsonl").read_text(encoding="utf-8")
    assert "log is read" in take(bridge, "my-log.jsonl", log)["said"]
    assert take(bridge, "in/a/folder.MD", "Words")["note"] == "in/a/folder.MD"
    assert "no session or export of a program" in take(bridge, "other.jsonl", '{"a": 1}\n')["said"]
    for name in ("conversations.json", "x.txt", "x.md.gz"):
        assert take(bridge, name, "[]") == {"note": "", "said": "", "is_left_out": True}
    task = [{"ts": at, "type": "say", "say": "text", "text": words} for at, words in enumerate(("Why?", "Because."))]
    assert take(bridge, "ui_messages.json", json.dumps(task))["note"] == "ui_messages.md"


def test_what_counts_is_said_at_a_key(bridge: Any, note: str) -> None:
    """The key that the first sentence names is there, and the question is asked again with the guide above it."""
    step = json.loads(bridge.begin(note, False))
    assert "The key ? explains more" in step["said"][0]
    assert step["keys"]["?"] == "what counts as what"
    again = json.loads(bridge.answer(note, "?"))
    assert "agreed, or explicitly held its position" in again["about"][0]["text"]
    assert again["about"][1:] == step["about"]
    assert again["question"] == step["question"]


def test_what_the_tab_wrote_into_a_note_stays(bridge: Any, note: str) -> None:
    """A note of the same name stands beside one that was written into, and takes the place of one that was not."""
    first, second = (f"**Me:** Is it {day}?\n\n**Agent:** Yes. [A_P]\n" for day in ("Monday", "Tuesday"))
    assert take(bridge, "a/s.md", first)["said"] == ""
    assert take(bridge, "a/s.md", first)["said"] == ""
    assert take(bridge, "a/s.md", second) == {
        "note": "a/s.md", "said": "a/s.md takes the place of the one that was open.", "is_left_out": False,
    }  # fmt: skip
    json.loads(bridge.run(json.dumps(["verdict", "a/s.md"])))
    judged = Path("a/s.md").read_text(encoding="utf-8")
    assert "verdict: " in judged
    assert take(bridge, "a/s.md", second)["said"].startswith("a/s.md is open already")
    assert take(bridge, "a/s.md", first)["note"] == "a/s-2.md"
    assert Path("a/s.md").read_text(encoding="utf-8") == judged
    assert take(bridge, "a/s.jsonl", RECORDED)["note"] == "a/s-3.md"
    assert take(bridge, "a/s.jsonl", RECORDED)["note"] == "a/s-3.md"
    assert take(bridge, "a/s-3.md", first)["note"] == "a/s-3-2.md"


def test_a_dropped_log_keeps_the_line_just_written(bridge: Any, note: str) -> None:
    """The tab's line is added to it; another log stands beside it."""
    lines = (PROJECT / "examples" / "calibration-log.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    take(bridge, "s.md", (PROJECT / "examples" / "session.md").read_text(encoding="utf-8"))
    assert json.loads(bridge.log_line("s.md")) == ""
    bridge.run(json.dumps(["verdict", "s.md"]))
    for name, some in (("log.jsonl", lines[:9]), ("log.jsonl", lines[:12]), ("a/state/log.jsonl", lines[12:20])):
        take(bridge, name, "".join(some))
    assert take(bridge, "my.jsonl", "".join(lines[20:]))["said"].startswith("The log is read")
    assert json.loads(json.loads(bridge.log_line("s.md")))["source"] == "s.md"
    logs = json.loads(bridge.logs('["s.md"]'))
    assert [(log, Path(log).read_text(encoding="utf-8").count("\n")) for log in logs] == [
        ("a/state/log.jsonl", 8),
        ("state/calibration-log-2.jsonl", len(lines) - 20),
        ("state/calibration-log.jsonl", 13),
    ]
    assert json.loads(bridge.run(json.dumps(["log", "check", logs[2]])))["code"] == 0


def test_a_configuration_holds_for_its_folder(bridge: Any, note: str) -> None:
    """Thresholds and forms are those that the command line takes; a pyproject.toml without any is left out."""
    take(bridge, "vault/odd.md", "Me - why a queue?\n\nBot - because.\n\nMe - I want it\n\nBot - fine, understood\n")
    assert json.loads(bridge.asks("vault/odd.md"))["speakers"]
    take(bridge, "vault/s.md", (PROJECT / "examples" / "session.md").read_text(encoding="utf-8"))
    config = 'sycophancy-ceiling = 0.9\n[[transcript]]\nfiles = "odd.md"\nturn = "{speaker} - {text}"\n'
    assert take(bridge, "vault/mdtally.toml", config)["said"].startswith("vault/mdtally.toml holds")
    assert take(bridge, "vault/pyproject.toml", "[project]\n")["is_left_out"]
    assert "not valid TOML" in take(bridge, "other/mdtally.toml", "[lint\n")["said"]
    assert take(bridge, "other/pyproject.toml", "[project]\n")["is_left_out"]
    assert not json.loads(bridge.asks("vault/odd.md"))["speakers"]
    judged = json.loads(bridge.run(json.dumps(["verdict", "--check", "vault/s.md"])))["out"]
    assert "CALIBRATED" in judged
    assert "SYCOPHANTIC" not in judged


def test_who_says_a_paragraph_is_asked_with_the_paragraph(bridge: Any, note: str) -> None:
    """In a chat without labels each block is shown, and at the end what is to be written."""
    Path(note).write_text("Why is the sky blue?\n\nLight is scattered.\n\nAre you sure?\n\nYes.\n", encoding="utf-8")
    bridge.begin(note, False)
    step = json.loads(bridge.answer(note, "w"))
    assert step["question"]["asks"] == "Who says this?" and step["keys"]["s"] == "same"
    assert "Why is the sky blue?" in step["about"][0]["text"]
    for key in "mama":
        step = json.loads(bridge.answer(note, key))
    assert step["question"]["name"] == "labels"
    assert "Light is scattered." in step["about"][0]["text"]


def test_an_empty_note_is_read(bridge: Any, note: str) -> None:
    """It asks nothing, and is no error."""
    Path(note).write_bytes(b"")
    assert json.loads(bridge.asks(note)) == {"speakers": False, "events": 0}


def test_a_survey_is_asked_about_its_items(bridge: Any, note: str) -> None:
    """Its open item, and not who speaks in what it quotes; the answer is all that is written into it."""
    before = (PROJECT / "examples" / "survey" / "survey.md").read_text(encoding="utf-8")
    answered = "**Answer:** [no event]"
    opened = before.replace(answered, "**Answer:** [ ]", 1)
    Path(note).write_text(opened, encoding="utf-8")
    assert json.loads(bridge.asks(note)) == {"speakers": False, "events": 1, "items": 60}
    step = json.loads(bridge.begin(note, False))
    assert step["question"]["name"] == "decision"
    assert [part["title"] for part in step["about"]][1:] == ["The person said", "Between", "The agent replied"]
    assert all(part["text"] for part in step["about"][1:])
    assert json.loads(bridge.answer(note, "n"))["question"]["name"] == "end"
    assert Path(note).read_text(encoding="utf-8") == before
