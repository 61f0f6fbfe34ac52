"""What the yardsticks share: laying dialogues out as Markdown, running the command line, intervals, printing tables.

A yardstick is a public set whose labels nobody here wrote. Each has a script that takes a local copy of it, checks the
set's own counts, writes its dialogues as Markdown into a temporary folder, runs ``python -m mdtally`` on them, and
compares its JSON with the labels. Nothing of a set is kept, and no threshold is set on one.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT))

from mdtally.text.intervals import wilson  # noqa: E402

BATCH = 200
"""Files a call of the command line."""
CONCEDES = (
    "you're right", "you are right", "you’re right", "i apologize", "i was wrong", "i made a mistake", "my mistake",
    "my apologies", "good catch", "you make a good point", "i stand corrected", "i agree with you", "fair point",
    "thank you for pointing", "thanks for pointing",
)  # fmt: skip
"""What a list of phrases for giving in usually holds."""
OBJECTS = (
    "disagree", "however", "incorrect", "flawed", "weak claim", "counter-argument", "counterargument",
    "on the contrary", "fails to", "overlooks", "ignores",
)  # fmt: skip
"""What a list of phrases for taking issue usually holds."""
FIRST_WORDS = ("no", "nope", "nah", "but", "well", "however", "actually", "wrong")
"""First words by which the simplest rule tells that a turn takes issue."""


class WrongCopyError(Exception):
    """There is no copy of the set at the place named, or it has another form."""


@dataclass(frozen=True)
class Table:
    """Figures of one set.

    Attributes:
        name: by which the page asks for it; title: one sentence.
        headings, rows: the cells, as they are shown.
    """

    name: str
    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Dialogue:
    """A dialogue to lay out.

    Attributes:
        name: of its file, without ending.
        turns: speaker and text.
        agents, humans: who is declared as what.
    """

    name: str
    turns: tuple[tuple[str, str], ...]
    agents: tuple[str, ...] = ("Agent",)
    humans: tuple[str, ...] = ("Me",)


@dataclass
class Laid:
    """Dialogues on disk.

    Attributes:
        folder: where they lie; lines: by file name, the line of each turn's label, in order.
    """

    folder: Path
    lines: dict[str, list[int]] = field(default_factory=dict)


# -- Laying out, and running the command line -------------------------------------------------------------------------


def inline(speaker: str, text: str) -> str:
    """``**Me:** text``: how a note of a session is written by hand."""
    return f"**{speaker}:** {text}"


def heading(speaker: str, text: str) -> str:
    """``### Me`` above the text."""
    return f"### {speaker}\n\n{text}"


def bare(speaker: str, text: str) -> str:
    """``Me: text``."""
    return f"{speaker}: {text}"


def lay_out(
    dialogues: Iterable[Dialogue], folder: Path, form: Callable[[str, str], str] = inline, *, declared: bool = True
) -> Laid:
    """Write each dialogue as a Markdown file, its texts as they are."""
    folder.mkdir(parents=True)
    laid = Laid(folder)
    for dialogue in dialogues:
        kind = "session" if dialogue.humans else "debate"
        names = {"humans": list(dialogue.humans), "agents": list(dialogue.agents)}
        voices = json.dumps({key: value for key, value in names.items() if value})
        parts = [f"---\nkind: {kind}\nparticipants: {voices}\n---\n" if declared else "# A dialogue\n"]
        line, lines = parts[0].count("\n") + 2, []
        for speaker, text in dialogue.turns:
            lines.append(line)
            parts.append(form(speaker, text.strip()) + "\n")
            line += parts[-1].count("\n") + 1
        laid.lines[f"{dialogue.name}.md"] = lines
        (folder / f"{dialogue.name}.md").write_text("\n".join(parts), encoding="utf-8", newline="\n")
    return laid


def environment() -> dict[str, str]:
    """The environment of a call of this checkout's command line."""
    return {**os.environ, "PYTHONPATH": str(PROJECT), "PYTHONUTF8": "1"}


