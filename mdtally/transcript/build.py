"""From a reading to turns: bodies freed of what wraps them and trimmed, rounds, groups, kinds, spellings.

Every line of a body keeps its line and the column of its first character, so that a finding points into the file. What
stands between two turns (blank lines, rules, a metrics line, a footer) belongs to neither text.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence

from mdtally.lines import Layout, is_rule
from mdtally.model import FileKind, RoundNumber, SpeakerKind, TextLine, Turn
from mdtally.records import replace
from mdtally.regex import regex
from mdtally.text import count_words
from mdtally.transcript import rounds, words
from mdtally.transcript.names import CLOCK, EMOJI, kind_of
from mdtally.transcript.page import Page, Reading, Start

_QUOTE = regex(r" {0,3}>[ ]?")
# "*tension=0.41 · 12 s*", "`[10:12]`": a line of numbers about a turn, emphasised as a whole
_EMPHASISED = regex(
    r"(?P<mark>\*{1,3}|_{1,3}|`|<small>|<sub>)(?P<inner>[^*_`<>]{1,300}(?:_[^*_`<>]{1,80})*)(?P=mark)?(?:</\w+>)?$"
)
_METRIC = regex(
    r"\w{1,24}\s*[=:]\s*[-+~]?\d|^\[?\d{1,2}:\d\d(?::\d\d)?|\d+(?:[.,]\d+)?\s?(?:s|ms|sec|seconds|tokens|words|tok)\b",
    2,
)
# "⚡TENSE": a state behind a label, an emoji first
_FLAGS = regex(rf"[{EMOJI}]+\s*[A-Z][A-Z_]+(?:[{EMOJI}\s]+[A-Z][A-Z_]+|\s*[{EMOJI}]+[a-z_]+)*[{EMOJI}\s]*$")
_COLOPHON = regex(
    r"(?:\*(?!\*)[^*]+\*|_(?!_)[^_]+_)\s*$|<details|\*\*[^*]{2,30}:?\*\*:? .{1,80}$"
    r"|[A-Z]\w{1,20}: [\w./-]*/[\w./-]+\.\w{1,5}$"
)
_TIME = regex(rf"[\[(]?{CLOCK}[\])]?")  # "00:02:20" between turns, as recordings have it
_HIDDEN = regex(r"<[a-z]+\b[^<>]*type=\"message\"[^<>]*/>$|^<!--.*-->$|^_\*{4}_$|^<a (?:id|name)=[^<>]*></a>$")
_COMMENT = regex(r"(?<![\d%])%%(?!%)[^%\n]*(?:%(?!%)[^%\n]*)*(?<!\d)%%(?!%)")


def turns(page: Page, reading: Reading) -> tuple[Turn, ...]:
    """The turns of a reading, in order."""
    starts = reading.starts
    layout = reading.layout or page.layout
    spelling = _spellings(starts)
    kinds = _kinds(page, reading)
    numbers = _rounds(page, reading)
    ends = sorted({*reading.ends, *(mark.row for mark in reading.marks)})
    wraps = _wraps(page, starts)
    found: list[Turn] = []
    group = 0
    last: tuple[int, RoundNumber | None] | None = None
    in_rounds = any(number is not None for _, number in numbers) or bool(reading.marks)
    for place, start in enumerate(starts):
        limit = starts[place + 1].row if place + 1 < len(starts) else len(page.lines)
        end = bisect_left(ends, start.row + 1)
        limit = min(limit, ends[end]) if end < len(ends) else limit
        body, last_line, flags = _body(page, reading, layout, start, max(limit, start.row + 1), wraps)
        kind = kinds[place]
        if in_rounds:
            group += last != numbers[place]
            last = numbers[place]
        elif not found or (kind in ("human", "moderator") and found[-1].kind not in ("human", "moderator")):
            group += 1
        name = start.name
        found.append(
            Turn(
                index=place + 1, line=start.row + 1, end_line=last_line + 1, column=start.column + 1,
                speaker=spelling[name.key], kind=kind, round=numbers[place][1], group=group, lines=body,
                words=count_words("\n".join(line.text for line in body)), placeholder=_is_placeholder(body),
                role=name.role, model=name.model, addressee=name.addressee,
                note=", ".join(part for part in (name.note, flags) if part),
            )
        )  # fmt: skip
    return tuple(found if in_rounds else _in_one_group(found))


def kind_of_file(found: Sequence[Turn]) -> FileKind:
    """A debate if two agents speak, or an agent and a moderator with no person among them; else a session."""
    speakers = {kind: {turn.speaker for turn in found if turn.kind == kind} for kind in ("agent", "human", "moderator")}
    voices = len(speakers["agent"]) + (0 if speakers["human"] else len(speakers["moderator"]))
    return "debate" if voices > 1 else "session"


def _in_one_group(found: Sequence[Turn]) -> list[Turn]:
    """One group for a panel each of whose speakers is called up by a prompt.

    A human's turn opens a round; but if most of what it opens holds a single agent's turn, it calls up the next speaker
    of one discussion, and taken for a round nobody in the panel would ever answer anybody.
    """
    sizes = Counter(turn.group for turn in found if turn.kind == "agent")
    speakers = {turn.speaker for turn in found if turn.kind == "agent"}
    if len(speakers) < 2 or len(sizes) < 3 or sum(size > 1 for size in sizes.values()) * 4 > len(sizes):
        return list(found)
    return [replace(turn, group=1) for turn in found]


def _rounds(page: Page, reading: Reading) -> list[tuple[int, RoundNumber | None]]:
    """By start: number of its section and its round. Marks win; else what the labels state, if it makes rounds."""
    declared = page.declared
    if declared.rounds == "none":
        return [(0, None)] * len(reading.starts)
    if any(mark.number is not None for mark in reading.marks):
        lines = [mark.row for mark in reading.marks]
        places = [bisect_right(lines, start.row) for start in reading.starts]
        return [(at, reading.marks[at - 1].number if at else None) for at in places]
    stated = [_stated(page, start) for start in reading.starts]
    known = [number for number in stated if number is not None]
    fused = [start for start in reading.starts if "stage" in start.name.cut and start.name.round is not None]
    # "Turn 1: Ana", "Turn 2: Ben": each turn has a number, and none is a round.
    turns_only = all("turn" in start.name.cut for start in reading.starts if start.name.round is not None)
    counted = len(known) > (1 if turns_only else 2) and len(set(known)) == len(known) and reading.way != "pattern"
    if not known or (counted and not declared.stages) or (fused and len(known) < len(stated)):
        stated = [None] * len(stated)
        if fused:
            stated = [start.name.round if start in fused else None for start in reading.starts]
    if not any(number is not None for number in stated):  # "Ana — opening", "Ben — rebuttal", where every label has one
        stages = [rounds.stage(start.name.note) for start in reading.starts]
        stated = [*stages] if None not in stages else stated
    return [(0, number) for number in stated]


def _stated(page: Page, start: Start) -> RoundNumber | None:
    """The round that a label states, by number or by a declared stage word."""
    if start.name.round is not None and "stage" not in start.name.cut:
        return start.name.round
    declared = page.declared.stage_in(f"{start.name.note} {start.name.role} {page.lines[start.row]}")
    if declared is not None or page.declared.rounds != "stage":
        return declared if declared is not None else start.name.round
    return start.name.round or rounds.stage(start.name.note)


def _spellings(starts: Sequence[Start]) -> dict[str, str]:
    """One spelling a voice: the first that is not all capitals."""
    found: dict[str, str] = {}
    for start in starts:
        key, speaker = start.name.key, start.name.speaker
        if key not in found or (found[key].isupper() and not speaker.isupper()):
            found[key] = speaker
    return found


def _kinds(page: Page, reading: Reading) -> list[SpeakerKind]:
    """By start, the kind of its voice: what is declared, else what the label states, else what the name says."""
    known: dict[str, SpeakerKind] = {}
    for start in reading.starts:
        kind = kind_of(start.name._replace(kind=None))
        if kind and known.get(start.name.key, "agent") == "agent":
            known[start.name.key] = kind
        known.setdefault(start.name.key, start.name.kind or "agent")
    others = list(dict.fromkeys(start.name.key for start in reading.starts if kind_of(start.name) is not None))
    told = set(others)
    unknown = [key for key in known if key not in told]
    if len(known) == 2 and len(unknown) == 1 and not page.declared.participants and known[others[0]] == "agent":
        model = next(start for start in reading.starts if start.name.key == others[0])
        if reading.kind == "session" or _is_machine(model):
            known[unknown[0]] = "human"  # "Noor" beside "Claude": one person and one machine
    return [start.name.kind or known[start.name.key] for start in reading.starts]


def _is_machine(start: Start) -> bool:
    """True if a name is a machine's beyond doubt: a model's, or a word such as "assistant"."""
    parts = start.name.key.replace("-", " ").split()
    return bool(set(parts) & (words.table("models") | words.table("agents")))


def _body(
    page: Page, reading: Reading, layout: Layout, start: Start, limit: int, wraps: bool
) -> tuple[tuple[TextLine, ...], int, str]:
    """The body of one turn, the index of its last line (numbers about it included), and flags behind the label."""
    lines, first, inline, flags = page.lines, start.row, start.body, ""
    if inline is not None and _FLAGS.match(lines[first][inline:]) and any(s.strip() for s in lines[first + 1 : limit]):
        flags = "".join(character if character.isascii() else " " for character in lines[first][inline:]).strip()
        inline = None
    last = (limit if reading.way == "pattern" or limit < len(lines) else _before_footer(lines, first, limit)) - 1
    while last > first and (
        not (shown := lines[last].strip())
        or is_rule(shown)
        or _HIDDEN.match(shown)
        or (reading.way != "pattern" and _TIME.fullmatch(shown))
    ):
        last -= 1
    text_last = last
    while reading.way != "pattern" and text_last > first and _is_nobodys(lines[text_last]):
        text_last -= 1
    body: list[TextLine] = []
    if inline is not None:
        body.append(TextLine(lines[first][inline : start.end].rstrip(), first + 1, inline + 1))
    block = lines[first + 1 : text_last + 1]
    said = [line for line in block if line.strip()]
    quoted = wraps or (bool(said) and inline is None and all(_QUOTE.match(line) for line in said))
    indent = _indent(said) if start.style.startswith(("item", "council-adr")) else 0
    for number, line in enumerate(block, start=first + 2):
        wrapped = reading.marker.match(line) if reading.marker else _QUOTE.match(line) if quoted else None
        offset = wrapped.end() if wrapped else min(indent, len(line) - len(line.lstrip()))
        body.append(TextLine(line[offset:].rstrip(), number, offset + 1))
    body = _without_comments(body, layout)
    while body and not body[0].text.strip():
        body.pop(0)
    while body and not body[-1].text.strip():
        body.pop()
    return tuple(body), last if body else first, flags


def _wraps(page: Page, starts: Sequence[Start]) -> bool:
    """True if the form wraps what is said in block quotes: most turns open with one right below their label."""
    opened = 0
    for start in starts:
        below = (line for line in page.lines[start.row + 1 : start.row + 4] if line.strip())
        opened += start.body is None and bool(_QUOTE.match(next(below, "")))
    return len(starts) > 1 and opened * 4 > len(starts) * 3


def _before_footer(lines: Sequence[str], first: int, limit: int) -> int:
    """Where the file's footer starts, if the last turn runs into one: a rule, then italics, metadata or details."""
    for index in range(limit - 1, max(first, limit - 60), -1):
        if is_rule(lines[index]):
            below = next((line.strip() for line in lines[index + 1 : limit] if line.strip()), "")
            if below and _COLOPHON.match(below) and not _is_nobodys(below):
                return _before_footer(lines, first, index)
            return limit
    return limit


