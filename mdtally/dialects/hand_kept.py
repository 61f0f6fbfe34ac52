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
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from mdtally.dialects import evidence, fences, names, rounds, words
from mdtally.dialects.evidence import Group, Weight
from mdtally.dialects.fences import Code
from mdtally.dialects.forms import Form
from mdtally.dialects.page import Heading, Page, Reading, Start
from mdtally.dialects.survey import Candidate, Survey, survey
from mdtally.model import RoundNumber

NOWHERE = 9
"""Level of a stretch outside the declared transcript sections: no heading brings it back to life."""

_EXCHANGE = frozenset({"exchange", "échange"})
_CLOSERS = frozenset(
    "verdict synthesis consensus outcome ruling survivors tally vote votes result decision summary scores score".split()
)
_CLOSER = re.compile(r" {0,3}(?:\*\*|__)[^\w*]{0,4}(?P<word>\w+)")


@dataclass(frozen=True, slots=True)
class Zone:
    """A stretch of the page from a line on.

    Attributes:
        index: its first line.
        container: its number; labels in one container are one group of turns.
        round: its stated round; a string ("stage 1") until stages are numbered.
        dead: level of the heading that says that no turns stand here; 0 where turns may.
        opened: True where the line itself ends the turn above.
        before, round_before: container and round that a dead stretch interrupts.
    """

    index: int
    container: int
    round: RoundNumber | None
    stage: int
    dead: int
    opened: bool
    before: int = 0
    round_before: RoundNumber | None = None


@dataclass(frozen=True, slots=True)
class Style:
    """A style of labels with the zones as it sees them and what speaks for it."""

    name: str
    candidates: tuple[Candidate, ...]
    zones: tuple[Zone, ...]
    level: int
    weight: Weight
    group: Group
    revived: Mapping[int, Zone] = field(default_factory=dict)


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
        styles = _declared_styles(page, found)
    else:
        styles = _weighed_styles(page, found)
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


# -- Styles -----------------------------------------------------------------------------------------------------------


def _weighed_styles(page: Page, found: Survey) -> list[Style]:
    """The style that is voices beyond doubt, and beside it headings of the same voices."""
    known = frozenset(page.declared.kinds)
    by_style: dict[str, list[Candidate]] = {}
    for candidate in found.candidates:
        if candidate.index not in found.fields and (
            names.is_voice(candidate.name)
            or names.is_role(candidate.name)
            or candidate.key in found.roster
            # A document's outline is numbered, voices are not.
            or (names.is_capitalised(candidate.name.speaker) and "numbered" not in candidate.name.cut)
        ):
            by_style.setdefault(candidate.style, []).append(candidate)
    weighed: list[Style] = []
    for name, candidates in by_style.items():
        style = _style(page, found, name, candidates, known)
        if style is not None:
            weighed.append(style)
    good = [style for style in weighed if style.weight.enough]
    if not good:
        return []
    good.sort(key=lambda style: (style.weight.points - style.weight.threshold, len(style.candidates)), reverse=True)
    primary = _accept(good[0], found.roster, known)
    keys = {candidate.key for candidate in primary.candidates}
    chosen = [primary]
    if not primary.name.startswith("heading"):
        for style in weighed:
            same = tuple(candidate for candidate in style.candidates if candidate.key in keys)
            if style.name.startswith("heading") and len({candidate.key for candidate in same}) > 1:
                chosen.append(replace(style, candidates=same))
    return chosen if len(keys) > 1 else []


def _style(
    page: Page, found: Survey, name: str, candidates: Sequence[Candidate], known: frozenset[str]
) -> Style | None:
    """A style's live candidates, in their zones, weighed; None where there are too few."""
    level = _level(found, name, candidates)
    if name.startswith("heading"):
        candidates = _of_documents(page, found, candidates, level) or candidates
    if (
        name.startswith("heading")
        and any(mark.level >= level for mark in found.marks.values() if mark.kind == "heading" and mark.level < 7)
        and not any(mark.level < level for mark in found.marks.values())
    ):
        return None  # the rounds are counted below these headings: they are topics
    zones = _zones(page, found, level, name, candidates)
    revived = _revived(page, candidates, zones, name)
    live = [
        candidate for candidate in candidates if not _zone(zones, candidate.index).dead or candidate.index in revived
    ]
    if len({candidate.key for candidate in live}) < 2:
        return None
    group = _group(page, found, live, zones, revived)
    weight = evidence.weigh(group, found.roster, found.title, known)
    return Style(name, tuple(live), zones, level, weight, group, revived)


