"""Settling an unsure file: up to three readings to choose from, each as the patterns by which it was read."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from mdtally.text.document import Document, once_a_document
from mdtally.text.layout import Fence
from mdtally.text.model import FileKind, Refusal, SpeakerKind, Turn
from mdtally.text.names import Name, clean, is_field, is_section, kind_of
from mdtally.text.records import by_key, record, replace
from mdtally.transcript import build, structure
from mdtally.transcript.declared import fold
from mdtally.transcript.labels.shapes import MOST as MOST_LABELS
from mdtally.transcript.labels.shapes import Label, by_form, openings, visible
from mdtally.transcript.labels.templates import template_of
from mdtally.transcript.labels.turn_names import without_count
from mdtally.transcript.page import Page, Reading
from mdtally.transcript.patterns import ANYBODY
from mdtally.transcript.reading import labels_of, read, read_by, read_guess, readings_of

MOST = 3
"""How many readings are offered."""

HOW_TO_LABEL = (
    "no line says who speaks: write the name and a colon before each turn, such as `Me:` and `Claude:`, "
    "on the turn's first line or alone above it"
)
"""What a person is told about a text whose turns have no labels; the same sentence in every command."""

_LIKELY = 8
_LOOKED_AT = 2_000
"""How many labels of a file are looked at to find those."""
_VOICES = 8
"""How many names of a page are held against each other to find two that take turns."""
_VOICE = 0.2
"""From this score on a name that comes back may be a voice, so that no offer leaves it out."""


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

        "## Overview" and "## Next steps" are headings.
        """
        return len(self.turns) > len(self.voices) or self.says_turns or _is_of_voices(self)

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
    if read(document).reading not in ("unsure", "none"):
        return ()
    page, labels = labels_of(document)
    found: list[Offer] = []
    tried = set[tuple[int, ...]]()
    for chosen in _candidates(page, labels) if len(labels) < MOST_LABELS else ():
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
    """The first likely ones of some offers; the first ones if none is likely."""
    every = tuple(found)
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
    values: dict[str, object] = {"transcript": _short(offer.patterns)}
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
    participants: dict[str, object] = {}
    for name, kind in kinds.items():
        declared = offer.participants.get(name)
        participants[name] = {**declared, "kind": kind} if isinstance(declared, Mapping) else kind
    # What a program says under a person's label stays its own.
    was = offer.kinds
    told = ((turn, kinds[turn.speaker] if turn.kind == was[turn.speaker] else turn.kind) for turn in offer.turns)
    turns = tuple(replace(turn, kind=kind) for turn, kind in told)
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
def laid_open(document: Document) -> Document:
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
    is_talk = read(opened).reading not in ("unsure", "none") or any(map(_is_of_voices, offers(opened)))
    return opened if is_talk and not any(map(_is_of_voices, offers(document))) else document


def opened_at(document: Document, lines: Sequence[int]) -> Document:
    """A document laid open, also where a person points at lines that stand in fences without a language."""
    plain = [fence for fence in document.layout.fences if fence.is_plain]
    is_inside = all(any(one.first < line - 1 < (one.last or 0) for one in plain) for line in lines)
    return _without_fences(document, plain) if is_inside else laid_open(document)


def _without_fences(document: Document, fences: Iterable[Fence]) -> Document:
    """A document with blanks in place of the first and last lines of some fences."""
    outside = {row for fence in fences for row in (fence.first, fence.last)}
    return replace(document, lines=tuple("" if row in outside else line for row, line in enumerate(document.lines)))


def _is_of_voices(offer: Offer) -> bool:
    return structure.is_of_voices(clean(one) or Name(one) for one in offer.voices)


def shut_again(document: Document, offer: Offer) -> Offer | None:
    """An offer made of the document laid open, with the turns that its patterns read in the document as it is.

    None if these are fewer: with a label outside of plain fences, those in them are code.
    """
    turns = read_by(document, values_of(offer)).turns
    return replace(offer, turns=turns) if len(turns) >= len(offer.turns) else None


