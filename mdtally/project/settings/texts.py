"""Configuration files as they were found, and what is wrong in them."""

from __future__ import annotations

from bisect import bisect_right
from decimal import Decimal
from functools import cached_property
from pathlib import PurePath
from typing import Any, Literal

from mdtally.text.model import KeyPath
from mdtally.text.records import record
from mdtally.text.source import line_starts


@record
class ConfigProblem:
    """Something wrong in a configuration file; as text "path:line:column: message", without a place "path: message"."""

    path: str
    message: str
    line: int = 0
    column: int = 1

    def __str__(self) -> str:
        place = f":{self.line}:{self.column}" if self.line else ""
        return f"{self.path}{place}: {self.message}"


@record
class ConfigText:
    """A configuration file as it was found.

    Attributes:
        path: its path, as messages name it; ``pyproject.toml`` holds its settings under ``[tool.mdtally]``.
        text: its content, without a BOM; "" where it can't be read.
        error: why it can't be read or does not hold, or "".
        folder: the folder it stands in, from the root on: where its globs start.
        role: "project" for one found above a file or named, "own" for the user's, which alone may allow what leads out
            of a project, and "ignored" for one that does not hold.
    """

    path: str
    text: str
    error: str = ""
    folder: str = ""
    role: Literal["project", "own", "ignored"] = "project"

    @property
    def prefix(self) -> KeyPath:
        """The tables that its settings stand in."""
        return ("tool", "mdtally") if PurePath(self.path).name == "pyproject.toml" else ()

    @cached_property
    def table(self) -> dict[str, Any] | ConfigProblem | None:
        """Its settings, or why it can't be read as a whole; None for a pyproject.toml without them."""
        if self.error:
            return ConfigProblem(self.path, self.error)
        from mdtally.text import toml  # many projects have no configuration

        try:
            table: Any = toml.read(self.text, Decimal)
        except toml.TomlError as error:
            return ConfigProblem(self.path, f"not valid TOML: {error.reason}", error.line, error.column)
        for key in self.prefix:
            table = table.get(key) if isinstance(table, dict) else None
        if table is None or isinstance(table, dict):
            return table
        return ConfigProblem(self.path, "tool.mdtally is a table: [tool.mdtally]")

    @property
    def is_ours(self) -> bool:
        """True for a configuration of ours: any but a ``pyproject.toml`` without ``[tool.mdtally]``.

        A broken ``pyproject.toml`` is one if it names the table: its fault has to be told.
        """
        # Most are other tools' alone, which is told without a parser.
        if not self.prefix or "mdtally" not in self.text:
            return not self.prefix
        return "[tool.mdtally" in self.text if isinstance(self.table, ConfigProblem) else self.table is not None

    def line_of(self, path: KeyPath) -> int:
        """The line of a value by the parts of its key, or else of what is nearest to it in the file; 1 if unknown."""
        full = (*self.prefix, *path)
        lengths, known = range(len(full), 0, -1), self._lines.items()
        return next((line for length in lengths for key, line in known if key[:length] == full[:length]), 1)

    @cached_property
    def _lines(self) -> dict[KeyPath, int]:
        from mdtally.text import toml

        starts = line_starts(self.text)
        return {path: bisect_right(starts, span.start) for path, span in toml.spans(self.text).items()}
