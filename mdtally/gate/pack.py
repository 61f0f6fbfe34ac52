"""A language's pack: groups of patterns (what a hit means) and one matcher that finds them in one walk over the words.

A pack is a TOML file in `mdtally/gate/packs/`, named by its language code; docs/languages.md explains its tables.
`bench/build_packs.py` makes of it what lies beside it in `built/` and is read here: that is read quickly.

A pattern is tried only at words it can start with, and only in a text that holds the other words it needs; so most
patterns of a pack are never compiled in a short run, and a long text pays for those that may fit.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache, reduce
from operator import or_
from pathlib import Path
from typing import Any

from mdtally.gate.fold import MENTION, NAME, fold
from mdtally.text.records import record
from mdtally.text.regex import regex

STEM = 3
"""How many letters of a word beginning ("overlook*") are looked up."""
# "claim", "doesn't", a name, ","
TOKEN = regex(rf"[^\W_]+(?:'[^\W_]+)?|[{MENTION}{NAME}]|[^\w\s]")
"""A word, a mention, a name, a mark: a pattern starts at one."""

_MOST_KNOWN = 20_000


@record
class PhraseGroup:
    """What a group of patterns stands for.

    Attributes:
        kind: the pack's table it comes from.
        name: the phrase, the sort of padding, or the family of signals: what a finding says.
        strength: for signals, "strong", "weak" or, where it speaks for agreement, "against".
        negatable: False where a negator changes nothing: before a signal, or inside a phrase of layer 1.
        repeated: True for a weak family of which two hits count as two families: figures, say.
        before, after: what in the clause before it, or right behind it, shows that it is no use.
    """

    kind: str
    name: str
    strength: str = "weak"
    negatable: bool = True
    repeated: bool = False
    before: re.Pattern[str] | None = None
    after: re.Pattern[str] | None = None


@record
class Hit:
    """A pattern found: whose it is, and its place in the folded text."""

    owner: PhraseGroup
    start: int
    end: int


_Try = tuple[PhraseGroup, re.Pattern[str], int, int]
"""A pattern that can start in a word: whose, its expression, how many letters into the word, the bits that it needs."""


@record
class Weights:
    """What the evidence is worth, as learnt from labelled debates; `mdtally.gate.features` names the numbers.

    Attributes:
        trained: date of the training, ISO.
        band: below the first score a turn is silent, from the second on it argues; between them it is unsure.
        issue, here, manner, echo: by number, its worth, and "bias", where a turn without evidence starts: does it take
            issue? with somebody of this debate? would an editor send it back? does it mostly restate what others said?
    """

    trained: str
    band: tuple[float, float]
    issue: Mapping[str, float]
    here: Mapping[str, float]
    manner: Mapping[str, float]
    echo: Mapping[str, float]


class Matcher:
    """Finds a pack's patterns in folded texts.

    What a pattern needs is a set of bits, one a choice of words; a word sets the bits of the choices it belongs to.
    """

    def __init__(self, data: Mapping[str, Any], groups: Sequence[PhraseGroup]) -> None:
        self._patterns = [(groups[number], regex(source), needs) for number, source, needs in data["patterns"]]
        self._starts = data["starts"]
        self._bits: Mapping[str, int] = data["bits"]
        self._unspaced = data["unspaced"]
        # Texts repeat words.
        self._known = lru_cache(_MOST_KNOWN)(self._look_up)

    def find(self, text: str) -> Iterator[Hit]:
        """Every pattern at every word where it fits, in the order of the text; hits may overlap."""
        words = list(text) if self._unspaced else TOKEN.findall(text)
        known = {word: self._known(word) for word in set(words)}
        present = reduce(or_, (bits for bits, _ in known.values()), 0)
        starting = ((word, tries) for word, (_, tries) in known.items() if tries)
        alive = {word: live for word, tries in starting if (live := [t for t in tries if t[3] & present == t[3]])}
        end = 0
        for word in words:
            start = text.find(word, end)
            end = start + len(word)
            if word in alive:
                for owner, expression, inside, _ in alive[word]:
                    if match := expression.match(text, start + inside):
                        yield Hit(owner, start + inside, match.end())

    def _look_up(self, word: str) -> tuple[int, tuple[_Try, ...]]:
        """The bits that a word sets and the patterns that can start in it."""
        head, _, rest = word.partition("'")
        # "l'argument", "d'accord": French elides the word in front, and the phrase starts behind it.
        parts = [(word, 0), *([(head, 0), (rest, len(head) + 1)] if rest else [])]
        stems = [(f"{word[:size]}*", 0) for size in range(1, min(STEM, len(word)) + 1)]
        found = [(number, at) for start, at in (*parts, *stems) for number in self._starts.get(start, ())]
        bits = reduce(or_, (self._bits.get(part, 0) for part in (word, head, rest, f"{word[:STEM]}*")))
        return bits, tuple((owner, late, at, need) for n, at in found for owner, late, need in (self._patterns[n],))


@record
class Pack:
    """A language, ready to match.

    Attributes:
        language: its code.
        groups: everything that can fire; matcher: finds it.
        breaks: splits folded text into clauses.
        this: words that stand for the argument in a stand-down; elsewhere: words that date it to another occasion.
        variants: letters that stand for others, as a table for ``str.translate``: traditional for simplified.
        object_first: True where a stand-down may name the argument before the word for testing it.
        weights: learnt weights, or None where "strong" and "weak" decide.
        hints: corrective sentences by kind of failure.
        phrases: those of layer 1, as findings show them: what prompts forbid is what the gate matches.
        padding_examples: a sentence for each sort of padding.
    """

    language: str
    groups: tuple[PhraseGroup, ...]
    matcher: Matcher
    breaks: re.Pattern[str]
    this: re.Pattern[str]
    elsewhere: re.Pattern[str]
    variants: Mapping[int, str]
    object_first: bool
    weights: Weights | None
    hints: Mapping[str, str]
    phrases: tuple[str, ...]
    padding_examples: tuple[str, ...]


def languages() -> tuple[str, ...]:
    """The languages that have a pack."""
    return tuple(_built_data("languages")["packs"])


def code_of(stated: str) -> str:
    """The code of a language as somebody states it, without its region: "de" of "de-AT", "zh" of "zh_CN"."""
    return re.split(r"[-_]", stated.strip().lower())[0]


@cache
def stop_words() -> Mapping[str, frozenset[str]]:
    """The words that mark each known language, with a pack or without one; Chinese is told by its letters."""
    words = _built_data("languages")
    return {code: frozenset(some) for code, some in {**words["packs"], **words["others"], "zh": ()}.items()}


@cache
def pack_of(language: str) -> Pack | None:
    """The pack of a language; None where there is none."""
    return assemble(_built_data(language)) if language in languages() else None


def load_or_english(language: str) -> Pack:
    """The pack of a language; the English one, for its sentences, where there is none."""
    return pack_of(language) or assemble(_built_data("en"))


@cache
def _built_data(name: str) -> Any:
    return json.loads((Path(__file__).parent / "packs" / "built" / f"{name}.json").read_bytes())


def assemble(data: Mapping[str, Any]) -> Pack:
    """The pack of built data, ready to match; its regular expressions are compiled when they are first used."""
    groups = tuple(PhraseGroup(*row[:-2], *(part and regex(part) for part in row[-2:])) for row in data["groups"])
    same = {name: data[name] for name in ("language", "object_first", "hints")}
    return Pack(
        **same,
        groups=groups,
        matcher=Matcher(data, groups),
        breaks=regex(data["breaks"]),
        this=regex(data["this"]),
        elsewhere=regex(data["elsewhere"]),
        variants=str.maketrans(*data["variants"]),
        weights=Weights(**data["weights"]) if data["weights"] else None,
        phrases=tuple(group.name for group in groups if group.kind == "forbidden"),
        padding_examples=tuple(data["padding_examples"]),
    )


def own_hits(phrases: Sequence[str], text: str) -> Iterator[Hit]:
    """Where a configuration's own forbidden phrases stand in a folded text; plain words, no pattern language."""
    for phrase in phrases:
        expression = ",? ".join(re.escape(word) for word in fold(phrase).text.split())
        # A script without spaces has no edges of words.
        expression = rf"(?<![^\W_]){expression}(?![^\W_])" if phrase.isascii() else expression
        for match in re.finditer(expression, text) if expression else ():
            yield Hit(PhraseGroup("forbidden", phrase, negatable=False), match.start(), match.end())
