"""Chats without names, in which only one voice is marked: as quotations, emphasis, headings, numbers or behind a sign.

What they are read by is a pattern that fixes a voice, beside `{text}`, the other voice's. It is never sure, because
documents have quotations, bold lines and numbered steps, too: it is offered where a person asks about the file by name.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import median

from mdtally.text import words
from mdtally.text.document import Document, once_a_document
from mdtally.text.model import Turn
from mdtally.text.names import Name, clean, is_field, is_section, kind_of
from mdtally.text.records import replace
from mdtally.text.regex import regex
from mdtally.text.text_blocks import TextBlock, blocks
from mdtally.text.times import TIMED
from mdtally.text.voices import Participant
from mdtally.transcript import build
from mdtally.transcript.declared import voice_names
from mdtally.transcript.engine import FENCES, REST, read_form
from mdtally.transcript.labels.templates import literal, with_spaces
from mdtally.transcript.labels.turn_names import without_count
from mdtally.transcript.page import Page, Reading
from mdtally.transcript.patterns import ANYBODY, PatternError, compile_all
from mdtally.transcript.reading import readings_of

PERSON, AGENT = "Me", "Agent"
"""The voices of a chat in which no line says who speaks."""

# "**why is it slow?**", "*why is it slow?*", "==why is it slow?=="
_EMPHASIS = regex(r"(?P<mark>\*\*\*|\*\*|\*|___|__|_|==)(?=[^\s*_=])(?P<text>.+?)(?<=[^\s*_=])(?P=mark)\s*$")
# "<span style="color:blue">why is it slow?</span>"
_TAGGED = regex(
    r"(?P<open><(?P<tag>span|font|mark|b|i|u|em|strong|summary)(?:\s[^<>]*)?>)(?=\S).+(?P<close></(?P=tag)>)\s*$"
)
# "3. why is it slow?", "3) why"
_NUMBER = regex(r"\d{1,3}(?P<stop>[.)])\s+\S")
# "❯ why?", "$ why?", "*** why?" of Org, "me> why?", "ana@home:~$ why?", ">>> why?", "<< why?"
_SIGN = regex(
    r"(?P<sign>[^\w\s#*_`|\[(<>+\-:\"'“”„!&=\\/{}][^\w\s]{0,7}|>>+|<<+|\*{2,4}"
    r"|[\w.-]{1,20}(?:[@:][\w.@:~/-]*)?\s?[>$»%]) (?=\S)"
)
# "```", "```prompt": a fence around words and no program
_FENCE = regex(r"(?:`{3,}|~{3,})\s*(?:text|txt|plain|plaintext|prompt|user|question|ask|me|p|q|markdown|md)?\s*")
_QUOTED = regex(r">+(?=\s)|>")
# "> [!question]", "> [!ai]- Answer"
_CALLOUT = regex(r"> ?\[!\w+\][+-]?(?: \w+)?\s*$")
# "Me – why?", "(me) why?", "10:02 <@ana> why?", "*Me:* why?", "10:02\tMe\twhy?", "ME (low). why?": a name with a sign
_NAMED = regex(
    rf"(?:\[?(?P<time>{TIMED})\]?\s+)?[*_]{{0,3}}[(\[<]?\s?[@+%]?"
    r"(?P<name>[^\W\d_][\w.'’-]*(?: [^\W\d_][\w.'’-]*){0,2})"
    r"(?:[*_]{0,3}\s?(?:[)\]>|»~]|[:：]|(?<=\s)[–—-]|→|=>|->|(?=\t))[*_]{0,3}[:：]?"
    r"|(?<=[A-Z]{2})(?P<note> \([^()]{1,40}\))?\.)\s+(?=\S)"
)
# "No." of a sentence, and not "Out[1]="
_WORD = regex(r"[\"'“‘(]*\w[\w'’-]*[.,!?;:…\"'”’)]*")
# "Q.", "A:", "B)", "Q12."
_LETTER = regex(r"[^\W\d_]\d{0,3}[.:)]")
# "- a list", "3. an item", "</div>", "[1]: https://…", "[x]", "# a heading", "> a quotation", "| a row", "[`code`"
_NO_SIGN = regex(r"$|\S*`|[-*+#=>|`~]+$|\d+[.)]$|</?\w|\[[^\]]*\][:(]|\[[ xX]\]|[>|!<]|#[\W\d_]")
DIGITS = regex(r"\d+")
_HEADING = regex(r"(?P<marks>#{1,6})\s")
_LETTERS = regex(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
# "sam@mill:~$", the shell's prompt behind a chat in a terminal
_SHELL = regex(r"[\w.-]+@[\w.-]+[: ]\S* ?[$#%](?!\S)")
# "ana@example.org", as pages show whose account asks
_ADDRESS = regex(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_STOPS = frozenset(".!…。！")
_FEWEST, _MOST_WORDS, _MOST_NAMES, _FROM_THE_START = 2, 80, 8, 0.9


def mark_of(lines: Sequence[str], block: TextBlock) -> str:
    """The pattern of what marks a whole block; "" if nothing does."""
    text = " ".join(lines[block.first : block.last + 1]).strip()
    if block.kind == "quote":
        found = _QUOTED.match(text)
        if callout := _CALLOUT.match(lines[block.first]):
            return callout.group().rstrip()
        if found is None or text.startswith(("> [!", ">[!")):
            return ""
        inner = _EMPHASIS.match(lines[block.first].removeprefix(found.group()).strip())
        return f"{found.group()} {inner['mark']}{REST}{inner['mark']}" if inner else f"{found.group()} {REST}"
    if block.kind == "heading":
        found = _HEADING.match(text)
        number = _NUMBER.match(text, found.end()) if found else None
        counted = f"{{number}}{number['stop']} " if number else ""
        return f"{found['marks']} {counted}{REST}" if found else ""
    if block.kind == "item":
        found = _NUMBER.match(text)
        return f"{{number}}{found['stop']} {REST}" if found else ""
    if block.kind == "code":
        return lines[block.first].strip() if _FENCE.fullmatch(lines[block.first]) else ""
    if block.kind != "paragraph":
        return ""
    if found := _EMPHASIS.match(text):
        each = [_EMPHASIS.match(line.strip()) for line in lines[block.first : block.last + 1]]
        is_one = found["mark"] not in found["text"] or all(one and one["mark"] not in one["text"] for one in each)
        return f"{found['mark']}{REST}{found['mark']}" if is_one else ""
    if found := _TAGGED.match(text):
        return f"{literal(found['open'])}{REST}{literal(found['close'])}"
    found = _SIGN.match(text)
    return f"{found['sign']} {REST}" if found else f"![{REST}" * text.startswith("![")  # a picture of what was asked


@once_a_document
def marked_readings(document: Document) -> tuple[Reading, ...]:
    """The readings of a document in which signs mark the voices, or one of them and the other one answers."""
    return tuple(_marked_readings(readings_of(document).page))


def _marked_readings(page: Page) -> Iterator[Reading]:
    """What names with a sign read, if any do; then the mark that reads most like a chat."""
    every = list(blocks(page.lines, page.first, page.layout))
    if named := _by_signs(page, every):
        yield named
    labels = [_person_of(page.lines, block) for block in every]
    firsts = (replace(block, last=block.first) for block in every)  # a chat's lines may stand close together
    told = zip(labels, every, firsts, strict=True)
    marks = Counter(label or mark_of(page.lines, one) or mark_of(page.lines, first) for label, one, first in told)
    opening = next((literal(page.lines[one.first].strip()) for one in every if one.kind == "paragraph"), "")
    found: list[tuple[float, Reading]] = []
    for mark, times in marks.items():
        for turn in ({PERSON: mark, AGENT: REST}, *([{PERSON: REST, AGENT: mark}] if opening else ())):
            begins = opening if turn[PERSON] == REST else ""
            reading = read_marked(page, turn, begins) if mark and times >= _FEWEST else None
            turns = build.turns(page, reading) if reading else ()
            if reading and (score := _likeness(page, turns, is_named=mark in labels)):
                found.append((score, reading))
    yield from (reading for _, reading in sorted(found, key=lambda one: -one[0])[:1])


def _by_signs(page: Page, every: Sequence[TextBlock]) -> Reading | None:
    """What names with a sign beside them read, if two or more come back and answer each other; None if none do."""
    found = [match for row in _rows(page.lines, every) if (match := _NAMED.match(page.lines[row].strip()))]
    times = Counter(match["name"].casefold() for match in found)  # "Me:" and "ME:" are one voice
    names = {match["name"].casefold(): match["name"] for match in reversed(found)}
    said = [(names[key], match) for match in found if times[key := match["name"].casefold()] > 1 or match["time"]]
    turn: dict[str, dict[str, None]] = {name: {} for name, _ in said}
    keys = {name.casefold() for name in turn}
    fields = any(is_field(key) or is_section(key) for key in keys)
    is_answered = 2 * count_runs(name for name, _ in said) > len(said)
    if not 1 < len(turn) <= _MOST_NAMES or fields or not is_answered or sum(times[key] > 1 for key in keys) < 2:
        return None
    for name, match in said:
        begin, end = match.span("time") if match["time"] else (0, 0)
        time, behind = "{time}" * bool(match["time"]), match.string[end : match.end()].rstrip()
        behind = f"{match['name']} ({{any}})." if match["note"] else with_spaces(behind)
        turn[name][f"{with_spaces(match.string[:begin])}{time}{behind} {REST}"] = None
    people = [Participant(name, kind_of(Name(name))) for name in turn]
    return read_by_voices(page, {name: [*patterns] for name, patterns in turn.items()}, people)


def count_runs(voices: Iterable[object]) -> int:
    """How many stretches of one voice there are: one more than how often the voice changes."""
    return sum(1 for _ in itertools.groupby(voices))


def take_turns(voices: Sequence[object]) -> bool:
    """True if nearly every line is another voice's than the line before."""
    return 5 * count_runs(voices) >= 4 * len(voices)


