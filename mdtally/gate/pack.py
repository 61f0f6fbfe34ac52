"""A language's pack, read once a process: entries (what a hit means) and one matcher for all of them.

A pack is a TOML file in `mdtally/packs/`, named by its language code; which languages there are is which files are
there. docs/gate.md explains the tables. `bench/build_packs.py` makes of it what lies beside it in `built/` and is read
here, because that is read quickly.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from mdtally.gate.matcher import Matcher
from mdtally.records import record
from mdtally.regex import regex


class Entry(NamedTuple):
    """What a group of patterns stands for.

    Attributes:
        kind: the pack's table it comes from.
        name: the phrase, the sort of padding, or the family of signals: what a finding says.
        strength: for signals, "strong", "weak" or, where it speaks for agreement, "against".
        repeated: True for a weak family of which two hits count as two families: figures, say.
        negatable: False where a negator before it changes nothing.
        before: what in the clause before it shows that it is no use; None where nothing does.
        after: what right behind it shows the same.
        number: its place in the pack.
    """

    kind: str
    name: str
    strength: str = "weak"
    negatable: bool = True
    repeated: bool = False
    before: re.Pattern[str] | None = None
    after: re.Pattern[str] | None = None
    number: int = -1


@record
class Weights:
    """What the evidence is worth, as learnt from labelled debates; `mdtally.gate.features` names the numbers.

    Attributes:
        trained: date of the training, ISO.
        band: below the first score a turn is silent, from the second on it argues; between them it is unsure.
        issue: does it take issue? By number, its worth, and "bias", where a turn without evidence starts.
        manner: would an editor send it back? The same.
        echo: does it mostly restate what others said? The same.
    """

    trained: str
    band: tuple[float, float]
    issue: Mapping[str, float]
    manner: Mapping[str, float]
    echo: Mapping[str, float]


@record
class Pack:
    """A language, ready to match.

    Attributes:
        language: its code.
        name: its English name.
        unspaced: True where the script writes without spaces.
        entries: everything that can fire.
        matcher: finds them.
        breaks: splits folded text into clauses.
        this: words that stand for the argument in a stand-down.
        variants: letters that stand for others, as a table for ``str.translate``: traditional for simplified.
        object_first: True where a stand-down may name the argument before the word for testing it.
        weights: learnt weights, or None where "strong" and "weak" decide.
        hints: corrective sentences by kind of failure.
        padding_examples: a sentence for each sort of padding.
    """

    language: str
    name: str
    unspaced: bool
    entries: tuple[Entry, ...]
    matcher: Matcher[Entry]
    breaks: re.Pattern[str]
    this: re.Pattern[str]
    variants: Mapping[int, str]
    object_first: bool
    weights: Weights | None
    hints: Mapping[str, str]
    padding_examples: tuple[str, ...]


def languages() -> tuple[str, ...]:
    """The languages that have a pack."""
    return tuple(_built("languages")["packs"])


def stop_words() -> Mapping[str, Sequence[str]]:
    """The words that mark each known language, with a pack or without one."""
    words = _built("languages")
    return {**words["others"], **words["packs"]}


@cache
def load(language: str) -> Pack | None:
    """The pack of a language; None where there is none."""
    return assemble(_built(language)) if language in languages() else None


def english() -> Pack:
    """The English pack: what stands in for a language without one where sentences are needed."""
    pack = load("en")
    assert pack is not None
    return pack


def forbidden_phrases(language: str) -> tuple[str, ...]:
    """The phrases of layer 1 in a language, as findings show them: what prompts forbid is what the gate matches."""
    entries = (load(language) or english()).entries
    return tuple(dict.fromkeys(entry.name for entry in entries if entry.kind == "forbidden"))


def padding_examples(language: str) -> tuple[str, ...]:
    """A sentence for each sort of agreement padding in a language."""
    return (load(language) or english()).padding_examples


@cache
def _built(name: str) -> Any:
    return json.loads((Path(__file__).parents[1] / "packs" / "built" / f"{name}.json").read_bytes())


def assemble(data: Mapping[str, Any]) -> Pack:
    """The pack of built data, ready to match; its regular expressions are compiled when they are first used."""
    entries = tuple(
        Entry(kind, name, strength, negatable, repeated, before and regex(before), after and regex(after), number)
        for number, (kind, name, strength, negatable, repeated, before, after) in enumerate(data["entries"])
    )
    patterns = ((entries[number], expression, needs) for number, expression, needs in data["patterns"])
    learnt = data["weights"]
    return Pack(
        language=data["language"],
        name=data["name"],
        unspaced=data["unspaced"],
        entries=entries,
        matcher=Matcher(patterns, data["by_word"], data["by_stem"], data["bits"], unspaced=data["unspaced"]),
        breaks=regex(data["breaks"]),
        this=regex(data["this"]),
        variants=str.maketrans(*data["variants"]),
        object_first=data["object_first"],
        weights=Weights(**learnt) if learnt else None,
        hints=data["hints"],
        padding_examples=tuple(dict.fromkeys(data["padding_examples"])),
    )


@lru_cache(maxsize=64)
def own_phrases(phrases: tuple[str, ...]) -> tuple[tuple[Entry, re.Pattern[str]], ...]:
    """A configuration's own forbidden phrases, to be looked for in folded text; plain words, no pattern language."""
    from mdtally.gate.fold import fold

    found = []
    for phrase in phrases:
        words = fold(phrase).text.split()
        if words:
            expression = ",? ".join(re.escape(word) for word in words)
            # A script without spaces has no edges of words.
            before, after = (r"(?<![^\W_])", r"(?![^\W_])") if phrase.isascii() else ("", "")
            found.append((Entry("forbidden", phrase), re.compile(before + expression + after)))
    return tuple(found)
