"""From a reading to turns: bodies freed of what wraps them and trimmed, rounds, groups, kinds.

Every line of a body keeps its line and the column of its first character, so that a finding points into the file. What
stands between two turns (blank lines, rules, a time, a footer) belongs to neither text.
"""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache

from mdtally.text import rounds, words
from mdtally.text.layout import Layout
from mdtally.text.line_parts import EMOJI, count_words
from mdtally.text.model import FileKind, RoundNumber, SpeakerKind, TextLine, Turn
from mdtally.text.names import fold, is_person_beside, kind_of
from mdtally.text.records import by_key, record, replace
from mdtally.text.regex import regex
from mdtally.text.times import BADGES, CLOCK
from mdtally.text.unsaid import unsaid_rows
from mdtally.transcript import bounds
from mdtally.transcript.declared import Form
from mdtally.transcript.page import Page, Reading, Span
from mdtally.transcript.patterns import Pattern, Start

# "Acme Helper", "APP  10:02 AM"; "ClydeAPP — 10:02 AM": a messenger says that a program speaks
_BADGED = regex(rf"(?<=[a-z\d ])(?:APP|BOT)\n.|\n(?:{'|'.join(BADGES)})(?!\S)")
# "unavailable", "timed out after 30 s", "error: overloaded", not "None of this holds"
_NOTHING_SAID = regex(
    rf"{words.either('placeholders')}(?=(?<=:)|\s*(?:$|[^\w\s,]|[_\d]|{words.either('reasons')}(?![^\W_])))"
)
# "Invalid API key · Please run /login", "API Error: 529", not "API errors rose"
_TOOL_ERROR = regex(words.either("tool-errors") + r"(?=\s*(?:$|[^\w\s,]|\d))")
# "**Position:** ⚠️ CONCERN"
_FIELD = regex(r"\*\*[^*]{1,40}:\*\*|\*\*[^*]{1,40}\*\*:")
# "ok", "👍"; not "---", "…"
_SAYS = regex("[^\\W_]|[\U0001f000-\U0001faff\u2600-\u27bf\u2b00-\u2bff]")
_QUOTE = regex(r" {0,3}>[ ]?")
# "1.  **Ana:** one", "- Ana: one"
_ITEM = regex(r"\A {0,3}(?:[-*+]|\d{1,3}[.)]) {1,4}(?=\S)")
_INDENTS = [regex(rf"\t| {{0,{width}}}") if width else None for width in range(12)]
# "*tension=0.41, OPEN*" below a speech that is quoted
_REMARK = regex(r"\s*(?P<mark>\*{1,3}|_{1,3}|`)(?=\S)[^*`]*(?P=mark)\s*$")
# "**📊 Tool Result**", "🔧 Tool Result: ok"
_SIGNS = regex(rf"\A[#\s{EMOJI}]+|\*+[\s{EMOJI}]*")
_FENCES = "```", "~~~"
_NOT_STAGE = regex(r"\{speaker\}(?:['’]s(?=\s))?|\{\w+\??\}|\{\?|\?\}|[^\w\s-]|(?:by|from)(?= )")
# "[read_file for 'src/a.py'] Result:", "[attempt_completion] Result:", "[Tool]", "[Tool (Error)]"
_RESULT = r"\[(?:[a-z]+_[a-z_]+\b.*\] result:|tool(?: \(error\))?\])$"
# what only goes on below: a longer command
_CUT = r"\[[a-z]+_[a-z_]+ for '(?:(?!'\]).)*$|the tool execution failed with the following error:$"
_OPENING = regex(rf"\A(?:{words.either('program-openings')}|{_RESULT}|(?P<cut>{_CUT}))")
_INTERRUPTED = "[request interrupted by user"
_PERSONS = frozenset({"<task>", "<feedback>", "<answer>", "<user_message>"})
"""Between such tags stands what a person said beside a tool's result."""
_COMMENT = regex(r"(?<![\d%])%%(?!%)[^%\n]*(?:%(?!%)[^%\n]*)*(?<!\d)%%(?!%)")
# What stands at a turn's end and is nobody's: "_****_", "---", "00:02:20" of a recording, a comment, an anchor
_NOBODYS = regex(rf"[-*_=─━ ]*$|[\[(]?{CLOCK}[\])]?$|<!--.*-->$|<a (?:id|name)=[^<>]*></a>$")