def likely_labels(document: Document) -> tuple[tuple[int, str], ...]:
    """The lines that look most like labels, with their numbers, in the order of the file; one or two a name."""
    page, every = labels_of(laid_open(document))
    labels = every[:_LOOKED_AT]
    scores = {group.form: group.score for group in structure.score(page, labels)}
    groups = by_form(labels)
    found: list[Label] = []
    for form in sorted(groups, key=lambda form: (-scores.get(form, 0.0), -len(groups[form]))):
        by_name = by_key((label.name.key, label) for label in groups[form]).values()
        found += sorted((label for same in by_name for label in same[:2]), key=lambda label: label.row)
    likeliest = sorted(found[:_LIKELY], key=lambda label: label.row)
    return tuple((label.row + 1, page.lines[label.row].strip()) for label in likeliest)


def _candidates(page: Page, labels: Sequence[Label]) -> Iterator[Sequence[Label]]:
    """The labels that may be those of the turns, the likeliest first."""
    every = labels = _without_items(labels)
    guess = structure.guess(page, labels)
    groups = structure.score(page, labels)
    voices = {(group.form, key) for group in groups for key in _likely_voices(group)}
    yield from _numbered_or_timed(labels)
    yield from _of_one_noun(labels)
    labels = [one for one in labels if (one.form, one.name.key) in voices or structure.is_of_voices([one.name])]
    for chosen in (guess.labels, guess.runner_up):
        yield from (one for one in _answering(chosen) if _takes_turns(one, chosen))
    pairs = [*_pairs(page)]
    for one in pairs:
        names = {label.name.key for label in one}
        same = {label.row for label in guess.labels if label.name.key in names}
        if _takes_turns(one, one) and not {label.row for label in one} < same:
            yield one
    for chosen in filter(None, (guess.labels, guess.runner_up)):
        yield from _summed_up(chosen, every)
        if strays := structure.strays(chosen):
            yield [label for label in chosen if label.name.key not in strays]
        yield from _complete(chosen, labels)
        known = [label for label in chosen if kind_of(label.name) in ("human", "agent")]
        if {kind_of(label.name) for label in known} == {"human", "agent"}:  # User and Copilot, without Starting
            yield known
        yield from _of_one_template(page, chosen)
        yield from _answering(chosen)
    if forms := {label.form for label in guess.labels}:  # with those who speak once
        yield [label for label in labels if label.form in forms and not is_of_fields([label])]
    yield from _of_two_forms(groups[:4])
    for group in groups[:5]:
        others = [other for other in groups if other is not group]
        for chosen in (structure.with_companion(page, group, others), group.chosen):
            yield from _complete(chosen, labels)
    yield from pairs


def _likely_voices(group: structure.Group) -> set[str]:
    """The names of a form that may be voices by their score, or stand in it as often as one that is a voice.

    "[15:20:07] @general-purpose:" with sixteen lines, beside "@coordinator:" with four.
    """
    counts = count_names(group.labels)
    often = min((counts[label.name.key] for label in group.chosen), default=0)
    return {key for key, score in group.scores.items() if score >= _VOICE or counts[key] >= often > 1}


def _without_items(labels: Sequence[Label]) -> Sequence[Label]:
    """Labels without the list items that stand once and are no voices by their words, if a voice comes back elsewhere.

    "- **Frontend:** React", "1. **Backups:** none": fields of an answer.
    """
    counts = count_names(labels)
    once = {one.row for one in labels if one.form.inside == "item" and counts[one.name.key] == 1}
    again = {one.name.key: one.name for one in labels if one.form.inside != "item" and counts[one.name.key] > 1}
    if not structure.is_of_voices(again.values()):
        return labels
    return [one for one in labels if one.row not in once or structure.is_of_voices([one.name])]


