"""What ten times the input costs, as a ratio of processor time, and the memory that a note of a million headings takes.

The best of three runs of each size. Eleven times is the most that is meant to come out, and 300 MB.

    python bench/growth.py [NAME ...]
"""

from __future__ import annotations

import os
import resource
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
            ratio = seconds(work, text(10 * size), text(4)) / seconds(work, text(size), text(4))
            print(f"{name:<16} {ratio:5.1f} times the time for 10 times the input", flush=True)
    if sys.argv[1:]:
        return
    with tempfile.TemporaryDirectory() as folder:
        note = Path(folder) / "note.md"
        note.write_text("# A heading\n" * 1_000_000, encoding="utf-8")
        command = [sys.executable, "-m", "mdtally", "lint", str(note)]
        subprocess.run(command, cwd=PROJECT, check=False, capture_output=True)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"a million headings take {peak:.0f} MB")


if __name__ == "__main__":
    main()
