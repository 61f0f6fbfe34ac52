"""Reading by declared participants: one rule, at any level and in any shape.

A visible label whose text, or a part of it between separators, is a participant's name opens a turn; nothing else does.
What is visible of a line is told once, as a zone that may hold the name and what stands behind it:

    heading        all of it is the zone             ### 1. CTO: Ana (opening)
    marked         what the marks enclose            **Ana, CTO:** text   [Ana — 12:01]: text   <ana> text
    any other      up to the first separator         Ana: text   Ana (CTO) - text   12:01 Ana > text   | Ana | text |

In a heading and between marks any part may be the name, elsewhere the whole zone has to be it. Behind the zone stands
a colon, a dash, a bar, or the line's end; "Ana thinks", "Ana, that is" and "**Ana** made a point" are no labels.

The same names stand in rosters, votes and summaries. So labels in lists, quotes and tables count where nobody is
labelled otherwise, and in a turn that a heading opens only labels of the page's most common shape.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from mdtally.lines import Layout, is_rule
from mdtally.regex import regex
from mdtally.transcript import words
from mdtally.transcript.bounds import among_fields
from mdtally.transcript.declared import Participant, fold, kind_by_words
from mdtally.transcript.labels import visible
from mdtally.transcript.names import CLOCK, DATE, EMOJI, Name, clean, is_section
from mdtally.transcript.page import Heading, Page, Start

_TAG: Final = r"</?(?!https?:)[A-Za-z][A-Za-z1-6]*(?:\s[^<>]{0,200})?/?>"
_STAMP: Final = rf"[\[(]?(?:(?:{DATE}|\d\d?[-/.]\d\d?[-/.]\d\d)(?:[T ,]+{CLOCK})?|{CLOCK})[\])]?"
# What makes a line a quote, a callout, a list item, or a table's row.
_WRAP = regex(
    r"\s*(?P<quote>(?:>\s?)+(?P<callout>\[!\w+\][+-]?\s*)?)?(?P<item>(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?)?"
    r"(?P<row>\|\s*(?:#?\d{0,4}\.?\s*\|)?)?"
)
# What may stand before the zone: "12:01 - ", "1️⃣ ", "2.1 ", "Round 1 — ", "Speaker 2: ", "**From:** ", "<p>", "@", "==="
_BEFORE = regex(
    rf"(?:\s+|{_STAMP}[\s,|–—-]*|\d?[{EMOJI}]+|#?\d{{1,3}}(?:\.\d+)*[.):]?\s+|[=━─~]{{2,}}\s|-{{2,}}\s|@(?=\w)"
    r"|<(?:[biup]|em|h[1-6]|div|details|summary|span|strong|small|font|center|td|tr|li|dt)(?:\s[^<>]{0,200})?>"
    r"|(?:\*\*)?(?:from|speaker|von|sprecher|by|voice|agent|turn|round)(?:\s\d{1,3})?\s*(?::\*\*|\*\*:|[:：]|\s[—–-]+\s))*",
    2,
)
_MARKED = regex(
    r"[*_]{2,4}(?!\s)(?P<bold>[^\n]{1,160}?)[*_]{2,4}|\[(?P<link>[^\[\]\n]{1,80})\]\([^()\s]{0,300}\)"
    r"|\[\[(?P<wiki>[^\[\]\n]{1,120})\]\]|\[(?P<bracket>(?:\[[^\[\]\n]{1,20}\]\s*)?[^\[\]\n]{1,80})\]|【(?P<square>[^【】\n]{1,60})】|<(?P<angle>[^<>\n]{1,60})>"
)
# Where a zone without marks may end.
_CUT = regex(
    rf"\s*(?:[:：(（\[<「『|·•>—–→*`~]|_(?!\w)|[-=]>|\s-+\s)|\s+(?={_STAMP})|[ \t]{{2,}}|\s+[=━─~-]{{2,}}\s*$|\s*$"
)
_PARTS = regex(
    rf"\s*(?:[()\[\]（）【】→|·•]|[{EMOJI}]+)\s*(?:-+\s+)?|\s+/\s+|\s+-+\s+|\s*[—–]+\s*|\s*[-=]>\s*|[:：]\**\s*|,\s+|\s(?=\d{{1,2}}:\d\d)|\s-\d"
)
# What stands beside a name and is no text: "(CTO)", "[10:12]", "→ Ben", "· 12:01", an emoji, marks that close
_BEHIND = regex(
    rf"(?:\s*(?:[*_`~]+|{_TAG}|[{EMOJI}]+|\([^()\n]{{1,80}}\)|（[^（）\n]{{1,80}}）|\[[^\[\]\n]{{1,60}}\]|[|·•@—–-]?\s*`?{_STAMP}`?|(?:→|[-=]>)\s?[^:：\n]{{1,60}}?(?=[:：]|\s*$)))*"
    rf"(?P<stop>\s*(?P<colon>[:：])(?:[*_`~]+(?=\s|$)|</\w+>)*|\s*[|·•]|\s>\s|(?P<dash>\s+-+\s|\s*[—–]+)|(?=[「『])|\s*[=━─~-]{{2,}}\s*$|\s*$)"
)
_ROW_RULE = regex(r"\s*\|?\s*:?-{2,}")
# "**Ana** — I would wait." and not "**Ana** — opening": a sentence, or longer than what stands beside a name
_SENTENCE = regex(r".*[.!?…。！？][\"”’'»)*_]*\s*$|.{61,}")
_INSIDE: Final = {"row": "row", "callout": "callout", "quote": "quote+", "item": "item+"}
_WEIGHT: Final[Mapping[str, float]] = {"heading": 2.0, "bold": 1.6, "bold-alone": 1.5, "callout": 1.5}
"""How much a label of a shape weighs when shapes compete; others weigh 1."""


class _Zone(NamedTuple):
    """The part of a line that may hold a name.

    Attributes:
        style: the label's shape, as `labels` calls it.
        column: offset of the label in its line.
        text: the zone.
        shown: the label with all that is said beside the name.
        body: offset of the text behind the label; None if there is none.
        end: offset at which that text ends; None for the line's end.
        whole: True if all of the zone has to be the name.
        dashed: True if nothing but a dash stands between name and text: "Ana - text".
    """

    style: str
    column: int
    text: str
    shown: str
    body: int | None = None
    end: int | None = None
    whole: bool = False
    dashed: bool = False


class _Found(NamedTuple):
    """A label that names a participant; `more` is 0 if a part of its zone is the name, else how many words follow.

    `dashed` says that nothing but a dash stands between name and text.
    """

    start: Start
    more: int
    dashed: bool

    @property
    def shape(self) -> str:
        """The label's shape, a heading's level aside."""
        return self.start.style.partition(":")[0]

    @property
    def is_weak(self) -> bool:
        """True in lists, quotes and tables, where rosters, votes and citations stand as well."""
        return self.shape.startswith(("item", "quote", "row"))


def starts(page: Page, layout: Layout) -> list[Start]:
    """Where the turns of the declared participants start, in order."""
    title = _title(layout)
    found = [one for one in _labels(page, layout) if one.start.row != title]
    exact = Counter(one.start.style for one in found if not one.more)
    # "Ana on pricing": in the shape of other labels it is one; else only a surname may follow.
    found = [one for one in found if not one.more or exact[one.start.style] > 1 or (not exact and one.more < 3)]
    # "Ana — welcome" greets Ana where Ana's own turns are labelled otherwise.
    plainly = {one.start.name.speaker for one in found if not one.dashed}
    found = [one for one in found if not one.dashed or one.start.name.speaker not in plainly]
    return _without_repeats([one.start for one in _counted(page, found)]) if found else []


def _title(layout: Layout) -> int | None:
    """Row of the page's title: the first heading, if no other has its level or a higher one."""
    first = next(iter(layout.headings), None)
    alone = first and sum(heading.level <= first.level for heading in layout.headings) == 1
    return first.first if first and alone else None


