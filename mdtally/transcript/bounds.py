"""What stands between turns: the lines that open rounds, and those that end a turn without opening one.

Used for participants and for structure; a pattern says both itself, an exporter's form has its own.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final

from mdtally.text import rounds, words
from mdtally.text.layout import Heading, Layout
from mdtally.text.lines import is_rule
from mdtally.text.model import RoundNumber, SpeakerKind
from mdtally.text.names import Name, is_section, key_of, kind_of, plain
from mdtally.text.regex import regex
from mdtally.text.times import DATE, NEAR
from mdtally.transcript.labels.shapes import Label, LabelForm, form_of_line
from mdtally.transcript.page import Page, RoundMarks

# "━━━ Round 1 ━━━", "--- Round 1 ---", "**Round 1**", "=== ROUND 2 ==="
_RULED = regex(
    r"(?!.{201})\s*(?:[━═─=*_~#>-]{2,}\s*)(?P<text>[^━═─=]*?[^\W_][^━═─=]*?)(?P<closed>\s*[━═─=*_~-]{2,})?\s*:?\s*$"
)
_ASIDE = regex(r"\s*(?:<!--.*-->|[*_][^*_].*[*_]|>.*)\s*$")
# "*Debate finished. 5 rounds.*"
_COLOPHON = regex(r"(?:\*(?!\*)[^*]+\*|_(?!_)[^_]+_)\s*$|<details")
_FOOT: Final = 60
_BARE: Final = 14
"""Characters of the longest line that opens a round without any mark: "Round 1:", and no sentence."""
# "Tuesday", "2026-01-05"
_DAY = regex(rf"(?:{DATE}|{NEAR})(?!\w)")
_ANSWERS: Final = words.table("answer-sections")
# "**VERDICT: ❌ ELIMINATE** — both agree"
_CLOSING = regex(r"\W*\*\*\W*(?P<word>[^\W_]+)[^*]*\*\*")

# "**Moderator:** Tim Berg", "- Host: Ana (CTO)"
_ROLE = regex(
    r"[\s*_>-]{0,9}(?P<role>[^\W\d_][\w ]{2,30}?)[*_]*\s?[:：][*_\s]{0,9}(?P<name>[^\W\d_][^*|()]{0,60}?)[\s*]*(?:\(|$)"
)


def bounds(page: Page, layout: Layout, labels: Sequence[Label], *, session: bool) -> tuple[tuple[int, ...], RoundMarks]:
    """Where turns end without another one opening, and where rounds open.

    Args:
        page: the document.
        layout: what is code, with the fences that were ended at a label.
        labels: the labels of the turns, in order; not empty.
        session: a person and a machine talk, so that headings of any level are part of answers.

    Returns:
        ascending indices of lines that end a turn, and of those that open a round, with its number.
    """
    own = {label.row for label in labels} | {*_heading_bodies(page, layout, labels)}
    headings = [heading for heading in layout.headings if heading.text and heading.row not in own]
    leading = _leading(page, layout, labels) - own
    leading = _apart(page, headings, labels, leading) if session else leading
    holding = _holding(headings, labels, leading)
    if session and not any(one.row < labels[0].row and _opens_round(one.plain) for one in holding):
        holding = [one for one in holding if one.row in leading]  # "## Phase 2" of a plan is part of an answer
    ends = {*(marks := _marks(page, holding, leading))}
    lines, rising = [label.row for label in labels], sorted(leading)
    walls = _walls(headings, labels, leading)
    container = max(walls, default=0)
    # A heading as high that no label follows is one of theirs, too, if there are not more of those.
    others = [one for one in headings if one.row > lines[0] and one.row not in leading and one.level <= container]
    inner = 0  # headings as high as labels that are part of what is said
    for heading in headings:
        place = bisect_left(lines, heading.row)
        if not place:
            continue
        above = labels[place - 1]
        level = above.form.level or container
        high, last = not level or heading.level <= level, place == len(lines)
        before = row_above(page, heading.row)
        begins, is_ruled = above.body is None and before == above.row, is_rule(page.lines[before])
        is_beside = heading.level <= container and len(others) <= len(walls) and (last or is_ruled)
        is_apart = not (inner or begins) and (is_beside or (last and is_ruled and not level))
        if session:
            # below bold labels "## Summary", other than "## Verdict", is the answer's, unless a rule stands above
            is_own = not (level or is_ruled or _ANSWERS.isdisjoint(heading.plain.casefold().split())) or inner or begins
            ended = is_apart or (last and not is_own and is_section(heading.plain, strict=True))
        else:
            # "## Decisions" below "### Round 1", unless labels go on below it without a heading of theirs
            is_led = last or bisect_left(rising, heading.row) < bisect_left(rising, lines[place])
            is_higher = is_ruled and is_led and heading.level < min(level, container)
            ended = is_higher or is_apart or is_section(heading.plain, strict=not last)
            ended = ended or (last and level > 0 and not inner)
        if heading.row in leading or (high and ended):
            ends.add(heading.row)
        elif high:
            inner += 1
    if not session and all(not label.form.inside and label.form.mark == "bold" for label in labels):
        closings = ((row, _CLOSING.match(page.lines[row])) for row in range(lines[0], len(page.lines)))
        ends |= {row for row, closing in closings if closing and closing["word"].casefold() in words.table("closers")}
        ends -= own
    if (footer := _footer(page, lines[-1])) is not None:
        ends.add(footer)
    return tuple(sorted(ends)), marks


def _walls(headings: Sequence[Heading], labels: Sequence[Label], leading: Collection[int]) -> list[int]:
    """The levels of the headings that hold labels; the page's title is above all of it, but "# Monday" ends below."""
    days = [one.row for one in headings if one.level <= headings[0].level and _DAY.match(one.plain)]
    is_title = days[:1] != [one.row for one in headings[:1]] or days[-1:] < [labels[-1].row]
    return [one.level for one in headings[is_title:] if one.row in leading]


