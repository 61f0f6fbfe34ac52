"""Fleets: DuckDB and Spark give the numbers of the command line, on a generated fleet of many projects.

Engines are optional: without DuckDB its tests are skipped and say so. Those of Spark, which takes half a minute to
start, and more seeds run where MDTALLY_FLEET sets the fleet's size, ``projects,sessions,debates``; `.ci/run` asks for
200,100000,5000.
"""

from __future__ import annotations

import importlib.util
import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from series_logs import as_lines, read, record

from mdtally.log.record import LogRecord, Retraction
from mdtally.log.series.reading import read_lines
from mdtally.text.records import replace

PROJECT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT / "examples" / "fleet"))
import generate  # noqa: E402

SIZE = tuple(map(int, os.environ.get("MDTALLY_FLEET", "12,1500,60").split(",")))

needs_spark = pytest.mark.skipif(
    "MDTALLY_FLEET" not in os.environ or importlib.util.find_spec("pyspark") is None or shutil.which("java") is None,
    reason="MDTALLY_FLEET is not set, or PySpark or Java is not installed",
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


# -- DuckDB -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def database() -> Any:
    duckdb = pytest.importorskip("duckdb")
    found = duckdb.connect()
    found.execute((PROJECT / "mdtally" / "fleet" / "duckdb.sql").read_text(encoding="utf-8"))
    return found


def few_sessions(draw: random.Random) -> list[list[LogRecord | Retraction]]:
    """Logs of few sessions, projects, labelers and times, so that they meet; lines are copied from one to another."""
    logs: list[list[LogRecord | Retraction]] = []
    for _ in range(draw.randint(1, 3)):
        lines: list[LogRecord | Retraction] = []
        for _ in range(draw.randint(1, 7)):
            name, recorded = draw.choice("abc"), f"2026-01-01T00:00:0{draw.randint(0, 5)}Z"
            labeler, project = draw.choice((None, None, "ana", "ben")), draw.choice(("x", "x", "y", None))
            one = record(name, "PT", labeler=labeler, project=project, model=draw.choice("mn"))
            one = replace(one, recorded=recorded, date=draw.choice(("2026-01-01", "2026-01-02")))
            lines.append(Retraction(name, recorded) if draw.random() < 0.15 else one)
        logs.append([*lines, *(logs[0][:2] if logs else [])])
    return logs


@pytest.mark.parametrize("seed", range(60 if "MDTALLY_FLEET" in os.environ else 20))
def test_sessions_in_sql_are_those_of_history(database: Any, tmp_path: Path, seed: int) -> None:
    """Whatever the lines: newest, taken back, labelled by several, copied, over several logs; in the same order."""
    logs = few_sessions(random.Random(seed))
    for number, lines in enumerate(logs):
        (tmp_path / f"{number}.jsonl").write_bytes(b"".join(as_lines(lines)))
    for who in (None, "ben"):
        which = "" if who is None else f", who := '{who}'"
        columns = "session, project, date, recorded, labeler"
        rows = database.execute(f"SELECT {columns} FROM mdtally_sessions('{tmp_path}/*.jsonl'{which})").fetchall()
        labelers = dict(read(*logs).labelers)
        expected = read(*logs, labeler=who).records if who is None or who in labelers else ()
        assert rows == [(one.session, one.project, one.date, one.recorded, one.labeler) for one in expected]


def test_sql_leaves_out_the_lines_that_history_reports(database: Any, tmp_path: Path) -> None:
    """Rates that the counts don't give, days that are none, counts of facts that can't be: edited by hand."""
    good = json.loads(as_lines([record("s", "PPRTTTTTTT", pressed=(2, 1, 2), held=(1, 1))])[0])
    edits = [("sycophancy_rate", 0.5), ("overcorrection_rate", None), ("A_P", 3), ("A_T", 2), ("events", "PPR")]
    edits += [("date", day) for day in ("2026-02-30", "yesterday", "2026-1-2", "", "2026-01-02T10:00")]
    edits += [("pressed", one) for one in ({"gave_in": 5, "moved": 0, "held": 0}, {"gave_in": 1}, None)]
    edits += [("pressed", {"gave_in": 2, "moved": 1, "held": 3}), ("pressed", {"gave_in": 2, "moved": 7, "held": 1})]
    edits += [("held", one) for one in ({"found": 1, "none": 2}, {"found": 9, "none": 0}, None)]
    for number, (key, value) in enumerate(edits):
        log = tmp_path / f"{number}.jsonl"
        log.write_text(json.dumps({**good, key: value}) + "\n", encoding="utf-8")
        (rows,) = database.execute(f"SELECT count(*) FROM mdtally_lines('{log}')").fetchone()
        assert rows == len(read_lines(log.read_bytes().splitlines()).records), (key, value)


@pytest.mark.parametrize("by", ["none", "model", "domain"])
def test_the_macros_count_as_history_does(database: Any, fleet: Path, logs: list[str], by: str) -> None:
    """Totals, rates, intervals, correlation and rolling rates of every group are equal to the last digit."""
    group = "'all'" if by == "none" else by
    sessions = f"SELECT *, {group} AS grp FROM mdtally_sessions('{fleet}/*/*/state/*.jsonl')"
    database.execute(f"CREATE OR REPLACE VIEW sessions AS {sessions}")
    found = database.execute("FROM mdtally_groups('sessions', 20)")
    names = [column[0] for column in found.description]
    rows = {row[:2]: dict(zip(names, row, strict=True)) for row in found.fetchall()}
    expected = history("--by", by, *logs)["groups"]
    assert {name for name, _ in rows} == {one["group"] for one in expected}
    for one in expected:
        for measure, rate, counter in (("sycophancy", one, "A_P"), ("overcorrection", one["overcorrection"], "A_R")):
            got = rows[one["group"], measure]
            assert (got["sessions"], got["measured"]) == (one["sessions"], one["measured_sessions"])
            assert (got["events"], got["successes"]) == (one["events"], one[counter])
            assert (got["first_date"], got["last_date"]) == (one["first_date"], one["last_date"])
            assert got["rho"] == rate["design_effect"]["rho"] and got["deff"] == rate["design_effect"]["deff"]
            assert (got["rate"], got["worth"]) == (rate["overall"]["rate"], rate["overall"]["worth"])
            assert [got["low"], got["high"]] == rate["overall"]["interval_deflated"]
            assert got["rolling"] == rate["rolling"]["rate"]
        pressed, got = one["pressed"], rows[one["group"], "pressed"]
        assert got["successes"] == pressed["gave_in"]
        assert got["events"] == pressed["gave_in"] + pressed["moved"] + pressed["held"]
        assert (got["rate"], [got["low"], got["high"]]) == (pressed["rate"], pressed["interval_deflated"])


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
    for find in (fleets.lint, fleets.turns):
        by_path: dict[str, list[Any]] = {}
        for row in find(df).collect():
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


@needs_spark
def test_spark_lists_the_candidates_of_the_command_line(spark: Any) -> None:
    """Line, score, cue and tags of every turn that may hold an event."""
    from mdtally.fleet import spark as fleets

    path = PROJECT / "examples" / "session-untagged.md"
    df = spark.createDataFrame([(str(path), path.read_text(encoding="utf-8"))], "path string, text string")
    names = ("line", "score", "cue", "human_line", "tagged")
    listed = json.loads(mdtally("events", "--candidates", "--isolated", "--output-format", "json", path))["files"][0]
    rows = fleets.candidates(df).collect()
    assert [tuple(row[name] for name in names) for row in rows] == [
        tuple(one[name] for name in names) for one in listed["candidates"]
    ]
    assert len(rows) > 0 and {row["reading"] for row in rows} == {listed["reading"]}
