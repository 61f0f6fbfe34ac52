"""The list of recorded sessions: a table for a terminal, and JSON."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise, takewhile

from mdtally.show.json_document import to_json
from mdtally.show.style import Options, table
from mdtally.sources.listing import ListedSession
from mdtally.text import safe
from mdtally.text.model import FileError

_HEADINGS = "date", "session", "source", "project", "model", "turns:", "pushes:", "first words, note"
_WIDTHS = 64, 14, 18, 20, 6, 6, 44
_SHORTEST = 8  # characters of a session's id


def sessions_json(rows: Sequence[ListedSession], errors: Sequence[FileError]) -> str:
    """The sessions, and the files that could not be read with the reasons, as JSON."""
    return to_json({"schema_version": 1, "sessions": rows, "errors": errors})


def sessions_table(rows: Sequence[ListedSession], options: Options) -> str:
    """The sessions, a line each below the names of the columns."""
    cells, names = list[list[str]](), _beginnings({row.session for row in rows})
    for row in rows:
        project = (row.project or "-").replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]
        words = " ".join((row.first_words or row.title or "-").split())
        texts = (names[row.session], row.source, project, row.model or "-", f"{row.turns:,}", f"{row.pushes:,}", words)
        shown = [safe.clip(safe.terminal(text), size) for text, size in zip(texts, _WIDTHS, strict=True)]
        shown[-1] += f"  {safe.path(row.note)} ({row.review})" if row.note else ""
        cells.append([row.date, *shown])
    return "".join(f"{line}\n" for line in table(_HEADINGS, cells, options, width=options.width))


def _beginnings(ids: Iterable[str]) -> dict[str, str]:
    """By id of a session as much of its beginning as tells it from the others, and a few characters at least."""
    ordered = sorted(ids)
    # What tells it from the ones before and behind it in their order tells it from all.
    alike = [sum(takewhile(bool, map(str.__eq__, *pair))) for pair in pairwise(ordered)]
    most = map(max, [0, *alike], [*alike, 0])
    return {one: one[: max(_SHORTEST, 1 + length)] for one, length in zip(ordered, most, strict=False)}