def _revived(page: Page, candidates: Sequence[Candidate], zones: Sequence[Zone], name: str) -> dict[int, Zone]:
    """Labels below a summary's heading that are turns all the same, with where they belong.

    Whole documents as bodies have a "## Summary" of their own, after which the round goes on: a label like all others,
    of somebody who has not spoken in the round yet. And a debate may call a part of itself "The Synthesis", in which
    everybody speaks, labelled as before.
    """
    alive = [candidate for candidate in candidates if not _zone(zones, candidate.index).dead]
    if not alive or len(alive) == len(candidates):
        return {}
    dress = evidence.majority_dress(alive)
    voices = {candidate.key for candidate in alive}
    spoken: dict[int, set[str]] = {}
    for candidate in alive:
        spoken.setdefault(_zone(zones, candidate.index).container, set()).add(candidate.key)
    revived: dict[int, Zone] = {}
    for candidate in candidates:
        zone = _zone(zones, candidate.index)
        if not zone.dead or zone.dead == NOWHERE or not dress <= evidence.dress_of(candidate):
            continue
        if candidate.key not in voices and not names.is_voice(candidate.name):
            continue
        if zone.round_before is not None:
            said = spoken.setdefault(zone.before, set())
            if said and candidate.key not in said and (dress or name.startswith("heading")):
                said.add(candidate.key)
                revived[candidate.index] = replace(zone, container=zone.before, round=zone.round_before, dead=0)
        elif dress and not name.startswith("heading"):
            revived[candidate.index] = replace(zone, dead=0)
    return revived


def _group(
    page: Page, found: Survey, live: Sequence[Candidate], zones: Sequence[Zone], revived: Mapping[int, Zone]
) -> Group:
    heading_lines = [heading.index for heading in found.headings]
    placed = [revived.get(candidate.index) or _zone(zones, candidate.index) for candidate in live]
    bodies = []
    for place, candidate in enumerate(live):
        end = live[place + 1].index if place + 1 < len(live) else len(page.lines)
        bodies.append(evidence.body_lines(page.lines, candidate.index, candidate.label.body, end))
    by_heading = live[0].style.startswith("heading")
    return Group(
        candidates=tuple(live),
        containers=tuple(zone.container for zone in placed),
        in_round=tuple(zone.round is not None or zone.stage > 0 for zone in placed),
        sections=tuple(
            zone.container if by_heading else bisect_right(heading_lines, candidate.index)
            for zone, candidate in zip(placed, live, strict=True)
        ),
        bodies=tuple(bodies),
    )


def _accept(style: Style, roster: frozenset[str], known: frozenset[str]) -> Style:
    """Keep the names that are voices: those that come back, or that one sign of their own speaks for."""
    counts = Counter(candidate.key for candidate in style.candidates)
    dress = evidence.majority_dress(style.candidates)
    kept: list[Candidate] = []
    own: set[str] = set()
    for candidate in style.candidates:
        dressed = bool(dress) and dress <= evidence.dress_of(candidate)
        # Prose is full of words with a colon: among dressed plain labels only the dressed ones are meant.
        voice = names.is_voice(candidate.name) or candidate.key in roster or candidate.key in known
        if dressed or (voice and not (style.name.startswith("plain") and dress)):
            own.add(candidate.key)
    heading = style.name.startswith("heading")
    agents = evidence.has_agents(style.candidates)
    strict = style.name.startswith("plain") and bool(dress)
    for candidate in style.candidates:
        if candidate.key in own:
            kept.append(candidate)
        elif strict or (agents and not names.is_role(candidate.name)):
            continue
        elif counts[candidate.key] > 1 and (not dress or counts[candidate.key] > 2):
            kept.append(candidate)
        elif heading and not dress and names.is_role(candidate.name):
            kept.append(candidate)
    return replace(style, candidates=tuple(kept))


def _declared_styles(page: Page, found: Survey) -> list[Style]:
    """Styles in which declared participants speak, the one with most of them first."""
    by_style: dict[str, list[Candidate]] = {}
    for candidate in found.candidates:
        by_style.setdefault(candidate.style, []).append(candidate)
    styles: list[Style] = []
    for name, candidates in by_style.items():
        level = _level(found, name, candidates)
        zones = _zones(page, found, level, name, candidates)
        revived = _revived(page, candidates, zones, name)
        live = tuple(
            candidate
            for candidate in candidates
            if not _zone(zones, candidate.index).dead or candidate.index in revived
        )
        if live:
            group = _group(page, found, live, zones, revived)
            styles.append(Style(name, live, zones, level, Weight(9, (), 0), group, revived))
    # Lists and prose name the voices as well: such a style counts half.
    styles.sort(key=lambda style: len(style.candidates) / (2 if style.candidates[0].form.demand else 1), reverse=True)
    return [
        style for style in styles if style is styles[0] or style.name in {"bold"} or style.name.startswith("heading")
    ]


