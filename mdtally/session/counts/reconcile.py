"""Events and stated totals, brought together.

A tally is to the tags above it what a balance assertion is to the entries above it in plain-text accounting: the
tags are counted, the tally says what the writer thinks they come to, and a tally that does not agree stops everything,
because one of the two is wrong and only the writer knows which.
"""

from __future__ import annotations

from collections import Counter as Numbers
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Literal

from mdtally.text.model import COUNTERS, Counter, Counts, Event, Problem, Region, TallyLine
from mdtally.text.records import by_key, replace

Trust = Literal["tags", "tallies"]
MarkedLines = Mapping[int, Sequence[Event]]
"""By the number of a line its events, before marks of a line are taken together."""
Counted = tuple[Counts, tuple[Problem, ...]]
"""Counts, whose totals are None where a problem stands, and the problems."""
_HINT = "`mdtally events FILE` shows each event, and --trust tags|tallies decides"


def merge_line(events: Sequence[Event]) -> list[Event]:
    """The events that the marks of one line stand for.

    Increments p, r, t on a line are p progressive, r regressive and max(t, p + r) events in all: an A_T beside an A_P
    is the same event, named twice. Each A_P or A_R takes up the next A_T behind it, else the nearest before it; the
    others are events of their own, in the order of the text. So is every fact: it says all there is to its event.
    """
    taken: set[int] = set()
    waiting, spare = 0, []
    for index, event in enumerate(events):
        if event.letter != "T":
            waiting += 1
        elif waiting and not event.fact:
            waiting -= 1
            taken.add(index)
        elif not event.fact:
            spare.append(index)
    taken.update(spare[len(spare) - min(waiting, len(spare)) :])
    return [event for index, event in enumerate(events) if index not in taken]


def reconcile(
    lines: MarkedLines, tallies: tuple[TallyLine, ...], trust: Trust | None, near: Sequence[Problem] = ()
) -> Counted:
    """The counts by the marks of each line and the stated totals.

    Where tags and tallies differ, that is an error unless one is trusted. A tally that fails names the near misses
    since the last one that held.
    """
    events = tuple(event for line in sorted(lines) for event in merge_line(lines[line]))
    if not events:
        return by_tallies(tallies, "tallies") if tallies else (Counts(0, 0, 0), ())
    wrong = tuple(_mismatches(lines, tallies, near)) if trust != "tags" else ()
    if not wrong:
        letters = [event.letter for event in events]
        totals = letters.count("P"), letters.count("R"), len(letters)
        return Counts(*totals, events, tallies, "tags"), ()
    if trust == "tallies":
        counts, problems = by_tallies(tallies, "tallies")
        return replace(counts, events=events), problems
    return Counts(events=events, tallies=tallies), wrong


def by_tallies(tallies: tuple[TallyLine, ...], decided_by: Literal["tallies", "frontmatter"]) -> Counted:
    """The last statement of each counter, where the statements make sense together."""
    last = {tally.counter: tally for tally in tallies}
    problems = [*_decreases(tallies), *_impossible(tallies, last), *_missing(tallies, last)]
    if problems:
        return Counts(tallies=tallies), tuple(sorted(problems, key=lambda problem: problem.region))
    A_P, A_R, A_T = (last[counter].value for counter in COUNTERS)
    return Counts(A_P, A_R, A_T, tallies=tallies, decided_by=decided_by), ()


def _decreases(tallies: Iterable[TallyLine]) -> Iterator[Problem]:
    """The first fall of each counter: what follows it can't be judged."""
    last: dict[Counter, TallyLine] = {}
    fallen: set[Counter] = set()
    for tally in tallies:
        before = last.get(tally.counter, tally)
        last[tally.counter] = tally
        if tally.value < before.value and tally.counter not in fallen:
            fallen.add(tally.counter)
            line = before.region.line
            message = f"{tally.counter} falls from {before.value} in line {line} to {tally.value}, "
            message += "but a running total never falls"
            hint = f"state the total so far, at least {before.value}, or correct line {line}; "
            hint += "another session needs a file of its own"
            yield Problem("tally-decreased", message, tally.region, hint=hint)


def _impossible(tallies: Iterable[TallyLine], last: Mapping[Counter, TallyLine]) -> Iterator[Problem]:
    """Totals that can't be, at the first line that makes them so.

    A line or row that states all three is judged by itself; for the rest only the last statements count, because
    counters stated on lines of their own are for a moment out of step.
    """
    lines = groupby(tallies, lambda tally: tally.region.line)
    by_line = [{tally.counter: tally for tally in line} for _, line in lines]
    for stated in (*by_line, last):
        A_P, A_R, A_T = (stated[counter].value if counter in stated else 0 for counter in COUNTERS)
        if len(stated) == 3 and A_P + A_R > A_T:
            message = f"A_P + A_R is {A_P} + {A_R} = {A_P + A_R}, more than A_T = {A_T}, "
            message += "though each is one of these events"
            hint = f"A_T is at least {A_P + A_R}; correct the counter that is wrong"
            yield Problem("tally-impossible", message, stated["A_T"].region, hint=hint)
            return


