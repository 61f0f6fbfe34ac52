"""The body of a log: every annotation with its place, what looks like one, and what is hidden or in doubt."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain, groupby

from mdtally.session.counts.forms import blot, read_comment, read_marks
from mdtally.session.counts.near import find_near
from mdtally.session.counts.notation import NAME, Mark, Stated, Tagged, Wrong, counter_of, readable
from mdtally.session.counts.runs import KEPT, PREFIX, Body, LabelLines, RunKind, TextRun, read_body, run_of
from mdtally.text.document import Document, once_a_document
from mdtally.text.layout import FENCE, INDENTED, RAW, Heading
from mdtally.text.line_parts import BULLET
from mdtally.text.model import COUNTERS, Counter, Event, Problem, Region, TallyLine
from mdtally.text.regex import regex

RULE = "my rule for this log"
EXPLANATIONS = ("how to tag", RULE)
"""Case-folded headings of the template's explanations: what is shown there is neither code in doubt nor misspelt. In
the person's own rule nothing counts."""

# [A_P: why], [A_T x2], #A_P, A_P +1, A_P: 3, <!-- A_P, [agree pressure=none
_TAG_IN_CODE = regex(
    rf"\[\s*(?i:{NAME})(?:\s*[:\]]| [x×]\d)|#(?i:{NAME})|(?i:{NAME})(?: \+|: | = )\d|<!--\s*(?i:{NAME})"
    r"|(?:\[|<!--)\s*(?i:agree|hold)\s+\w+="
)
# "A_P: asked twice, nothing new", "A_P — asked twice"
_WITH_WORDS = regex(rf"(?m)^[*_]{{0,2}}({NAME})(?:[*_]{{0,2}}::?[*_]{{0,2}}| [-–—]) +[^\W\d][^\n]*")
_SIGNS = frozenset("[#<:+=")  # one of which a tag has, or a total
_OPENING = 200  # characters of a comment that is never closed; a tag's words may go on behind them
# "\t- ", "    3. "
_LIST_MARK = regex(rf"\s*{BULLET}[ \t]")


class Statements:
    """What a body states, each in the order of the text; events by line, before marks of a line are taken together."""

    def __init__(self) -> None:
        self.lines: dict[int, list[Event]] = {}
        self.tallies: list[TallyLine] = []
        self.problems: list[Problem] = []
        self.near: list[Problem] = []

    def add(self, run: TextRun, mark: Mark, exempt: frozenset[int]) -> None:
        """Add a mark of a run; near misses in exempt lines are none."""
        region = run.region(mark.start, mark.end)
        if isinstance(mark, Tagged):
            event = Event(mark.letter, region, mark.fact, mark.note)
            self.lines.setdefault(region.line, []).extend([event] * mark.count)
        elif isinstance(mark, Stated):
            self.tallies.append(TallyLine(mark.counter, mark.value, region, mark.past))
        elif mark.rule != "near-miss-tag" or run.line(0) not in exempt:
            seen = readable(run.text[mark.start : mark.end])
            problem = Problem(mark.rule, mark.message, region, evidence=seen, hint=mark.hint)
            (self.near if mark.rule == "near-miss-tag" else self.problems).append(problem)


@once_a_document
def read_statements(document: Document, labels: LabelLines | None = None) -> Statements:
    """Everything that the body of a document states; ``labels`` as for ``read_body``."""
    body, stated = read_body(document, labels), Statements()
    exempt, ruled_out = _explanations(document, body, EXPLANATIONS), _explanations(document, body, (RULE,))
    marked: list[tuple[TextRun, Sequence[Mark]]] = []

    def with_marks(run: TextRun) -> tuple[TextRun, Sequence[Mark]]:
        return run, _read_marks(run.written, run.kind, body.defined)

    for rows, ruled in body.tables:
        from mdtally.session.counts.tables import read_table  # few logs have one

        cells, left = read_table(rows, ruled)
        marked += [*((cell, [mark]) for cell, mark in cells), *map(with_marks, left)]
    marked += map(with_marks, body.runs)
    shown_only = [(run, mark) for run, marks in marked if run.line(0) in ruled_out for mark in marks]
    marked = [(run, marks) for run, marks in marked if run.line(0) not in ruled_out]
    legend = _legend_lines(marked)
    for run, marks in marked:
        for mark in marks:
            if not (_legend(mark) and run.line(mark.start) in legend):
                stated.add(run, mark, exempt)
    for events in stated.lines.values():
        events.sort(key=lambda event: event.region)
    stated.tallies.sort(key=lambda tally: tally.region)
    cells_left = [run for run, _ in marked]
    stated.problems += [*_hidden(document, body, stated), *_tags_in_code(document, body, cells_left, exempt)]
    stated.problems += _in_rule(shown_only)
    is_beside = bool(stated.lines or stated.tallies)
    stated.near += _with_words([run for run, marks in marked if not marks and run.line(0) not in exempt], is_beside)
    stated.near.sort(key=lambda problem: problem.region)
    return stated


