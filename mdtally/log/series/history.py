"""``summarise``: the calibration log to what it says, group by group, the worst first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import combinations
from pathlib import PurePath

from mdtally.log.record import FIELDS, Held, LogRecord, Pressed
from mdtally.log.series import sprt
from mdtally.log.series.ceiling import CARE, family
from mdtally.log.series.contrasts import Difference, difference, standardised_difference
from mdtally.log.series.rates import (
    ALPHA,
    FEWEST_SESSIONS,
    Clusters,
    alpha_share,
    deff,
    events_to_settle,
    is_settled,
)
from mdtally.log.series.reading import Sessions, thresholds_of, verdict_on
from mdtally.log.series.records import (
    Contrast,
    EventsOf,
    GroupHistory,
    History,
    Measure,
    Mix,
    PressedHistory,
    RateHistory,
    RateName,
    SessionRow,
    Trend,
)
from mdtally.log.series.spikes import spikes
from mdtally.project.settings.effective import LOW_CEILING
from mdtally.text.intervals import ENOUGH
from mdtally.text.line_parts import is_date
from mdtally.text.model import Qualifier, Verdict
from mdtally.text.percent import limit as shown_limit
from mdtally.text.records import by_key, field_names, pick
from mdtally.text.regex import regex

WINDOW = 20
"""Sessions with events that the rolling rate looks back on."""
MOST_COMPARED = 10
"""Groups that are compared with each other; of more, hardly any difference could be settled."""
KEYS = ("none", "family", *(key for key in FIELDS if key not in ("pressed", "held")))
"""What sessions can be grouped by: all that is one value."""
MEASURES: tuple[Measure, ...] = ("pressed", "sycophancy", "overcorrection")
RATES: tuple[RateName, ...] = ("sycophancy", "overcorrection")
# "0ccf1a04-1b4c-43b6-8aa5-79e41db43a68"
_ID = regex(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def summarise(
    log: Sessions,
    *,
    by: str = "none",
    split: str = "",
    families: Mapping[str, str] | None = None,
    window: int = WINDOW,
    ceiling: float | None = None,
) -> History:
    """What a calibration log says.

    Args:
        log: what was read of it.
        by: "none", "family" or a key of the lines that sessions are grouped by.
        split: a day, ISO 8601: the groups are the sessions before it and since then; "" for none. With ``by``, the
            difference is told within each group of that key, too, and standardised over them.
        families: globs of models to families, for those that a date behind the name does not tell.
        window: sessions with events in the rolling rate, one at least.
        ceiling: judge every session by this one; None takes the ceiling it was recorded with.

    Raises:
        ValueError: there is no such key or day, there are both, or window or ceiling can't be; the message says so.
    """
    if split and (not is_date(split) or len(split) != len("2026-05-01")):
        raise ValueError(f"a split takes a day, such as 2026-05-01; it is {split!r}")
    name_of = _since(split) if split else value_of(by, families or {})
    if not isinstance(window, int) or window < 1:
        raise ValueError(f"a rolling rate needs a window of at least one session, a whole number, not {window!r}")
    if ceiling is not None and not 0 <= ceiling <= 1:
        raise ValueError(f"the ceiling is {ceiling:g}; it must lie between 0 and 1")
    members = by_key((name_of(line), line) for line in log.records)
    called = Counter(name for line in log.records for name in (line.session, _words_of(line)) if name)
    twice = {name for name, times in called.items() if times > 1}
    # The sessions that stand out are sought over all groups together.
    marked = (spikes([counts_of(lines, rate) for lines in members.values()]) for rate in RATES)
    rows = {
        name: [*_to_rows(name, lines, ceiling, places, twice)]
        for (name, lines), *places in zip(members.items(), *marked, strict=True)
    }
    groups = [_group_history(name, of_group, window, len(members)) for name, of_group in rows.items()]
    if not split:
        groups.sort(key=_badness, reverse=True)
    differences = _contrasts([(group.group, members[group.group]) for group in groups])
    within = mix_of(log.records, by, value_of(by, families or {}), split) if split and by != "none" else None
    in_order = tuple(row for group in groups for row in rows[group.group])
    return History("split" if split else by, tuple(groups), tuple(differences), in_order, log, within)


def counts_of(lines: Sequence[LogRecord], measure: Measure) -> list[tuple[int, int]]:
    """The (successes, events) of sessions in a measure."""
    if measure == "pressed":
        return [(one.gave_in, one.times) if (one := line.pressed) else (0, 0) for line in lines]
    return [(line.A_P if measure == "sycophancy" else line.A_R, line.A_T) for line in lines]


# -- Groups -----------------------------------------------------------------------------------------------------------


def _group_history(name: str | None, rows: Sequence[SessionRow], window: int, groups: int) -> GroupHistory:
    lines = [row.line for row in rows]
    of_p, of_r = (_rate_history(rate, rows, window, groups) for rate in RATES)
    pairs = tuple(dict.fromkeys(_limits(row) for row in rows))
    totals = of_p.overall.successes, of_r.overall.successes, of_p.overall.events
    verdict = verdict_on(*totals, *pairs[0]) if len(pairs) == 1 and of_p.overall.events >= ENOUGH else None
    held = [line.held for line in lines if line.held]
    return GroupHistory(
        group=name,
        sessions=len(lines),
        events=of_p.overall.events,
        first=lines[0].date,
        last=lines[-1].date,
        **pick(verdict, "verdict also"),
        qualifier=_qualifier(verdict, of_p, of_r) if verdict else None,
        ceilings=pairs,
        models=tuple(dict.fromkeys(line.model for line in lines)),
        sycophancy=of_p,
        overcorrection=of_r,
        pressed=_pressed_history(lines),
        held=Held(sum(one.found for one in held), sum(one.none for one in held)) if held else None,
        window=window,
        warnings=tuple(_warnings(pairs)),
    )


def value_of(by: str, families: Mapping[str, str]) -> Callable[[LogRecord], str | None]:
    """What gives the name of a session's group; None stands for those that name none."""
    if by not in KEYS:
        from difflib import get_close_matches

        near = "".join(f"; did you mean {key}?" for key in get_close_matches(by, KEYS, n=1))
        raise ValueError(f"the lines of a log have no key {by!r}; they have {', '.join(KEYS[1:])}{near}")
    if by == "none":
        return lambda line: "all"
    if by == "family":
        of_model = lru_cache(maxsize=None)(lambda model: family(model, families))
        return lambda line: of_model(line.model)
    return lambda line: None if (found := getattr(line, by)) is None else str(found)


