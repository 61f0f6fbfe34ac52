"""One engine for every way of reading: patterns open, name and end turns, whoever chose them.

A label opens a turn that goes on to the next label, round or end. Where a voice's pattern is `{text}` alone, the others
mark blocks: a turn is the whole quotation, paragraph, heading or item that matches, blocks of one voice in a row are
one turn, and that voice gets all that stands between.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise, zip_longest
from typing import TypeAlias

from mdtally.text import rounds
from mdtally.text.layout import COMMENT, Layout
from mdtally.text.model import RoundNumber
from mdtally.text.names import Name, fold
from mdtally.text.records import record, replace
from mdtally.text.regex import regex
from mdtally.text.text_blocks import TextBlock, blocks
from mdtally.text.voices import Participant
from mdtally.transcript.declared import Form, kind_by_words
from mdtally.transcript.page import Page, Reading, Span
from mdtally.transcript.patterns import Pattern, Patterns, Start, match_lines, read_turn, round_of

FENCES = "```", "~~~"
"""The signs between two lines of which a voice's words may stand: its pattern is the first of these lines."""
REST = "{text}"
"""The pattern of a voice to whom all belongs that no other one marks."""
# "me> {text}", and not "> {text}"
_NAMED = regex(r"(?<!\{)\b[^\W\d_]+\b(?!\})")
# "☞ {text}", and not "— {text}" or "• {text}", as which lines of prose and lists begin
_GLYPH = regex(r"[^\x00-\x7f—–―•·‣◦→⇒…„“”«»]")
_MARKS = " \t#>*_"
"""What marks a block: with nothing else in it nobody begins to speak there, but right above more that is marked."""
_END = (False, None)
_Told: TypeAlias = Start | tuple[bool, RoundNumber | None]
"""What a line is: a turn's start, or a round with its number; or `_END`, which ends a turn."""
_KEPT = 1 << 16


def read_form(page: Page, form: Form) -> Reading:
    """What the patterns of a form read on a page: exact, and nothing else opens or ends a turn.

    A line is tried as a turn, then as a round, then as an end. A stray fence around a label is ended there, and a fence
    around nearly all of the page, its labels among it, is not code; where that one closes, a turn ends.
    """
    told = [*_told_lines(page, form)]
    labels = _without_addressed(page, {row: start for row, start in told if isinstance(start, Start)})
    ends = [row for row, one in told if one is _END]
    opened = ((row, one[1]) for row, one in told if not isinstance(one, Start) and one is not _END)
    stages = ((row, number, form.stage_in(page.lines[row])) for row, number in opened)
    marks = {row: number if stage is None else stage for row, number, stage in stages}
    if not form.patterns.rounds:
        marks.update(_stages(page, form, labels))
    layout = page.layout_with(sorted({*labels, *marks}), [*labels] if form is page.declared.form else ())
    starts = [start for row, start in labels.items() if not layout.hidden[row]]
    ends = [row for row in ends if not layout.hidden[row]] + [last for _, last in _opened_fences(page, layout)]
    if rest := next((pattern for pattern in form.patterns.turns if pattern.source == REST), None):
        starts, ends, texts = _blocks(page, form, layout, rest, {*ends, *marks})
    else:
        starts, texts = _join_blocks(page, starts, {*ends, *marks})
    opening = {row: marks[row] for row in sorted(marks) if not layout.hidden[row]}
    found = tuple(_without_echoes(page, starts))
    in_code = tuple(row for row in labels if layout.hidden[row])
    return _in_sections(page, Reading(form, found, tuple(sorted(ends)), opening, layout, texts, in_code))


def _opened_fences(page: Page, layout: Layout) -> list[tuple[int, int]]:
    """The first and last lines of the fences of a page that labels made none in a layout: only these two are hidden."""
    closed = [(fence.first, fence.last) for fence in page.layout.fences if fence.last is not None]
    return [(first, last) for first, last in closed if layout.kinds[first] == COMMENT]


