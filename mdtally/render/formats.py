"""The formats of each command, by name: the functions that write them, each imported when it is first used."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any

Formats = Mapping[str, Callable[..., Any]]


def _formats(**functions: str) -> Formats:
    """A table of formats by name; each is imported when it is first used."""

    def lazily(place: str) -> Callable[..., Any]:
        module, _, function = place.partition(".")
        return lambda *records: getattr(importlib.import_module(f"mdtally.render.{module}"), function)(*records)

    return {name: lazily(place) for name, place in functions.items()}


LINT_FORMATS = _formats(
    full="lint_text.full",
    concise="lint_text.concise",
    notice="lint_text.notice",
    json="json_reports.lint",
    github="machine.github",
    sarif="machine.sarif",
    junit="machine.junit",
)
FOR_PEOPLE = frozenset({"full", "concise", "notice"})
"""The formats of ``lint`` that people read, so that information is left out."""

VERDICT_FORMATS = _formats(text="verdict_text.verdicts", json="json_reports.verdicts")
TURNS_FORMATS = _formats(text="texts.turns", json="json_reports.turns")
EVENTS_FORMATS = _formats(text="texts.events", json="json_reports.events")
TAG_FORMATS = _formats(text="texts.candidates", json="json_reports.candidates")

REPORT_FORMATS: Mapping[str, Callable[..., str]] = _formats(
    html="report_page.html", markdown="report_page.markdown", json="json_reports.report"
)
FOR_ONE_DEBATE = frozenset({"html", "markdown"})
"""The formats of ``report`` of which each debate is a file."""

HISTORY_FORMATS = _formats(
    table="history_page.text",
    json="json_reports.history",
    markdown="history_page.markdown",
    html="history_page.html",
)
PLAN_FORMATS = _formats(table="log_text.plan", json="json_reports.plan")
COMPARISON_FORMATS = _formats(table="log_text.comparison", json="json_reports.comparison")
SUGGESTION_FORMATS = _formats(table="log_text.suggestions", json="json_reports.suggestions")
LOG_FORMATS = _formats(text="log_text.line_problems", json="json_reports.line_problems")
