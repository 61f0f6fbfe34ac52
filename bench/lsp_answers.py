"""How long the language server takes to answer about a long log, in processor time.

    python bench/lsp_answers.py [LOG...]

Each log (without one: the example session, repeated to 200 kB) is typed into, a character at a time. Shown for each
question, in milliseconds: the median where it is the first one after a keystroke, so that it pays for what has to be
read anew, and the longest where the text has been read.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from lsprotocol import types
from pygls.workspace import PositionCodec

from mdtally.doors.cli import lsp
from mdtally.doors.cli.common import now
from mdtally.doors.server import shown
from mdtally.doors.server.actions import actions_between
from mdtally.doors.server.text import EditorText, Host

KEYSTROKES = 7
SIZE = 200_000
HOST = Host(lsp.settings_of, now)

QUESTIONS: dict[str, Callable[[EditorText], object]] = {
    "diagnostics": shown.diagnostics,
    "code actions at a turn": lambda opened: [*actions_between(opened, (21, 1), (21, 1))],
    "hover": lambda opened: shown.hover(opened, types.Position(20, 0)),
}


def example() -> str:
    """The example session with its body repeated."""
    head, body = (Path(__file__).parents[1] / "examples" / "session.md").read_text().split("# Shall", 1)
    body = "# Shall" + body.rpartition("A_P:")[0]
    return head + body * (SIZE // len(body) + 1)


def measure(name: str, text: str) -> None:
    """Print the times of one log."""
    first: dict[str, list[float]] = {question: [] for question in QUESTIONS}
    again: dict[str, list[float]] = {question: [] for question in QUESTIONS}
    for stroke in range(1, KEYSTROKES + 1):
        for number, (question, ask) in enumerate(QUESTIONS.items()):
            start = time.process_time()
            opened = EditorText(f"{text}\n{'x' * stroke}{number}\n", None, HOST, PositionCodec())
            ask(opened)
            first[question].append(time.process_time() - start)
        for question, ask in QUESTIONS.items():
            ask(opened)
            start = time.process_time()
            ask(opened)
            again[question].append(time.process_time() - start)
    print(f"{name}: {len(text.encode()):,} bytes, {len(opened.transcript.turns)} turns ({opened.transcript.reading})")
    for question in QUESTIONS:
        print(f"  {question:<24} {1000 * median(first[question]):6.1f} first {1000 * max(again[question]):6.1f} again")


if __name__ == "__main__":
    given = [(path, Path(path).read_text()) for path in sys.argv[1:]]
    for name, text in given or [("the example, repeated", example())]:
        measure(name, text)
