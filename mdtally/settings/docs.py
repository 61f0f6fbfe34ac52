"""What is written about the configuration, made from its schema."""

from __future__ import annotations

from mdtally.settings.schema import (
    EXTEND_HELP,
    GROUPS,
    OPTIONS,
    SEVERITY_HELP,
    SEVERITY_KEY,
    SEVERITY_WORDS,
    THRESHOLDS,
    Option,
    allowed,
    shown,
)

__all__ = ["json_schema", "markdown_table"]


def markdown_table() -> str:
    """The table of all keys in docs/configuration.md."""
    lines = ["| key | value | default | what it does |", "| --- | --- | --- | --- |"]
    lines += [f"| `{o.key}` | {allowed(o)} | `{shown(o.default)}` | {o.help} |" for o in OPTIONS]
    lines.append(f"| `{SEVERITY_KEY}.RULE` | one of {', '.join(SEVERITY_WORDS)} | | {SEVERITY_HELP} |")
    for group, text in GROUPS.items():
        lines += [f"| `{group}.NAME.{o.key}` | {allowed(o)} | | {text} |" for o in THRESHOLDS]
    lines.append(f"| `extend` | a path | | {EXTEND_HELP} |")
    return "\n".join(lines) + "\n"


def json_schema() -> dict[str, object]:
    """A JSON Schema (draft 7, which editors' TOML plug-ins read) of ``mdtally.toml``."""
    thresholds = {option.key: _property(option, with_default=False) for option in THRESHOLDS}
    lint: dict[str, object] = {}
    top: dict[str, object] = {"extend": {"type": "string", "minLength": 1, "description": EXTEND_HELP}}
    for option in OPTIONS:
        table, _, key = option.key.rpartition(".")
        (lint if table else top)[key] = _property(option)
    lint["severity"] = {
        "type": "object",
        "description": SEVERITY_HELP,
        "additionalProperties": {"enum": list(SEVERITY_WORDS)},
    }
    top["lint"] = {"type": "object", "additionalProperties": False, "properties": lint}
    for group, text in GROUPS.items():
        member = {"type": "object", "additionalProperties": False, "properties": thresholds}
        top[group] = {"type": "object", "description": text, "additionalProperties": member}
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "mdtally",
        "description": "The configuration of mdtally: .mdtally.toml, mdtally.toml, or [tool.mdtally] in pyproject.toml",
        "type": "object",
        "additionalProperties": False,
        "properties": top,
    }


def _property(option: Option, *, with_default: bool = True) -> dict[str, object]:
    found: dict[str, object] = {"description": option.help}
    match option.kind:
        case "share" | "seconds":
            found |= {"type": "number", "minimum": option.low, "maximum": option.high}
        case "whole":
            found |= {"type": "integer", "minimum": option.low, "maximum": option.high}
        case "switch":
            found |= {"type": "boolean"}
        case "choice":
            found |= {"enum": list(option.choices)}
        case "text":
            found |= {"type": "string"} | ({"minLength": 1} if option.default else {})
        case "list":
            found |= {"type": "array", "items": {"type": "string", "minLength": 1}}
    if with_default:
        default = option.default
        if option.kind == "share":
            default = float(shown(default))
        found["default"] = list(default) if isinstance(default, tuple) else default
    return found
