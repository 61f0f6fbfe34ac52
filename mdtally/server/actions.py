"""What an editor offers to do at a place of a text: each a title and what changes in the text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from lsprotocol.types import CodeActionKind

from mdtally import rules, tagging, transcript
from mdtally.document import parse
from mdtally.fix import applied
from mdtally.lines import scan
from mdtally.model import Edit, Fact, Problem, Region, Turn
from mdtally.records import record, replace
from mdtally.render import safe
from mdtally.server.text import EditorText
from mdtally.transcript.declared import with_patterns


@record
class Action:
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


def offered(opened: EditorText, first: tuple[int, int], last: tuple[int, int]) -> Iterator[Action]:
    """All that can be done between two places, the first ones being what mends a finding."""
    yield from _mends(opened, first[0], last[0])
    yield from _tags(opened, first[0])
    for problem in dict.fromkeys((*opened.at(*first), *opened.at(*last))):
        yield from _declarations(opened, problem)
        yield from _excuse(opened, problem)
    report, _ = opened.checked
    if report.stale and report.verdict:
        yield Action("Write the verdict into the note and its log", CodeActionKind.Source)


# -- Tags and tallies -------------------------------------------------------------------------------------------------


def _tags(opened: EditorText, line: int) -> Iterator[Action]:
    """The facts, to be written into the untagged reply at a line."""
    found = tagging.candidates(opened.document).ranked
    reply = next((one for one in found if one.run.line <= line <= one.run.end_line and not one.events), None)
    if reply is None:
        return
    at = tagging.place(opened.document, reply.run, "")
    untagged = (one for one in opened.problems if one.rule == "untagged-agreement")
    about = next((one for one in untagged if one.region.line == reply.run.line), None)
    kind = CodeActionKind.QuickFix if about else CodeActionKind.RefactorRewrite
    for words, fact in FACTS:
        tag = tagging.fact_text(fact)
        title = f"Tag: {words} (A_{fact.letter}) {tag}"
        edit = Edit(title, Region(at.line, at.column, at.line, at.column), at.text + tag)
        yield Action(title, kind, (edit,), about)


def _mends(opened: EditorText, first: int, last: int) -> Iterator[Action]:
    """The safe edits of the findings on some lines, as `lint --fix` makes them, and all of them at once."""
    mended = [(problem, problem.edit) for problem in opened.problems if problem.edit]
    here = [(problem, edit) for problem, edit in mended if first <= problem.region.line <= last]
    for problem, edit in here:
        yield Action(edit.title, CodeActionKind.QuickFix, (edit,), problem)
    if here and len(mended) > 1:
        title = f"Make all {len(mended)} safe edits"
        yield Action(title, CodeActionKind.SourceFixAll, tuple(edit for _, edit in mended))


# -- Excuses ----------------------------------------------------------------------------------------------------------


def _excuse(opened: EditorText, problem: Problem) -> Iterator[Action]:
    """A comment that excuses a finding, with room for the reason.

    Not for what stops a count, which is no matter of opinion.
    """
    rule, lines, newline = rules.RULES[problem.rule], opened.document.lines, opened.document.source.newline
    number, top = problem.region.line, opened.document.body_line
    if not (rule.gates or problem.rule in OPINIONS) or number > len(lines):
        return
    line, labels = lines[number - 1], [turn.line for turn in opened.transcript.turns]
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
    edit = Edit(title, Region(number, at, number, at), comment)
    yield Action(title, CodeActionKind.QuickFix, (edit,), problem)


# -- Declarations -----------------------------------------------------------------------------------------------------


def _declarations(opened: EditorText, about: Problem) -> Iterator[Action]:
    """What makes an unsure reading sure: who takes part, or what a label looks like."""
    found = opened.transcript
    if about.rule not in ("unsure-reading", "no-turns") or opened.document.head.problem:
        return
    offers = [("Declare who takes part:", found.suggestion, found.turns)] if found.suggestion else []
    for shape, _ in found.seen[:MOST_PATTERNS]:
        for pattern in (shape.replace("X", "{speaker}"), shape.replace("X", "{speaker}") + " {text}"):
            head = with_patterns(opened.document.head, {"turn": [pattern]})
            read = transcript.read(replace(opened.document, head=head))
            voices = {turn.speaker for turn in read.turns}
            # Where one speaks alone, or most speak once, the pattern reads headings or list items, not labels.
            if 2 <= len(voices) <= len(read.turns) / 2 and all(one.severity != "error" for one in read.problems):
                lines = _pattern(pattern, opened.document.source.head_format)
                offers.append((f"Read labels by the pattern {pattern}: {len(read.turns)} turns of", lines, read.turns))
    for title, lines, turns in offers:
        names = safe.clip(", ".join(dict.fromkeys(turn.speaker for turn in turns)), _NAMES)
        if edit := _into_head(opened, f"{title} {names}", lines, turns):
            yield Action(edit.title, CodeActionKind.QuickFix, (edit,), about)


def _pattern(pattern: str, head_format: str | None) -> str:
    quoted = json.dumps(pattern, ensure_ascii=False)
    return f"transcript.turn = {quoted}" if head_format == "toml" else f"transcript:\n  turn: {quoted}"


def _into_head(opened: EditorText, title: str, lines: str, turns: Sequence[Turn]) -> Edit | None:
    """Lines added to the frontmatter; None where the text with them would not be read as these turns."""
    source, head = opened.document.source, opened.document.head
    known = "|".join(re.escape(str(key)) for key in head.values)
    kept = [line for line in lines.split("\n") if not (known and re.match(rf'"?(?:{known})"?\s*[:=]', line))]
    text = "".join(f"{line}{source.newline}" for line in kept)
    fence = f"---{source.newline}"
    if source.head_format is None:
        edit = Edit(title, Region(1, 1, 1, 1), f"{fence}{text}{fence}")
    else:
        # In TOML above the first table.
        line = head.last_line if source.head_format == "yaml" else 2
        edit = Edit(title, Region(line, 1, line, 1), text)
    again = replace(parse(applied(opened.document, (edit,)).encode(errors="replace")), form=opened.document.form)
    found = transcript.read(again)
    is_same = [(turn.speaker, turn.text) for turn in found.turns] == [(turn.speaker, turn.text) for turn in turns]
    return edit if is_same and not found.unsure and again.source.body == source.body else None