def _since(day: str) -> Callable[[LogRecord], str]:
    return lambda line: f"since {day}" if line.date[:10] >= day else f"before {day}"


def _limits(row: SessionRow) -> tuple[float, float]:
    """The ceiling and the floor that a session is judged by."""
    limits = row.verdict.thresholds
    return float(limits.sycophancy_ceiling), float(limits.overcorrection_floor)


def _rate_history(name: RateName, rows: Sequence[SessionRow], window: int, groups: int) -> RateHistory:
    """What is said of one of the two rates; so many groups share the 5 % of being wrong."""
    is_given_in = name == "sycophancy"
    counts = counts_of([row.line for row in rows], name)
    measured = [pair for pair in counts if pair[1]]
    limits = {ceiling if is_given_in else round(1 - floor, 12) for ceiling, floor in map(_limits, rows)}
    limit = limits.pop() if len(limits) == 1 else None
    sessions = Clusters(measured)
    effect = sessions.design_effect()
    overall = sessions.rate(effect.deff, ALPHA / groups, deff(sessions.used_to_settle(), sessions.mean_size))
    last = Clusters(measured[-window:])
    # The number of windows there have been: each has its share of alpha.
    windows = max(1, 1 + len(measured) - window)
    return RateHistory(
        name=name,
        limit=limit,
        rolling=last.rate(deff(effect.used, last.mean_size), alpha_share(ALPHA, windows)),
        overall=overall,
        settled=is_settled(sessions, limit, groups),
        more_events=events_to_settle(lambda times: is_settled(sessions.grown(times), limit, groups), sessions.events),
        trend=_trend(measured),
        spikes=tuple(row.line.session for row in rows if (row.spike if is_given_in else row.overcorrection_spike)),
        sprt=sprt.run(counts, (row.line.events for row in rows), limit, "P" if is_given_in else "R"),
        design_effect=effect,
    )


def _trend(counts: Sequence[tuple[int, int]]) -> Trend:
    """Whether the newer half of sessions with events differs from the older half."""
    half = len(counts) // 2
    if half < FEWEST_SESSIONS:
        return "unclear"
    # Both halves change with every session, so the sequence is asked for more than where one of them stands still.
    found = difference(Clusters(counts[:half]), Clusters(counts[half:]), alpha=ALPHA / 2)
    return "unclear" if not found.settled else "up" if found.difference > 0 else "down"


def _pressed_history(lines: Sequence[LogRecord]) -> PressedHistory | None:
    """What the lines' facts say of the times that the person pressed; None where no line has any."""
    with_facts = [line.pressed for line in lines if line.pressed]
    if not with_facts:
        return None
    answers = Pressed(*(sum(getattr(one, name) for one in with_facts) for name in field_names(Pressed)))
    holds = sum(line.held.found + line.held.none for line in lines if line.held)
    rate = Clusters(counts_of(lines, "pressed")).rate()
    by_letter = sum(line.A_P for line in lines) - answers.gave_in
    return PressedHistory(answers, rate, by_letter, max(0, holds - answers.held))


def _qualifier(verdict: Verdict, sycophancy: RateHistory, overcorrection: RateHistory) -> Qualifier:
    """How far a verdict over many sessions can be trusted: decisive where each rate that it rests on is settled."""
    rests_on = [sycophancy] if verdict.verdict == "SYCOPHANTIC" else [sycophancy, overcorrection]
    return "decisive" if all(rate.settled for rate in rests_on) else "suggestive"


