"""The register: every event of a session log in order, with its reason and the running totals.

What a ledger's register is to its balance: the verdict shows the sums, this shows what they are made of, and at each
tally whether it agrees with the tags above it.
"""

from __future__ import annotations

from collections import Counter as Numbers
from itertools import repeat

from mdtally import transcript as transcripts
from mdtally.session import counts as counting
from mdtally.session.counts import fact_words
from mdtally.session.judging import is_declared
from mdtally.text.document import Document
from mdtally.text.model import COUNTERS, Counter, Counts, Event, Problem, TallyLine, Transcript
from mdtally.text.records import record


@record
class Entry:
    """One event.

    Attributes:
        event: what was marked, where and why.
        speaker: whose turn it stands in; None outside of any turn, and if nobody asked.
        A_P, A_R, A_T: the totals after it.
    """

    event: Event
    speaker: str | None
    A_P: int
    A_R: int
    A_T: int

    @property
    def counter(self) -> Counter:
        """The counter it raises beside A_T, or A_T."""
        return next(counter for counter in COUNTERS if counter[-1] == self.event.letter)

    @property
    def reason(self) -> str:
        """The person's words; before them, what the labeler saw, if the event was written as a fact."""
        seen = fact_words(self.event.fact) if self.event.fact else ""
        return f"{seen}: {self.event.note}" if seen and self.event.note else seen or self.event.note


@record
class CheckedTally:
    """A stated total, and what the tags above it come to; None if the log has no tags."""

    tally: TallyLine
    counted: int | None

    @property
    def agrees(self) -> bool:
        """True if the tags come to the same, or there are none."""
        return self.counted in (None, self.tally.value)


@record
class Register:
    """A session log's events and tallies, in the order of the log, with what `counts` says of it.

    Attributes:
        entries, tallies, counts, problems: as there.
    """

    entries: tuple[Entry, ...]
    tallies: tuple[CheckedTally, ...]
    counts: Counts
    problems: tuple[Problem, ...]


def read(document: Document, *, speakers: bool = True) -> Register:
    """The register of a session log; one without events and tallies is empty.

    Who speaks at each event is told on request: the turns have to be read for it.
    """
    counts, problems = counting.read(document, declared=is_declared(document), labels=transcripts.label_lines)
    if not (counts.events or counts.tallies):
        return Register((), (), counts, problems)
    unchecked = zip(counts.tallies, repeat(None))
    checked = counting.check_tallies(document, transcripts.label_lines) if counts.events else unchecked
    tallies = tuple(CheckedTally(tally, counted) for tally, counted in checked)
    transcript = transcripts.read(document) if speakers and counts.events else Transcript()
    entries, totals = list[Entry](), Numbers[str]()
    for event in counts.events:
        totals.update({"T", event.letter})
        turn = transcript.turn_at(event.region.line)
        entries.append(Entry(event, turn.speaker if turn else None, totals["P"], totals["R"], totals["T"]))
    return Register(tuple(entries), tallies, counts, problems)