def _without_addressed(page: Page, labels: Mapping[int, Start]) -> dict[int, Start]:
    """The starts by row, without lines that speak to a voice most of whose labels have no @: "@Ana: mind you,"."""
    signed = {row for row, one in labels.items() if page.lines[row].lstrip()[0] == "@" != one.pattern.source[0]}
    often = Counter((fold(one.name.speaker), row in signed) for row, one in labels.items())
    addressed = {name for name, is_signed in often if is_signed and often[name, False] > often[name, True]}
    return {row: one for row, one in labels.items() if not (row in signed and fold(one.name.speaker) in addressed)}


def _stages(page: Page, form: Form, labels: Collection[int]) -> Iterator[tuple[int, RoundNumber]]:
    """The headings that are rounds where no pattern says so: by `rounds: heading`, or stage words that no label has."""
    in_labels = any(form.stage_in(page.lines[row]) is not None for row in labels)
    for heading in page.headings if form.rounds == "heading" or (form.stages and not in_labels) else ():
        parsed = rounds.parse(heading.plain)
        number = form.stage_in(heading.plain) if form.stages else parsed.number if parsed else None
        if number is not None and heading.row not in labels:
            yield heading.row, number


def _told_lines(page: Page, form: Form) -> Iterator[tuple[int, _Told]]:
    """Every line that a pattern matches, in code, too, with its row: the start of a turn, the round, or an end."""
    patterns = form.patterns
    kept = _kept_lines(patterns, form.participants)
    if len(kept) > _KEPT:
        kept.clear()
    spans = any(pattern.below for pattern in (*patterns.turns, *patterns.rounds, *patterns.ends))
    for row in range(page.first, len(page.lines)):
        line = page.lines[row]
        if spans or line not in kept:
            kept[line] = _read_line(page, form, row) if line.strip() else None
        told = kept[line]
        if isinstance(told, Start) and told.row != row:
            told = replace(told, row=row, last=row)
        if told is not None:
            yield row, told


@lru_cache(4)
def _kept_lines(patterns: Patterns, participants: tuple[Participant, ...]) -> dict[str, _Told | None]:
    """An empty table for these patterns, the same at each call: what they make of a line, which the caller fills in.

    After an edit of the file nearly all lines are as they were.
    """
    return {}


def _read_line(page: Page, form: Form, row: int) -> _Told | None:
    """What the line of a row is; a turn starts there only if it names a voice."""
    for pattern in form.patterns.turns:
        start = read_turn(pattern, page.lines, row) if pattern.source != REST else None
        name = speaker_of(form, pattern, start.name) if start else None
        if start and name:
            return replace(start, name=name)
    if opened := next(filter(None, (match_lines(one, page.lines, row) for one in form.patterns.rounds)), None):
        return True, round_of(opened[0][1])
    return _END if any(match_lines(one, page.lines, row) for one in form.patterns.ends) else None


def speaker_of(form: Form, pattern: Pattern, name: Name) -> Name | None:
    """Who speaks at a label that a pattern matched; None if it is nobody of whom the form says so."""
    one = form.by_spelling.get(fold(name.speaker))
    if pattern.voice and fold(one.name if one else name.speaker) != fold(pattern.voice):
        return None
    if one is None:
        return None if form.participants else name
    return replace(name, speaker=one.name, role=name.role or one.role)


def _join_blocks(page: Page, starts: Sequence[Start], nobodys: Collection[int]) -> tuple[list[Start], dict[int, Span]]:
    """The starts of turns where blocks of one fixed voice in a row are one turn, and the texts of the others' lines."""
    kept, texts = list[Start](), dict[int, Span]()
    between = sorted(nobodys)
    for start in starts:
        above = kept[-1] if kept else start
        is_block = bool(start.pattern.voice) and start.pattern.whole and above.pattern == start.pattern
        is_inside = start.row - 1 == above.row or start.row - 1 in texts  # ">" alone is no label
        is_one = is_block and (is_inside or None not in (start.body, above.body))
        if kept and is_one and bisect_right(between, above.row) == bisect_left(between, start.row):
            texts[start.row] = len(page.lines[start.row]) if start.body is None else start.body, start.end
        else:
            kept.append(start)
    return kept, texts