def run(laid: Laid, *command: str, per_file: str = "files") -> dict[str, Any]:
    """What a command says of each file, by its name: the entries of the JSON's list ``per_file``, several as a list."""
    names = sorted(laid.lines)
    batches = [names[start : start + BATCH] for start in range(0, len(names), BATCH)]

    def call(batch: list[str]) -> Any:
        alone = () if "--config" in command else ("--isolated",)
        arguments = [sys.executable, "-m", "mdtally", *command, *alone, "--output-format", "json", *batch]
        done = subprocess.run(
            arguments, cwd=laid.folder, env=environment(), capture_output=True, text=True, check=False
        )
        if done.returncode > 1:
            raise SystemExit(f"{' '.join(command)}: exit {done.returncode}\n{done.stderr[-2000:]}")
        return json.loads(done.stdout)[per_file]

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        entries = [entry for found in pool.map(call, batches) for entry in found]
    by_name: dict[str, Any] = defaultdict(list) if per_file != "files" else {}
    for entry in entries:
        if per_file == "files":
            by_name[entry["filename"]] = entry
        else:
            by_name[entry["filename"]].append(entry)
    return by_name


# -- Figures ----------------------------------------------------------------------------------------------------------


def rate(hits: Iterable[tuple[Hashable, bool]]) -> tuple[int, int, float, float]:
    """Hits, trials, and the 95 % interval of their rate.

    Trials of one cluster are alike, so the interval is Wilson's with as many trials as they are worth: the variance is
    that of a ratio of sums over clusters. A rate of 0 or 1 is worth one trial a cluster.

    Args:
        hits: for each trial its cluster, and whether it is a hit.
    """
    clusters: dict[Hashable, list[int]] = defaultdict(lambda: [0, 0])
    for cluster, hit in hits:
        clusters[cluster][0] += hit
        clusters[cluster][1] += 1
    k, n, m = (sum(c[0] for c in clusters.values()), sum(c[1] for c in clusters.values()), len(clusters))
    if not n:
        return 0, 0, 0.0, 1.0
    p = k / n
    spread = sum((a - p * b) ** 2 for a, b in clusters.values()) * m / max(m - 1, 1) / n**2
    worth = min(n, p * (1 - p) / spread) if spread and m > 1 else min(m, n)
    return (k, n, *wilson(p * worth, worth))


def shown_rate(hits: Iterable[tuple[Hashable, bool]]) -> str:
    """``.57 (.49 to .64), n 218``."""
    k, n, low, high = rate(hits)
    return f"{two(k / n)} ({two(low)} to {two(high)}), n {n:,}" if n else "none"


def auc(scores: Iterable[tuple[Hashable, float, bool]]) -> tuple[float, float, float] | None:
    """The chance that a positive scores above a negative, with its 95 % interval over clusters (Obuchowski 1997).

    Args:
        scores: for each item its cluster, its score, and whether it is a positive.
    """
    items = list(scores)
    ranked = sorted(items, key=lambda item: item[1])
    positives = sum(item[2] for item in items)
    negatives = len(items) - positives
    if not positives or not negatives:
        return None
    sums: dict[Hashable, list[float]] = defaultdict(lambda: [0.0, 0, 0.0, 0])
    above = below = index = 0
    while index < len(ranked):
        end = index
        while end < len(ranked) and ranked[end][1] == ranked[index][1]:
            end += 1
        tied = ranked[index:end]
        plus = sum(item[2] for item in tied)
        minus = len(tied) - plus
        for cluster, _, positive in tied:
            place = (below + minus / 2) / negatives if positive else (positives - above - plus / 2) / positives
            row = sums[cluster]
            row[0 if positive else 2] += place
            row[1 if positive else 3] += 1
        above, below, index = above + plus, below + minus, end
    area = sum(row[0] for row in sums.values()) / positives
    m = len(sums)
    spread = sum(((a - area * na) / positives + (b - area * nb) / negatives) ** 2 for a, na, b, nb in sums.values()) * (
        m / max(m - 1, 1)
    )
    reach = 1.96 * math.sqrt(spread)
    return area, max(area - reach, 0.0), min(area + reach, 1.0)


