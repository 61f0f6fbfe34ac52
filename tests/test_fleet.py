"""Fleets: exports, DuckDB and Spark give the numbers of the command line, on a generated fleet of many projects.

Engines are optional: without DuckDB, or without PySpark and Java, their tests are skipped and say so. The size of the
fleet is set by MDTALLY_FLEET, ``projects,sessions,debates``; `.ci/run` asks for 200,100000,5000.
"""

from __future__ import annotations

import csv
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Run
from hypothesis import given
from hypothesis import strategies as st

from mdtally.fleet import rows
from mdtally.log import LogRecord, to_line
from mdtally.series.reading import Sessions

PROJECT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PROJECT / "examples" / "fleet"))
import generate  # noqa: E402

SIZE = tuple(map(int, os.environ.get("MDTALLY_FLEET", "12,1500,60").split(",")))

needs_duckdb = pytest.mark.skipif(importlib.util.find_spec("duckdb") is None, reason="DuckDB is not installed")
needs_spark = pytest.mark.skipif(
    importlib.util.find_spec("pyspark") is None or shutil.which("java") is None,
    reason="PySpark or Java is not installed",
)


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fleet") / "clones"
    generate.generate(folder, *SIZE)
    return folder


@pytest.fixture(scope="module")
def logs(fleet: Path) -> list[str]:
    return [str(path) for path in sorted(fleet.rglob("calibration-log.jsonl"))]


def mdtally(*arguments: object) -> str:
    """What a command prints; findings are no failure."""
    command = [sys.executable, "-m", "mdtally", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False, cwd=PROJECT)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


def history(*arguments: object) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(mdtally("history", "--output-format", "json", *arguments))
    return found


# -- Exports ----------------------------------------------------------------------------------------------------------


def records() -> st.SearchStrategy[LogRecord]:
    """Records of few sessions, projects and times, so that they meet."""
    return st.builds(
        LogRecord,
        verdict=st.just("UNCALIBRATED"),
        sycophancy_rate=st.none(),
        overcorrection_rate=st.none(),
        A_P=st.just(0),
        A_R=st.just(0),
        A_T=st.just(0),
        note=st.sampled_from(("", '=1+"2"\n', "é\u2028")),
        session=st.sampled_from(("s1", "s2", "s,3")),
        project=st.sampled_from(("one", "two", None)),
        date=st.sampled_from(("2026-01-01", "2026-01-02")),
        recorded=st.sampled_from(("2026-01-02T00:00:00Z", "2026-01-02T00:00:01Z")),
        model=st.sampled_from(("gpt-5", None)),
        domain=st.none(),
        sycophancy_ceiling=st.just(0.2),
        overcorrection_floor=st.just(0.05),
        events=st.just(""),
        source=st.sampled_from(("a.md", "b/c.md")),
        id=st.sampled_from(("1", "2")),
        schema=st.sampled_from((1, 2)),
    )


@given(st.lists(st.lists(records(), max_size=6), min_size=1, max_size=3))
def test_the_rows_that_count_are_the_sessions_of_history(logs_of: list[list[LogRecord]]) -> None:
    """Whatever the lines: one row a line, one newest row a session, in the order of ``history``."""
    lines = [[f"{to_line(one)}\n".encode() for one in records] for records in logs_of]
    sessions = Sessions()
    for number, of_log in enumerate(lines):
        sessions.read(of_log, str(number))
    exported = [rows.Log(str(number), lambda of_log=of_log: of_log) for number, of_log in enumerate(lines)]  # type: ignore[misc]
    found = [dict(zip(rows.COLUMNS, row, strict=True)) for row in rows.rows(exported, rows.read(exported))]
    assert len(found) == sum(map(len, lines))
    newest = sorted((row for row in found if row["is_newest"]), key=lambda row: row["place"])
    expected = [(one.name, one.held.project, one.date, one.recorded) for one in sessions.oldest_first()]
    assert [(row["session"], row["project"], row["date"], row["recorded"]) for row in newest] == expected


def test_csv_and_json_lines_hold_the_same(fleet: Path, tmp_path: Path) -> None:
    """One row a line that is a record; numbers and truth values read back; null is an empty field."""
    mdtally("log", "export", "--to", "csv", "-o", tmp_path / "fleet.csv", fleet)
    of_json = [json.loads(line) for line in mdtally("log", "export", "--to", "jsonl", fleet).splitlines()]
    with (tmp_path / "fleet.csv").open(encoding="utf-8", newline="") as file:
        of_csv = list(csv.DictReader(file))
    assert len(of_json) == len(of_csv) > 0

    def shown(value: object) -> str:
        return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)

    assert [{name: shown(value) for name, value in row.items()} for row in of_json] == of_csv


