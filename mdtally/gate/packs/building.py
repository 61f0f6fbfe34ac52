"""Packs as data that loads quickly: each pattern a regular expression, with the words it can start with and needs.

python -m mdtally.gate.packs.building     # writes mdtally/gate/packs/built, after a pack has changed
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from mdtally.gate.packs.patterns import compile_pattern
from mdtally.text.records import record
from mdtally.text.regex import regex

PACKS = Path(__file__).parent

Lists = Mapping[str, Sequence[str]]
"""A pack's lists of words by name."""

# ".." in front of "password", "..8"
_OPENING_GAP = regex(r"\.\.(\d*) ")
# "esto" is not the end of "puesto"
_EDGE = r"(?<![^\W_])"


@record
class PackTable:
    """A table of a pack that becomes a group of patterns.

    Attributes:
        kind: the kind of group.
        values: the table as it is written.
        rows: (pattern, sentence) pairs; each pattern fires in its sentence, which is "" for spared words.
        silent: sentences in which none of the patterns may fire.
    """

    kind: str
    values: Mapping[str, Any]
    rows: tuple[tuple[str, str], ...]
    silent: tuple[str, ...] = ()


def tables(data: Mapping[str, Any]) -> Iterator[PackTable]:
    """The tables of a pack's parsed TOML, in the order of its groups."""
    for kind, every in data.items():
        for values in every if isinstance(every, list) else ():
            yield PackTable(kind, values, tuple(map(tuple, values["match"])), tuple(values.get("silent", ())))
            if spared := values.get("spared"):
                yield PackTable("spared", {}, tuple((pattern, "") for pattern in spared))
    stand_down = data.get("stand_down", {})
    for kind in ("tested", "nothing"):
        if rows := stand_down.get(kind):
            yield PackTable(kind, {}, tuple(map(tuple, rows)), tuple(stand_down.get("silent", ())))


def build(data: Mapping[str, Any]) -> dict[str, Any]:
    """A pack's data from its parsed TOML.

    Raises:
        PackError: a pattern can't be read.
    """
    unspaced, lists = bool(data.get("unspaced", False)), data.get("lists", {})
    groups: list[list[object]] = []
    patterns: list[list[object]] = []
    starts: dict[str, list[int]] = {}
    choices: dict[tuple[str, ...], int] = {}
    for table in tables(data):
        for pattern, _ in table.rows:
            compiled = compile_pattern(pattern, lists, unspaced=unspaced)
            for start in compiled.starts:
                starts.setdefault(start, []).append(len(patterns))
            needs = sum(1 << choices.setdefault(need, len(choices)) for need in compiled.needs)
            patterns.append([len(groups), compiled.expression, needs])
        groups.append(_group(table, lists, unspaced))
    bits: dict[str, int] = {}
    for choice, number in choices.items():
        for word in choice:
            bits[word] = bits.get(word, 0) | 1 << number
    stand_down = data.get("stand_down", {})
    return {
        "language": data["language"],
        "unspaced": unspaced,
        "stop_words": data.get("detect", {}).get("words", []),
        "groups": groups,
        "patterns": patterns,
        "starts": starts,
        "bits": bits,
        "breaks": _breaks(data.get("scope", {}).get("breaks", ()), unspaced),
        "this": _union(stand_down.get("this", ()), lists, unspaced, _EDGE) or r"(?!)",
        "elsewhere": _union(stand_down.get("elsewhere", ()), lists, unspaced, _EDGE) or r"(?!)",
        "variants": list(data.get("variants", {}).values()) or ["", ""],
        "object_first": bool(stand_down.get("object_first", False)),
        "weights": data.get("weights"),
        "hints": data.get("hint", {}),
        "padding_examples": list(dict.fromkeys(table["match"][0][1].rstrip(".") for table in data.get("padding", ()))),
    }


def _group(table: PackTable, lists: Lists, unspaced: bool) -> list[object]:
    """What a table's patterns stand for, in the order of the fields of `mdtally.gate.pack.PhraseGroup`."""
    values = table.values
    name = values.get("phrase") or values.get("family") or values.get("name") or table.kind
    before = _union(values.get("not_before", ()), lists, unspaced, _EDGE)
    after = _union(values.get("not_after", ()), lists, unspaced, r"\s*")
    rest = (values.get("strength", "weak"), values.get("negatable", True), values.get("repeated", False))
    return [table.kind, name, *rest, before, after]


def _union(patterns: Sequence[str], lists: Lists, unspaced: bool, front: str) -> str | None:
    """One expression for several patterns, which may open with a gap, and what stands in front; None without any."""
    expressions = []
    for pattern in patterns:
        gap = _OPENING_GAP.match(pattern)
        rest = compile_pattern(pattern[gap.end() :] if gap else pattern, lists, unspaced=unspaced).expression
        most = int(gap[1] or 4) if gap else 0
        skipped = rf"[^.,;:!?\n]{{0,{most * 2}}}?" if unspaced else rf"(?:[^\s.,;:!?()\n]+ ){{0,{most}}}?"
        expressions.append(skipped + rest if gap else rest)
    front = "" if unspaced and front == _EDGE else front
    return f"{front}(?:{'|'.join(expressions)})" if expressions else None


def _breaks(words: Sequence[str], unspaced: bool) -> str:
    """What ends where a clause begins: behind marks, and before the words that open one."""
    marks = r"[.,;:!?()\n。、]"
    if not words:
        return rf"{marks}| - "
    union = "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
    return rf"{marks}| - |(?={union})" if unspaced else rf"{marks}| (?:- |(?=(?:{union})(?![^\W_])))"


def files() -> dict[str, str]:
    """The text of every built file, by name: one a language, and one with the words that tell languages."""
    packs = {path.stem: build(tomllib.loads(path.read_text("utf-8"))) for path in sorted(PACKS.glob("*.toml"))}
    others = tomllib.loads((PACKS / "others" / "stop_words.toml").read_text("utf-8"))
    words = {
        "packs": {language: data.pop("stop_words") for language, data in packs.items()},
        "others": {code: words.split() for code, words in others.items()},
    }
    return {
        f"{name}.json": json.dumps(data, ensure_ascii=False, separators=(",", ":")) + "\n"
        for name, data in (*packs.items(), ("languages", words))
    }


def write() -> None:
    """Write the built files anew."""
    built = files()
    folder = PACKS / "built"
    for path in folder.iterdir():
        path.unlink()
    for name, text in built.items():
        (folder / name).write_text(text, "utf-8")


if __name__ == "__main__":
    write()