def unnamed_voices(count: int) -> list[str]:
    """Names of so many voices that no line names: the person's, the agent's, and numbers for others."""
    return [PERSON, AGENT, *(f"Voice {place}" for place in range(3, count + 1))][:count]


def beginning(line: str) -> str:
    """The pattern of the sign with which a line begins, and the space behind it; "" for a word or a mark.

    "❯ ", "Q. ", "In[{number}]:= ".
    """
    first = (line.split() or [""])[0]
    if _NO_SIGN.match(first) or not (_LETTER.fullmatch(first) or first[0] in "([" or not _WORD.fullmatch(first)):
        return ""
    return DIGITS.sub("{number}", literal(first), count=1) + " "


def _rows(lines: Sequence[str], every: Sequence[TextBlock]) -> Iterator[int]:
    """The rows of paragraphs and items in which a turn may begin: of an item the first, and what is not indented."""
    for block in every:
        if block.kind in ("paragraph", "item"):
            for row in range(block.first, block.last + 1):
                if row == block.first or block.kind == "paragraph" or not lines[row][:1].isspace():
                    yield row


def _person_of(lines: Sequence[str], block: TextBlock) -> str:
    """The pattern of a label that says that the person speaks, "Prompt: why?", "### Prompt" alone; "" for any other."""
    line = lines[block.first].strip()
    lead = found.group() if (found := _HEADING.match(line)) else ""
    match = _NAMED.match(line[len(lead) :]) if block.kind in ("paragraph", "item", "heading") else None
    if match and kind_of(without_count(match["name"]) or Name(match["name"])) == "human":
        return f"{DIGITS.sub('{number}', literal(lead + match.group().rstrip()), count=1)} {REST}"
    is_line = block.first == block.last and block.kind in ("paragraph", "heading")
    if is_line and (name := without_count(line.lstrip("# "))) and name.kind == "human":
        return f"{DIGITS.sub('{number}', literal(line), count=1)}\n{REST}"
    return f"{literal(line)} {REST}" if _ADDRESS.fullmatch(line) else ""


