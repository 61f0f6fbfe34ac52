"""Tagging at a keystroke: which turns may hold an event, and where the tag of one goes.

found = candidates(document)                       every run of the agent, likeliest first: ranked, never filtered
tag = fact_text(Fact("agree", "pushback", "none"))
place(document, found.ranked[0].run, tag)          line, column and text to insert
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from mdtally import counts as counting
from mdtally import transcript as transcripts
from mdtally.document import kept
from mdtally.model import Document, Event
from mdtally.records import record
from mdtally.tagging import score as scores
from mdtally.tagging.place import Insertion, fact_text, place, proved, removed
from mdtally.tagging.runs import Run, person_is_known, runs

__all__ = [
    "LIKELY",
    "Candidate",
    "Candidates",
    "Insertion",
    "Run",
    "candidates",
    "fact_text",
    "place",
    "proved",
    "removed",
]

LIKELY = 0.75
"""The score from which on ``lint`` names a turn without a tag: nine in ten of such held an event."""


@record
class Candidate:
    """An agent's run that may hold an event.

    Attributes:
        run: the run.
        score: how likely it holds one, from 0 to 1; scores of different files compare.
        cue: what speaks most for it, in words; "" if nothing does.
        events: what is tagged in it already.
    """

    run: Run
    score: float
    cue: str
    events: tuple[Event, ...] = ()


@record
class Candidates:
    """Every agent's run of a file that follows a person's turn, likeliest first.

    Attributes:
        ranked: the runs.
        sure: False if the turns, or who the person is, are a guess.
        reading: how the turns were read, as in Transcript.
    """

    ranked: tuple[Candidate, ...]
    sure: bool
    reading: str


@kept
def candidates(document: Document) -> Candidates:
    """The candidates of a file; none if nobody answers anybody in it."""
    transcript = transcripts.read(document)
    events = counting.read(document, labels=lambda: transcripts.label_lines(document))[0].events
    lines = [event.region.line for event in events]
    ranked = []
    for run in runs(document, transcript):
        tagged = tuple(events[bisect_left(lines, run.line) : bisect_right(lines, run.end_line)])
        ranked.append(Candidate(run, *scores.score(run), tagged))
    ranked.sort(key=lambda one: (-one.score, one.run.line))
    return Candidates(tuple(ranked), not transcript.unsure and person_is_known(transcript), transcript.reading)
