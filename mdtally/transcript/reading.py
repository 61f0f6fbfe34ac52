"""The reading of a document: who spoke, where, in which round, and what.

Four ways, from the surest to the least sure: a pattern that a person gave is exact; declared participants are one rule;
an exporter's signature is a row of a table; structure is a guess that knows when it is one. A file that is no
transcript is an empty one, silently: most Markdown is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from mdtally import system
from mdtally.document import once_a_document
from mdtally.labels.names import Name, kind_of
from mdtally.labels.shapes import Label, candidates, collect
from mdtally.lines import Layout, scan
from mdtally.model import Document, Problem, Region, SpeakerKind, Transcript, Turn, Way
from mdtally.records import replace
from mdtally.regex import regex
from mdtally.transcript import build, exporters, participants, structure, unmatched
from mdtally.transcript import declared as declarations
from mdtally.transcript.bounds import among_fields, bounds
from mdtally.transcript.declared import fold
from mdtally.transcript.matching import matched
from mdtally.transcript.page import Page, Reading, Start, page_of
from mdtally.transcript.patterns import Patterns

LONGEST = 5
"""Seconds of the processor that patterns may take on a short file. A hostile one would take years."""

_PLACE = regex(r"\{\{\s*\w+\s*\}\}")
# "```python", "~~~"
_FENCE = regex(r"\s*(?:```|~~~)")


@once_a_document
def read(document: Document) -> Transcript:
    """Read the conversation of a document.

    Returns:
        its turns with the way they were read; an empty transcript if the file holds no conversation. Wrong declarations
        and recovered fences are in its problems.
    """
    return _read(document)


def label_lines(document: Document) -> list[int]:
    """The indices of the lines that are labels of turns, ascending: `counts.read` asks where a fence is in doubt."""
    return [turn.line - 1 for turn in read(document).turns]


def _read(document: Document) -> Transcript:
    """The conversation, read anew."""
    declared = declarations.read(document.head, document.form)
    if declared.patterns is None and _PLACE.search(document.source.head):
        return Transcript()  # a template with places still to fill: what it declares is for the files made of it
    if any(problem.severity == "error" for problem in declared.problems):  # a pattern that cannot be used
        return Transcript(kind=declared.kind, problems=declared.problems)
    if declared.patterns is None:
        return _read_as(document, declared)
    try:
        with system.within_seconds(LONGEST + len(document.source.body) / 200_000):
            return _read_as(document, declared)
    except system.TooLongError:
        line = document.head.lines.get("transcript", 1)
        said = f"a pattern of {declared.origin} takes too long on this file; write one with fewer repeats"
        slow = Problem("invalid-declaration", said, Region(line, 1, line, 1), "error", evidence="transcript")
        return Transcript(kind=declared.kind, problems=(*declared.problems, slow))


def _read_as(document: Document, declared: declarations.Declared) -> Transcript:
    """The conversation as it is declared, or as it looks."""
    page = page_of(document, declared)
    reading, labels = _choose(page)
    problems = (*declared.problems, *unmatched.sections(page))
    if reading is None or not reading.starts:
        if declared.patterns is not None:
            problems += (unmatched.turns(page, declared.patterns),)
        elif declared.participants and not declared.is_open:
            problems += (*unmatched.voices(page, (), labels),)
        meant = declared.is_transcript or declared.patterns is not None
        unsure = reading is not None and reading.way == "unsure" and not declared.is_transcript
        way: Way = "unsure" if unsure else "none"
        return Transcript(declared.kind, declared=meant, reading=way, problems=problems)
    turns = build.turns(page, reading)
    if declared.patterns is not None:
        problems += (*unmatched.marks(page, declared.patterns, reading),)
        problems += (*unmatched.names(page, declared.patterns, reading),)
    elif reading.way == "declared":
        problems += (*unmatched.voices(page, turns, labels), *unmatched.inside(page, reading))
    kind = declared.kind or reading.kind or build.kind_of_file(turns)
    return Transcript(
        kind=kind,
        exporter=reading.exporter,
        turns=turns,
        declared=declared.is_transcript,
        reading=reading.way,
        problems=problems + _fence_problems(page, reading.layout or page.layout, turns),
    )


def read_by(document: Document, values: Mapping[str, object]) -> Transcript:
    """The conversation of a document as if its frontmatter said some values, too."""
    head = replace(document.head, values={**document.head.values, **values})
    return _read(replace(document, head=head))


def page_and_labels(document: Document) -> tuple[Page, list[Label]]:
    """The page of a document with every line that may be a label."""
    page = page_of(document, declarations.read(document.head, document.form))
    return page, _labels(page)[1]


def reading_of(document: Document) -> tuple[Page, Reading | None]:
    """The page of a document and how it is read."""
    page = page_of(document, declarations.read(document.head, document.form))
    return page, _choose(page)[0]


def _choose(page: Page) -> tuple[Reading | None, list[Label]]:
    """The reading of a page, and all labels that were seen."""
    declared = page.declared
    if declared.patterns is not None:
        return _in_sections(page, _by_pattern(page, declared.patterns)), []
    exported = _in_sections(page, exporters.read(page))
    if exported is not None and declared.participants and not declared.is_open:
        exported = _only_participants(page, exported)
    if exported is not None:
        return exported, []
    layout, labels = _labels(page)
    if declared.participants:
        reading = _by_participants(page, layout, labels)
        if reading is not None or not declared.is_open:
            return reading, labels
    return _in_sections(page, by_structure(page, layout, labels)[0]), labels


def _labels(page: Page) -> tuple[Layout, list[Label]]:
    """Every line of a page that may be a label, and what is code; a fence nobody closed hides no label of a chat."""
    layout = page.layout
    if layout.is_in_doubt:
        bare = ["" if _FENCE.match(line) else line for line in page.lines]
        every = collect(bare, page.first, scan(bare, page.first))
        voices = [(label, kind_of(label.name)) for label in every if not label.style.startswith(structure.INSIDE)]
        often = Counter((label.style, kind) for label, kind in voices)
        chats = {style for style, _ in often if min(often[style, "human"], often[style, "agent"]) > 1}
        known = [label.row for label, kind in voices if kind in ("human", "agent") and label.style in chats]
        layout = page.scanned(known)
    return layout, candidates(page.lines, page.first, layout)


def _by_pattern(page: Page, patterns: Patterns) -> Reading:
    """What a person's patterns read, of the participants if some are declared."""
    names = page.declared.by_spelling

    def named(name: Name, _: str) -> Name | None:
        one = names.get(fold(name.speaker))
        if one is None:
            return None if names else name
        return replace(name, speaker=one.name, kind=declarations.kind_by_words(one), role=name.role or one.role)

    reading = matched(page, patterns, "pattern", "", name_of=named)
    if reading.starts and not patterns.rounds and (page.declared.rounds == "heading" or page.declared.stages):
        layout = reading.layout or page.layout  # the person says where they stand
        return replace(reading, marks=bounds(page, layout, reading.starts, session=False)[1])
    return reading