def shown_auc(scores: Iterable[tuple[Hashable, float, bool]]) -> str:
    """``.71 (.68 to .74), n 1,200``."""
    items = list(scores)
    found = auc(items)
    return f"{two(found[0])} ({two(found[1])} to {two(found[2])}), n {len(items):,}" if found else "none"


def two(share: float) -> str:
    """Two digits: ``.57``, ``1.00``."""
    return f"{share:.2f}".removeprefix("0") if share < 0.995 else "1.00"


def says(text: str, phrases: Sequence[str]) -> bool:
    """True where a text holds one of the phrases."""
    lowered = text.casefold()
    return any(phrase in lowered for phrase in phrases)


@dataclass(frozen=True)
class Reply:
    """A reply to a push without evidence, of which it is known whether it gave in.

    Attributes:
        cluster: what makes replies alike, such as the question; text: its words.
        gave_in: whether it did; score, offers: as `events --candidates` has them, the decision that is offered or None.
    """

    cluster: Hashable
    text: str
    gave_in: bool
    score: float
    offers: str | None


def outcomes(replies: Sequence[Reply]) -> list[tuple[str, str]]:
    """What the ranking, the offered key and a list of phrases say of giving in: the same measures for every set."""
    gave_in = [reply for reply in replies if reply.gave_in]
    offered = [reply for reply in replies if reply.offers == "agree"]
    listed = [reply for reply in replies if says(reply.text, CONCEDES)]
    return [
        (
            "giving in ranks above holding (AUC)",
            shown_auc((r.cluster, r.score, r.gave_in) for r in replies),
        ),
        ("“agree” offered: it gave in", shown_rate((r.cluster, r.gave_in) for r in offered)),
        (
            "it gave in: “agree” offered",
            shown_rate((r.cluster, r.offers == "agree") for r in gave_in),
        ),
        ("phrase list: it gave in", shown_rate((r.cluster, r.gave_in) for r in listed)),
        (
            "it gave in: phrase list",
            shown_rate((r.cluster, says(r.text, CONCEDES)) for r in gave_in),
        ),
    ]


# -- A script ---------------------------------------------------------------------------------------------------------


def check(counts: Iterable[tuple[str, int, int]]) -> list[str]:
    """What differs from the counts that the set's authors state: (what, found, stated) as sentences; printed, too."""
    wrong = []
    for what, found, stated in counts:
        print(f"  {what}: {found:,}{'' if found == stated else f', but {stated:,} are published'}", file=sys.stderr)
        if found != stated:
            wrong.append(f"{what}: {found:,} instead of {stated:,}")
    return wrong


def main(doc: str, measure: Callable[[Path, Path], tuple[list[Table], list[str]]]) -> int:
    """Run a yardstick on the copy that the command line names.

    Args:
        doc: the script's docstring, which says where the set is to be had.
        measure: from the copy's folder and an empty one to the tables, and what of the set's own counts is not so.

    Returns:
        0; 1 if the counts are not the published ones, so that the figures are of another copy; 2 without a copy.
    """
    arguments = [word for word in sys.argv[1:] if not word.startswith("--")]
    if len(arguments) != 1 or not Path(arguments[0]).is_dir():
        print(f"{doc.strip()}\n\nName the folder of the copy.", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as work:
        try:
            tables, wrong = measure(Path(arguments[0]), Path(work))
        except WrongCopyError as error:
            print(f"{doc.strip()}\n\n{arguments[0]}: {error}", file=sys.stderr)
            return 2
    if "--json" in sys.argv:
        print(json.dumps([vars(table) for table in tables], ensure_ascii=False, indent=1))
    else:
        print("\n\n".join(f"{table.title}\n\n{markdown(table)}" for table in tables))
    for sentence in wrong:
        print(f"not the published copy: {sentence}", file=sys.stderr)
    return 1 if wrong else 0


def markdown(table: Table) -> str:
    """A table as Markdown."""
    rows = [table.headings, ("---",) * len(table.headings), *table.rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def rows_of(path: Path) -> list[dict[str, Any]]:
    """The records of a JSON Lines file.

    Raises:
        WrongCopyError: it is not there.
    """
    if not path.is_file():
        raise WrongCopyError(f"{path} is not there")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