def turns(page: Page, reading: Reading) -> tuple[Turn, ...]:
    """The turns of a reading, in order."""
    starts = reading.starts
    by_case = sorted(starts, key=lambda start: (start.name.speaker.isupper(), start.row), reverse=True)
    spelling = {start.name.key: start.name.speaker for start in by_case}  # the first that is not all capitals
    limits = sorted({*reading.ends, *reading.marks, *(start.row for start in starts)})
    limits.append(len(page.lines))
    stops = [limits[bisect_right(limits, start.row)] for start in starts]
    voices = [*zip(_kinds(page, reading), starts, stops, strict=True)]
    kinds = ["other" if kind == "human" and _is_programs(page, one, stop) else kind for kind, one, stop in voices]
    numbers = _rounds(page, reading, kinds)
    written = reading.form.patterns.line
    found: list[Turn] = []
    in_rounds = any(number is not None for _, number in numbers) or bool(reading.marks)
    sections = enumerate(itertools.groupby(numbers), start=1)  # a new one wherever section or round change
    by_round = [number for number, (_, turns_of_it) in sections for _ in turns_of_it]
    groups = by_round if in_rounds else _groups([spelling[start.name.key] for start in starts], kinds)
    for place, (start, kind, stop) in enumerate(zip(starts, kinds, stops, strict=True)):
        name, lines = start.name, tuple(page.lines[start.row : stop])
        spans = tuple(map(reading.texts.get, range(start.row, stop))) if reading.texts else ()
        own = start.row, start.last, start.body, start.end
        layout = reading.layout if "%%" in "".join(lines) else None  # what is a comment of Obsidian's it knows
        said = (_read_turn.__wrapped__ if layout else _read_turn)(own, lines, spans, written, kind, layout)
        where = place + 1, start.row + 1, said.end_line, start.column + 1
        who = spelling[name.key], kind, numbers[place][1], groups[place]
        found.append(Turn(*where, *who, said.body, said.words, said.is_empty, name.model, name.addressee))
    return tuple(found)


def kind_of_file(found: Sequence[Turn]) -> FileKind:
    """A debate if two agents speak, or an agent and a moderator with no person among them; else a session."""
    speakers = {kind: {turn.speaker for turn in found if turn.kind == kind} for kind in ("agent", "human", "moderator")}
    voices = len(speakers["agent"]) + (0 if speakers["human"] else len(speakers["moderator"]))
    return "debate" if voices > 1 else "session"


def _rounds(page: Page, reading: Reading, kinds: Sequence[SpeakerKind]) -> list[tuple[int, RoundNumber | None]]:
    """By start: number of its section and its round. A pattern's {round} wins, then marks, then what labels state."""
    if reading.form.rounds == "none":
        return [(0, None)] * len(reading.starts)
    if any(number is not None for number in reading.marks.values()):
        lines = [*reading.marks]
        places = [bisect_right(lines, start.row) for start in reading.starts]
        own = [one.name.round if "round" in one.pattern.regex.groupindex else None for one in reading.starts]
        marked = [reading.marks[lines[at - 1]] if at else None for at in places]
        return [(at, b if a is None else a) for at, a, b in zip(places, own, marked, strict=True)]
    stated = [*_stated_rounds(page, reading, kinds)]
    if not any(number is not None for number in stated):  # "Ana — opening", "Rebuttal (Ben)", where every label has one
        stages = [rounds.numbered_stage(one.name.note or _beside_name(one.pattern.source)) for one in reading.starts]
        order = sorted({stage for stage in stages if stage})
        if None not in stages:  # with "Rebuttal 1" and "Rebuttal 2" they are counted through
            through = any(number for _, number in order)
            stated = [order.index(stage) + 1 if through else stage[0] for stage in stages if stage]
    return [(0, number) for number in stated]


@lru_cache
def _beside_name(pattern: str) -> str:
    """What a pattern says beside the name: "Rebuttal" of "## Rebuttal: {speaker}"."""
    return _NOT_STAGE.sub(" ", pattern).strip(" -")


def _stated_rounds(page: Page, reading: Reading, kinds: Sequence[SpeakerKind]) -> Iterator[RoundNumber | None]:
    """What labels state of rounds; one that states none is of the round of a person's turn that it answers, with no end
    between, or of the heading below which it stands."""
    levels = {heading.row: heading.level for heading in page.headings}
    ends = reading.form.patterns.ends
    level, is_asked, above, last = 0, False, None, 0
    for start, kind in zip(reading.starts, kinds, strict=True):
        number, own, is_human = _stated_round(page, reading.form, start), levels.get(start.row, 0), kind == "human"
        is_asked = is_asked and not any(end.match(line) for end in ends for line in page.lines[last : start.row])
        if number is not None or not ((is_asked and not is_human) or 0 < level < own):
            level, is_asked, above = own, is_human, number
        yield above
        last = start.row


