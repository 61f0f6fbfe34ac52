"""Chats without names, in which only one voice is marked: as quotations, emphasis, headings, numbers or behind a sign.

What they are read by is a pattern that fixes a voice, beside `{text}`, the other voice's. It is never sure, because
documents have quotations, bold lines and numbered steps, too: it is offered where a person asks about the file by name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import median

from mdtally.text.model import Turn
from mdtally.text.records import replace
from mdtally.text.regex import regex
from mdtally.text.voices import Participant
from mdtally.transcript import build
from mdtally.transcript.blocks import TextBlock, blocks
from mdtally.transcript.engine import REST, read_form
from mdtally.transcript.labels import words
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
_HEADING = regex(r"(?P<marks>#{1,6})\s")
_LETTERS = regex(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_FEWEST, _MOST_WORDS = 2, 80


def mark_of(lines: Sequence[str], block: TextBlock) -> str:
    """The pattern of what marks a whole block; "" if nothing does."""
    text = " ".join(lines[block.first : block.last + 1]).strip()
    if block.kind == "quote":
        return "" if text.startswith(("> [!", ">[!")) else "> {text}"
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
    """The readings of a page in which one voice is marked and the other one answers, the likeliest first."""
    marks: Counter[str] = Counter()
    for block in blocks(page.lines, page.first, page.layout):
        first = replace(block, last=block.first)  # a chat's lines may stand close together
        marks.update({mark_of(page.lines, block) or mark_of(page.lines, first)})
    found: list[tuple[float, Reading, tuple[Turn, ...]]] = []
    for mark, times in marks.items():
        reading = read_marked(page, {PERSON: mark, AGENT: REST}) if mark and times >= _FEWEST else None
        turns = build.turns(page, reading) if reading else ()
        if reading and (score := _likeness(page, turns)):
            found.append((score, reading, turns))
    yield from ((reading, turns) for _, reading, turns in sorted(found, key=lambda one: -one[0]))


def read_marked(page: Page, turn: dict[str, str]) -> Reading | None:
    """What patterns read that fix voices, the first of them the person's; None if they cannot be used."""
    try:
        patterns = compile_all({voice: [pattern] for voice, pattern in turn.items()})
    except PatternError:
        return None
    kinds = zip(turn, ("human", *["agent"] * len(turn)), strict=False)
    people = tuple(Participant(voice, "human" if kind == "human" else "agent") for voice, kind in kinds)
    return read_form(page, replace(page.declared.form, patterns=patterns, participants=people))


def _likeness(page: Page, turns: Sequence[Turn]) -> float:
    """How much turns are like a chat's, 0 for not at all: the person's come back, are short and speak to somebody."""
    mine = [turn for turn in turns if turn.speaker == PERSON]
    others = [turn for turn in turns if turn.speaker == AGENT]
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
