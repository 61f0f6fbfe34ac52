"""How processor time grows with the input, and what a note of a million headings takes.

Of each construct that a loop or an expression looks at: n, 2n and 4n of it, the best of three runs each. The slope is
that of the logarithms: 1 is linear, 2 quadratic, and 1.15 the most that is meant to come out. The note may take
300 MB and 10 s of processor time of `lint` and of `verdict`.

    python bench/growth.py [NAME ...]
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from math import log2
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PROJECT))

from mdtally import transcript  # noqa: E402
from mdtally.ask.regeneration import Regeneration  # noqa: E402
from mdtally.check import lint, rules, settling  # noqa: E402
from mdtally.project.settings import Settings  # noqa: E402
from mdtally.session import counts  # noqa: E402
from mdtally.text.document import Document, parse  # noqa: E402

SELECTION, _ = rules.select([], [])


def gate(document: Document) -> object:
    """All that lint does with a file."""
    return lint.examine(document, Settings(), SELECTION)


def sent_back(document: Document) -> object:
    """The responses that regenerate asks for again."""
    return Regeneration(document, Settings()).sent_back()


def turns(label: str, rounds: int, *, voices: int = 3, marked: bool = True) -> str:
    """A debate in which each round has one turn of each voice."""
    lines = ["# Queue", ""]
    for number in range(1, rounds + 1):
        lines += [f"## Round {number}", ""] if marked else []
        said = f"I think case {number} hides the overload, and you ignore the cost of {number * 7} euros."
        lines += [label.format(f"Expert{voice}", said) for voice in range(voices)]
    return "\n".join(lines)


def both(document: Document) -> object:
    """All that lint and verdict do with a file."""
    return gate(document), counts.read(document)


def of(text: str, before: str = "", after: str = "") -> Callable[[int], str]:
    """So many times a text, in a session."""
    return lambda n: SESSION + before + text * n + after


EXCUSED = "<!-- mdtally-disable-next-turn forbidden-phrase: quoted -->\n"
LABELS = "_Ana: hi\n\nAna_x: hi\n\n## _ Ben\n\n## Ben_x\n\n**Ben:** So so.\n\n| Ana | _ |\n\n" * 2
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
    "turns, tools": (lambda n: "x\n\n" + "[Tool Result]\n\nlow 03:10\n\n" * n, transcript.read, 300),
    "turns, bold": (lambda n: turns("**{}:** {}\n", n, marked=False), transcript.read, 40),
    "gate, headings": (lambda n: turns("### {}\n\n{}\n", n), gate, 40),
    "gate, titles": (lambda n: turns("### {}\n\n{}\n", 4) + "I've stress-tested Dr. " * n, gate, 500),
    "gate, comments": (lambda n: turns("### {}\n\n{}\n", 4) + "words <!-- note --> here " * n, gate, 1_000),
    "sent back, excused": (lambda n: turns(EXCUSED + "### {}\n\nGreat point: {}\n", n), sent_back, 40),
    "columns": (
        lambda n: (
            SESSION + "".join(f"|{cell * n}\n" for cell in (" A_P |", " --- |", " 1 |", " x |")) + "\nThe end of it.\n"
        ),
        both,
        4_000,
    ),
    "columns, plain": (lambda n: "".join(f"|{cell * n}\n" for cell in (" c |", " --- |", " 1 |")), both, 4_000),
    "pipes": (of("|"), both, 4_000),
    "HTML tables": (of("<tr><td>A_P</td><td>1</td></tr>\n", "<table>\n", "</table>\n"), both, 500),
    "HTML tables, one line": (of("<tr><td>A_P</td><td>1</td></tr>", "<table>", "</table>\n"), both, 500),
    "brackets": (of("[A_P "), both, 2_000),
    "brackets, blanks": (lambda n: SESSION + ("[A_P" + " " * n + "x]\n\n") * 2, both, 2_000),
    "brackets, nested": (of("["), both, 2_000),
    "brackets, closing": (of("a] "), both, 2_000),
    "tags, one line": (of("[A_P: it gave in] "), both, 1_000),
    "near misses, one line": (of("[AP: it gave in] "), both, 1_000),
    "links": (of("[a](b) and <https://a.example/b> "), both, 1_000),
    "links, open": (of("[a]("), both, 1_000),
    "references": (of("[a]: /b 'c'\n"), both, 1_000),
    "footnotes": (lambda n: SESSION + "".join(f"A[^{i}].\n\n[^{i}]: b\n\n" for i in range(n)), both, 500),
    "emphasis": (of("*a **b** _c_ "), both, 1_000),
    "emphasis, open": (of("**a _b "), both, 1_000),
    "code": (of("`a` ``b`` "), both, 1_000),
    "code, open": (lambda n: SESSION + " ".join("`" * (1 + i % 50) + "a" for i in range(n)), both, 1_000),
    "fences": (of("```\n[A_P]\n```\n\n"), both, 500),
    "fences, open": (of("```\na\n~~~\n"), both, 500),
    "indented code": (of("    [A_P]\n\n"), both, 500),
    "comments": (of("<!-- A_P: a -->\n\n"), both, 500),
    "comments, open": (of("<!-- a "), both, 1_000),
    "angles": (of("<a "), both, 1_000),
    "entities": (of("&#91;A_P&#93; "), both, 500),
    "escapes": (of("\\[A\\_P\\] "), both, 500),
    "mathematics": (of("$a$ $$b$$ "), both, 1_000),
    "lists": (of("- a\n- [ ] b\n"), both, 500),
    "lists, nested": (lambda n: SESSION + "".join(f"{'  ' * (i % 30)}- a\n" for i in range(n)), both, 500),
    "quotes": (of("> a\n\n"), both, 500),
    "quotes, nested": (lambda n: SESSION + "".join(f"{'> ' * (i % 30)}a\n\n" for i in range(n)), both, 500),
    "quotes, one line": (of("> "), both, 500),
    "rulers": (of("a\n---\n\n"), both, 500),
    "spaces": (of(" ", "a", "b"), both, 10_000),
    "spaces, ends": (of("a     \n"), both, 500),
    "spaces, offers": (lambda n: ("1. a" + " " * n + "b.\n2. b" + " " * n + "a.\n\n") * 20, settling.every_offer, 50),
    **{
        f"labels, a run of {name}": (lambda n, sign=sign: LABELS.replace("_", sign * n), settling.every_offer, 2_000)
        for name, sign in (("blanks", " "), ("no-break spaces", "\u00a0"), ("stars", "*"), ("hashes", "#"))
    },
    "one word": (of("a"), both, 20_000),
    "one line": (of("The agent said so. "), both, 1_000),
    "empty lines": (of("\n", "a", "b"), both, 5_000),
    "heads": (lambda n: "---\n" + "".join(f"k{i}: v\n" for i in range(n)) + "---\n\na\n", both, 300),
    "suppressions": (of("<!-- mdtally-disable MDT001 -->\n\n"), both, 300),
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
    """Print a line a case, and what the largest note takes."""
    for name, (text, work, size) in CASES.items():
        if not sys.argv[1:] or name in sys.argv[1:]:
            first, second, last = (seconds(work, text(times * size), text(4)) for times in (1, 2, 4))
            slope = log2(last / first) / 2
            print(f"{name:<24} slope {slope:.2f} ({first:.3f}, {second:.3f}, {last:.3f} s)", flush=True)
    if sys.argv[1:]:
        return
    for command in ("lint", "verdict"):
        with tempfile.TemporaryDirectory() as folder:
            note = Path(folder) / "note.md"
            note.write_text(SESSION + "# A heading\n" * 1_000_000, encoding="utf-8")
            child = subprocess.Popen(
                [sys.executable, "-m", "mdtally", command, str(note)],
                cwd=PROJECT,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            _, _, used = os.wait4(child.pid, 0)
            print(
                f"{command} of a million headings takes {used.ru_maxrss / 1024:.0f} MB and"
                f" {used.ru_utime + used.ru_stime:.1f} s",
                flush=True,
            )


if __name__ == "__main__":
    main()
