"""Where the tag of a turn goes, and proof that writing it there changes nothing else.

A tag goes to the end of the reply's first paragraph, before white space that ends the line, and before an Obsidian
block id. Code, formulas, tables, headings, quotations and what tools say are not paragraphs; where a reply is nothing
but a list, the tag stands at the end of its first item, where it is nothing but a line that a rule right below it
makes a heading, at the end of that, and where it is nothing but code, in a paragraph of its own below it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest

from mdtally import transcript as transcripts
from mdtally.events.runs import Run, VisibleLine, lines_of, shown_lines
from mdtally.session import counts as counting
from mdtally.session.counts import fact_words
from mdtally.text.document import Document, parse
from mdtally.text.model import Event, Fact, Refusal, Turn
from mdtally.text.records import record, replace
from mdtally.text.regex import regex
from mdtally.text.source import encode, line_starts
from mdtally.text.text_blocks import ITEM

_NO_TEXT = regex(r"\s*(?:<|\||\[[^\]]+\]:)")  # an element, a table, a link's target
# What makes the line above it a heading, "-----", or a table's, "| --- | --- |"
_UNDERLINE, _DELIMITER = regex(r"\s*(?:=+|-+)\s*$"), regex(r"\s*\|?\s*:?-+:?\s*\|[\s|:-]*\s*$")
# "the text ^b3f2a1", and "^b3f2a1" on a line of its own
_BLOCK_ID = regex(r"(?:^|[ \t]+)\^[A-Za-z0-9-]+$")


@record
class Insertion:
    """A text to insert before the character at a line and column, 1-based, in code points.

    It holds line ends only where the tag gets a paragraph of its own.
    """

    line: int
    column: int
    text: str


def fact_text(fact: Fact) -> str:
    """A fact as a tag is written: "[agree pressure=pushback evidence=none]"."""
    return f"[{fact_words(fact)}]"


def place(document: Document, run: Run, tag: str) -> Insertion:
    """Where a tag goes that marks an event of a run of the document; its text is such as `fact_text` gives."""
    shown, lines = shown_lines(document, transcripts.read(document)), document.lines
    found = [one for turn in run.turns for one in _paragraphs(lines_of(turn, shown), lines)]
    # Below a reply of one line "---" most likely parts it from the next turn.
    ranks = [(bool(_UNDERLINE.match(_line_below(one, lines))), bool(ITEM.match(one[0].text))) for one in found]
    if found:
        end = found[ranks.index(min(ranks))][-1].line
        text = _BLOCK_ID.sub("", end.text.rstrip())
        return Insertion(end.line, end.column + len(text), f" {tag}")
    last = run.turns[-1].end_line
    newline = document.source.newline
    return Insertion(last, len(lines[last - 1]) + 1, f"{newline}{newline}{tag}")


def _paragraphs(said: Iterable[VisibleLine], lines: Sequence[str]) -> Iterator[list[VisibleLine]]:
    """The stretches of neighbouring lines of prose that are one paragraph or one list item."""
    paragraph: list[VisibleLine] = []
    for one in (*_without_formulas(said), None):
        is_prose = one and one.is_prose and one.text.strip() and not _UNDERLINE.match(one.text)
        is_text = one and is_prose and one.text.strip() == one.line.text.lstrip("> ").rstrip()
        follows = one and paragraph and one.line.line == paragraph[-1].line.line + 1 and not ITEM.match(one.text)
        if paragraph and not (is_text and follows):
            rows = [each.text for each in paragraph]
            is_table = any(map(_DELIMITER.match, (*rows, _line_below(paragraph, lines))))
            if not is_table and not any(map(_NO_TEXT.match, rows)):
                yield paragraph
            paragraph = []
        if one and is_text:
            paragraph.append(one)


def _line_below(paragraph: Sequence[VisibleLine], lines: Sequence[str]) -> str:
    """The line below a paragraph in the file; "" below the last one."""
    return next(iter(lines[paragraph[-1].line.line :]), "")


def _without_formulas(said: Iterable[VisibleLine]) -> Iterator[VisibleLine | None]:
    """The lines, with None for those of a formula between "$$" and for a block id on a line of its own."""
    is_open = False
    for one in said:
        text, was_open = one.text.strip(), is_open
        # "$$", "so: $$", "x = 1 $$"; not "the PID is $$ in a shell". A blank line ends a formula.
        if is_open or text.startswith("$$") or text.endswith("$$"):
            is_open = bool(text) and is_open != bool(text.count("$$") % 2)
        is_formula = was_open or is_open or text.startswith("$$")
        yield None if is_formula or _BLOCK_ID.fullmatch(text) else one


def insert_tag(document: Document, insertion: Insertion, letter: str) -> bytes | Refusal:
    """The file with a tag inserted, proved to differ in this one event of that letter only; else why it does not."""
    changed = _with_tag(document, insertion)
    tag, added = insertion.text.strip(), insertion.text.count(document.source.newline)
    # One document after the other: what reading one costs is kept until another is asked about.
    before, turns = _events(document), transcripts.read(document).turns
    now, turns_now = _events(changed), transcripts.read(changed).turns
    letters = [event.letter for event in before]
    spot = sum((e.region.line, e.region.column) < (insertion.line, insertion.column) for e in before)
    if [event.letter for event in now] != [*letters[:spot], letter, *letters[spot:]]:
        why = "a tag on its line, or what stands around it, forbids it"
        fences = (one for one in changed.layout.fences if one.first + 1 < insertion.line)
        if fence := next((one for one in fences if one.last is None or one.last + 1 > insertion.line), None):
            why = f"the code that begins in line {fence.first + 1} holds it; close that above the turn"
        return Refusal(f"a tag there would not count as one event: {why}")
    pairs = zip_longest(turns, turns_now)
    if not all(a and b and _is_same(a, b, tag, added * (a.line > insertion.line)) for a, b in pairs):
        return Refusal("a tag there would change how the turns are read")
    return encode(changed.source)


def remove_tag(document: Document, run: Run, tag: str) -> tuple[bytes, int] | None:
    """The file without a tag that `place` put there, and its line; None if it does not stand there as written."""
    here = place(document, run, tag)
    at, text, newline = _offset(document, here), document.source.text, document.source.newline
    for piece in (f" {tag}", f"{newline}{newline}{tag}"):
        if text[:at].endswith(piece):
            before = _with_text(document, text[: at - len(piece)] + text[at:])
            return encode(before.source), here.line - piece.count(newline)
    return None


def _offset(document: Document, insertion: Insertion) -> int:
    """Where an insertion goes in the file's text; lines end at LF, CRLF or a lone CR."""
    return line_starts(document.source.text)[insertion.line - 1] + insertion.column - 1


def _with_tag(document: Document, insertion: Insertion) -> Document:
    at, text = _offset(document, insertion), document.source.text
    return _with_text(document, text[:at] + insertion.text + text[at:])


def _with_text(document: Document, text: str) -> Document:
    """The document with another text, of which the frontmatter is the same."""
    source = replace(document.source, body=text[len(document.source.head) :])
    return replace(parse(encode(source)), form=document.form)


def _events(document: Document) -> tuple[Event, ...]:
    return counting.read(document, labels=transcripts.label_lines)[0].events


def _is_same(turn: Turn, now: Turn, tag: str, below: int) -> bool:
    """True if line, speaker, kind and words of a turn are the same, as if no such tag stood in it."""
    if (turn.line + below, turn.speaker, turn.kind) != (now.line, now.speaker, now.kind):
        return False
    return turn.text == now.text or turn.text.replace(tag, " ").split() == now.text.replace(tag, " ").split()
