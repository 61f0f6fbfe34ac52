"""What is declared and matches nothing: findings that say where a line departs from it, and what was met instead."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice

from mdtally.text.model import Problem, Region, Severity, Turn
from mdtally.text.names import fold, is_voice
from mdtally.text.percent import count, first_few
from mdtally.text.records import by_key, replace
from mdtally.text.regex import regex
from mdtally.transcript import engine, structure
from mdtally.transcript.declared import Form
from mdtally.transcript.exporters import OPENING, bare_prompt
from mdtally.transcript.labels.shapes import Label, visible
from mdtally.transcript.page import Page, Reading
from mdtally.transcript.patterns import Pattern, Patterns, Start, nearest, read_turn

UNDECLARED = "labels of names that nobody declared"
"""The evidence of the finding for voices that nobody declared."""

_BY_SHAPE = "with a participant's name, but not in the form of the turns' labels; if these are labels, give a pattern"
IN_CODE = "labels but for the code around them; if somebody speaks there, close the fence above, or take it away"
OF_TWO = "because a person and a machine take turns; if somebody else speaks there, give a pattern, or participants"
"""Why lines that look like labels were taken as text."""
# "**Ana** Yes.", "** Ana:** Yes.", "## Ana", "Ana → yes", "Ana"; not "**Ana** said yes.", nor in lists and quotations
_SIGNS = r"(?:\s?\.?[*_~`\])]++(?!\s*[a-zà-ÿа-я])|\s?[:：;；→]|\s+>|\s*$)"
_TAG = r"(?:A_[PRT]|agree |hold )"
_TAGGED = rf"(?:(?:<!--(?:(?!-->).)*-->|\[{_TAG}[^\[\]\n]{{0,200}}\])\s*)?"  # an event may be marked before the name
_MAY_BE_LABEL = regex(
    rf"\s*{_TAGGED}(?:#+\s*)?{_TAGGED}(?:\*\*+ |(?:[*_~`(]|\[(?!{_TAG}))+)?{_TAGGED}"
    rf"(?P<name>\w.{{1,59}}?(?<![,.])|[^\x00-\x7f]){_SIGNS}"
)
_NOBODYS = 12
"""From how many words on text that is nobody's is told."""
_MANY = 4
"""How many labels of one form make one of another form strange."""


def turns(page: Page, form: Form) -> Problem:
    """The finding for a page on which no pattern opens a turn: what it did match, or the nearest line."""
    found = [(start.row, start.name.speaker) for start in matched_lines(page, form.patterns)]
    outside = [(index, name) for index, name in found if not page.layout.hidden[index]]
    if not found:
        return _nearest(page, form.patterns.turns, "error")
    if not outside:
        where = f"line {found[0][0] + 1}, but that is code, and so text"
    elif form.participants:
        names = first_few([*dict.fromkeys(repr(name) for _, name in outside)])
        where = f"{count(len(outside), 'line')}, but no participant speaks there: the names are {names}; declared are "
        where += ", ".join(one.name for one in form.participants)
    else:
        where = f"{count(len(outside), 'line')}, all of them in sections to be left out, or inside of blocks"
    return _problem(page, (outside or found)[0][0], f"{_name_patterns(page, form.patterns.turns)} matches {where}")


def sections(page: Page) -> Iterator[Problem]:
    """The findings for declared sections that no heading is called by: of ignored ones, those that one nearly is."""
    form = page.declared.form
    if not (form.sections or form.ignored):
        return
    import difflib  # 5 ms, and only where sections are declared

    titles = {heading.plain.casefold(): heading.plain for heading in page.headings}
    for key, wanted in (("transcript_section", form.sections), ("ignore_sections", form.ignored)):
        for title in wanted:
            near = [titles[other] for other in difflib.get_close_matches(title, titles, 1, 0.75)]
            if title not in titles and (near or key == "transcript_section"):
                message = f"{key}: no heading is called {title!r}{''.join(f'; did you mean {one!r}?' for one in near)}"
                line = page.declared.lines.get(key, page.declared.lines.get("transcript", 1))
                yield Problem("invalid-declaration", message, Region(line, 1, line, 1), "warning")


def names(page: Page, reading: Reading, fitting: Iterable[Start]) -> Iterator[Problem]:
    """The findings for labels that fit a pattern and only begin with a participant's name, one a name.

    Where a participant never speaks, another voice's name is told, too: one of both may have been renamed.
    """
    known = reading.form.by_spelling
    silent = {*known.values()} - {known.get(fold(start.name.speaker)) for start in reading.starts}
    shown = [one for one in fitting if not reading.layout.hidden[one.row]]
    for name, start in {fold(one.name.speaker): one for one in reversed(shown)}.items():
        begun = [one for one in known if name.startswith(one) and not (name + "-")[len(one)].isalnum()]
        if name in known or not (begun or (silent and is_voice(start.name))):
            continue
        other = f"not {known[begun[0]].name!r}" if begun else "no participant's"
        message = f"this fits the pattern, but its name is {start.name.speaker!r} and {other}, "
        message += "so it opens no turn: declare it as an alias, or write a field such as {? ({role})?} behind the name"
        yield _problem(page, start.row, message, "info")


