"""Read a language's pack and compile it, once a process.

A pack is a TOML file in `mdtally/packs/`, named by its language code; which languages there are is which files are
there. docs/gate.md explains the tables. Here they become entries (what a hit means) and one matcher for all of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any, Literal

from mdtally.gate.pattern import Matcher, PatternError, compile_pattern

EntryKind = Literal[
    "forbidden",
    "padding",
    "vague",
    "filler",
    "stall",
    "signal",
    "negator",
    "spared",
    "negator_after",
    "retraction",
    "irony",
    "tested",
    "nothing",
]
Strength = Literal["strong", "weak", "against"]

TABLES: tuple[EntryKind, ...] = (
    "forbidden",
    "padding",
    "vague",
    "filler",
    "stall",
    "signal",
    "negator",
    "negator_after",
    "retraction",
    "irony",
)
"""The tables of patterns that a pack may have, each any number of times."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What a group of patterns stands for.

    Attributes:
        kind: the pack's table it comes from.
        name: the phrase, the sort of padding, or the family of signals: what a finding says.
        strength: for signals, whether one is enough, counts, or speaks for agreement.
        repeated: True for a weak family of which two hits count as two families: figures, say.
        negatable: False where a negator before it changes nothing.
        before: what in the clause before it shows that it is no use; None where nothing does.
        after: what right behind it shows the same.
        examples: (pattern, sentence) pairs; each pattern fires in its sentence.
        silent: sentences in which it must not fire.
    """

    kind: EntryKind
    name: str
    strength: Strength = "weak"
    negatable: bool = True
    repeated: bool = False
    before: re.Pattern[str] | None = None
    after: re.Pattern[str] | None = None
    examples: tuple[tuple[str, str], ...] = ()
    silent: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Weights:
    """What the evidence is worth, as learnt from labelled debates.

    Attributes:
        trained: date of the training, ISO.
        bias: where a turn without any evidence starts.
        families: by family of signals, the worth of the logarithm of one plus its count.
        shape: by name of a property of the whole turn (`mdtally.gate.shape.SHAPES`), its worth.
        words: by small word, the worth of its rate; words have no fixed sign.
        thin_bias: where the second question starts: a turn takes no issue; is it thin?
        thin: by name of a property (`mdtally.gate.thin.THIN`), its worth for that.
        echo_bias: where the third question starts: does it mostly restate what others said?
        echo: by name of the same properties, their worth for that.
    """

    trained: str
    bias: float
    families: Mapping[str, float]
    shape: Mapping[str, float]
    thin_bias: float = 0.0
    thin: Mapping[str, float] = field(default_factory=dict)
    echo_bias: float = 0.0
    echo: Mapping[str, float] = field(default_factory=dict)
    words: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Pack:
    """A language, ready to match.

    Attributes:
        language: its code.
        name: its English name.
        unspaced: True where the script writes without spaces.
        stop_words: words (or characters) that mark the language.
        small_words: words without a subject, whose rates tell the manner of a turn.
        entries: everything that can fire.
        matcher: finds them.
        breaks: splits folded text into clauses.
        this: words that stand for the argument in a stand-down.
        variants: letters that stand for others, as a table for ``str.translate``: traditional for simplified.
        object_first: True where a stand-down may name the argument before the word for testing it.
        weights: learnt weights, or None where "strong" and "weak" decide.
        hints: corrective sentences by kind of failure.
    """

    language: str
    name: str
    unspaced: bool
    stop_words: frozenset[str]
    entries: tuple[Entry, ...]
    matcher: Matcher[Entry]
    breaks: re.Pattern[str]
    this: re.Pattern[str]
    variants: Mapping[int, str] = field(default_factory=dict)
    object_first: bool = False
    weights: Weights | None = None
    hints: Mapping[str, str] = field(default_factory=dict)
    small_words: frozenset[str] = frozenset()


def languages() -> tuple[str, ...]:
    """The languages that have a pack."""
    return tuple(sorted(name.removesuffix(".toml") for name in _listing()))


@lru_cache(maxsize=1)
def _listing() -> tuple[str, ...]:
    from importlib.resources import files

    return tuple(item.name for item in files("mdtally.packs").iterdir() if item.name.endswith(".toml"))


@cache
def load(language: str) -> Pack | None:
    """The compiled pack of a language; None where there is none.

    Raises:
        PatternError: the pack holds a pattern that can't be read.
    """
    if f"{language}.toml" not in _listing():
        return None
    import tomllib
    from importlib.resources import files

    return compile_pack(tomllib.loads(files("mdtally.packs").joinpath(f"{language}.toml").read_text("utf-8")))


@lru_cache(maxsize=1)
def stop_words() -> Mapping[str, frozenset[str]]:
    """The stop words of every pack, without compiling any."""
    import tomllib
    from importlib.resources import files

    found = {}
    for language in languages():
        text = files("mdtally.packs").joinpath(f"{language}.toml").read_text("utf-8")
        # The table stands in the first lines; reading it alone keeps detection cheap.
        head = text[text.index("[detect]") :]
        found[language] = frozenset(tomllib.loads(head[: head.index("]", 8) + 1])["detect"]["words"])
    return found


def compile_pack(data: Mapping[str, Any]) -> Pack:
    """Compile a pack from its parsed TOML.

    Raises:
        PatternError: a pattern can't be read.
    """
    unspaced = bool(data.get("unspaced", False))
    lists: Mapping[str, Sequence[str]] = data.get("lists", {})
    entries: list[Entry] = []
    matcher: Matcher[Entry] = Matcher(unspaced=unspaced)

    def add(entry: Entry) -> None:
        entries.append(entry)
        for pattern, _ in entry.examples:
            matcher.add(entry, pattern, lists)

    for kind in TABLES:
        for table in data.get(kind, ()):
            add(
                Entry(
                    kind=kind,
                    name=table.get("phrase") or table.get("family") or table.get("name") or kind,
                    strength=table.get("strength", "weak"),
                    negatable=table.get("negatable", True),
                    repeated=table.get("repeated", False),
                    before=_context(table.get("not_before", ()), lists, unspaced=unspaced, behind=False),
                    after=_context(table.get("not_after", ()), lists, unspaced=unspaced, behind=True),
                    examples=tuple((pattern, example) for pattern, example in table["match"]),
                    silent=tuple(table.get("silent", ())),
                )
            )
            if table.get("spared"):
                add(Entry("spared", "spared", examples=tuple((pattern, "") for pattern in table["spared"])))
    stand_down = data.get("stand_down", {})
    silent = tuple(stand_down.get("silent", ()))
    for kind, rows in (("tested", stand_down.get("tested", ())), ("nothing", stand_down.get("nothing", ()))):
        if rows:
            examples = tuple((pattern, example) for pattern, example in rows)
            add(Entry(kind, kind, examples=examples, silent=silent))
    learnt = data.get("weights")
    return Pack(
        language=data["language"],
        name=data["name"],
        unspaced=unspaced,
        stop_words=frozenset(data.get("detect", {}).get("words", ())),
        entries=tuple(entries),
        matcher=matcher,
        breaks=_breaks(data.get("scope", {}).get("breaks", ()), unspaced=unspaced),
        this=_union(stand_down.get("this", ()), lists, unspaced=unspaced),
        variants={ord(a): b for a, b in zip(*data.get("variants", {"": "", " ": ""}).values(), strict=True)},
        object_first=bool(stand_down.get("object_first", False)),
        weights=Weights(**learnt) if learnt else None,
        hints=data.get("hint", {}),
        small_words=frozenset(data.get("manner", {}).get("words", ())),
    )


@lru_cache(maxsize=64)
def own_phrases(phrases: tuple[str, ...]) -> tuple[tuple[Entry, re.Pattern[str]], ...]:
    """A configuration's own forbidden phrases, to be looked for in folded text; plain words, no pattern language."""
    from mdtally.gate.fold import fold

    found = []
    for phrase in phrases:
        words = fold(phrase, mentions=()).text.split()
        if words:
            expression = ",? ".join(re.escape(word) for word in words)
            # A script without spaces has no edges of words.
            before, after = (r"(?<![^\W_])", r"(?![^\W_])") if phrase.isascii() else ("", "")
            found.append((Entry("forbidden", phrase), re.compile(before + expression + after)))
    return tuple(found)


