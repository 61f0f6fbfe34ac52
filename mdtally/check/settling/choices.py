"""Settling an unsure file: up to three readings to choose from, each as the patterns by which it was read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from mdtally.check.settling import choosers
from mdtally.text.document import Document, once_a_document
from mdtally.text.layout import Fence
from mdtally.text.model import FileKind, Refusal, SpeakerKind, Turn
from mdtally.text.names import Name, clean, fold, is_voice, kind_of
from mdtally.text.records import by_key, record, replace
from mdtally.transcript import build, structure
from mdtally.transcript.labels.shapes import MOST as MOST_LABELS
from mdtally.transcript.labels.shapes import Label, by_form
from mdtally.transcript.page import Page, Reading
from mdtally.transcript.patterns import ANYBODY
from mdtally.transcript.reading import labels_of, read, read_guess, readings_by, readings_of

MOST = 3
"""How many readings are offered."""

HOW_TO_LABEL = (
    "no line says who speaks: write the name and a colon before each turn, such as `Me:` and `Claude:`, "
    "on the turn's first line or alone above it"
)
"""What a person is told about a text whose turns have no labels; the same sentence in every command."""

_LIKELY, _MANY = 8, 10
_LOOKED_AT = 2_000
"""How many labels of a file are looked at to find those."""


@record
class Offer:
    """A reading that can be kept: patterns and voices that give exactly its turns.

    Attributes:
        patterns: by "turn", "round", "end" and so on, as a frontmatter has them below `transcript:`.
        participants: the voices with their kinds; with further spellings, as a frontmatter has them.
        kind: what the file is then.
        turns: the turns that are read by it.
        proposed_by: the model that proposed it; "" if mdtally or a person did.
        says_turns: a noun beside each name says what kind of turn it is: "## Noor's Perspective".
    """

    patterns: Mapping[str, object]
    participants: Mapping[str, object]
    kind: FileKind
    turns: tuple[Turn, ...]
    proposed_by: str = ""
    says_turns: bool = False

    @property
    def voices(self) -> dict[str, int]:
        """The number of turns of each voice, in the order of their first turns."""
        return dict(Counter(turn.speaker for turn in self.turns))

    @property
    def kinds(self) -> dict[str, SpeakerKind]:
        """The kind of each voice."""
        return kinds_of(self.turns)

    @property
    def lines(self) -> tuple[int, ...]:
        """The lines of its labels."""
        return tuple(turn.line for turn in self.turns)

    @property
    def is_likely(self) -> bool:
        """True if a name comes back or is a voice's by its words, or the labels say that they are turns.

        "## Overview" and "## Next steps" are headings; so are ten names and more with three turns each or fewer.
        """
        least = 1 if len(self.voices) < _MANY else 3
        return len(self.turns) > least * len(self.voices) or self.says_turns or is_of_voices(self)

    @property
    def turn_patterns(self) -> tuple[str, ...]:
        """The patterns of its labels, for a person: one that fixes a voice says so."""
        turn = self.patterns["turn"]
        if isinstance(turn, Mapping):
            each = ((voice, pattern) for voice, found in turn.items() for pattern in found)
            return tuple(pattern if voice == ANYBODY else f"{voice}: {pattern}" for voice, pattern in each)
        return tuple(turn) if isinstance(turn, Sequence) else ()


@once_a_document
def offers(document: Document) -> tuple[Offer, ...]:
    """Up to three readings of a document that is unsure or shows no turns, the likeliest first; () if there is none.

    No offer is one voice alone or of fields, and none leaves out a name of its own form that comes back.
    Names of which none is likely a voice's are offered only if there is no other offer.
    """
    if document.is_survey or read(document).reading not in ("unsure", "none"):
        return ()
    page, labels = labels_of(document)
    found: list[Offer] = []
    tried = set[tuple[int, ...]]()
    for chosen in choosers.label_sets(page, labels) if len(labels) < MOST_LABELS else ():
        rows = tuple(label.row for label in chosen)
        reading = None if rows in tried else read_guess(page, chosen)
        tried.add(rows)
        offer = offer_of(page, reading) if reading else None
        if offer and len(offer.voices) > 1 and all(offer.lines != other.lines for other in found):
            found.append(replace(offer, says_turns=all("noun" in label.name.cut for label in chosen)))
        if sum(offer.is_likely for offer in found) == MOST:
            break
    return likely_ones(found)


def likely_ones(found: Iterable[Offer]) -> tuple[Offer, ...]:
    """The first likely ones of some offers; the first ones of few names if none is likely."""
    every = tuple(offer for offer in found if offer.is_likely or len(offer.voices) < _MANY)
    return tuple(offer for offer in every if offer.is_likely)[:MOST] or every[:MOST]


def offer_of(page: Page, reading: Reading, turns: tuple[Turn, ...] = ()) -> Offer:
    """A reading as an offer: what a frontmatter has to say, beside what it says already, to have the file read so."""
    form, declared, patterns = reading.form, page.declared.form, reading.form.patterns
    turns = turns or build.turns(page, reading)
    by_voice = by_key(dict.fromkeys((one.voice or ANYBODY, one.source) for one in patterns.turns))
    said = {
        "turn": by_voice[ANYBODY] if [*by_voice] == [ANYBODY] else by_voice,
        # A program's form may have some of which this file has no line.
        "round": [one.source for one in patterns.rounds if any(map(one.match, page.lines))],
        "end": [one.source for one in patterns.ends if any(map(one.match, page.lines))],
        "line": patterns.line.source if patterns.line else "",
        "start": patterns.first.source if patterns.first else "",
        "rounds": dict(form.stages) if form.stages != declared.stages else {},
        "section": list(form.sections) if form.sections != declared.sections else [],
        "ignore": list(form.ignored) if form.ignored != declared.ignored else [],
    }
    also = {one.name: list(one.aliases) for one in form.participants if one.aliases}
    kinds = kinds_of(turns)
    voices = {name: {"kind": kind, "aliases": also[name]} if name in also else kind for name, kind in kinds.items()}
    kind = declared.kind or form.kind or build.kind_of_file(turns)
    return Offer({key: value for key, value in said.items() if value}, voices, kind, turns)


def reading_again(document: Document) -> Offer | None:
    """The patterns that give exactly the turns that were read, whatever way chose them; None if no turn was read."""
    found = readings_of(document)
    return offer_of(found.page, found.reading, found.transcript.turns) if found.reading else None


def values_of(offer: Offer) -> dict[str, object]:
    """What the frontmatter has to say to keep an offer: its keys with their new values."""
    values: dict[str, object] = {"transcript": written_patterns(offer.patterns)}
    if offer.participants:
        values["participants"] = dict(offer.participants)
    return values if build.kind_of_file(offer.turns) == offer.kind else {"kind": offer.kind, **values}


def naming(offer: Offer, *humans: str) -> Offer | Refusal:
    """An offer in which these voices are persons, and all others agents whose names don't tell their kind."""
    names = {fold(name): name for name in offer.voices}
    if unknown := [human for human in humans if fold(human) not in names]:
        return Refusal(f"nobody is called {unknown[0]}; the voices are {', '.join(offer.voices)}")
    people = {names[fold(human)] for human in humans}
    kinds: dict[str, SpeakerKind] = {
        # Who was said to be the person before, and is not now, was named by mistake.
        name: "human" if name in people else "agent" if kind == "human" and _kind_by_name(name) != "human" else kind
        for name, kind in offer.kinds.items()
    }
    said = offer.participants
    declared = ((name, kind, said.get(name)) for name, kind in kinds.items())
    participants = {name: {**one, "kind": kind} if isinstance(one, Mapping) else kind for name, kind, one in declared}
    # What a program says under a person's label stays its own.
    was = offer.kinds
    turns = tuple(replace(one, kind=kinds[one.speaker]) if one.kind == was[one.speaker] else one for one in offer.turns)
    return replace(offer, participants=participants, kind=build.kind_of_file(turns), turns=turns)


