"""What fleets cost: sessions and debates by the thousand to the million, on one and two cores, by each engine.

    python bench/fleet.py [--sessions 10000 100000] [--debates 1000] [--engines history duckdb lint spark]

Each line is a process of its own: wall-clock seconds, processor seconds with those of its children, and the memory of
its largest process. Starting Java is part of Spark's; a second figure says how long the job itself took.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]

SQL = """
import sys, time, duckdb
from pathlib import Path
database = duckdb.connect()
database.execute(Path("mdtally/fleet/duckdb.sql").read_text(encoding="utf-8"))
database.execute("SET threads = " + sys.argv[2])
began = time.perf_counter()
logs = repr(sys.argv[1] + "/*/*/state/*.jsonl")
database.execute(f"CREATE TABLE sessions AS SELECT *, model AS grp FROM mdtally_sessions({logs})")
database.execute("FROM mdtally_groups('sessions', 20)").fetchall()
print(time.perf_counter() - began)
"""
SPARK = """
import os, sys, time
os.environ["PYSPARK_PYTHON"] = sys.executable
from pyspark.sql import SparkSession
from mdtally.fleet import spark
builder = SparkSession.builder.master(f"local[{sys.argv[2]}]").config("spark.ui.enabled", "false")
session = builder.config("spark.sql.shuffle.partitions", "8").getOrCreate()
session.sparkContext.setLogLevel("OFF")
began = time.perf_counter()
files = session.sparkContext.wholeTextFiles(sys.argv[1] + "/*/*/debates", 16)
spark.lint(files.toDF("path string, text string")).groupBy("code").count().collect()
print(time.perf_counter() - began)
# Wait for Java, or its time would not be counted.
gateway = session.sparkContext._gateway
session.stop()
gateway.shutdown()
gateway.proc.stdin.close()
gateway.proc.wait()
"""


def run(*command: str) -> str:
    """One process: wall clock, processor, memory, and what it prints of the job."""
    environment = {**os.environ, "PYTHONPATH": str(PROJECT)}
    began, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.Popen(
        [sys.executable, *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=environment,
        cwd=PROJECT,
    )
    output = process.stdout.read() if process.stdout else ""
    _, status, own = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if os.waitstatus_to_exitcode(status) not in (0, 1):
        return "failed | | | "
    processor = max(own.ru_utime + own.ru_stime, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    words = output.split()
    job = f"{float(words[-1]):.1f}" if command[0] == "-c" and words else ""
    return f"{seconds:.1f} | {job} | {processor:.1f} | {own.ru_maxrss / 1024:.0f}"


def generate(folder: Path, sessions: int, debates: int) -> None:
    """A fleet of 200 projects; by a process of its own, for a large parent's memory would count as its children's."""
    script = str(PROJECT / "examples" / "fleet" / "generate.py")
    options = ["--sessions", str(sessions), "--debates", str(debates)]
    subprocess.run([sys.executable, script, str(folder), *options], check=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sessions", type=int, nargs="*", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--debates", type=int, nargs="*", default=[1000])
    parser.add_argument("--engines", nargs="*", default=["history", "duckdb", "lint", "spark"])
    asked = parser.parse_args()
    print("| what | how many | cores | seconds | of these the job | processor, s | MB of the largest process |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")

    def row(what: str, many: int, cores: int, *command: str) -> None:
        print(f"| {what} | {many:,} | {cores} | {run(*command)} |", flush=True)

    for sessions in asked.sessions:
        with tempfile.TemporaryDirectory() as folder:
            clones = str(Path(folder) / "clones")
            generate(Path(clones), sessions, 0)
            if "history" in asked.engines and sessions <= 100_000:
                row("`history --by model`", sessions, 1, "-m", "mdtally", "history", "--by", "model", clones)
            if "duckdb" in asked.engines:
                for cores in (1, 2):
                    row("`mdtally_groups` (SQL)", sessions, cores, "-c", SQL, clones, str(cores))
    for debates in asked.debates:
        with tempfile.TemporaryDirectory() as folder:
            clones = str(Path(folder) / "clones")
            generate(Path(clones), 200, debates)
            if "lint" in asked.engines:
                row("`lint`", debates, 1, "-m", "mdtally", "lint", "-q", clones)
            if "spark" in asked.engines:
                for cores in (1, 2):
                    row("`spark.lint`", debates, cores, "-c", SPARK, clones, str(cores))


if __name__ == "__main__":
    main()
