"""What an editor offers to do at a place of a text: each a title and what changes in the text."""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol.types import CodeActionKind

from mdtally import events as tagging
from mdtally.check import rules, settling
from mdtally.doors.server.text import EditorText
from mdtally.log.calibration import describe
from mdtally.text import frontmatter, safe
from mdtally.text.lines import scan
from mdtally.text.model import Edit, Fact, Problem, Region
from mdtally.text.records import record


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
    ("held, and had evidence", Fact("hold", "", "found")),
    ("held, and had found nothing against it", Fact("hold", "", "none")),
    ("agreed unpressed, for new evidence", Fact("agree", "none", "new")),
    ("agreed unpressed, nothing new", Fact("agree", "none", "none")),
    ("agreed after pushback, for new evidence", Fact("agree", "pushback", "new")),
    ("agreed after pushback, nothing new", Fact("agree", "pushback", "none")),
    ("agreed after approval, for new evidence", Fact("agree", "approval", "new")),
    ("agreed after approval, nothing new", Fact("agree", "approval", "none")),
)
"""Each fact that a tag can state, in words; the first one of a decision and pressure, which a slip of the finger takes,
accuses nobody."""

OPINIONS = ("near-miss-tag", "untagged-agreement")
"""Rules beside the gate's on whose findings a person may think otherwise."""

_TITLE = 120  # columns of a title


def actions_between(opened: EditorText, first: tuple[int, int], last: tuple[int, int]) -> Iterator[Action]:
    """All that can be done between two places, the first ones being what mends a finding."""
    yield from _mends(opened, first[0], last[0])
    yield from _tags(opened, first[0])
    for problem in dict.fromkeys((*opened.at(*first), *opened.at(*last))):
        yield from _declarations(opened, problem)
        yield from _excuse(opened, problem)
    report, _ = opened.check_report
    if report.stale and report.verdict:
        title = f"Write the verdict into the note and its log: {describe(report.verdict)}"
        yield Action(title, CodeActionKind.Source)


# -- Tags and tallies -------------------------------------------------------------------------------------------------


def _tags(opened: EditorText, line: int) -> Iterator[Action]:
    """The facts, to be written into the untagged reply at a line; those that its cues speak for come first."""
    found = tagging.candidates(opened.document).ranked
    reply = next((one for one in found if one.run.line <= line <= one.run.end_line and not one.events), None)
    if reply is None or opened.document.conflict:
        return
    at = tagging.place(opened.document, reply.run, "")
    untagged = (one for one in opened.problems if one.rule == "untagged-agreement")
    about = next((one for one in untagged if one.region.line == reply.run.line), None)
    kind = CodeActionKind.QuickFix if about else CodeActionKind.RefactorRewrite

    def is_unlike(named: tuple[str, Fact]) -> tuple[bool, bool]:
        """Whether the cues speak for another decision, and for another pressure."""
        decision, pressure = named[1].decision, named[1].pressure
        return reply.decision not in (None, decision), bool(pressure) and reply.pressure not in (None, pressure)

    for words, fact in sorted(FACTS, key=is_unlike):
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

    Not for what stops a count, which is not a matter of opinion.
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
    """What makes an unsure reading sure: each reading that is offered, kept in the frontmatter."""
    document = opened.document
    if about.rule not in ("unsure-reading", "no-turns") or document.head.problem:
        return
    for offer in settling.offers(document):
        changed = frontmatter.edit(document.source, document.head, settling.values_of(offer))
        if isinstance(changed, Problem):
            continue
        voices = ", ".join(f"{name} {number}" for name, number in offer.voices.items())
        title = safe.clip(f"Read it as {' and '.join(offer.turn_patterns)}: {voices}", _TITLE)
        edit = Edit(title, Region(1, 1, document.head.last_line + 1, 1), changed.head)
        yield Action(title, CodeActionKind.QuickFix, (edit,), about)
