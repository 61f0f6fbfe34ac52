"""The formats of ``lint``."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from mdtally.output.style import Options
from mdtally.render import lint_text
from mdtally.render.lint_github import github
from mdtally.render.lint_json import lint_json
from mdtally.render.lint_sarif import sarif
from mdtally.reports import Report

FORMATS: Mapping[str, Callable[[Report, Options], str]] = {
    "full": lint_text.full,
    "concise": lint_text.concise,
    "notice": lint_text.notice,
    "json": lint_json,
    "github": github,
    "sarif": sarif,
}

FOR_PEOPLE = frozenset({"full", "concise", "notice"})
"""The formats that people read, so that information is left out."""