def _groups(speakers: Sequence[str], kinds: Sequence[SpeakerKind]) -> list[int]:
    """By turn, the number of its group where nothing states rounds: a person or moderator opens one.

    A moderator who hands the word on opens none: if most groups of a panel would hold a single agent's turn, there is
    one group.
    """
    groups: list[int] = []
    for place, kind in enumerate(kinds):
        opens = kind in ("human", "moderator") and (not place or kinds[place - 1] not in ("human", "moderator"))
        groups.append(groups[-1] + opens if groups else 1)
    agents = [(speaker, group) for speaker, kind, group in zip(speakers, kinds, groups, strict=True) if kind == "agent"]
    sizes = Counter(group for _, group in agents).values()
    hands_on = len({speaker for speaker, _ in agents}) > 1 and 2 * sum(size == 1 for size in sizes) > len(sizes)
    return [1] * len(groups) if hands_on else groups


def _stated_round(page: Page, form: Form, start: Start) -> RoundNumber | None:
    """The round that a label states, by number or by a stage word."""
    if (name := start.name).round is not None:
        return name.round
    stage = form.stage_in(f"{name.note} {name.role} {page.lines[start.row]}")
    return rounds.stage(name.note) if stage is None and form.rounds == "stage" else stage


def _kinds(page: Page, reading: Reading) -> list[SpeakerKind]:
    """By start, the kind of its voice: declared, else what its label states, else what the name says, else an agent's.

    A name that says nothing may have a field of the head that does. Where the labels of one voice state several kinds,
    each holds for its turn.
    """
    form, starts = reading.form, reading.starts
    stated = {key: {*kinds} for key, kinds in by_key((one.name.key, one.name.kind) for one in starts).items()}
    programs = {one.name.key for one in starts if _BADGED.search(f"{one.name.speaker}\n{one.name.note}")}
    told = ((one.name.key, form.kinds.get(fold(one.name.speaker)) or kind_of(one.name)) for one in starts)
    kinds = by_key((key, kind) for key, kind in told if kind)
    known = {key: next((kind for kind in some if kind != "agent"), some[0]) for key, some in kinds.items()}
    roles = dict(bounds.roles(page, dict.fromkeys(stated, starts[0].row) if starts else {}).values())
    # who leads two voices or more, or asks one
    known = roles | known if len(stated.keys() - roles) > ("moderator" in roles.values()) else known
    if len(stated) == 2 and [*known.values()] == ["agent"] and not page.declared.form.participants:
        is_beside = is_person_beside({key: known.get(key) for key in stated})
        if (is_beside and form.kind != "debate") or form.kind == "session":
            known |= dict.fromkeys(stated.keys() - known.keys(), "human")
    if programs and form.kind != "debate" and not page.declared.form.participants:
        known = {**dict.fromkeys(stated, "human"), **known, **dict.fromkeys(programs, "agent")}
    if len(stated) == 2 and stated.keys() <= words.table("question-signs", "answer-signs"):
        known = {key: "human" if key in words.table("question-signs") else "agent" for key in stated} | known
    found: list[SpeakerKind] = []
    for start in starts:
        one = form.by_spelling.get(fold(start.name.speaker))
        own = start.name.kind if len(stated[start.name.key]) > 1 else None
        found.append(own or (one.kind if one else None) or start.name.kind or known.get(start.name.key, "agent"))
    return found


def _is_programs(page: Page, start: Start, limit: int) -> bool:
    """True if a program speaks below a label, up to a row: its words begin as a tool's result or a notice does.

    Or nothing is left without what a program adds to a message.
    """
    is_quoted = page.lines[start.row].lstrip().startswith(">")
    rest = page.lines[start.last][start.body : start.end] if start.body is not None else ""
    every = itertools.chain([rest], (page.lines[row] for row in range(start.last + 1, limit)))
    lines = ((_QUOTE.sub("", line, 1) if is_quoted else line)[:2000].strip() for line in every)
    said = (line for line in lines if not _NOBODYS.match(line))
    first = next(said, "")
    if not first:
        # "**Tool Response**: low 03:10" below may be taken for a label.
        below = _opening("".join(page.lines[limit : limit + 1])).partition(":")[0]
        return not page.unsaid.isdisjoint(range(start.row, limit)) or below in words.table("program-titles")
    opening = _opening(first)
    is_title = opening.strip(" :") in words.table("program-titles")
    others = [*said]
    if opening.startswith(_INTERRUPTED):
        return not others and opening.endswith("]")
    found = _OPENING.match(opening)
    if not (is_title or found) or not _PERSONS.isdisjoint(others):
        return False
    if found and found["cut"] and not any(line.casefold().endswith(("] result:", "<error>")) for line in others):
        return False
    # "[Tool result below] says that it fails"
    if "]" in (rest := _OPENING.sub("", opening)) and rest.rpartition("]")[2].strip(" :`"):
        return False
    more = [line.startswith(_FENCES) for line in others]
    return not (is_title and more) or (more[0] and more[-1] and sum(more) == 2)


