"""Which runs of the agent may hold an event, and what their cues say of it."""

from __future__ import annotations

import hashlib
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator

from mdtally import transcript as transcripts
from mdtally.events.between import Between, between, things_in
from mdtally.events.runs import Run, person_is_known, runs
from mdtally.events.score import ENGLISH, Languages, Weighed, languages_of, score
from mdtally.session import counts as counting
from mdtally.session import is_headless
from mdtally.text.document import Document, once_a_document
from mdtally.text.model import Event
from mdtally.text.records import record, replace

LIKELY = 0.75
"""The score from which on ``lint`` names a turn without a tag: nine in ten of such held an event."""

WORTH_ASKING = 0.1
"""The score from which on ``review`` asks about a turn: half of those without an event are below, 3 % of the events."""

FEW = 10
"""A chat of so many replies is asked about whole: it costs few keys, and one missed event would be a tenth of it."""

NOBODY_ANSWERS = "no agent's turn answers a person's; `mdtally turns FILE` shows what is seen"
"""What is said of a text in which no event can be: there is nothing to ask about."""
UNSURE = "unsure: who speaks here is a guess, and so is this order; `mdtally turns FILE` offers readings to keep"
"""What is said of candidates whose turns, or whose person, are a guess."""


@record
class Candidate:
    """An agent's run that may hold an event.

    Attributes:
        key: of a session it is the whole identity of the reply, so that it is found again wherever it has moved; over
            several sessions the session's name goes before it.
        run: the run.
        weighed: what its cues say.
        events: what is tagged in it already.
    """

    key: str
    run: Run
    weighed: Weighed
    events: tuple[Event, ...]


@record
class Candidates:
    """Every agent's run of a file that follows a person's turn, likeliest first.

    Attributes:
        ranked: the runs.
        sure: False if the turns, or who the person is, are a guess.
        reading: how the turns were read, as in Transcript.
        languages: the languages in which cues were looked for.
    """

    ranked: tuple[Candidate, ...]
    sure: bool
    reading: str
    languages: Languages = ENGLISH

    @property
    def unread(self) -> str:
        """Whose words are not read, because their language has no cues, in a sentence; "" if both have some."""
        voices = {"the person": self.languages.person, "the agent": self.languages.agent}
        without = " and ".join(voice for voice, language in voices.items() if language is None)
        if not without:
            return ""
        return f"no cues are known in the language of {without}, so which reply holds an event is not seen"

    @property
    def least(self) -> float:
        """The score from which on ``review`` asks about a turn: 0 in a short chat, and where no cue was measured."""
        return WORTH_ASKING if self.languages == ENGLISH and len(self.ranked) > FEW else 0.0


@once_a_document
def candidates(document: Document) -> Candidates:
    """The candidates of a file; none if nobody answers anybody in it, or it is headless, whoever moderates."""
    transcript = transcripts.read(document)
    events = counting.read(document, labels=transcripts.label_lines)[0].events
    lines = [event.region.line for event in events]
    found = () if is_headless(document) else runs(document, transcript)
    languages = languages_of(found)
    first = next((turn.index for turn in transcript.turns if turn.kind != "other"), 0)
    ranked = []
    for key, run in zip(_keys(found), found, strict=True):
        tagged = tuple(events[bisect_left(lines, run.line) : bisect_right(lines, run.end_line)])
        cues = score(run.message, run.reply, languages)
        if run.asked[0].index == first:  # there was nothing yet to push back against
            cues = replace(cues, pressure=None, push="")
        ranked.append(Candidate(key, run, cues, tagged))
    ranked.sort(key=lambda candidate: (-candidate.weighed.score, candidate.run.line))
    sure = not transcript.unsure and person_is_known(transcript)
    return Candidates(tuple(ranked), sure, transcript.reading, languages)


def _keys(found: Iterable[Run]) -> Iterator[str]:
    """The key of each run: 16 hexadecimal digits of a hash of push and reply, and its number among equals."""
    times: Counter[str] = Counter()
    for run in found:
        said = hashlib.sha256(f"{run.message}\0{run.reply}".encode(errors="replace")).hexdigest()[:16]
        times[said] += 1
        yield f"{said}-{times[said]}"


@record
class Exchange:
    """A run of the agent's, its number among all, 1-based, and what stands between the person's message and it.

    Attributes:
        above: the run before it, which the message most likely answers; None for the first.
    """

    number: int
    run: Run
    between: Between
    above: Run | None


@once_a_document
def exchanges(document: Document) -> tuple[Exchange, ...]:
    """Every run of the agent's that follows a person's turn, in order, with what stands between."""
    transcript = transcripts.read(document)
    known: set[str] = set()
    found: list[Exchange] = []
    read = 0
    for run in runs(document, transcript):
        # What stood between the runs was said, too: by the moderator, or before anybody answered.
        first = run.asked[0].index - 1
        known.update(things_in(transcript.turns[read:first]))
        above = found[-1].run if found else None
        found.append(Exchange(len(found) + 1, run, between(document, run.asked, run.turns, known), above))
        read = run.turns[-1].index
    return tuple(found)


def exchange_at(document: Document, line: int) -> Exchange | None:
    """The exchange in whose run a line stands; None if it stands in none."""
    found = exchanges(document)
    place = bisect_right(found, line, key=lambda one: one.run.line) - 1
    return found[place] if place >= 0 and line <= found[place].run.end_line else None
