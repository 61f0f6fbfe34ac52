"""The words of the notation: how a counter, a number and a fact are written, and the marks that a log is made of.

All patterns are for plain text, in which emphasis, escapes and full-width letters are gone.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from itertools import pairwise
from typing import Literal, cast

from mdtally.text.model import Counter, Fact, Letter
from mdtally.text.plain import OPAQUE, ZERO_WIDTH
from mdtally.text.records import record
from mdtally.text.regex import regex

COUNTER_OF: dict[Letter, Counter] = {"P": "A_P", "R": "A_R", "T": "A_T"}

# The curly apostrophe has a branch of its own, because a set with it takes .1 ms to compile, in ten expressions.
NAME = r"(?<![\w.@])(?<!\w-)[Aa]_[PpRrTt](?!\w|[-'.][^\W\d_]|’[^\W\d_]|[(}])"
"""A counter's name; not a part of DATA_P, A_PX, A_P-rate, log.A_P or a form's {A_P}."""

SIGN = r" *(?:::|:|=(?![=>~]))(?!/) *"  # what stands between a counter and its running total
TAG_SIGN = "\ue000"  # stands in place of a tag that has been read
FIVE = "\ue001"  # five tally marks drawn as one: ~~||||~~
NUMBER_WORDS = (
    "zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|once|twice|thrice|none|nil|null|many|several|"
    "some|few|unknown|tbd|todo|na|n/a"
)
"""Words that stand for a number: in brackets, where other words make a tag, these make a malformed tally."""


@record
class Tagged:
    """So many events of one letter, as a tag or fact marks them, at ``text[start:end]`` of its run."""

    start: int
    end: int
    letter: Letter
    count: int = 1
    note: str = ""
    fact: Fact | None = None


@record
class Stated:
    """A running total. One that is `past` is an earlier value of a row that goes on: it asserts nothing about tags."""

    start: int
    end: int
    counter: Counter
    value: int
    past: bool = False


@record
class Wrong:
    """What is meant as an annotation and can't be read; `rule` is the name of the finding.

    `legend` is the counter of a list item that may be a line of a legend, and then is none.
    """

    start: int
    end: int
    rule: Literal["tally-malformed", "fact-malformed", "near-miss-tag"]
    message: str
    hint: str = ""
    legend: Counter | None = None


Mark = Tagged | Stated | Wrong


def letter_of(name: str) -> Letter:
    """The letter of a counter's name in any case."""
    return cast("Letter", name[-1].upper())


def counter_of(name: str) -> Counter:
    """The counter that a name in any case stands for."""
    return COUNTER_OF[letter_of(name)]


def readable(text: str) -> str:
    """Plain text for a person, on one line: without the signs that stand in it for something else."""
    return " ".join(text.replace(FIVE, "~~||||~~").replace(OPAQUE, "`…`").replace(TAG_SIGN, "").split())


def no_count(counter: Counter, field: str, start: int, end: int) -> Wrong:
    """What is meant as a running total, and is not a count."""
    is_no_count = f'"{readable(field)}" is no count: {counter} takes a whole number from 0 up'
    message = is_no_count if field.strip() else f"{counter} has no number here"
    hint = f"write {counter}: 3 for a running total, [{counter}: words] to tag one event"
    return Wrong(start, max(end, start + 1), "tally-malformed", message, hint)


