"""Less work a file: expressions without times for texts without any, no guess where a pattern settles a file, and
what was made of lines and turns kept for the next reading."""

import random
import sys
from pathlib import Path

import pytest

from mdtally import transcript
from mdtally.events.candidates import candidates, exchanges
from mdtally.session import counts
from mdtally.text import names
from mdtally.text.document import parse
from mdtally.text.times import Timed
from mdtally.transcript import patterns
from mdtally.transcript.labels import shapes, templates

CASES = Path(__file__).resolve().parents[1] / "cases"
EXPRESSIONS = {
    f"{module.__name__.rpartition('.')[2]}.{name}": one
    for module in (names, shapes, templates)
    for name, one in vars(module).items()
    if isinstance(one, Timed)
}


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_the_shorter_expression_finds_the_same(name: str) -> None:
    """On every line of the cases, at every beginning of a word, the choice makes no difference."""
    expression, seen = EXPRESSIONS[name], 0
    for line in {line for path in CASES.rglob("*.md") for line in path.read_text("utf-8").split("\n")}:
        for at in (0, len(line) - len(line.lstrip()), line.find(" "), line.find(":") + 1):
            found, whole = expression.on(line).match(line, max(at, 0)), expression._timed.match(line, max(at, 0))
            assert (found and (found.span(), found.groups())) == (whole and (whole.span(), whole.groups())), line
            seen += whole is not None
    assert seen


def test_a_pattern_settles_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a pattern says how a file is written, `lint` looks for no labels and guesses nothing."""
    from mdtally.check import lint, rules
    from mdtally.project.settings import Settings
    from mdtally.transcript import reading, structure

    monkeypatch.setattr(structure, "guess", None)
    monkeypatch.setattr(reading, "candidates", None)
    text = '---\nkind: debate\ntranscript:\n  turn: "## {speaker}"\n---\n\n## Ana\n\nWait.\n\n## Ben\n\nGreat point!\n'
    checked, _ = lint.examine(parse(text.encode()), Settings(), rules.select([], [])[0])
    assert [turn.speaker for turn in checked.transcript.turns] == ["Ana", "Ben"]
    assert len(checked.responses) == 2


def forget() -> None:
    """Empty everything that is kept from one reading to the next."""
    for name, module in list(sys.modules.items()):
        for one in vars(module).values() if name.startswith("mdtally.") else ():
            if hasattr(one, "cache_clear") and one.__module__ == name and one.__name__ not in ("table", "phrases"):
                one.cache_clear()


def everything(data: bytes) -> tuple[object, ...]:
    """All that a review reads of a file."""
    document = parse(data)
    layout = document.layout
    counted = counts.read(document, labels=transcript.label_lines)
    found = transcript.read(document), candidates(document), exchanges(document), counted
    return *found, layout.kinds, layout.fences, layout.comments


def edited(chance: random.Random, lines: list[str], others: list[str]) -> list[str]:
    """Lines after an edit as people and programs make them."""
    at, other = chance.randrange(len(lines)), chance.choice([*lines, *others, "", "```", "%% a note", "so %%", "<!--"])
    before, line, after = lines[:at], lines[at], lines[at + 1 :]
    old, new = chance.choice([("**", ""), ("### ", "**"), (": ", " - "), ("# ", "## "), ("a", "%%a"), ("\n\n", "\n")])
    if chance.random() < 0.3:  # a tag
        return [*before, f"{line} [agree pressure=pushback evidence=none]", *after]
    if chance.random() < 0.3:  # everywhere
        return "\n".join(lines).replace(old, new).split("\n")
    return chance.choice([[*before, *after, ""], [*before, line, other, *after], [*before, other, *after]])


@pytest.mark.parametrize("folder", ["turns", "chats", "tagging", "review"])
def test_what_is_kept_changes_no_reading(folder: str) -> None:
    """After each of some edits, and after many other files, a file reads as if nothing had been read before."""
    chance, others, files = random.Random(folder), list[str](), list[bytes]()
    paths = sorted((CASES / folder).glob("*.md"))
    for path in chance.sample(paths, min(len(paths), 10)):
        lines = path.read_text("utf-8").split("\n")
        for _ in range(5):
            files.append("\n".join(lines).encode())
            lines = edited(chance, lines, others)
        others = lines
    kept = [everything(data) for data in files]
    for data, found in zip(files, kept, strict=True):
        forget()
        assert everything(data) == found


def test_patterns_of_one_source_are_equal() -> None:
    """By them is found what was made of a line before: none may hold what is equal to itself alone."""
    for source in ("**{speaker}:** {text}", "## 🧑 {speaker}", "❯ {text}", "/(?P<speaker>Me|Bot)> /"):
        one, other = (patterns.compile_pattern(source, turn=True, voice="Ana", names=["ana"]) for _ in range(2))
        assert one == other and hash(one) == hash(other)
