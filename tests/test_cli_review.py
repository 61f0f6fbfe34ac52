"""``mdtally review`` at a real terminal: a chat of each shape, from nothing to a verdict, with every key counted."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections import Counter
from pathlib import Path

import pytest
from conftest import PROJECT
from terminal import converse, drive

if sys.platform == "win32":
    pytest.skip("there is no pseudo-terminal in Python's library here", allow_module_level=True)

CASES = sorted((PROJECT / "tests" / "cases" / "review").glob("*.md"))
# "... it twice in June. <!-- hpy -->": the keys that tell the truth of the turn in which the line stands
TRUTH = re.compile(r" <!-- (\w+) -->$", re.MULTILINE)
CHAT = "\n\n".join(TRUTH.sub("", CASES[0].read_text()).split("\n\n"))


class Person:
    """Somebody who knows the truth of a chat, and answers what the screen asks.

    Attributes:
        keys: how many keys were pressed, by what was asked.
    """

    def __init__(self, chat: str, voice: str = "") -> None:
        self.keys: Counter[str] = Counter()
        self._voice, self._left = voice, {}
        for line in chat.split("\n"):
            if found := TRUTH.search(line):
                self._left[" ".join(TRUTH.sub("", line).split()[-4:])] = found[1]
        self._pending = ""

    def __call__(self, screen: str) -> str:
        """The key for the last question on the screen."""
        if self._pending:
            key, self._pending = self._pending[0], self._pending[1:]
            self.keys["event"] += 1
        elif "What did the agent do?" in screen:
            key = self._decide(" ".join(screen.rpartition("\nagent, line")[2].split()))
        elif "Which line begins" in screen:
            key = "1" if "you say?" in screen else "2"
            self.keys["who"] += 1
        elif "Which reading" in screen:
            key = "1"
            self.keys["who"] += 1
        elif "Which voice" in screen:
            key = re.findall(rf"\[(\d)\] {self._voice}$", screen, re.MULTILINE)[-1]
            self.keys["who"] += 1
        else:
            assert "Write this verdict" in screen, screen
            key = "y"
            self.keys["verdict"] += 1
        return key

    def _decide(self, reply: str) -> str:
        end = next((end for end in self._left if end in reply), None)
        if end is None:
            self.keys["no event"] += 1
            return "n" if self._left else "f"
        keys = self._left.pop(end)
        self._pending = keys[1:]
        self.keys["event"] += 1
        return keys[0]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_from_a_chat_to_a_verdict(tmp_path: Path, case: Path) -> None:
    """Each event of the truth is tagged where it stands; a key an event and facet, and three besides."""
    chat = case.read_text()
    (tmp_path / "chat.md").write_text(TRUTH.sub("", chat))
    person = Person(chat, voice="Rosa")
    shown, code = converse(tmp_path, ["review", "chat.md"], person)
    assert code == 0, shown
    truth = TRUTH.findall(chat)
    after = (tmp_path / "chat.md").read_text()
    tags = re.findall(r"\[(agree|hold) pressure=(\w)\w* evidence=(\w)", after)
    wanted = [(key[0].replace("a", "agree").replace("h", "hold"), key[1], key[2]) for key in truth]
    evidence = {"agree": {"y": "n", "n": "n"}, "hold": {"y": "f", "n": "n"}}
    assert [(what, before) for what, before, _ in tags] == [(what, before) for what, before, _ in wanted]
    assert [kind for *_, kind in tags] == [evidence[what][key] for what, _, key in wanted]
    assert person.keys["event"] == 3 * len(truth)
    assert person.keys["who"] + person.keys["verdict"] <= 3
    assert "verdict: " in after
    assert "calibration-log.jsonl" in shown
    assert "You pressed" in shown
    assert "That is no proof yet" in shown


def test_the_recorded_session_is_what_happens(tmp_path: Path) -> None:
    """From 15 turns without a tag to a verdict in 20 keys; UPDATE_GOLDEN=1 records it and the README's picture anew."""
    shutil.copy(PROJECT / "examples" / "session-untagged.md", tmp_path / "chat.md")
    keys = [*"\r\ry", *"\r\ry", *"h\ry", *"\r\rn", *"ann", *"hny", *"n", *"y"]
    assert len(keys) == 20
    shown, code = drive(tmp_path, ["review", "chat.md"], keys)
    assert code == 0
    picture = shown.partition("Write this verdict")[2]
    for page, start, recorded in (
        ("docs/reference/review-walk.md", "```text\n", f"$ mdtally review chat.md\n{shown}"),
        ("README.md", "```text\n", picture.partition("yes, write it\n\n")[2].partition("\n6 tags")[0]),
    ):
        above, _, rest = (PROJECT / page).read_text(encoding="utf-8").partition(start)
        if os.environ.get("UPDATE_GOLDEN"):
            (PROJECT / page).write_text(f"{above}{start}{recorded}```{rest.partition('```')[2]}", encoding="utf-8")
        assert (PROJECT / page).read_text(encoding="utf-8") == f"{above}{start}{recorded}```{rest.partition('```')[2]}"
