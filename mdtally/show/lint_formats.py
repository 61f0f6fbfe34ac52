"""The formats of ``lint``."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from mdtally.check.reports import Report
from mdtally.show import lint_text
from mdtally.show.lint_github import github
from mdtally.show.lint_json import lint_json
from mdtally.show.lint_sarif import sarif
from mdtally.show.style import Options

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
