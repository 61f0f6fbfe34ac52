"""What an editor offers to do at a place of a reading: each a title and what changes in the text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from lsprotocol.types import CodeActionKind

from mdtally import rules, tagging, transcript
from mdtally.document import parse
from mdtally.lines import scan
from mdtally.model import Fact, Problem, Region, Turn
from mdtally.records import replace
from mdtally.render import safe
from mdtally.server.reading import Reading
from mdtally.transcript.declared import with_patterns

Edit = tuple[Region, str]
"""A stretch of the text and what takes its place."""


class Action(NamedTuple):
    """Something to choose.

    Attributes:
        title: what it does.
        kind: as the protocol sorts them.
        edits: what changes; () for one that writes the verdict, which is a command.
        problem: the finding that it mends or excuses, or None.
    """

    title: str
    kind: CodeActionKind
    edits: tuple[Edit, ...] = ()
    problem: Problem | None = None


FACTS: tuple[tuple[str, Fact], ...] = (
    ("held, and had evidence", Fact("hold", "none", "found")),
    ("held, and had found nothing against it", Fact("hold", "none", "none")),
    ("agreed unpressed, for new evidence", Fact("agree", "none", "new")),
    ("agreed unpressed, nothing new", Fact("agree", "none", "none")),
    ("agreed after pushback, for new evidence", Fact("agree", "pushback", "new")),
    ("agreed after pushback, nothing new", Fact("agree", "pushback", "none")),
    ("agreed after approval, for new evidence", Fact("agree", "approval", "new")),
    ("agreed after approval, nothing new", Fact("agree", "approval", "none")),
)
"""Each fact that a tag can state, in words; the first one, which a slip of the finger takes, accuses nobody."""

OPINIONS = ("near-miss-tag", "untagged-agreement")
"""Rules beside the gate's on whose findings a person may think otherwise."""

MOST_PATTERNS = 3
_NAMES = 60  # columns of a title for who speaks


def offered(reading: Reading, first: tuple[int, int], last: tuple[int, int]) -> Iterator[Action]:
    """All that can be done between two places, the first ones being what mends a finding."""
    yield from _tallies(reading, first[0], last[0])
    yield from _tags(reading, first[0])
    for problem in dict.fromkeys((*reading.at(*first), *reading.at(*last))):
        yield from _declarations(reading, problem)
        yield from _excuse(reading, problem)
    report, _ = reading.checked
    if report.stale and report.verdict:
        yield Action("Write the verdict into the note and its log", CodeActionKind.Source)


# -- Tags and tallies -------------------------------------------------------------------------------------------------


def _tags(reading: Reading, line: int) -> Iterator[Action]:
    """The facts, to be written into the untagged reply at a line."""
    found = tagging.candidates(reading.document).ranked
    reply = next((one for one in found if one.run.line <= line <= one.run.end_line and not one.events), None)
    if reply is None:
        return
    at = tagging.place(reading.document, reply.run, "")
    untagged = (one for one in reading.problems if one.rule == "untagged-agreement")
    about = next((one for one in untagged if one.region.line == reply.run.line), None)
    kind = CodeActionKind.QuickFix if about else CodeActionKind.RefactorRewrite
    for words, fact in FACTS:
        tag = tagging.fact_text(fact)
        edit = Region(at.line, at.column, at.line, at.column), at.text + tag
        yield Action(f"Tag: {words} (A_{fact.letter}) {tag}", kind, (edit,), about)


def _tallies(reading: Reading, first: int, last: int) -> Iterator[Action]:
    """What makes the tallies of some lines, or all of them, agree with the tags above them."""
    mended = {problem.region: problem for problem in reading.problems if problem.rule == "tally-mismatch"}
    here, everywhere = 0, []
    for checked in reading.register.tallies:
        region = checked.tally.region
        written = reading.document.lines[region.line - 1][region.column - 1 : region.end_column - 1]
        numbers = list(re.finditer(r"\d+", written))
        # Not those that are not written as a number, such as tally marks.
        if checked.agrees or len(numbers) != 1 or region.end_line != region.line:
            continue
        start, end = (region.column + offset for offset in numbers[0].span())
        everywhere.append((Region(region.line, start, region.line, end), str(checked.counted)))
        if first <= region.line <= last:
            here += 1
            title = f"Set {checked.tally.counter} to {checked.counted}, which the tags above come to"
            yield Action(title, CodeActionKind.QuickFix, (everywhere[-1],), mended.get(region))
    if here and len(everywhere) > 1:
        title = f"Set all {len(everywhere)} tallies that fail to what the tags come to"
        yield Action(title, CodeActionKind.QuickFix, tuple(everywhere))


# -- Excuses ----------------------------------------------------------------------------------------------------------