@record
class _Marked:
    """A block that a pattern marks: its pattern, the label's last row, the number in it, by row the text's offsets.

    A number that is its round's is a round, too.
    """

    pattern: Pattern
    last: int
    number: int | None
    texts: Mapping[int, Span]
    round: RoundNumber | None = None


def _blocks(
    page: Page, form: Form, layout: Layout, rest: Pattern, nobodys: Collection[int]
) -> tuple[list[Start], list[int], dict[int, Span]]:
    """Where patterns mark blocks and the rest is another voice's: the turns' starts, their ends, and their texts."""
    others = [one for one in form.patterns.turns if one.source != REST]
    marking = [one for one in others if speaker_of(form, one, Name(one.voice))]
    whole = _with_next_lines(page, list(blocks(page.lines, page.first, layout)), marking)
    signs = [one for one in marking if not one.below and (_NAMED.search(one.source) or _GLYPH.search(one.source))]
    every = [part for block in whole for part in _parts(page, block, signs)]
    marked = {block.first: found for block in every if (found := _mark(page, block, marking))}
    pairs = pairwise(one for one in every if one.kind != "comment")
    if 2 * sum(one.first in marked and other.first in marked for one, other in pairs) > len(marked):
        every = [line for block in every for line in _line_by_line(page, block, marking)]  # answers stand right below
        marked = {block.first: found for block in every if (found := _mark(page, block, marking))}
    starts, ends, texts = list[Start](), dict[int, int](), dict[int, Span]()
    is_parted, begin = False, _begin(page, form)
    for row in _rows_of_answers(page, form, every, marked):
        del marked[row]
    for block, below in zip_longest(every, every[1:]):
        found = marked.get(block.first)
        if not found and (block.first in nobodys or block.kind in ("rule", "comment")):
            is_parted = is_parted or block.first in nobodys
            continue
        if not (found or starts or (begin is not None and block.first >= begin)):
            continue
        pattern = found.pattern if found else rest
        name = speaker_of(form, pattern, Name(pattern.voice)) or Name(pattern.voice)
        is_other = bool(starts) and starts[-1].name.key != name.key
        more = marked.get(below.first) if below else None
        goes_on = more is not None and more.pattern == pattern
        if is_other and not goes_on and not "".join(page.lines[block.first : block.last + 1]).strip(_MARKS):
            continue
        name = replace(name, round=found.round) if found else name
        texts.update(found.texts if found else {})
        # What a program prints between ends no answer: it may go on below.
        if not starts or is_other or (is_parted and found):
            last = found.last if found else block.first
            body, end = found.texts.get(last, (0, None)) if found else (0, None)
            starts.append(Start(block.first, 0, last, body, end, name, pattern))
        ends[len(starts)] = block.last + 1
        is_parted = False
    return starts, [row for row in ends.values() if row < len(page.lines)], texts


def _rows_of_answers(page: Page, form: Form, every: Sequence[TextBlock], marked: Mapping[int, _Marked]) -> list[int]:
    """The first rows of blocks that look like a voice's, and are what an answer holds: "Three steps:", "1. Wait".

    Their number does not go on from the voice's last one; or a person's stand below words of somebody else that end
    with a colon, unless their sign has a name in it; or they go on with a list that does so. A number in doubt is the
    voice's if the one that follows it stands further down.
    """
    found: dict[int, bool] = {}  # with True if it stands right below another one
    numbers, missed = dict[str, int](), dict[str, int]()  # missed: the rows of numbers that would have gone on
    for above, block in zip((*every[:1], *every), every, strict=False):
        if (mark := marked.get(block.first)) is None:
            continue
        voice, number, is_close = mark.pattern.voice, mark.number, block.first == above.last + 1
        is_listed = block.goes_on and above.first in found
        if is_listed and number is not None:  # "3." above a blank line and "4." end a list of lines, and begin a prompt
            is_listed = number == (marked[above.first].number or 0) + 1 and (is_close or not found[above.first])
        ahead = 0 if number is None else number - 1 - numbers.get(voice, number - 1)
        is_next = ahead == 0 or (ahead == 1 and voice in missed)
        is_open = page.lines[above.last].rstrip(" *_").endswith((":", "：")) and above.kind != "heading"
        if is_listed or not is_next or (is_open and above.first not in marked and _is_of_person(form, mark.pattern)):
            found[block.first] = is_close and block.goes_on
            missed.update({} if ahead else {voice: block.first})
        elif number is not None:
            found.pop(missed.pop(voice, -1) if ahead else -1, None)
            missed.pop(voice, None)
            numbers[voice] = number
    return [*found]


