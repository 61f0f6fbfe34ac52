"""The labels that may be those of a page's turns, the likeliest first: a chooser for each way in which people label."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence

from mdtally.text.names import is_field, is_section, is_voice, kind_of
from mdtally.text.records import by_key
from mdtally.transcript import structure
from mdtally.transcript.labels.shapes import Label, by_form, openings, visible
from mdtally.transcript.labels.templates import template_of
from mdtally.transcript.labels.turn_names import without_count
from mdtally.transcript.page import Page

_VOICES = 8
"""How many names of a page are held against each other to find two that take turns."""
_VOICE = 0.2
"""From this score on a name that comes back may be a voice, so that no offer leaves it out."""


def label_sets(page: Page, labels: Sequence[Label]) -> Iterator[Sequence[Label]]:
    """The sets of labels that may be those of the turns, the likeliest first."""
    guess = structure.guess(page, labels)
    groups = structure.score(page, labels)
    voices = {(group.form, key) for group in groups for key in _likely_voices(group)}
    yield from _numbered_or_timed(labels, 2)
    with_noun = [*_of_one_noun(labels)]
    if not any(is_voice(label.name) for label in guess.labels):
        yield from with_noun
    likely = [one for one in labels if (one.form, one.name.key) in voices or is_voice(one.name)]
    pairs = [*_pairs(page)]
    for one in pairs:
        names = {label.name.key for label in one}
        same = {label.row for label in guess.labels if label.name.key in names}
        if _takes_turns(one) and not {label.row for label in one} < same:
            yield one
    for chosen in filter(None, (guess.labels, guess.runner_up)):
        yield from _summed_up(chosen, labels)
        for wider in (chosen, *_complete(chosen, likely)):
            if strays := structure.strays(wider):
                yield [label for label in wider if label.name.key not in strays]
            if wider is not chosen:
                yield from (wider, *_of_one_template(page, wider))
    if forms := {label.form for label in guess.labels}:  # with those who speak once
        yield [label for label in likely if label.form in forms and not _is_of_fields([label])]
    for group in groups[:5]:
        others = [other for other in groups if other is not group]
        for chosen in (structure.with_companion(page, group, others), group.chosen):
            yield from _complete(chosen, likely)
    yield from (*with_noun, *pairs, *_numbered_or_timed(labels, 1.5))


def _likely_voices(group: structure.Group) -> set[str]:
    """The names of a form that may be voices by their score, or stand in it as often as one that is a voice.

    "[15:20:07] @general-purpose:" with sixteen lines, beside "@coordinator:" with four.
    """
    counts = count_names(group.labels)
    often = min((counts[label.name.key] for label in group.chosen), default=0)
    return {key for key, score in group.scores.items() if score >= _VOICE or counts[key] >= often > 1}


def _numbered_or_timed(labels: Sequence[Label], turns_a_voice: float) -> Iterator[list[Label]]:
    """The labels of the names that have a time or their turn's number beside them: "[Turn 2] Ana", "Ana — 10:02".

    Titles have a day beside them, too, but they are no voices by their words, and do not come back.
    """
    for found in by_form([label for label in labels if label.name.cut & {"time", "turn"}]).values():
        names = {label.name.key: label.name for label in found}
        told = sum(map(is_voice, names.values()))
        if turns_a_voice * len(names) <= len(found) or 2 * told > len(names):
            yield [label for label in labels if label.form == found[0].form and label.name.key in names]


def _of_one_noun(labels: Sequence[Label]) -> Iterator[list[Label]]:
    """The headings of names with the same noun beside them: "## Noor's Perspective", "## Salma's Perspective"."""
    headed = (one for one in labels if one.form.level and "noun" in one.name.cut)
    found = by_key(((one.form, one.name.note.casefold()), one) for one in headed)
    yield from (same for same in found.values() if len(count_names(same)) > 2)


def _takes_turns(chosen: Sequence[Label]) -> bool:
    """True if a person and one other take turns but for slips, twice at least."""
    kinds, least = {label.name.key: kind_of(label.name) for label in chosen}, min(count_names(chosen).values())
    is_pair = len(kinds) == 2 and "human" in kinds.values()
    return is_pair and least > 1 and _in_turn(chosen, slips=len(chosen) // 8)


def _summed_up(chosen: Sequence[Label], labels: Sequence[Label]) -> Iterator[list[Label]]:
    """Headings of voices, and those of whoever sums up: "### Ana", "### Ben" and "## Moderator Synthesis"."""
    more = [one for one in labels if one.form.level and "noun" in one.name.cut and kind_of(one.name) == "moderator"]
    if more and all(label.form.level for label in chosen):
        yield sorted({*chosen, *more}, key=lambda label: label.row)


def _of_one_template(page: Page, chosen: Sequence[Label]) -> Iterator[list[Label]]:
    """The labels that are written as most of them are, where others of their form are not."""
    templates = [template_of(page.lines[label.row], label)[0] for label in chosen]
    often, count = Counter(templates).most_common(1)[0]
    if len(chosen) > count > len(chosen) // 2:
        yield [label for label, template in zip(chosen, templates, strict=True) if template == often]


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
    is_said = len(voices) > 1 or any(map(is_voice, said))
    voiced = {label.name.key for label in left if is_said and is_voice(label.name)}
    voiced |= {key for key, count in again.items() if count > 1}
    missed = [label for label in left if label.name.key in voiced - voices]
    wider = sorted((*chosen, *missed), key=lambda label: label.row)
    if (missed or len(voices) > 1) and not _is_of_fields(wider):
        yield wider


def _is_of_fields(labels: Sequence[Label]) -> bool:
    """True if a third of the names are words for fields or sections."""
    names = {label.name.key for label in labels}
    return 3 * sum(is_field(name) or is_section(name) for name in names) >= len(names)


def count_names(labels: Sequence[Label]) -> Counter[str]:
    """How often each name has a label."""
    return Counter(label.name.key for label in labels)
