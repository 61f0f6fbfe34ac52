"""Reader, gate and candidates on Spark: the command line's functions over many documents, a partition at a time.

Each function takes a DataFrame and gives one. The package has to be installed where the executors run. A document that
can't be read is a row that says why, never the failure of a job. Nothing else of mdtally imports this.

    from mdtally.fleet import spark
    findings = spark.lint(session.read.table("debates"))
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from mdtally.text import datafiles
from mdtally.text.records import pick

if TYPE_CHECKING:
    import pandas
    from pyspark.sql import DataFrame

    from mdtally.project.settings import Settings
    from mdtally.text.document import Document

__all__ = ["CANDIDATES", "FINDINGS", "TURNS", "candidates", "lint", "turns"]

FINDINGS, TURNS, CANDIDATES = map(", ".join, datafiles.tables(__file__, "columns.txt").values())
"""The columns of ``lint``, ``turns`` and ``candidates``: the fields of a diagnostic, a turn, a candidate; a document
that could not be read has nothing but its path and ``error``."""

Row = dict[str, object]


def lint(df: DataFrame) -> DataFrame:
    """The columns ``FINDINGS``: what ``mdtally lint`` finds in many documents, suppressed findings left out.

    They come as columns ``path`` and ``text``, and ``configuration`` (the text of a mdtally.toml, or null) if any is.
    """
    return _each_document(df, _findings, FINDINGS)


def turns(df: DataFrame) -> DataFrame:
    """The columns ``TURNS``: the turns of many documents, given as to ``lint``; those without turns have no row."""
    return _each_document(df, _turn_rows, TURNS)


def candidates(df: DataFrame) -> DataFrame:
    """The columns ``CANDIDATES``: the turns that may hold an event, as ``events --candidates`` lists them."""
    return _each_document(df, _candidate_rows, CANDIDATES)


# -- Documents --------------------------------------------------------------------------------------------------------


def _each_document(df: DataFrame, read: Callable[[str, str, str], Iterator[Row]], columns: str) -> DataFrame:
    from pyspark.sql import functions as sql

    def rows(batches: Iterator[pandas.DataFrame]) -> Iterator[pandas.DataFrame]:
        for batch in batches:
            found: list[Row] = []
            for path, *texts in batch.itertuples(index=False):
                # A null is None, or from pandas 3 on a number that is none.
                text, configuration = (value if isinstance(value, str) else "" for value in texts)
                try:
                    found += read(path, text, configuration)
                except Exception as error:  # whatever it is, the other documents are still read
                    found.append({"path": path, "error": f"{type(error).__name__}: {error}"})
            yield _frame(found, columns)

    configuration: Any = "configuration" if "configuration" in df.columns else sql.lit(None).cast("string")
    return df.select("path", "text", configuration).mapInPandas(rows, columns)


def _findings(path: str, text: str, configuration: str) -> Iterator[Row]:
    from mdtally.doors import api
    from mdtally.show import findings

    for finding in findings.findings(api.report_of(*_open_document(path, text, configuration), path)):
        yield {
            "path": path,
            **pick(finding, "code=rule.code name=problem.rule severity=problem.severity message=problem.message"),
            **pick(finding.problem.region, "row=line column end_row=end_line end_column"),
            **pick(finding.turn, "turn=index round speaker"),
        }


def _turn_rows(path: str, text: str, configuration: str) -> Iterator[Row]:
    from mdtally import transcript
    from mdtally.show.turns_output import turn_fields

    found = transcript.read(_open_document(path, text, configuration)[0])
    return ({"path": path, "reading": found.reading, **turn_fields(turn, {})} for turn in found.turns)


def _candidate_rows(path: str, text: str, configuration: str) -> Iterator[Row]:
    from mdtally import events as tagging
    from mdtally.show.events_output import candidate_fields

    found = tagging.candidates(_open_document(path, text, configuration)[0])
    return ({"path": path, **pick(found, "reading sure"), **candidate_fields(one)} for one in found.ranked)


def _open_document(path: str, text: str, configuration: str) -> tuple[Document, Settings]:
    """A document as the command line opens it, with its settings."""
    from mdtally.doors.api import settings_of
    from mdtally.text.document import parse
    from mdtally.text.records import replace

    found = settings_of(configuration)
    return replace(parse(text.encode()), form=found.transcript_for(PurePosixPath(path))), found


def _frame(rows: Iterable[Row], columns: str) -> pandas.DataFrame:
    """Rows with these columns, as Spark names them; what a row does not have is null."""
    import pandas

    def cell(value: object, kind: str) -> object:
        return str(value) if kind == "string" and value is not None else value

    kinds = dict(column.split() for column in columns.split(", "))
    cells = [[cell(row.get(name), kind) for name, kind in kinds.items()] for row in rows]
    # Object columns: with a missing value, pandas would make floats of whole numbers.
    return pandas.DataFrame(cells, columns=[*kinds], dtype=object)
