"""The frontmatter: its values as the person wrote them, and the edit that leaves every other byte alone.

YAML's own typing would read ``12:30`` as 750, ``no`` as False and ``1.10`` as 1.1, so every scalar stays the string
it was written as; who needs a number converts it and can say what was wrong with it. Only this module imports
frontmatter, yaml and tomlkit, and only when there is a head to read: most files have none.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from mdtally.model import Head, Problem, Region, Source
from mdtally.source import count_lines

__all__ = ["read"]


def read(source: Source) -> Head | None:
    """Read the head of a source.

    Returns:
        the values with their lines; a Head with a problem where the head can't be read; None where what was cut off
        is no head after all (it is not a mapping).
    """
    if source.head_format is None:
        return Head()
    reader = {"yaml": _read_yaml, "toml": _read_toml, "json": _read_json}[source.head_format]
    return reader(source)


def _read_yaml(source: Source) -> Head | None:
    import frontmatter
    import yaml
    from frontmatter.default_handlers import YAMLHandler

    class AsWritten(YAMLHandler):
        def load(self, fm: str, **options: object) -> Any:
            return yaml.load(fm, Loader=yaml.BaseLoader)

    last_line = count_lines(source.head) or 1
    try:
        values, _ = frontmatter.parse(source.head, handler=AsWritten())
        inner = source.head.split("\n", 1)[1] if "\n" in source.head else source.head.split("\r", 1)[1]
        node = yaml.compose(inner.rsplit("---", 1)[0], Loader=yaml.BaseLoader)
    except yaml.YAMLError as error:
        return _broken(source, "YAML", error)
    if not isinstance(values, dict) or not isinstance(node, yaml.MappingNode):
        return None
    lines = {str(key.value): key.start_mark.line + 2 for key, _ in node.value}
    return Head(values=values, lines=lines, last_line=last_line)


def _read_toml(source: Source) -> Head | None:
    raise NotImplementedError


def _read_json(source: Source) -> Head | None:
    values = json.loads(source.head, parse_float=str, parse_int=str)
    return Head(values=_as_written(values), lines={}, last_line=count_lines(source.head))


def _as_written(values: Mapping[str, object]) -> dict[str, object]:
    return dict(values)


def _broken(source: Source, syntax: str, error: Exception) -> Head:
    region = Region(1, 1, 1, 1)
    return Head(problem=Problem("invalid-frontmatter", f"the frontmatter is not valid {syntax}: {error}", region))
