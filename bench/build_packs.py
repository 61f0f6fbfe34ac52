"""Build of the packs what the gate reads at run time: each pattern a regular expression, with what it starts with.

python bench/build_packs.py     # writes mdtally/gate/packs/built, after a pack has changed

A pack is read and written by people who know a language, not by people who know regular expressions. So a pattern is a
line of words over the folded text (`mdtally.gate.fold`: lower case, straight apostrophes, inner hyphens as spaces):

=====================  ================================================================================
``weak claim``         these words, in this order, never inside a word
``claim|point``        one of these words; ``does_not|doesn't`` writes a space as ``_``
``overlook*``          a word that starts so
``really?``            this word or nothing; ``really|quite?`` one of them or nothing
``..``                 up to 4 words of the same clause, or none; ``..8`` up to 8
``{claims}``           one entry of the pack's list ``claims``; ``{claims}?`` makes it optional
``{name}``             the name of somebody who spoke earlier in the round
``{quote}``            quoted words or code
``{number}``           a number, a percentage, an amount
``^``                  first in the pattern: at the start of a sentence or line
``,`` ``:`` ``?`` ...  a punctuation mark, standing as a token of its own; ``,?`` makes it optional
=====================  ================================================================================

Each pattern says which words it can start with, and which others it needs (`mdtally.gate.pack`). Gaps are bounded
and never cross a clause, so no text can make a pattern slow.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(PROJECT)]

from mdtally.gate.fold import MENTION, NAME  # noqa: E402
from mdtally.gate.pack import STEM, TOKEN  # noqa: E402
from mdtally.text.records import record  # noqa: E402
from mdtally.text.regex import regex  # noqa: E402

PACKS = PROJECT / "mdtally" / "gate" / "packs"
Lists = Mapping[str, Sequence[str]]
"""A pack's lists of words by name."""

# ".." in front of "password", "..8"
_OPENING_GAP = regex(r"\.\.(\d*) ")
# "esto" is not the end of "puesto"
_EDGE = r"(?<![^\W_])"

# "40 %", "$1,200", "3.5", "12 ms"
_NUMBER = r"[$€£¥]?\d+(?:[.,:/]\d+)*(?:\s?(?:%|percent|million|billion|k|m|x|ms|s|h|kb|mb|gb)\b|%)?"
# "..", "..8"
_GAP = regex(r"\.\.(\d*)$")
# ",", ".|!", ",?"
_MARKS = regex(r"[^\w\s{}|*^]{1,3}(?:\|[^\w\s{}|*^]{1,3})*\??$")
_EDGE_AFTER = r"(?![^\W_])"
_SPACED_GAP = r"(?: [^\s.,;:!?()\n]+){0,%d}?"
_UNSPACED_GAP = r"[^\s.,;:!?()。，；：！？、\n]{0,%d}?"
_NUMBER_STARTS = (*(f"{digit}*" for digit in range(10)), *"$€£¥")
_SENTENCE_START = r"(?:(?<=\n)|(?<=^)|(?<=[.!?:;(\"“'>]\s)|(?<=[.!?:;(\"“。¿¡]))"


class PackError(ValueError):
    """A pattern that can't be read, with the pattern in its message."""


@record
class Compiled:
    """A pattern as a regular expression, with what tells quickly that it can't fit.

    Attributes:
        expression: matches at the start of a word of the folded text.
        starts: the words it can start with; "ove*" is any word that starts so.
        needs: of each of these sets one word stands in every text that it fits.
    """

    expression: str
    starts: tuple[str, ...]
    needs: tuple[tuple[str, ...], ...]


