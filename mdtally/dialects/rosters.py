"""Who takes part, as a page says apart from what is said: lists, tables, lines and titles that name the voices.

A name that a roster lists is a voice where it labels something, however rare it is; so a roster is worth reading, and
its own lines are no turns.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from mdtally.dialects import names, words
from mdtally.dialects.fences import Code
from mdtally.dialects.forms import Candidate
from mdtally.dialects.given_names import GIVEN_NAMES
from mdtally.dialects.names import Name
from mdtally.dialects.page import Heading, Page

_LIST_ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s+(?P<text>.+)")
_CELL_SPLIT = re.compile(r"(?<!\\)\|")
_SHORT = re.compile(r"\((?P<name>[A-Z][A-Za-z]{1,12})\)")
_ASIDE = re.compile(r"[(（][^()（）]*[)）]")
_BRACKETED = re.compile(r"[(（](?P<names>[^()（）]{8,600})[)）]")
# "*Simulated. Participants: Ana (Treasurer), Ben, Cleo.*"
_ROSTER_WITHIN = re.compile(
    r"(?<=[.;—] )(?:participants|attendees|panel|speakers|agents|teilnehmer|participantes)\s*:\s*(?P<rest>[^:]+?)\W*$",
    re.IGNORECASE,
)
# "*A conversation between Noor Haddad and Imre (some model)*"
_BETWEEN = re.compile(
    r"(?:^|\s)[*_]*(?:between|zwischen|entre)\s+(?P<one>[^\W\d_][^,.:;*_]{0,40}?)\s+(?:and|&|und|y|et|e)\s+"
    r"(?P<other>[^\W\d_][^,.:;*_(]{0,40})",
    re.IGNORECASE,
)
_ROSTER_LINE = re.compile(
    r"(?:[-*>] )?(?:\*\*|__|_)?(?P<title>[^\W\d][\w ]{2,24}?)\s*(?:\*\*|__|_)?\s*[:：]\s*(?:\*\*|__)?\s*(?P<rest>.*)$"
)
_SAID = re.compile(r"[,，?？!！]")
_HEAD = 20
"""How many lines a page's head has, at most."""


def find(page: Page, headings: Sequence[Heading], code: Code) -> tuple[frozenset[str], set[int]]:
    """Names that a list, a table or a line lists as participants, and the lines that do so."""
    found: set[str] = set()
    listed: set[int] = set()
    by_line = {heading.index: heading for heading in headings}
    level: int | None = None
    budget = 0
    column = -1
    text: list[str] = []
    persons: list[str] = []
    for index in range(page.first, len(page.lines)):
        line = page.lines[index]
        if not line.startswith("|"):
            column = -1
        elif column < 0:
            column = _column(line)
        heading = by_line.get(index)
        if heading is not None:
            found_words = re.findall(r"\w+", _ASIDE.sub("", heading.plain).casefold())
            roster = 0 < len(found_words) <= 3 and bool(set(found_words) & words.ROSTER_WORDS)
            level = heading.level if roster else None
            budget = 120
            continue
        if code.hidden[index] or not line.strip():
            continue
        if level is None:
            within = _ROSTER_WITHIN.search(line) if len(line) < 1200 else None
            if within and (parts := within["rest"].split(", "))[2:]:
                found |= _keys(parts)
                continue
            title = _ROSTER_LINE.match(line) if len(line) < 400 else None
            titled = title["title"].casefold().split() if title else [""]
            if title and titled[-1] in words.ROSTER_WORDS and titled[0] not in words.TEAMS:
                parts = re.split(r",|;|、|↔|\bvs\.?\b|\band\b|&|\bund\b|\by\b|\bet\b", title["rest"])
                if len(parts) > 1:
                    found |= _keys(parts)
                rest = title["rest"].strip(" *_")
                if not rest:
                    level, budget = 7, 30
                if not rest or names.clean(parts[0]) is not None:
                    listed.add(index)  # "**Audience Member:** How do you train it?" lists nobody
            continue
        budget -= 1
        if budget < 0:
            level = None
            continue
        given = _listed_names(line, column)
        text.append(line)
        if given:
            found.update(name.key for name in given)
            persons += (name.speaker for name in given)
            listed.add(index)
        elif level == 7:
            level = None
    # "- 3 experts (Noor, Imre,\n  Ana)"
    for match in _BRACKETED.finditer(" ".join(text)):
        parts = match["names"].split(",")
        found |= _keys(parts) if len(parts) > 2 else set()
    return frozenset(found | _surnames(persons) | _between(page)), listed