def _labels(page: Page, layout: Layout) -> Iterator[_Found]:
    """Every line that labels a participant, by the rule."""
    names: dict[str, Participant] = {}
    for one in page.declared.participants:
        for spelling in one.spellings:
            names.setdefault(spelling, one)
    above, fresh = -1, True  # the line above was label, heading or rule, so that a paragraph may begin
    for row, line, heading in visible(page.lines, page.first, layout):
        fresh, above = fresh or above < row - 1, row
        if heading is not None:
            # Numbers and the like go before the name; all of it says who speaks.
            column, text = len(line) - len(line.lstrip()), heading.text
            style = f"heading:{heading.level}"
            zones = iter([_Zone(style, column, text[at:], text) for at in _beginnings(text, 0)])
        else:
            zones = _zones(line, fresh)
        found = next((label for zone in zones if (label := _named(zone, row, names))), None)
        if found is not None and found.shape == "row" and _ROW_RULE.match("".join(page.lines[row + 1 : row + 2])):
            found = None  # a table's head
        if found is not None:
            yield found
        fresh = heading is not None or found is not None or is_rule(line)


def _beginnings(text: str, start: int) -> Iterator[int]:
    """Offsets where a name may begin: behind what may stand before one, or else at once: "Agent:" may be the name."""
    before = _BEFORE.match(text, start)
    if before and before.end() > start:
        yield before.end()
    yield start


