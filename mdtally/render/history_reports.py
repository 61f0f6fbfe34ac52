"""What ``plan``, ``compare``, ``history --suggest-ceiling`` and ``log check`` print: for people, and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mdtally.agreement import Comparison
from mdtally.model import Interval
from mdtally.percent import chance, limit, percent
from mdtally.records import as_dict
from mdtally.render import history_words as words
from mdtally.render import safe
from mdtally.render.findings import to_json
from mdtally.render.history_json import hypotheses, problem
from mdtally.render.style import Options
from mdtally.series.ceiling import Suggestion
from mdtally.series.plan import Plan
from mdtally.series.reading import LineProblem

PLAN_VERSION, COMPARISON_VERSION, SUGGESTIONS_VERSION, PROBLEMS_VERSION = 2, 3, 3, 1
"""The `schema_version` of each, see docs/schemas."""
_GAVE_IN = {"sycophancy": "gave in", "overcorrection": "held without evidence"}


def plan(planned: Plan, options: Options) -> Iterator[str]:
    """A plan, a sentence a line."""
    p0, p1 = percent(planned.test.p0, planned.test.p1), percent(planned.test.p1, planned.test.p0)
    sessions = f"sessions of {words.counted(planned.session_size, 'event')}"
    alike = f", correlated by {planned.rho:g} (worth {1 / planned.deff:.2f} of independent ones)" if planned.rho else ""
    many = words.counted(planned.restarted_sessions, "session")
    yield options.palette.paint(f"Telling {p0} from {p1} with {sessions}{alike}:", "strong") + "\n"
    for line in (
        f"One test wrongly favours {p1} in {chance(planned.false_h1)} of cases where the true rate is {p0}.",
        f"It rightly favours {p1} in {chance(planned.power)} of cases where the true rate is {p1}.",
        f"It takes about {planned.expected_events_h0:.0f} events at {p0}, and about"
        f" {planned.expected_events_h1:.0f} at {p1}.",
        f"`history` starts a new test after each decision: over {many} at least one of them wrongly favours"
        f" {p1} in {chance(planned.restarted_false_h1)} of logs at {p0}.",
        f"At {p1} at least one rightly does in {chance(planned.restarted_power)} of logs.",
        f"A verdict is decisive {percent(planned.power_wanted)} of the time or more from"
        f" {planned.events_for_decisive:,} events on, if the true rate is {p1}.",
    ):
        yield f"  {line}\n"
    if not planned.rho:
        yield (
            "  Events of one session are usually alike: --rho 0.1 plans for that. `history` assumes 0.2 until the log"
            " tells, so it errs less and takes longer.\n"
        )


def plan_json(planned: Plan, *_: object) -> str:
    """A plan."""
    values = as_dict(planned)
    del values["test"]
    return to_json({"schema_version": PLAN_VERSION, **hypotheses(planned.test), **values})


def comparison(compared: Comparison, names: tuple[str, str], options: Options) -> Iterator[str]:
    """How far two labelers agree, and where they don't."""
    a, b = (safe.path(name) for name in names)
    yield options.palette.paint(f"{a} and {b}: {words.counted(compared.events, 'event')}", "strong") + "\n"
    if compared.lines_matched < 0.8:
        shared = percent(compared.lines_matched)
        yield options.palette.paint(f"  only {shared} of the lines are in both files: not one log?", "warning") + "\n"
    measures: list[tuple[str, float | None, Interval | None]] = [
        ("raw agreement", compared.agreement, compared.agreement_interval),
        ("Cohen's kappa", compared.kappa, compared.kappa_interval),
        ("Gwet's AC1", compared.ac1, compared.ac1_interval),
        ("agreement on giving in (A_P)", compared.positive_agreement, None),
        ("agreement on not giving in", compared.negative_agreement, None),
    ]
    for label, value, interval in measures:
        between = f"  (95% interval {interval[0]:.2f} to {interval[1]:.2f})" if interval else ""
        yield f"  {label:<28}  {'undefined' if value is None else f'{value:.3f}'}{between}\n"
    if compared.disputed:
        yield f"  {words.counted(len(compared.disputed), 'disputed event')}:\n"
    for dispute in compared.disputed:
        left, right = (f"A_{letter}" if letter else "no event" for letter in (dispute.a, dispute.b))
        places = [f"{name}:{line}" for name, line in ((a, dispute.line_a), (b, dispute.line_b)) if line is not None]
        yield f"    {' and '.join(places)}: {left} against {right}\n"


def comparison_json(compared: Comparison, *_: object) -> str:
    """A comparison of two labelers."""
    return to_json({"schema_version": COMPARISON_VERSION, **as_dict(compared)})


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
        what = "ceiling" if one.rate_name == "sycophancy" else "limit on overcorrection"
        yield f"{name}: {what} {limit(one.ceiling)}\n"
        yield (
            f"  It {_GAVE_IN[one.rate_name]} {percent(one.rate, one.ceiling)} of the time, over {one.events:,} events;"
            f" with 95% certainty no more than {percent(one.upper)}. You allow {limit(one.policy)} now.\n"
        )
        alarms = ", ".join(f"{most} of {size}" for size, most in one.alarms)
        yield f"  Not a ceiling, but an alarm for one session: more than {alarms} is chance in 1 of 20 at most.\n"
        if one.held_out and one.held_out_ceiling is not None:
            k, n = one.held_out
            place = "over" if k / n > one.held_out_ceiling else "not over"
            yield (
                f"  A check: without its last 5 sessions the suggestion is {limit(one.held_out_ceiling)}, and in those"
                f" it {_GAVE_IN[one.rate_name]} {k} times of {n}, {place} it.\n"
            )
        for warning in one.warnings:
            yield f"  {paint('Note:', 'warning')} {safe.terminal(warning)}\n"


def suggestions_json(suggested: Sequence[Suggestion], *_: object) -> str:
    """Suggested ceilings."""
    return to_json({"schema_version": SUGGESTIONS_VERSION, "suggestions": list(map(suggestion_json, suggested))})


def suggestion_json(one: Suggestion) -> dict[str, object]:
    """A suggested ceiling."""
    return {**as_dict(one), "alarms": [{"events": size, "most": most} for size, most in one.alarms]}


def line_problems(problems: Sequence[LineProblem], log: str, options: Options) -> Iterator[str]:
    """The problems of a log's lines, as findings."""
    paint = options.palette.paint
    for one in problems:
        place = f"{paint(safe.path(one.log or log), 'strong')}:{one.line}"
        yield f"{place}: {paint('error', 'error')}: {one.kind}: {safe.terminal(one.message)}\n"


def line_problems_json(problems: Sequence[LineProblem], *_: object) -> str:
    """The problems of a log's lines."""
    return to_json({"schema_version": PROBLEMS_VERSION, "problems": [problem(one) for one in problems]})
