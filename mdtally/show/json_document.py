"""What the JSON outputs of the commands share: how a value is written, a finding, this program.

Each command's JSON is written by the functions of its own file, a dictionary a record; the schemas in docs/schemas
describe them. The ``schema_version`` of an output grows if a field changes or goes, not if one is added.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from mdtally.text import safe
from mdtally.text.records import as_dict, pick

if TYPE_CHECKING:
    from mdtally.show.findings import Finding
    from mdtally.text.model import Edit, Region

Object = dict[str, object]
"""A JSON object; the records in it are written as objects of all their fields."""


def to_json(value: object, *, indent: int | None = 2) -> str:
    """A value as JSON text with a final newline, harmless to print; non-ASCII letters stay readable."""
    separators = (",", ":") if indent is None else None
    text = json.dumps(value, ensure_ascii=False, indent=indent, separators=separators, default=_to_plain)
    return safe.json_document(text) + "\n"


def _to_plain(value: object) -> object:
    """What the encoder does not know: our records, and fractions that a person gave."""
    return as_dict(value) if hasattr(value, "_fields") else float(value)  # type: ignore[arg-type]


def tool_fields() -> Object:
    """This program: its name and version."""
    from mdtally.text.about import __version__

    return {"name": "mdtally", "version": __version__}


def diagnostic_fields(finding: Finding) -> Object:
    """A finding, with the names of fields that ruff has."""
    problem, turn = finding.problem, finding.turn
    return {
        "filename": finding.filename,
        "code": finding.rule.code,
        "name": problem.rule,
        **pick(problem, "severity message"),
        **_place_fields(problem.region),
        "url": finding.rule.url,
        "fix": _fix_fields(problem.edit) if problem.edit else None,
        "turn": turn and pick(turn, "index line round speaker"),
        "evidence": problem.evidence or None,
        "hint": problem.hint or None,
        "detail": problem.detail or None,
    }


def _place_fields(region: Region) -> Object:
    return {
        "location": {"row": region.line, "column": region.column},
        "end_location": {"row": region.end_line, "column": region.end_column},
    }


def _fix_fields(edit: Edit) -> Object:
    edits = [{"content": edit.text, **_place_fields(edit.region)}]
    return {"applicability": "safe", "message": edit.title, "edits": edits}
