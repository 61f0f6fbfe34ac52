"""Less work a file: expressions without times for texts without any, and no guess where a pattern settles a file."""

from pathlib import Path

import pytest

from mdtally.transcript.labels import names, shapes, templates
from mdtally.transcript.labels.times import Timed

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
    from mdtally.text.document import parse
    from mdtally.transcript import reading, structure

    monkeypatch.setattr(structure, "guess", None)
    monkeypatch.setattr(reading, "candidates", None)
    text = '---\nkind: debate\ntranscript:\n  turn: "## {speaker}"\n---\n\n## Ana\n\nWait.\n\n## Ben\n\nGreat point!\n'
    checked, _ = lint.examine(parse(text.encode()), Settings(), rules.select([], [], [])[0])
    assert [turn.speaker for turn in checked.transcript.turns] == ["Ana", "Ben"]
    assert len(checked.responses) == 2
