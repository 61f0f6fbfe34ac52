"""The published JSON Schemas, and holding an output to one of them."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

SCHEMAS = Path(__file__).parents[1] / "docs" / "schemas"


def validate(instance: Any, schema: str) -> None:
    """Fail where an output is not as its schema says; a field that the schema does not describe is a failure too."""
    _validator(schema).validate(instance)


@cache
def _validator(schema: str) -> Any:
    jsonschema = pytest.importorskip("jsonschema")
    referencing = pytest.importorskip("referencing")
    loaded = {path.name: _closed(json.loads(path.read_text(encoding="utf-8"))) for path in SCHEMAS.glob("*.json")}
    registry = referencing.Registry().with_resources(
        (value["$id"], referencing.Resource.from_contents(value)) for value in loaded.values()
    )
    jsonschema.Draft202012Validator.check_schema(loaded[schema])
    return jsonschema.Draft202012Validator(loaded[schema], registry=registry)


def _closed(schema: Any) -> Any:
    """The schema with no room for a field that it does not describe."""
    if isinstance(schema, list):
        return [_closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {key: _closed(value) for key, value in schema.items()}
    return {**closed, "additionalProperties": False} if isinstance(schema.get("properties"), dict) else closed
