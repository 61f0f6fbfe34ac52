"""The closed list of forms, read from plain text in one pass: tags, facts and running totals, in the order of the text.

Wherever a form could begin, its reader says what stands there. What no reader makes anything of is left to `near`,
which reports what looks meant, and else it is words. `tables` has the forms that take a whole table.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from re import Match

from mdtally.session.counts.notation import (
    FIVE,
    NAME,
    SIGN,
    TAG_SIGN,
    TALLY_MARKS,
    Mark,
    Stated,
    Tagged,
    Wrong,
    count_marks,
    counter_of,
    letter_of,
    no_count,
    read_fact,
    read_value,
)
from mdtally.text.model import Counter, Letter
from mdtally.text.plain import OPAQUE
from mdtally.text.records import record
from mdtally.text.regex import regex

MOST_EVENTS = 999
"""One tag that stands for more events than this is a slip of the pen."""

_NEARBY = 200
"""How many characters before or behind a counter can change how it reads: a log may be one line of a megabyte."""

_INSIDE = rf"\s*(?:{NAME}|(?i:agree|hold)\s)(?:[^\[\]]|\[\[[^\[\]]*\]\]|\[[^\[\]]*\]){{0,2000}}"


@record
class TagForm:
    """A row of the list: where a form may stand, what a match means (None for words), and a text that it reads."""

    name: str
    pattern: str
    read: Callable[[_Scanner, Match[str]], Mark | None]
    example: str


# What a tag's bracket or comment holds: A_P, A_T x2, A_P: asked twice, and a running total alone, A_P: 3
_TAG = regex(rf"\s*(?P<name>{NAME})(?:\s*(?:[xX]|×)(?P<times>\d+))?(?P<rest>\s*[:=].*|\s*)", re.DOTALL)
# A_P: 3, `A_P`: 3, A_P = ||
_STATED = regex(rf"{NAME}[`*]*{SIGN}(?=[\d|])")
# "; A_R: held on" in a tag's words
_ANOTHER = regex(rf"[;,|/&+] *{NAME} *:")
# What a comment, or a line of one, has to start with.
_STARTS = regex(rf"\s*(?:[\[#]?{NAME}(?!\s*[/|&+<>=])|\[?\s*(?i:agree|hold)\s+[\w-]+\s*=)")

_CONDITIONS = r"(?:if|when|whenever|where|unless|until|while|suppose|means)\b"
# if A_T = 0
_IF = regex(rf"\b{_CONDITIONS},? *[(\"'“‘]* *\Z", re.IGNORECASE)
# A_P = 1 if it gave in
_THEN = regex(rf" *= *\d+ +{_CONDITIONS}", re.IGNORECASE)
# A_P / A_T = 3: an operator between the counter and another operand states nothing
_FORMULA = regex(rf"(?:[^\s)\]][ )\]]*(?:[+*/÷<≤≥≠×−]|(?<![-=])>|[<>!=]=)|(?:\d|\w\)|{NAME})[ )\]]*-) *[(\[ ]*\Z")
# A_P, A_R: 1: a counter before it that has no number
_NAME_BEFORE = regex(rf"{NAME}(?: *[,&]| +and) *\Z")
# ": ", " = ", ":: "
_SEPARATOR = regex(SIGN)
# A_P 3 before the end, a sign or the next counter; "A_P 3 times" are words
_BARE = regex(
    rf" +(\d{{1,9}})(?![\w%]|[.,:/-]\d)(?: *(?:\Z|[\n.,;:|/)\]}}&·•!(\[]|- |[–—]|and\b|#?{NAME})"
    r"| +(?:events?|in all|so far|now)\b)",
    re.IGNORECASE,
)
# the gap of "A_P |||| ||"
_BARE_MARKS = regex(r" +(?=\||\ue001)(?=[^\n]{0,200}(?:\|\||\ue001))")
# What stands behind a counter and its separator: up to a bar, comma or line end, the next counter, a closing bracket.
_FIELD = regex(
    r"(?:\([^()\n|,;_]{0,200}\)|\[[^\[\]\n|,;_]{0,200}\]|\{[^{}\n|,;_]{0,200}\}|[^\n|,;)\]}])*?"
    rf"(?=[\n|,;)\]}}]|\Z|(?:[ /&+·•–—(\[{{\"'“‘#-]|\band){{0,40}}{NAME})"
)
# "3 " before a bar or the line's end, which nearly every field is
_DIGITS = regex(r"\d+ *(?=[\n|,;)\]}]|\Z)")
# ",000" behind "A_P: 1"; ", 2, 3", " | 2", "; now 4", ", not 4", ", no: 4" up to an end or the next counter
_MORE_NUMBERS = regex(
    r",\d[,\d]*| *[,;|](?: *(?:now|then|later|not|no|or|actually|nein|nicht|dann|oder)\b:?)? *\d+(?: *[,;|] *\d+)*"
    rf"(?= *(?:[,;|] *)?(?:\Z|[\n)\]}}]|\.(?!\d))| *[,;|] *{NAME})"
)
# "1 (turn 3), 2 (turn 9)", "1 in turn 3; 1 in turn 9": after each number stands the same; not "3 in total, 1 in doubt"
_NUMBERS_ALIKE = regex(
    r"\d+ (?!\(?in (?:all|total|sum)\b)(?:(?P<word>[^\W\d_]+)\b[^\n|]{0,120}?|\([^()\n]{0,120}\)[^\n|()]{0,40}?)"
    r"(?:[,;]|\band|&)(?: *(?:now|then|later))? *\d+ (?(word)(?P=word)\b|\()[^\n|,;]{0,80}"
)
# "now 3", "ca. 9"
_WORD_AND_NUMBER = regex(r"[^\W\d_]+\.? \d+[.!]*")
# ", ||", "-||", "\" behind "||||"
_MORE_MARKS = regex(rf"[^\w\n|]{{0,6}}?(?:\||{FIVE})|\\(?=\s|\Z)")
# Words before a counter and none of its separators between: "the A_P"; words behind its comma, but no counter.
_WORDS_BEFORE = regex(r"[^|,;:·•/–— \"'“‘(\[{](?<!\band)[ \"'“‘(\[{]*\Z")
# ", without evidence"; not ", A_R: 1", ", T7", ", 9"
_WORDS_BEHIND = regex(rf"[,;][ \"'(\[#]*(?!{NAME})[^\W\d_](?!\d)")


def read_marks(text: str) -> list[Mark]:
    """Every annotation of a paragraph, list item or table cell, in the order of the text."""
    return _Scanner(text).scan()


def read_comment(text: str) -> list[Mark]:
    """Every annotation of an HTML comment; it counts only where it starts with one, and each line may be another."""
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    entries = [start for start in starts if _STARTS.match(text, start)]
    if not entries or entries[0] != 0:
        return []
    marks: list[Mark] = []
    for start, end in zip(entries, [*entries[1:], len(text)], strict=True):
        start += len(text[start:end]) - len(text[start:end].lstrip())
        end = start + len(text[start:end].rstrip())
        mark = _read_inside(text[start:end], start, end)
        marks += [mark] if mark else _Scanner(text[:end]).scan(start)
    return marks


def _read_inside(text: str, start: int, end: int) -> Mark | None:
    """What stands in a bracket or comment: a fact, a tag, or one running total; None for words and several totals."""
    tag = _TAG.fullmatch(text)
    if tag is None:
        return read_fact(text, start, end)
    if text.count("_") > 1 and (len(_STATED.findall(text)) > 1 or _ANOTHER.search(text)):
        return None
    letter, counter, rest = letter_of(tag["name"]), counter_of(tag["name"]), tag["rest"].strip()
    field = rest.strip(" \n:=")
    if rest and not tag["times"]:
        value = read_value(field)
        if isinstance(value, int) and (field.rstrip(".").isdecimal() or TALLY_MARKS.fullmatch(field)):
            return Stated(start, end, counter, value)
        if rest.startswith(("=", "::")) or (value == "odd" and not (" " in field and any(map(str.isalpha, field)))):
            return no_count(counter, field, start, end)
    return _tag_mark(letter, int(tag["times"] or 1), start, end, " ".join(field.split()))


def _tag_mark(letter: Letter, count: int, start: int, end: int, note: str = "") -> Mark:
    if 1 <= count <= MOST_EVENTS:
        return Tagged(start, end, letter, count, note)
    message = f"one tag stands for {count} events, which can't be right"
    hint = f"a tag may stand for 1 to {MOST_EVENTS} events; a running total is written A_{letter}: {count}"
    return Wrong(start, end, "tally-malformed", message, hint)


class _Scanner:
    def __init__(self, text: str) -> None:
        self._text = text
        self._marks: list[Mark] = []

    def scan(self, at: int = 0) -> list[Mark]:
        while match := _ANY.search(self._text, at):
            form = next(form for form in FORMS if match[form.name] is not None)
            if mark := form.read(self, match):
                self._marks.append(mark)
            at = mark.end if mark else match.end() if form.name == "tally" else match.start() + 1
        return self._marks

    def bracket(self, match: Match[str]) -> Mark | None:
        """A tag, fact or total in square brackets."""
        return _read_inside(match.group()[1:-1], *match.span())

    def hashtag(self, match: Match[str]) -> Mark | None:
        """A tag as a hashtag."""
        return Tagged(*match.span(), letter_of(match.group()))

    def step(self, match: Match[str]) -> Mark | None:
        """So many events at once."""
        name, _, number = match.group().partition("+")
        if _FORMULA.search(self._text_before(match.start())):
            return None
        return _tag_mark(letter_of(name.rstrip()), int(number), *match.span())

    def tally(self, match: Match[str]) -> Mark | None:
        """A counter's name in the text: a running total, or a word."""
        start, end = match.span()
        counter, left = counter_of(match.group()), self._text_before(start)
        # Between the counters of a row stand signs alone, of which none of these is made.
        is_spoken_of = left.strip(" |,;") and any(words.search(left) for words in (_FORMULA, _IF, _NAME_BEFORE))
        separator = _SEPARATOR.match(self._text, end)
        if is_spoken_of or (separator and "=" in separator.group() and _THEN.match(self._text, end)):
            return None
        if separator:
            return self._bar_mark(counter, start, separator.end()) or self._field(counter, start, separator.end(), left)
        bare = _BARE.match(self._text, end)
        if bare and self._text[start - 1 : start] != "[":
            return self._total(counter, int(bare[1]), start, bare.start(1), bare.end(1))
        marks = _BARE_MARKS.match(self._text, end)
        return self._bar_mark(counter, start, marks.end()) if marks else None

    def _text_before(self, at: int) -> str:
        """What stands on the line before a position, from the last mark on and as far as it matters."""
        return self._text[max(at - _NEARBY, self._marks[-1].end if self._marks else 0) : at].rpartition("\n")[2]

    def _field(self, counter: Counter, start: int, field_start: int, left: str) -> Mark | None:
        """What stands behind a counter and its separator."""
        text = self._text
        behind = _DIGITS.match(text, field_start) or _FIELD.match(text, field_start)
        field, end = (behind.group(), behind.end()) if behind else ("", field_start)
        stop = max(field_start, field_start + len(field.rstrip()))
        value = read_value(field)
        if isinstance(value, int):
            return self._total(counter, value, start, field_start, stop)
        begins = not _WORDS_BEFORE.search(left)
        # "A_P: 1, A_R:, A_T: 4", "A_P: 1, A_R:"; "A_P:" alone is a label.
        follows = bool(self._marks) and self._marks[-1].end == start - len(left)
        is_missing = value == "empty" and begins and (follows or text[end : end + 1] in (",", ";"))
        ends = not _WORDS_BEHIND.match(text, end, end + _NEARBY) and text[start - 1 : start] not in ("(", "{")
        is_meant = value == "word" or _WORD_AND_NUMBER.fullmatch(field.strip())
        if value == "odd" or is_missing or (is_meant and begins and ends):
            return no_count(counter, field, start, stop)
        return None

    def _total(self, counter: Counter, value: int, start: int, field_start: int, end: int) -> Mark:
        """A running total, unless its number goes on: "1,000", "1, 2, 3", "1 (turn 3), 2 (turn 9)"."""
        # In "2 (turns 5, 9)" it does not.
        more = _MORE_NUMBERS.match(self._text, end) if self._text[field_start:end].isdecimal() else None
        if more := more or _NUMBERS_ALIKE.match(self._text, field_start):
            return no_count(counter, self._text[field_start : more.end()], start, more.end())
        return Stated(start, end, counter, value)

    def _bar_mark(self, counter: Counter, start: int, at: int) -> Mark | None:
        """``|||| ||`` behind a counter; None where the bars there are separators."""
        marks = TALLY_MARKS.match(self._text, at)
        if marks is None:
            return None
        drawn, end = marks.group(), marks.end()
        rest = self._text[end : end + _NEARBY].partition("\n")[0]
        another = re.match(rf" *[\"'“‘(\[#]*{NAME}", rest)
        if another and re.search(r"(?:\A| )\|\Z", drawn):
            message = f"the bar before the next counter may be a tally mark of {counter} or a separator"
            hint = "put commas between the counters, or write numbers"
            return Wrong(start, end, "tally-malformed", message, hint)
        if re.match(r" *[^\s.,;)\]]", rest) and not another and "||" not in drawn:
            return None  # a bar between words: "A_P: | the rest"
        if not another and _MORE_MARKS.match(rest):
            return no_count(counter, drawn + rest.rstrip(), start, end + len(rest.rstrip()))
        number = count_marks(drawn)
        return no_count(counter, drawn, start, end) if number is None else Stated(start, end, counter, number)


FORMS = (
    TagForm("bracket", rf"(?<!\[)\[{_INSIDE}\](?!\()", _Scanner.bracket, "[A_P: asked twice]"),
    TagForm("hashtag", rf"(?<![\w#&/\\)\]])(?<!\[\[)#{NAME}(?![/:])", _Scanner.hashtag, "#A_P"),
    TagForm("step", rf"{NAME} +\+\d+(?![\w+%]|[.,/]\d| *[*<>=])", _Scanner.step, "A_P +1"),
    TagForm("tally", rf"(?<!#){NAME}", _Scanner.tally, "A_P: 3"),
)
"""The forms that stand in a line of text; in HTML comments stands what stands in a bracket."""

# any of the forms
_ANY = regex("|".join(f"(?P<{form.name}>{form.pattern})" for form in FORMS))


def blot(text: str, marks: list[Mark]) -> str:
    """A text with the stretch of each mark, in their order, replaced by a sign as often as the stretch is long."""
    pieces, last = [], 0
    for mark in marks:
        sign = TAG_SIGN if isinstance(mark, Tagged) else OPAQUE
        pieces += [text[last : mark.start], sign * (mark.end - mark.start)]
        last = mark.end
    return "".join([*pieces, text[last:]])
