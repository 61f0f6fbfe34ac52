"""Lines of calibration logs as rows of one table: what other engines need to count as ``history`` does.

Which line counts, and in which order sessions stand, is decided by `series.reading` and nowhere else: it reads the logs
once, and a second walk writes their lines with what it decided. So memory grows with the sessions, not with the lines.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import NamedTuple

from mdtally.log import FIELDS
from mdtally.series.reading import Session, Sessions, record_of

COLUMNS = (*FIELDS, "log", "line", "is_newest", "place")
"""A row's columns: the fields of a log line, then

- ``log``: the log's name; ``line``: the number of the line in it, from 1 on;
- ``is_newest``: true for the one line of each session that counts;
- ``place``: the place of that session among all, oldest first, from 0 on; null for the other lines.

``date`` is the session's, by which ``place`` orders them.
"""

Row = tuple[object, ...]
_BATCH = 1000


class Log(NamedTuple):
    """A calibration log to export.

    Attributes:
        name: what the column ``log`` says.
        lines: opens it anew and gives its lines as bytes; it is read twice.
        project: the project of all its lines; None leaves what they say.
    """

    name: str
    lines: Callable[[], Iterable[bytes]]
    project: str | None = None


def read(logs: Iterable[Log]) -> Sessions:
    """The sessions of all logs, each by the line that counts."""
    sessions = Sessions()
    for log in logs:
        sessions.read(log.lines(), log.name, project=log.project)
    return sessions


def rows(logs: Sequence[Log], sessions: Sessions) -> Iterator[Row]:
    """One row for each line that is a record, in the order of the logs and their lines; ``sessions`` are theirs."""
    places: dict[tuple[object, ...], list[tuple[int, str]]] = {}
    for place, one in enumerate(sessions.oldest_first()):
        places.setdefault(_content(one), []).append((place, one.date))
    for log in logs:
        for number, line in enumerate(log.lines(), start=1):
            record = record_of(line)
            if record is None:
                continue
            waiting = places.get(_content(sessions.session(record, log.project)))
            # Two logs may hold the same but for the date.
            found = min(waiting, key=lambda one: one[1] != record.date) if waiting else None
            if waiting and found:
                waiting.remove(found)
            values = {name: getattr(record, name) for name in FIELDS}
            if log.project is not None:
                values["project"] = log.project
            if found:
                values["date"] = found[1]
            yield *values.values(), log.name, number, found is not None, found[0] if found else None


def as_json_lines(found: Iterable[Row]) -> Iterator[bytes]:
    """Rows as JSON lines, a batch at a time."""
    encode = json.JSONEncoder(ensure_ascii=False).encode
    for batch in _batches(found):
        text = "".join(f"{encode(dict(zip(COLUMNS, row, strict=True)))}\n" for row in batch)
        yield text.encode("utf-8", "backslashreplace")


def as_csv(found: Iterable[Row]) -> Iterator[bytes]:
    """Rows as comma-separated values with a line of names, a batch at a time; null is an empty field (RFC 4180)."""
    for batch in _batches(chain([COLUMNS], found)):
        text = io.StringIO(newline="")
        csv.writer(text, lineterminator="\n").writerows(
            [str(value).lower() if isinstance(value, bool) else value for value in row] for row in batch
        )
        yield text.getvalue().encode("utf-8", "backslashreplace")


def _content(session: Session) -> tuple[object, ...]:
    """What tells a session's line from others: all but the date, which may be that of an earlier line."""
    return session.key, session.written, session.folder, session.counted, session.held


def _batches(found: Iterable[Row]) -> Iterator[list[Row]]:
    rows = iter(found)
    while batch := list(islice(rows, _BATCH)):
        yield batch