def _surnames(speakers: Sequence[str]) -> set[str]:
    """Last names, where a roster lists people by first and last ones: labels say the last alone ("**Haddad:**")."""
    whole = [found for speaker in speakers if len(found := names.clean_key(speaker).split()) == 2]
    if len(whole) < 2 or sum(1 for first, _ in whole if first in GIVEN_NAMES) * 2 < len(whole):
        return set()
    return {last for _, last in whole}


def _between(page: Page) -> set[str]:
    """The two that a page's first lines say it is a conversation between, by their whole names and first ones."""
    found: set[str] = set()
    for line in page.lines[page.first : page.first + _HEAD]:
        match = _BETWEEN.search(line) if len(line) < 400 else None
        for text in (match["one"], match["other"]) if match else ():
            name = names.clean(text)
            if name is not None and names.is_capitalised(name.speaker):
                found |= {name.key, name.key.split()[0]}
    return found


def _keys(parts: Iterable[str]) -> set[str]:
    """Names of a list, and what stands for them in parentheses ("Project Manager (PM)")."""
    found: set[str] = set()
    for part in parts:
        name = names.clean(part)
        if name is not None:
            found.add(name.key)
        short = _SHORT.search(part)
        if short:
            found.add(short["name"].casefold())
    return found


def tabled(page: Page, code: Code) -> frozenset[str]:
    """Names below a table's head "Member", "Speaker" and the like: who sums up positions names the voices."""
    found: set[str] = set()
    column = -1
    previous = False
    for index in range(page.first, len(page.lines)):
        line = page.lines[index].lstrip()
        row = line.startswith("|") and not code.hidden[index]
        if row:
            if not previous:
                column = next((place for place, head in enumerate(_heads(line)) if head in words.MEMBER_HEADS), -1)
            elif column >= 0:
                cells = _CELL_SPLIT.split(line[1:2000], maxsplit=column + 1)
                cell = names.plain(cells[column]) if len(cells) > column else ""
                if cell.strip("-: ") and (name := names.clean(cell[:60])):
                    found.add(name.key)
        previous = row
    return frozenset(found)


def leaders(page: Page, candidates: Sequence[Candidate]) -> dict[int, str]:
    """Lines that say who leads ("**Facilitator:** Noor"), with that name's key.

    The name labels lines further down and the word for it none: "**Facilitator:** Noor, your turn" is said.
    """
    counts = Counter(candidate.key for candidate in candidates)
    last = {candidate.key: candidate.index for candidate in candidates}
    found: dict[int, str] = {}
    for one in candidates:
        if one.label.body is None or counts[one.key] > 1 or names.kind_of(one.name) != "moderator":
            continue
        text = page.lines[one.index][one.label.body :].strip()
        name = names.clean(text) if len(text) < 60 and not _SAID.search(text) else None
        if name is not None and last.get(name.key, -1) > one.index:
            found[one.index] = name.key
    return found


def addressees(text: str) -> list[str]:
    """Keys of the names that an addressee is made of ("Noor & Imre"); empty where they are no names."""
    if not text or len(text) > 80:
        return []
    parts = re.split(r",|&|\band\b|\bund\b|\by\b|\bet\b", text)
    return [name.key for part in parts if (name := names.clean(part)) and names.is_capitalised(name.speaker)]


def _column(line: str) -> int:
    """The column of a roster's table that names its members, by the table's head; the first where none says so."""
    heads = enumerate(_heads(line))
    return next((place for place, head in heads if {head, head.removesuffix("s")} & words.MEMBER_HEADS), 0)


def _heads(line: str) -> list[str]:
    """What the first columns of a table are headed by, case-folded."""
    return [names.plain(cell).casefold() for cell in _CELL_SPLIT.split(line[1:2000])[:6]]


def _listed_names(line: str, column: int) -> list[Name]:
    """Whom one line of a roster lists: an item, a row's cell ("Noor Haddad; Imre Varga") or a bold name."""
    texts: list[str] = []
    item = _LIST_ITEM.match(line)
    stripped = line.strip()
    if item:
        texts.append(re.split(r"\s[—–-]\s|[:：]\s", item["text"], maxsplit=1)[0][:90])
    elif stripped.startswith("|"):
        cells = _CELL_SPLIT.split(stripped.strip("|"))
        texts += cells[max(column, 0)].split(";") if len(cells) > column else []
        texts = [text.strip() for text in texts if len(text.strip()) < 60 and text.strip(" -:")]
    elif stripped.startswith(("**", "__")):
        bold = re.match(r"(?:\*\*|__)([^*_:：]{1,60})(?:\*\*|__)(?!\s?:)", stripped)
        texts += [bold.group(1)] if bold else []
    return [name for text in texts if (name := names.clean(text)) is not None]
