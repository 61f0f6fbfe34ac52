"""What is written about the configuration, made from its schema: ``python tests/settings_docs.py`` writes it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mdtally.project.settings.schema import DESIGN_NAMES, LONGEST, SCHEMA, Setting
from mdtally.project.settings.values import as_toml

DOCS = Path(__file__).resolve().parents[1] / "docs"
SHORT = {
    "share": "a share",
    "text": "a text",
    "name": "a text, not empty",
    "texts": "texts",
    "globs": "globs",
}
"""Kinds of values, as the page names them: its beginning says what each is."""
MARK = "<!-- made from mdtally/project/settings/schema.py -->\n"


def with_table(page: str) -> str:
    """docs/reference/settings.md with the table of all keys at its end."""
    lines = ["| key | value | default | what it does |", "| --- | --- | --- | --- |"]
    for setting in SCHEMA:
        key = setting.key.replace("transcript.*", "transcript").replace("*", "NAME")
        default = "" if setting.default is None else f"`{as_toml(setting.default)}`"
        value = (
            setting.allowed_values
            if isinstance(setting.kind, tuple)
            else SHORT.get(setting.kind, setting.allowed_values)
        )
        lines.append(f"| `{key}` | {value} | {default} | {setting.help} |".replace("|  |", "| |"))
    return page.partition(MARK)[0] + MARK + "\n" + "\n".join(lines) + "\n"


def json_schema() -> dict[str, Any]:
    """A JSON Schema (draft 7, which editors' TOML plug-ins read) of ``mdtally.toml``."""
    schema: dict[str, Any] = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "mdtally",
        "description": "The configuration of mdtally: .mdtally.toml, mdtally.toml, or [tool.mdtally] in pyproject.toml",
        **_table(),
    }
    for setting in SCHEMA:
        at = schema
        for part in setting.parts[:-1]:
            if part == "*":
                at["additionalProperties"] = at["additionalProperties"] or _table()
                at = at["additionalProperties"]
            else:
                at = at["properties"].setdefault(part, _table())
        if setting.parts[-1] == "*":
            at["additionalProperties"] = _property(setting)
        else:
            at["properties"][setting.parts[-1]] = _property(setting)
    for written, ours in DESIGN_NAMES.items():
        table = schema["properties"].setdefault(written[0], _table())
        table["properties"][written[1]] = schema["properties"][ours[0]]["properties"][ours[1]]
    forms = schema["properties"]["transcript"]
    form = {**forms["additionalProperties"], "required": ["files"], "minProperties": 2}
    schema["properties"]["transcript"] = {"type": "array", "items": form}
    return schema


def _table() -> dict[str, Any]:
    return {"type": "object", "additionalProperties": False, "properties": {}}


def _property(setting: Setting) -> dict[str, Any]:
    text: dict[str, Any] = {"type": "string", "minLength": 1}
    short = {**text, "maxLength": LONGEST, "pattern": r"\S"}
    texts = {"anyOf": [short, {"type": "array", "items": short}]}
    number: dict[str, Any] = {"type": "number", "minimum": setting.low, "maximum": setting.high}
    kinds: dict[str, dict[str, Any]] = {
        "share": {
            "anyOf": [
                {"type": "number", "minimum": 0, "maximum": 1},
                {"type": "string", "pattern": r"^\s*[0-9.]+\s*%?\s*$"},
            ]
        },
        "whole": {**number, "type": "integer"},
        "seconds": number,
        "switch": {"type": "boolean"},
        "text": {"type": "string"},
        "name": text,
        "path": {"type": "string"},
        "log": {"type": "string", "pattern": r"\.jsonl$"},
        "texts": texts,
        "globs": texts,
        "labels": {"anyOf": [*texts["anyOf"], {"type": "object"}]},
        "people": {"type": "object"},
        "rounds": {"type": ["string", "object"]},
    }
    found = {"enum": list(setting.kind)} if isinstance(setting.kind, tuple) else kinds[setting.kind]
    default: Any = setting.default
    if default is not None:
        default = float(as_toml(default)) if setting.kind == "share" else default
        found = {**found, "default": list(default) if isinstance(default, tuple) else default}
    return {"description": setting.help, **found}


def main() -> None:
    """Write both."""
    page = DOCS / "reference" / "settings.md"
    page.write_text(with_table(page.read_text("utf-8")), "utf-8")
    schema = json.dumps(json_schema(), indent=2, ensure_ascii=False)
    (DOCS / "mdtally.schema.json").write_text(f"{schema}\n", "utf-8")


if __name__ == "__main__":
    main()