def _contrasts(groups: Sequence[tuple[str | None, Sequence[LogRecord]]]) -> Iterator[Contrast]:
    """The differences between all groups with events, in each measure; several share the 5 % of being wrong."""
    for measure in MEASURES if len(groups) <= MOST_COMPARED else ():
        clusters = [(name, Clusters(counts_of(lines, measure))) for name, lines in groups]
        pairs = list(combinations([(name, one) for name, one in clusters if one.events], 2))
        for (a, first), (b, other) in pairs:
            yield Contrast(a, b, measure, *_difference(first, other, ALPHA / len(pairs)))


def _difference(first: Clusters, other: Clusters, alpha: float) -> tuple[Difference, int | None, EventsOf]:
    """A difference, and how many more events settle it: of both groups as they are, or of the smaller one if that does.

    Sessions of before a day can be labelled as well as those since.
    """

    def both(times: float) -> bool:
        return difference(first.grown(times), other.grown(times), alpha=alpha).settled

    def smaller(times: float) -> bool:
        pair = (first.grown(times), other) if first.events < other.events else (first, other.grown(times))
        return difference(*pair, alpha=alpha).settled

    of_both = events_to_settle(both, first.events + other.events)
    of_one = events_to_settle(smaller, min(first.events, other.events))
    found = difference(first, other, alpha=alpha)
    if of_one is None or (of_both is not None and of_both <= of_one):
        return found, of_both, "both"
    return found, of_one, "a" if first.events < other.events else "b"


# -- The mix ----------------------------------------------------------------------------------------------------------


def mix_of(lines: Sequence[LogRecord], by: str, name_of: Callable[[LogRecord], str | None], split: str) -> Mix:
    """What a day changed within each group of a key, which a function gives, and over them all as if their mix had not
    changed.

    A group weighs by its share of all events, on both sides, of the groups that have events on both; the others are
    left out. The interval adds the squares of the groups' (MOVER; Donner and Zou, Statistics in Medicine 21, 2002).
    """
    members: dict[str | None, tuple[list[LogRecord], list[LogRecord]]] = {}
    for line in lines:
        members.setdefault(name_of(line), ([], []))[line.date[:10] >= split].append(line)
    both = {name: sides for name, sides in members.items() if all(any(line.A_T for line in side) for side in sides)}
    within, standardised = [], []
    alpha = ALPHA / max(1, len(both))
    for measure in MEASURES:
        clusters = {name: [Clusters(counts_of(side, measure)) for side in sides] for name, sides in both.items()}
        pairs = {name: (first, other) for name, (first, other) in clusters.items() if first.events and other.events}
        contrast = partial(Contrast, f"before {split}", f"since {split}", measure)
        within += [contrast(*_difference(*sides, alpha), name or "(none)") for name, sides in pairs.items()]
        if pairs:
            standardised.append(contrast(standardised_difference([*pairs.values()]), None, within="standardised"))
    missing = tuple(str(name or "(none)") for name in members if name not in both)
    return Mix(by, tuple(within), tuple(standardised), missing)


# -- Sessions ---------------------------------------------------------------------------------------------------------


def _to_rows(
    group: str | None, lines: Sequence[LogRecord], ceiling: float | None, marked: Sequence[set[int]], twice: set[str]
) -> Iterator[SessionRow]:
    """A group's sessions with what is said of them; those called as one of another project are named with theirs.

    ``marked`` has the places of those that stand out by each of ``RATES``.
    """
    for place, line in enumerate(lines):
        own, floor = thresholds_of(line)
        verdict = verdict_on(line.A_P, line.A_R, line.A_T, own if ceiling is None else ceiling, floor)
        words = _words_of(line)
        title = f"{words} {line.session[:8]}" if words in twice else words or line.session
        title = f"{line.project or 'no project'}: {title}" if line.session in twice else title
        yield SessionRow(group, line, title, verdict, *(place in places for places in marked))


def _words_of(line: LogRecord) -> str:
    """The name of a recording's note, which tells a person more than its id does; "" if there is none."""
    return PurePath(line.source or "").stem if _ID.fullmatch(line.session) else ""


def _warnings(pairs: Sequence[tuple[float, float]]) -> Iterator[str]:
    ceilings = sorted({ceiling for ceiling, _ in pairs})
    if len(pairs) > 1:
        from_to = f"ceilings from {shown_limit(ceilings[0])} to {shown_limit(ceilings[-1])}"
        what = from_to if len(ceilings) > 1 else "different floors"
        yield f"These sessions were held against {what}, so they are not judged together; --ceiling judges all by one."
    if ceilings[0] < LOW_CEILING:
        yield f"A ceiling of {shown_limit(ceilings[0])} {CARE}"


def _badness(group: GroupHistory) -> tuple[float, float]:
    """What the groups are sorted by: how far the lower end of a rate's interval is above its limit, or near it."""
    ceilings, floors = zip(*group.ceilings, strict=True)
    # Of several limits the highest: what is above that one is above all.
    rates = ((group.sycophancy.overall, max(ceilings)), (group.overcorrection.overall, 1 - min(floors)))
    above = ((fits[0] - limit, (one.rate or 0.0) - limit) for one, limit in rates if (fits := one.interval_deflated))
    return max(above, default=(-2.0, -2.0))
