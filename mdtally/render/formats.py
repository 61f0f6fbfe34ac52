"""The formats of each command, by name: the functions that write them, each imported when it is first used."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any

Formats = Mapping[str, Callable[..., Any]]


def _formats(**functions: str) -> Formats:
    """A table of formats by name; each is imported when it is first used. Without a dot it is a form of JSON."""

    def lazily(place: str) -> Callable[..., Any]:
        module, _, function = place.rpartition(".")
        if not module:
            return lambda *records: importlib.import_module("mdtally.render.json_reports").write(place, *records)
        return lambda *records: getattr(importlib.import_module(f"mdtally.render.{module}"), function)(*records)

    return {name: lazily(place) for name, place in functions.items()}


LINT_FORMATS = _formats(
    full="lint_text.full",
    concise="lint_text.concise",
    notice="lint_text.notice",
    json="lint",
    github="machine.github",
    sarif="machine.sarif",
    junit="machine.junit",
)
FOR_PEOPLE = frozenset({"full", "concise", "notice"})
"""The formats of ``lint`` that people read, so that information is left out."""

VERDICT_FORMATS = _formats(text="verdict_text.verdicts", json="verdicts")
TURNS_FORMATS = _formats(text="texts.turns", json="turns")
EVENTS_FORMATS = _formats(text="texts.events", json="events")
TAG_FORMATS = _formats(text="texts.candidates", json="tag")

REPORT_FORMATS: Mapping[str, Callable[..., str]] = _formats(
    html="report_page.html", markdown="report_page.markdown", json="report"
)
FOR_ONE_DEBATE = frozenset({"html", "markdown"})
"""The formats of ``report`` of which each debate is a file."""

HISTORY_FORMATS = _formats(
    table="history_page.text",
    json="json_reports.history",
    markdown="history_page.markdown",
    html="history_page.html",
)
PLAN_FORMATS = _formats(table="log_text.plan", json="plan")
COMPARISON_FORMATS = _formats(table="log_text.comparison", json="comparison")
SUGGESTION_FORMATS = _formats(table="log_text.suggestions", json="suggestions")
LOG_FORMATS = _formats(text="log_text.line_problems", json="line-problems")