def _numbered_or_timed(labels: Sequence[Label]) -> Iterator[list[Label]]:
    """The labels of the names that have a time or their turn's number beside them: "[Turn 2] Ana", "Ana — 10:02".

    Titles have a day beside them, too, but they are no voices by their words, and do not come back.
    """
    for found in by_form([label for label in labels if label.name.cut & {"time", "turn"}]).values():
        names = {label.name.key: label.name for label in found}
        told = sum(structure.is_of_voices([name]) for name in names.values())
        if 2 * len(names) <= len(found) or 2 * told > len(names):
            yield [label for label in labels if label.form == found[0].form and label.name.key in names]


def _of_one_noun(labels: Sequence[Label]) -> Iterator[list[Label]]:
    """The headings of names with the same noun beside them: "## Noor's Perspective", "## Salma's Perspective"."""
    found: dict[tuple[LabelForm, str], list[Label]] = defaultdict(list)
    for label in labels:
        if label.form.level and "noun" in label.name.cut:
            found[label.form, label.name.note.casefold()].append(label)
    yield from (same for same in found.values() if len(count_names(same)) > 2)


def _takes_turns(chosen: Sequence[Label], among: Sequence[Label]) -> bool:
    """True if a person and one other take turns but for slips, twice at least, and twice as often as any other name."""
    counts, kinds = count_names(among), {label.name.key: kind_of(label.name) for label in chosen}
    if len(kinds) != 2 or "human" not in kinds.values():
        return False
    least, most = min(counts[key] for key in kinds), max((counts[key] for key in counts if key not in kinds), default=0)
    return _in_turn(chosen, slips=len(chosen) // 8) and least > 1 and least >= 2 * most


def _summed_up(chosen: Sequence[Label], labels: Sequence[Label]) -> Iterator[list[Label]]:
    """Headings of voices, and those of whoever sums up: "### Ana", "### Ben" and "## Moderator Synthesis"."""
    rows = {label.row for label in chosen}
    headed = [one for one in labels if one.form.level and one.row not in rows and kind_of(one.name) == "moderator"]
    more = [one for one in headed if "noun" in one.name.cut]
    if more and all(label.form.level for label in chosen):
        yield sorted((*chosen, *more), key=lambda label: label.row)


def _answering(chosen: Sequence[Label]) -> Iterator[list[Label]]:
    """The labels of a person and of whoever speaks right behind them, if others do not: "**Scene:**", "**Signal:**"."""
    people = {label.name.key for label in chosen if kind_of(label.name) == "human"}
    behind = {label.name.key for above, label in itertools.pairwise(chosen) if above.name.key in people} | people
    if len(people) == 1 < len(behind) < len({label.name.key for label in chosen}):
        yield [label for label in chosen if label.name.key in behind]


def _of_one_template(page: Page, chosen: Sequence[Label]) -> Iterator[list[Label]]:
    """The labels that are written as most of them are, where others of their form are not."""
    templates = [template_of(page.lines[label.row], label)[0] for label in chosen]
    often, count = Counter(templates).most_common(1)[0]
    if len(chosen) > count > len(chosen) // 2:
        yield [label for label, template in zip(chosen, templates, strict=True) if template == often]


def _of_two_forms(groups: Sequence[structure.Group]) -> Iterator[list[Label]]:
    """The labels of two forms where those of one answer those of the other."""
    unlisted = (group for group in groups if not group.form.is_listed)
    for one, other in itertools.combinations(unlisted, 2):
        both = sorted((*one.chosen, *other.chosen), key=lambda label: label.row)
        changes = sum(a.form != b.form for a, b in itertools.pairwise(both))
        if changes >= 3 and changes >= min(len(one.chosen), len(other.chosen)) and not is_of_fields(both):
            yield both


def _pairs(page: Page) -> Iterator[list[Label]]:
    """Labels of one form, numbers aside, that are a person's and a machine's, or that take turns with such a one.

    "## Prompt 1" and "## Response 1"; "### User request 2" and "### AI reply"; "## Ticket 7" and "## Claude". What else
    has this form ("## Notes 1") is nobody's beside a person's and a machine's.
    """
    found: list[Label] = []
    for row, line, heading in visible(page.lines, page.first, page.layout):
        one = next((one for one in openings(line, heading) if one.set_off), None)
        if one is not None and (name := without_count(one.zone)) is not None:
            found.append(Label(row, one.column, one.body, name, one.form))
    for labels in by_form(found).values():
        counts = count_names(labels)
        told = [one for one in labels if counts[one.name.key] > 1 and one.name.kind in ("human", "agent")]
        if {label.name.kind for label in told} == {"human", "agent"}:
            yield told
    yield from _of_two_names(found)


def _of_two_names(labels: Sequence[Label]) -> Iterator[list[Label]]:
    """A person's and a machine's labels of any two forms that take turns, if no other name of these forms is oftener.

    "### Prompt 2", "**AI response summary:**", with "**Decision:**" below: a log of what was asked has fields, too. And
    the labels of one form that are such a one's and another name's ("Input:", "Varek:") if no third is half as often.
    """
    voices = by_key(((label.form, label.name.key), label) for label in labels)
    often = sorted((one for one in voices.values() if len(one) > 1), key=len, reverse=True)[:_VOICES]
    found: list[list[Label]] = []
    for one, other in itertools.combinations(often, 2):
        both = sorted((*one, *other), key=lambda label: label.row)
        forms, kinds = {label.form for label in both}, {one[0].name.kind, other[0].name.kind}
        beside = [more for (form, _), more in voices.items() if form in forms and more not in (one, other)]
        most = max(map(len, beside), default=0)
        talking = max((len(more) for more in beside if more[0].name.kind in ("human", "agent")), default=0)
        is_told = kinds == {"human", "agent"} and len(other) > 2 and most <= len(one) and 2 * talking < len(other)
        is_likely = kinds in ({"human", None}, {"agent", None}) and len(forms) == 1 and 2 * most < len(other)
        if (is_told and _in_turn(both, slips=len(both) // 8)) or (is_likely and _in_turn(both)):
            found.append(both)
    yield from sorted(found, key=lambda both: both[0].name.kind != "human")


def _in_turn(labels: Sequence[Label], slips: int = 0) -> bool:
    """True if voices take turns, but for some slips."""
    return sum(one.name.key == other.name.key for one, other in itertools.pairwise(labels)) <= slips


def _complete(chosen: Sequence[Label], labels: Sequence[Label]) -> Iterator[Sequence[Label]]:
    """Labels that may be offered; with the names of their form that come back, or are a voice's by their words."""
    used = {label.form for label in chosen}
    voices, rows = {label.name.key for label in chosen}, {label.row for label in chosen}
    left = [label for label in labels if label.form in used and label.row not in rows]
    again = count_names(left)
    said = [label.name for label in chosen if kind_of(label.name) != "other"]
    is_said = len(voices) > 1 or structure.is_of_voices(said)
    voiced = {label.name.key for label in left if is_said and structure.is_of_voices([label.name])}
    voiced |= {key for key, count in again.items() if count > 1}
    missed = [label for label in left if label.name.key in voiced - voices]
    wider = sorted((*chosen, *missed), key=lambda label: label.row)
    if (missed or len(voices) > 1) and not is_of_fields(wider):
        yield wider


def is_of_fields(labels: Sequence[Label]) -> bool:
    """True if a third of the names are words for fields or sections."""
    names = {label.name.key for label in labels}
    return 3 * sum(is_field(name) or is_section(name) for name in names) >= len(names)


def _short(patterns: Mapping[str, object]) -> dict[str, object]:
    """Patterns with a list of one as that one."""
    return {key: value[0] if isinstance(value, list) and len(value) == 1 else value for key, value in patterns.items()}


def other_form(page: Page, rows: Sequence[int]) -> Refusal:
    """Why an offer is not made: these lines have names of its voices in another form."""
    more = "1 more line has" if len(rows) == 1 else f"{len(rows)} more lines have"
    first = f"the first in line {rows[0] + 1}, “{page.lines[rows[0]].strip()[:40]}”"
    return Refusal(f"{more} these names in another form, {first}: point at one of each form")


def count_names(labels: Sequence[Label]) -> Counter[str]:
    """How often each name has a label."""
    return Counter(label.name.key for label in labels)