def voices(page: Page, turns: Sequence[Turn], labels: Sequence[Label]) -> Iterator[Problem]:
    """The finding for voices that nobody declared: their labels come back, in the shape of the participants' labels."""
    opening = {turn.line - 1 for turn in turns}
    below = range(turns[0].line if turns else 0, len(page.lines))
    may_speak, _ = engine.sections(page, page.declared.form, opening)
    used = {label.form for label in labels if label.row in opening or not turns}
    alike = [label for label in labels if label.form in used]
    rows = {label.row for label in alike if label.row in below and may_speak[label.row]} - opening
    counts = Counter(label.name.key for label in alike if label.row in rows)
    groups = structure.score(page, alike) if any(often > 1 for often in counts.values()) else ()
    scores = ((group.scores[label.name.key], label) for group in groups for label in group.chosen if label.row in rows)
    left = by_key((label.name.key, label) for score, label in scores if score > structure.LIKELY)
    often = sorted((found for found in left.values() if len(found) > 1), key=len, reverse=True)
    if often:
        names = first_few([f"{found[0].name.speaker} ({len(found)} labels)" for found in often])
        so = "part of the turn above" if any(t.line <= often[0][0].row < t.end_line for t in turns) else "in no turn"
        who = "nobody declared is called" if page.declared.form.participants else "not taken for voices:"
        message = f"{who} {names}, so what stands there is {so}: declare them, too, if they speak"
        yield replace(_problem(page, often[0][0].row, message, "info"), evidence=UNDECLARED)


def strangers(page: Page, reading: Reading) -> Iterator[Problem]:
    """The finding for the few labels of declared names that look unlike all the others."""
    # "#" for a heading, "*" for emphasis, "-" for a list and so on; "" for a name
    signs = [page.lines[start.row].lstrip()[:1] for start in reading.starts]
    kinds = ["" if sign.isalnum() else sign for sign in signs]
    (common, often), *_ = Counter(kinds).most_common(1)
    others = [start.row for start, kind in zip(reading.starts, kinds, strict=True) if kind != common]
    if others and often >= _MANY * len(others):
        like = page.lines[reading.starts[kinds.index(common)].row].strip()[:60]
        message = f"taken as labels: {count(len(others), 'line')} such as {page.lines[others[0]].strip()[:60]!r}, "
        message += f"though {often} others look like {like!r}; if these are text, give a pattern"
        yield _problem(page, others[0], message, "info")


def inside(page: Page, left_out: Collection[int], why: str = _BY_SHAPE) -> Iterator[Problem]:
    """The finding for rows that may be labels and were taken as text, for their form alone or for what else is said."""
    if left_out:
        first = min(left_out)
        message = f"taken as text: {count(len(left_out), 'line')} such as {page.lines[first].strip()[:60]!r}, {why}"
        yield _problem(page, first, message, "info")


def in_plain_fences(page: Page, reading: Reading) -> Iterator[Problem]:
    """The finding for labels in plain fences of voices whose turns a person's pattern finds outside of them."""
    patterns, keys = reading.form.patterns, {start.name.key for start in reading.starts}
    if not reading.in_code or any(one.source == engine.REST for one in patterns.turns):
        return
    known = (one for one in matched_lines(page, patterns) if reading.form.participants or one.name.key in keys)
    rows = sorted({*reading.in_code} & {one.row for one in known})
    yield from inside(page, rows if page.layout.opened_by(rows) else (), IN_CODE)


def otherwise(page: Page, turns: Sequence[Turn], labels: Sequence[Label]) -> Iterator[Problem]:
    """The finding for lines that are a voice's name, or begin with it and a colon, in another form than its labels.

    Or with its marks, "**Ana** Yes.", "## Ana", inside of another voice's turn; or a heading with it and a time.
    """
    opening, known = {turn.line - 1: turn.speaker for turn in turns}, {fold(turn.speaker) for turn in turns}
    left = [one for one in labels if fold(one.name.speaker) in known and one.row not in opening and not one.column]
    left = [one for one in left if not one.form.is_listed and (not one.form.level or "time" in one.name.cut)]
    rows, within = {one.row for one in left if one.form.level or one.form.stop in ("colon", "line")}, ""
    begin = {re.split(r"\W", name.lstrip("_"), maxsplit=1)[0] for name in known}  # few lines hold one of these
    for row, line, _ in visible(page.lines, page.first, page.layout):
        within = opening.get(row, within)
        may_be = within and row not in opening and any(word in line[:90].casefold() for word in begin)
        found = _MAY_BE_LABEL.match(line.rstrip()) if may_be else None
        name = fold(found["name"]) if found else ""
        # "Ana" may stand alone, but not above or below the rest of a sentence.
        is_wrapped = found and found["name"] == line.strip() != "".join(page.lines[row - 1 : row + 2]).strip()
        rows |= {row} if name in known and name != fold(within) and not is_wrapped else set()
    yield from inside(page, rows)