def kinds_of(turns: Sequence[Turn]) -> dict[str, SpeakerKind]:
    """The kind of each voice, in the order of their first turns; not that of what a program says under its label."""
    found: dict[str, SpeakerKind] = {}
    for turn in turns:
        found[turn.speaker] = turn.kind if turn.kind != "other" else found.get(turn.speaker, turn.kind)
    return found


def unknown_voices(turns: Sequence[Turn]) -> tuple[str, ...]:
    """The voices of which nothing says whether they are a person; () if one is said to be."""
    if any(turn.kind == "human" for turn in turns):
        return ()
    found = dict.fromkeys(turn.speaker for turn in turns if turn.kind == "agent")
    return tuple(name for name in found if _kind_by_name(name) is None)


def _kind_by_name(name: str) -> SpeakerKind | None:
    return kind_of(clean(name) or Name(name))


@once_a_document
def without_chat_fences(document: Document) -> Document:
    """A document without the fence around nearly all of it, or those that name no language, if people talk only there.

    Who pastes a terminal or a chat puts it into one. Patterns that are given read inside of it; so what is offered has
    to be found there, too.
    """
    fences = document.layout.fences
    if around := [fence for fence in fences if fence.is_around]:
        return _without_fences(document, around[:1])
    plain = [fence for fence in fences if fence.is_plain]
    if not plain or read(document).reading not in ("unsure", "none"):
        return document
    opened = _without_fences(document, plain)
    is_talk = read(opened).reading not in ("unsure", "none") or any(map(is_of_voices, offers(opened)))
    return opened if is_talk and not any(map(is_of_voices, offers(document))) else document


