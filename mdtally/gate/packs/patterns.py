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

from mdtally.text import plain
from mdtally.text.records import record
from mdtally.text.regex import regex

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


def compile_pattern(source: str, lists: Mapping[str, Sequence[str]], *, unspaced: bool = False) -> Compiled:
    """The regular expression of a pattern, its possible starts and the words it needs.

    Args:
        source: the pattern, as the pack writes it.
        lists: the pack's lists by name.
        unspaced: the script writes without spaces, so that words have no edges.

    Raises:
        PackError: the pattern names an unknown list, or starts with a gap or an optional-only run.
    """
    tokens, between = source.split(), r"\s?" if unspaced else ",? "
    # What stands between the last token and a word behind it, and what ends the pattern.
    expression, joint, edge = _SENTENCE_START if tokens[:1] == ["^"] else "", "", ""
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
            behind = "" if joint else between
            expression += f"(?:{joint}{piece}{behind})?" if optional else joint + piece
        if is_open and not (optional and end == ""):
            starts.update(first)
        elif not (optional or any(word.endswith("*") and len(word) <= STEM for word in first)):
            needs[first] = None
        joint, edge = joint if optional and end else between, "" if unspaced else end
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
