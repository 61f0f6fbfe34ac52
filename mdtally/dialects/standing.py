"""What a label's place tells about it, before anything is weighed: folded away, in a header, inside an item.

The same words in the same shape are a voice in one place and a part of something else in another. Here the page's lines
around a label are looked at, and the labels beside it; what it says is `evidence`'s to judge.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

from mdtally.dialects import evidence, names, words
from mdtally.dialects.fences import Code
from mdtally.dialects.forms import Candidate
from mdtally.dialects.page import Heading, Page, heading_of, label_column
from mdtally.text import count_words

_SENTENCE = 6
"""How many words a label's line has where something is said on it, on average."""

_SECTIONS = 5
"""Headings of a page of which a single section is not what it is about."""


def unfolded(page: Page, candidates: list[Candidate], code: Code) -> list[Candidate]:
    """The candidates without those that stand in `<details>` only: a translation or trace folded into what is said."""
    folded: set[int] = set()
    depth = 0
    for index in range(page.first, len(page.lines)):
        line = page.lines[index].lstrip()[:12].casefold()
        if line.startswith("</details") and not code.hidden[index]:
            depth = max(0, depth - 1)
        if depth:
            folded.add(index)
        if line.startswith("<details") and not code.hidden[index] and "</details" not in page.lines[index]:
            depth += 1
    if not folded:
        return candidates
    outside = {(candidate.style, candidate.key) for candidate in candidates if candidate.index not in folded}
    styles = {style for style, _ in outside if sum(1 for other, _ in outside if other == style) > 1}
    return [
        candidate
        for candidate in candidates
        if candidate.index not in folded or (candidate.style, candidate.key) in outside or candidate.style not in styles
    ]


def untitled(page: Page, candidates: list[Candidate]) -> list[Candidate]:
    """The candidates without a body's title that names its voice again ("### Noor", then "# Noor · round 1")."""
    kept: list[Candidate] = []
    for one in candidates:
        above = kept[-1] if kept else None
        if (
            above is not None
            and above.style.startswith("heading")
            and one.style.startswith("heading")
            and one.key == above.key
            and int(one.style[8:]) <= int(above.style[8:])
            and not any(line.strip() for line in page.lines[above.index + 1 : one.index])
        ):
            continue
        kept.append(one)
    return kept


def lettered(page: Page, candidates: Sequence[Candidate], marks: Iterable[int]) -> set[int]:
    """Labels of the sides A, B and so on, below stated rounds, where each of them speaks in two rounds or more.

    The answers to choose from in a quiz do so as well, in a word or two.
    """
    ordered = sorted(marks)
    rounds_of: dict[str, dict[str, set[int]]] = {}
    below: dict[str, list[Candidate]] = {}
    for one in candidates:
        place = bisect_right(ordered, one.index)
        if place and len(one.key) == 1 and one.label.body is not None:
            rounds_of.setdefault(one.style, {}).setdefault(one.key, set()).add(place)
            below.setdefault(one.style, []).append(one)
    found: set[int] = set()
    for style, sides in rounds_of.items():
        said = sum(count_words(page.lines[one.index][one.label.body :]) for one in below[style])
        in_turn = len(sides) > 1 and "abcdefgh".startswith("".join(sorted(sides))) and min(map(len, sides.values())) > 1
        if in_turn and said >= _SENTENCE * len(below[style]):
            found.update(one.index for one in below[style])
    return found


def answers(candidates: Sequence[Candidate]) -> set[int]:
    """Labels that say "Response" or "Answer", three of them or more, each right behind a voice of the same style.

    Whoever answers "**Interviewer:**" each time speaks, under whatever name; what follows "**Question:**" does not.
    """
    found: set[int] = set()
    for style in {one.style for one in candidates if one.key in words.ANSWERS}:
        labels = [one for one in candidates if one.style == style]
        behind = [
            one.index for above, one in pairwise(labels) if one.key in words.ANSWERS and names.is_voice(above.name)
        ]
        if len(behind) > 2 and len(behind) == sum(1 for one in labels if one.key in words.ANSWERS):
            found.update(behind)
    return found


