"""A report's transcript: every turn with its findings, each where its words stand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise, zip_longest

from mdtally.debate import Debate, Round, TurnAnswer
from mdtally.model import SEVERITIES, TextLine, Turn
from mdtally.records import record
from mdtally.regex import regex
from mdtally.render.findings import Finding, findings

WRAPPED = 60
"""From this length on, a line that prose follows was wrapped by hand."""
_PROSE = regex(r"[^\W\d_]|[\"'“‘(]")


@record
class Piece:
    """A stretch of a line: its text, the severity of what is found there or "", and the findings that end with it."""

    text: str
    severity: str = ""
    ends: tuple[Finding, ...] = ()


@record
class Shown:
    """A turn as the page shows it.

    Attributes:
        one: what it does.
        opens: the round that it opens, or None.
        notes: findings about the whole of it.
        lines: its lines, in pieces, each with the line end or the space behind it.
    """

    one: TurnAnswer
    opens: Round | None
    notes: tuple[Finding, ...]
    lines: tuple[tuple[Piece, ...], ...]


def transcript(debate: Debate) -> Iterator[Shown]:
    """Every turn with its findings."""
    found = placed(debate)
    opens = {one.line: one for one in debate.rounds} if len(debate.rounds) > 1 else {}
    for one in debate.turns:
        turn = one.turn
        notes = tuple(found.notes.get(turn.index, ()))
        yield Shown(one, opens.get(turn.line), notes, tuple(_lines(turn, found.within)))


@record
class Placed:
    """Findings by the line that they stand in, by the turn that they are about as a whole, and the rest."""

    within: Mapping[int, Sequence[Finding]]
    notes: Mapping[int, Sequence[Finding]]
    rest: Sequence[Finding]


def placed(debate: Debate) -> Placed:
    """The findings of a debate, where they are to be shown."""
    lines = {line.line for one in debate.turns for line in one.turn.lines}
    within: dict[int, list[Finding]] = {}
    notes: dict[int, list[Finding]] = {}
    rest = []
    for finding in findings(debate.file):
        region = finding.problem.region
        places = [n for n in range(region.line, region.end_line + 1) if n in lines]
        if places and (finding.problem.evidence or not finding.turn):
            for number in places:
                within.setdefault(number, []).append(finding)
        elif finding.turn:
            notes.setdefault(finding.turn.index, []).append(finding)
        else:
            rest.append(finding)
    return Placed(within, notes, rest)


def _lines(turn: Turn, within: Mapping[int, Sequence[Finding]]) -> Iterator[tuple[Piece, ...]]:
    """The lines of a turn; prose that was wrapped by hand flows on, so that a phone can wrap it anew."""
    in_code = False
    for line, following in zip_longest(turn.lines, turn.lines[1:]):
        in_code ^= line.text.lstrip().startswith(("```", "~~~"))
        flows = following and len(line.text) >= WRAPPED and not in_code and _PROSE.match(following.text)
        yield (*_pieces(line, within.get(line.line, ())), Piece(" " if flows else "\n"))


def _pieces(line: TextLine, found: Sequence[Finding]) -> Iterator[Piece]:
    """A line cut where findings begin and end."""
    length = len(line.text)
    spans = []
    for finding in found:
        region = finding.problem.region
        start = region.column - line.column if region.line == line.line else 0
        end = region.end_column - line.column if region.end_line == line.line else length
        spans.append((min(max(start, 0), length), min(max(end, 0), length), finding))
    cuts = sorted({0, length, *(at for start, end, _ in spans for at in (start, end))})
    for start, end in pairwise(cuts):
        here = [finding for a, b, finding in spans if a <= start and end <= b]
        severity = max((finding.problem.severity for finding in here), key=SEVERITIES.index, default="")
        ends = tuple(f for _, b, f in spans if b == end and f.problem.region.end_line == line.line)
        yield Piece(line.text[start:end].expandtabs(4), severity, ends)
