"""What a person is offered who asks about a file by name, and what else is to be done where that is nothing."""

from __future__ import annotations

import itertools
import shlex
from collections.abc import Sequence

from mdtally.check.settling.beginnings import likely_chats
from mdtally.check.settling.choices import (
    HOW_TO_LABEL,
    MOST,
    Offer,
    is_of_voices,
    likely_labels,
    likely_ones,
    offer_of,
    offers,
    read_in_its_fences,
    reading_again,
    unknown_voices,
    without_chat_fences,
)
from mdtally.check.settling.heads import headed_reading
from mdtally.check.settling.marks import marked_readings
from mdtally.check.settling.messages import timed_reading
from mdtally.check.settling.senders import likely_senders
from mdtally.session import is_headless
from mdtally.text.document import Document, once_a_document
from mdtally.text.model import Turn
from mdtally.text.records import replace
from mdtally.text.voices import LISTS
from mdtally.transcript.reading import read, readings_of


@once_a_document
def every_offer(document: Document) -> tuple[Offer, ...]:
    """The offers for a file that a person asks about by name: where no name is a voice's, one voice may be marked.

    Where nobody answers a person as a file declares it, they are those for the file without what it declares.
    """
    if read(document).reading not in ("unsure", "none"):
        return _undeclared_offers(document)
    if (opened := without_chat_fences(document)) is not document:
        surely = reading_again(opened) if read(opened).reading not in ("unsure", "none") else None
        offered = (read_in_its_fences(document, one) for one in ((surely,) if surely else every_offer(opened)))
        if kept := tuple(filter(None, offered)):
            return kept
    page, found = readings_of(document).page, list(offers(document))
    for reading in filter(None, (timed_reading(document), likely_senders(page))):
        is_more = all(len(reading.starts) > len(other.lines) for other in found)
        found.insert(0 if is_more else 1, offer_of(page, reading))
    if headed := headed_reading(page):
        found.insert(0, offer_of(page, headed))
    every = {offer.lines: offer for offer in found}
    marked = () if any(map(is_of_voices, offers(document))) else marked_readings(document)
    for offer in itertools.chain((offer_of(page, reading) for reading in marked), likely_chats(document)):
        if len(every) >= MOST:
            break
        every.setdefault(offer.lines, offer)
    return likely_ones(every.values())


def _undeclared_offers(document: Document) -> tuple[Offer, ...]:
    """The offers for a file as if it did not say who speaks and how that is written; none if an agent answers so."""
    said, values = {"transcript", "participants", *LISTS}, document.head.values
    if document.form is None and said.isdisjoint(values):
        return ()
    turns = read(document).turns
    if _answers_person(turns) or unknown_voices(turns) or needs_no_person(document):
        return ()
    head = replace(document.head, values={key: value for key, value in values.items() if key not in said})
    opened = replace(document, head=head, form=None)
    surely = reading_again(opened) if _answers_person(read(opened).turns) and not read(opened).unsure else None
    return (surely,) if surely else tuple(one for one in every_offer(opened) if _is_answered(one.turns))


def _is_answered(turns: Sequence[Turn]) -> bool:
    """True if a turn that may be an agent's stands behind another voice's."""
    return any(one.speaker != other.speaker and other.kind == "agent" for one, other in itertools.pairwise(turns))


def _answers_person(turns: Sequence[Turn]) -> bool:
    """True if an agent speaks behind a person."""
    kinds = [turn.kind for turn in turns]
    return "human" in kinds and "agent" in kinds[kinds.index("human") :]


def needs_no_person(document: Document) -> bool:
    """True if a file says itself that no person takes part: it is headless, or a debate."""
    found = read(document)
    return is_headless(document) or (found.declared and found.kind == "debate")


def advice(document: Document) -> str:
    """What a person has to do so that it is sure who speaks in a text; "" if it is. The same sentence everywhere.

    Its commands are about FILE; ``safe.with_file_name`` puts the file's name there.
    """
    found = read(document)
    if found.reading not in ("unsure", "none") and not every_offer(document):
        if needs_no_person(document):
            return ""
        first, *others = *unknown_voices(found.turns)[:3], ""
        command = f"`mdtally turns FILE --accept 1 --human {shlex.quote(first)}`"
        return f"say who the person is: {command}{''.join(f', or {name}' for name in others[:-1])}" if first else ""
    if every_offer(document):
        return "who speaks is not sure: `mdtally turns FILE` offers readings, and `--accept 1` keeps the first"
    if likely_labels(document):
        return "who speaks is not sure: `mdtally turns FILE` lists what may be labels, and `--like LINE` points at them"
    return HOW_TO_LABEL