def row_above(page: Page, row: int) -> int:
    """The last row with text above one; 0 if there is none."""
    return next((at for at in range(row - 1, -1, -1) if page.lines[at].strip()), 0)


def _footer(page: Page, above: int) -> int | None:
    """The line at which the file's footer begins, below a rule: italics or details; None if there is none."""
    found: int | None = None
    for row in range(len(page.lines) - 1, max(above, len(page.lines) - _FOOT), -1):
        if is_rule(page.lines[row]):
            below = next((at for at in range(row + 1, found or len(page.lines)) if page.lines[at].strip()), None)
            if below is None or not _COLOPHON.match(page.lines[below].strip()):
                break
            found = below
    return found


def _leading(page: Page, layout: Layout, labels: Sequence[Label]) -> frozenset[int]:
    """Headings and ruled lines of rounds that labels follow at once; blank lines, rules and comments aside.

    A heading that is deeper than the next one holds nothing of what stands below that.
    """
    found: set[int] = set()
    headings = {heading.row: heading.level for heading in layout.headings}
    opening = {label.row for label in labels}
    for label in labels:
        index, level = label.row - 1, 6
        while index >= page.first and index not in opening and headings.get(index, 0) <= level:
            line, level = page.lines[index], headings.get(index, level)
            ruled = None if is_rule(line) else _RULED.match(line)
            text = ruled["text"] if ruled else line if len(line) <= _BARE else ""
            if index in headings or (ruled and ruled["closed"]) or (text and rounds.parse(plain(text))):
                found.add(index)
            elif line.strip() and not is_rule(line) and not _ASIDE.match(line):
                break
            index -= 1
    return frozenset(found)


def _heading_bodies(page: Page, layout: Layout, labels: Sequence[Label]) -> Iterator[int]:
    """Headings that are all that a label says, "### Why?" below "**User:**": deeper than it, of no round or section.

    A sentence is of no section: "## My verdict: it holds."
    """
    headings = {heading.row: heading.level for heading in layout.headings}
    for label, stop in zip(labels, [*(label.row for label in labels[1:]), len(page.lines)], strict=True):
        below = range(label.row + 1, stop) if label.body is None else ()
        rows = [at for at in below if page.lines[at].lstrip()[:4] not in ("", "<!--") and not is_rule(page.lines[at])]
        if rows and label.form.level < headings.get(rows[0], 0) and headings.keys() >= {*rows}:
            title = page.lines[rows[0]].strip()
            named = _opens_round(plain(title)) or is_section(plain(title), strict=True)
            yield from () if named and title[-1] not in ".?!…。？！" else rows[:1]


def _apart(page: Page, headings: Sequence[Heading], labels: Sequence[Label], leading: frozenset[int]) -> frozenset[int]:
    """Those of a chat that are no answer's end, as "### Next step" above "**Shall I go on?**" is.

    A heading is none above the first label, below a rule, or where others of its level stand right above labels, too;
    another line if it opens a round: "**Round 2**".
    """
    opened = {label.row for label in labels if label.body is None}
    above = {row: row_above(page, row) for row in leading}
    levels = {one.row: one.level for one in headings if one.row in leading and above[one.row] not in opened}
    counts = Counter(levels.values())
    apart = {row for row, level in levels.items() if counts[level] > 1 or is_rule(page.lines[above[row]])}
    ruled = leading - {one.row for one in headings}
    apart |= {row for row in ruled if rounds.parse(plain(page.lines[row].strip("━═─=~- ")))}
    return frozenset(row for row in leading if row < labels[0].row or row in apart)