def _zones(line: str, fresh: bool) -> Iterator[_Zone]:
    """What may be a name on a line that is no heading, with a separator or the line's end behind it."""
    wrap = _WRAP.match(line)
    column = wrap.end() if wrap else 0
    inside = next((_INSIDE[kind] for kind in _INSIDE if wrap and wrap[kind]), "")
    if inside == "callout":
        yield _Zone("callout", len(line) - len(line.lstrip()), line[column:], line[column:])
        return
    for at in _beginnings(line, column):
        yield from _zones_at(line, at, column, inside, fresh)


def _zones_at(line: str, at: int, column: int, inside: str, fresh: bool) -> Iterator[_Zone]:
    """The same for a name that begins at an offset; the label begins at a column."""
    marked = _MARKED.match(line, at)
    if marked is not None:
        kind = marked.lastgroup or ""
        text, shape = marked[kind].rstrip(), "bold" if kind == "bold" else "bracket"
        behind = _BEHIND.match(line, marked.end())
        if text.endswith((":", "：")):
            yield _Zone(inside + shape, column, text, text, _offset(line, marked.end()))
        elif behind is not None:
            yield _zone(line, column, inside + shape, text, line[at : behind.start("stop")], behind)
        elif kind in ("bracket", "square", "angle") or text.endswith("."):
            style = inside + ("bold-run" if kind == "bold" else shape)
            yield _Zone(style, column, text.rstrip("."), text, _offset(line, marked.end()), whole=True)
        return
    for cut in _CUT.finditer(line, at):
        text = line[at : cut.start()].strip()
        behind = _BEHIND.match(line, cut.start()) if text else None
        if behind is not None and (fresh or inside or behind["stop"] or "<" in line[column:at]):
            zone = _zone(line, column, inside + "plain", text, line[at : behind.start("stop")], behind)
            yield zone._replace(whole=True, dashed=zone.body is not None and behind["dash"] is not None)
        if len(text) > 60 or (behind is not None and behind["colon"]):
            return


def _zone(line: str, column: int, style: str, text: str, shown: str, behind: re.Match[str]) -> _Zone:
    """A zone with the text behind its separator."""
    body = _offset(line, behind.end())
    if style.startswith("row"):
        return _Zone("row", column, text, text, body, line.rstrip().rfind("|") if body else None)
    if behind["dash"] and not _SENTENCE.match(line, behind.end()):
        body, shown = None, line[column:]  # "**Ana** — opening"
    if not behind["colon"] and style.endswith("bold"):
        style += "-run" if body else "-alone"
    elif not behind["colon"] and not body:
        style = style.replace("plain", "alone")
    return _Zone(style, column, text, shown, body)


