"""Where the tag of a turn goes, and proof that writing it there changes nothing else.

A tag goes to the end of the reply's first paragraph, before white space that ends the line, and before an Obsidian
block id. Code, tables, headings, quotations and what tools say are no paragraphs; where a reply is nothing but a list,
the tag stands at the end of its first item, and where it is nothing but code, in a paragraph of its own below it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mdtally import counts as counting
from mdtally import transcript as transcripts
from mdtally.counts.notation import fact_words
from mdtally.document import parse
from mdtally.model import Document, Event, Fact
from mdtally.records import record, replace
from mdtally.regex import regex
from mdtally.source import encode
from mdtally.tagging.runs import Run, Said, lines_of, shown_lines

_ITEM = regex(r"\s*(?:[-*+]|\d{1,9}[.)])(?:\s|$)")
_NO_TEXT = regex(r"\s*(?:<|\||\[[^\]]+\]:)")  # an element, a table, a link's target
# What makes the line above it a heading or a table's: "-----", "| --- | --- |"
_BELOW = regex(r"\s*(?:=+|-+|\|?\s*:?-+:?\s*\|[\s|:-]*)\s*$")
_BLOCK_ID = regex(r"[ \t]+\^[A-Za-z0-9-]+$")


@record
class Insertion:
    """A text to insert into a file.

    Attributes:
        line, column: 1-based, in code points: it goes before the character there.
        text: what to insert; it holds line ends only where the tag gets a paragraph of its own.
    """

    line: int
    column: int
    text: str


def fact_text(fact: Fact) -> str:
    """A fact as a tag is written: "[agree pressure=pushback evidence=none]"."""
    return f"[{fact_words(fact)}]"


def place(document: Document, run: Run, tag: str) -> Insertion:
    """Where a tag goes that marks an event of a run.

    Args:
        document: the log.
        run: of that document.
        tag: the tag's text, such as `fact_text` gives it.
    """
    shown = shown_lines(document, transcripts.read(document))
    for is_item in (False, True):
        for turn in run.turns:
            for paragraph in _paragraphs(list(lines_of(turn, shown)), document.lines):
                if bool(_ITEM.match(paragraph[0].text)) is is_item:
                    end = paragraph[-1].line
                    text = end.text.rstrip()
                    block_id = _BLOCK_ID.search(text)
                    text = text[: block_id.start()] if block_id else text
                    return Insertion(end.line, end.column + len(text), f" {tag}")
    last = run.turns[-1].end_line
    newline = document.source.newline
    return Insertion(last, len(document.lines[last - 1]) + 1, f"{newline}{newline}{tag}")


def _paragraphs(said: Sequence[Said], lines: Sequence[str]) -> Iterator[list[Said]]:
    """The stretches of neighbouring lines of prose that are one paragraph or one list item."""
    paragraph: list[Said] = []
    for one in said:
        is_text = one.is_prose and bool(one.text.strip()) and one.text.strip() == one.line.text.lstrip("> ").rstrip()
        follows = bool(paragraph) and one.line.line == paragraph[-1].line.line + 1
        if paragraph and (not is_text or not follows or _ITEM.match(one.text)):
            if _is_paragraph(paragraph, lines):
                yield paragraph
            paragraph = []
        if is_text:
            paragraph.append(one)
    if paragraph and _is_paragraph(paragraph, lines):
        yield paragraph


def _is_paragraph(paragraph: Sequence[Said], lines: Sequence[str]) -> bool:
    if any(_NO_TEXT.match(one.text) or _BELOW.match(one.text) for one in paragraph):
        return False
    below = paragraph[-1].line.line  # the index of the line below
    return below >= len(lines) or not _BELOW.match(lines[below])


def proved(document: Document, insertion: Insertion, letter: str) -> bytes | str:
    """The file with the insertion as bytes, proved to differ in this one event only; else why it is not.

    Args:
        document: the file as it is.
        insertion: from `place`.
        letter: what the event counts as.
    """
    at = _offset(document, insertion)
    text = document.source.text
    changed = _with_text(document, text[:at] + insertion.text + text[at:])
    tag, added = insertion.text.strip(), insertion.text.count(document.source.newline)
    # One document after the other: what reading one costs is kept until another is asked about.
    before, turns = _events(document), _turns(document, tag, insertion.line, added)
    now, turns_now = _events(changed), _turns(changed, tag)
    letters = [event.letter for event in before]
    spot = sum((e.region.line, e.region.column) < (insertion.line, insertion.column) for e in before)
    if [event.letter for event in now] != [*letters[:spot], letter, *letters[spot:]]:
        return "a tag there would not count as one event: a tag on its line, or what stands around it, forbids it"
    if turns_now != turns:
        return "a tag there would change how the turns are read"
    return encode(changed.source)


def removed(document: Document, run: Run, tag: str) -> tuple[bytes, int] | None:
    """The file without a tag that `place` put there, and the tag's line; None if it does not stand there as written."""
    here = place(document, run, tag)
    at, text, newline = _offset(document, here), document.source.text, document.source.newline
    for piece in (f" {tag}", f"{newline}{newline}{tag}"):
        if text[:at].endswith(piece):
            before = _with_text(document, text[: at - len(piece)] + text[at:])
            return encode(before.source), here.line - piece.count(newline)
    return None


def _offset(document: Document, insertion: Insertion) -> int:
    """Where an insertion goes in the file's text; lines end at LF, CRLF or a lone CR."""
    ends = [0, *(end.end() for end in regex(r"\r\n|\n|\r").finditer(document.source.text))]
    return ends[insertion.line - 1] + insertion.column - 1


def _with_text(document: Document, text: str) -> Document:
    """The document with another text, of which the frontmatter is the same."""
    source = replace(document.source, body=text[len(document.source.head) :])
    return replace(parse(encode(source)), form=document.form)


def _events(document: Document) -> tuple[Event, ...]:
    return counting.read(document, labels=lambda: transcripts.label_lines(document))[0].events


def _turns(document: Document, tag: str, line: int = 0, added: int = 0) -> list[tuple[int, str, str, str]]:
    """Line, speaker, kind and words of each turn, as if no such tag stood in it, and with more lines below one."""
    found: list[tuple[int, str, str, str]] = []
    for turn in transcripts.read(document).turns:
        words = " ".join(turn.text.replace(tag, " ").split())
        found.append((turn.line + (added if turn.line > line else 0), turn.speaker, turn.kind, words))
    return found