def _marks(page: Page, holding: Sequence[Heading], leading: frozenset[int]) -> RoundMarks:
    """The lines that open rounds, by the plainest word for a round that the page has, and its stages."""
    declared = page.declared.form
    if declared.rounds == "none":
        return {}
    ruled = {row: match["text"] if (match := _RULED.match(page.lines[row])) else page.lines[row] for row in leading}
    titles = {heading.row: heading.plain for heading in holding}
    found = {row: one for row, title in ({**ruled, **titles}).items() if (one := rounds.parse(plain(title)))}
    rank = min((one.rank for one in found.values()), default=0)
    marks: dict[int, RoundNumber | None] = {row: found[row].number for row in sorted(found) if found[row].rank == rank}
    # "Round 2: votes" below "Round 1"
    others = ((row, rounds.parse(plain(title), True)) for row, title in titles.items() if row not in found)
    more = {row: one.number for row, one in others if one and one.rank == rank and one.number not in marks.values()}
    marks = dict(sorted((marks | more).items()))
    counted = [(row, number) for row, number in marks.items() if number is not None]
    stages = 0
    for row, title in titles.items():
        stage = rounds.stage(title)
        told = declared.stage_in(title)
        if told is not None:
            marks[row] = told
        elif stage is not None and not counted:  # stages alone count as rounds, if they don't begin with the closing
            if stages or stage != 3:
                stages += 1
                marks[row] = stages
        elif stage == 1 and row < counted[0][0]:
            marks[row] = counted[0][1] - 1
        elif stage is not None and row > counted[-1][0]:
            marks[row] = counted[-1][1] + 1
    return dict(sorted(marks.items()))


def _opens_round(title: str) -> bool:
    return bool(rounds.parse(title) or rounds.stage(title))


def _holding(headings: Sequence[Heading], labels: Sequence[Label], leading: frozenset[int]) -> list[Heading]:
    """The headings below which a label stands before the next heading of their level or higher, in order.

    One that is deeper than that label holds it only if the label follows at once.
    """
    lines, following, found = [label.row for label in labels], dict[int, int](), list[Heading]()
    for heading in reversed(headings):
        place = bisect_left(lines, heading.row)
        after = min((row for level, row in following.items() if level <= heading.level), default=lines[-1] + 1)
        if place < len(lines) and lines[place] < after:
            level = labels[place].form.level or 6
            found += [heading] if heading.level <= level or heading.row in leading else []
        following[heading.level] = heading.row
    return found[::-1]


def among_fields(page: Page, found: Mapping[int, LabelForm]) -> set[int]:
    """Rows of labels above the first section that stand among fields of their shape: "**Date:** May", "**Host:** Ana".

    Or beside one on their line: "**Agent:** Claude | **Human:** Ana".

    Args:
        page: the document.
        found: the labels' forms by row, levels of headings aside.
    """
    walls = [heading for heading in page.headings if heading.row not in found]
    titled = len(walls) > 1 and walls[0].level < walls[1].level
    stop = walls[titled].row if walls else -1
    is_subtitled = titled and not any(map(str.strip, page.lines[walls[0].row + 1 : stop]))
    if len(walls) + titled < 2 or is_subtitled:  # nothing but a title, or two: up to the first rule
        below = range(page.first, walls[2].row if len(walls) > 2 else len(page.lines))
        stop = next((row for row in below if is_rule(page.lines[row])), stop)
    dropped: set[int] = set()
    paragraph: list[int] = []
    for row in range(page.first, stop + 1):
        if page.lines[row].strip() and not page.layout.hidden[row]:
            paragraph.append(row)
            continue
        labels = found.keys() & paragraph
        forms = {found[at] for at in labels}
        is_headed = any(form.mark == "heading" for form in forms)
        beside = [part for at in paragraph for part in page.lines[at].split(" | ")[at in labels :]]
        if not is_headed and beside and all(form_of_line(part) in forms for part in beside):
            dropped |= labels
        elif labels:
            break  # somebody speaks: the fields stand above
        paragraph = []
    return dropped


def roles(page: Page, first: Mapping[str, int]) -> dict[int, tuple[str, SpeakerKind]]:
    """By row of a field in the head that makes a voice a moderator or a person, that voice's key and its kind.

    None if turns are labelled with the role, too: "**Judge:** Claude" above "### Claude" and "### Judge".

    Args:
        page: the document.
        first: by key of a voice the row above which its field may stand.
    """
    head = enumerate(page.lines[page.first : page.first + _FOOT], page.first)
    given = ((row, key_of(one["name"]), Name(one["role"])) for row, line in head if (one := _ROLE.match(line)))
    fields = ((row, key, role) for row, key, role in given if first.get(role.key, row) == row < first.get(key, 0))
    return {row: (key, kind) for row, key, one in fields if (kind := kind_of(one)) in ("moderator", "human")}