def _named(zone: _Zone, row: int, names: Mapping[str, Participant]) -> _Found | None:
    """The participant's label in a zone; None if it names none."""
    whole = fold(zone.text)
    parts = [whole] if zone.whole else [whole, *(fold(part).lstrip("@") for part in _PARTS.split(zone.text) if part)]
    one, more = next((names[part] for part in parts if part in names), None), 0
    name = clean(zone.shown)
    if one is None and name and not (zone.whole and (zone.body or zone.style.endswith("alone"))):
        one = names.get(fold(name.speaker))  # "Ana says:", "Ana's Final Position"
    if one is None and not zone.whole:
        begun = next((whole[:size] for size in range(min(len(whole), 80), 0, -1) if _begins(whole, size, names)), "")
        one, more = names.get(begun), len(whole.split()) - len(begun.split()) or 1
    if one is None:
        return None
    name = name or Name("")
    name = name._replace(
        speaker=one.name,
        kind=name.kind if name.kind and not one.kind else kind_by_words(one),
        role=name.role if fold(name.role) not in one.spellings else one.role,
    )
    return _Found(Start(row, zone.column, zone.body, name, zone.style, zone.end), more, zone.dashed)


def _counted(page: Page, found: Sequence[_Found]) -> list[_Found]:
    """The labels that open turns: not those of rosters, votes and summaries, nor those inside another label's turn."""
    strong = [one for one in found if not one.is_weak]
    total = Counter(one.shape for one in strong or found)
    common = max(total, key=lambda shape: total[shape] * _WEIGHT.get(shape, 1.0), default="")
    opening = {one.start.row for one in found if one.shape == "heading"}
    walls = [heading for heading in page.headings if heading.row not in opening]
    rows = [wall.row for wall in walls]
    nobodys = _nobodys(walls)
    titled = len(walls) > 1 and walls[0].level < walls[1].level
    if titled:
        nobodys.add(walls[0].row)  # between a page's title and its first section
    fields = among_fields(page, {one.start.row: one.shape for one in found})
    section = {one.start.row: bisect_right(rows, one.start.row) for one in found}
    taken = {section[one.start.row] for one in strong}
    headed = {one.start.name.speaker for one in found if one.shape == "heading"}
    named = {one.start.name.speaker for one in strong}
    kept: list[_Found] = []
    owner: _Found | None = None  # the heading that the label stands below
    for one in found:
        at = section[one.start.row]
        if owner and at != section[owner.start.row] and walls[at - 1].level <= int(owner.start.style[8:]):
            owner = None
        nobody = bool(at) and walls[at - 1].row in nobodys
        speaker, common_inside = one.start.name.speaker, one.shape.partition("+")[2] == common
        if one.shape == "heading":
            owner = one
        elif (
            one.start.row in fields
            or (one.shape != common and (nobody or (owner and speaker in headed)))
            or (one.is_weak and strong and one.start.row < strong[0].start.row)
            or (one.is_weak and speaker in named and (at in taken or not common_inside))
            or (one.is_weak and nobody)
        ):
            continue
        kept.append(one)
    return kept


def _nobodys(walls: Sequence[Heading]) -> set[int]:
    """Indices of the headings of sections that name the voices without letting them speak, and of all below them."""
    found: set[int] = set()
    level = 0  # of the section that is open
    for wall in walls:
        if level and wall.level > level:
            found.add(wall.row)
        elif is_section(wall.plain) or words.table("rosters") & set(wall.plain.casefold().split()):
            found.add(wall.row)
            level = wall.level
        else:
            level = 0
    return found


def _without_repeats(found: list[Start]) -> list[Start]:
    """The starts without a label that only repeats the one above it, as the first line of its body."""
    kept: list[Start] = []
    for start in found:
        above = kept[-1] if kept else None
        again = above and above.name.speaker == start.name.speaker and above.style != start.style
        if above and again and above.body is None and start.row - above.row < 3:
            continue
        kept.append(start)
    return kept


def _offset(line: str, offset: int) -> int | None:
    """Offset of the first text from here on; None if there is none."""
    text = line[offset:].lstrip()
    return len(line) - len(text) if text else None


def _begins(text: str, size: int, names: Mapping[str, Participant]) -> bool:
    """True if a label's text begins with a name; scripts without spaces need no word's end ("正方申論")."""
    rest = text[size : size + 1]
    return text[:size] in names and not (text[size - 1].isascii() and (rest.isalnum() or rest in ("_", "-")))
