"""The labelled debates as rows to measure on: text, who spoke before and what they said, and the label.

The labels name a file and the line of a turn's label. With ``turns="mdtally"`` mdtally's own transcript reader gives
the text and the rounds: end to end, where reading errors count. With ``"truth"`` the hand-made ground truth beside the
samples gives both, and with ``"joined"`` it gives the rounds and mdtally the text: the gate alone. Nothing of the
samples is ever written into the repository.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

from mdtally.text.records import record

_QUOTE = re.compile(r" {0,3}> ?")


@record
class Labelled:
    """A labelled agent turn.

    Attributes:
        file: the debate; cross-validation leaves out one of these at a time.
        text: the turn's body; None where the reader found no turn on the labelled line.
        prior: the other agents' earlier turns in the round, (speaker, text) in order.
        debate: all agents' turns before it, in the same form.
        names: every agent of the debate.
        label: the row of the label file.
    """

    file: str
    line: int
    speaker: str
    text: str | None
    prior: tuple[tuple[str, str], ...]
    debate: tuple[tuple[str, str], ...]
    names: tuple[str, ...]
    label: dict[str, object]

    @property
    def later(self) -> bool:
        return bool(self.label["prior"])


def read(shared: Path, turns: str = "mdtally") -> list[Labelled]:
    """Every row of the label file with its text."""
    rows = [json.loads(line) for line in (shared / "labels.jsonl").read_text("utf-8").splitlines() if line]
    files: dict[str, list[dict[str, object]]] = {}
    for row in rows:
        files.setdefault(row["file"], []).append(row)
    found: list[Labelled] = []
    for file, labels in files.items():
        path = shared / "samples" / "debates" / file
        spoken = list(_from_mdtally(path) if turns == "mdtally" else _from_truth(path))
        if turns == "joined":
            texts = {line: text for line, _, _, text in _from_mdtally(path)}
            spoken = [(line, group, name, texts.get(line, text)) for line, group, name, text in spoken]
        found.extend(_join(file, labels, spoken))
    return found


def language_of(rows: Sequence[Labelled]) -> dict[str, str | None]:
    """The language of each debate."""
    from mdtally.gate.language import detect_language

    spoken: dict[str, list[str]] = {}
    for row in rows:
        spoken.setdefault(row.file, []).append(row.text or "")
    return {file: detect_language(texts) for file, texts in spoken.items()}


def repositories(shared: Path) -> dict[str, str]:
    """For each labelled debate the repository it comes from."""
    lines = (shared / "samples" / "MANIFEST.tsv").read_text("utf-8").splitlines()[1:]
    return {path.removeprefix("debates/"): repository for path, repository, *_ in (line.split("\t") for line in lines)}


@record
class OwnTurn:
    """A turn written for training: what it does ("s", "v" or "n"), and whether it would be sent back."""

    label: str
    sent_back: bool
    text: str


def own_turns() -> list[OwnTurn]:
    """The turns of `training-turns.md`."""
    text = (Path(__file__).parent / "training-turns.md").read_text("utf-8")
    found = (re.match(r"- ([svn])(!?) \| (.*)", line) for line in text.splitlines())
    return [OwnTurn(match[1], bool(match[2]), match[3]) for match in found if match]


def _join(file: str, labels: list[dict[str, object]], spoken: list[tuple[int, object, str, str]]) -> Iterator[Labelled]:
    names = tuple(dict.fromkeys(speaker for _, _, speaker, _ in spoken))
    by_line = {line: n for n, (line, _, _, _) in enumerate(spoken)}
    for label in labels:
        n = by_line.get(label["line"])  # type: ignore[call-overload]
        text, prior, debate = None, [], []
        if n is not None:
            _, group, speaker, text = spoken[n]
            prior = [(name, body) for _, g, name, body in spoken[:n] if g == group and name != speaker]
            debate = [(name, body) for _, _, name, body in spoken[:n]]
        yield Labelled(file, label["line"], str(label["speaker"]), text, tuple(prior), tuple(debate), names, label)  # type: ignore[arg-type]


def _from_truth(path: Path) -> Iterator[tuple[int, object, str, str]]:
    return ((line, group, speaker, text) for line, _, group, speaker, text in true_turns(path, {"expert"}))


def true_turns(path: Path, kinds: Collection[str]) -> Iterator[tuple[int, int, Any, str, str]]:
    """The turns of some kinds as a sample's truth has them: lines of label and end, group, speaker, text."""
    lines = re.split(r"\r\n|\n|\r", path.read_bytes().decode("utf-8-sig"))
    for turn in json.loads(path.with_suffix("").with_suffix(".truth.json").read_text("utf-8"))["turns"]:
        if turn["kind"] not in kinds or turn.get("optional"):
            continue
        start = turn.get("body_line") or turn["line"]
        body = lines[start - 1 : turn["end_line"]]
        if body and start == turn["line"]:
            first = body[0]
            label = turn["label"]
            body[0] = first[len(label) :] if first.startswith(label) else first
        if body and _QUOTE.match(next((line for line in body if line.strip()), "")):
            body = [_QUOTE.sub("", line, count=1) for line in body]
        yield turn["line"], turn["end_line"], turn.get("round"), turn["speaker"], "\n".join(body).strip("\n")


def declared_head(path: Path) -> str:
    """A frontmatter that declares the speakers of a sample by its hand-made ground truth."""
    truth = json.loads(path.with_suffix("").with_suffix(".truth.json").read_text("utf-8"))
    # Somebody who closes a debate as its moderator has spoken as an agent before: what is said most often counts.
    spoken: dict[str, Counter[str]] = {}
    for turn in truth["turns"]:
        spoken.setdefault(turn["speaker"], Counter())["agent" if turn["kind"] == "expert" else turn["kind"]] += 1
    kinds = {speaker: counts.most_common(1)[0][0] for speaker, counts in spoken.items()}
    return (
        "---\nkind: debate\nparticipants:\n" + "".join(f"  {json.dumps(n)}: {k}\n" for n, k in kinds.items()) + "---\n"
    )


def _from_mdtally(path: Path) -> Iterator[tuple[int, object, str, str]]:
    from mdtally import transcript
    from mdtally.text import document

    head = declared_head(path)
    shift = head.count("\n")
    parsed = transcript.read(document.parse(head.encode() + path.read_bytes().removeprefix(b"\xef\xbb\xbf")))
    for turn in parsed.turns:
        if turn.kind == "agent":
            yield turn.line - shift, turn.group, turn.speaker, turn.text
