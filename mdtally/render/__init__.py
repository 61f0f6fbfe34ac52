"""Records to strings: one file a format, and the tables that name them.

Nothing here prints, asks for a terminal or knows an exit code. A renderer gets the records, the rule table and the
options, and returns the whole output, each line with its line end; what is untrusted in it has gone through
`mdtally.render.safe`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from mdtally.model import FileError, Report, Rule, TurnsReport, VerdictReport
from mdtally.render.statistics import statistics
from mdtally.render.style import Options, Palette, wants_colour
from mdtally.render.summary import error_lines, notice_lines, remarks, summary

__all__ = [
    "FOR_PEOPLE",
    "LINT_FORMATS",
    "TURNS_FORMATS",
    "VERDICT_FORMATS",
    "LintRenderer",
    "Options",
    "Palette",
    "TurnsRenderer",
    "VerdictRenderer",
    "error_lines",
    "notice_lines",
    "remarks",
    "statistics",
    "summary",
    "wants_colour",
]

LintRenderer = Callable[[Report, Mapping[str, Rule], Options], str]
"""(report, rule table by name, options) to the output."""


class TurnsRenderer(Protocol):
    """A format of ``turns``."""

    def __call__(
        self,
        files: Sequence[TurnsReport],
        rules: Mapping[str, Rule],
        options: Options,
        errors: Sequence[FileError] = (),
    ) -> str:
        """The output for all files of a call."""
        ...


class VerdictRenderer(Protocol):
    """A format of ``verdict``."""

    def __call__(
        self,
        files: Sequence[VerdictReport],
        rules: Mapping[str, Rule],
        options: Options,
        errors: Sequence[FileError] = (),
    ) -> str:
        """The output for all files of a call."""
        ...


def _lazy(module: str) -> Any:
    """A format's renderer, imported when it is first used: a run needs one of them."""

    def render(*records: Any, **options: Any) -> str:
        rendered: str = importlib.import_module(f"mdtally.render.{module}").render(*records, **options)
        return rendered

    render.__module__ = f"mdtally.render.{module}"
    return render


LINT_FORMATS: Mapping[str, LintRenderer] = {
    "full": _lazy("full"),
    "concise": _lazy("concise"),
    "notice": _lazy("notices"),
    "json": _lazy("json_report"),
    "json-lines": _lazy("json_lines"),
    "github": _lazy("github"),
    "sarif": _lazy("sarif"),
    "rdjson": _lazy("rdjson"),
    "junit": _lazy("junit"),
}
"""The formats of ``lint``, by the name that ``--output-format`` takes."""

FOR_PEOPLE = frozenset({"full", "concise", "notice"})
"""The formats of ``lint`` that people read, so that a table may stand below them."""

TURNS_FORMATS: Mapping[str, TurnsRenderer] = {"text": _lazy("turns_text"), "json": _lazy("turns_json")}
"""The formats of ``turns``."""

VERDICT_FORMATS: Mapping[str, VerdictRenderer] = {"text": _lazy("verdict_text"), "json": _lazy("verdict_json")}
"""The formats of ``verdict``."""
