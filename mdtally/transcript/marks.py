"""Chats without names, in which only one voice is marked: as quotations, emphasis, headings, numbers or behind a sign.

What they are read by is a pattern that fixes a voice, beside `{text}`, the other voice's. It is never sure, because
documents have quotations, bold lines and numbered steps, too: it is offered where a person asks about the file by name.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from statistics import median

from mdtally.text.model import Turn
from mdtally.text.records import replace
from mdtally.text.regex import regex
from mdtally.text.voices import Participant
from mdtally.transcript import build
from mdtally.transcript.blocks import TextBlock, blocks
from mdtally.transcript.engine import REST, read_form
from mdtally.transcript.labels import words
from mdtally.transcript.labels.names import Name, is_field, is_section, kind_of
from mdtally.transcript.labels.templates import literal, spaced
from mdtally.transcript.labels.times import TIMED
from mdtally.transcript.page import Page, Reading
from mdtally.transcript.patterns import PatternError, compile_all

PERSON, AGENT = "Me", "Agent"
"""The voices of a chat in which no line says who speaks."""

# "**why is it slow?**", "*why is it slow?*"
_EMPHASIS = regex(r"(?P<mark>\*\*\*|\*\*|\*|___|__|_)(?=[^\s*_])(?P<text>.+?)(?<=[^\s*_])(?P=mark)\s*$")
# "3. why is it slow?", "3) why"
_NUMBER = regex(r"\d{1,3}(?P<stop>[.)])\s+\S")
# "❯ why?", "$ why?", "me> why?", "ana@home:~$ why?", ">>> why?"
_SIGN = regex(
    r"(?P<sign>[^\w\s#*_`|\[(<>+\-:\"'“”„!&=\\/{}][^\w\s]?|>>+|[\w.-]{1,20}(?:[@:][\w.@:~/-]*)?\s?[>$»%]) (?=\S)"
)
_QUOTED = regex(r">+(?=\s)|>")
# "Me – why?", "(me) why?", "10:02 <@ana> why?", "*Me:* why?": a name with a sign beside it
_NAMED = regex(
    rf"(?:\[?(?P<time>{TIMED})\]?\s+)?[*_]{{0,3}}[(\[<]?\s?[@+%]?"
    r"(?P<name>[^\W\d_][\w.'’-]*(?: [^\W\d_][\w.'’-]*){0,2})"
    r"[*_]{0,3}\s?(?:[)\]>|»~]|[:：]|(?<=\s)[–—-]|→|=>|->)[*_]{0,3}[:：]?\s+(?=\S)"
)
_HEADING = regex(r"(?P<marks>#{1,6})\s")
_LETTERS = regex(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_FEWEST, _MOST_WORDS, _MOST_NAMES = 2, 80, 8


def mark_of(lines: Sequence[str], block: TextBlock) -> str:
    """The pattern of what marks a whole block; "" if nothing does."""
    text = " ".join(lines[block.first : block.last + 1]).strip()
    if block.kind == "quote":
        found = _QUOTED.match(text)
        if found is None or text.startswith(("> [!", ">[!")):
            return ""
        inner = _EMPHASIS.match(lines[block.first].removeprefix(found.group()).strip())
        return f"{found.group()} {inner['mark']}{REST}{inner['mark']}" if inner else f"{found.group()} {REST}"
    if block.kind == "heading":
        found = _HEADING.match(text)
        return f"{found['marks']} {REST}" if found else ""
    if block.kind == "item":
        found = _NUMBER.match(text)
        return f"{{number}}{found['stop']} {REST}" if found else ""
    if block.kind != "paragraph":
        return ""
    if found := _EMPHASIS.match(text):
        return f"{found['mark']}{REST}{found['mark']}" if found["mark"] not in found["text"] else ""
    return f"{found['sign']} {REST}" if (found := _SIGN.match(text)) else ""


def marked_readings(page: Page) -> Iterator[tuple[Reading, tuple[Turn, ...]]]:
    """The readings of a page in which signs mark the voices, or one of them and the other one answers."""
    every = list(blocks(page.lines, page.first, page.layout))
    if named := _by_signs(page, every):
        yield named, build.turns(page, named)
    marks: Counter[str] = Counter()
    for block in every:
        first = replace(block, last=block.first)  # a chat's lines may stand close together
        marks.update({mark_of(page.lines, block) or mark_of(page.lines, first) or _person_of(page.lines, block)})
    opening = next((literal(page.lines[one.first].strip()) for one in every if one.kind == "paragraph"), "")
    found: list[tuple[float, Reading, tuple[Turn, ...]]] = []
    for mark, times in marks.items() if opening else ():
        for turn in ({PERSON: mark, AGENT: REST}, {PERSON: REST, AGENT: mark}):
            begins = opening if turn[PERSON] == REST else ""
            reading = read_marked(page, turn, begins) if mark and times >= _FEWEST else None
            turns = build.turns(page, reading) if reading else ()
            if reading and (score := _likeness(page, turns)):
                found.append((score, reading, turns))
    yield from ((reading, turns) for _, reading, turns in sorted(found, key=lambda one: -one[0])[:1])


def _by_signs(page: Page, every: Sequence[TextBlock]) -> Reading | None:
    """What names with a sign beside them read, if two or more come back and answer each other; None if none do."""
    found = [match for block in every if (match := _named_at(page.lines, block))]
    times = Counter(match["name"] for match in found)
    said = [match for match in found if times[match["name"]] > 1]
    names = list(dict.fromkeys(match["name"] for match in said))
    runs = sum(1 for _ in itertools.groupby(match["name"] for match in said))
    fields = sum(is_field(name.casefold()) or is_section(name.casefold()) for name in names)
    if not 1 < len(names) <= _MOST_NAMES or fields or 5 * runs < 4 * len(said):
        return None
    turn: dict[str, list[str]] = {}
    for match in said:
        begin, end = match.span("time") if match["time"] else (0, 0)
        time = "{time}" * bool(match["time"])
        pattern = f"{spaced(match.string[:begin])}{time}{spaced(match.string[end : match.end()].rstrip())} {REST}"
        turn.setdefault(match["name"], [])
        turn[match["name"]] += [pattern] if pattern not in turn[match["name"]] else []
    people = [Participant(name, kind_of(Name(name))) for name in turn]
    return _read_by(page, turn, people)


def _named_at(lines: Sequence[str], block: TextBlock) -> re.Match[str] | None:
    return _NAMED.match(lines[block.first].strip()) if block.kind in ("paragraph", "item") else None


def _person_of(lines: Sequence[str], block: TextBlock) -> str:
    """The pattern of a label that says that the person speaks, "Me: why?" or "**Prompt:** why?"; "" for any other."""
    match = _named_at(lines, block)
    return f"{literal(match.group().rstrip())} {REST}" if match and kind_of(Name(match["name"])) == "human" else ""


def read_marked(page: Page, turn: dict[str, str], first: str = "") -> Reading | None:
    """What patterns read that fix voices, the first of them the person's; None if they cannot be used.

    Args:
        page: the document.
        turn: by voice its pattern.
        first: the pattern of the line with which the chat begins, if that is not a marked one.
    """
    people = [Participant(voice, "agent" if place else "human") for place, voice in enumerate(turn)]
    return _read_by(page, {voice: [pattern] for voice, pattern in turn.items()}, people, first)


def _read_by(
    page: Page, turn: Mapping[str, Sequence[str]], people: Sequence[Participant], first: str = ""
) -> Reading | None:
    try:
        patterns = compile_all(turn, first=first)
    except PatternError:
        return None
    return read_form(page, replace(page.declared.form, patterns=patterns, participants=tuple(people)))


def is_chat(page: Page, reading: Reading) -> bool:
    """True if one who marks what they say seems to talk to the other voice: see ``_likeness``."""
    person = reading.form.participants[0].name
    return _likeness(page, build.turns(page, reading), person) > 0


def _likeness(page: Page, turns: Sequence[Turn], person: str = PERSON) -> float:
    """How much turns are like a chat's, 0 for not at all: the person's come back, are short and speak to somebody."""
    mine = [turn for turn in turns if turn.speaker == person]
    others = [turn for turn in turns if turn.speaker != person]
    if len(mine) < _FEWEST or len(others) < _FEWEST or any(turn.placeholder for turn in mine):
        return 0.0
    size, answer = median(turn.words for turn in mine), median(turn.words for turn in others)
    if size > _MOST_WORDS or sum(turn.words for turn in mine) > sum(turn.words for turn in others) or size > 3 * answer:
        return 0.0
    share = sum(map(_speaks, mine)) / len(mine)
    covered = 1 - (turns[0].line - 1 - page.first) / max(1, len(page.lines) - page.first)
    return share * covered if share > 0.5 else 0.0


def _speaks(turn: Turn) -> bool:
    """True if a marked text is said to somebody: it asks, says "I" or "you", begins small or is a sentence."""
    text = turn.text.strip()
    said = {word.casefold() for word in _LETTERS.findall(text)}
    is_small = text[:1].islower() and len(said) > 1
    return "?" in text or "？" in text or is_small or bool(said & words.table("first-person", "address"))
