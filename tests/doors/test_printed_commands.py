"""Every command that a command prints works as it stands, in the folder where it was printed."""

from __future__ import annotations

import html
import re
import shlex
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from conftest import Ran, Run
from terminal import drive
from test_cli_note import session
from test_cli_survey import sessions

_COMMANDS = (
    "compare config events history lint log model new note plan regenerate report review rule survey turns verdict"
)
_PRINTED = re.compile(rf"(?<!<!-- )(?<!\")(`?)\bmdtally (?=(?:{'|'.join(_COMMANDS.split())})\b)")
_KNOWN_TO_NOBODY = {"LINE", "GLOB"}
"""What only a person can say: which lines are labels, which files are meant."""


def printed(text: str) -> Iterator[list[str]]:
    """The words of each command line that is printed: in backticks, or up to the end of its line or clause."""
    for match in _PRINTED.finditer(text):
        rest = text[match.end() :]
        if match[1]:
            line, closed, _ = rest.partition("`")
            assert closed and "\n" not in line, f"broken over two lines: {rest[:200]!r}"
            yield shlex.split(line)
            continue
        words = shlex.shlex(rest.partition("\n")[0], posix=True, punctuation_chars=";()")
        words.whitespace_split = True
        found: list[str] = []
        for word in words:
            if set(word) <= set(";()"):
                break
            found.append(word)
        yield found


PROSE = "One thing: this is a page.\n\nAnother thing is here.\n"
PLAIN = "**Me:** Sort it by date.\n\n**Agent:** Sorted.\n\n**Me:** Are you sure?\n\n**Agent:** You're right, sorry.\n"
UNSURE = "> **Ana**: Two queues cost more.\n\n> **Ben**: One is slow.\n\n" * 3
NAMELESS = "Should we use Redis?\n\nWith two developers I would not.\n\nBut we want it.\n\nThen do.\n"
STRANGERS = "**Ana Li:** Two queues cost more.\n\n**Ben:** One is slow.\n\n" * 3
TAGGED = PLAIN + "\nx [A_P]\n\ny [A_T]\n"

FILES = {
    "plain": PLAIN,
    "unsure": UNSURE,
    "unsure two": UNSURE,
    "nameless": NAMELESS,
    "strangers": STRANGERS,
    "three turns": "# Notes\n\nAna: I would wait.\n\nBen: I would not.\n\nAna: Then we differ.\n",
    "prose": PROSE,
    "declared": "---\nkind: debate\n---\nOne. Two.\n",
    "mismatch": TAGGED + "\nA_P: 5 | A_R: 0 | A_T: 9\n",
    "near": PLAIN + "\n[A-P]\n",
    "debate": "**Claude:** It scales.\n\n**GPT:** You're right, I agree.\n\n" * 3,
}


def _notes(run: Run) -> None:
    for name, text in FILES.items():
        Path(f"my notes/{name}.md").write_text(text)


def _doubled(run: Run) -> None:
    for name in ("one", "two"):
        Path(f"my notes/{name} copy.md").write_text(f"---\nsession: same\n---\n{TAGGED}")
    run("verdict", "my notes/one copy.md")


def _orphan(run: Run) -> None:
    note = Path("my notes/a note.md")
    for name in ("first one", "second one"):
        note.write_text(f"---\nsession: {name}\n---\n{TAGGED}")
        run("verdict", note)


def _recorded(run: Run) -> None:
    home = Path("claude")
    folder = home / "projects" / "".join(c if c.isalnum() else "-" for c in str(Path.cwd()))
    session(folder / "0ccf1a04-1b4c.jsonl", 4, cwd=str(Path.cwd()))


def _sessions(run: Run) -> None:
    sessions(Path("my notes/old ones"), 30)


