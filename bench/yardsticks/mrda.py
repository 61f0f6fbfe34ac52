"""MRDA: what people marked as accepting and as rejecting in 75 recorded meetings (Shriberg and others 2004).

    git clone https://github.com/NathanDuran/MRDA-Corpus
    python bench/yardsticks/mrda.py MRDA-Corpus

What one voice says in a row is a turn. It argues if an utterance in it is marked as a reject (``ar``, ``arp``), and
does not if one is marked as an accept (``aa``, ``aap``) and none as a reject. Turns of fewer than 12 words are left
out.

It shows whether rejecting aloud is told from accepting. It does not show how written debates fare, nor what is
reasoned: a label is of an utterance, and mostly its first word ("no", "but") carries it.
"""

from __future__ import annotations

import sys
from itertools import groupby
from pathlib import Path

import arguing
import reading
from common import Dialogue, Table, WrongCopyError, check, main

REJECTS, ACCEPTS = {"ar", "arp"}, {"aa", "aap"}
STATED = {"aa": 5898, "ar": 908, "aap": 219, "arp": 150}
"""How often the README states the labels."""
LEAST_WORDS = 12
"""Shorter turns are not asked."""


def measure(copy: Path, work: Path) -> tuple[list[Table], list[str]]:
    """The tables."""
    meetings = {
        path.stem: [line.split("|") for line in path.read_text(encoding="utf-8").splitlines() if line]
        for part in ("train", "val", "test")
        for path in sorted((copy / "mrda_data" / part).glob("*.txt"))
    }
    if not meetings:
        raise WrongCopyError("mrda_data/train, val and test hold no meetings")
    labels = [row[4] for rows in meetings.values() for row in rows]
    counts = [("meetings", len(meetings), 75), ("utterances", len(labels), 108_202)]
    wrong = check(counts + [(f"labels {label}", labels.count(label), stated) for label, stated in STATED.items()])
    dialogues, asked = [], []
    for name, rows in meetings.items():
        turns: list[tuple[str, str]] = []
        for speaker, said in groupby(rows, key=lambda row: row[0]):
            utterances = [*said]
            marks, text = {row[4] for row in utterances}, " ".join(row[1] for row in utterances)
            if marks & (REJECTS | ACCEPTS) and len(text.split()) >= LEAST_WORDS:
                asked.append(arguing.Truth(name, len(turns), bool(marks & REJECTS)))
            turns.append((speaker, text))
        agents = tuple(dict.fromkeys(speaker for speaker, _ in turns))
        dialogues.append(Dialogue(name, tuple(turns), agents, ()))
    rejects = sum(truth.argues for truth in asked)
    title = (
        f"{len(asked):,} turns of 12 words or more that people marked: {rejects} as rejecting, the others as accepting"
    )
    return [
        arguing.table("MRDA.arguing", title, dialogues, asked, work, second=False),
        *reading.tables("MRDA", dialogues, work),
    ], wrong


if __name__ == "__main__":
    sys.exit(main(__doc__, measure))
