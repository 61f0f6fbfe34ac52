"""How likely a run holds an event: a small logistic model over cues that a person can read.

The cues and their phrases stand in ``cues.txt``; their weights, in ``weights.json``, are fitted by
``bench/fit_events.py``. A score is the probability in the labelled logs, so scores compare across files.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from mdtally.regex import regex
from mdtally.tagging.runs import Run

__all__ = ["Cue", "cues", "features", "score", "texts"]

_START = 6  # words
_OPENING = 60  # words of a reply in which it says where it stands
_HEAD, _TAIL = 80, 120  # words of a long message that are read: what it opens and ends with
_WORD = regex(r"[^\W_]+(?:'[^\W_]+)?")


class Cue(NamedTuple):
    """A row of ``cues.txt``.

    Attributes:
        name: the key of its weight.
        where: the text its phrases are looked for in; "own" where the program computes it.
        means: what a person is told.
        phrases: in lower case; () where it is computed.
    """

    name: str
    where: str
    means: str
    phrases: tuple[str, ...]


@cache
def cues() -> tuple[Cue, ...]:
    """Every cue, in the order of the file."""
    text = (files("mdtally.tagging") / "cues.txt").read_text(encoding="utf-8")
    text = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    found = []
    for block in re.split(r"^(?=\[)", text, flags=re.MULTILINE)[1:]:
        head, _, body = block.partition("\n")
        name, where, means = re.fullmatch(r"\[(.+?)\] ([\w-]+): (.+)", head).groups()  # type: ignore[union-attr]
        found.append(Cue(name, where, means, tuple(filter(None, (one.strip() for one in body.split(","))))))
    return tuple(found)


def features(run: Run) -> dict[str, float]:
    """The value of each cue in a run, by its name; each lies between 0 and about 2."""
    read = texts(run)
    own = _own(run, read["message"], read["opening"])
    return {cue.name: _phrases(cue, read[cue.where]) if cue.phrases else own[cue.name] for cue in cues()}


def texts(run: Run) -> dict[str, str]:
    """The stretches that phrases are looked for in, in lower case."""
    asked, said = (_folded(text).split() for text in (run.message, run.reply))
    start = asked[:_START]
    if len(asked) > _HEAD + _TAIL:
        asked = [*asked[:_HEAD], *asked[-_TAIL:]]
    stretches = {"message": asked, "message-start": start, "opening": said[:_OPENING], "reply-start": said[:_START]}
    return {where: " ".join(words) for where, words in stretches.items()}


def _phrases(cue: Cue, text: str) -> float:
    """How many of a cue's phrases stand in a text, at most two; at its start where only the start is looked at."""
    if cue.where.endswith("-start"):
        return float(bool(_pattern(cue).match(text)))
    return float(min(2, len({match[0] for match in _pattern(cue).finditer(text)})))


@cache
def _pattern(cue: Cue) -> re.Pattern[str]:
    words = sorted(cue.phrases, key=len, reverse=True)
    body = "|".join(re.escape(word) for word in words)
    return re.compile(rf"(?<![\w'])(?:{body})(?![\w'])")


def _own(run: Run, message: str, opening: str) -> dict[str, float]:
    words = _WORD.findall(message)
    replied = _WORD.findall(opening)
    plain = {word for word in words if len(word) > 3}
    return {
        "material": float(len(run.material) > 40),
        "cited": float('"' in run.message or "“" in run.message or "> " in run.material),
        "person-words": math.log1p(len(words)) / 4,
        "person-asks": float(run.message.rstrip().endswith("?")),
        "second-person": _share(words, {"you", "your", "you're", "you've", "yourself", "u"}),
        "first-person": _share(words, {"i", "i'm", "my", "me", "i've", "i'd", "im"}),
        "reply-words": math.log1p(len(run.reply.split())) / 6,
        "coded": run.coded,
        "turns": math.log(len(run.turns)),
        "agent-self": _share(replied, {"i", "i'm", "my", "me", "i've", "i'd", "i'll"}),
        "to-person": _share(replied, {"you", "your", "you're", "you've", "yourself"}),
        "echo": len(plain.intersection(replied)) / max(4, len({word for word in replied if len(word) > 3})),
    }


def _share(words: list[str], wanted: set[str]) -> float:
    """How often some words come, per twenty, at most 2."""
    return min(2.0, 20 * sum(word in wanted for word in words) / max(8, len(words)))


def _folded(text: str) -> str:
    return " ".join(text.casefold().replace("’", "'").split())


@cache
def _weights() -> Mapping[str, float]:
    weights: dict[str, float] = json.loads((files("mdtally.tagging") / "weights.json").read_text(encoding="utf-8"))
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
    return 1 / (1 + math.exp(-total)), _told(best, run) if best else ""


def _told(cue: Cue, run: Run) -> str:
    seen = _pattern(cue).search(texts(run)[cue.where])
    return f"{cue.means}: {seen[0]}" if seen else cue.means
