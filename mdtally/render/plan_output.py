"""``plan`` in its formats."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from mdtally.render import log_text
from mdtally.render.json_document import to_json

if TYPE_CHECKING:
    from mdtally.output.style import Options
    from mdtally.series.plan import Plan


def plan_json(plan: Plan, _: Options) -> str:
    """A plan as JSON."""
    difference = {
        "before": plan.before,
        "since": plan.since,
        "have": plan.have,
        "one_look": plan.one_look,
        "settled": plan.settled,
    }
    return to_json(
        {
            "schema_version": 4,
            "ceiling": plan.ceiling,
            "rate": plan.rate,
            "power": plan.power,
            "rho": plan.rho,
            "session_size": plan.session_size,
            "events_for_decisive": plan.events_for_decisive,
            "sessions": plan.sessions,
            "difference": difference,
            "keys": {"review": plan.review, "survey": plan.survey},
        }
    )


FORMATS: Mapping[str, Callable[[Plan, Options], str]] = {"table": log_text.plan, "json": plan_json}