def _context(
    patterns: Sequence[str], lists: Mapping[str, Sequence[str]], *, unspaced: bool, behind: bool
) -> re.Pattern[str] | None:
    expressions = list(_expressions(patterns, lists, unspaced=unspaced))
    if not expressions:
        return None
    union = "|".join(expressions)
    return re.compile(rf"[,\s]*(?:{union})" if behind else _edge(unspaced=unspaced) + f"(?:{union})")


def _expressions(patterns: Sequence[str], lists: Mapping[str, Sequence[str]], *, unspaced: bool) -> Iterator[str]:
    for pattern in patterns:
        tokens = pattern.split()
        # Behind a phrase a pattern may open with a gap; the joint is the caller's.
        if tokens and re.fullmatch(r"\.\.\d*", tokens[0]):
            most = int(tokens[0][2:] or 4)
            expression, _ = compile_pattern(" ".join(tokens[1:]), lists, unspaced=unspaced)
            gap = rf"[^.,;:!?\n]{{0,{most * 2}}}?" if unspaced else rf"(?:[^\s.,;:!?()\n]+ ){{0,{most}}}?"
            yield gap + expression
        else:
            yield compile_pattern(pattern, lists, unspaced=unspaced)[0]


def _union(patterns: Sequence[str], lists: Mapping[str, Sequence[str]], *, unspaced: bool) -> re.Pattern[str]:
    expressions = list(_expressions(patterns, lists, unspaced=unspaced))
    return re.compile(_edge(unspaced=unspaced) + f"(?:{'|'.join(expressions)})" if expressions else r"(?!)")


def _edge(*, unspaced: bool) -> str:
    """Where a pattern is searched for and not tried at a word: "esto" is not the end of "puesto"."""
    return "" if unspaced else r"(?<![^\W_])"


def _breaks(words: Sequence[str], *, unspaced: bool) -> re.Pattern[str]:
    marks = r"[.,;:!?()\n。、]| - "
    if not words:
        return re.compile(marks)
    union = "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
    return re.compile(rf"{marks}|{union}" if unspaced else rf"{marks}|(?<![^\W_])(?:{union})(?![^\W_])")


__all__ = ["Entry", "Pack", "PatternError", "Weights", "compile_pack", "languages", "load", "stop_words"]
