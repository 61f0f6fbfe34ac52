"""``plan``, ``compare``, ``history --suggest-ceiling`` and ``log check`` for a person, a line at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from mdtally.intervals import ENOUGH
from mdtally.percent import at_most, chance, limit, percent
from mdtally.render import page as pages
from mdtally.render import safe
from mdtally.render.style import Options, count

if TYPE_CHECKING:
    from mdtally.agreement import Comparison, Labelers
    from mdtally.series.ceiling import Suggestion
    from mdtally.series.plan import Plan
    from mdtally.series.reading import LineProblem


def plan(planned: Plan, options: Options) -> Iterator[str]:
    """A plan, a sentence a line."""
    p0, p1 = percent(planned.test.p0, planned.test.p1), percent(planned.test.p1, planned.test.p0)
    less = percent(round(planned.test.p0 - planned.difference, 12), planned.test.p0)
    power, size = percent(planned.power_wanted), count(planned.session_size, "event")
    alike = f", correlated by {planned.rho:g} (worth {1 / planned.deff:.2f} of independent ones)" if planned.rho else ""
    many = count(planned.restarted_sessions, "session")
    yield options.palette.paint(f"Telling {p0} from {p1} with sessions of {size}{alike}:", "strong") + "\n"
    sentences = [
        f"The verdict on one session is decisive {power} of the time or more from {planned.events_for_decisive:,}"
        f" events on, if the true rate is {p1}.",
        f"Over several sessions such a rate is settled {power} of the time after"
        f" {_sessions(planned.sessions_to_settle)}, however often you look.",
        f"A rate that falls from {p0} to {less} shows so in one look {power} of the time after"
        f" {_sessions(planned.sessions_for_difference)} before and as many since; it is settled after"
        f" {_sessions(planned.sessions_to_settle_difference)} either way, however often you look.",
        f"One sequential test wrongly favours {p1} in {chance(planned.false_h1)} of cases where the true rate is {p0},"
        f" and rightly in {chance(planned.power)} of cases where it is {p1}; it takes about"
        f" {planned.expected_events_h0:.0f} events at {p0}, and about {planned.expected_events_h1:.0f} at {p1}.",
        f"`history` starts a new test after each decision: over {many} at least one of them wrongly favours {p1} in"
        f" {chance(planned.restarted_false_h1)} of logs at {p0}, and rightly in {chance(planned.restarted_power)}"
        f" of logs at {p1}.",
    ]
    if not planned.rho:
        sentences.append(
            "Events of one session are usually alike: --rho 0.1 plans for that. `history` assumes 0.2 until the log"
            " tells, so it errs less and takes longer."
        )
    yield from (f"{line}\n" for words in sentences for line in pages.sentence(words, options))


def _sessions(number: int | None) -> str:
    return "more sessions than anybody has" if number is None else count(number, "session")


def comparison(found: Labelers, options: Options) -> Iterator[str]:
    """How far two labelers agree, over all sessions and in each, and where they don't."""
    paint, letters = options.palette.paint, found.letters
    a, b, sessions = safe.path(found.a), safe.opening(found.b), count(len(found.sessions), "session")
    yield paint(f"{a} and {b}: {count(letters.events, 'event')} of {sessions}", "strong") + "\n"
    if letters.events < ENOUGH:
        yield paint(f"  fewer than {ENOUGH} events: these numbers mean little", "warning") + "\n"
    for label, value, interval in (
        ("raw agreement", letters.agreement, letters.agreement_interval),
        ("Cohen's kappa", letters.kappa, letters.kappa_interval),
        ("Gwet's AC1", letters.ac1, letters.ac1_interval),
        ("agreement on giving in (A_P)", letters.positive_agreement, None),
        ("agreement on not giving in", letters.negative_agreement, None),
    ):
        between = f"  (95% interval {interval[0]:.2f} to {interval[1]:.2f})" if interval else ""
        yield f"  {label:<28}  {_measure(value)}{between}\n"
    for name, one in found.facts.items():
        if one.events:
            little = "; means little" if one.events < ENOUGH else ""
            yield f"  {name + ' (facts)':<28}  {_measure(one.agreement)}  AC1 {_measure(one.ac1)}"
            yield f"  ({count(one.events, 'event')}{little})\n"
    for session in found.sessions:
        one = session.letters
        if len(found.sessions) > 1:
            little = "; means little" if one.events < ENOUGH else ""
            yield f"  {paint(safe.opening(session.session), 'strong')}: {count(one.events, 'event')}, raw agreement"
            yield f" {_measure(one.agreement)}, kappa {_measure(one.kappa)}, AC1 {_measure(one.ac1)}{little}\n"
        yield from _disputes(session, options)
    for name in found.unmatched:
        yield f"  labelled by one of them only, or not to be matched: {safe.terminal(name)}\n"


def _disputes(one: Comparison, options: Options) -> Iterator[str]:
    if one.lines_matched < 0.8:
        shared = percent(one.lines_matched)
        words = f"  only {shared} of the lines are in both files: not one log?"
        yield options.palette.paint(words, "warning") + "\n"
    if one.disputed:
        yield f"  {count(len(one.disputed), 'disputed event')}:\n"
    for dispute in one.disputed:
        left, right = (f"A_{letter}" if letter else "no event" for letter in (dispute.a, dispute.b))
        lines = ((one.a, dispute.line_a), (one.b, dispute.line_b))
        places = [f"{safe.path(path)}:{line}" for path, line in lines if line is not None]
        yield f"    {' and '.join(places) or 'lines not known'}: {left} against {right}\n"


def _measure(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"


def suggestions(suggested: Sequence[Suggestion], options: Options) -> Iterator[str]:
    """Suggested ceilings, or why there are none."""
    paint = options.palette.paint
    if not suggested:
        yield "No ceiling suggested: the log holds no session.\n"
    for one in suggested:
        name = paint(safe.opening(one.family) if one.family is not None else "(no model)", "strong")
        if one.ceiling is None or one.rate is None or one.policy is None:
            yield f"{name}: no ceiling suggested: {one.sessions} of {one.needed} sessions with events\n"
            continue
        of_first = one.rate_name == "sycophancy"
        did = "gave in" if of_first else "held without evidence"
        yield f"{name}: {'ceiling' if of_first else 'limit on overcorrection'} {limit(one.ceiling)}\n"
        yield (
            f"  It {did} {percent(one.rate, one.ceiling)} of the time, over {one.events:,} events;"
            f" with 95% certainty no more than {at_most(one.upper)}. You allow {limit(one.policy)} now.\n"
        )
        alarms = ", ".join(f"{most} of {size}" for size, most in one.alarms)
        yield f"  Not a ceiling, but an alarm for one session: more than {alarms} is chance in 1 of 20 at most.\n"
        if one.held_out and one.held_out_ceiling is not None:
            k, n = one.held_out
            place = "over" if k / n > one.held_out_ceiling else "not over"
            yield (
                f"  A check: without its last 5 sessions the suggestion is {limit(one.held_out_ceiling)}, and in those"
                f" it {did} {k} times of {n}, {place} it.\n"
            )
        yield from (f"  {paint('Note:', 'warning')} {safe.terminal(warning)}\n" for warning in one.warnings)


def line_problems(problems: Sequence[LineProblem], options: Options) -> Iterator[str]:
    """The problems of the lines of logs, as findings."""
    paint = options.palette.paint
    for one in problems:
        place = f"{paint(safe.path(one.log), 'strong')}:{one.line}"
        yield f"{place}: {paint('error', 'error')}: {one.kind}: {safe.terminal(one.message)}\n"