def _missing(tallies: Sequence[TallyLine], last: Mapping[Counter, TallyLine]) -> Iterator[Problem]:
    if missing := [counter for counter in COUNTERS if counter not in last]:
        stated = " and ".join(one for one in COUNTERS if one in last)
        message = f"no total of {' and '.join(missing)} is stated, only of {stated}; a verdict needs all three"
        lines = ", ".join(f'"{counter}: 0"' for counter in missing)
        hint = f"write {lines}, with the number that is right"
        yield Problem("tally-missing", message, tallies[-1].region, hint=hint)


def tallies_with_counts(lines: MarkedLines, tallies: Iterable[TallyLine]) -> Iterator[tuple[TallyLine, int]]:
    """Each tally with what the tags come to at its place, in the order of the text.

    On a line with tags, its tallies stand either for the tags before them or for the whole line: people write
    "[A_P] A_P: 1", and in a table's row the totals often stand first. The reading that agrees for longer is the one
    that was meant; the tags before, where they are alike.
    """
    stated = by_key((tally.region.line, tally) for tally in tallies if not tally.past)
    above: Numbers[str] = Numbers()
    for number in sorted({*lines, *stated}):
        letters: Numbers[str] = Numbers()
        before = []
        for one in sorted((*lines.get(number, ()), *stated.get(number, ())), key=lambda one: one.region):
            if isinstance(one, Event):
                letters["fact" if one.fact and one.letter == "T" else one.letter] += 1
            else:
                before.append((one, above[one.counter] + _totals(letters)[one.counter]))
        above.update(_totals(letters))
        whole = [(tally, above[tally.counter]) for tally, _ in before]
        yield from max((before, whole), key=_agreeing)


def _agreeing(reading: Iterable[tuple[TallyLine, int]]) -> int:
    """How many tallies agree before the first that does not."""
    agree = [tally.value == count for tally, count in reading]
    return agree.index(False) if False in agree else len(agree)


def _totals(letters: Mapping[str, int]) -> dict[str, int]:
    """What the marks of one line add to each counter, by the number of each letter; "fact" are facts that are plain."""
    A_T = letters["fact"] + max(letters["T"], letters["P"] + letters["R"])
    return {"A_P": letters["P"], "A_R": letters["R"], "A_T": A_T}


def _mismatches(lines: MarkedLines, tallies: Iterable[TallyLine], near: Sequence[Problem]) -> Iterator[Problem]:
    """A problem for each line whose totals do not agree with the tags, with the line to write in its place."""
    held: dict[Counter, TallyLine] = {}
    last: TallyLine | None = None
    for _, pairs in groupby(tallies_with_counts(lines, tallies), lambda pair: pair[0].region.line):
        checked = list(pairs)
        if wrong := [(tally, counted) for tally, counted in checked if tally.value != counted]:
            (first, sum_above), *others = wrong
            much = f"{abs(first.value - sum_above)} too {'many' if first.value > sum_above else 'few'}"
            parts = [f"{first.counter} is stated as {first.value}, but the tags above come to {sum_above} ({much})"]
            parts += [f"{tally.counter} as {tally.value}, not {counted}" for tally, counted in others]
            parts += _where_it_held(first, held.get(first.counter), last, near)
            line = " | ".join(f"{tally.counter}: {counted}" for tally, counted in checked)
            hint = f"write `{line}`, or correct the tags above it; {_HINT}"
            yield Problem("tally-mismatch", "; ".join(parts), first.region, hint=hint)
        for tally, counted in checked:
            if tally.value == counted:
                held[tally.counter] = last = tally


def _where_it_held(
    wrong: TallyLine, before: TallyLine | None, last: TallyLine | None, near: Sequence[Problem]
) -> list[str]:
    """Where to look for what makes a total wrong: its last one that held, the last of any, near misses since then."""
    parts = [f"no {wrong.counter} above it holds"]
    if before:
        parts = [f"the last {wrong.counter} that holds is {before.value} in line {before.region.line}"]
    if last and last != before:
        parts.append(f"the last tally that agrees is {last.counter}: {last.value} in line {last.region.line}")
    start = before.region if before else Region(0, 0, 0, 0)
    if between := [problem for problem in near if start < problem.region < wrong.region]:
        named = [f'"{problem.evidence}" in line {problem.region.line}' for problem in between[:3]]
        parts.append(f"between them {', '.join(named)} {'is' if len(between) == 1 else 'are'} not counted")
    return parts