def _with_words(runs: Sequence[TextRun], is_beside: bool) -> Iterator[Problem]:
    """The notices of lines that begin with a counter and words, unless they explain the counters, each once.

    Beside what counts, one such line is words; several of one counter are events that somebody meant to mark.
    """
    found = [(run, match, counter_of(match[1])) for run in runs for match in _WITH_WORDS.finditer(run.text)]
    named = [counter for _, _, counter in found]
    if sorted(named) == sorted(COUNTERS):
        return
    repeated = {counter for counter in COUNTERS if named.count(counter) > 1}
    for run, match, counter in found:
        if not is_beside or (counter in repeated and not run.is_code(match.start(1))):
            message = f'"{readable(match[0][:60])}" is words, and counts nothing'
            hint = f"if it is an event, write [{match[1]}: why] behind the reply"
            region = run.region(*match.span())
            yield Problem("near-miss-tag", message, region, "error" if is_beside else "info", hint=hint)


@lru_cache(KEPT)
def _read_marks(written: str, kind: RunKind, defined: frozenset[str]) -> tuple[Mark, ...]:
    """What a run states, in the order of its text, and then what looks like a statement and is none."""
    run = run_of(written, kind)
    marks = read_comment(run.text) if kind == "comment" else read_marks(run.text)
    rest = blot(run.text, marks)
    if kind == "comment" and (marks or rest.startswith("mdtally-")):
        return tuple(marks)
    return (*marks, *find_near(run, rest, defined))


def _legend_lines(marked: Sequence[tuple[TextRun, Sequence[Mark]]]) -> frozenset[int]:
    """The lines of a list that explains the counters: each of the three once, and no mark below it in the file."""
    read = [(run.line(mark.start if mark else 0), mark) for run, marks in marked for mark in marks or (None,)]
    lines = [(line, mark and _legend(mark)) for line, mark in read]
    last = max((line for line, mark in read if mark and not _legend(mark)), default=0)
    blocks = [[*block] for is_named, block in groupby(lines, lambda one: bool(one[1])) if is_named]
    block = blocks[-1] if blocks else []
    is_legend = sorted(str(counter) for _, counter in block) == sorted(COUNTERS) and block[0][0] > last
    return frozenset(line for line, _ in block) if is_legend else frozenset()


def _legend(mark: Mark) -> Counter | None:
    """The counter that a mark explains, if its line may be one of a legend; else None."""
    return mark.legend if isinstance(mark, Wrong) else None


def _in_rule(marks: Sequence[tuple[TextRun, Mark]]) -> Iterator[Problem]:
    """The notice that tags in the person's own rule are not counted."""
    if regions := [run.region(mark.start, mark.end) for run, mark in marks if isinstance(mark, Tagged | Stated)]:
        message = f"tags and totals in the section on your rule are not counted ({len(regions)} here)"
        yield Problem("tag-in-code", message, min(regions), "info", hint="below another heading it counts")


def _explanations(document: Document, body: Body, titles: Sequence[str]) -> frozenset[int]:
    """The numbers of the lines in sections with one of these titles."""
    exempt: set[int] = set()
    first = level = 0
    for heading in chain(body.layout.headings, (Heading(len(document.lines), 0, ""),)):
        if first and heading.level <= level:
            exempt.update(range(first, heading.row + 1))
            first = 0
        if not first and heading.text.casefold() in titles:
            first, level = heading.row + 1, heading.level
    return frozenset(exempt)


