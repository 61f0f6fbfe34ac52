"""`mdtally review` killed at random moments at a terminal: what stands on the disk then, and whether it can go on.

A first review is answered to its end, and the note as it is at each question is remembered. Then the same person
reviews the same chat again and again, and after a random time the process gets SIGKILL, or SIGTERM and a terminal that
closes. The note must then be one of those that were seen (as it was, or as it is after a whole answer), the kept
answers and the calibration log must hold whole lines only, and going on must end with the same note, one session of the
same counts, and nothing beside them but, after SIGKILL, a file that a run ten seconds later removes.

    python bench/killed_reviews.py [--times 60] [--seed 1]
"""

from __future__ import annotations

import argparse
import json
import os
import random
import select
import signal
import sys
import tempfile
import time
import zlib
from collections import Counter
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(PROJECT), str(PROJECT / "tests")]

from terminal import converse, start  # noqa: E402

CHAT = (PROJECT / "examples" / "session-untagged.md").read_text()
COMMAND = ["review", "--all", "chat.md"]
KEYS = {"What did the agent do?": "ahn", "What came before?": "pan", "evidence?": "yn"}


class Person:
    """Somebody who answers the same about the same reply, however often it is asked."""

    def __init__(self, note: Path) -> None:
        self.notes = {note.read_text()}
        self._note, self._reply = note, ""

    def __call__(self, screen: str) -> str:
        """The key for the last question on the screen."""
        self.notes.add(self._note.read_text())
        if "What did the agent do?" in screen:
            self._reply = screen.rpartition("\nagent, line")[2].partition("\n")[2].partition("What did")[0]
        for words, keys in KEYS.items():
            if words in screen:
                return keys[zlib.crc32(f"{words}{self._reply}".encode()) % len(keys)]
        assert "Write this verdict" in screen, screen
        return "y"


def chat_in(folder: Path) -> Path:
    """A new chat in a project of its own."""
    (folder / ".git").mkdir(parents=True)
    (folder / "chat.md").write_text(CHAT)
    return folder / "chat.md"


def killed(folder: Path, after: float, number: signal.Signals) -> bool:
    """Review a chat and send a signal after so many seconds; False if the review had ended before."""
    person, shown, end = Person(folder / "chat.md"), "", time.monotonic() + after
    process, terminal = start(folder, COMMAND, 80)
    try:
        while (left := end - time.monotonic()) > 0:
            if select.select([terminal], [], [], left)[0]:
                try:
                    part = os.read(terminal, 65536).decode(errors="replace")
                except OSError:  # the program has gone
                    part = ""
                if not part:
                    break
                shown += part.replace("\r\n", "\n")
                if shown.endswith("> "):
                    os.write(terminal, person(shown).encode())
                    shown = ""
        os.kill(process, number)
    finally:
        os.close(terminal)
    return os.WIFSIGNALED(os.waitpid(process, 0)[1]) or left <= 0


def torn(folder: Path) -> list[str]:
    """The files with a line that is none: answers that were kept, and the calibration log."""
    found = []
    for path in (*folder.parent.glob(f".state-{folder.name}/**/*.jsonl"), *folder.glob("state/*.jsonl")):
        text = path.read_text()
        try:
            whole = all(isinstance(json.loads(line), dict) for line in text.splitlines())
        except ValueError:
            whole = False
        if not whole or (text and not text.endswith("\n")):
            found.append(f"{path.name}: {text[-80:]!r}")
    return found


def outcome(folder: Path) -> tuple[str, object]:
    """The note, and of each session in its log the newest counts."""
    lines = map(json.loads, (folder / "state/calibration-log.jsonl").read_text().splitlines())
    counts = {line["session"]: [line[name] for name in ("A_P", "A_R", "A_T", "events")] for line in lines}
    return (folder / "chat.md").read_text(), counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--times", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    chance, seen, wrong = random.Random(given.seed), Counter[str](), list[str]()
    with tempfile.TemporaryDirectory() as name:
        first = chat_in(Path(name) / "first")
        person, began = Person(first), time.monotonic()
        _, code = converse(first.parent, COMMAND, person)
        lasted, expected = time.monotonic() - began, outcome(first.parent)
        notes = [*person.notes, expected[0]]
        # The last tag and the head's mark that all is reviewed are two writes of one answer.
        heads, bodies = ({text.partition("\n---\n")[part] for text in notes} for part in (0, 2))
        print(f"a whole review: {lasted:.2f} s, exit {code}, {len(set(notes))} states of the note")
        for each in range(given.times):
            number = chance.choice((signal.SIGKILL, signal.SIGTERM))
            note = chat_in(Path(name) / str(each))
            after = chance.uniform(0, lasted)
            was_killed = killed(note.parent, after, number)
            about = f"{each}, {number.name} after {after:.3f} s"
            text = note.read_text()
            head, _, body = text.partition("\n---\n")
            seen["ended before" if not was_killed else number.name] += 1
            seen["notes as at first" if text == CHAT else "notes with a whole answer or more"] += 1
            wrong += [f"{about}: a note that was never seen:\n{text}"] * (head not in heads or body not in bodies)
            wrong += [f"{about}: {what}" for what in torn(note.parent)]
            shown, code = converse(note.parent, COMMAND, Person(note))
            left = {path.name for path in note.parent.iterdir()} - {".git", "chat.md", "state"}
            if number == signal.SIGKILL:
                left = {path for path in left if not path.endswith(".tmp")}
            if code or torn(note.parent) or outcome(note.parent) != expected or left:
                wrong.append(f"{about}: gone on with, exit {code}, {left or 'nothing'} beside it:\n{shown[-600:]}")
    print(", ".join(f"{count} {what}" for what, count in sorted(seen.items())))
    print("\n".join(wrong) or "nothing lost, nothing torn; each could be gone on with to the same end")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
