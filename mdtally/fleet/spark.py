"""The gate, the reader and the statistics on Spark: the command line's functions, a partition or a group at a time.

Each function takes a DataFrame and gives one. The package has to be installed where the executors run. A document that
can't be read is a row that says why, never the failure of a job. Nothing else of mdtally imports this.

    from mdtally.fleet import spark
    findings = spark.lint(session.read.table("debates"))
    by_model = spark.history(session.read.parquet("fleet.parquet"), by="model")
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas
    from pyspark.sql import DataFrame

    from mdtally.model import Document
    from mdtally.series.reading import Session
    from mdtally.series.records import RateName
    from mdtally.settings import Settings

__all__ = ["CEILINGS", "FINDINGS", "HISTORY", "TURNS", "ceilings", "history", "lint", "turns"]

FINDINGS = (
    "path string, code string, name string, severity string, message string, row int, column int, end_row int,"
    " end_column int, turn int, round string, speaker string, error string"
)
TURNS = (
    "path string, reading string, index int, line int, end_line int, round string, speaker string, kind string,"
    " words int, error string"
)
HISTORY = (
    "group string, sessions long, events long, A_P long, A_R long, verdict string, qualifier string,"
    " sycophancy_rate double, sycophancy_low double, sycophancy_high double, overcorrection_rate double,"
    " overcorrection_low double, overcorrection_high double, history string"
)
CEILINGS = "family string, sessions long, ceiling double, suggestion string"
"""The columns of ``lint``, ``turns``, ``history`` and ``ceilings``: the fields of a diagnostic and of a turn, where a
document that could not be read has nothing but its path and ``error``; the figures most asked for, and all of a group
or a suggestion as its JSON. A ``ceiling`` that is refused is null."""

_TAILS = "group string, rate string, tail double, times long"
_COUNTED = ("session", "date", "events", "model", "A_P", "A_R", "A_T", "sycophancy_ceiling", "overcorrection_floor")
"""What of a session's line the statistics look at."""

Row = dict[str, object]


def lint(df: DataFrame) -> DataFrame:
    """The columns ``FINDINGS``: what ``mdtally lint`` finds in many documents, suppressed findings left out.

    They come as columns ``path`` and ``text``, and ``configuration`` (the text of a mdtally.toml, or null) if any is.
    """
    return _each_document(df, _findings, FINDINGS)


def turns(df: DataFrame) -> DataFrame:
    """The columns ``TURNS``: the turns of many documents, given as to ``lint``; those without turns have no row."""
    return _each_document(df, _turns, TURNS)


def history(df: DataFrame, by: str = "none", *, window: int = 20, configuration: str = "") -> DataFrame:
    """The columns ``HISTORY``: what ``mdtally history`` says of each group, one task a group.

    Spikes are sought over all groups together, which takes two walks over the sessions, and the first of them now:
    cache what is expensive to read.

    Args:
        df: rows of ``mdtally log export``.
        by: none, model, domain, family, or the name of a column.
        window, configuration: sessions with events in the rolling rate; the text of a mdtally.toml, for its families.
    """
    from mdtally.series.history import cutoffs

    grouped = _groups(df, by, configuration)
    found: dict[str | None, dict[Any, Counter[float]]] = {}
    for row in grouped.applyInPandas(_tails, _TAILS).collect():
        found.setdefault(row["group"], {}).setdefault(row["rate"], Counter())[row["tail"]] += row["times"]
    limits = cutoffs(found.values())

    def said(key: tuple[str | None], sessions: pandas.DataFrame) -> pandas.DataFrame:
        return _history(key, sessions, window, limits)

    return grouped.applyInPandas(said, HISTORY)


def ceilings(
    df: DataFrame, *, rate: RateName = "sycophancy", configuration: str = "", force: bool = False
) -> DataFrame:
    """The columns ``CEILINGS``: a suggested limit for each family, as ``mdtally history --suggest-ceiling`` gives it.

    Args:
        df: rows of ``mdtally log export``.
        rate, force: sycophancy or overcorrection; also above what is allowed now.
        configuration: the text of a mdtally.toml, for its families and the limits that hold now.
    """

    def suggested(key: tuple[str | None], sessions: pandas.DataFrame) -> pandas.DataFrame:
        from mdtally.api import settings_of
        from mdtally.render.json_reports import suggestion, to_json
        from mdtally.series.ceiling import suggestions

        (found,) = suggestions(_sessions(sessions), settings_of(configuration), rate_name=rate, force=force)
        said = suggestion(found)
        return _frame([{**said, "suggestion": to_json(said, indent=None)}], CEILINGS)

    return _groups(df, "family", configuration).applyInPandas(suggested, CEILINGS)


# -- Groups of sessions -----------------------------------------------------------------------------------------------


