"""What a file is read as, turn by turn, what would settle an unsure reading, and what keeps one."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence

from mdtally import transcript as transcripts
from mdtally.check import settling
from mdtally.check.reports import File, TurnsReport
from mdtally.check.settling import Offer
from mdtally.session import counts, is_relevant
from mdtally.text import frontmatter
from mdtally.text.document import Document
from mdtally.text.model import Letter, Problem, Refusal, Transcript, errors_of
from mdtally.text.records import by_key, replace
from mdtally.text.source import encode
from mdtally.text.voices import LISTS
from mdtally.transcript.reading import readings_by


def turns_report(file: File, pointed: Sequence[int] = ()) -> TurnsReport | Refusal:
    """What a file is read as, with what may settle it if it is unsure: its turns are those of the first offer then.

    Args:
        file: the file.
        pointed: label lines at which a person points: what they make is the only offer.
    """
    document = file.document
    transcript = transcripts.read(document)
    offers = (settling.every_offer if file.is_named else settling.offers)(document)
    if pointed:
        offer = settling.like(document, pointed)
        if isinstance(offer, Refusal):
            return offer
        offers = (offer,)
    form = None
    if offers and transcript.unsure and transcript.turns:  # so that what is shown can be kept
        form, problems = offers[0], (one for one in transcript.problems if one.region.line not in offers[0].lines)
        transcript = replace(transcript, kind=form.kind, exporter="", turns=form.turns, problems=tuple(problems))
    elif transcript.turns:
        form = settling.reading_again(document)
    is_left = not offers and is_unsettled(file, transcript)
    likely = settling.likely_labels(document) if is_left else ()
    if document.head.problem and (transcript.turns or file.is_named):  # what it declares is not heeded
        transcript = replace(transcript, problems=(document.head.problem, *transcript.problems))
    advice = settling.HOW_TO_LABEL if is_left and not likely else ""
    asked, tags = tuple(f"--like {line}" for line in pointed), _tags(document, transcript)
    return TurnsReport(str(file.path), transcript, tags, document.lines, form, offers, asked, likely, advice)


def is_unsettled(file: File, found: Transcript) -> bool:
    """True if a person or a model may be asked how a file is read: it is unsure, or was named and shows no turns; and
    is not empty."""
    is_meant = found.unsure or (found.reading == "none" and (file.is_named or found.declared))
    return is_meant and bool(file.document.source.body.strip())


def with_proposal(report: TurnsReport, offer: Offer) -> TurnsReport:
    """The report with the reading that a model proposes as its last offer, unless it is offered already."""
    if any(offer.turns == other.turns for other in report.offers):
        return report
    return replace(report, offers=(*report.offers, offer), likely=(), advice="")


def has_failed(report: TurnsReport) -> bool:
    """True if a file is read with an error, or is declared a transcript and shows no turns."""
    found = report.transcript
    return bool(errors_of(found.problems)) or (found.declared and not found.turns)


def by_patterns(file: File, patterns: Mapping[str, object]) -> File:
    """A file as if its frontmatter had these patterns (by "turn", "round", "end") in place of its own."""
    head = file.document.head
    values = dict(head.values)
    key = next((key for key in values if str(key).casefold() == "transcript"), "transcript")
    nested = values.get(key)
    values[key] = {**(nested if isinstance(nested, Mapping) else {}), **patterns}
    return replace(file, document=replace(file.document, head=replace(head, values=values)))


def with_humans(report: TurnsReport, humans: Sequence[str]) -> TurnsReport | Refusal:
    """The report with every offer that has voices of these names, who are the persons then; why not if none has."""
    answers = [settling.naming(offer, *humans) for offer in _every(report)]
    offers = tuple(offer for offer in answers if isinstance(offer, Offer))
    if not offers:
        refusals = (answer for answer in answers if isinstance(answer, Refusal))
        return next(refusals, Refusal(f"nobody is called {humans[0]}"))
    asked = (f"--human {shlex.quote(human)}" for human in humans)
    return replace(report, offers=offers, asked=(*report.asked, *asked))


def choice(report: TurnsReport, number: int | None) -> Offer | Refusal:
    """The offer that is to be kept, 1 the first: of a sure reading what was read. The only one needs no number."""
    every = _every(report)
    if not every:
        return Refusal("nothing is offered; point at one label line of each voice with --like")
    if number is None and len(every) > 1:
        return Refusal(f"{len(every)} readings are offered; say which to save with --accept N")
    if number is None and every[0].proposed_by:
        return Refusal("the reading is a model's proposal; look at it, and keep it with --accept 1")
    number = 1 if number is None else number
    if not 0 < number <= len(every):
        return Refusal(f"there is no offer {number}, only 1{f' to {len(every)}' * (len(every) > 1)}")
    return every[number - 1]


def left_over(document: Document) -> tuple[str, ...]:
    """What is told of a file that keeps an offer, with its line: labels that are like its own and open no turn."""
    problems = transcripts.read(document).problems
    return tuple(f"line {one.region.line}: {one.message}" for one in problems if one.rule == "invalid-declaration")


def with_values(document: Document, values: Mapping[str, object]) -> bytes | Refusal:
    """The file with some values in its frontmatter."""
    changed = frontmatter.edit(document.source, document.head, values)
    return Refusal(changed.message) if isinstance(changed, Problem) else encode(changed)


def values_to_save(document: Document, offer: Offer) -> dict[str, object]:
    """What a configuration has to say for files like this one: patterns, and the voices only if these need them."""
    patterns = settling.values_of(offer)["transcript"]
    assert isinstance(patterns, dict)
    # As in a file that is not settled yet: this one may name its voices already.
    alone = readings_by(document, {**dict.fromkeys(("participants", *LISTS)), "transcript": patterns}).transcript.turns
    facts = [[(turn.line, turn.end_line, turn.speaker, turn.kind) for turn in turns] for turns in (alone, offer.turns)]
    return patterns if facts[0] == facts[1] else {**patterns, "participants": dict(offer.participants)}


def _every(report: TurnsReport) -> tuple[Offer, ...]:
    return report.offers or ((report.form,) if report.form else ())


def _tags(document: Document, transcript: Transcript) -> dict[int, list[Letter]]:
    """By turn, the letters of the events marked between its label and its end."""
    events = counts.read(document, labels=transcripts.label_lines)[0].events if is_relevant(document) else ()
    placed = ((transcript.turn_at(event.region.line), event.letter) for event in events)
    return by_key((turn.index, letter) for turn, letter in placed if turn)
