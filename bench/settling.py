"""How many keys it takes to settle real transcripts: an oracle that knows the turns, and presses one key or points.

    python bench/settling.py FOLDER...

A folder holds Markdown files, each with its truth beside it in ``NAME.truth.json`` (``turns``: ``line``, ``speaker``,
``kind``, ``optional``, perhaps ``end_line``). A file is exact if every required turn is found with its voice and nothing
else is. Printed are exact counts: sure and right; settled by one of the offers; by pointing at one label line a voice; by
declaring the voices; what is wrong and not called unsure; and files without turns that are read surely.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mdtally import document, transcript
from mdtally.model import Document, Refusal, Turn
from mdtally.records import replace

Truth = list[dict[str, Any]]


def is_exact(turns: Sequence[Turn], truth: Truth) -> bool:
    """True if the required turns are there with their voices, and no line opens one that the truth has not."""
    found = {turn.line: turn.speaker.casefold() for turn in turns}
    known = {turn["line"]: str(turn["speaker"]).casefold() for turn in truth}
    required = {turn["line"] for turn in truth if not turn.get("optional")}
    return required <= found.keys() <= known.keys() and all(known[line] == who for line, who in found.items())


def declared(parsed: Document, truth: Truth) -> Sequence[Turn]:
    """The turns if the truth's voices are declared."""
    kinds = {str(turn["speaker"]): str(turn.get("kind") or "agent") for turn in reversed(truth)}
    kinds = {name: "agent" if kind == "expert" else kind for name, kind in kinds.items()}
    head = replace(parsed.head, values={**parsed.head.values, "participants": kinds})
    return transcript.read(replace(parsed, head=head)).turns


def keys(parsed: Document, truth: Truth) -> str:
    """How a file with turns becomes exact."""
    found = transcript.read(parsed)
    if found.reading not in ("unsure", "none"):
        return "sure and right" if is_exact(found.turns, truth) else "sure and wrong"
    for number, offer in enumerate(transcript.offers(parsed), start=1):
        if is_exact(offer.turns, truth):
            return f"offer {number}"
    first: dict[str, int] = {}
    for turn in truth:
        first.setdefault(str(turn["speaker"]), turn["line"])
    pointed = transcript.like(parsed, list(first.values()))
    if not isinstance(pointed, Refusal) and is_exact(pointed.turns, truth):
        return "pointing"
    return f"not settled ({found.reading})"


def main() -> None:
    """Print the counts of the folders that are named."""
    ways: Counter[str] = Counter()
    others: Counter[str] = Counter()
    ends: Counter[str] = Counter()
    for path in (path for folder in sys.argv[1:] for path in sorted(Path(folder).glob("*.truth.json"))):
        truth: Truth = json.loads(path.read_text(encoding="utf-8"))["turns"]
        parsed = document.parse(Path(str(path).replace(".truth.json", ".md")).read_bytes())
        found = transcript.read(parsed)
        if not truth:
            others[found.reading] += 1
            continue
        way = keys(parsed, truth)
        ways[way] += 1
        ways["declared: exact"] += is_exact(declared(parsed, truth), truth)
        wanted = {turn["line"]: turn.get("end_line") for turn in truth}
        for turn in found.turns if found.reading not in ("unsure", "none") else ():
            ends["last lines"] += wanted.get(turn.line) is not None
            ends["right"] += wanted.get(turn.line) == turn.end_line
        if not way.startswith(("sure and right", "offer 1")):
            print(f"{path.stem.removesuffix('.truth')[:60]:60} {way}")
    print("with turns:", dict(sorted(ways.items())))
    print("without turns:", dict(others), " last lines where sure:", dict(ends))


if __name__ == "__main__":
    main()
