"""What the JSON outputs of the commands share: how a value is written, and this program.

Each command's JSON is written by the functions of its own file, a dictionary a record; the schemas in docs/schemas
describe them. The ``schema_version`` of an output grows if a field changes or goes, not if one is added.
"""

from __future__ import annotations

import json

from mdtally.text import safe
from mdtally.text.records import as_dict

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
