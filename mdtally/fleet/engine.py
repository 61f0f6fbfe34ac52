"""DuckDB: sessions read by it, and rows written as Parquet.

It reads what it can name: logs by their path, globs of them, exports, and those of object stores. Which of several
lines counts is decided in SQL (`duckdb.sql`) or was decided by the export; the statistics are those of every other log.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from mdtally.fleet.rows import COLUMNS, Row, as_json_lines
from mdtally.log import FIELDS, LogRecord
from mdtally.series.reading import Sessions

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

SQL = Path(__file__).with_name("duckdb.sql")
"""The views and macros."""
_BATCH = 10_000
_NUMBERS = ("sycophancy_rate", "overcorrection_rate", "sycophancy_ceiling", "overcorrection_floor")
_TYPES = {
    **dict.fromkeys(COLUMNS, "VARCHAR"),
    **dict.fromkeys(_NUMBERS, "DOUBLE"),
    **dict.fromkeys(("A_P", "A_R", "A_T", "schema", "line", "place"), "BIGINT"),
    "is_newest": "BOOLEAN",
}


class EngineError(Exception):
    """DuckDB is missing, or can't read what was named; one line for a person."""


def connect() -> DuckDBPyConnection:
    """A database in memory that knows mdtally's views and macros.

    Raises:
        EngineError: DuckDB is not installed.
    """
    try:
        import duckdb
    except ImportError:
        raise EngineError("DuckDB is not installed; `pip install 'mdtally[duckdb]'` brings it") from None
    database = duckdb.connect()
    database.execute(SQL.read_text(encoding="utf-8"))
    return database


def read(places: Sequence[str]) -> Sessions:
    """The sessions that logs or exports hold, each by its newest line.

    The places are paths, globs and addresses, as DuckDB takes them; all logs, or all exports.

    Raises:
        EngineError: DuckDB is missing, or can't read them.
    """
    database = connect()
    import duckdb

    try:
        return _sessions(database, places)
    except duckdb.Error as error:
        raise EngineError(str(error).split("\n")[0]) from None


def as_parquet(found: Iterable[Row]) -> Iterator[bytes]:
    """Rows as a Parquet file, piece by piece.

    Raises:
        EngineError: DuckDB is not installed.
    """
    database = connect()
    with TemporaryDirectory(prefix="mdtally-") as folder:
        rows, table = Path(folder) / "rows.jsonl", Path(folder) / "rows.parquet"
        with rows.open("wb") as file:
            file.writelines(as_json_lines(found))
        from_json = f"read_json({_literal(str(rows))}, {_AS_JSON_LINES}, maximum_object_size = 33554432)"
        database.execute(f"COPY (FROM {from_json}) TO {_literal(str(table))} (FORMAT parquet, COMPRESSION zstd)")
        with table.open("rb") as file:
            while piece := file.read(1 << 20):
                yield piece


def _sessions(database: DuckDBPyConnection, places: Sequence[str]) -> Sessions:
    """The sessions, oldest first, and the numbers of lines that do not count."""
    named = _literal(list(places))
    sessions = Sessions()
    if table := _export(database, places, named):
        chosen, order, totals = f"{table} WHERE is_newest", "place", f"SELECT count(*), 0, 0 FROM {table}"
    else:
        chosen, order = f"mdtally_sessions({named})", "date, number"
        totals = f"SELECT lines, unreadable, repeated FROM mdtally_totals({named})"
    sessions.lines, sessions.unreadable, sessions.repeated = database.execute(totals).fetchone() or (0, 0, 0)
    found = database.execute(f"SELECT {', '.join(FIELDS)} FROM {chosen} ORDER BY {order}")
    while batch := found.fetchmany(_BATCH):
        sessions.take(LogRecord(*row) for row in batch)
    sessions.superseded = sessions.lines - sessions.unreadable - sessions.repeated - len(sessions)
    return sessions


def _export(database: DuckDBPyConnection, places: Sequence[str], named: str) -> str:
    """How DuckDB reads the tables that ``mdtally log export`` wrote; "" where logs are named."""
    if all(place.endswith(".parquet") for place in places):
        return f"read_parquet({named})"
    if all(place.endswith((".csv", ".csv.gz")) for place in places):
        return f"read_csv({named}, header = true, columns = {_literal(_TYPES)})"
    marked = "format = 'newline_delimited', ignore_errors = true, columns = {is_newest: 'BOOLEAN'}"
    first = database.execute(f"SELECT is_newest FROM read_json({named}, {marked}) LIMIT 1").fetchone()
    return f"read_json({named}, {_AS_JSON_LINES})" if first and first[0] is not None else ""


def _literal(value: str | list[str] | dict[str, str]) -> str:
    """A value in SQL, which table functions want instead of a parameter."""
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, list):
        return f"[{', '.join(map(_literal, value))}]"
    return f"{{{', '.join(f'{_literal(name)}: {_literal(kind)}' for name, kind in value.items())}}}"


_AS_JSON_LINES = f"format = 'newline_delimited', columns = {_literal(_TYPES)}"
