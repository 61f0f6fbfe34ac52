"""Public debates as numbers: what the gate reads in each turn, without a word of it.

The debates are other people's text, so they are not in the repository. What is learnt from them has to be reproducible
all the same; so `public-turns.tsv` holds, for each of their turns, the labels and the gate's reading
(`mdtally.gate.features`), and where the debate is published. Where the debates are at hand, the file is
written anew after the pack's patterns or the features have changed:

    python bench/public_turns.py FOLDER     # writes bench/public-turns.tsv

A debate is a text file: `# source: ...`, then for each turn a line `=== ROUND | SPEAKER | KIND` and its body. Beside it
lies a `.tsv` with a line an agent's turn: its number, the label "disagreement" (substantive, stand_down, vague, none),
"performative", a phrase, "echo" and "should_flag", as in the labels the gate is measured on.

A debate with assigned sides needs no labels. It has a line `# motion: ...`, its speakers are the sides, and its rounds
are called opening, rebuttal and closing. From it are made: each turn but the openings, behind what was said
("substantive"); and turns that take issue with nobody before them:

- *exchanged*: the last turn of a side behind the turns of a debate about another motion;
- *same side*: a debate's first speech, which has read nobody, behind the first speech of another debate about the
  motion, as it is, and *supporting*: behind a sentence of support.

Of a labelled debate, each turn that takes issue is also put behind the turns of another one.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(PROJECT), str(PROJECT / "bench")]

from gate_numbers import HERE, ISSUE, MANNER  # noqa: E402
from labelled import Labelled  # noqa: E402

from mdtally.gate.against import taken_up  # noqa: E402
from mdtally.gate.echo import Before, overlap  # noqa: E402
from mdtally.gate.evidence import gather  # noqa: E402
from mdtally.gate.features import features  # noqa: E402
from mdtally.gate.pack import Pack, load_or_english  # noqa: E402
from mdtally.text.records import record  # noqa: E402

TABLE = PROJECT / "bench" / "public-turns.tsv"
ELSEWHERE = ("exchanged", "same side", "supporting")
"""The labels of turns that take issue, but with nobody who spoke before them."""
SUPPORT = (
    "I agree with {name}, and I want to add reasons of my own.",
    "{name} is right, and here is why.",
    "I stand with {name} on this; let me make the case in my own words.",
    "Like {name}, I support this side.",
)
FIRST, SECOND = "Ada Lind", "Bo Marsh"
"""The speakers of a pair."""
_LABEL = re.compile(r"=== (\S+) \| (.*?) \| (\w+)\s*")
_SOURCE = re.compile(r"[\w.-]+/[\w.-]+ \S.*? @ ?[0-9a-f]{40}")
_HEAD = re.compile(r"^# (source|motion): *(.*)", re.MULTILINE)
_LABELS = ("turn", "takes issue", "editor", "repeats")
_FACTS = ("denied", "withdrawn", "copied")
_TITLE = "# Written by bench/public_turns.py: labels and readings of public debates."
_TRUTH = {"true": True, "false": False}


@record
class Spoken:
    """A debate as it lies in the folder.

    Attributes:
        name: its folder and file; source: where it is published; motion: what its assigned sides argue about, or "".
        turns: (round, speaker, body) of each agent's turn.
        labels: the rows of labels, one a turn; empty where sides are assigned.
    """

    name: str
    source: str
    motion: str
    turns: tuple[tuple[str, str, str], ...]
    labels: tuple[tuple[str, ...], ...]

    @property
    def repository(self) -> str:
        return self.source.split()[0] if "/" in self.source else self.name


@record
class StoredTurn:
    """A turn as the table holds it; None is a label that is not settled."""

    debate: str
    later: bool
    disagreement: str | None
    sent_back: bool | None
    echo: bool | None
    reading: Mapping[str, float]


def spoken(folder: Path) -> list[Spoken]:
    """Every debate of a folder."""
    found = []
    for path in sorted(folder.glob("**/*.txt")):
        text, labels = path.read_text("utf-8"), path.with_suffix(".tsv")
        head = dict(_HEAD.findall(text))
        if not labels.exists() and "motion" not in head:
            continue
        lines = labels.read_text("utf-8").splitlines() if labels.exists() else ()
        rows = tuple(tuple(re.split(r"\t|\\t", line)) for line in lines if line[:1].isdigit())
        name, turns = f"{path.parent.name}/{path.stem}", tuple(_turns(text))
        if rows and (len(turns) != len(rows) or any(len(row) < 6 for row in rows)):
            raise SystemExit(f"{name}: {len(turns)} agents' turns, but {len(rows)} whole rows of labels")
        found.append(Spoken(name, head.get("source", ""), head.get("motion", ""), turns, rows))
    return found


def _turns(text: str) -> Iterator[tuple[str, str, str]]:
    turns: list[tuple[str, str, str, list[str]]] = []
    for line in text.split("\n"):
        if match := _LABEL.fullmatch(line):
            turns.append((match[1], match[2].strip(), match[3], []))
        elif turns:
            turns[-1][3].append(line)
    return ((group, speaker, "\n".join(body).strip("\n")) for group, speaker, kind, body in turns if kind == "agent")


def rows_of(debates: Sequence[Spoken]) -> Iterator[tuple[Spoken, list[Labelled]]]:
    """For each debate its rows: labelled turns, rebuttals, and turns that are made to take issue with nobody."""
    labelled = [debate for debate in debates if debate.labels]
    sided = [debate for debate in debates if debate.motion]
    for number, debate in enumerate(labelled):
        rows = list(_labelled(debate))
        others = [other for other in labelled[number + 1 :] + labelled[:number] if _is_apart(other, debate)]
        yield debate, [*rows, *(_behind(row, others[0].turns) for row in rows if others and _argues(row))]
    for number, debate in enumerate(sided):
        around = sided[number + 1 :] + sided[:number]
        strangers = [other for other in around if other.motion != debate.motion]
        peers = [other for other in around if other.motion == debate.motion]
        yield debate, [*_rebuttals(debate), *_exchanged(debate, strangers[:1]), *_same_side(debate, peers[:1], number)]


def _is_apart(other: Spoken, debate: Spoken) -> bool:
    return other.repository != debate.repository and len(other.turns) > 2


def _argues(row: Labelled) -> bool:
    return row.later and row.label["disagreement"] == "substantive"


def _labelled(debate: Spoken) -> Iterator[Labelled]:
    for n, ((group, speaker, body), row) in enumerate(zip(debate.turns, debate.labels, strict=True)):
        prior = tuple((who, said) for g, who, said in debate.turns[:n] if g == group and who != speaker)
        label: dict[str, object] = {
            "disagreement": row[1].strip() or None,
            "performative": _TRUTH.get(row[2].strip().lower()),
            "echo": _TRUTH.get(row[4].strip().lower()),
            "should_flag": _TRUTH.get(row[5].strip().lower()),
            "prior": [who for who, _ in prior],
        }
        before = tuple((who, said) for _, who, said in debate.turns[:n])
        yield Labelled(debate.name, n + 1, speaker, body, prior, before, (), label)


def _row(name: str, speaker: str, text: str, prior: tuple[tuple[str, str], ...], issue: str) -> Labelled:
    label: dict[str, object] = {
        "disagreement": issue, "should_flag": False if issue == "substantive" else None, "echo": None,
        "performative": None, "prior": [who for who, _ in prior],
    }  # fmt: skip
    return Labelled(name, 0, speaker, text, prior, prior, (), label)


def _rebuttals(debate: Spoken) -> Iterator[Labelled]:
    for n, (stage, speaker, body) in enumerate(debate.turns):
        prior = tuple((who, said) for _, who, said in debate.turns[:n] if who != speaker)
        if prior and stage != "opening":
            yield _row(debate.name, speaker, body, prior, "substantive")


def _exchanged(debate: Spoken, strangers: Sequence[Spoken]) -> Iterator[Labelled]:
    _, speaker, body = debate.turns[-1]
    for other in strangers:
        prior = tuple((who, said) for _, who, said in other.turns if who != speaker)
        yield _row(debate.name, speaker, body, prior[:2] or ((FIRST, other.turns[0][2]),), "exchanged")


def _same_side(debate: Spoken, peers: Sequence[Spoken], number: int) -> Iterator[Labelled]:
    """The first speech of a debate, which answers nobody, behind the first one of another debate about the motion."""
    _, side, body = debate.turns[0]
    for other in peers:
        _, other_side, theirs = other.turns[0]
        if other_side == side and theirs != body:
            support = SUPPORT[number % len(SUPPORT)].format(name=FIRST)
            for kind, text in zip(ELSEWHERE[1:], (body, f"{support}\n\n{body}"), strict=True):
                yield _row(debate.name, SECOND, text, ((FIRST, theirs),), kind)


def _behind(row: Labelled, turns: Sequence[tuple[str, str, str]]) -> Labelled:
    prior = tuple((who, said) for _, who, said in turns[: max(2, min(len(row.prior), len(turns)))])
    return _row(row.file, row.speaker, str(row.text), prior, "exchanged")


def reading(row: Labelled, pack: Pack) -> dict[str, float]:
    """What the gate reads in a turn behind its context."""
    text = str(row.text)
    evidence = gather(text, [who for who, _ in row.prior], pack)
    before = Before(row.prior, row.debate or row.prior)
    repeats, taken = overlap(text, before.debate), taken_up(evidence, text, before)
    return features(evidence, text, before, repeats, taken)


def write(folder: Path, pack: Pack) -> int:
    """Write the table; the number of turns."""
    names = tuple(dict.fromkeys((*_FACTS, *ISSUE, *HERE, *(name for name in MANNER if name != "score"))))
    turns = 0
    body: list[str] = []
    for debate, rows in rows_of(spoken(folder)):
        known = _SOURCE.match(debate.source)
        body.append(f"# {debate.name}: {known[0] if known else 'a public repository'}")
        for row in rows:
            read = reading(row, pack)
            sent_back = {True: "sent back", False: "fine", None: "?"}[row.label["should_flag"]]  # type: ignore[index]
            echo = {True: "echo", False: "own", None: "?"}[row.label["echo"]]  # type: ignore[index]
            labels = ("later" if row.later else "first", str(row.label["disagreement"] or "?"), sent_back, echo)
            body.append("\t".join([*labels, *(f"{read[name]:.3g}" for name in names)]))
            turns += 1
    TABLE.write_text("\n".join([_TITLE, "\t".join((*_LABELS, *names)), *body]) + "\n", "utf-8")
    return turns


def stored() -> Iterator[StoredTurn]:
    """The turns of the table."""
    lines = TABLE.read_text("utf-8").splitlines()
    names, debate = lines[1].split("\t")[len(_LABELS) :], ""
    for line in lines[2:]:
        if line.startswith("# "):
            debate = line[2:].partition(":")[0]
            continue
        later, disagreement, sent_back, echo, *cells = line.split("\t")
        values = {name: float(cell) for name, cell in zip(names, cells, strict=True)}
        yield StoredTurn(
            debate,
            later == "later",
            None if disagreement == "?" else disagreement,
            {"sent back": True, "fine": False}.get(sent_back),
            {"echo": True, "own": False}.get(echo),
            values,
        )


def sources() -> dict[str, str]:
    """For each debate its repository; where that is not named, the debate's name."""
    lines = (line[2:].partition(": ") for line in TABLE.read_text("utf-8").splitlines()[2:] if line.startswith("# "))
    return {debate: source.split()[0] if "/" in source else debate for debate, _, source in lines}


def main() -> int:
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_dir():
        print(__doc__)
        return 2
    turns = write(Path(sys.argv[1]), load_or_english("en"))
    print(f"{turns} turns written to {TABLE.name}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
