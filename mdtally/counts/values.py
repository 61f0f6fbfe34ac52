"""What stands behind a counter: a count, tally marks, an increment, words, or something that should be a count.

The last two differ by one thing. "A_P: agreements after pushback" speaks about the counter; "A_P: one" was meant as a
tally, and skipping it would make a wrong total without a word.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Literal

from mdtally.counts.notation import BAR, BREAK, COMMENT_CLOSE, COMMENT_OPEN, CONDITION, FIVE, NUMBER_WORDS, OPAQUE

Kind = Literal["count", "increment", "empty", "no-count", "word", "words", "result"]


@dataclass(frozen=True, slots=True)
class Value:
    """A field's reading.

    Attributes:
        kind: "count" and "increment" have a number; "no-count" is a number or sign that is no count, "word" a single
            word, "words" speak about the counter, "empty" is nothing at all; "result" is a count from which something
            follows ("12 = 25%", "0 → UNCALIBRATED"): a total behind other totals, a rule when it stands alone.
        number: the count.
    """

    kind: Kind
    number: int = 0


_COUNT = re.compile(r"\+?0*(\d{1,9})")
_STEP = re.compile(r"(?:\+=?|[x×]) ?(\d{1,9})|(\+\+)")
_END = re.compile(r"[.!;,]?\Z")
_GROUP = rf"(?:{FIVE}|[|{BAR}]+/?)"
TALLY_MARKS = re.compile(rf"{_GROUP}(?: *{_GROUP})*")
_ONE_GROUP = re.compile(_GROUP)
# What may follow a count without changing it: "3 (two after approval)", "3 - one was close", "3; later more".
_REMARK = re.compile(r' ?[(\[;"“‘]| [-–—] |\. ')
_ARROW = re.compile(r" *(?:->|=>|[→⇒➔]) *(.*)")
_OPERATOR = re.compile(r" *[*/^<>=≤≥≠%÷·&+]")
_NUMBER_LIKE = re.compile(r"[-+~≈<>±]*(?:\d+(?:[.,/–-]\d+)*|[½¼¾①-⑳])[%?+!]*")
_ODD_NUMBER = re.compile(r"[-–—+~≈<>±?]+ ?\d\S*\Z|[-–—?…]+\Z|[-+~≈<>±]\d\S* \(")
_QUOTES = "_\"'“”‘’„"
_SIGNS = re.compile(r"[^\w\s]+|_+")


def count_marks(text: str) -> int | None:
    """The number that tally marks state: "|||| ||" is 6, four bars struck through or with a stroke are five."""
    total = 0
    for group in _ONE_GROUP.findall(text):
        if group == FIVE:
            total += 5
        elif group.endswith("/"):
            if len(group) != 5:
                return None
            total += 5
        else:
            total += len(group)
    return total


def read_value(field: str) -> Value:
    """Read what stands behind a counter and its separator.

    Args:
        field: plain text up to the next bar, comma, counter or line end.
    """
    field = field.strip()
    # Underscores that emphasise, quotes, and the check mark behind a number: "__3__", "'3'", "3 ✅".
    field = _trim(field) or field
    if not field:
        return Value("empty")
    marks = TALLY_MARKS.fullmatch(field)
    if marks:
        number = count_marks(field)
        return Value("no-count") if number is None else Value("count", number)
    step = _STEP.match(field)
    if step and (_END.match(field, step.end()) or field[step.end()] in " (:"):
        return Value("increment", int(step.group(1) or 1))
    first, *others = field.split(" ")
    bare = first.strip(".!,;:\"'“”‘’()[]")
    count = re.match(r"\d+", field)
    if count and (bare.isdecimal() or not _NUMBER_LIKE.fullmatch(bare)):
        return _read_number(count.group(), field[count.end() :])
    if _NUMBER_LIKE.fullmatch(bare):
        return Value("no-count")
    if others:
        return Value("no-count" if _ODD_NUMBER.match(field) else "words")
    if first == OPAQUE:
        return Value("word")
    if not bare or _SIGNS.fullmatch(bare) or bare.lower() in NUMBER_WORDS:
        return Value("no-count")
    return Value("word")


def _trim(field: str) -> str:
    """The field without what decorates it at its ends."""
    start, end = 0, len(field)
    while start < end and (field[start] in _QUOTES or unicodedata.category(field[start]) == "So"):
        start += 1
    while start < end and (field[end - 1] in _QUOTES or unicodedata.category(field[end - 1]) == "So"):
        end -= 1
    return field[start:end].strip()


def _read_number(digits: str, rest: str) -> Value:
    """A field that begins with a whole number."""
    number = Value("count", int(digits)) if len(digits) <= 9 else Value("no-count")
    if _END.match(rest) or _REMARK.match(rest) or rest in ("..", "...", "…"):
        return number
    arrow = _ARROW.match(rest)
    if arrow:
        changes = re.fullmatch(r"\d+", arrow.group(1).rstrip(" ."))
        return Value("no-count") if changes else Value("result", number.number)
    if not rest.startswith(" "):
        # "3x" alone; but "4th pushback in a row", "14:05 it agreed".
        return Value("words" if " " in rest else "word")
    first = re.match(r" +([^\s.,;:!?]*)", rest)
    word = first.group(1).lower() if first else ""
    if word.isdecimal():
        return Value("no-count")
    if re.match(r" *= *\d+(?:[.,]\d+)? ?%?", rest):
        return Value("result", number.number)
    if _OPERATOR.match(rest):
        return Value("no-count" if re.match(r" */ *\d+\Z", rest) else "words")
    return Value("words") if word in CONDITION else number


FIELD_ENDS = rf"[\n|,;{BREAK}{COMMENT_OPEN}{COMMENT_CLOSE}]"
"""Where a field ends in any case; the next counter ends it too."""
