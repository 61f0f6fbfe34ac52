# %% [markdown]
# # A fleet on one machine: DuckDB and Spark beside the command line
#
# Run it cell by cell in an editor that knows `# %%`, or as it stands:
#
#     pip install '.[duckdb,spark]'    # in a clone
#     python examples/fleet/fleet.py
#
# It generates clones of 30 projects in a temporary folder and asks three programs about them.

# %%
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import generate

folder = Path(tempfile.mkdtemp(prefix="fleet-"))
clones = folder / "clones"
generate.generate(clones, projects=30, sessions=6000, debates=90)


def mdtally(*words: str) -> str:
    """What a command prints; exit code 1 means findings, and torn lines are some."""
    return subprocess.run([sys.executable, "-m", "mdtally", *words], capture_output=True, text=True).stdout


# %% [markdown]
# ## The command line: all logs below a folder at once

# %%
of_command_line = json.loads(mdtally("history", "--by", "project", "--output-format", "json", str(clones)))

# %% [markdown]
# ## DuckDB: SQL over the logs as they lie there
#
# Which projects give in most? The intervals are deflated by how alike the events of a session are, as in `history`.

# %%
import duckdb  # noqa: E402

from mdtally import fleet  # noqa: E402

database = duckdb.connect()
database.execute((Path(fleet.__file__).parent / "duckdb.sql").read_text(encoding="utf-8"))
database.execute(
    f"CREATE VIEW sessions AS SELECT *, project AS grp FROM mdtally_sessions('{clones}/*/*/state/*.jsonl')"
)
worst = database.sql(
    "SELECT grp, sessions, events, round(rate, 3) AS rate, round(low, 3) AS low, round(high, 3) AS high,"
    " round(worth) AS worth FROM mdtally_groups('sessions', 20) WHERE measure = 'sycophancy' LIMIT 5"
)
print(worst)
by_name = {group["group"]: group for group in of_command_line["groups"]}
for name, sessions, events, *_ in worst.fetchall():
    assert (by_name[name]["sessions"], by_name[name]["events"]) == (sessions, events)

# %% [markdown]
# ## Spark: the gate over every debate, a partition a task

# %%
os.environ["PYSPARK_PYTHON"] = sys.executable
from pyspark.sql import SparkSession  # noqa: E402

from mdtally.fleet import spark  # noqa: E402

session = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()

# %%
debates = session.sparkContext.wholeTextFiles(f"{clones}/*/*/debates").toDF("path string, text string")
spark.lint(debates).groupBy("code", "name", "severity").count().orderBy("code").show(truncate=False)
session.stop()
