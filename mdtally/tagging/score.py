"""How likely a run holds an event: a small logistic model over cues that a person can read.

The cues, their phrases and what weight their words lead one to expect stand in ``cues.txt``; ``bench/fit_events.py``
moves the weights from there as far as labelled turns say, into ``weights.json``. A score is the share of events among
labelled turns with such cues, so scores compare across files.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from mdtally.regex import regex
from mdtally.tagging.runs import Run

_START = 6  # words
_OPENING = 60  # words of a reply in which it says where it stands
_HEAD, _TAIL = 80, 120  # words of a long message that are read: what it opens and ends with
_FIRST = 20  # words of a reply in which a negation denies something
_LONG = 120  # words from which on a message's length says no more
_CODE = regex(r"`[^`]*`|\S+://\S+")
_WORD = regex(r"[^\W_]+(?:'[^\W_]+)*|\?")
_NEGATIVE = regex(r"\b(?:not|no|never|nothing|none|without|cannot)\b|n't\b")


class Cue(NamedTuple):
    """A row of ``cues.txt``: the key of its weight, the text its phrases are looked for in, the weight to start from.

    `means` is what a person is told. Phrases are as `texts` writes them, the longest first; there are none where the
    program computes the cue, and `where` is "own".
    """

    name: str
    where: str
    expected: float
    means: str
    phrases: tuple[str, ...]


@cache
def cues() -> tuple[Cue, ...]:
    """Every cue, in the order of the file."""
    text = Path(__file__).with_name("cues.txt").read_text(encoding="utf-8")
    text = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    found = []
    for block in re.split(r"^(?=\[)", text, flags=re.MULTILINE)[1:]:
        head, _, body = block.partition("\n")
        name, where, weight, means = re.split(r"\] | (?=[+-])|: ", head[1:], maxsplit=3)
        phrases = sorted((" ".join(_words(one)) for one in body.split(",") if one.strip()), key=len, reverse=True)
        found.append(Cue(name, where, float(weight), means, tuple(phrases)))
    return tuple(found)


def features(run: Run, table: Sequence[Cue] = ()) -> dict[str, float]:
    """The value of each cue of a table (by default all) in a run, by its name; phrases count at most twice."""
    read = texts(run)
    values = {cue.name: float(min(2, len(found(cue, read)))) for cue in table or cues() if cue.where in read}
    message, opening = read["message"].split(), read["opening"].split()
    asked = len(message) - message.count("?")
    values["negates"] = float(min(2, len(_NEGATIVE.findall(" ".join(opening[:_FIRST])))))
    values["asserts"] = float(asked > 3 and "?" not in message and not values["order"])
    values["length"] = math.log1p(min(_LONG, asked))
    return values


def texts(run: Run) -> dict[str, str]:
    """The stretches that phrases are looked for in: words in lower case and question marks, a space around each."""
    asked, said = _words(run.message), _words(run.reply)
    start = asked[:_START]
    if len(asked) > _HEAD + _TAIL:
        asked = [*asked[:_HEAD], *asked[-_TAIL:]]
    stretches = {"message": asked, "message-start": start, "opening": said[:_OPENING], "reply-start": said[:_START]}
    return {where: f" {' '.join(words)} " for where, words in stretches.items()}


def found(cue: Cue, read: Mapping[str, str]) -> list[str]:
    """The phrases of a cue that stand in its text, longer ones first; where only a start is looked at, the first one.

    Phrases are looked for one by one, because to compile them all as regular expressions takes longer than a file.
    """
    text = read[cue.where]
    if cue.where.endswith("-start"):
        return [phrase for phrase in cue.phrases if text.startswith(f" {phrase} ")][:1]
    seen = []
    for phrase in cue.phrases:
        if f" {phrase} " in text:
            seen.append(phrase)
            text = text.replace(f" {phrase} ", " | ")  # "wrong" in "is wrong" is no second one
    return seen


def _words(text: str) -> list[str]:
    return _WORD.findall(_CODE.sub(" ", text).casefold().replace("’", "'"))


@cache
def _weights() -> Mapping[str, float]:
    weights: dict[str, float] = json.loads(Path(__file__).with_name("weights.json").read_text(encoding="utf-8"))
    return weights


def score(run: Run) -> tuple[float, str]:
    """The probability that a run holds an event, from 0 to 1, and the cue that speaks most for it.

    The cue is in words, with the phrase that was seen: "the agent concedes: you're right"; "" if none speaks for it.
    """
    weights, values = _weights(), features(run)
    parts = {cue: weights[cue.name] * values[cue.name] for cue in cues()}
    total = weights["bias"] + sum(parts.values())
    told = [cue for cue, part in parts.items() if part > 0 and cue.phrases]
    best = max(told, key=lambda cue: parts[cue], default=None)
    cue = f"{best.means}: {found(best, texts(run))[0]}" if best else ""
    return 1 / (1 + math.exp(-total)), cue
