"""The body of a log: every annotation, by line, before anything is reconciled."""

from __future__ import annotations

from dataclasses import dataclass, field

from mdtally.counts.annotations import read_marks
from mdtally.counts.marks import Increment, Mark, Stated
from mdtally.counts.notation import as_written
from mdtally.counts.plain import Run
from mdtally.counts.reconcile import Assertion
from mdtally.counts.swallowed import find_swallowed
from mdtally.counts.tables import read_tables
from mdtally.counts.visible import Reader
from mdtally.model import Document, Event, Problem, TallyLine


@dataclass(slots=True)
class Body:
    """What a body states.

    Attributes:
        lines: the events that each line marks, in the order of the text, before marks of a line are taken together.
        assertions: the stated totals, in the order of the text.
        problems: annotations that can't be read, and blocks that swallow some.
    """

    lines: dict[int, list[Event]] = field(default_factory=dict)
    assertions: list[Assertion] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def read_body(document: Document) -> Body:
    """Read every annotation of a document's body."""
    reader = Reader(document.lines)
    runs = list(reader.runs(document.blocks))
    read = [(run, _marks(run, bare_facts=False)) for run in runs]
    if any(isinstance(mark, Increment) and mark.fact for _, marks in read for mark in marks):
        # A log that writes facts: a bare "[hold]" in it is one that lacks its keys.
        read = [(run, _marks(run, bare_facts=True)) for run in runs]
    body = Body()
    for run, marks in read:
        for mark in marks:
            _add(body, run, mark)
    for events in body.lines.values():
        events.sort(key=lambda event: event.region)
    body.assertions.sort(key=lambda assertion: assertion.tally.region)
    body.problems += find_swallowed(document, reader)
    return body


def _marks(run: Run, *, bare_facts: bool) -> list[Mark]:
    marks, rest = read_tables(run.text)
    return marks + read_marks(rest, definition=run.definition, bare_facts=bare_facts)


def _add(body: Body, run: Run, mark: Mark) -> None:
    region = run.region(mark.start, mark.end)
    if isinstance(mark, Increment):
        event = Event(mark.letter, region, mark.fact, mark.note)
        body.lines.setdefault(region.line, []).extend([event] * mark.count)
    elif isinstance(mark, Stated):
        body.assertions.append(Assertion(TallyLine(mark.counter, mark.value, region), mark.past))
    else:
        evidence = " ".join(as_written(run.text[mark.start : mark.end]).split())
        body.problems.append(Problem(mark.rule, mark.message, region, evidence=evidence, hint=mark.hint))