_ON_NOTES = (
    "verdict",
    "verdict --check",
    "turns",
    "review",
    "events",
    "events --candidates",
    "lint",
    "report",
    "survey",
)
Situation = tuple[Callable[[Run], None], tuple[str, ...]]
SITUATIONS: Mapping[str, Situation] = {
    **{
        f"{command} on {name}": (_notes, (*command.split(), f"my notes/{name}.md"))
        for command in (*_ON_NOTES, "regenerate", "note --from", "history")
        for name in FILES
    },
    **{f"{command} on all": (_notes, (*command.split(), "my notes")) for command in _ON_NOTES},
    "accept": (_notes, ("turns", "my notes/unsure.md", "--accept", "1")),
    "lint doubled": (_doubled, ("lint", "my notes")),
    "verdict doubled": (_doubled, ("verdict", "my notes")),
    "verdict on the copy": (_doubled, ("verdict", "my notes/two copy.md")),
    "verdict on an orphan": (_orphan, ("verdict", "my notes/a note.md")),
    "log check on an orphan": (_orphan, ("log", "check")),
    "history": (_notes, ("history",)),
    "history of an orphan": (_orphan, ("history",)),
    "history split": (_sessions, ("history", ".", "--split", "2026-06-01")),
    "note": (_recorded, ("note",)),
    "note to a folder": (_recorded, ("note", "-o", "my notes")),
    "note --list": (_recorded, ("note", "--list")),
    "note --all": (_recorded, ("note", "--all")),
    "review of the newest": (_recorded, ("review",)),
    "survey": (_sessions, ("survey", "my notes", "--size", "20", "-o", "my notes/sur vey.md")),
    "plan": (_notes, ("plan",)),
    "log check": (_notes, ("log", "check")),
    "new": (_notes, ("new", "session", "my notes/a new one.md")),
    "new debate": (_notes, ("new", "debate", "my notes/a debate.md")),
    "write baseline": (_notes, ("lint", "--write-baseline", "my notes/base line.json", "my notes")),
    "baseline": (_notes, ("lint", "--baseline", "my notes/base line.json", "my notes")),
}  # fmt: skip


@pytest.mark.parametrize("name", SITUATIONS)
def test_each_printed_command_runs_where_it_was_printed(run: Run, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """None is a wrong use, none names a file that isn't there, none leaves to the reader what the program knows."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(Path.cwd() / "claude"))
    Path("my notes").mkdir()
    prepare, arguments = SITUATIONS[name]
    _recorded(run)
    prepare(run)
    _follow(run, run(*arguments))


@pytest.mark.parametrize("keys", ["q", "apnq", "apnfn", "apnfy"])
@pytest.mark.parametrize("folder", [".", "deep er"])
def test_what_a_review_prints_at_its_end(
    run: Run, tmp_path: Path, folder: str, keys: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Left, or done with or without a verdict; from the root, and from a folder of another project."""
    here = tmp_path / folder
    (here / "my notes").mkdir(parents=True)
    (here / "my notes" / ".git").mkdir()
    (here / "my notes" / "a chat.md").write_text(PLAIN)
    shown, code = drive(here, ["review", "my notes/a chat.md"], [*keys], columns=60)
    assert "mdtally" in shown and code == 0
    monkeypatch.chdir(here)
    _follow(run, Ran(code, shown.rpartition("> ")[2], ""))


def _follow(run: Run, shown: Ran) -> None:
    """Run each command that was printed, on the notes as they were then."""
    shutil.copytree("my notes", "as they were")
    labels = re.findall(r"^ +line (\d+): ", shown.out, re.MULTILINE)
    text = shown.out + shown.err
    if text.startswith("<!DOCTYPE"):
        # What is told of a rule there is its page of the manual, which speaks of any file.
        text = html.unescape(re.sub("<[^>]+>", "\n", text)).replace(" FILE\n", " 'my notes/plain.md'\n")
    for words in printed(text):
        left_open = {word for word in words if re.fullmatch(r"[A-Z]+(\.md)?", word)}
        assert left_open <= _KNOWN_TO_NOBODY, f"{words} of {shown}"
        if "LINE" in words and (len(labels) < 2 or text.count("To keep the first one") > 1):
            continue
        lines = iter(labels)
        ran = run(*(next(lines) if word == "LINE" else "my notes/*.md" if word == "GLOB" else word for word in words))
        assert ran.code != 2, f"{words}: {ran} of {shown}"
        assert "no such file" not in ran.err, f"{words}: {ran}"
        shutil.rmtree("my notes")
        shutil.copytree("as they were", "my notes")


def test_what_was_printed_is_found() -> None:
    """In backticks, behind a colon up to the end of the clause, several in a line; a maker's mark is none."""
    text = "see `mdtally turns 'a b.md'`, or: mdtally review 'a; b.md' (each look); mdtally log check\n"
    text += "<!-- mdtally report -->"
    assert [*printed(text)] == [["turns", "a b.md"], ["review", "a; b.md"], ["log", "check"]]