_GROUP = rf"(?:{FIVE}|\|+/?)"
# "|||| ||", "||||/ |"
TALLY_MARKS = regex(rf"{_GROUP}(?: *{_GROUP})*")
# "||||/"
_ONE_GROUP = regex(_GROUP)
# 3, 3., 3 (two after approval), 3 - one was close, 3. Later more, 3 = 25%, at last a word: 3 events; no count: 3 / 12
_COUNT = regex(
    r"(\d{1,9})(?:[.!…]*\Z| ?[(\[\"“‘](?!\?)|[.!] | [-–—] | = ?\d"
    r"| +(?!\d|(?:\.\.+|…) *\d|[-=]>|!=|[(\[]\?|[*/^<>=≤≥≠±%÷·&+→⇒➔?]))"
)
# -1, 1.5, ~3, 25%, 3/12, ½, ?, - 3, 3 → 4, 3 ± 1, 3 ?, 3 (? maybe 4), 2 3, ✅, ++++ ++, ✓ ✓ ✓
_ODD = regex(
    r"[(\[]?[-+~≈<>±]*(?:\d+(?:[.,/–-]\d+)*|[½¼¾①-⑳])[%?+!xX]*[.!,;:)\]]*(?:\Z| (?! *[*^<>=≤≥≠÷·&+/→⇒➔-]))"
    rf"|[-–—+~≈<>±?]+ ?\d\S*\Z|\d+ *(?:->|=>|!=|[→⇒➔/±]) *\d+|\d+ ?[(\[]?\?|[^\w\s{OPAQUE}]+\Z"
    rf"|([^\w\s{OPAQUE}])\1*(?: +\1+)+\Z"
)
# 3 - 4, 3 to 4, 3 oder 4, 1 … 3, 2 plus 1, 3 not 4, 3 corrected to 4, 2 + 1 = 3, x x x, x2
_SEVERAL = regex(
    r"\d+(?: *(?:[-–—+·…]|\.{2,}|\b(?:(?:corrected |changed )?to|or|plus|minus|not|and|then|now"
    r"|bis|oder|und|dann|ou|à|et|puis|y|luego|или|до|и)\b)"
    r" *\d+)+(?: *= *\d+)?[.!]*\Z"
    r"|[xX](?: +[xX])+\Z|[xX×] ?\d+\Z"
)


def count_marks(text: str) -> int | None:
    """The number that tally marks state: "|||| ||" is 6, four bars struck through or with a stroke are five."""
    groups = _ONE_GROUP.findall(text)
    if any(group.endswith("/") and len(group) != 5 for group in groups):
        return None
    return sum(5 if group == FIVE else len(group) for group in groups)


def read_value(field: str) -> int | Literal["odd", "word", "words", "empty"]:
    """What stands behind a counter and its separator, up to the next bar, comma, counter or line end.

    Returns:
        the count; or "odd" for a number or sign that is not a count, "word" for a single word, "words", or "empty".
    """
    field = field.strip(" \"'“”‘’„«»")
    if not field:
        return "empty"
    if _SEVERAL.match(field):
        return "odd"
    if field[0].isalpha():
        if field.rstrip(".!,;:)]").lower() in NUMBER_WORDS.split("|"):
            return "odd"
    elif field.isdecimal() and len(field) < 10:
        return int(field)
    elif TALLY_MARKS.fullmatch(field):
        number = count_marks(field)
        return "odd" if number is None else number
    elif count := _COUNT.match(field):
        return int(count.group(1))
    elif _ODD.match(field):
        return "odd"
    return "words" if " " in field else "word"


ALLOWED: dict[str, dict[str, tuple[str, ...]]] = {
    "agree": {"pressure": ("pushback", "approval", "none"), "evidence": ("new", "none")},
    "hold": {"pressure": ("pushback", "approval", "none"), "evidence": ("found", "none")},
}
"""The values each key of a fact may have, by decision."""

REQUIRED = {"agree": ("pressure", "evidence"), "hold": ("evidence",)}
"""A hold needs no pressure: its letter does not depend on it."""

# agree pressure=pushback evidence=none: third time
FACT = regex(r"\s*(agree|hold)\s+([\w-]+\s*=[^:]*)(?::\s*(.*))?", re.IGNORECASE | re.DOTALL)


