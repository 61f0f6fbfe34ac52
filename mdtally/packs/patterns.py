"""The small language in which packs write down phrases, and its compilation.

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

import re
from collections.abc import Mapping, Sequence

from mdtally import plain
from mdtally.records import record
from mdtally.regex import regex

MENTION = plain.OPAQUE
"""Stands in a folded text for code, a block quote, an address, quoted words: what is mentioned and not said."""
NAME = "\ue000"
"""Stands in a folded text for the name of an earlier speaker."""
STEM = 3
"""How many letters of a word beginning ("overlook*") are looked up."""
# "claim", "doesn't", a name, ","
TOKEN = regex(rf"[^\W_]+(?:'[^\W_]+)?|[{MENTION}{NAME}]|[^\w\s]")
"""A word, a mention, a name, a mark: a pattern starts at one."""

# "40 %", "$1,200", "3.5", "12 ms"
_NUMBER = r"[$€£¥]?\d+(?:[.,:/]\d+)*(?:\s?(?:%|percent|million|billion|k|m|x|ms|s|h|kb|mb|gb)\b|%)?"
# "claim", not "n't"
_PLAIN_WORD = regex(r"[^\W\d_]{2,}")
# "..", "..8"
_GAP = regex(r"\.\.(\d*)$")
# ",", ".|!", ",?"
_MARKS = regex(r"[^\w\s{}|*^]{1,3}(?:\|[^\w\s{}|*^]{1,3})*\??$")
_EDGE_AFTER = r"(?![^\W_])"
_WORD_IN_GAP = r"[^\s.,;:!?()\n]+"
_UNSPACED_GAP = r"[^\s.,;:!?()。，；：！？、\n]"
_SENTENCE_START = r"(?:(?<=\n)|(?<=^)|(?<=[.!?:;(\"“'>]\s)|(?<=[.!?:;(\"“。¿¡]))"


class PackError(ValueError):
    """A pattern that can't be read, with the pattern in its message."""


@record
class Compiled:
    """A pattern as a regular expression, with what tells quickly that it can't fit.

    Attributes:
        expression: matches at the start of a word of the folded text.
        words: the words it can start with.
        stems: first letters of words it can start with.
        needs: of each of these sets one word stands in every text that it fits; "ove*" is any word that starts so.
    """

    expression: str
    words: tuple[str, ...]
    stems: tuple[str, ...]
    needs: tuple[tuple[str, ...], ...]


def compile_pattern(source: str, lists: Mapping[str, Sequence[str]], *, unspaced: bool = False) -> Compiled:
    """The regular expression of a pattern, its possible starts and the words it needs.

    Args:
        source: the pattern, as the pack writes it.
        lists: the pack's lists by name.
        unspaced: the script writes without spaces, so that words have no edges.

    Raises:
        PackError: the pattern names an unknown list, or starts with a gap or an optional-only run.
    """
    tokens = source.split()
    anchored = tokens[:1] == ["^"]
    compiler = _Compiler(source, unspaced)
    for token in tokens[anchored:]:
        optional = token.endswith("?") and len(token) > 1
        bare = token[:-1] if optional else token
        if gap := _GAP.match(token):
            compiler.add_gap(int(gap[1] or 4))
        elif _MARKS.match(token):
            compiler.add_marks(bare.split("|"), optional)
        else:
            compiler.add_words(_alternatives(bare, lists, source), optional)
    return compiler.compiled(anchored)


class _Compiler:
    """Puts the expression of a pattern together, token by token.

    Attributes:
        open_start: nothing that has to be there was added yet.
        joint: what stands between the last token and a word behind it; "" at the beginning.
    """

    def __init__(self, source: str, unspaced: bool) -> None:
        self.source, self.unspaced = source, unspaced
        self.expression = self.joint = self.edge = ""
        self.words: set[str] = set()
        self.stems: set[str] = set()
        self.needs: dict[tuple[str, ...], None] = {}
        self.open_start = True

    def add_gap(self, most: int) -> None:
        """Up to so many words, or in a script without spaces twice as many letters."""
        if self.open_start:
            raise PackError(f"a pattern can't start with a gap: {self.source!r}")
        spaced = rf"(?: {_WORD_IN_GAP}){{0,{most}}}?"
        self.expression += rf"{_UNSPACED_GAP}{{0,{most * 2}}}?" if self.unspaced else spaced

    def add_marks(self, marks: Sequence[str], optional: bool) -> None:
        """One of these punctuation marks."""
        if not optional:
            first = tuple(dict.fromkeys(mark[0] for mark in marks))
            self.needs[first] = None
            if self.open_start:
                self.words.update(first)
                self.open_start = False
        piece = r"\s?(?:" + "|".join(map(re.escape, marks)) + ")"
        self.expression += f"(?:{piece})?" if optional else piece
        self.joint, self.edge = r"\s?" if self.unspaced else ",? ", ""

    def add_words(self, alternatives: Sequence[str], optional: bool) -> None:
        """One of these alternatives, each a word, several words, a word beginning or a number."""
        piece = "(?:" + "|".join(_expression(a, self.unspaced) for a in alternatives) + ")"
        if self.open_start:
            for alternative in alternatives:
                self._add_start(alternative)
            self.open_start = optional
        # The first word of what the pattern starts with is there wherever it is tried, but only that.
        several = any(" " in alternative for alternative in alternatives)
        if not optional and (self.joint or several) and (need := _need(alternatives)):
            self.needs[need] = None
        joint = r"\s?" if self.unspaced else ",? "
        if not optional:
            self.expression += self.joint + piece
            self.joint = joint
        else:
            # The joint goes with the word: in front of it where something stands before, else behind it.
            self.expression += f"(?:{self.joint}{piece})?" if self.joint else f"(?:{piece}{joint})?"
        self.edge = "" if self.unspaced else _EDGE_AFTER

    def _add_start(self, alternative: str) -> None:
        if alternative == "{number}":
            self.stems.update("0123456789")
            self.words.update("$€£¥")
            return
        first = alternative.lower() if self.unspaced else alternative.lower().split(" ")[0]
        if self.unspaced:
            self.stems.add(first[0])
        elif first.endswith("*"):
            self.stems.add(first[:-1][:STEM])
        else:
            self.words.add(_first_token(first))

    def compiled(self, anchored: bool) -> Compiled:
        """The whole pattern; ``anchored`` at the start of a sentence or line."""
        if self.open_start:
            raise PackError(f"a pattern needs one word that is not optional: {self.source!r}")
        expression = (_SENTENCE_START if anchored else "") + self.expression + self.edge
        needs = () if self.unspaced else tuple(self.needs)
        return Compiled(expression, tuple(sorted(self.words)), tuple(sorted(self.stems)), needs)


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


def _need(alternatives: Sequence[str]) -> tuple[str, ...]:
    """The longest word of each of a token's alternatives; none where one of them may be any word."""
    words = [
        [w for w in a.lower().split(" ") if _PLAIN_WORD.fullmatch(w)] or [a.lower().split(" ")[0]] for a in alternatives
    ]
    longest = [max(several, key=len) for several in words]
    if any(word == "{number}" or (word.endswith("*") and len(word) <= STEM) for word in longest):
        return ()
    return tuple(dict.fromkeys(f"{w[:STEM]}*" if w.endswith("*") else _first_token(w) for w in longest))


def _first_token(word: str) -> str:
    match = TOKEN.match(word)
    return match.group() if match else word
