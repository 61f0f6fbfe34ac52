"""All yardsticks, one after the other, and the tables of docs/how-good.md made of what they print.

    python bench/yardsticks/all.py COPIES            # a folder with the copies, as git clones them
    python bench/yardsticks/all.py COPIES --write    # figures.md and the tables of docs/how-good.md

Each script says where its set is to be had. A table of the page stands between ``<!--table:NAME-->`` and
``<!--end-->``. They are written only where all copies are there.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from common import PROJECT, Table, markdown

HERE = Path(__file__).parent

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
FULL = HERE / "figures.md"
"""What the scripts print, but for how dialogues are read back, which the page has; its other tables are made of it."""
BEGINNING = (
    "Written by `python bench/yardsticks/all.py COPIES --write`. How dialogues are read back: "
    "[how good it is](../../docs/how-good.md#reading)."
)
# <!--table:coverage-->
_PLACE = re.compile(r"(<!--table:(?P<name>[\w.-]+)-->\n).*?(<!--end-->)", re.DOTALL)


def main() -> int:
    """Run all; 0, or the highest exit code of a script."""
    arguments = sys.argv[1:]
    write = "--write" in arguments
    if len(arguments) != 1 + write or not Path(arguments[0]).is_dir():
        print(__doc__, file=sys.stderr)
        return 2
    tables: dict[str, Table] = {}
    sections, worst = [], 0
    for script, folder in SCRIPTS.items():
        call = [sys.executable, str(HERE / f"{script}.py"), str(Path(arguments[0]) / folder), "--json"]
        done = subprocess.run(call, stdout=subprocess.PIPE, text=True, check=False)
        worst = max(worst, done.returncode)
        found = [
            Table(made["name"], made["title"], tuple(made["headings"]), tuple(map(tuple, made["rows"])))
            for made in json.loads(done.stdout or "[]")
        ]
        tables |= {table.name: table for table in found}
        sections.append(section(script, found))
        print(sections[-1], end="\n\n", flush=True)
    if write and (worst > 1 or not {f"{name}.arguing" for name in ARGUING} <= tables.keys()):
        print("not written: a set is missing", file=sys.stderr)
    elif write:
        full = "\n\n".join(["# Yardsticks", BEGINNING, *sections])
        FULL.write_text(f"{full}\n", encoding="utf-8", newline="\n")
        short = shortened(tables)
        text = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(_PLACE.sub(lambda place: filled(place, short), text), encoding="utf-8", newline="\n")
    return worst


def section(script: str, tables: Iterable[Table]) -> str:
    """What a script measures, as it says itself, and its tables."""
    doc = ast.get_docstring(ast.parse((HERE / f"{script}.py").read_text(encoding="utf-8"))) or ""
    title, _, text = doc.partition("\n\n")
    shown = [f"{table.title}:\n\n{markdown(table)}" for table in tables if not table.name.endswith(".reading")]
    return re.sub(r"(?<=\d) to (?=1?\.\d\d\))", "–", "\n\n".join([f"## {title.rstrip('.')}", text, *shown]))


def shortened(tables: dict[str, Table]) -> dict[str, Table]:
    """The tables of the page, by their names."""
    coverage = tables["mt_consistency.coverage"]
    rows = tuple(row for name, table in tables.items() if name.endswith(".reading") for row in table.rows)
    headings = ("", "voices declared", "not declared", "wrong, and not said so")
    return {
        "models": models(tables["mt_consistency.models"]),
        "coverage": columns(coverage, "", "after 10 sessions", "at all four looks"),
        "pressed": pressed(tables),
        "arguing": arguing(tables),
        "reading": columns(replace(tables["MRDA.reading"], rows=rows), *headings),
    }


def models(table: Table) -> Table:
    """Of each column of the models' table its least and its greatest value."""
    ends = [(min(cells, key=float), max(cells, key=float)) for cells in [*zip(*table.rows, strict=True)][2:]]
    row = (f"{len(table.rows)} models", *(f"{least} to {greatest}" for least, greatest in ends))
    return Table("models", "", ("", *table.headings[2:]), (row,))


def columns(table: Table, *headings: str) -> Table:
    """Some columns of a table, with rate and interval alone."""
    places = [table.headings.index(heading) for heading in headings[1:]]
    rows = ((row[0], *(brief(row[place]) for place in places)) for row in table.rows)
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
