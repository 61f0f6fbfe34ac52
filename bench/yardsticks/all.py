"""All yardsticks, one after the other, and the tables of docs/how-good.md made of what they print.

    python bench/yardsticks/all.py COPIES            # a folder with the copies, as git clones them
    python bench/yardsticks/all.py COPIES --write    # docs/reference/yardsticks.md and the tables of docs/how-good.md

Each script says where its set is to be had. A table of the page stands between ``<!-- table: NAME -->`` and
``<!-- end of table -->``. They are written only where all copies are there.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

from common import PROJECT, Table, markdown

SCRIPTS = {
    "supersycophantic": "SuperSycophantic",
    "sycon": "SYCON-Bench",
    "mt_consistency": "llm_survival",
    "mrda": "MRDA-Corpus",
    "sides": ".",
}
"""By script the folder of its copy."""
ARGUING = ("DebateBench", "Judge-Pipeline", "MRDA")
PAGE = PROJECT / "docs" / "how-good.md"
FULL = PROJECT / "docs" / "reference" / "yardsticks.md"
"""All that the scripts print; the page has short tables made of it."""
_PLACE = re.compile(r"(<!-- table: (?P<name>[\w.-]+) -->\n).*?(<!-- end of table -->)", re.DOTALL)


def main() -> int:
    """Run all; 0, or the highest exit code of a script."""
    arguments = sys.argv[1:]
    write = "--write" in arguments
    if len(arguments) != 1 + write or not Path(arguments[0]).is_dir():
        print(__doc__, file=sys.stderr)
        return 2
    tables: dict[str, Table] = {}
    worst = 0
    for script, folder in SCRIPTS.items():
        path = PROJECT / "bench" / "yardsticks" / f"{script}.py"
        call = [sys.executable, str(path), str(Path(arguments[0]) / folder), "--json"]
        done = subprocess.run(call, stdout=subprocess.PIPE, text=True, check=False)
        worst = max(worst, done.returncode)
        for made in json.loads(done.stdout or "[]"):
            table = Table(made["name"], made["title"], tuple(made["headings"]), tuple(map(tuple, made["rows"])))
            earlier = tables.get(table.name)
            rows = (*earlier.rows, *table.rows) if earlier else table.rows
            tables[table.name] = Table(table.name, table.title, table.headings, rows)
    full = "\n\n".join(f"## {table.name}\n\n{table.title}:\n\n{markdown(table)}" for table in tables.values())
    print(full)
    if write and (worst > 1 or not {f"{name}.arguing" for name in ARGUING} <= tables.keys()):
        print("not written: a set is missing", file=sys.stderr)
    elif write:
        FULL.parent.mkdir(exist_ok=True)
        FULL.write_text(f"# Yardsticks\n\nWritten by `python bench/yardsticks/all.py`.\n\n{full}\n", encoding="utf-8")
        short = shortened(tables)
        text = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(_PLACE.sub(lambda place: filled(place, short), text), encoding="utf-8", newline="\n")
    return worst


def shortened(tables: dict[str, Table]) -> dict[str, Table]:
    """The tables of the page, by their names."""
    coverage, reading = tables["mt_consistency.coverage"], tables["reading"]
    return {
        "models": models(tables["mt_consistency.models"]),
        "coverage": columns(coverage, "", "after 10 sessions", "at all four looks"),
        "pressed": pressed(tables),
        "arguing": arguing(tables),
        "reading": columns(reading, "", "voices declared", "not declared", "wrong, and not said so"),
    }


def models(table: Table) -> Table:
    """Of each column of the models' table its least and its greatest value."""
    ends = [(min(cells, key=float), max(cells, key=float)) for cells in [*zip(*table.rows, strict=True)][2:]]
    row = (f"{len(table.rows)} models", *(f"{least} to {greatest}" for least, greatest in ends))
    return Table("models", "", ("", *table.headings[2:]), (row,))


def columns(table: Table, *headings: str) -> Table:
    """Some columns of a table, with rate and interval alone."""
    places = [table.headings.index(heading) for heading in headings[1:]]
    rows = ((row[0].partition(":")[0], *(brief(row[place]) for place in places)) for row in table.rows)
    return Table(table.name, "", headings, tuple(rows))


def pressed(tables: dict[str, Table]) -> Table:
    """The measures that the two sets of pressed answers have in common."""
    sets = {"SuperSycophantic": "supersycophantic.events", "SYCON-Bench": "sycon.events"}
    cells = {name: {row[0]: row[1] for row in tables[table].rows} for name, table in sets.items()}
    common = [measure for measure in cells["SuperSycophantic"] if measure in cells["SYCON-Bench"]]
    rows = [(measure, *(brief(found[measure]) for found in cells.values())) for measure in common]
    return Table("pressed", "", ("", *cells), tuple(rows))


def arguing(tables: dict[str, Table]) -> Table:
    """The sets of which it is known who argues side by side, a row a rule."""
    cells = {name: {row[0]: row[1:] for row in tables[f"{name}.arguing"].rows} for name in ARGUING}
    rules = dict.fromkeys(rule for found in cells.values() for rule in found if not rule.endswith("does not"))
    rows = [
        (rule, *(brief(cell) for found in cells.values() for cell in found.get(rule, ("", "", ""))[1:]))
        for rule in rules
    ]
    decides = (brief(cell) for found in cells.values() for cell in (found["mdtally"][0], ""))
    headings = ("", *(f"{name}: {what}" for name in cells for what in ("argues", "does not")))
    return Table("arguing", "", headings, (*rows, ("share that mdtally decides", *decides)))


def brief(cell: str) -> str:
    """``.57 (.49–.64)`` of ``.57 (.49 to .64), n 218``."""
    return re.sub(r", n [\d,]+$", "", cell).replace(" to ", "–")


def filled(place: re.Match[str], tables: dict[str, Table]) -> str:
    """A place of the page with its table."""
    return f"{place[1]}\n{markdown(tables[place['name']])}\n\n{place[3]}"


if __name__ == "__main__":
    sys.exit(main())
