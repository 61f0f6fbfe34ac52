"""The formats of ``lint``."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from mdtally.check.reports import Report
from mdtally.show import lint_text
from mdtally.show.lint_github import github
from mdtally.show.lint_json import lint_json
from mdtally.show.lint_sarif import sarif
from mdtally.show.style import Options
from mdtally.text.regex import regex

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

# JSON and SARIF; GitHub's; statistics; and texts for people, whose findings may stand below the line of their turn:
# "a.md:3:1: warning: MDT101 forbidden-phrase", "⚠ quality gate: Ben", "a.md:3: unsure: Ben", "a.md: skipped: not ...".
_BEGINNING = regex(
    r'(?s:\{\n  "(?:schema_version|\$schema)".{,300}?"name": "mdtally")'
    r"|::(?:error|warning|notice) title=mdtally"
    r"| *findings +rule\n"
    r"|(?:.+\n)?(?:.+:\d+:\d+: (?:error|warning|info): MDT\d|⚠ quality gate: |.+:\d+: unsure: |.+: skipped: not a )"
)


def is_output(data: bytes) -> bool:
    """True if a file begins as what ``lint`` writes, in any of the formats."""
    return bool(_BEGINNING.match(data[:9999].decode("utf-8", "replace")))