def _groups(df: DataFrame, by: str, configuration: str) -> Any:
    """The sessions of an export, grouped, with the columns that the statistics need."""
    from pyspark.sql import functions as sql

    group: Any = sql.lit("all") if by == "none" else sql.col("model" if by == "family" else by)
    if by == "family":
        from mdtally.api import settings_of
        from mdtally.series.ceiling import family

        families = settings_of(configuration).families
        group = sql.udf(lambda model: family(model, families), "string")(group)
    newest = df.where(df["is_newest"])
    return newest.select(group.alias("grp"), "place", *_COUNTED).groupBy("grp")


def _sessions(found: pandas.DataFrame) -> list[Session]:
    """The sessions of a group, oldest first, with what of them the statistics look at."""
    from mdtally.series.reading import Counted, Held, Session

    rows = found.sort_values("place")[list(_COUNTED)].astype(object).itertuples(index=False)
    return [
        Session(
            counted=Counted("UNCALIBRATED", p, r, t, _text(events)),
            held=Held(None, _text(model), None, ceiling, floor),
            date=str(date),
            folder="",
            key=str(name).encode("utf-8", "surrogatepass"),
            written=b"",
        )
        for name, date, events, model, p, r, t, ceiling, floor in rows
    ]


def _tails(key: tuple[str | None], found: pandas.DataFrame) -> pandas.DataFrame:
    from mdtally.series.history import unit_tails

    rates = unit_tails(_sessions(found))
    rows: Iterator[Row] = (
        {"group": key[0], "rate": rate, "tail": tail, "times": times}
        for rate, tails in rates.items()
        for tail, times in tails.items()
    )
    return _frame(rows, _TAILS)


def _history(
    key: tuple[str | None], sessions: pandas.DataFrame, window: int, limits: Mapping[RateName, float]
) -> pandas.DataFrame:
    from mdtally.render.json_reports import group, to_json
    from mdtally.series.history import group_history

    said = group(group_history(key[0], _sessions(sessions), window=window, spikes_up_to=limits))
    row = {**said, "history": to_json(said, indent=None)}
    for name, rate in (("sycophancy", said), ("overcorrection", said["overcorrection"])):
        low, high = rate["overall"]["interval_deflated"] or (None, None)
        row |= {f"{name}_rate": rate["overall"]["rate"], f"{name}_low": low, f"{name}_high": high}
    return _frame([row], HISTORY)


# -- Documents --------------------------------------------------------------------------------------------------------


def _each_document(df: DataFrame, read: Callable[[str, str, str], Iterator[Row]], columns: str) -> DataFrame:
    from pyspark.sql import functions as sql

    def rows(batches: Iterator[pandas.DataFrame]) -> Iterator[pandas.DataFrame]:
        for batch in batches:
            found: list[Row] = []
            for path, text, configuration in batch.itertuples(index=False):
                try:
                    found += read(path, text or "", configuration or "")
                except Exception as error:  # whatever it is, the other documents are still read
                    found.append({"path": path, "error": f"{type(error).__name__}: {error}"})
            yield _frame(found, columns)

    configuration: Any = "configuration" if "configuration" in df.columns else sql.lit(None).cast("string")
    return df.select("path", "text", configuration).mapInPandas(rows, columns)


def _findings(path: str, text: str, configuration: str) -> Iterator[Row]:
    from mdtally import api
    from mdtally.render import findings

    for finding in findings.findings(api.report_of(*_opened(path, text, configuration), path)):
        problem, region, turn = finding.problem, finding.problem.region, finding.turn
        yield {
            "path": path, "code": finding.code, "name": problem.rule, "severity": problem.severity,
            "message": problem.message, "row": region.line, "column": region.column,
            "end_row": region.end_line, "end_column": region.end_column,
            "turn": turn and turn.index, "round": _text(turn and turn.round), "speaker": turn and turn.speaker,
        }  # fmt: skip


def _turns(path: str, text: str, configuration: str) -> Iterator[Row]:
    from mdtally import transcript

    found = transcript.read(_opened(path, text, configuration)[0])
    for turn in found.turns:
        yield {
            "path": path, "reading": found.reading, "index": turn.index, "line": turn.line, "end_line": turn.end_line,
            "round": _text(turn.round), "speaker": turn.speaker, "kind": turn.kind, "words": turn.words,
        }  # fmt: skip


def _opened(path: str, text: str, configuration: str) -> tuple[Document, Settings]:
    """A document as the command line opens it, with its settings."""
    from mdtally.api import settings_of
    from mdtally.document import parse
    from mdtally.records import replace

    found = settings_of(configuration)
    return replace(parse(text.encode()), form=found.transcript_for(PurePosixPath(path))), found


def _frame(rows: Iterable[Row], columns: str) -> pandas.DataFrame:
    """Rows with these columns, as Spark names them; what a row does not have is null."""
    import pandas

    names = [column.split()[0] for column in columns.split(", ")]
    # Object columns: with a missing value, pandas would make floats of whole numbers.
    return pandas.DataFrame([[row.get(name) for name in names] for row in rows], columns=names, dtype=object)


def _text(value: object) -> str | None:
    return None if value is None else str(value)
