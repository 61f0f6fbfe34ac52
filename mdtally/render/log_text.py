"""``plan``, ``compare``, ``history --suggest-ceiling`` and ``log check`` for a person: sentences, then numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from mdtally.intervals import ENOUGH
from mdtally.output import page as pages
from mdtally.output import safe
from mdtally.output.page import PageContent, Section, Table
from mdtally.output.style import Options, count
from mdtally.percent import at_most, limit, percent
from mdtally.series.ceiling import NEEDED, NEWEST
from mdtally.series.plan import EVENTS_A_REPLY, MORE_KEYS_AN_EVENT

if TYPE_CHECKING:
    from mdtally.agreement import Agreement, Comparison, Labelers
    from mdtally.series.ceiling import Suggestion
    from mdtally.series.plan import Labelling, Plan
    from mdtally.series.reading import LineProblem


def plan(planned: Plan, options: Options) -> str:
    """A plan, in sentences; a table of the work."""
    ceiling, rate, before, since = map(limit, (planned.ceiling, planned.rate, planned.before, planned.since))
    often, more = limit(planned.power), "more" if planned.rate > planned.ceiling else "no more"
    either = f"{_sessions(planned.one_look)} {'since' if planned.have else 'before and as many since'}"
    given = f"With {count(planned.have, 'session')} of before, a" if planned.have else "A"
    events = f" ({count(planned.events_for_decisive, 'event')})" if planned.events_for_decisive else ""
    sentences = [
        f"A true rate of {rate} is told to be {more} than the {ceiling} that you allow {often} of the time after"
        f" {_sessions(planned.sessions)}{events}, however often you look.",
        f"{given} change from {before} to {since} shows in one look {often} of the time after {either}; it is settled"
        f" after {_sessions(planned.settled)}{'' if planned.have else ' either way'}, however often you look.",
        f"To label them takes a key for each reply and {MORE_KEYS_AN_EVENT} more for an event, about one reply in"
        f" {1 / EVENTS_A_REPLY:.0f}. A survey draws replies of many sessions, so that they are less alike, and looks"
        " once.",
    ]
    if not planned.rho:
        sentences.append("Events of one session are usually alike: --rho 0.1 plans for that.")
    rows = [
        (f"{rate} against {ceiling}", *(_labelling(way.decisive) for way in (planned.review, planned.survey))),
        (f"{before} to {since}", *(_labelling(way.settled) for way in (planned.review, planned.survey))),
    ]
    alike = f", correlated by {planned.rho:g}" if planned.rho else ""
    title = f"Sessions of {count(planned.session_size, 'event')}{alike}"
    table = Table(("", "by review", "by survey"), tuple(rows))
    return pages.text(PageContent("", (), (Section(title, sentences=tuple(sentences), tables=(table,)),)), options)


def _sessions(number: int | None) -> str:
    return "more sessions than anybody has" if number is None else count(number, "session")


def _labelling(work: Labelling | None) -> str:
    """``2,900 keys, 183 minutes``: keys with two digits, as a guess deserves."""
    if work is None:
        return "-"
    unit = 10 ** max(0, len(str(work.keys)) - 2)
    return f"{-(-work.keys // unit) * unit:,} keys, {count(work.minutes, 'minute')}"


def comparison(found: Labelers, options: Options) -> str:
    """How far two labelers agree, over all sessions and in each, and where they don't."""
    letters, many = found.letters, len(found.sessions) > 1
    of_sessions = f" of {count(len(found.sessions), 'session')}" if many else ""
    doubts = [f"Fewer than {ENOUGH} events: these numbers mean little."] if letters.events < ENOUGH else []
    doubts += [
        f"Only {percent(one.lines_matched)} of the lines of {one.session or one.a} are in both files: not one log?"
        for one in found.sessions
        if one.lines_matched < _ONE_LOG
    ]
    if found.a == found.b:
        doubts.append(f"Both sides are the same ({found.a}): this does not say how far two people agree.")
    if found.unmatched:
        names, more = found.unmatched[:_NAMED], len(found.unmatched) - _NAMED
        others = f" and {count(more, 'other')}" if more > 0 else ""
        doubts.append(f"Labelled by one of them only, or not to be matched: {', '.join(names)}{others}.")
    measures = [
        _measured("raw agreement", letters.agreement),
        _measured("Cohen's kappa", letters.kappa, letters.kappa_interval),
        _measured("agreement on giving in (A_P)", letters.positive_agreement),
        _measured("agreement on not giving in", letters.negative_agreement),
    ]
    facts = [_row(f"{name}, as facts say", one) for name, one in found.facts.items() if one.events]
    sessions = [_row(one.session, one.letters) for one in found.sessions] if many else []
    disputes = [row for one in found.sessions for row in _disputes(one)]
    headings = ("events:", "agreement:", "kappa:", "")
    tables = (
        Table(("", "value:", "95% interval"), tuple(measures)),
        Table(("", *headings), tuple(facts)),
        Table(("session", *headings), tuple(sessions)),
        Table((found.a, found.b, count(len(disputes), "disputed event")), tuple(disputes)),
    )
    agreed = f"the same letter for {_agreed(letters)} of {count(letters.events, 'event')}{of_sessions}"
    section = Section(f"{found.a} and {found.b}", agreed, notes=tuple(doubts), tables=tables)
    return pages.text(PageContent("", (), (section,)), options)