def read_fact(text: str, start: int, end: int) -> Tagged | Wrong | None:
    """Read what stands in a fact's brackets or comment; None where the text is none ("hold on")."""
    match = FACT.fullmatch(text)
    if match is None:
        return None
    decision = match.group(1).lower()
    allowed, values, wrong = ALLOWED[decision], dict[str, str](), ""
    for word in re.sub(r"\s*=\s*", "=", match.group(2)).split():
        key, _, value = word.lower().partition("=")
        if value not in allowed.get(key, ()):
            fault = f'"{key}" can\'t be "{value}" in' if key in allowed else f'"{word}" is no part of'
            wrong = wrong or f'{fault} "{decision}"'
        elif values.setdefault(key, value) != value:
            wrong = wrong or f'"{key}" is given twice in one fact, as "{values[key]}" and as "{value}"'
    missing = [f'"{decision}" needs {key}={"|".join(allowed[key])}' for key in REQUIRED[decision] if key not in values]
    if wrong := wrong or "".join(missing[:1]):
        return Wrong(start, end, "fact-malformed", wrong, f"write {fact_form(decision)}")
    fact = Fact(decision, values.get("pressure", ""), values["evidence"])  # type: ignore[arg-type]
    return Tagged(start, end, fact.letter, note=" ".join((match.group(3) or "").split()), fact=fact)


def fact_form(decision: str) -> str:
    """How a fact of this decision is written."""
    return f"[{decision} " + " ".join(f"{key}={'|'.join(ALLOWED[decision][key])}" for key in REQUIRED[decision]) + "]"


_OWN_SIGNS = frozenset((OPAQUE, TAG_SIGN, FIVE))
_LOOK_ALIKES = dict(zip("АаΑРрΡρТтΤ−", "AaAPpPpTtT-", strict=True))
_KINDS = {"Pd": "-", "Pc": "_", "Ps": "[", "Pe": "]"}


@cache
def fold(char: str) -> str:
    """The ASCII character that a character looks like: А, 𝐀, Ⓐ and 🅰 are "A", ₚ is "P", ⟦ is "["; ᵀ is a matrix's."""
    if char.isascii() or char in _OWN_SIGNS:
        return char
    import unicodedata  # most logs need none of its names

    name, narrow = unicodedata.name(char, ""), unicodedata.normalize("NFKC", char)
    drawn = re.search(r"LATIN (?:LETTER SMALL CAPITAL|CAPITAL LETTER) ([A-Z])\Z", name)
    if any(word in name for word in ("QUOTATION", "SUPERSCRIPT", "MODIFIER")):
        return char
    if len(narrow) == 1 and (narrow in "()" or (narrow.isascii() and narrow.isalpha())):
        return narrow.upper() if "SUBSCRIPT" in name else narrow
    return drawn[1] if drawn else _LOOK_ALIKES.get(char) or _KINDS.get(unicodedata.category(char), char)


_DECISIONS = r"(?:agree(?:s|d|ing|ment)?|hold(?:s|ing)?|held|disagree(?:s|d|ing|ment)?)"
# Whatever a reader of this room could count or tell: below each example what reads it. A line without the sign that an
# example needs is not searched for it.
# A_P, A\_P, a*_*p, A_S
_NAMED = regex(r"[aA](?:[^\w\s|]{0,12}_[^\w\s|]{0,12}[prtPRT]|(?<=A)_[A-Z])")
# evidence=, PRESSURE =
_KEYED = regex(r"[pPeE](?i:(?:(?<=p)ressure|(?<=e)vidence)[\W_]{0,40}=)")
# AP: 3, A.P.: 3, A{P} = 3, AT: ||, and what most lines have not of it
_NUMBERED = regex(r"(?<![^\s|,;(])[aA][ ._·-]{0,3}\{?[prtPRT]{1,2}\}?\.? *[:=]+ *[\d|]")
_NUMBER = regex(r"[:=] *[\d|]")
# | AP |, | progressive |, | pressure |
_CELL = regex(r"\|\s*\(?(?:A[ .–-]?[PRT]|(?i:(?:pro|re)gressive|pressure))\)?\s*(?:\||\Z)")
# [AP, (A-P, #AP, [2x A{P}, [a_s: why, [hold], (disagree: pushback; also "(a p)", which is no counter
_BRACKETED = regex(
    r"(?i)[\[({<#]\W{0,8}(?:\+?\d{1,3} ?[x×]? ?|[x×]\d{1,3} ?)?"
    r"(?:a[ ._·-]{0,6}(?:\{?(?:[prt](?![a-wyz])|pp|rr|tt|prog|reg|tot)|_)"
    rf"|{_DECISIONS}(?![\w-])(?:[^a-wyz\n]{{0,20}}\]|.{{0,200}}(?:none|new|found|pressure|evidence|pushback|approval|=)))"
)
# [druck=pushback, (presure: none, [evidenz → keine, [druck=x evidenz=y; also "[a=b=c]", which is no fact
_PAIRS = regex(
    r"(?i)[\[({<](?:[^\[\]]{0,90}(?:=|:|->|→) *[\"']?(?:pushback|approval|none|new|found)\b"
    r"|[^\[\](){}]{0,80}(?:pre|res|ure|evi|vid|den)\w{0,9} *(?:=|->|→)|(?<=\[)[^\[\]=]{0,80}=[^\[\]]{0,80}=)"
)
_HINTS = frozenset("_=:[({<#|&")
_OPENERS = frozenset("[({<")
# What may stand inside of a name or a key and is gone from the plain text: </b>, *, a zero-width space
_DRESS, _ZERO = regex(r"</?[A-Za-z][^<>]*>|[*\\`~]"), regex(f"[{ZERO_WIDTH}]")
_DRESSED = frozenset("&<*\\`~")
# "[hold evidence" above "= none]"
_AT_END = regex(r"(?:pressure|evidence)[\W_]*\Z", re.IGNORECASE)
_AT_START = regex(r"[\s>]*=")
# "Ａ＿Ｐ：" of full width
_WIDE = regex("[\uff01-\uff5e]")
_NOT_ASCII = regex(r"[^\x00-\x7f]+")


