"""Which turns of a log may hold an event, likeliest first: ranked, never filtered."""

from __future__ import annotations

from mdtally import counts as counting
from mdtally import transcript as transcripts
from mdtally.document import kept
from mdtally.model import Document, Event
from mdtally.records import record
from mdtally.tagging.runs import Run, person_is_known, runs
from mdtally.tagging.score import score

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
    found = runs(document, transcript)
    events = counting.read(document, labels=lambda: transcripts.label_lines(document))[0].events
    ranked = []
    for run in found:
        tagged = tuple(event for event in events if run.line <= event.region.line <= run.end_line)
        ranked.append(Candidate(run, *score(run), tagged))
    ranked.sort(key=lambda one: (-one.score, one.run.line))
    sure = not transcript.unsure and person_is_known(transcript)
    return Candidates(tuple(ranked), sure, transcript.reading)