def read_marked(page: Page, turn: dict[str, str], first: str = "") -> Reading | None:
    """What patterns read that fix voices, the first the person's if no name tells; None if they cannot be used.

    Args:
        page: the document.
        turn: by voice its pattern.
        first: the pattern of the line with which the chat begins, if that is not a marked one.
    """
    people = [Participant(one, kind_of(Name(one)) or ("agent" if at else "human")) for at, one in enumerate(turn)]
    return read_by_voices(page, {voice: [pattern] for voice, pattern in turn.items()}, people, first)


def read_by_names(page: Page, sources: Iterable[str], names: Iterable[str]) -> Reading | None:
    """What patterns read in which ``{speaker}`` is one of these names; None if they cannot be used."""
    people = [Participant(name, kind_of(clean(name) or Name(name))) for name in names]
    return read_by_voices(page, {ANYBODY: [*sources]}, people, names=voice_names(people))


def read_by_voices(
    page: Page,
    turn: Mapping[str, Sequence[str]],
    people: Sequence[Participant],
    first: str = "",
    names: Mapping[str, str] = {},
) -> Reading | None:
    """What patterns read that are for these voices alone; None if they cannot be used. See also ``compile_all``."""
    is_rest = any(REST in sources for sources in turn.values())
    ends = dict.fromkeys(f"{literal(found[0])}{{any}}" for found in map(_SHELL.match, page.lines) if found and is_rest)
    try:
        patterns = compile_all(turn, end=tuple(ends), first=first, names=names)
    except PatternError:
        return None
    return read_form(page, replace(page.declared.form, patterns=patterns, participants=tuple(people)))


