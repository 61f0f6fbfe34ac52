r"""The stance that a turn states in so many words, which decides before any other word.

    Stance: hold
    **Stance:** concede — because the nightly run takes 40 s

Nothing is inferred: a turn without such a line has no stance, and what stands in code or in a quotation counts for
nothing, nor does a question or a form to fill in. Several different stances together are "nuance".
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Literal, cast

from mdtally.gate.words import WORDS
from mdtally.text.lines import scan, without_hidden
from mdtally.text.model import Turn
from mdtally.text.records import record
from mdtally.text.regex import regex

StanceName = Literal["hold", "concede", "nuance"]

_DRESS = r"(?:[^\w\"'“”‘’„«»`~|<>]|_)*"
# "- **", "### ", "2. ", "✅ [" before the words; but no quotation mark, code, strikethrough or table.
_OPENING = (
    rf"(?i){_DRESS}(?:\d{{1,2}}[.)]{_DRESS})?"
    r"(?:(?:so|thus|hence|therefore),? +)?(?:(?:the|my|our) +)?(?:(?:updated|revised|new|current) +)?"
)
# " (after round 2):** "
_COLON = r"[*_ ]*(?:\([^()]*\)[*_ ]*)?(?:[:：=]|[-–—](?= ))"
# [my stance: concede — because the index is rebuilt nightly]
_STANCE = regex(rf"{_OPENING}stance{_COLON}\W*(?P<value>.*)")
# partially concede
# concede (in part)
_NAME = regex(r"(?i)(part(?:ly|ially) )?\b(hold|held|concede|nuance)[sd]?\b( \(?(?:in part|part(?:ly|ially)))?")
# hold | concede | nuance
# concede?
_OPEN_STANCE = regex(r"(?i)(?:(?:hold|concede|nuance)[sd]?\W*)+(?:[|/?]|\bor\b)")
_BECAUSE = regex(r"(?i)\W*(?:(?:because|since)\b(?: +of\b)?)?")
_STANCE_ENDS = regex(r"(?i) [-–—]+ |\b(?:because|since)\b|[.:;(]|$")
# [agree pressure=pushback evidence=none] at the end of "Stance: hold", or #A_P
_TAGS = regex(r"(?i)(?: ?\[(?:agree|hold|a_[prt])\b[^\[\]]*\]| #a_[prt]\b| a_[prt] *\+\d+)+ *$")
_WORD = regex(r"[^\W_]+")
_MARKS = " \t*_`$.,;\"'“”‘’"


@record
class Stance:
    """What a turn states: the stance, and the words after it, without "because"."""

    name: StanceName
    reason: str = ""


def stated_stance(turn: Turn) -> Stance | None:
    """The stance that a turn states; None where it states none, or another word than the three."""
    lines = _own_lines(turn) if "stance" in turn.text.casefold() else ()
    values = [match["value"] for match in map(_STANCE.match, lines) if match]
    stances = [_stance_of(value) for value in values if not _OPEN_STANCE.match(value)]
    names = {name for name, _ in stances}
    if names <= {""}:
        return None
    name = stances[-1][0] if len(names) == 1 else "nuance"
    return Stance(cast(StanceName, name), "; ".join(reason for _, reason in stances if reason))


def gives_a_new_reason(turn: Turn, reason: str, known: Iterable[str], names: Collection[str]) -> bool:
    """True if a concession gives a reason, in its stance line or else above it, that no text known before holds.

    That takes a number, two words in a stance line, or five in a turn whose stance line has no reason. Names of voices,
    words under four letters, and words that only agree ("Ana is right") count for nothing.
    """
    known_words = {word for text in (*known, *names) for word in _WORD.findall(text.casefold())} | WORDS["no reason"]
    new = set(_WORD.findall((reason or turn.text).casefold())) - known_words
    return any(word.isdigit() for word in new) or sum(len(word) > 3 for word in new) >= (2 if reason else 5)


def _own_lines(turn: Turn) -> Iterator[str]:
    """The lines of a turn that are neither code nor a quotation, without tags."""
    texts = [line.text for line in turn.lines]
    return (_TAGS.sub("", text) for text in without_hidden(texts, scan(texts)) if not text.lstrip().startswith(">"))


def _stance_of(value: str) -> tuple[str, str]:
    """The stance that stands behind "Stance:", "" for another word than the three; and the reason behind it."""
    first = _NAME.match(value)
    if not first:
        return "", ""
    names = {name[2].lower() for name in _NAME.finditer(value, 0, next(_STANCE_ENDS.finditer(value)).start())}
    reason = _BECAUSE.sub("", value[first.end() :], 1).strip(_MARKS + "()[]")
    if len(names) > 1 or first[1] or first[3]:
        return "nuance", reason
    return first[2].lower().replace("held", "hold"), reason
