"""``report --output-format text``: the sentence, the tables, and a row a turn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mdtally.debate import Debate
from mdtally.render import report_words as words
from mdtally.render import safe
from mdtally.render.findings import findings
from mdtally.render.table import table

_WIDTH = 24


def render(debates: Sequence[Debate], *_: object) -> str:
    """The debates, with a blank line between two."""
    return "\n".join("".join(f"{line}\n" for line in _lines(debate)) for debate in debates)


def _lines(debate: Debate) -> Iterator[str]:
    file = debate.file
    yield f"mdtally report: {safe.terminal(file.filename)}"
    yield f"{safe.opening(words.headline(debate))}."
    if settles := words.settles(debate):
        yield settles
        yield from (f"  {safe.terminal(line)}" for line in file.suggestion.split("\n") if line)
    for one in words.tables(debate):
        yield ""
        yield f"{one.title}. {one.caption}" if one.caption else one.title
        yield from table(one.headings, [[_cell(cell) for cell in row] for row in one.rows])
    codes: dict[int, dict[str, None]] = {}
    for finding in findings(file):
        codes.setdefault(finding.turn.index if finding.turn else 0, {})[finding.code or finding.problem.rule] = None
    rows = [
        (
            str(one.turn.line),
            "" if one.turn.round is None else str(one.turn.round),
            _cell(one.turn.speaker),
            safe.terminal(words.answer(one)),
            " ".join(codes.get(one.turn.index, ())),
        )
        for one in debate.turns
    ]
    if rows:
        yield ""
        yield "Turn by turn"
        yield from table(("line", "round", "voice", "", "findings"), rows)


def _cell(text: str) -> str:
    return safe.clip(safe.terminal(text), _WIDTH)