def _only_participants(page: Page, exported: Reading) -> Reading | None:
    """An exporter's reading with the declared names and kinds; the labels of others end turns. None if it has none."""
    starts: list[Start] = []
    ends = list(exported.ends)
    names = page.declared.by_spelling
    stated: dict[str, set[SpeakerKind | None]] = {}
    for start in exported.starts:
        stated.setdefault(start.name.key, set()).add(start.name.kind)
    for start in exported.starts:
        one = names.get(fold(start.name.speaker))
        if one is None:
            ends.append(start.row)
            continue
        kind = start.name.kind if len(stated[start.name.key]) > 1 else declarations.kind_by_words(one)
        starts.append(replace(start, name=replace(start.name, speaker=one.name, kind=kind)))
    reading = replace(exported, way="declared", starts=tuple(starts), ends=tuple(sorted(ends)))
    return reading if starts else None


def _by_participants(page: Page, layout: Layout, labels: list[Label]) -> Reading | None:
    """What the declared names label; None if they label nothing, or if bare names do not account for the page."""
    guess, _ = by_structure(page, layout, labels)
    sure = guess.starts if guess and guess.way == "sure" else ()
    known = page.declared.by_spelling
    rows = {start.row for start in sure if fold(start.name.speaker) in known}
    starts, inside = participants.starts(page, layout, rows)
    if not starts:
        return None
    if page.declared.is_open:  # another program's list of names, which may not be all
        silent = {one.name for one in page.declared.participants} - {start.name.speaker for start in starts}
        if silent:
            return None
    kinds = {start.name.kind for start in starts}
    session = page.declared.kind == "session" or ("human" in kinds and len({s.name.key for s in starts}) == 2)
    ends, marks = bounds(page, layout, starts, session=session)
    reading = Reading("declared", "", tuple(starts), ends, marks, layout, left_out=tuple(inside))
    return _in_sections(page, reading)


def by_structure(page: Page, layout: Layout, labels: Sequence[Label]) -> tuple[Reading, Reading | None]:
    """The best guess at the page's turns, without any if none is likely enough, and the second one."""
    guess = structure.guess(page, labels)
    found: list[Reading] = []
    for chosen in (guess.labels, guess.runner_up):
        fields = among_fields(page, layout, {one.row: one.style for one in chosen}) if chosen else set()
        starts = [one for one in chosen if one.row not in fields or len(fields) == len(chosen)]
        if not starts:
            found.append(Reading(guess.way, "", ()))
            continue
        ends, marks = bounds(page, layout, starts, session=structure.is_session(chosen))
        found.append(Reading(guess.way, "", tuple(starts), ends, marks, layout))
    return found[0], found[1] if found[1].starts else None


def _in_sections(page: Page, reading: Reading | None) -> Reading | None:
    """A reading without what stands in ignored sections, or outside the transcript's own; None if nothing is left."""
    declared = page.declared
    if reading is None or not (declared.ignored or declared.sections):
        return reading
    opening = {start.row for start in reading.starts}
    inside = [not declared.sections] * len(page.lines)
    ends = list(reading.ends)
    for heading in page.headings:
        title = heading.plain.casefold()
        if heading.row in opening or title not in (*declared.ignored, *declared.sections):
            continue
        after = page.section_end(heading)
        inside[heading.row : after] = [title in declared.sections] * (after - heading.row)
        ends += [heading.row, after]
    starts = tuple(start for start in reading.starts if inside[start.row])
    return replace(reading, starts=starts, ends=tuple(sorted(ends))) if starts else None


def _fence_problems(page: Page, layout: Layout, turns: Sequence[Turn]) -> tuple[Problem, ...]:
    """A finding for each fence that would swallow turns, if it were read strictly."""
    found: list[Problem] = []
    for fence in layout.fences:
        unclosed = fence.last is None and turns and fence.first + 1 < turns[-1].line
        if not fence.recovered and not unclosed:
            continue
        what = "it was ended at the next label" if fence.recovered else "it never closes, and was read as text"
        region = Region(fence.first + 1, 1, fence.first + 1, len(page.lines[fence.first]) + 1)
        message = f"a code fence here would swallow turns; {what}"
        found.append(Problem("recovered-fence", message, region, "info"))
    return tuple(found)