# -- Zones ------------------------------------------------------------------------------------------------------------


def _level(found: Survey, name: str, candidates: Sequence[Candidate]) -> int:
    """The level of headings, and of shallower ones, that a style's labels stand under rather than around."""
    levels = [mark.level for mark in found.marks.values() if mark.kind == "heading"]
    if name.startswith("heading"):
        own = int(name.partition(":")[2])
        return own
    if levels:
        return Counter(levels).most_common(1)[0][0]
    above: Counter[int] = Counter()
    lines = {candidate.index for candidate in candidates}
    for heading, follower in _followed(found, lines):
        if follower:
            above[heading.level] += 1
    return above.most_common(1)[0][0] if above else 2


def _followed(found: Survey, lines: set[int]) -> list[tuple[Heading, bool]]:
    """Each heading, and whether the next label or heading below it is a label of these lines."""
    ordered = sorted(lines)
    result = []
    for place, heading in enumerate(found.headings):
        at = bisect_right(ordered, heading.index)
        following = found.headings[place + 1].index if place + 1 < len(found.headings) else 1 << 60
        result.append((heading, at < len(ordered) and ordered[at] < following))
    return result


def _zones(page: Page, found: Survey, level: int, name: str, candidates: Sequence[Candidate]) -> tuple[Zone, ...]:
    """Cut the page into rounds, sections and stretches without turns, as labels of one style see it."""
    lines = {candidate.index for candidate in candidates if candidate.index not in found.fields}
    ordered = sorted(lines)
    round_levels = [mark.level for mark in found.marks.values()]
    round_level = min(round_levels) if round_levels else 0
    by_heading = name.startswith("heading")
    zones = [Zone(page.first, 0, None, 0, _outside(page), False)]
    container = 0

    def add(
        index: int, number: RoundNumber | None, stage: int, dead: int, opened: bool = True, new: bool = True
    ) -> None:
        nonlocal container
        container += new
        last = zones[-1]
        held = (last.before, last.round_before) if last.dead else (last.container, last.round)
        zones.append(Zone(index, container, number, stage, dead, opened, *(held if dead else (0, None))))

    headings = {heading.index: heading for heading in found.headings}
    document = _right_below(page, found, candidates) if not by_heading else frozenset()
    in_document = False
    title = found.headings[0] if found.headings and found.headings[0].level == 1 else None
    documents = by_heading and bool(_of_documents(page, found, candidates, level))
    before = -1
    section_level = 0  # level of the declared section that we are inside
    for index in sorted(set(headings) | set(found.marks)):
        now = zones[-1]
        heading = headings.get(index)
        mark = found.marks.get(index)
        if heading is not None and page.declared.sections:
            if section_level and heading.level <= section_level:
                section_level = 0
                add(index, None, 0, NOWHERE)
                now = zones[-1]
            if _titled(heading, page.declared.sections):
                section_level = heading.level
                add(index, None, 0, 0)
                continue
            if not section_level:
                continue
        if heading is not None and _titled(heading, page.declared.ignored):
            add(index, None, 0, heading.level)
            continue
        if mark is not None:
            add(index, mark.line.number, 0, 0)
            continue
        assert heading is not None
        if by_heading and index in lines:
            if now.dead and heading.level <= now.dead:
                add(index, now.round, now.stage, 0, opened=False, new=False)
            continue
        # A label with a heading for its first line: what follows is a document of that voice's, until the next label.
        in_document = index in document or (in_document and not _between(ordered, before, index))
        before = index
        if documents or heading is title or in_document:
            continue
        in_round = heading.level > round_level > 0
        if index in found.lookalikes:
            add(index, now.round if in_round else None, 0, heading.level, new=not in_round)
            continue
        if heading.level > level:
            continue
        above = not by_heading and _directly_above(page, ordered, index)
        if (place := rounds.stage(heading.plain)) is not None and page.declared.rounds != "none":
            if not now.dead or heading.level <= now.dead:
                add(index, None, place, 0)
        elif names.is_section(heading.plain, hard=True):
            if not now.dead or heading.level <= now.dead:
                add(
                    index,
                    now.round if in_round else None,
                    now.stage if in_round else 0,
                    heading.level,
                    new=not in_round,
                )
        elif above:
            if not now.dead or heading.level <= now.dead:
                if in_round:
                    add(index, now.round, now.stage, 0, new=False)
                else:
                    add(index, None, 0, 0, new=bool(round_level))
        elif by_heading and heading.level < level and not round_level and _directly_above(page, ordered, index):
            if not now.dead or heading.level <= now.dead:
                add(index, None, 0, 0, new=False)
    return _numbered(zones, found)