def test_an_export_names_what_is_no_record_and_never_overwrites(fleet: Path, tmp_path: Path) -> None:
    """Torn lines are findings, an existing file an error."""
    target = tmp_path / "fleet.csv"
    target.write_text("mine")
    command = [sys.executable, "-m", "mdtally", "log", "export", "-o", str(target), str(fleet)]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)
    assert done.returncode == 2
    assert "exists already" in done.stderr
    assert target.read_text() == "mine"


def test_an_export_says_how_much_it_wrote(run: Run) -> None:
    """Lines, logs and sessions, on standard error."""
    ran = run("log", "export", str(PROJECT / "examples" / "calibration-log.jsonl"))
    assert ran.err == "24 lines of 1 log, 24 sessions\n"


def test_clones_of_one_name_are_told_apart_by_their_path(fleet: Path) -> None:
    """With --repo-from-path the project is the path of the clone below the folder that was named."""
    lines = mdtally("log", "export", "--to", "jsonl", "--repo-from-path", fleet).splitlines()
    roots = {path.parents[1].relative_to(fleet).as_posix() for path in fleet.rglob("calibration-log.jsonl")}
    assert {json.loads(line)["project"] for line in lines} == roots


def test_nothing_of_the_engines_is_imported_without_them() -> None:
    """The package itself needs neither DuckDB nor Spark, pandas or numpy."""
    code = "import sys; import mdtally.cli.log, mdtally.fleet.rows, mdtally.fleet.engine, mdtally.fleet.spark;"
    code += "print([n for n in ('duckdb', 'pyspark', 'pandas', 'numpy', 'pyarrow') if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=PROJECT)
    assert done.stdout == "[]\n"


# -- DuckDB -----------------------------------------------------------------------------------------------------------


@needs_duckdb
@pytest.mark.parametrize("by", ["none", "model", "domain"])
def test_the_macros_count_as_history_does(fleet: Path, logs: list[str], by: str) -> None:
    """Totals, rates, intervals, correlation and rolling rates of every group are equal to the last digit."""
    from mdtally.fleet import engine

    database = engine.connect()
    group = "'all'" if by == "none" else by
    database.execute(
        f"CREATE VIEW sessions AS SELECT *, {group} AS grp FROM mdtally_sessions('{fleet}/*/*/state/*.jsonl')"
    )
    found = database.execute("FROM mdtally_groups('sessions', 20)")
    names = [column[0] for column in found.description]
    groups = {row[0]: dict(zip(names, row, strict=True)) for row in found.fetchall()}
    expected = history("--by", by, *logs)["groups"]
    assert set(groups) == {one["group"] for one in expected}
    for one in expected:
        got = groups[one["group"]]
        held = one["overcorrection"]
        assert (got["sessions"], got["measured"]) == (one["sessions"], one["measured_sessions"])
        assert (got["events"], got["A_P"], got["A_R"]) == (one["events"], one["A_P"], one["A_R"])
        assert (got["first_date"], got["last_date"]) == (one["first_date"], one["last_date"])
        for rate, name, letter in ((one, "sycophancy", "p"), (held, "overcorrection", "r")):
            assert got[f"rho_{letter}"] == rate["design_effect"]["rho"]
            assert got[f"deff_{letter}"] == rate["design_effect"]["deff"]
            assert got[f"{name}_rate"] == rate["overall"]["rate"]
            assert [got[f"{name}_low"], got[f"{name}_high"]] == rate["overall"]["interval_deflated"]
            assert got[f"{name}_worth"] == rate["overall"]["worth"]
            assert got[f"rolling_{name}"] == rate["rolling"]["rate"]


@needs_duckdb
@pytest.mark.parametrize("by", ["none", "model"])
def test_the_engine_gives_the_same_json(fleet: Path, logs: list[str], tmp_path: Path, by: str) -> None:
    """``history --engine duckdb`` over a glob of logs, and over each kind of export, is ``history`` over the logs."""
    expected = history("--by", by, *logs)
    for kind in ("parquet", "csv", "jsonl"):
        mdtally("log", "export", "--to", kind, "-o", tmp_path / f"fleet.{kind}", fleet)
        found = history("--by", by, "--engine", "duckdb", tmp_path / f"fleet.{kind}")
        assert (found["groups"], found["sessions"]) == (expected["groups"], expected["sessions"])
    found = history("--by", by, "--engine", "duckdb", f"{fleet}/*/*/state/*.jsonl")
    assert (found["groups"], found["sessions"]) == (expected["groups"], expected["sessions"])
    for name in ("lines", "superseded", "repeated", "unreadable"):
        assert found["log"][name] == expected["log"][name]