def _is_of_person(form: Form, pattern: Pattern) -> bool:
    """True if a pattern of one line marks what a person says by a sign without a name."""
    voice = form.by_spelling.get(fold(pattern.voice), Participant(pattern.voice))
    return kind_by_words(voice) == "human" and not (pattern.below or _NAMED.search(pattern.source))


def _mark(page: Page, block: TextBlock, marking: Sequence[Pattern]) -> _Marked | None:
    """What marks a block; None if nothing does."""
    lines = page.lines[block.first : block.last + 1]
    if block.kind == "code" and lines[0].lstrip().startswith(FENCES):  # what somebody says stands between the two lines
        nothing = {row: (len(page.lines[row]), None) for row in (block.first, block.last)}
        hit = next((one for one in marking if not one.below and one.match(lines[0])), None)
        return _Marked(hit, block.first, None, nothing) if hit else None
    if block.kind not in ("paragraph", "heading", "quote", "item"):
        return None
    for pattern in marking:
        if pattern.below:
            start = read_turn(pattern, page.lines, block.first)
            if start and start.last <= block.last:
                body = len(page.lines[start.last]) if start.body is None else start.body
                # "## chat-1", "> Why?", "> And when?"
                others = {row: pattern.below.match(page.lines[row]) for row in range(start.last + 1, block.last + 1)}
                more = {row: one.span("text") for row, one in others.items() if one and "text" in one.groupdict()}
                return _Marked(pattern, start.last, None, {start.last: (body, start.end), **more})
            continue
        match = pattern.match(lines[0] if block.kind == "quote" else " ".join(lines))
        if match is None:
            continue
        text = match.groupdict().get("text") or ""
        begin, end = match.span("text") if text else (match.end(), match.end())
        behind = match.string[end:].strip() if pattern.whole else ""
        own = [pattern.match(line) for line in lines]
        is_each = all(own)
        if behind and behind in text and not is_each:  # "**one** and **two**" is not one emphasis
            continue
        texts: dict[int, Span] = {}
        at = 0
        for row, (line, one) in enumerate(zip(lines, own, strict=True), block.first):
            if one and (is_each or (row > block.first and not behind)):
                texts[row] = one.span("text") if one.groupdict().get("text") else (one.end(), None)
            else:
                stop = max(0, min(len(line), end - at)) if behind else None
                texts[row] = min(max(0, begin - at), len(line)), stop
            at += len(line) + 1
        said = match.groupdict()
        number = said.get("number") or said.get("round") or ""
        in_round = rounds.number_of(said["round"]) if said.get("round") else None
        return _Marked(pattern, block.first, int(number) if number.isdecimal() else None, texts, in_round)
    return None


def _with_next_lines(page: Page, every: Sequence[TextBlock], marking: Sequence[Pattern]) -> list[TextBlock]:
    """The blocks, of which one that begins with a label of two lines goes on to the end of the second line's block."""
    spanning = [pattern for pattern in marking if pattern.below]
    found: list[TextBlock] = []
    for block in every:
        if found and block.first <= found[-1].last:
            found[-1] = replace(found[-1], last=block.last)
            continue
        start = next(filter(None, (read_turn(one, page.lines, block.first) for one in spanning)), None)
        found.append(replace(block, kind="paragraph", last=max(block.last, start.last)) if start else block)
    return found