def _outside(page: Page) -> int:
    return NOWHERE if page.declared.sections else 0


def _between(ordered: Sequence[int], low: int, high: int) -> bool:
    """True where one of the ascending lines stands between two others."""
    return bisect_right(ordered, high) > bisect_right(ordered, low)


def _right_below(page: Page, found: Survey, candidates: Sequence[Candidate]) -> frozenset[int]:
    """Headings, round marks aside, that are the first text below a label with nothing on its own line."""
    labels = {candidate.index for candidate in candidates if candidate.label.body is None}
    below: set[int] = set()
    for heading in found.headings:
        index = heading.index - 1
        while index >= page.first and not page.lines[index].strip():
            index -= 1
        if index in labels:
            below.add(heading.index)
    return frozenset(below)


def _titled(heading: Heading, titles: Sequence[str]) -> bool:
    folded = heading.plain.casefold()
    return any(folded == title or folded.startswith(f"{title} ") or folded.startswith(f"{title}:") for title in titles)


def _directly_above(page: Page, ordered: Sequence[int], index: int) -> bool:
    """True where the first text below a heading is a label."""
    at = bisect_right(ordered, index)
    if at == len(ordered):
        return False
    label = ordered[at]
    return label - index < 12 and all(
        not line.strip() or fences.is_rule(line) or line.startswith("<!--") for line in page.lines[index + 1 : label]
    )


def _numbered(zones: list[Zone], found: Survey) -> tuple[Zone, ...]:
    """Give stages their round numbers: before the first stated round, after the last, or in their own order."""
    stages = [zone for zone in zones if zone.stage and not zone.dead]
    if not stages:
        return tuple(zones)
    stated = [zone for zone in zones if zone.round is not None]
    result: list[Zone] = []
    if stated:
        first, last = stated[0], stated[-1]
        for zone in zones:
            number = zone.round
            if zone.stage and zone.stage == 1 and zone.index < first.index and first.round is not None:
                number = first.round - 1
            elif zone.stage and zone.stage != 1 and zone.index > last.index and last.round is not None:
                number = int(last.round) + 1
            result.append(replace(zone, round=number))
        return tuple(result)
    if len({zone.stage for zone in stages}) < 2:
        return tuple(zones)
    order = {
        container: place for place, container in enumerate(dict.fromkeys(zone.container for zone in stages), start=1)
    }
    return tuple(replace(zone, round=order.get(zone.container) if zone.stage else None) for zone in zones)


def _zone(zones: Sequence[Zone], index: int) -> Zone:
    return zones[bisect_right(zones, index, key=lambda zone: zone.index) - 1]


# -- Down the page ----------------------------------------------------------------------------------------------------


def _walk(page: Page, found: Survey, styles: Sequence[Style]) -> tuple[list[Start], list[int]]:
    """Turns and other ends of turns, one style to a container."""
    primary = styles[0]
    votes: dict[int, Counter[str]] = {}
    distinct: dict[tuple[int, str], set[str]] = {}

    def place(candidate: Candidate) -> Zone:
        return primary.revived.get(candidate.index) or _zone(primary.zones, candidate.index)

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
    spoken_in = {_zone(primary.zones, index).index for index in primary.revived if primary.name.startswith("heading")}
    zone_lines = [zone.index for zone in primary.zones if zone.opened and zone.index not in spoken_in]
    ends = set(zone_lines)
    whole_documents = primary.name.startswith("heading") and bool(
        _of_documents(page, found, primary.candidates, primary.level)
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
        if _directly_above(page, lines, heading.index):
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


def _of_documents(page: Page, found: Survey, candidates: Sequence[Candidate], level: int) -> list[Candidate]:
    """Labels whose bodies are whole documents: most of their names' labels have a heading no deeper right below them.

    Then the document's own headings of the label's level are no labels, and none but a round's ends a turn. Empty where
    bodies are no documents.
    """
    headings = {heading.index: heading.level for heading in found.headings}
    lines = {candidate.index for candidate in candidates}
    followed: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for candidate in candidates:
        total[candidate.key] += 1
        index = candidate.index + 1
        while index < len(page.lines) and index < candidate.index + 5 and not page.lines[index].strip():
            index += 1
        below = headings.get(index, 9)
        followed[candidate.key] += below <= level and index not in lines and index not in found.marks
    keys = {key for key, number in followed.items() if number * 2 > total[key]}
    if len(keys) < 2 or sum(followed[key] for key in keys) < 4:
        return []
    return [candidate for candidate in candidates if candidate.key in keys]


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
