"""A history as JSON: the contract that other programs rely on; see docs/schemas/history.schema.json.

It is written in pieces, because the sessions of a large log would not fit into one string.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from operator import attrgetter
from typing import Any

from mdtally.records import as_dict
from mdtally.render import safe
from mdtally.series.rates import Rate
from mdtally.series.reading import LineProblem
from mdtally.series.records import GroupHistory, History, RateHistory, SessionRow
from mdtally.series.sprt import Hypotheses, Sprt

SCHEMA_VERSION = 2
# The fields of a session: of the row, of its verdict, of the thresholds of that.
_FIELDS = (
    "group session project source date recorded model domain verdict.A_P verdict.A_R verdict.A_T verdict.verdict"
    " verdict.sycophancy_rate verdict.overcorrection_rate verdict.interval verdict.overcorrection_interval"
    " verdict.qualifier verdict.thresholds.sycophancy_ceiling verdict.thresholds.overcorrection_floor"
    " events judged_events spike hidden_spike chance overcorrection_spike"
).split()
_NAMES, _VALUES = [field.rpartition(".")[2] for field in _FIELDS], attrgetter(*_FIELDS)
_ENCODER = json.JSONEncoder(ensure_ascii=False)


def history(found: History, *_: object) -> Iterator[str]:
    """A history, piece by piece: groups, then a line a session, then what to know of the log."""
    yield f'{{\n  "schema_version": {SCHEMA_VERSION},\n  "by": {json.dumps(found.by)},\n  "groups": ['
    for number, one in enumerate(found.groups):
        yield ",\n    " if number else "\n    "
        yield _compact(group(one))
    yield '\n  ],\n  "sessions": ['
    rows = found.sessions if len(found.groups) < 2 else sorted(found.sessions, key=attrgetter("date"))
    for number, row in enumerate(rows):
        yield f"{',' if number else ''}\n    {_compact(_session(row))}"
    log = {
        "lines": found.lines,
        "superseded": found.superseded,
        "repeated": found.repeated,
        "unreadable": found.unreadable,
        "problems": [problem(one) for one in found.problems],
    }
    evidence = [as_dict(one) for one in found.evidence]
    yield f'\n  ],\n  "log": {_compact(log)},\n  "evidence": {_compact(evidence)}\n}}\n'


def group(one: GroupHistory) -> dict[str, Any]:
    """A group as ``mdtally history`` gives it."""
    return {
        "group": one.group,
        "sessions": one.sessions,
        "events": one.events,
        "A_P": one.A_P,
        "A_R": one.A_R,
        "measured_sessions": one.measured,
        "first_date": one.first,
        "last_date": one.last,
        "verdict": one.verdict,
        "also": one.also,
        "qualifier": one.qualifier,
        "thresholds": [{"sycophancy_ceiling": pair[0], "overcorrection_floor": pair[1]} for pair in one.ceilings],
        **_rate_history(one.sycophancy, one.window, "A_P"),
        "overcorrection": _rate_history(one.overcorrection, one.window, "A_R"),
        "warnings": one.warnings,
    }


def problem(one: LineProblem) -> dict[str, object]:
    """A problem of a log's line."""
    return {"line": one.line, "kind": one.kind, "message": one.message, "log": one.log or None}


def hypotheses(test: Hypotheses) -> dict[str, float]:
    """A test's rates, error rates and bounds."""
    return {name: getattr(test, name) for name in ("p0", "p1", "alpha", "beta", "upper", "lower")}


def _session(row: SessionRow) -> dict[str, Any]:
    values: dict[str, Any] = dict(zip(_NAMES, _VALUES(row), strict=True))
    for name in ("sycophancy_ceiling", "overcorrection_floor"):
        values[name] = float(values[name])
    return values if values["A_T"] else {**values, "qualifier": None}


def _rate_history(rate: RateHistory, window: int, counter: str) -> dict[str, Any]:
    return {
        "limit": rate.limit,
        "rolling": {"window": window, **_rate(rate.rolling, counter)},
        "overall": _rate(rate.overall, counter),
        "settled": rate.settled,
        "more_events": rate.more_events,
        "trend": rate.trend,
        "spikes": rate.spikes,
        "hidden_spikes": rate.hidden,
        "sprt": _sprt(rate.sprt, rate.limit),
        "design_effect": as_dict(rate.design_effect),
    }


def _rate(rate: Rate, counter: str) -> dict[str, Any]:
    values: dict[str, Any] = as_dict(rate)
    values[counter] = values.pop("successes")
    return values


def _sprt(test: Sprt | None, limit: float | None) -> dict[str, Any]:
    if test is None:
        nothing = {"H0": 0, "H1": 0}
        return {"p0": limit, "p1": None, "decision": "continue", "decisions": nothing, "llr": 0.0, "events": 0}
    path: list[dict[str, Any]] = as_dict(test.path)
    for point in path:
        if point["decision"] == "continue":
            del point["decision"]
    return {
        **hypotheses(test.test),
        "decision": test.decision,
        "decisions": {"H0": test.for_h0, "H1": test.for_h1},
        "llr": test.llr,
        "events": test.events,
        "running": {"llr": test.running_llr, "events": test.running_events},
        "path": path,
        "warnings": test.warnings,
    }


def _compact(value: object) -> str:
    text = _ENCODER.encode(value)
    # Of ASCII only delete has to be escaped, and control characters already are.
    return text if text.isascii() and "\x7f" not in text else safe.json_document(text)
