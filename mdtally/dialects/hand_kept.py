"""Transcripts kept by hand or by a prompt: no exporter's signature, only labels that turn out to be voices.

The reading takes three looks. `survey` lists every line that has the shape of a label; `evidence` weighs each style of
labels over the whole file; then, going down the page, each round uses one style only: the one with most voices. What
has a label's shape inside a turn (fields, addressees, quoted speakers) stays text that way. Declared participants replace
the weighing: only they may open a turn.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from mdtally.dialects import evidence, fences, names, rounds, zones
from mdtally.dialects import styles as styling
from mdtally.dialects.fences import Code
from mdtally.dialects.forms import Form
from mdtally.dialects.page import Page, Reading, Start
from mdtally.dialects.styles import Style
from mdtally.dialects.survey import Candidate, Survey, survey
from mdtally.dialects.zones import Zone

_EXCHANGE = frozenset({"exchange", "échange"})
_CLOSERS = frozenset(
    {
        "verdict",
        "synthesis",
        "consensus",
        "outcome",
        "ruling",
        "survivors",
        "tally",
        "vote",
        "votes",
        "result",
        "decision",
        "summary",
        "score",
        "scores",
    }
)
_CLOSER = re.compile(r" {0,3}(?:\*\*|__)[^\w*]{0,4}(?P<word>\w+)")


def read(page: Page, forms: Iterable[Form]) -> Reading | None:
    """Read a page by its labels; None where they are no voices."""
    forms = tuple(forms)
    reading = _read(page, forms, page.code)
    if reading is None:
        return None
    reading = _exchanges(page, reading)
    # Labels inside code: a stray fence ends at a label that is a voice elsewhere.
    if not any(page.code.hidden):
        return reading
    accepted = {(start.form, start.name.key) for start in reading.starts}
    inside = survey(page, forms, Code(bytes(1 - hidden for hidden in page.code.hidden)))
    strong = [
        candidate.index
        for candidate in inside.candidates
        if candidate.index not in inside.fields and (candidate.style, candidate.key) in accepted
    ]
    if not strong:
        return reading
    code = fences.find(page.lines, page.first, strong)
    if code.recovered:
        again = _read(page, forms, code)
        if again is not None and len(again.starts) > len(reading.starts):
            return _exchanges(page, again)
    return reading


def _exchanges(page: Page, reading: Reading) -> Reading:
    """Read numbered exchanges of two voices, one of whom always begins, as a session: the one who begins asks."""
    found = {
        heading.index for heading in page.headings if (line := rounds.parse(heading.plain)) and line.word in _EXCHANGE
    }
    keys = {start.name.key for start in reading.starts}
    known = {names.kind_of(start.name) for start in reading.starts} | set(page.declared.kinds.values())
    if len(found) < 2 or len(keys) != 2 or known - {None} or page.declared.participants:
        return reading
    first: dict[int, str] = {}
    for start in reading.starts:
        first.setdefault(start.container, start.name.key)
    if len(set(first.values())) != 1 or len(first) < 2:
        return reading
    human = next(iter(first.values()))
    starts = tuple(
        replace(start, name=replace(start.name, kind="human")) if start.name.key == human else start
        for start in reading.starts
    )
    speaker = next(start.name.speaker for start in starts if start.name.key == human)
    hint = f"declare human: {speaker} in the frontmatter, or participants: (name -> kind), to settle who asks"
    return replace(reading, starts=starts, kind="session", unsure=True, hints=(*reading.hints, hint))


def _read(page: Page, forms: Sequence[Form], code: Code) -> Reading | None:
    found = survey(page, forms, code)
    if page.declared.participants:
        styles = styling.declared(page, found)
    else:
        styles = styling.weighed(page, found)
    if not styles:
        return None
    primary = styles[0]
    starts, ends = _walk(page, found, styles)
    if len(starts) < 2 and not page.declared.participants:
        return None
    if not starts:
        return None
    bodies = [page.lines[start.index + 1 : start.index + 4] for start in starts]
    quoted_bodies = sum(
        1 for body in bodies if next((line for line in body if line.strip()), "").lstrip().startswith(">")
    )
    quoted = primary.name == "quote" or (
        len(starts) > 3
        and all(start.body is None or True for start in starts)
        and quoted_bodies * 10 >= len(starts) * 9
    )
    margin = primary.weight.points - primary.weight.threshold
    unsure = not page.declared.participants and margin < 2
    hints = ("declare participants: (name -> kind) in the frontmatter to settle who speaks",) if unsure else ()
    indent = 2 if primary.name == "item" else 0
    return Reading(tuple(starts), tuple(ends), quoted=quoted, indent=indent, code=code, unsure=unsure, hints=hints)


def _walk(page: Page, found: Survey, styles: Sequence[Style]) -> tuple[list[Start], list[int]]:
    """Turns and other ends of turns, one style to a container."""
    primary = styles[0]
    votes: dict[int, Counter[str]] = {}
    distinct: dict[tuple[int, str], set[str]] = {}

    def place(candidate: Candidate) -> Zone:
        return primary.revived.get(candidate.index) or zones.at(primary.zones, candidate.index)

    for style in styles:
        for candidate in style.candidates:
            container = place(candidate).container
            votes.setdefault(container, Counter())[style.name] += 1
            distinct.setdefault((container, style.name), set()).add(candidate.key)
    chosen: dict[int, str] = {}
    for container, counts in votes.items():
        able = [name for name in counts if name == primary.name or len(distinct[container, name]) > 1]
        if able:
            chosen[container] = max(able, key=lambda name: (counts[name], name == primary.name))
    starts: list[Start] = []
    levels: dict[int, int] = {}
    # "Architect", "Skeptic", then "Architect (Iteration 2)": the first ones are the first iteration.
    stated = {
        candidate.name.round for style in styles for candidate in style.candidates if candidate.name.round is not None
    }
    counted = not found.marks and bool(stated) and 1 not in stated and 2 in stated
    for style in styles:
        for candidate in style.candidates:
            zone = place(candidate)
            if chosen.get(zone.container) != style.name or zone.dead:
                continue
            number = candidate.name.round
            if number is None:
                number = zone.round if zone.round is not None or not counted else 1
            if page.declared.rounds == "none":
                number = None
            starts.append(
                Start(candidate.index, candidate.label.column, candidate.label.body, candidate.name, number,
                      zone.container, style.name)
            )  # fmt: skip
            levels[candidate.index] = int(style.name[8:]) if style.name.startswith("heading") else primary.level
    starts.sort(key=lambda start: start.index)
    ends = _ends(page, found, primary, starts, levels)
    return starts, sorted(ends)


def _ends(page: Page, found: Survey, primary: Style, starts: Sequence[Start], levels: dict[int, int]) -> set[int]:
    """Lines that end a turn without opening one: rounds, sections, and headings that are not part of what is said."""
    lines = [start.index for start in starts]
    taken = set(lines)
    # Where a dead stretch turned out to hold turns, its heading was part of what was said.
    spoken_in = {
        zones.at(primary.zones, index).index for index in primary.revived if primary.name.startswith("heading")
    }
    zone_lines = [zone.index for zone in primary.zones if zone.opened and zone.index not in spoken_in]
    ends = set(zone_lines)
    whole_documents = primary.name.startswith("heading") and bool(
        zones.of_documents(page, found, primary.candidates, primary.level)
    )
    for heading in found.headings:
        if heading.index in taken or heading.index in ends:
            continue
        at = bisect_right(lines, heading.index) - 1
        if at < 0:
            continue
        following = lines[at + 1] if at + 1 < len(lines) else 1 << 60
        place = bisect_right(zone_lines, heading.index)
        boundary = zone_lines[place] if place < len(zone_lines) else 1 << 60
        if zones.directly_above(page, lines, heading.index):
            ends.add(heading.index)
            continue
        # Another turn comes before the next round or section: the heading is part of what is said here.
        if heading.level > levels[lines[at]]:
            continue
        if following < boundary or whole_documents:
            continue
        ends.add(heading.index)
    ends |= _closing_lines(page, primary, starts) | _other_voices(found, primary)
    if primary.name == "quote":
        ends |= {_after(page, start.index, lambda line: not line.lstrip().startswith(">")) for start in starts}
    if primary.name == "item":
        ends |= {
            _after(page, start.index, lambda line: bool(line.strip()) and not line.startswith((" ", "\t")))
            for start in starts
        }
    return ends - taken


def _closing_lines(page: Page, primary: Style, starts: Sequence[Start]) -> set[int]:
    """Bold lines like "**VERDICT: …**" that close a section rather than belong to its last turn."""
    if primary.name != "bold":
        return set()
    found: list[int] = []
    for index in range(starts[0].index, len(page.lines)) if starts else ():
        line = page.lines[index]
        match = _CLOSER.match(line) if line.lstrip()[:2] in ("**", "__") else None
        if match and match["word"].casefold() in _CLOSERS:
            after = index + 1
            while after < len(page.lines) and page.lines[after].strip():
                after += 1
            while after < len(page.lines) and not page.lines[after].strip():
                after += 1
            if after >= len(page.lines) or fences.is_rule(page.lines[after]) or page.lines[after].startswith("#"):
                found.append(index)
    return set(found) if len(found) * 5 <= len(starts) * 2 else set()


def _other_voices(found: Survey, primary: Style) -> set[int]:
    """Labels dressed like all the others that name a section ("🧠 Synthesis (Round 1):"): they end a turn."""
    dress = evidence.majority_dress(primary.candidates)
    if not dress:
        return set()
    return {
        candidate.index
        for candidate in found.candidates
        if candidate.style == primary.name
        and candidate.index in found.fields
        and dress <= evidence.dress_of(candidate)
        and names.is_section(candidate.name.speaker)
    }


def _after(page: Page, index: int, ends: object) -> int:
    assert callable(ends)
    for after in range(index + 1, len(page.lines)):
        if ends(page.lines[after]):
            return after
    return len(page.lines)