def said(
    page: Page, headings: Sequence[Heading], candidates: Sequence[Candidate], marks: Iterable[int]
) -> frozenset[int]:
    """Headings of documents that open on a label's own line ("**Noor:** ## What it costs"), deeper than their first.

    Such a document goes on to a label that opens another one or comes back, to a round, or to a heading no deeper than
    its own. One such line alone is an example of a heading.
    """
    labels = [one for one in candidates if not one.style.startswith("heading")]
    counts = Counter((one.style, one.key) for one in labels)
    levels: dict[int, int] = {}
    for one in labels:
        title = None if one.label.body is None else heading_of(page.lines[one.index][one.label.body :])
        if title is not None or counts[one.style, one.key] > 1:
            levels[one.index] = title[0] if title is not None else 0
    if sum(1 for level in levels.values() if level) < 2:
        return frozenset()
    levels.update(dict.fromkeys(marks, 0))
    found: set[int] = set()
    level = 0
    by_line = {heading.index: heading.level for heading in headings}
    for index in sorted(by_line.keys() | levels.keys()):
        if index in levels:
            level = levels[index]
        elif by_line[index] <= level:
            level = 0
        elif level:
            found.add(index)
    return frozenset(found)


def nested(page: Page, candidates: Sequence[Candidate], roster: frozenset[str]) -> set[int]:
    """Labels of items inside an item, where most labelled items stand further left: parts of what is said there.

    A name that stands further left as well answers inside the item it answers to.
    """
    items = [one for one in candidates if one.style == "item"]
    indents = {one.index: label_column(page.lines[one.index]) for one in items}
    left = min(indents.values(), default=0) + 1
    outer = {one.key for one in items if indents[one.index] <= left}
    inner = {one.index for one in items if indents[one.index] > left and one.key not in outer | roster}
    return inner if len(inner) * 2 < len(items) else set()


def metadata(page: Page, candidates: Sequence[Candidate], fields: dict[int, str], inner: set[int]) -> set[int]:
    """Labels in an unbroken block with fields ("**Date:** …" above "**Agent:** …"): a header, not a conversation.

    In a list, somebody who has spoken before speaks in such a block as well ("- **Noor:** …", "- **Outcome:** …").
    """
    styles = {candidate.index: candidate.style for candidate in candidates} | fields
    lines = [index for index, style in styles.items() if not style.startswith("heading") and index not in inner]
    # An item inside an item is no line of a header's.
    shapes = {index: (styles[index], label_column(page.lines[index])) for index in lines}
    found: set[int] = set()
    run: list[int] = []
    for index in [*sorted(lines), -1]:
        if run and (index != run[-1] + 1 or shapes[index] != shapes[run[-1]]):
            known = sum(1 for line in run if line in fields)
            if len(run) > 1 and known * (3 if len(run) > 3 and not page.declared.participants else 2) >= len(run):
                found.update(run)
            run = []
        run.append(index)
    heard: set[str] = set()
    for one in candidates:
        if one.style != "item" or one.index in fields:
            continue
        if one.index not in found:
            heard.add(one.key)
        elif one.key in heard:
            found.discard(one.index)
    return found


def summed_up(
    page: Page, headings: Sequence[Heading], labels: Sequence[Candidate], marks: Iterable[int], level: int
) -> set[int]:
    """Labels below a heading behind the rounds under which every voice gets a card ("Position: for", "tokens: 41")."""
    last = max(marks)
    parts = [one.index for one in headings if one.level < level and one.index > last]
    cards: dict[int, list[bool]] = {}
    for candidate in labels:
        place = bisect_right(parts, candidate.index)
        if place:
            cards.setdefault(place, []).append(evidence.is_card_below(page.lines, candidate.index))
    summed = {place for place, found in cards.items() if len(found) > 1 and all(found)}
    return {candidate.index for candidate in labels if bisect_right(parts, candidate.index) in summed}


def left_open(page: Page, labels: Sequence[Candidate], marks: Iterable[int]) -> set[int]:
    """Labels of rounds in which two or more are named, and nothing is said by anybody: a form to fill in."""
    ordered = sorted(marks)
    taken = {one.index for one in labels}.union(ordered)
    empty: dict[int, list[bool]] = {}
    for one in labels:
        below = next((index for index in range(one.index + 1, len(page.lines)) if page.lines[index].strip()), -1)
        empty.setdefault(bisect_right(ordered, one.index), []).append(below < 0 or below in taken)
    forms = {place for place, found in empty.items() if len(found) > 1 and all(found)}
    return {one.index for one in labels if bisect_right(ordered, one.index) in forms}


def is_example(headings: Sequence[Heading], labels: Sequence[Candidate]) -> bool:
    """True for a dialogue quoted in one section of a page that has many, and that is no "Transcript"."""
    if labels[0].style != "quote" or len(headings) < _SECTIONS:
        return False
    lines = [heading.index for heading in headings]
    places = {bisect_right(lines, one.index) for one in labels}
    return len(places) == 1 and not names.announces_speech(headings[min(places) - 1].plain)