# -- Spark ------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    session = builder.config("spark.sql.shuffle.partitions", "4").getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


@needs_spark
@pytest.mark.parametrize("by", ["none", "model"])
def test_spark_gives_the_history_of_the_command_line(
    spark: Any, fleet: Path, logs: list[str], tmp_path: Path, by: str
) -> None:
    """Every number of every group: the groups' JSON is the same text."""
    from mdtally.fleet import spark as fleets

    mdtally("log", "export", "--to", "jsonl", "-o", tmp_path / "fleet.jsonl", fleet)
    found = fleets.history(spark.read.json(str(tmp_path / "fleet.jsonl")), by=by).collect()
    groups = {row["group"]: json.loads(row["history"]) for row in found}
    assert groups == {one["group"]: one for one in history("--by", by, *logs)["groups"]}


@needs_spark
def test_spark_suggests_the_ceilings_of_the_command_line(
    spark: Any, fleet: Path, logs: list[str], tmp_path: Path
) -> None:
    """A row a family, with the same numbers or the same refusal."""
    from mdtally.fleet import spark as fleets

    mdtally("log", "export", "--to", "jsonl", "-o", tmp_path / "fleet.jsonl", fleet)
    found = fleets.ceilings(spark.read.json(str(tmp_path / "fleet.jsonl"))).collect()
    expected = json.loads(mdtally("history", "--suggest-ceiling", "--output-format", "json", *logs))
    of_family = {row["family"]: json.loads(row["suggestion"]) for row in found}
    assert of_family == {one["family"]: one for one in expected["suggestions"]}


@needs_spark
def test_spark_finds_what_lint_finds(spark: Any, fleet: Path) -> None:
    """Every finding of every debate, with its place, its words and its speaker."""
    from mdtally.fleet import spark as fleets

    paths = sorted(fleet.rglob("*.md"))
    documents = [(str(path), path.read_text(encoding="utf-8")) for path in paths]
    found = fleets.lint(spark.createDataFrame(documents, "path string, text string")).collect()
    report = json.loads(mdtally("lint", "--isolated", "--output-format", "json", *{str(path.parent) for path in paths}))
    expected = [
        (one["filename"], one["code"], one["severity"], one["message"], *one["location"].values())
        for one in report["diagnostics"]
    ]
    got = [tuple(row[name] for name in ("path", "code", "severity", "message", "row", "column")) for row in found]
    assert sorted(got) == sorted(expected)
    assert all(row["error"] is None for row in found)


@needs_spark
def test_a_document_that_fails_is_a_row(spark: Any) -> None:
    """A broken configuration, a document of null and half a surrogate fail by themselves; the others are read."""
    from mdtally.fleet import spark as fleets

    good = (PROJECT / "examples" / "debate-flagged.md").read_text(encoding="utf-8")
    documents = [("a.md", good, None), ("b.md", good, "[lint\n"), ("c.md", None, None), ("d.md", good, "[lint]\n")]
    df = spark.createDataFrame(documents, "path string, text string, configuration string")
    for read in (fleets.lint, fleets.turns):
        by_path: dict[str, list[Any]] = {}
        for row in read(df).collect():
            by_path.setdefault(row["path"], []).append(row)
        assert set(by_path) == {"a.md", "b.md", "d.md"}
        assert [row["error"] is not None for row in by_path["b.md"]] == [True]
        assert all(row["error"] is None for row in by_path["a.md"] + by_path["d.md"])
        assert len(by_path["a.md"]) == len(by_path["d.md"]) > 0


@needs_spark
def test_spark_reads_the_turns_of_the_command_line(spark: Any) -> None:
    """Speaker, kind, round and lines of every turn."""
    from mdtally.fleet import spark as fleets

    path = PROJECT / "examples" / "debate-flagged.md"
    df = spark.createDataFrame([(str(path), path.read_text(encoding="utf-8"))], "path string, text string")
    turns = json.loads(mdtally("turns", "--isolated", "--output-format", "json", path))["files"][0]["turns"]
    names = ("index", "line", "end_line", "speaker", "kind", "words")
    assert [tuple(row[name] for name in names) for row in fleets.turns(df).collect()] == [
        tuple(turn[name] for name in names) for turn in turns
    ]
