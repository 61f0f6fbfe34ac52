"""``plan`` in its formats."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from mdtally.records import as_dict
from mdtally.render import log_text
from mdtally.render.json_document import to_json

if TYPE_CHECKING:
    from mdtally.output.style import Options
    from mdtally.series.plan import Plan


def plan_json(plan: Plan, _: Options) -> str:
    """A plan as JSON: the hypotheses of its test, and its other fields."""
    fields = as_dict(plan)
    test = {name: value for name, value in fields.pop("test").items() if name not in ("up", "down")}
    return to_json({"schema_version": 3, **test, **fields})


FORMATS: Mapping[str, Callable[[Plan, Options], str]] = {"table": log_text.plan, "json": plan_json}