_NAMED = 10
"""Sessions that can't be compared of which the names are shown."""
_ONE_LOG = 0.8
"""Share of lines in both files below which they are hardly copies of one log."""


def _agreed(one: Agreement) -> str:
    return f"{round((one.agreement or 0.0) * one.events):,}"


def _measured(name: str, value: float | None, interval: tuple[float, float] | None = None) -> tuple[str, ...]:
    return name, _measure(value), " to ".join(_measure(end, 2) for end in interval) if interval else ""


def _row(name: str, one: Agreement) -> tuple[str, ...]:
    little = "means little" if one.events < ENOUGH else ""
    return name, f"{one.events:,}", _measure(one.agreement), _measure(one.kappa), little


def _disputes(one: Comparison) -> Iterator[tuple[str, ...]]:
    """A row for each event that two labelers differ on: what either says, and where."""
    for dispute in one.disputed:
        letters = (f"A_{letter}" if letter else "no event" for letter in (dispute.a, dispute.b))
        places = [f"{path}:{line}" for path, line in ((one.a, dispute.line_a), (one.b, dispute.line_b)) if line]
        yield (*letters, " and ".join(places) or f"{one.session}: lines not known")


def _measure(value: float | None, least: int = 3) -> str:
    """A measure with as many digits as it takes not to look like 0 or 1 where it is not."""
    if value is None:
        return "undefined"
    shown = (f"{value:.{digits}f}" for digits in range(least, 10))
    return next((one for one in shown if float(one) not in (0, 1) or abs(float(one) - value) < 1e-9), f"{value:.0f}")


def suggestions(suggested: Sequence[Suggestion], options: Options) -> str:
    """Suggested ceilings, or why there are none."""
    sections = tuple(_suggestion(one) for one in suggested)
    return pages.text(
        PageContent("", () if sections else ("No ceiling suggested: the log holds no session.",), sections), options
    )


def _suggestion(one: Suggestion) -> Section:
    name = "(no model)" if one.family is None else one.family
    if one.ceiling is None or one.rate is None or one.policy is None:
        return Section(name, f"no ceiling suggested: {one.sessions} of {NEEDED} sessions with events")
    newest = f" of its newest {NEWEST} sessions" if one.sessions > NEWEST else ""
    sentence = (
        f"It gave in {percent(one.rate, one.ceiling)} of the time, over {one.events:,} events{newest}; with 95%"
        f" certainty no more than {at_most(one.upper)}. You allow {limit(one.policy)} now."
    )
    return Section(name, f"ceiling {limit(one.ceiling)}", sentences=(sentence,), notes=one.warnings)


def line_problems(problems: Sequence[LineProblem], options: Options) -> Iterator[str]:
    """The problems of the lines of logs, as findings."""
    paint = options.palette.paint
    for one in problems:
        place = f"{paint(safe.path(one.log), 'strong')}:{one.line}"
        yield f"{place}: {paint('error', 'error')}: {one.kind}: {safe.terminal(one.message)}\n"
