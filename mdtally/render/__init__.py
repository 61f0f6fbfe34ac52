"""Records to strings: one file a format, and the tables that name them.

Nothing here prints, asks for a terminal or knows an exit code. A renderer gets the records and the options, and returns
the whole output, each line with its line end; what is untrusted in it has gone through `mdtally.render.safe`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mdtally.agreement import Comparison
    from mdtally.debate import Debate
    from mdtally.render.style import Options
    from mdtally.reports import CandidatesReport, EventsReport, FileError, Report, TurnsReport, VerdictReport
    from mdtally.series.ceiling import Suggestion
    from mdtally.series.plan import Plan
    from mdtally.series.reading import LineProblem
    from mdtally.series.records import History


def _lazy(module: str, function: str = "render") -> Any:
    """A renderer, imported when it is first used: a run needs one of them."""

    def render(*records: Any) -> Any:
        return getattr(importlib.import_module(f"mdtally.render.{module}"), function)(*records)

    return render


LINT_FORMATS: Mapping[str, Callable[[Report, Options], str]] = {
    "full": _lazy("full"),
    "concise": _lazy("concise"),
    "notice": _lazy("notices"),
    "json": _lazy("json_reports", "lint"),
    "json-lines": _lazy("json_reports", "lint_lines"),
    "github": _lazy("github"),
    "sarif": _lazy("sarif"),
    "rdjson": _lazy("rdjson"),
    "junit": _lazy("junit"),
}
"""The formats of ``lint``, by the name that ``--output-format`` takes."""

FOR_PEOPLE = frozenset({"full", "concise", "notice"})
"""The formats of ``lint`` that people read, so that a table may stand below them."""

TURNS_FORMATS: Mapping[str, Callable[[Sequence[TurnsReport], Options, Sequence[FileError]], str]] = {
    "text": _lazy("turns_text"),
    "json": _lazy("json_reports", "turns"),
}
"""The formats of ``turns``."""

EVENTS_FORMATS: Mapping[str, Callable[[Sequence[EventsReport], Options, Sequence[FileError]], str]] = {
    "text": _lazy("events_text"),
    "json": _lazy("json_reports", "events"),
}
"""The formats of ``events``."""

TAG_FORMATS: Mapping[str, Callable[[Sequence[CandidatesReport], Options, Sequence[FileError]], str]] = {
    "text": _lazy("tag_text"),
    "json": _lazy("json_reports", "candidates"),
}
"""The formats of ``tag --list``."""

VERDICT_FORMATS: Mapping[str, Callable[[Sequence[VerdictReport], Options, Sequence[FileError]], str]] = {
    "text": _lazy("verdict_text"),
    "json": _lazy("json_reports", "verdicts"),
}
"""The formats of ``verdict``."""

REPORT_FORMATS: Mapping[str, Callable[[Sequence[Debate], Sequence[FileError]], str]] = {
    "html": _lazy("report_html"),
    "markdown": _lazy("report_markdown"),
    "json": _lazy("report_json"),
    "text": _lazy("report_text"),
}
"""The formats of ``report``."""

FOR_ONE_DEBATE = frozenset({"html", "markdown"})
"""The formats of ``report`` of which each debate is a file."""

HISTORY_FORMATS: Mapping[str, Callable[[History, Options], Iterable[str]]] = {
    "table": _lazy("history_text", "history"),
    "json": _lazy("history_json", "history"),
    "markdown": _lazy("history_markdown", "history"),
    "html": _lazy("history_html", "history"),
}
"""The formats of ``history``, in pieces: the sessions of a large log would not fit into one string."""

PLAN_FORMATS: Mapping[str, Callable[[Plan, Options], Iterable[str]]] = {
    "table": _lazy("history_reports", "plan"),
    "json": _lazy("history_reports", "plan_json"),
}
"""The formats of ``plan``."""

COMPARISON_FORMATS: Mapping[str, Callable[[Comparison, tuple[str, str], Options], Iterable[str]]] = {
    "table": _lazy("history_reports", "comparison"),
    "json": _lazy("history_reports", "comparison_json"),
}
"""The formats of ``compare``."""

SUGGESTION_FORMATS: Mapping[str, Callable[[Sequence[Suggestion], Options], Iterable[str]]] = {
    "table": _lazy("history_reports", "suggestions"),
    "json": _lazy("history_reports", "suggestions_json"),
}
"""The formats of ``history --suggest-ceiling``."""

LOG_FORMATS: Mapping[str, Callable[[Sequence[LineProblem], str, Options], Iterable[str]]] = {
    "text": _lazy("history_reports", "line_problems"),
    "json": _lazy("history_reports", "line_problems_json"),
}
"""The formats of ``log check``."""
