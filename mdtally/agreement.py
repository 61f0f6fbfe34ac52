"""Two labelers of one log: how far they agree, and on which events they don't.

A rate is only as good as the labels under it. Two people label copies of one log, and the copies differ in nothing but
their annotations. So the annotations are cut out, the lines that remain are matched, and the events on matched lines
are compared in their order. Where one marks an event and the other none, that is a disagreement too.

Raw agreement is high wherever most events are plain ones. Cohen's kappa (1960) corrects for chance, but collapses where
one letter is rare, as "progressive" should be; Gwet's AC1 (2008) does not. Agreement on the rare letter itself is
told by the specific agreements of Cicchetti and Feinstein (1990). All are given; none is *the* number.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from mdtally.model import Comparison, Counts, Dispute, Letter, Region

__all__ = ["NONE", "align", "bare_lines", "compare", "pair_events", "statistics"]

NONE = "-"
"""Stands for "no event marked" in the table of pairs."""

_SPACE = re.compile(r"\s+")
# What is left of annotations where their events are cut out: the rest of a comment, or a tag that adds no event of its
# own ("[A_P] [A_T]" is one event), or a total.
_LEFT_OVER = re.compile(
    r"\[A\\?_[PRT]\b[^\]]*\]|#A_[PRT]\b|\bA\\?_[PRT]\b[ \t]*(?:::?|[=+])[ \t]*\d+|<!--[ \t]*-->", re.IGNORECASE
)
_SMALL = 100
"""Lines in a gap between matched ones up to which every pairing is tried; beyond, the gap stays unmatched."""
_LONG_LINE = 64
"""Events on a line up to which the best pairing is sought; beyond, they are paired from the left."""
_Pair = tuple["_Marked | None", "_Marked | None"]


@dataclass(frozen=True, slots=True)
class _Marked:
    """An event with the number of its line among the lines that are matched, -1 where its line has no counterpart."""

    letter: Letter
    line: int
    place: int


def compare(
    lines_a: Sequence[str],
    counts_a: Counts,
    lines_b: Sequence[str],
    counts_b: Counts,
    *,
    body_a: int = 1,
    body_b: int = 1,
) -> Comparison:
    """Compare two labelers of one log.

    Args:
        lines_a, lines_b: the lines of either file, ``lines[n - 1]`` being line n.
        counts_a, counts_b: what was counted in them; their events and tallies say where the annotations stand.
        body_a, body_b: the first line below either frontmatter, which is not part of the log.
    """
    text_a = [one for one in bare_lines(lines_a, counts_a) if one[0] >= body_a]
    text_b = [one for one in bare_lines(lines_b, counts_b) if one[0] >= body_b]
    matched = align([text for _, text in text_a], [text for _, text in text_b])
    place_a, place_b = _places(text_a, text_b, matched)
    events_a = [_Marked(event.letter, event.region.line, _at(place_a, event.region.line)) for event in counts_a.events]
    events_b = [_Marked(event.letter, event.region.line, _at(place_b, event.region.line)) for event in counts_b.events]
    pairs = _paired(events_a, events_b)
    table = Counter((a.letter if a else NONE, b.letter if b else NONE) for a, b in pairs)
    line_b = {place: line for line, place in reversed(place_b)}
    line_a = {place: line for line, place in reversed(place_a)}
    disputed = tuple(_dispute(a, b, line_a, line_b) for a, b in pairs if a is None or b is None or a.letter != b.letter)
    longest = max(len(text_a), len(text_b))
    return statistics(table, disputed, lines_matched=len(matched) / longest if longest else 1.0)


def statistics(
    table: Mapping[tuple[str, str], int], disputed: tuple[Dispute, ...] = (), lines_matched: float = 1.0
) -> Comparison:
    """The measures of agreement of a table of pairs of letters ("P", "R", "T", or `NONE`).

    The categories are the three letters, and "no event" where either labeler left one out. Kappa is None where both
    used one category only: chance alone agrees on everything, and there is nothing to correct.
    """
    total = sum(table.values())
    if not total:
        return Comparison(0, None, None, None, None, None, disputed, {}, lines_matched)
    categories = ["P", "R", "T"] + ([NONE] if any(NONE in pair for pair in table) else [])
    observed = sum(table.get((one, one), 0) for one in categories) / total
    of_a = {one: sum(count for (a, _), count in table.items() if a == one) / total for one in categories}
    of_b = {one: sum(count for (_, b), count in table.items() if b == one) / total for one in categories}
    by_chance = sum(of_a[one] * of_b[one] for one in categories)
    shares = [(of_a[one] + of_b[one]) / 2 for one in categories]
    by_chance_gwet = sum(share * (1 - share) for share in shares) / (len(categories) - 1)
    both = table.get(("P", "P"), 0)
    one_only = sum(count for (a, b), count in table.items() if (a == "P") != (b == "P"))
    neither = total - both - one_only
    return Comparison(
        events=total,
        agreement=observed,
        kappa=(observed - by_chance) / (1 - by_chance) if by_chance < 1 else None,
        ac1=(observed - by_chance_gwet) / (1 - by_chance_gwet),
        positive_agreement=2 * both / (2 * both + one_only) if both or one_only else None,
        negative_agreement=2 * neither / (2 * neither + one_only) if neither or one_only else None,
        disputed=disputed,
        table=dict(sorted(table.items())),
        lines_matched=lines_matched,
    )


def bare_lines(lines: Sequence[str], counts: Counts) -> list[tuple[int, str]]:
    """The lines without annotations and without differences of spacing, with their numbers; empty ones left out."""
    cuts: dict[int, list[tuple[int, int]]] = {}
    for region in {*(event.region for event in counts.events), *(tally.region for tally in counts.tallies)}:
        for line in range(region.line, region.end_line + 1):
            cuts.setdefault(line, []).append(_columns(region, line))
    bare = []
    for number, text in enumerate(lines, start=1):
        for start, end in sorted(cuts.get(number, ()), reverse=True):
            text = text[:start] + " " + text[end:]
        text = _SPACE.sub(" ", _LEFT_OVER.sub(" ", text)).strip()
        # A list item or quote that held only the annotation is nobody's text.
        if text.strip(" -*+>|#"):
            bare.append((number, text))
    return bare


def align(a: Sequence[str], b: Sequence[str]) -> list[tuple[int, int]]:
    """Indexes of matching lines, both rising.

    Equal ends first; between them, lines that occur once in either file (patience diff), and so on in the gaps; what
    has no such line is tried pair by pair where it is small. Copies of one log match at once, in linear time.
    """
    matched: list[tuple[int, int]] = []
    gaps = [(0, len(a), 0, len(b))]
    while gaps:
        a_start, a_end, b_start, b_end = gaps.pop()
        while a_start < a_end and b_start < b_end and a[a_start] == b[b_start]:
            matched.append((a_start, b_start))
            a_start, b_start = a_start + 1, b_start + 1
        while a_start < a_end and b_start < b_end and a[a_end - 1] == b[b_end - 1]:
            a_end, b_end = a_end - 1, b_end - 1
            matched.append((a_end, b_end))
        if a_start == a_end or b_start == b_end:
            continue
        anchors = _anchors(a, b, a_start, a_end, b_start, b_end)
        if anchors:
            before = (a_start, b_start)
            for anchor in [*anchors, (a_end, b_end)]:
                gaps.append((before[0], anchor[0], before[1], anchor[1]))
                if anchor != (a_end, b_end):
                    matched.append(anchor)
                before = (anchor[0] + 1, anchor[1] + 1)
        elif (a_end - a_start) * (b_end - b_start) <= _SMALL * _SMALL:
            matched.extend(_longest_common(a, b, a_start, a_end, b_start, b_end))
    return sorted(matched)


def pair_events(a: Sequence[Letter], b: Sequence[Letter]) -> list[tuple[int | None, int | None]]:
    """Pair two labelers' events of one line, in order, with as many equal letters and as few left over as can be.

    Returns:
        index pairs; None where the other one has no event.
    """
    if len(a) == len(b) or len(a) > _LONG_LINE or len(b) > _LONG_LINE:
        shared = min(len(a), len(b))
        pairs: list[tuple[int | None, int | None]] = [(i, i) for i in range(shared)]
        return pairs + [(i, None) for i in range(shared, len(a))] + [(None, j) for j in range(shared, len(b))]
    # Cost of pairing the rest from (i, j) on: an unequal pair is dearer than one left over, cheaper than two.
    cost = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in range(len(a), -1, -1):
        for j in range(len(b), -1, -1):
            ways = []
            if i < len(a) and j < len(b):
                ways.append(cost[i + 1][j + 1] + (0 if a[i] == b[j] else 3))
            if i < len(a):
                ways.append(cost[i + 1][j] + 2)
            if j < len(b):
                ways.append(cost[i][j + 1] + 2)
            cost[i][j] = min(ways, default=0)
    found: list[tuple[int | None, int | None]] = []
    i = j = 0
    while i < len(a) or j < len(b):
        if i < len(a) and j < len(b) and cost[i][j] == cost[i + 1][j + 1] + (0 if a[i] == b[j] else 3):
            found.append((i, j))
            i, j = i + 1, j + 1
        elif i < len(a) and cost[i][j] == cost[i + 1][j] + 2:
            found.append((i, None))
            i += 1
        else:
            found.append((None, j))
            j += 1
    return found


def _columns(region: Region, line: int) -> tuple[int, int]:
    """Which characters of a line a region covers, as a slice."""
    start = region.column - 1 if line == region.line else 0
    end = region.end_column - 1 if line == region.end_line else 1 << 30
    return start, end


def _places(
    a: Sequence[tuple[int, str]], b: Sequence[tuple[int, str]], matched: Sequence[tuple[int, int]]
) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """For either file, (line, place) of every bare line: matched lines share a place, others lie between."""
    place_a: list[tuple[int, int]] = []
    place_b: list[tuple[int, int]] = []
    place = i = j = 0
    for to_i, to_j in [*matched, (len(a), len(b))]:
        for index in range(i, to_i):
            place_a.append((a[index][0], place))
            place += 1
        for index in range(j, to_j):
            place_b.append((b[index][0], place))
            place += 1
        if to_i < len(a) and to_j < len(b):
            place_a.append((a[to_i][0], place))
            place_b.append((b[to_j][0], place))
            place += 1
        i, j = to_i + 1, to_j + 1
    return place_a, place_b


def _at(places: Sequence[tuple[int, int]], line: int) -> int:
    """The place of a line; an annotation on a line of its own belongs to the text above it."""
    index = bisect_left(places, (line + 1, -1)) - 1
    return places[index][1] if index >= 0 else -1


def _paired(a: Iterable[_Marked], b: Iterable[_Marked]) -> list[_Pair]:
    """Events in pairs, in the order of the log: those on the same line, then left over ones on neighbouring lines."""
    lines: dict[int, tuple[list[_Marked], list[_Marked]]] = {}
    for event in a:
        lines.setdefault(event.place, ([], []))[0].append(event)
    for event in b:
        lines.setdefault(event.place, ([], []))[1].append(event)
    pairs: list[_Pair] = []
    # Indexes of pairs on the line before in which only one labeler marked an event, oldest first.
    alone_a: deque[int] = deque()
    alone_b: deque[int] = deque()
    before = -2
    for place in sorted(lines):
        if place != before + 1:
            alone_a, alone_b = deque(), deque()
        before = place
        left_a: deque[int] = deque()
        left_b: deque[int] = deque()
        of_a, of_b = lines[place]
        for i, j in pair_events([one.letter for one in of_a], [one.letter for one in of_b]):
            one, other = (of_a[i] if i is not None else None), (of_b[j] if j is not None else None)
            # One labeler tagged the end of a line, the other the start of the next.
            if one is None and alone_a:
                index = alone_a.popleft()
                pairs[index] = (pairs[index][0], other)
                continue
            if other is None and alone_b:
                index = alone_b.popleft()
                pairs[index] = (one, pairs[index][1])
                continue
            if one is None:
                left_b.append(len(pairs))
            elif other is None:
                left_a.append(len(pairs))
            pairs.append((one, other))
        alone_a, alone_b = left_a, left_b
    return pairs


def _dispute(a: _Marked | None, b: _Marked | None, line_a: Mapping[int, int], line_b: Mapping[int, int]) -> Dispute:
    return Dispute(
        line_a=a.line if a else line_a.get(b.place) if b else None,
        line_b=b.line if b else line_b.get(a.place) if a else None,
        a=a.letter if a else None,
        b=b.letter if b else None,
    )


def _anchors(
    a: Sequence[str], b: Sequence[str], a_start: int, a_end: int, b_start: int, b_end: int
) -> list[tuple[int, int]]:
    """Lines that occur once in either stretch, as the longest chain that rises in both."""
    count_a, count_b = Counter(a[a_start:a_end]), Counter(b[b_start:b_end])
    where_b = {b[j]: j for j in range(b_start, b_end) if count_b[b[j]] == 1}
    pairs = [(i, where_b[a[i]]) for i in range(a_start, a_end) if count_a[a[i]] == 1 and a[i] in where_b]
    tails: list[int] = []
    ends: list[int] = []
    previous: list[int] = []
    for index, (_, j) in enumerate(pairs):
        rank = bisect_left(tails, j)
        previous.append(ends[rank - 1] if rank else -1)
        if rank == len(tails):
            tails.append(j)
            ends.append(index)
        else:
            tails[rank], ends[rank] = j, index
    chain = []
    index = ends[-1] if ends else -1
    while index >= 0:
        chain.append(pairs[index])
        index = previous[index]
    return chain[::-1]


def _longest_common(
    a: Sequence[str], b: Sequence[str], a_start: int, a_end: int, b_start: int, b_end: int
) -> Iterator[tuple[int, int]]:
    """The longest common subsequence of two small stretches."""
    height, width = a_end - a_start, b_end - b_start
    best = [[0] * (width + 1) for _ in range(height + 1)]
    for i in range(height - 1, -1, -1):
        for j in range(width - 1, -1, -1):
            same = a[a_start + i] == b[b_start + j]
            best[i][j] = best[i + 1][j + 1] + 1 if same else max(best[i + 1][j], best[i][j + 1])
    i = j = 0
    while i < height and j < width:
        if a[a_start + i] == b[b_start + j]:
            yield a_start + i, b_start + j
            i, j = i + 1, j + 1
        elif best[i + 1][j] >= best[i][j + 1]:
            i += 1
        else:
            j += 1
