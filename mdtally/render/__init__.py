"""Records to strings: one file a format, and the tables that name them.

Nothing here prints, asks for a terminal or knows an exit code. A renderer gets the records, the rule table and the
options, and returns the whole output, each line with its line end; what is untrusted in it has gone through
`mdtally.render.safe`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from mdtally.model import FileError, Report, Rule, TurnsReport, VerdictReport
from mdtally.render import (
    concise,
    full,
    github,
    json_lines,
    json_report,
    junit,
    notices,
    rdjson,
    sarif,
    turns_json,
    turns_text,
    verdict_json,
    verdict_text,
)
from mdtally.render.style import Options, Palette, wants_colour
from mdtally.render.summary import error_lines, notice_lines, remarks, summary

__all__ = [
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


LINT_FORMATS: Mapping[str, LintRenderer] = {
    "full": full.render,
    "concise": concise.render,
    "notice": notices.render,
    "json": json_report.render,
    "json-lines": json_lines.render,
    "github": github.render,
    "sarif": sarif.render,
    "rdjson": rdjson.render,
    "junit": junit.render,
}
"""The formats of ``lint``, by the name that ``--output-format`` takes."""

TURNS_FORMATS: Mapping[str, TurnsRenderer] = {"text": turns_text.render, "json": turns_json.render}
"""The formats of ``turns``."""

VERDICT_FORMATS: Mapping[str, VerdictRenderer] = {"text": verdict_text.render, "json": verdict_json.render}
"""The formats of ``verdict``."""