def _opening(line: str) -> str:
    return _SIGNS.sub("", line.strip()).casefold()


@record
class _Said:
    """What is said in a turn: its lines, the number of its last one, its words, and whether it says nothing."""

    body: tuple[TextLine, ...]
    end_line: int
    words: int
    is_empty: bool


@lru_cache(1 << 13)  # after an edit of the file nearly all turns are as they were
def _read_turn(
    own: tuple[int, int, int | None, int | None],
    lines: tuple[str, ...],
    spans: tuple[Span | None, ...],
    written: Pattern | None,
    kind: SpeakerKind,
    layout: Layout | None = None,
) -> _Said:
    """What one turn says; each line of it stands behind what is written before it.

    Args:
        own: rows of its label's first and last line, and the offsets in the last one between which text stands.
        lines: all lines from there on to where the next label, round or end is.
        spans: by line where its text is known to be; () if that is of none.
        written: what stands before each line of a body, if something does.
        kind: of whom it is.
        layout: what is a comment of Obsidian's; None if the lines hold none.
    """
    first, label, text, stop = own
    below, last = label - first, len(lines) - 1
    while last > below and _NOBODYS.match(lines[last].strip()):
        last -= 1
    block = [line for line in lines[below + (text is None) : last + 1] if line.strip()]
    quoted = block and all(_QUOTE.match(line) or _REMARK.match(line) for line in block)
    mark = written or (_QUOTE if quoted else _INDENTS[len(lines[0]) - len(_ITEM.sub("", lines[0]))])
    body: list[TextLine] = []
    for at, line in enumerate(lines[: last + 1]):
        begin, end = 0, None
        if spans and (span := spans[at]):
            begin, end = span
        elif at < below or (at == below and text is None):
            continue
        elif at == below:
            begin, end = text or 0, stop
        elif found := mark and mark.match(line):
            begin = found.end() if found.groupdict().get("text") is None else found.start("text")  # ">" alone has none
        body.append(TextLine(line[begin:end].rstrip(), first + at + 1, begin + 1))
    body = [*_without_comments(body, layout)] if layout else body
    if kind == "agent" and (unsaid := {*unsaid_rows([*(line.text for line in body), *lines[last + 1 :]])}):
        body = [replace(line, text="") if at in unsaid else line for at, line in enumerate(body)]
    tags = [at for at, line in enumerate(body) if line.text.strip() in _PERSONS] if kind == "human" else []
    if tags and _OPENING.match(_opening(next(line.text for line in body if line.text.strip()))):
        body = body[tags[0] :]
    said = [at for at, one in enumerate(body) if one.text.strip()]
    whole = tuple(body[said[0] : said[-1] + 1] if said else ())
    number = count_words("\n".join(one.text for one in whole))
    return _Said(whole, first + 1 + (last if said else below), number, is_placeholder(whole, kind))


def _without_comments(body: Sequence[TextLine], layout: Layout) -> Iterator[TextLine]:
    """A body with Obsidian's ``%%comments%%`` blanked out: notes about the turn, which nobody said. Columns stay."""
    whole = {index for c in layout.comments if c.mark == "%%" and c.closed for index in range(c.first, c.last + 1)}
    for line in body:
        hidden = line.line - 1 in whole
        text = "" if hidden else _COMMENT.sub(lambda match: " " * len(match.group()), line.text).rstrip()
        yield line if layout.hidden[line.line - 1] and not hidden else TextLine(text, line.line, line.column)


def is_placeholder(body: Sequence[TextLine], kind: SpeakerKind) -> bool:
    """True if a body is empty or says that there was no response; a person who copies a tool's error asks about it."""
    text = " ".join(line.text for line in body).strip()
    if not _SAYS.search(text):
        return True
    # The form below an error is filled in by a program.
    apart = " ".join(line.text for line in body if not _FIELD.match(line.text)).strip()
    said = [(_NOTHING_SAID, text), (_TOOL_ERROR, "" if kind == "human" else apart)]
    bare = [(one, words.casefold().lstrip("*_[(<>- \t⚠️")) for one, words in said if len(words) <= 120]
    return any(one.match(words.removeprefix("status").lstrip("*_:[( ")) for one, words in bare)
