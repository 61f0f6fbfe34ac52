"""Debates with assigned sides: who rebuts is known by design.

    git clone https://github.com/samanthans-caicc/LLM-Debate-With-Judge-Pipeline
    git clone https://github.com/MrinalA2009/DebateBench
    python bench/yardsticks/sides.py FOLDER        # that holds one of them, or both

Two models argue for and against. A turn that answers the other side argues; opening speeches are left out. Turns that
take issue with nobody present are made by exchanging contexts: a turn behind the opening of another debate, and two
speeches for the same side of a motion that was debated twice. The gate's weights have learnt from one other debate
of DebateBench, and from none of the first set.

It shows whether turns against the other side are noticed, and whether polemic against somebody absent is told from
them. It does not show how agreement is told: nobody here agrees.
"""

from __future__ import annotations

import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import arguing
import reading
from common import Dialogue, Table, WrongCopyError, check, main

_THOUGHT = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL)
AGENTS = ("Ana", "Ben")


def pipeline(copy: Path) -> Iterator[tuple[str, str, list[str]]]:
    """The debates of the pipeline: name, question, and what proponent and opponent say in turn, without thoughts."""
    for path in sorted(copy.glob("**/test_outputs/batch_*/transcript_*.json")):
        found = json.loads(path.read_text(encoding="utf-8"))
        texts = [step[side] or "" for step in found["rounds"] for side in ("proponent", "opponent")]
        yield path.stem, found["question"], [_THOUGHT.sub("", text).strip() for text in texts]


def bench(copy: Path) -> Iterator[tuple[str, str, list[str]]]:
    """The debates of DebateBench: name, motion, and the six speeches, pro and con by turns."""
    for path in sorted(copy.glob("**/data/judgebench/debates/*.json")):
        found = json.loads(path.read_text(encoding="utf-8"))
        yield path.stem, found["resolution"], [speech["content"].strip() for speech in found["speeches"]]


def measure(copy: Path, work: Path) -> tuple[list[Table], list[str]]:
    """The tables."""
    tables, wrong = [], []
    for name, found, debates, turns in (
        ("Judge-Pipeline", [*pipeline(copy)], 302, 1812),
        ("DebateBench", [*bench(copy)], 50, 300),
    ):
        if not found:
            continue
        counts = [(f"{name}, debates", len(found), debates), (f"{name}, turns", sum(len(t) for *_, t in found), turns)]
        wrong += check(counts)
        tables += of_set(name, found, work)
    if not tables:
        raise WrongCopyError("neither set is there")
    return tables, wrong


def of_set(name: str, found: list[tuple[str, str, list[str]]], work: Path) -> list[Table]:
    """The tables of one set."""
    dialogues, truths = [], []
    for debate, _, texts in found:
        turns = tuple((AGENTS[index % 2], text) for index, text in enumerate(texts) if text)
        dialogues.append(Dialogue(debate, turns, AGENTS, ()))
        # A turn over again is an echo, whatever side it is on.
        fresh = [index for index in range(1, len(turns)) if turns[index] not in turns[:index]]
        truths += [arguing.Truth(debate, index, True) for index in fresh]
    read_back = reading.tables(name, dialogues, work)
    made = [*exchanged(found), *same_side(found)]
    dialogues += made
    truths += [arguing.Truth(dialogue.name, 1, False) for dialogue in made]
    alike = sum(dialogue.name.startswith("same") for dialogue in made)
    title = f"{name}, {len(found)} debates: {len(truths) - len(made):,} turns that answer the other side,"
    title += f" {len(made) - alike} behind another debate's opening, {alike} behind a speech for the same side"
    return [arguing.table(f"{name}.arguing", title, dialogues, truths, work), *read_back]


def exchanged(found: list[tuple[str, str, list[str]]]) -> Iterator[Dialogue]:
    """Each debate's first answer to the other side, behind the opening of the next debate on another question."""
    for number, (debate, question, texts) in enumerate(found):
        others = (found[(number + step) % len(found)] for step in range(1, len(found)))
        other = next((other for other in others if other[1] != question), None)
        if other and texts[1]:
            turns = (AGENTS[0], other[2][0]), (AGENTS[1], texts[1])
            yield Dialogue(f"exchanged-{debate}", turns, AGENTS, ())


def same_side(found: list[tuple[str, str, list[str]]]) -> Iterator[Dialogue]:
    """Two opening speeches for a motion, by two models, one behind the other."""
    by_motion = defaultdict(list)
    for debate, motion, texts in found:
        by_motion[motion].append((debate, texts[0]))
    for several in by_motion.values():
        for (debate, text), (_, other) in pairwise(several):
            if text != other:
                yield Dialogue(f"same-{debate}", (("Ana", text), ("Ben", other)), ("Ana", "Ben"), ())


if __name__ == "__main__":
    sys.exit(main(__doc__, measure))