def compile_pattern(source: str, lists: Lists, *, unspaced: bool = False, joint: str = ",? ") -> Compiled:
    """The regular expression of a pattern, its possible starts and the words it needs.

    Args:
        source: the pattern, as the pack writes it.
        lists: the pack's lists by name.
        unspaced: the script writes without spaces, so that words have no edges.
        joint: what stands between two words.

    Raises:
        PackError: the pattern names an unknown list, or starts with a gap or an optional-only run.
    """
    tokens, between = source.split(), r"\s?" if unspaced else joint
    # What stands between the last token and a word behind it, and what ends the pattern.
    expression, before, edge = _SENTENCE_START if tokens[:1] == ["^"] else "", "", ""
    starts: set[str] = set()
    needs: dict[tuple[str, ...], None] = {}
    is_open = True
    for token in tokens[tokens[:1] == ["^"] :]:
        optional = token.endswith("?") and len(token) > 1
        bare = token[:-1] if optional else token
        if gap := _GAP.match(token):
            if is_open:
                raise PackError(f"a pattern can't start with a gap: {source!r}")
            expression += _UNSPACED_GAP % (2 * int(gap[1] or 4)) if unspaced else _SPACED_GAP % int(gap[1] or 4)
            continue
        if _MARKS.match(token):
            choices, first = bare.split("|"), tuple(dict.fromkeys(mark[:1] for mark in bare.split("|")))
            piece, end = r"\s?(?:" + "|".join(map(re.escape, choices)) + ")", ""
            expression += f"(?:{piece})?" if optional else piece
        else:
            choices = _alternatives(bare, lists, source)
            first = tuple(dict.fromkeys(word for choice in choices for word in _first_words(choice, unspaced)))
            piece, end = "(?:" + "|".join(_expression(choice, unspaced) for choice in choices) + ")", _EDGE_AFTER
            # The joint of an optional word goes with it: in front of it where something stands before, else behind.
            behind = "" if before else between
            expression += f"(?:{before}{piece}{behind})?" if optional else before + piece
        if is_open and not (optional and end == ""):
            starts.update(first)
        elif not (optional or any(word.endswith("*") and len(word) <= STEM for word in first)):
            needs[first] = None
        before, edge = before if optional and end else between, "" if unspaced else end
        is_open = is_open and optional
    if is_open:
        raise PackError(f"a pattern needs one word that is not optional: {source!r}")
    return Compiled(expression + edge, tuple(sorted(starts)), () if unspaced else tuple(needs))


def _first_words(alternative: str, unspaced: bool) -> tuple[str, ...]:
    """What a text's word is where an alternative starts in it: a word, or the first letters of one and "*"."""
    if alternative == "{number}":
        return _NUMBER_STARTS
    word = alternative.lower().split(" ")[0]
    if unspaced:
        return (word[0],)
    token = TOKEN.match(word)
    return (f"{word[:-1][:STEM]}*" if word.endswith("*") else token.group() if token else word,)


def _alternatives(token: str, lists: Mapping[str, Sequence[str]], source: str) -> list[str]:
    """What a token stands for, the longest first, lists written out."""
    found: list[str] = []
    for part in token.split("|"):
        if part == "{number}":
            found.append(part)
        elif part.startswith(("{name}", "{quote}")):
            found.append(part.replace("{name}", NAME).replace("{quote}", MENTION).replace("_", " "))
        elif part.startswith("{") and part.endswith("}"):
            if part[1:-1] not in lists:
                raise PackError(f"no list {part} for the pattern {source!r}")
            for entry in lists[part[1:-1]]:
                found.extend(_alternatives(entry.replace(" ", "_"), lists, source))
        elif part:
            found.append(part.replace("_", " "))
    if not found:
        raise PackError(f"an empty alternative in the pattern {source!r}")
    return sorted(dict.fromkeys(found), key=lambda a: (-len(a), a))


def _expression(alternative: str, unspaced: bool) -> str:
    if alternative == "{number}":
        return _NUMBER
    stem = alternative.endswith("*")
    escaped = re.escape(alternative.removesuffix("*").lower()).replace(r"\ ", " ")
    return escaped + (r"[^\W_]{0,12}" if stem and not unspaced else "")


# -- The packs ---------------------------------------------------------------------------------------------------------


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


_JOINTS = {"forbidden": " ", "padding": " "}
"""What stands between two words of praise: no comma, as elsewhere. "Well, said Ana, that is wrong" praises nothing."""


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
            compiled = compile_pattern(pattern, lists, unspaced=unspaced, joint=_JOINTS.get(table.kind, ",? "))
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
