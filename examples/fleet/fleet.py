# %% [markdown]
# # A fleet on one machine: DuckDB and Spark beside the command line
#
# Run it cell by cell in an editor that knows `# %%`, or as it stands:
#
#     pip install 'mdtally[duckdb,spark]'
#     python examples/fleet/fleet.py
#
# It generates clones of 30 projects in a temporary folder and asks three engines the same question.

# %%
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import generate

folder = Path(tempfile.mkdtemp(prefix="fleet-"))
clones, table = folder / "clones", folder / "fleet.parquet"
generate.generate(clones, projects=30, sessions=6000, debates=90)
logs = sorted(map(str, clones.rglob("calibration-log.jsonl")))


def mdtally(*words: str) -> str:
    """What a command prints; exit code 1 means findings, and torn lines are some."""
    return subprocess.run([sys.executable, "-m", "mdtally", *words], capture_output=True, text=True).stdout


# %% [markdown]
# ## The command line: all logs at once, and one table of them
#
# The table has a row a line. `is_newest` marks the one line of each session that counts.

# %%
of_command_line = json.loads(mdtally("history", "--by", "model", "--output-format", "json", *logs))
mdtally("log", "export", "--to", "parquet", "-o", str(table), str(clones))

# %% [markdown]
# ## DuckDB: SQL where SQL is enough
#
# Which projects give in most? The intervals are deflated by how alike the events of a session are, as in `history`.

# %%
from mdtally.fleet import engine  # noqa: E402

database = engine.connect()
database.execute(f"CREATE VIEW sessions AS SELECT *, project AS grp, place AS number FROM '{table}' WHERE is_newest")
print(
    database.sql(
        "SELECT grp, sessions, events, round(sycophancy_rate, 3) AS rate, round(sycophancy_low, 3) AS low,"
        " round(sycophancy_high, 3) AS high, round(sycophancy_worth) AS worth"
        " FROM mdtally_groups('sessions', 20) LIMIT 5"
    )
)

# %% [markdown]
# ## Spark: the same statistics, a group a task; the gate, a partition a task

# %%
os.environ["PYSPARK_PYTHON"] = sys.executable
from pyspark.sql import SparkSession  # noqa: E402

from mdtally.fleet import spark  # noqa: E402

session = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
rows = spark.history(session.read.parquet(str(table)), by="model").collect()
by_model = {row["group"]: json.loads(row["history"]) for row in rows}
for group in of_command_line["groups"]:
    assert by_model[group["group"]] == group
print("Spark and the command line agree on", ", ".join(str(name) for name in by_model))

# %%
debates = session.sparkContext.wholeTextFiles(f"{clones}/*/*/debates").toDF("path string, text string")
spark.lint(debates).groupBy("code", "name", "severity").count().orderBy("code").show(truncate=False)
session.stop()