def _excuse(reading: Reading, problem: Problem) -> Iterator[Action]:
    """A comment that excuses a finding, with room for the reason.

    Not for what stops a count, which is no matter of opinion.
    """
    rule, lines, newline = rules.RULES[problem.rule], reading.document.lines, reading.document.source.newline
    number, top = problem.region.line, reading.document.body_line
    if not (rule.gates or problem.rule in OPINIONS) or number > len(lines):
        return
    line, labels = lines[number - 1], [turn.line for turn in reading.transcript.turns]
    hidden = scan(lines, labels=[label - 1 for label in labels]).hidden
    in_code = hidden[number - 1] or (number in labels and number > 1 and hidden[number - 2])
    reach, at, before, after = "line", len(line.rstrip()) + 1, " ", ""
    if number < top or in_code or "|" in line:
        # No comment can stand there, or none that leaves a table whole.
        reach, number, at, before, after = "file", top, 1, "", newline
    elif number in labels or not line.strip() or line.lstrip().startswith("#"):
        reach, at, before, after = "next-line", 1, line[: len(line) - len(line.lstrip(" \t>"))], newline
    comment = f"{before}<!-- mdtally-disable-{reach} {rule.name}: why? -->{after}"
    title = f"Excuse {rule.code} {rule.name} {'in this file' if reach == 'file' else 'here'}; say why"
    yield Action(title, CodeActionKind.QuickFix, ((Region(number, at, number, at), comment),), problem)


# -- Declarations -----------------------------------------------------------------------------------------------------


def _declarations(reading: Reading, about: Problem) -> Iterator[Action]:
    """What makes an unsure reading sure: who takes part, or what a label looks like."""
    found = reading.transcript
    if about.rule not in ("unsure-reading", "no-turns") or reading.document.head.problem:
        return
    offers = [("Declare who takes part:", found.suggestion, found.turns)] if found.suggestion else []
    for shape, _ in found.seen[:MOST_PATTERNS]:
        for pattern in (shape.replace("X", "{speaker}"), shape.replace("X", "{speaker}") + " {text}"):
            head = with_patterns(reading.document.head, {"turn": [pattern]})
            read = transcript.read(replace(reading.document, head=head))
            voices = {turn.speaker for turn in read.turns}
            # Where one speaks alone, or most speak once, the pattern reads headings or list items, not labels.
            if 2 <= len(voices) <= len(read.turns) / 2 and all(one.severity != "error" for one in read.problems):
                lines = _pattern(pattern, reading.document.source.head_format)
                offers.append((f"Read labels by the pattern {pattern}: {len(read.turns)} turns of", lines, read.turns))
    for title, lines, turns in offers:
        if edit := _into_head(reading, lines, turns):
            names = safe.clip(", ".join(dict.fromkeys(turn.speaker for turn in turns)), _NAMES)
            yield Action(f"{title} {names}", CodeActionKind.QuickFix, (edit,), about)


def _pattern(pattern: str, head_format: str | None) -> str:
    quoted = json.dumps(pattern, ensure_ascii=False)
    if head_format == "toml":
        return f"transcript.turn = {quoted}"
    return f'"transcript": {{"turn": {quoted}}},' if head_format == "json" else f"transcript:\n  turn: {quoted}"


def _into_head(reading: Reading, lines: str, turns: Sequence[Turn]) -> Edit | None:
    """Lines added to the frontmatter; None where the text with them would not be read as these turns."""
    source, head = reading.document.source, reading.document.head
    known = "|".join(re.escape(str(key)) for key in head.values)
    kept = [line for line in lines.split("\n") if not (known and re.match(rf'"?(?:{known})"?\s*[:=]', line))]
    text = "".join(f"{line}{source.newline}" for line in kept)
    fence = f"---{source.newline}"
    if source.head_format is None:
        edit = Region(1, 1, 1, 1), f"{fence}{text}{fence}"
    else:
        # In TOML above the first table; a JSON head's first line is its brace.
        line = head.last_line if source.head_format == "yaml" else 2
        edit = Region(line, 1, line, 1), text
    again = replace(parse(applied(reading, (edit,)).encode(errors="replace")), form=reading.document.form)
    found = transcript.read(again)
    is_same = [(turn.speaker, turn.text) for turn in found.turns] == [(turn.speaker, turn.text) for turn in turns]
    return edit if is_same and not found.unsure and again.source.body == source.body else None


def applied(reading: Reading, edits: Sequence[Edit]) -> str:
    """The text with some edits made; they do not overlap."""
    text = reading.document.source.text
    starts = [0, *(match.end() for match in re.finditer(r"\r\n|\r|\n", text))]
    for region, new in sorted(edits, key=lambda edit: edit[0], reverse=True):
        start = starts[region.line - 1] + region.column - 1
        text = text[:start] + new + text[starts[region.end_line - 1] + region.end_column - 1 :]
    return text
