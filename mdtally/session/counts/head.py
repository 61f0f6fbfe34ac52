"""Counters in the frontmatter: what holds where the body has none.

The keys stand at the top level or under ``tallies:``, in any case. A key with no value is a form not filled in, which
states nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from mdtally.text.document import Document
from mdtally.text.frontmatter import EMPTY
from mdtally.text.model import COUNTERS, Counter, Problem, Region, TallyLine
from mdtally.text.regex import regex

# 3, 007
_COUNT = regex(r"0*[0-9]{1,9}")
# AP, A-P, a.r, progressive, total_regressive
_NEAR = regex(r"a[ ._-]{0,2}[prt]|(?:\w+[ _-])?(?:pro|re)gressive(?:[ _-]\w+)?", re.IGNORECASE)
# tally, counts: what somebody may write for "tallies"
_GROUP = regex(r"tally|counts?|counters?|totals?|mdtally", re.IGNORECASE)
_NAMES: dict[str, Counter] = {counter.lower(): counter for counter in COUNTERS}


def read_head(document: Document) -> tuple[tuple[TallyLine, ...], list[Problem]]:
    """The totals that the frontmatter states, in the order of its lines, and what is wrong with them."""
    stated: dict[Counter, TallyLine] = {}
    problems: list[Problem] = []
    for key, value, line in _entries(document):
        counter, region = _NAMES[key.lower()], _region(document, key, line)
        shown = "a list or mapping" if isinstance(value, Mapping | list) else f'"{"" if value is None else value}"'
        number = shown.strip('" ')
        if _COUNT.fullmatch(number):
            tally = TallyLine(counter, int(number), region)
            before = stated.setdefault(counter, tally)
            if before.value != tally.value:
                message = f"{counter} is {before.value} in line {before.region.line} and {tally.value} here"
                problems.append(Problem("tally-malformed", message, region, hint="keep one of the two"))
        elif number not in EMPTY:
            message = f"{counter} is {shown} in the frontmatter, but takes a whole number from 0 up"
            problems.append(Problem("tally-malformed", message, region, hint=f"write {counter}: 3"))
    problems += _tallies_in_a_list(document)
    return tuple(sorted(stated.values(), key=lambda tally: tally.region)), problems


def _tallies_in_a_list(document: Document) -> Iterator[Problem]:
    """The problem of ``tallies:`` with a list of counters below it, of which none would be read."""
    for key, value in document.head.values.items():
        items = value if str(key).lower() == "tallies" and isinstance(value, list) else []
        names = (str(name) for item in items for name in (item if isinstance(item, Mapping) else [item]))
        if any(name[:3].lower() in _NAMES for name in names):
            region = _region(document, str(key), document.head.lines.get(key, 1))
            message, hint = "tallies is a list in the frontmatter, and is not read as one", "take the hyphens away"
            yield Problem("tally-malformed", message, region, hint=hint)


def near_keys(document: Document) -> Iterator[Problem]:
    """The keys of a log's frontmatter that look like a counter beside a number, or hold counters, and are none."""
    for key, value in document.head.values.items():
        name, inner = str(key), value if isinstance(value, Mapping) else ()
        is_near = name.lower() not in _NAMES and _COUNT.fullmatch(str(value).strip()) and _NEAR.fullmatch(name)
        if is_near or (_GROUP.fullmatch(name) and any(str(one).lower() in _NAMES for one in inner)):
            region = _region(document, name, document.head.lines.get(key, 1))
            message = f'"{name}" in the frontmatter looks like a counter, but is not written as one'
            hint = "write A_P: 3, A_R: 3 and A_T: 3, alone or below `tallies:`"
            yield Problem("near-miss-tag", message, region, hint=hint)


def _entries(document: Document) -> Iterator[tuple[str, object, int]]:
    """Each key that names a counter, its value, and the line from which on to look for it."""
    for key, value in document.head.values.items():
        group = value if str(key).lower() == "tallies" and isinstance(value, Mapping) else {key: value}
        line = document.head.lines.get(key, 1)
        yield from ((str(name), number, line) for name, number in group.items() if str(name).lower() in _NAMES)


def _region(document: Document, key: str, line: int) -> Region:
    """The rest of the line from the key on; under ``tallies`` it may stand on the group's own line, in braces."""
    pattern = re.compile(rf"(?<!\w){re.escape(key)}[\"']?\s*[:=]")
    for number in range(line, min(document.head.last_line, len(document.lines)) + 1):
        text = document.lines[number - 1]
        if match := pattern.search(text):
            return Region(number, match.start() + 1, number, len(text.rstrip()) + 1)
    return Region(line, 1, line, 1)
