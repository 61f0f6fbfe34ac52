"""In which order the names of labels come, section by section: what conversations do and lists of fields do not.

Fields stand in the same order under each heading; voices come back in no fixed order, speak twice running, or have a
section to themselves. All functions take the labels' names and, for each label, the number of its section.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise


def order(keys: Sequence[str], sections: Sequence[int]) -> str:
    """ "order" where a section's sequence of names has a repeat and is no cycle; "alternates" for a two-voice cycle."""
    best = ""
    broken = 0
    start = 0
    for end in range(1, len(keys) + 1):
        if end < len(keys) and sections[end] == sections[start]:
            continue
        run = [key for place, key in enumerate(keys[start:end]) if place == 0 or key != keys[start + place - 1]]
        distinct = len(set(run))
        if distinct > 1 and len(run) > distinct:
            cyclic = all(key == run[place % distinct] for place, key in enumerate(run))
            if not cyclic or len(run) < end - start:
                return "order"
            # "Ana, Ben, Ana": fields would not stop in the middle of their cycle, and not section after section.
            broken += len(run) % distinct != 0
            if distinct == 2 and len(run) >= 4:
                best = "alternates"
        start = end
    return "order" if broken > 1 else best


def recurs(keys: Sequence[str], sections: Sequence[int], *, labels: int = 6, times: int = 2) -> bool:
    """True where a section has so many labels or more, and two names in it come so often or more."""
    return any(
        found.total() >= labels and sum(1 for number in found.values() if number >= times) > 1
        for found in _by_section(keys, sections)
    )


def repeats(keys: Sequence[str], sections: Sequence[int]) -> bool:
    """True where a third of the labels, and two at least, repeat the one above: a list about somebody does so."""
    places = list(zip(sections, keys, strict=True))
    repeated = sum(1 for one, other in pairwise(places) if one == other)
    return repeated > 1 and repeated * 3 >= len(keys)


def alone(keys: Sequence[str], sections: Sequence[int]) -> set[str]:
    """Names with a section of their own in which they, and nobody else, open two paragraphs or more."""
    return {next(iter(found)) for found in _by_section(keys, sections) if len(found) == 1 and found.total() > 1}


def resumes(keys: Sequence[str], sections: Sequence[int]) -> bool:
    """True where somebody speaks again in a section after somebody else did."""
    places = list(zip(sections, keys, strict=True))
    seen: set[tuple[int, str]] = set()
    for place, one in enumerate(places):
        if one in seen and places[place - 1] != one:
            return True
        seen.add(one)
    return False


def prompted(keys: Sequence[str], sections: Sequence[int], persons: frozenset[str]) -> bool:
    """True where two are labelled, and in four sections or more a person is first and the other one behind, always."""
    if len(set(keys)) != 2 or len(persons.intersection(keys)) != 1:
        return False
    spoken: dict[int, list[str]] = {}
    for key, section in zip(keys, sections, strict=True):
        spoken.setdefault(section, []).append(key)
    return len(spoken) > 3 and all(
        said[0] in persons and len(set(said)) == 2 and said[-1] not in persons for said in spoken.values()
    )


def _by_section(keys: Sequence[str], sections: Sequence[int]) -> list[Counter[str]]:
    """How often each name opens a label, a section each."""
    counts: dict[int, Counter[str]] = {}
    for key, section in zip(keys, sections, strict=True):
        counts.setdefault(section, Counter())[key] += 1
    return list(counts.values())
