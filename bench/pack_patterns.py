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
from typing import NamedTuple

from mdtally.gate.fold import MENTION, NAME
from mdtally.gate.pack import STEM, TOKEN
from mdtally.regex import regex

_NUMBER = r"[$€£¥]?\d+(?:[.,:/]\d+)*(?:\s?(?:%|percent|million|billion|k|m|x|ms|s|h|kb|mb|gb)\b|%)?"
_PLAIN_WORD = re.compile(r"[^\W\d_]{2,}")
_GAP = regex(r"\.\.(\d*)$")
_PUNCTUATION = regex(r"[^\w\s{}|*^]{1,3}(?:\|[^\w\s{}|*^]{1,3})*\??$")
_EDGE_AFTER = r"(?![^\W_])"
_WORD_IN_GAP = r"[^\s.,;:!?()\n]+"
_SENTENCE_START = r"(?:(?<=\n)|(?<=^)|(?<=[.!?:;(\"“'>]\s)|(?<=[.!?:;(\"“。¿¡]))"


class PatternError(ValueError):
    """A pattern that can't be read, with the pattern in its message."""


class Compiled(NamedTuple):
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

    Raises:
        PatternError: the pattern names an unknown list, or starts with a gap or an optional-only run.
    """
    tokens = source.split()
    anchored = tokens[:1] == ["^"]
    if anchored:
        tokens = tokens[1:]
    if not tokens:
        raise PatternError(f"an empty pattern: {source!r}")
    joint = r"\s?" if unspaced else ",? "
    expression = ""
    words: set[str] = set()
    stems: set[str] = set()
    needs: list[tuple[str, ...]] = []
    open_start = True
    pending = ""  # the joint before the next token, if anything stands before it
    for token in tokens:
        gap = _GAP.match(token)
        if gap:
            if open_start:
                raise PatternError(f"a pattern can't start with a gap: {source!r}")
            most = int(gap.group(1) or 4)
            expression += (
                rf"[^\s.,;:!?()。，；：！？、\n]{{0,{most * 2}}}?" if unspaced else rf"(?: {_WORD_IN_GAP}){{0,{most}}}?"
            )
            continue
        optional = token.endswith("?") and len(token) > 1
        bare = token[:-1] if optional else token
        if _PUNCTUATION.match(token):
            marks = bare.split("|")
            if open_start and not optional:
                words.update(mark[0] for mark in marks)
                open_start = False
            if not optional:
                needs.append(tuple(dict.fromkeys(mark[0] for mark in marks)))
            piece = r"\s?(?:" + "|".join(re.escape(mark) for mark in marks) + ")"
            expression += f"(?:{piece})?" if optional else piece
            pending = joint if not unspaced else r"\s?"
            continue
        alternatives = _alternatives(bare, lists, source)
        piece = "(?:" + "|".join(_word(a, unspaced=unspaced) for a in alternatives) + ")"
        if open_start:
            for alternative in alternatives:
                _add_start(alternative, words, stems, unspaced=unspaced)
            open_start = optional
        # The first word of what the pattern starts with is there wherever it is tried, but only that.
        several = any(" " in alternative for alternative in alternatives)
        if not optional and (pending or several) and (need := _need(alternatives)):
            needs.append(need)
        if optional:
            # The joint goes with the word: in front of it where something stands before, else behind it.
            expression += f"(?:{pending}{piece})?" if pending else f"(?:{piece}{joint})?"
        else:
            expression += pending + piece
            pending = joint
    if open_start:
        raise PatternError(f"a pattern needs one word that is not optional: {source!r}")
    tail = "" if unspaced or _PUNCTUATION.match(tokens[-1]) else _EDGE_AFTER
    if anchored:
        expression = _SENTENCE_START + expression
    return Compiled(
        expression + tail, tuple(sorted(words)), tuple(sorted(stems)), () if unspaced else tuple(dict.fromkeys(needs))
    )


def _alternatives(token: str, lists: Mapping[str, Sequence[str]], source: str) -> list[str]:
    found: list[str] = []
    for part in token.split("|"):
        if part == "{number}":
            found.append(part)
        elif part.startswith(("{name}", "{quote}")):
            found.append(part.replace("{name}", NAME).replace("{quote}", MENTION).replace("_", " "))
        elif part.startswith("{") and part.endswith("}"):
            if part[1:-1] not in lists:
                raise PatternError(f"no list {part} for the pattern {source!r}")
            for entry in lists[part[1:-1]]:
                found.extend(_alternatives(entry.replace(" ", "_"), lists, source))
        elif part:
            found.append(part.replace("_", " "))
    if not found:
        raise PatternError(f"an empty alternative in the pattern {source!r}")
    return sorted(dict.fromkeys(found), key=lambda a: (-len(a), a))


def _word(alternative: str, *, unspaced: bool) -> str:
    if alternative == "{number}":
        return _NUMBER
    stem = alternative.endswith("*")
    escaped = re.escape(alternative.removesuffix("*").lower()).replace(r"\ ", " ")
    return escaped + (r"[^\W_]{0,12}" if stem and not unspaced else "")


def _add_start(alternative: str, words: set[str], stems: set[str], *, unspaced: bool) -> None:
    if alternative == "{number}":
        stems.update("0123456789")
        words.update("$€£¥")
        return
    first = alternative.lower() if unspaced else alternative.lower().split(" ")[0]
    if unspaced:
        stems.add(first[0])
    elif first.endswith("*"):
        stems.add(first[:-1][:STEM])
    else:
        words.add(_first_token(first))


def _need(alternatives: Sequence[str]) -> tuple[str, ...]:
    """The longest word of each of a token's alternatives; none where one of them may be any word."""
    # "n't" is a part of a word, and no word of a text.
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


__all__ = ["Compiled", "PatternError", "compile_pattern"]