def lines_of_names(page: Page, turns: Sequence[Turn]) -> set[int]:
    """The rows that begin with a declared name, end with a colon and open no turn: "Ana's reply:"."""
    names = "|".join(re.escape(name) for name in page.declared.form.by_spelling if name)
    line_of = re.compile(rf"[*_]{{0,3}}(?:{names})\b[^:：]{{1,60}}[:：][*_]{{0,3}}$", re.IGNORECASE)
    rows = (row for row, line, heading in visible(page.lines, page.first, page.layout) if not heading)
    return {row for row in rows if line_of.match(page.lines[row].rstrip())} - {turn.line - 1 for turn in turns}


def opening(page: Page, turns: Sequence[Turn], starts: Sequence[Start] = ()) -> Iterator[Problem]:
    """The finding for words without a label above the conversation's first one, which may be the person's."""
    first, label = turns[0], next((turn.line for turn in turns if turn.kind == "human"), 0)
    kinds = Counter(kind for _, kind in {(turn.speaker, turn.kind) for turn in turns})
    may_be_lost = first.kind == "agent" and kinds["agent"] == 1 and label
    if may_be_lost and (begin := bare_prompt(page, first.line - 1)) is not None:
        message = f"{first.speaker} speaks first, and what stands above has no label: it is nobody's. If the person"
        yield _problem(page, begin, f"{message} says it, write a label above it as in line {label}", "info")
    if starts and starts[0].pattern.source.startswith(OPENING):
        message = f"{turns[1].speaker} answers this, so it is read as a turn of {first.speaker}, though it has no label"
        yield _problem(page, starts[0].row, f"{message}; if it is a note, put a line `---` below it", "info")


def between(page: Page, turns: Sequence[Turn]) -> Iterator[Problem]:
    """The finding for text of a person's talk with a machine that stands below where a turn ends, and is nobody's."""
    for turn, below in zip(turns, [*(turn.line for turn in turns[1:]), len(page.lines) + 1], strict=True):
        rows = range(turn.end_line, below - 1)
        said = [row for row in rows if page.lines[row].strip() and not page.lines[row].lstrip().startswith(("#", "<"))]
        if sum(len(page.lines[row].split()) for row in said) >= _NOBODYS:
            message = f"nobody's: the text from here to line {said[-1] + 1}, because the turn of line {turn.line} ends"
            message += " above it; if it goes on, write the pattern of turns, without an end, below `transcript:`"
            yield _problem(page, next(row for row in rows if page.lines[row].strip()), message, "info")


def marks(page: Page, patterns: Patterns, reading: Reading) -> Iterator[Problem]:
    """The findings for patterns of rounds or ends that match nothing: errors if this file declares them.

    Those of a folder are for all its files, of which not each has a round or an end.
    """
    severity: Severity = "error" if page.declared.origin == "the frontmatter" else "info"
    opening = {start.row for start in reading.starts}
    for given in (patterns.rounds, patterns.ends):
        rows = [i for i in range(page.first, len(page.lines)) if any(pattern.match(page.lines[i]) for pattern in given)]
        if not given or not opening.issuperset(rows):
            continue
        if rows:
            message = f"{_name_patterns(page, given)} matches nothing but labels of turns, as line {rows[0] + 1}"
            message += ": a line is tried as a turn first, so make that pattern narrower, or declare participants"
            yield _problem(page, rows[0], message, severity)
        else:
            yield _nearest(page, given, severity)


def matched_lines(page: Page, patterns: Patterns) -> Iterator[Start]:
    """What a turn's pattern reads on the lines that it matches, whatever they are."""
    for row in range(page.first, len(page.lines)):
        starts = (read_turn(pattern, page.lines, row) for pattern in patterns.turns)
        yield from islice(filter(None, starts), 1)


def _nearest(page: Page, patterns: Sequence[Pattern], severity: Severity) -> Problem:
    message = f"{_name_patterns(page, patterns)} matches no line"
    near = nearest(patterns[0], page.lines[page.first :])
    if near is None:
        return Problem("invalid-declaration", message, Region(1, 1, 1, 1), severity)
    index, where = near[0] + page.first, near[1]
    message += f"; nearest is line {index + 1}, {page.lines[index].strip()[:80]!r}" + (f": {where}" if where else "")
    return _problem(page, index, message, severity)


def _problem(page: Page, index: int, message: str, severity: Severity = "error") -> Problem:
    region = Region(index + 1, 1, index + 1, len(page.lines[index]) + 1)
    return Problem("invalid-declaration", message, region, severity)


def _name_patterns(page: Page, patterns: Sequence[Pattern]) -> str:
    # A pattern may be compiled twice: for the declared names, and for any.
    sources = list(dict.fromkeys(pattern.source for pattern in patterns))
    several = f", the first of {len(sources)}," if len(sources) > 1 else ""
    of = " of the configuration" * (page.declared.origin == "the configuration")
    return f"the pattern {sources[0]!r}{of}{several}"
