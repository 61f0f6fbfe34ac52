"""Public debates as numbers: what the gate reads in each labelled turn, without a word of it.

The debates are other people's text, so they are not in the repository. What is learnt from them has to be reproducible
all the same; so `public-turns.tsv` holds, for each of their turns, the labels and the gate's reading (`weigh.Reading`),
and where the debate is published. Where the debates are at hand, the file is written anew after the pack's patterns or
the features have changed:

    python bench/public_turns.py FOLDER     # writes bench/public-turns.tsv

A debate is a text file: `# source: ...`, then for each turn a line `=== ROUND | SPEAKER | KIND` and its body. Beside it
lies a `.tsv` with a line an agent's turn: its number, the label "disagreement" (substantive, stand_down, vague, none),
"performative", a phrase, "echo" and "should_flag", as in the labels the gate is measured on.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

PROJECT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(PROJECT), str(PROJECT / "bench")]

from gate_numbers import ISSUE, MANNER  # noqa: E402
from labelled import Labelled  # noqa: E402

from mdtally.gate.echo import Before, overlap  # noqa: E402
from mdtally.gate.evidence import gather  # noqa: E402
from mdtally.gate.pack import Pack, load  # noqa: E402
from mdtally.gate.weigh import Reading, reading  # noqa: E402

TABLE = PROJECT / "bench" / "public-turns.tsv"
_LABEL = re.compile(r"=== (\S+) \| (.*?) \| (\w+)\s*")
_SOURCE = re.compile(r"[\w.-]+/[\w.-]+ \S.*? @ ?[0-9a-f]{40}")
_FLAGS = {"denied": "d", "withdrawn": "w", "copied": "c"}
_LABELS = ("turn", "takes issue", "editor", "repeats", "facts")
_TITLE = "# Written by bench/public_turns.py: labels and readings of public debates."
_TRUTH = {"true": True, "false": False}


class Stored(NamedTuple):
    """A turn as the table holds it; None is a label that is not settled."""

    debate: str
    later: bool
    disagreement: str | None
    sent_back: bool | None
    echo: bool | None
    reading: Reading


def debates(folder: Path) -> Iterator[tuple[str, list[Labelled]]]:
    """Each debate of a folder: where it is published, and its labelled turns."""
    for path in sorted(folder.glob("**/*.txt")):
        labels = path.with_suffix(".tsv")
        if labels.exists():
            rows = [re.split(r"\t|\\t", line) for line in labels.read_text("utf-8").splitlines() if line[:1].isdigit()]
            text = path.read_text("utf-8")
            source = re.match(r"# source: *(.*)", text)
            name = f"{path.parent.name}/{path.stem}"
            yield (source[1] if source else ""), list(_labelled(name, text, rows))


def _labelled(name: str, text: str, rows: list[list[str]]) -> Iterator[Labelled]:
    turns: list[tuple[str, str, str, list[str]]] = []
    for line in text.split("\n"):
        if match := _LABEL.fullmatch(line):
            turns.append((match[1], match[2].strip(), match[3], []))
        elif turns:
            turns[-1][3].append(line)
    agents = [(group, speaker, "\n".join(body).strip("\n")) for group, speaker, kind, body in turns if kind == "agent"]
    if len(agents) != len(rows) or any(len(row) < 6 for row in rows):
        raise SystemExit(f"{name}: {len(agents)} agents' turns, but {len(rows)} whole rows of labels")
    for n, ((group, speaker, body), row) in enumerate(zip(agents, rows, strict=True)):
        prior = tuple((who, said) for g, who, said in agents[:n] if g == group and who != speaker)
        label: dict[str, object] = {
            "disagreement": row[1].strip() or None,
            "performative": _TRUTH.get(row[2].strip().lower()),
            "echo": _TRUTH.get(row[4].strip().lower()),
            "should_flag": _TRUTH.get(row[5].strip().lower()),
            "prior": [who for who, _ in prior],
        }
        debate = tuple((who, said) for _, who, said in agents[:n])
        yield Labelled(name, n + 1, speaker, body, prior, debate, tuple(who for _, who, _ in agents), label)


def write(folder: Path, pack: Pack) -> int:
    """Write the table; the number of turns."""
    names = tuple(dict.fromkeys((*ISSUE, *(name for name in MANNER if name != "score"))))
    turns = 0
    body: list[str] = []
    for source, rows in debates(folder):
        known = _SOURCE.match(source)
        body.append(f"# {rows[0].file}: {known[0] if known else 'a public repository'}")
        for row in rows:
            assert row.text is not None
            evidence = gather(row.text, [who for who, _ in row.prior], pack)
            before = Before(row.prior, row.debate or row.prior)
            read = reading(row.text, before, evidence, overlap(row.text, before.debate))
            flags = "".join(letter for name, letter in _FLAGS.items() if getattr(read, name)) or "-"
            sent_back = {True: "sent back", False: "fine", None: "?"}[row.label["should_flag"]]  # type: ignore[index]
            later = "later" if row.later else "first"
            echo = {True: "echo", False: "own", None: "?"}[row.label["echo"]]  # type: ignore[index]
            disagreement = str(row.label["disagreement"] or "?")
            cells = (f"{read.features[name]:.3g}" for name in names)
            body.append("\t".join([later, disagreement, sent_back, echo, flags, *cells]))
            turns += 1
    TABLE.write_text("\n".join([_TITLE, "\t".join((*_LABELS, *names)), *body]) + "\n", "utf-8")
    return turns


def stored() -> Iterator[Stored]:
    """The turns of the table."""
    lines = TABLE.read_text("utf-8").splitlines()
    names, debate = lines[1].split("\t")[len(_LABELS) :], ""
    for line in lines[2:]:
        if line.startswith("# "):
            debate = line[2:].partition(":")[0]
            continue
        later, disagreement, sent_back, echo, flags, *cells = line.split("\t")
        values = {name: float(cell) for name, cell in zip(names, cells, strict=True)}
        yield Stored(
            debate,
            later == "later",
            None if disagreement == "?" else disagreement,
            {"sent back": True, "fine": False}.get(sent_back),
            {"echo": True, "own": False}.get(echo),
            Reading(values, **{name: letter in flags for name, letter in _FLAGS.items()}),
        )


def sources() -> dict[str, str]:
    """For each debate its repository; where that is not named, what the debate's name begins with."""
    lines = (line[2:].partition(": ") for line in TABLE.read_text("utf-8").splitlines()[2:] if line.startswith("# "))
    return {
        debate: source.split()[0] if "/" in source else debate.split("/")[1].split("-")[1]
        for debate, _, source in lines
    }


def main() -> int:
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_dir():
        print(__doc__)
        return 2
    pack = load("en")
    assert pack is not None
    print(f"{write(Path(sys.argv[1]), pack)} turns written to {TABLE.name}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