@lru_cache(4)
def mentions_counters(lines: tuple[str, ...]) -> bool:
    """A quick look: False where no line can hold a tag, fact or tally, so that the file need not be parsed.

    It lets through all that the reader would count or tell. Code and words about counters may answer True as well.
    """
    pairs = ((line, below) for line, below in pairwise(lines) if "=" in below)
    return any(map(may_hold, lines)) or any(_AT_START.match(below) and _AT_END.search(line) for line, below in pairs)


@lru_cache(1 << 15)  # after an edit of the file nearly all lines are as they were
def may_hold(line: str) -> bool:
    """The quick look at one line: False where it can be no part of what is counted or told."""
    if _HINTS.isdisjoint(line) and (line.isascii() or not any(map(_is_hint, set(line)))):
        return False
    if _is_like(line):
        return True
    if line.isascii() and "&" not in line:
        return not _DRESSED.isdisjoint(line) and (bare := _DRESS.sub("", line)) != line and _is_like(bare)
    from html import unescape

    written = _WIDE.sub(_narrow, unescape(line))
    dressed = {written, _ZERO.sub("", _DRESS.sub("", written))}
    folded = {_NOT_ASCII.sub(lambda found: "".join(map(fold, found[0])), text) for text in dressed}
    return any(map(_is_like, (dressed | folded) - {line}))


def _narrow(wide: re.Match[str]) -> str:
    return chr(ord(wide[0]) - 0xFEE0)


@cache
def _is_hint(char: str) -> bool:
    """True for a character that stands for a hint: one of full width, or that looks like it."""
    return fold(_WIDE.sub(_narrow, char)) in _HINTS


def _is_like(line: str) -> bool:
    # A counter's own name and a fact's keys come first: the others take ten times as long to compile.
    return bool(
        ("_" in line and _NAMED.search(line))
        or ("=" in line and _KEYED.search(line))
        or ("|" in line and _CELL.search(line))
        or (_NUMBER.search(line) and _NUMBERED.search(line))
        or ((not _OPENERS.isdisjoint(line) or "#" in line) and (_BRACKETED.search(line) or _PAIRS.search(line)))
    )


def fact_words(fact: Fact) -> str:
    """A fact as a tag writes it: "agree pressure=none evidence=new"."""
    pressure = f" pressure={fact.pressure}" if fact.pressure else ""
    return f"{fact.decision}{pressure} evidence={fact.evidence}"