def is_chat(page: Page, reading: Reading) -> bool:
    """True if one who marks what they say seems to talk to the other voice: see ``_likeness``."""
    person = next((one.name for one in reading.form.participants if one.kind == "human"), PERSON)
    return _likeness(page, build.turns(page, reading), person) > 0


def _likeness(page: Page, turns: Sequence[Turn], person: str = PERSON, *, is_named: bool = False) -> float:
    """How much turns are like a chat's, 0 for not at all: the person's come back, are short and speak to somebody.

    What a label says to be the person's need not.
    """
    mine = [turn for turn in turns if turn.speaker == person]
    others = [turn for turn in turns if turn.speaker != person]
    if len(mine) < _FEWEST or len(others) < _FEWEST or not all(turn.text.strip() for turn in mine):
        return 0.0
    size, answer = median(turn.words for turn in mine), median(turn.words for turn in others)
    if size > _MOST_WORDS or sum(turn.words for turn in mine) > sum(turn.words for turn in others) or size > 3 * answer:
        return 0.0
    # Sentences are quoted, where a heading or a bold line would be none.
    sign = page.lines[mine[0].line - 1].lstrip()
    quoted, is_fenced = sign.startswith(">"), sign.startswith(FENCES)  # a command begins small, too
    is_step = is_fenced or sign.startswith(("**", "__")) or bool(_NUMBER.match(sign))
    stops = [turn.text.rstrip()[-1:] in _STOPS for turn in mine]
    told = [speaks(turn, is_small=not is_fenced) or (quoted and stop) for turn, stop in zip(mine, stops, strict=True)]
    # A chat begins with a question; so does a page, whose headings and bold lines are not the person's.
    is_opened = told[0] and turns[0].speaker == person and not sign.startswith(("#", "**", "__", *FENCES))
    share = sum(told) / len(mine)
    is_said = is_named or share > 0.5 or (is_opened and share == 0.5)
    covered = 1 - (turns[0].line - 1 - page.first) / max(1, len(page.lines) - page.first)
    # Orders, each a line above something longer; headings without a full stop and steps read the same.
    are_lines = turns[0].speaker == person and all(len(one.lines) == 1 for one in mine)
    is_order = are_lines and len(mine) > 2 < size <= answer / 2 and covered > _FROM_THE_START
    is_said |= is_order and not is_step and (not sign.startswith("#") or all(map(max, told, stops)))
    return max(share, 0.5) * covered if is_said else 0.0


def speaks(turn: Turn, *, is_small: bool = True) -> bool:
    """True if a marked text is said to somebody: it asks, says "I" or "you", or, if that tells, begins small."""
    text = turn.text.strip()
    said = {word.casefold() for word in _LETTERS.findall(text)}
    is_small = is_small and text[:1].islower() and len(said) > 1
    return "?" in text or "？" in text or is_small or bool(said & words.table("first-person", "address"))