def _parts(page: Page, block: TextBlock, signs: Sequence[Pattern]) -> list[TextBlock]:
    """A paragraph parted before each line with a sign that has a name in it, or that no prose has, if the one above
    has none: "me> sure?" right below an answer; any other block whole."""
    rows = range(block.first, block.last + 1) if block.kind == "paragraph" else ()
    marked = {row for row in rows if any(one.match(page.lines[row]) for one in signs)}
    first = (row for row in rows[1:] if row in marked and row - 1 not in marked)
    ends = pairwise((block.first, *first, block.last + 1))
    return [replace(block, first=begin, last=stop - 1) for begin, stop in ends]


def _line_by_line(page: Page, block: TextBlock, marking: Sequence[Pattern]) -> Iterator[TextBlock]:
    """A paragraph parted before and behind each line that is marked, an item behind its own; any other block whole."""
    first = block.first
    blank = next((row for row in range(first, block.last) if not page.lines[row].strip()), block.last)
    if block.kind == "item" and blank < block.last:
        yield replace(block, last=blank)
        first = blank + 1
    for row in range(block.first, block.last + 1) if block.kind == "paragraph" else ():
        if _mark(page, TextBlock("paragraph", row, row), marking):
            if first < row:
                yield TextBlock("paragraph", first, row - 1)
            yield TextBlock("paragraph", row, row)
            first = row + 1
    if first <= block.last:
        yield replace(block, first=first)


def _without_echoes(page: Page, starts: Sequence[Start]) -> list[Start]:
    """The starts without labels that only say their own voice's name again, in another form.

    One right below its label is the same label, also in its form, as a model writes it: "MODEL B:" and then "Model B: I
    hold my view."; one with nothing below it is a signature.
    """
    kept: list[Start] = []
    stops = [*(start.row for start in starts[1:]), len(page.lines)]
    for start, stop in zip(starts, stops, strict=False):
        above = kept[-1] if kept else None
        if above and above.name.key == start.name.key:
            below = (line.strip() for line in page.lines[start.last + 1 : stop])
            is_signature = start.body is None and all(not line or line.startswith("<!--") for line in below)
            is_other, is_empty = above.pattern.source != start.pattern.source, above.body is None
            if is_other and (is_signature or (is_empty and start.row - above.row < 3)):
                continue
            if is_empty and start.body is not None and not "".join(page.lines[above.last + 1 : start.row]).strip():
                continue
        kept.append(start)
    return kept


def _begin(page: Page, form: Form) -> int | None:
    """The row of the line above which nobody speaks; None if nothing says which."""
    first = form.patterns.first
    return next((row for row in range(page.first, len(page.lines)) if first and first.match(page.lines[row])), None)


def _in_sections(page: Page, reading: Reading) -> Reading:
    """A reading without what stands where no turn may stand."""
    form = reading.form
    if not (form.ignored or form.sections or form.patterns.first):
        return reading
    inside, edges = sections(page, form, {start.row for start in reading.starts})
    starts = tuple(start for start in reading.starts if inside[start.row])
    marks = {row: number for row, number in reading.marks.items() if inside[row]}
    return replace(reading, starts=starts, ends=tuple(sorted(edges.union(reading.ends))), marks=marks)


def sections(page: Page, form: Form, opening: Collection[int]) -> tuple[list[bool], set[int]]:
    """By row, whether a turn may stand there, and the rows at which that changes.

    None stands in ignored sections, outside the transcript's own, or above where it begins. A heading that opens a turn
    is no section's.
    """
    inside, edges = [not form.sections] * len(page.lines), set[int]()
    headings = page.headings if form.ignored or form.sections else ()
    for place, heading in enumerate(headings):
        title = heading.plain.casefold()
        if heading.row in opening or title not in (*form.ignored, *form.sections):
            continue
        below = map(headings.__getitem__, range(place + 1, len(headings)))
        after = next((one.row for one in below if one.level <= heading.level), len(page.lines))
        inside[heading.row : after] = [title in form.sections] * (after - heading.row)
        edges |= {heading.row, after}
    begin = _begin(page, form) or 0
    inside[:begin] = [False] * begin
    return inside, edges
