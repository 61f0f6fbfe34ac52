"""``history`` and ``history --suggest-ceiling`` in their formats, of which JSON is written here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING

from mdtally.records import as_dict
from mdtally.render import history_page, log_text
from mdtally.render.json_document import Object, to_json
from mdtally.render.log_output import line_problem_fields

if TYPE_CHECKING:
    from mdtally.output.style import Options
    from mdtally.series.ceiling import Suggestion
    from mdtally.series.rates import Rate
    from mdtally.series.reading import Sessions
    from mdtally.series.records import Contrast, GroupHistory, History, PressedHistory, RateHistory, SessionRow
    from mdtally.series.sprt import Sprt


def history_json(history: History, _: Options) -> Iterator[str]:
    """A history, piece by piece: groups, their differences, a line a session, oldest first, the log.

    The generator says that `history` may write this file again.
    """
    first = {
        "generator": "mdtally history",
        "schema_version": 4,
        "by": history.by,
        "groups": [_group_fields(group) for group in history.groups],
        "contrasts": [_contrast_fields(contrast) for contrast in history.contrasts],
    }
    yield to_json(first).removesuffix("\n}\n") + ',\n  "sessions": ['
    rows = history.sessions if len(history.groups) < 2 else sorted(history.sessions, key=attrgetter("line.date"))
    for number, row in enumerate(rows):
        yield f"{',' if number else ''}\n    {to_json(_session_fields(row), indent=None)[:-1]}"
    yield "\n  ],\n" + to_json({"log": _log_fields(history.log)}).removeprefix("{\n")


# -- Groups -----------------------------------------------------------------------------------------------------------


def _group_fields(group: GroupHistory) -> Object:
    """A group, with its rate of giving in among its other fields, and the other rate as one."""
    thresholds = [{"sycophancy_ceiling": limit, "overcorrection_floor": floor} for limit, floor in group.ceilings]
    return {
        "group": group.group,
        "sessions": group.sessions,
        "events": group.events,
        "A_P": group.sycophancy.overall.successes,
        "A_R": group.overcorrection.overall.successes,
        "measured_sessions": group.sycophancy.overall.sessions,
        "first_date": group.first,
        "last_date": group.last,
        "verdict": group.verdict,
        "also": group.also,
        "qualifier": group.qualifier,
        "models": group.models,
        "thresholds": thresholds,
        **_rate_history_fields(group.sycophancy, group.window, "A_P"),
        "overcorrection": _rate_history_fields(group.overcorrection, group.window, "A_R"),
        "pressed": _pressed_fields(group.pressed) if group.pressed else None,
        "held": group.held,
        "warnings": group.warnings,
    }


def _rate_history_fields(history: RateHistory, window: int, counter: str) -> Object:
    return {
        "limit": history.limit,
        "rolling": {"window": window, **_rate_fields(history.rolling, counter)},
        "overall": _rate_fields(history.overall, counter),
        "settled": history.settled,
        "more_events": history.more_events,
        "trend": history.trend,
        "spikes": history.spikes,
        "sprt": _sprt_fields(history.sprt),
        "design_effect": history.design_effect,
    }


def _rate_fields(rate: Rate, counter: str) -> Object:
    return {
        "sessions": rate.sessions,
        "events": rate.events,
        "rate": rate.rate,
        "interval": rate.interval,
        "interval_deflated": rate.interval_deflated,
        "sequence": rate.sequence,
        "worth": rate.worth,
        counter: rate.successes,
    }


def _pressed_fields(pressed: PressedHistory) -> Object:
    return {
        "gave_in": pressed.gave_in,
        "moved": pressed.moved,
        "held": pressed.held,
        "rate": pressed.rate.rate,
        "interval_deflated": pressed.rate.interval_deflated,
        "sequence": pressed.rate.sequence,
        "by_letter": pressed.by_letter,
        "unstated_holds": pressed.unstated_holds,
    }


def _sprt_fields(sprt: Sprt) -> Object:
    return {
        "p0": sprt.p0,
        "p1": sprt.p1,
        "decision": sprt.decision,
        "decisions": {"H0": sprt.for_h0, "H1": sprt.for_h1},
        "llr": sprt.llr,
        "events": sprt.events,
    }


def _contrast_fields(contrast: Contrast) -> Object:
    return {
        "a": contrast.a,
        "b": contrast.b,
        "measure": contrast.measure,
        **as_dict(contrast.found),
        "events_to_settle": contrast.events_to_settle,
    }


# -- Sessions and the log ---------------------------------------------------------------------------------------------


def _session_fields(row: SessionRow) -> Object:
    line, verdict = row.line, row.verdict
    return {
        "group": row.group,
        "session": line.session,
        "project": line.project,
        "source": line.source,
        "date": line.date,
        "recorded": line.recorded,
        "model": line.model,
        "domain": line.domain,
        "labeler": line.labeler,
        "A_P": verdict.A_P,
        "A_R": verdict.A_R,
        "A_T": verdict.A_T,
        "verdict": verdict.verdict,
        "sycophancy_rate": verdict.sycophancy_rate,
        "overcorrection_rate": verdict.overcorrection_rate,
        "interval": verdict.interval,
        "overcorrection_interval": verdict.overcorrection_interval,
        "qualifier": verdict.qualifier if verdict.A_T else None,
        "sycophancy_ceiling": verdict.thresholds.sycophancy_ceiling,
        "overcorrection_floor": verdict.thresholds.overcorrection_floor,
        "events": line.events,
        "pressed": line.pressed,
        "held": line.held,
        "judged_events": row.judged_events,
        "spike": row.spike,
        "overcorrection_spike": row.overcorrection_spike,
    }


def _log_fields(log: Sessions) -> Object:
    return {
        "lines": log.lines,
        "superseded": log.superseded,
        "repeated": log.repeated,
        "retracted": log.retracted,
        "unreadable": log.unreadable,
        "labelled_twice": log.labelled_twice,
        "left_out": log.left_out,
        "labelers": [{"labeler": name, "sessions": sessions} for name, sessions in log.labelers],
        "problems": [line_problem_fields(problem) for problem in log.problems],
    }


# -- Suggested ceilings -----------------------------------------------------------------------------------------------


def suggestions_json(suggestions: Sequence[Suggestion], _: Options) -> str:
    """Suggested ceilings as JSON."""
    return to_json({"schema_version": 4, "suggestions": suggestions})


FORMATS: Mapping[str, Callable[[History, Options], Iterable[str]]] = {
    "table": history_page.text,
    "json": history_json,
    "markdown": history_page.markdown,
    "html": history_page.html,
}
SUGGESTION_FORMATS: Mapping[str, Callable[[Sequence[Suggestion], Options], str]] = {
    "table": log_text.suggestions,
    "json": suggestions_json,
}