def without_chat_fences_at(document: Document, lines: Sequence[int]) -> Document:
    """A document without such fences, also where a person points at lines that stand in fences without a language."""
    plain = [fence for fence in document.layout.fences if fence.is_plain]
    is_inside = all(any(one.first < line - 1 < (one.last or 0) for one in plain) for line in lines)
    return _without_fences(document, plain) if is_inside else without_chat_fences(document)


def _without_fences(document: Document, fences: Iterable[Fence]) -> Document:
    """A document with blanks in place of the first and last lines of some fences."""
    outside = {row for fence in fences for row in (fence.first, fence.last)}
    return replace(document, lines=tuple("" if row in outside else line for row, line in enumerate(document.lines)))


def is_of_voices(offer: Offer) -> bool:
    """True if a name of an offer is a voice's by its words."""
    return any(is_voice(clean(one) or Name(one)) for one in offer.voices)


def read_in_its_fences(document: Document, offer: Offer) -> Offer | None:
    """An offer made of the unfenced document, with the turns that its patterns read in the document as it is.

    None if these are fewer: with a label outside of plain fences, those in them are code.
    """
    turns = readings_by(document, values_of(offer)).transcript.turns
    return replace(offer, turns=turns) if len(turns) >= len(offer.turns) else None


def likely_labels(document: Document) -> tuple[tuple[int, str], ...]:
    """The lines that look most like labels, with their numbers, in the order of the file; one or two a name."""
    page, every = labels_of(without_chat_fences(document))
    labels = every[:_LOOKED_AT]
    scores = {group.form: group.score for group in structure.score(page, labels)}
    groups = by_form(labels)
    found: list[Label] = []
    for form in sorted(groups, key=lambda form: (-scores.get(form, 0.0), -len(groups[form]))):
        by_name = by_key((label.name.key, label) for label in groups[form]).values()
        found += sorted((label for same in by_name for label in same[:2]), key=lambda label: label.row)
    likeliest = sorted(found[:_LIKELY], key=lambda label: label.row)
    return tuple((label.row + 1, page.lines[label.row].strip()) for label in likeliest)


def written_patterns(patterns: Mapping[str, object]) -> dict[str, object]:
    """Patterns as they are written down: a list of one is that one, and an empty one is left out."""
    given = ((key, value) for key, value in patterns.items() if value)
    return {key: value[0] if isinstance(value, list) and len(value) == 1 else value for key, value in given}


def other_form(page: Page, rows: Sequence[int]) -> Refusal:
    """Why an offer is not made: these lines have names of its voices in another form."""
    more = "1 more line has" if len(rows) == 1 else f"{len(rows)} more lines have"
    first = f"the first in line {rows[0] + 1}, “{page.lines[rows[0]].strip()[:40]}”"
    return Refusal(f"{more} these names in another form, {first}: point at one of each form")