def _tags_in_code(document: Document, body: Body, runs: Sequence[TextRun], exempt: frozenset[int]) -> Iterator[Problem]:
    """Tags that are code: a notice, how many and where; an error where a tab before a bullet made code of it."""
    quiet = [run.region(at, at + 1) for run in runs for at, code in run.code() if _find_tag(code)]
    for index, (kind, line) in enumerate(zip(body.layout.kinds, document.lines, strict=True)):
        if kind in (FENCE, INDENTED, RAW) and (tag := _find_tag(line)):
            region = Region(index + 1, tag.start() + 1, index + 1, tag.end() + 1)
            if kind != INDENTED or not _LIST_MARK.match(line):
                quiet.append(region)
            elif index + 1 not in exempt:
                message = "this list item is indented so far that it is code, and its tag does not count"
                hint = "indent it by fewer than four columns, or as a part of a list above it"
                yield Problem("tag-in-code", message, region, hint=hint)
    if quiet := sorted(region for region in quiet if region.line not in exempt):
        numbers = sorted({region.line for region in quiet})
        places = ", ".join(map(str, numbers[:10])) + (", ..." if len(numbers) > 10 else "")
        tags = f"{len(quiet)} tags or totals in code are" if len(quiet) > 1 else "1 tag or total in code is"
        message = f"{tags} not counted (line{'s' if len(numbers) > 1 else ''} {places})"
        yield Problem("tag-in-code", message, quiet[0], "info", hint="take the backticks or the fence away to count it")


def _find_tag(code: str) -> re.Match[str] | None:
    return None if _SIGNS.isdisjoint(code) else _TAG_IN_CODE.search(code)


def _hidden(document: Document, body: Body, found: Statements) -> Iterator[Problem]:
    """The first fence or comment above statements that nobody closed, or that holds another fence.

    What is never closed was read as text. To a Markdown renderer it hides all that follows, and nobody can tell what
    was meant; if nothing is stated there, it does not matter. "```", then "```python", then "```" closes the outer
    one, and from there on text and code have changed places.
    """
    regions = [*(tally.region for tally in found.tallies), *(problem.region for problem in found.problems)]
    stated = sorted({*found.lines, *(region.line for region in regions)})
    lines, opened = document.lines, list[tuple[int, int, str, str, int]]()
    for fence in body.layout.fences:
        line, inner = lines[fence.first], fence.inner or 0
        if inner and not lines[inner].lstrip(" ").startswith(fence.marker):
            inner = 0  # the outer one is longer, so that all is clear
        if inner or fence.last is None:
            what = "code fence" if fence.marker[0] in "`~" else "HTML block"
            opened.append((fence.first, len(line) - len(line.lstrip(" \t>")), what, fence.closing, inner))
    for comment in body.layout.comments:
        if not comment.closed:
            names = ("HTML comment", "-->") if comment.mark == "<!--" else ("Obsidian comment", "%%")
            opened.append((comment.first, comment.column, *names, 0))
    for index, column, what, closing, inner in sorted(opened):
        # Behind text in its line it is inline to a renderer, and hides nothing: "Put <!-- before the line."
        is_block = what != "HTML comment" or PREFIX.fullmatch(lines[index][:column])
        below = next((line for line in stated if is_block and line > index + 1), None)
        if below is None and what == "HTML comment" and read_comment(lines[index][column + 4 : column + 4 + _OPENING]):
            below = index + 1
        if below:
            message = f"this {what} is never closed and hides the counters below it, the first in line {below}"
            hint = f'close it with "{closing}"'
            if inner:
                message = f"this {what} holds what looks like another one (line {inner + 1}), and counters stand below"
                hint = "open and close the outer fence with more backticks than the inner one"
            region = Region(index + 1, column + 1, index + 1, len(lines[index].rstrip()) + 1)
            yield Problem("unclosed-block", message, region, hint=hint)
            return
