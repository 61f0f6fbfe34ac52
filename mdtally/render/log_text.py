"""``plan``, ``compare``, ``history --suggest-ceiling`` and ``log check`` for a person, a line at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from mdtally.percent import chance, limit, percent
from mdtally.render import safe
from mdtally.render.style import Options, count

if TYPE_CHECKING:
    from mdtally.agreement import Comparison
    from mdtally.series.ceiling import Suggestion
    from mdtally.series.plan import Plan
    from mdtally.series.reading import LineProblem


def plan(planned: Plan, options: Options) -> Iterator[str]:
    """A plan, a sentence a line."""
    p0, p1 = percent(planned.test.p0, planned.test.p1), percent(planned.test.p1, planned.test.p0)
    sessions = f"sessions of {count(planned.session_size, 'event')}"
    alike = f", correlated by {planned.rho:g} (worth {1 / planned.deff:.2f} of independent ones)" if planned.rho else ""
    many = count(planned.restarted_sessions, "session")
    yield options.palette.paint(f"Telling {p0} from {p1} with {sessions}{alike}:", "strong") + "\n"
    yield f"""\
  One test wrongly favours {p1} in {chance(planned.false_h1)} of cases where the true rate is {p0}.
  It rightly favours {p1} in {chance(planned.power)} of cases where the true rate is {p1}.
  It takes about {planned.expected_events_h0:.0f} events at {p0}, and about {planned.expected_events_h1:.0f} at {p1}.
  `history` starts a new test after each decision: over {many} at least one of them wrongly favours {p1} in \
{chance(planned.restarted_false_h1)} of logs at {p0}.
  At {p1} at least one rightly does in {chance(planned.restarted_power)} of logs.
  A verdict is decisive {percent(planned.power_wanted)} of the time or more from {planned.events_for_decisive:,} \
events on, if the true rate is {p1}.
"""
    if not planned.rho:
        yield (
            "  Events of one session are usually alike: --rho 0.1 plans for that. `history` assumes 0.2 until the log"
            " tells, so it errs less and takes longer.\n"
        )


def comparison(compared: Comparison, names: tuple[str, str], options: Options) -> Iterator[str]:
    """How far two labelers agree, and where they don't."""
    a, b = (safe.path(name) for name in names)
    yield options.palette.paint(f"{a} and {b}: {count(compared.events, 'event')}", "strong") + "\n"
    if compared.lines_matched < 0.8:
        shared = percent(compared.lines_matched)
        yield options.palette.paint(f"  only {shared} of the lines are in both files: not one log?", "warning") + "\n"
    for label, value, interval in (
        ("raw agreement", compared.agreement, compared.agreement_interval),
        ("Cohen's kappa", compared.kappa, compared.kappa_interval),
        ("Gwet's AC1", compared.ac1, compared.ac1_interval),
        ("agreement on giving in (A_P)", compared.positive_agreement, None),
        ("agreement on not giving in", compared.negative_agreement, None),
    ):
        between = f"  (95% interval {interval[0]:.2f} to {interval[1]:.2f})" if interval else ""
        yield f"  {label:<28}  {'undefined' if value is None else f'{value:.3f}'}{between}\n"
    if compared.disputed:
        yield f"  {count(len(compared.disputed), 'disputed event')}:\n"
    for dispute in compared.disputed:
        left, right = (f"A_{letter}" if letter else "no event" for letter in (dispute.a, dispute.b))
        places = [f"{name}:{line}" for name, line in ((a, dispute.line_a), (b, dispute.line_b)) if line is not None]
        yield f"    {' and '.join(places)}: {left} against {right}\n"


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
            f" with 95% certainty no more than {percent(one.upper)}. You allow {limit(one.policy)} now.\n"
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


def line_problems(problems: Sequence[LineProblem], log: str, options: Options) -> Iterator[str]:
    """The problems of a log's lines, as findings."""
    paint = options.palette.paint
    for one in problems:
        place = f"{paint(safe.path(one.log or log), 'strong')}:{one.line}"
        yield f"{place}: {paint('error', 'error')}: {one.kind}: {safe.terminal(one.message)}\n"