def _indent(said: Sequence[str]) -> int:
    """Columns that all lines of text are indented by."""
    return min((len(line) - len(line.lstrip()) for line in said), default=0)


def _is_nobodys(line: str) -> bool:
    """True for a blank line, a rule, or a line of numbers about a turn."""
    match = _EMPHASISED.match(line.strip())
    return not line.strip() or is_rule(line) or bool(match and _METRIC.search(match["inner"]))


def _is_placeholder(body: Sequence[TextLine]) -> bool:
    """True if a body is empty or says that there was no response."""
    text = " ".join(line.text for line in body).strip()
    if not any(character.isalnum() for character in text):
        return True
    if len(text) > 120:
        return False
    said = text.casefold().lstrip("*_[(<>- \t⚠️").removeprefix("status").lstrip("*_:[( ")
    phrase = next((phrase for phrase in words.ordered("placeholders") if said.startswith(phrase)), None)
    return phrase is not None and not said[len(phrase) : len(phrase) + 1].isalnum()


def _without_comments(body: Sequence[TextLine], layout: Layout) -> list[TextLine]:
    """A body with Obsidian's ``%%comments%%`` blanked out: notes about the turn, which nobody said. Columns stay."""
    if not any("%%" in line.text for line in body):
        return list(body)
    whole = {index for c in layout.comments if c.mark == "%%" and c.closed for index in range(c.first, c.last + 1)}
    clear: list[TextLine] = []
    for line in body:
        hidden = line.line - 1 in whole
        text = "" if hidden else _COMMENT.sub(lambda match: " " * len(match.group()), line.text).rstrip()
        clear.append(line if layout.hidden[line.line - 1] and not hidden else TextLine(text, line.line, line.column))
    return clear
