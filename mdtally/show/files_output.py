"""What commands share that say something of each of several files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias, TypeVar

from mdtally.show.json_document import Object, to_json
from mdtally.show.style import Options
from mdtally.text.model import FileError

Report = TypeVar("Report")
WriteFiles: TypeAlias = Callable[[Sequence[Report], Options, Sequence[FileError]], str]
"""Writes the reports of several files, and which ones could not be read."""

Formats: TypeAlias = Mapping[str, WriteFiles[Report]]
"""How a command's formats are written, by their names."""


def each_file(to_lines: Callable[[Report, Options], Iterable[str]]) -> WriteFiles[Report]:
    """What writes the lines of every file, with a blank line between two, of what gives those of one.

    Errors are for stderr, and not shown.
    """

    def write(files: Sequence[Report], options: Options, _: Sequence[FileError] = ()) -> str:
        return "\n".join("".join(f"{line}\n" for line in to_lines(file, options)) for file in files)

    return write


def each_file_json(schema_version: int, to_fields: Callable[[Report], Object]) -> WriteFiles[Report]:
    """What writes as JSON the fields of every file, and which ones could not be read."""

    def write(files: Sequence[Report], _: Options, errors: Sequence[FileError] = ()) -> str:
        return to_json({"schema_version": schema_version, "files": [*map(to_fields, files)], "errors": errors})

    return write
