"""``report --output-format markdown``: a debate as a note: the sentence, the tables, the transcript as a quotation.

Whatever Markdown would act upon in the transcript is escaped; findings are bold, and link to their rule's page.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest

from mdtally.debate import Debate
from mdtally.regex import regex
from mdtally.render import report_words as words
from mdtally.render.findings import Finding
from mdtally.render.report_transcript import Piece, Shown, placed, transcript
from mdtally.render.safe import markdown as inline

_OPENS = regex(r"^(\d*)([-+.)])")


def render(debates: Sequence[Debate], *_: object) -> str:
    """The note of the one debate that there is."""
    (debate,) = debates
    return "".join(f"{line}\n" for line in _lines(debate))


def _lines(debate: Debate) -> Iterator[str]:
    yield from ("<!-- mdtally report -->", f"# {inline(words.headline(debate))}", "", inline(debate.file.filename))
    if settles := words.settles(debate):
        yield from ("", inline(settles))
        if debate.file.suggestion:
            yield from ("", *(f"    {line}" for line in debate.file.suggestion.split("\n")))
    yield from _notes(placed(debate).rest)
    for one in words.tables(debate):
        yield from ("", f"## {one.title}", "")
        if one.caption:
            yield from (inline(one.caption), "")
        yield _row(one.headings)
        yield _row(["---", *["---:"] * (len(one.headings) - 1)], escaped=False)
        yield from map(_row, one.rows)
    if debate.turns:
        yield from ("", "## The transcript")
    for turn in transcript(debate):
        yield from _turn(turn)


def _turn(shown: Shown) -> Iterator[str]:
    turn, said = shown.one.turn, words.answer(shown.one)
    if shown.opens:
        yield from ("", f"### {words.round_name(shown.opens)}")
    yield ""
    yield f"**{inline(turn.speaker)}**, line {turn.line}{f': {inline(said)}' if said else ''}"
    yield from _notes(shown.notes)
    yield ""
    lines = [_line(line) for line in shown.lines]
    for text, following in zip_longest(lines, lines[1:]):
        # A backslash breaks a line, where another one follows.
        end = "\\" if text and following and not text.endswith(" ") else ""
        yield f"> {text.rstrip()}{end}".rstrip()


def _line(pieces: Iterable[Piece]) -> str:
    """A line of a turn, such that it opens no list and no code; one that flows on ends with a space."""
    text = "".join(map(_piece, pieces))
    bare = text.lstrip(" ")
    return "&nbsp;" * (len(text) - len(bare)) + _OPENS.sub(r"\1\\\2", bare) if bare else ""


def _piece(piece: Piece) -> str:
    text = inline(piece.text.strip("\n"))
    marked = f"**{text}**" if piece.severity and text.strip() == text and text else text
    return marked + "".join(f" ({_rule(finding)})" for finding in piece.ends)


def _notes(found: Iterable[Finding]) -> Iterator[str]:
    lines = [f"- {inline(finding.problem.message)} ({_rule(finding)})" for finding in found]
    if lines:
        yield from ("", *lines)


def _rule(finding: Finding) -> str:
    return f"[{finding.code}]({finding.rule.url})" if finding.rule else inline(finding.problem.rule)


def _row(cells: Iterable[str], *, escaped: bool = True) -> str:
    return f"| {' | '.join(inline(cell) if escaped else cell for cell in cells)} |"
