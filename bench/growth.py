"""How time grows with the input, construct by construct, and what a note of a million headings takes.

For n, 2n and 4n of a construct the best of three runs each; the slope is that of log time over log size between n and
4n: 1 is linear, and 1.15 the most that is meant to come out. A million headings: 300 MB and 10 s.

    python bench/growth.py [NAME ...]
"""

from __future__ import annotations

import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PROJECT))

from mdtally import transcript  # noqa: E402
from mdtally.check import lint, rules  # noqa: E402
from mdtally.project.settings import Settings  # noqa: E402
from mdtally.session import counts  # noqa: E402
from mdtally.text.document import Document, parse  # noqa: E402

SELECTION, _ = rules.select([], [], [])


def gate(document: Document) -> object:
    """All that lint does with a file."""
    return lint.examine(document, Settings(), SELECTION)


def settled(document: Document) -> object:
    """What a file is offered as that a person asks about."""
    return transcript.every_offer(document)


def turns(label: str, rounds: int, *, voices: int = 3, marked: bool = True) -> str:
    """A debate in which each round has one turn of each voice."""
    lines = ["# Queue", ""]
    for number in range(1, rounds + 1):
        lines += [f"## Round {number}", ""] if marked else []
        said = f"I think case {number} hides the overload, and you ignore the cost of {number * 7} euros."
        lines += [label.format(f"Expert{voice}", said) for voice in range(voices)]
    return "\n".join(lines)


SESSION = "---\nkind: session\n---\n\n"
TABLE = "| what | A_P | A_R | A_T |\n| --- | --- | --- | --- |\n"
CASES: dict[str, tuple[Callable[[int], str], Callable[[Document], object], int]] = {
    "tags": (lambda n: SESSION + "They asked twice. [A_P: nothing new] [A_T]\n\n" * n, counts.read, 300),
    "tallies": (
        lambda n: SESSION + "".join(f"A_P: {i} | A_R: 0 | A_T: {i + 5}\n\n" for i in range(n)),
        counts.read,
        300,
    ),
    "near misses": (lambda n: SESSION + "They asked twice. [AP: nothing new]\n\n" * n, gate, 300),
    "tables": (lambda n: SESSION + TABLE + "| asked twice | x | | x |\n" * n, counts.read, 300),
    "headings": (lambda n: "# A heading\n\n" * n, gate, 2_000),
    "sections": (lambda n: "".join(f"## Part {i}\n\nSome words on it: all.\n\n" for i in range(n)), gate, 500),
    "turns, headings": (lambda n: turns("### {}\n\n{}\n", n), transcript.read, 40),
    "turns, bold": (lambda n: turns("**{}:** {}\n", n, marked=False), transcript.read, 40),
    "gate, headings": (lambda n: turns("### {}\n\n{}\n", n), gate, 40),
    "voices": (lambda n: turns("**{}:** {}\n", 3, voices=n), transcript.read, 40),
    "paragraphs": (lambda n: "Some words, and some more: so it goes.\n\n" * n, gate, 3_000),
    "lines": (lambda n: "Some words, and some more: so it goes.\n" * n, gate, 3_000),
    "one line": (lambda n: "Some words, *and* some `more`: so [it](a.md) goes. " * n, gate, 1_000),
    "items": (lambda n: SESSION + "- an item: words\n" * n, gate, 3_000),
    "nested items": (lambda n: "".join(f"{'  ' * (i % 20)}- words\n" for i in range(n)), gate, 3_000),
    "quotes": (lambda n: "> words, and some more\n>\n" * n, gate, 3_000),
    "fences": (lambda n: SESSION + "```sh\n[A_P]\n```\n\nwords [A_T]\n\n" * n, gate, 1_000),
    "open fences": (lambda n: "```sh\nwords\n\n" * n, gate, 1_000),
    "comments": (lambda n: SESSION + "<!-- words --> and [A_T]\n\n" * n, gate, 1_000),
    "open comments": (lambda n: "<!-- words\n\n" * n, gate, 1_000),
    "HTML": (lambda n: "<details><summary>words</summary>\n\n<b>more</b>\n\n</details>\n\n" * n, gate, 1_000),
    "brackets": (lambda n: SESSION + "[" * n + "A_P", gate, 2_000),
    "stars": (lambda n: SESSION + "**a " * n, gate, 2_000),
    "columns": (lambda n: f"{SESSION}|{'A_P|' * n}\n|{'-|' * n}\n|{'x|' * n}\n", gate, 2_000),
    "chat by time": (
        lambda n: "".join(f"[{i // 60 % 24:02}:{i % 60:02}] mika: words\n" for i in range(n)),
        gate,
        1_000,
    ),
    "own words quoted": (lambda n: "> Why is that?\n\nBecause it is so, and was.\n\n" * n, settled, 500),
}


def seconds(work: Callable[[Document], object], text: str, first: str) -> float:
    """Processor time of the best of three runs, the parsing included, each in a process of its own, where caches hold
    no more than a short text of the same kind left in them."""
    times = []
    for _ in range(3):
        reading, writing = os.pipe()
        if os.fork() == 0:
            work(parse(first.encode()))
            start = time.process_time()
            work(parse(text.encode()))
            os.write(writing, str(time.process_time() - start).encode())
            os._exit(0)
        os.close(writing)
        times.append(float(os.read(reading, 100)))
        os.close(reading)
        os.wait()
    return min(times)


def main() -> None:
    """Print a line a case, and the memory of the largest note."""
    for name, (text, work, size) in CASES.items():
        if not sys.argv[1:] or name in sys.argv[1:]:
            times = [seconds(work, text(more * size), text(4)) for more in (1, 2, 4)]
            slope = math.log(times[2] / times[0]) / math.log(4)
            shown = ", ".join(f"{1000 * time:.0f}" for time in times)
            print(f"{name:<16} slope {slope:4.2f}   ({shown} ms)", flush=True)
    if sys.argv[1:]:
        return
    with tempfile.TemporaryDirectory() as folder:
        note = Path(folder) / "note.md"
        note.write_text("".join(f"## Part {i}\n\n" for i in range(1_000_000)), encoding="utf-8")
        command = [sys.executable, "-m", "mdtally", "lint", str(note)]
        process = subprocess.Popen(command, cwd=PROJECT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, taken = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    print(f"a million headings take {taken.ru_maxrss / 1024:.0f} MB and {taken.ru_utime + taken.ru_stime:.1f} s")


if __name__ == "__main__":
    main()
