"""Safe edits: what mends a finding without a decision. ``lint --fix`` makes them, and an editor offers them.

They set a running total to what the tags above it come to, declare who speaks in place of a template's participants,
and remove a suppression that excuses nothing. A turn's words and its tags are never changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from mdtally import transcript as transcripts
from mdtally.check.reports import File
from mdtally.project.files import write_atomically
from mdtally.text import frontmatter
from mdtally.text.document import Document, parse
from mdtally.text.model import Edit, Problem, Refusal, Region, TallyLine
from mdtally.text.records import replace
from mdtally.text.regex import regex
from mdtally.text.source import encode, line_starts

UNCOUNTED = frozenset("near-miss-tag fact-malformed tally-malformed tally-impossible tally-decreased".split())
"""Rules on whose findings the counts themselves are in doubt."""
TEMPLATE_VOICES = ({"Me": "human", "Agent": "agent"}, {"Moderator": "moderator", "Ana": "agent", "Ben": "agent"})
"""The participants that the templates of a session and of a debate declare, until somebody writes other names."""
MOST_ROUNDS = 200
"""How often a text is looked at again: an edit makes another one possible."""

_NUMBER = regex(r"\d+")


def with_edits(problems: Sequence[Problem], document: Document) -> list[Problem]:
    """The problems of a file, each with the edit that mends it, if there is one that needs no decision."""
    if document.conflict:
        return [replace(one, edit=None) for one in problems]
    rules = {problem.rule for problem in problems}
    edits: dict[tuple[str, Region], Edit] = {}
    # Where more is wrong with the counts, a tag that is misspelt may be what a total lacks.
    if "tally-mismatch" in rules and not rules & UNCOUNTED:
        edits |= {("tally-mismatch", checked.region): edit for checked, edit in tally_edits(document)}
    undeclared = next((one.region for one in problems if one.evidence == transcripts.UNDECLARED), None)
    if undeclared and (edit := participants_edit(document)):
        edits["invalid-declaration", undeclared] = edit
    return [replace(one, edit=edits.get((one.rule, one.region), one.edit)) for one in problems]


def participants_edit(document: Document) -> Edit | None:
    """The edit that declares who speaks, in a file made of a template that still declares the template's voices.

    None unless it is sure who speaks, and of each voice of which kind it is.
    """
    if document.head.values.get("participants") not in TEMPLATE_VOICES:
        return None
    from mdtally.check import settling

    found = transcripts.readings_by(document, {"participants": None}).transcript
    kinds = settling.kinds_of(found.turns)
    if not kinds or found.unsure or (found.kind == "session" and settling.unknown_voices(found.turns)):
        return None
    again = transcripts.readings_by(document, {"participants": kinds}).transcript
    if [turn.line for turn in again.turns] != [turn.line for turn in found.turns]:
        return None  # a voice has several spellings
    changed = frontmatter.edit(document.source, document.head, {"participants": kinds})
    if isinstance(changed, Problem):
        return None
    title = f"Declare who speaks here: {', '.join(f'{name} ({kind})' for name, kind in kinds.items())}"
    return Edit(title, Region(1, 1, document.head.last_line + 1, 1), changed.head)


def tally_edits(document: Document) -> Iterable[tuple[TallyLine, Edit]]:
    """Each tally that the tags above it don't come to, with the edit that sets it to what they do.

    Where failures alone are tagged, a larger `A_T` is the person's own count of all events, and stays.
    """
    from mdtally.events import register as events

    register = events.read(document, speakers=False)
    has_others = any(event.letter == "T" for event in register.counts.events)
    for checked in register.tallies:
        tally, region = checked.tally, checked.tally.region
        written = document.lines[region.line - 1][region.column - 1 : region.end_column - 1]
        numbers = list(_NUMBER.finditer(written))
        # Not those that are not written as a number, such as tally marks.
        is_own = tally.counter == "A_T" and not has_others and tally.value > (checked.counted or 0)
        if not (checked.agrees or is_own) and len(numbers) == 1 and region.end_line == region.line:
            start, end = (region.column + offset for offset in numbers[0].span())
            title = f"Set {tally.counter} to {checked.counted}, which the tags above come to"
            yield tally, Edit(title, Region(region.line, start, region.line, end), str(checked.counted))


def without_overlaps(edits: Iterable[Edit]) -> list[Edit]:
    """The edits in the order of the file; of two that overlap, the first one only."""
    found, done = list[Edit](), (0, 0)
    for edit in sorted(dict.fromkeys(edits), key=lambda edit: edit.region):
        region = edit.region
        if (region.line, region.column) >= done:
            found.append(edit)
            done = region.end_line, region.end_column
    return found


def apply_edits(document: Document, edits: Iterable[Edit]) -> str:
    """The text of a file, without its BOM, with edits made; of two that overlap, the first one only."""
    text = document.source.text
    starts = line_starts(text)

    def offset(line: int, column: int) -> int:
        return starts[line - 1] + column - 1 if line <= len(document.lines) else len(text)

    pieces, done = [], 0
    for edit in without_overlaps(edits):
        pieces += [text[done : offset(edit.region.line, edit.region.column)], edit.text]
        done = offset(edit.region.end_line, edit.region.end_column)
    return "".join([*pieces, text[done:]])


def fix_document(document: Document, check: Callable[[Document], Iterable[Problem]]) -> tuple[bytes, int]:
    """The bytes of a file after every safe edit, and how many findings those mend.

    Args:
        document: the file.
        check: finds the problems of a document.
    """
    mended = 0
    for _ in range(MOST_ROUNDS):
        wanted = [problem.edit for problem in check(document) if problem.edit]
        edits = without_overlaps(wanted)
        text = apply_edits(document, edits)
        if text == document.source.text:
            break
        data = (document.source.bom + text).encode(document.source.encoding)
        document, mended = replace(parse(data), form=document.form), mended + sum(map({*edits}.__contains__, wanted))
    return encode(document.source), mended


def write_fixes(file: File, check: Callable[[Document], Iterable[Problem]]) -> tuple[File, int, Refusal | None]:
    """A file after its safe edits are written, how many findings they mended, and why they could not be written."""
    data, mended = fix_document(file.document, check)
    if mended and file.is_piped:
        return file, 0, Refusal("--fix changes files, and standard input is none; --diff shows what it would change")
    was, outside = encode(file.document.source), file.settings.allow_outside
    if mended and (refusal := write_atomically(file.path, data, was=was, allow_outside=outside)):
        return file, 0, refusal
    return replace(file, document=replace(parse(data), form=file.document.form)), mended, None
