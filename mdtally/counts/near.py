"""Near misses: what looks meant as a tag, fact or tally and is none, with the form to write.

The general test: a bracket of any kind, closed or not, or a hash, whose beginning, with dots, dashes, spaces and
underscores dropped, is "A" and one letter or a doubled one; a bracket that opens with a form of agree, hold or disagree
and carries a fact or nothing. Beside it stand the other forms that people try, as a table. Words stay words: links,
images, footnotes, check boxes, "[API]", "[at]", "#ar", "(AP News)".

It works on a text in which all that has been read is blotted out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from re import Match

from mdtally.counts.notation import (
    COUNTER_OF,
    NAME,
    NUMBER_WORDS,
    TAG_SIGN,
    Wrong,
    counter_of,
    fact_form,
    letter_of,
    shown,
)
from mdtally.counts.runs import Run
from mdtally.model import Letter
from mdtally.regex import regex

_WORDS_OF_TWO_LETTERS = frozenset("AA AB AC AD AF AG AI AK AL AM AN AS AV AX AZ".split())
"""What people write in brackets that is "A" and a letter: an AI, a.m., ad, a-z. Not so with an underscore: [A_I]."""

_LETTERS: dict[str, Letter] = {"P": "P", "R": "R", "T": "T"}
_OPENER = regex(r"\[\[?|(?<!\w)\(|[{【〔「]|(?<![\w#&/\\)\]])#(?=[Aa])")
_COMMENT_OPENER = regex(r"[\[({#]?")
_HEAD = regex(
    r"\s*(?:(?P<odd>[^\w\s\[\](){}|/`]{1,2})|\+\d+ ?|\d+ ?[x×] ?|[x×]\d+ ?)?"
    r"(?P<head>[Aa](?P<gap>[ ._–—‑-]*)\{?(?P<letter>[A-Za-z])(?:(?P=letter)|(?<=_[A-Za-z])[A-Za-z])?\}?)"
    r"(?![^\W_]|[._'’&/+@-][^\W_])"
)
_SEPARATED = regex(r"\.?\s*(?:::|:|=)(?![=/)])")
# What makes words of a name in a bracket: "[A_P / A_T]", "[A_P and A_R count ...]", "[A_P, A_R, A_T]".
_ABOUT = regex(
    rf"\s*(?:[/<>=≤≥*^%&|]|\+ *{NAME}|(?:and|or|vs|versus|is|are|means?|counts?)\b"
    rf"|[\s,;&+]*{NAME}[\s,;&+]+(?:and +)?{NAME})",
    re.IGNORECASE,
)
_DECISION = regex(
    r"\s*(?P<word>agree(?:s|d|ing|ment)?|hold(?:s|ing)?|held|disagree(?:s|d|ing|ment)?)(?![\w-])"
    r"(?P<rest>[^\[\]\n(){}]{0,200})(?P<close>[\])}】]|\Z)?",
    re.IGNORECASE,
)
# A key with its value, "pushback" or "approval" at once, or nothing but keys and values.
_CARRIES = regex(
    r".*\b(?:pressure|evidence)(?:\s*[=:]|\W+(?:pushback|approval|none|new|found)\b)|\W*(?:pushback|approval)\b"
    r"|\W*(?:\b(?:pressure|evidence|none|new|found)\b\W*)+\Z",
    re.IGNORECASE,
)
_CLOSING = regex(r"[^\n]{0,80}?[\])}】〕」]+|[^\n]{0,40}")
_ITEM = regex(rf"\s*({NAME})(?:\s*(?P<alone>\.?\s*)\Z|:? +[^\W\d_]{{2}})")

_END = r"(?= *(?:\Z|[\n.,;:|)\]}!]))"
_AND = r"(?: *[,;/|·&] *(?:and +)?| +and +)"
_SEVERAL = "[A_P x2] for two events, A_P: 3 on its own for a running total"
_STEP = "NAME +1 for an event, NAME: 3 for a running total"
_ALL = "A_P: 1 | A_R: 0 | A_T: 7"
# Whether anything is left that one of the forms below could be: they are many, and most texts hold none.
_REMAINS = regex(
    rf"[Aa]_|(?:pressure|evidence) ?=|A[ .‑-]?\{{?[PRT](?![^\W_])|{TAG_SIGN} *[x×*+:=\d]|[x×\d] ?{TAG_SIGN}"
)
_FORMS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (regex(pattern, re.IGNORECASE), form)
    for pattern, form in (
        # [A_P] x2, [A_P]: 9, 2x [A_T]
        (rf"{TAG_SIGN}+ *(?:[x×*+:=] *)?\d+{_END}|(?<![\w.])\d+ ?[x×] ?{TAG_SIGN}+", _SEVERAL),
        # +1 A_P, 2x A_P, x2 A_P
        (rf"(?<![\w.)\]])(?:\+\d+x?|\d+ ?[x×]|[x×]\d+) ?(?P<name>{NAME})", _STEP),
        # #A_P/asked
        (rf"#(?P<name>{NAME})/[\w-]+", "[NAME: words]"),
        # A_P++, A_P += 1, A_P+1, A_P x2, A_P -1, A_P 1.5, A_P +one
        (
            rf"(?P<name>{NAME})(?: *(?:\+\+|--)(?![^\s.,])| *[+-]= ?\d+| *[x×*+-] ?\d+{_END}"
            rf"| +[-+~]?(?:\d+[.,]\d+(?= *(?:[;|\n]|\Z))|(?<=\+)(?:\d+[.,]\d+|{NUMBER_WORDS})(?!\w)))",
            _STEP,
        ),
        # 3 A_P, 0 A_R and 7 A_T
        (rf"(?<![\w.,])\d+ {NAME}(?:{_AND}\d+ {NAME}){{1,2}}", _ALL),
        # A_P / A_R / A_T: 1 / 0 / 7; A_P, A_R: 1
        (rf"{NAME}(?:{_AND}{NAME}){{2}}\)? *[:=]* *\(?\d+(?:{_AND}\d+){{2}}", _ALL),
        (rf"{NAME}(?:(?: *[,&] *| +and +){NAME}){{1,2}}\)?(?: *[:=] *| +)\d+{_END}", _ALL),
        # A_P (progressive): 26, A_P count: 27, "A_P": 28, A_P → 7, A_P | 3
        (
            rf"(?P<name>{NAME})(?:(?: *\([^()\n]{{1,80}}\)| +(?:count|total|tally|events|so far|now)|[\"'”’)\]]+)"
            rf" *(?::|=(?!=))+| *(?:->|=>|[–—→|])) *\d+{_END}",
            "NAME: 3",
        ),
        # <!- A_P: gave in -->, A_P: gave in -->
        (rf"<!?-{{1,2}} *(?P<name>{NAME})|(?P<closed>{NAME})[^<>\n]{{0,80}}-->", "<!-- NAME: words -->"),
        # A_P: gave in]
        (rf"(?P<name>{NAME}) *[:=][^\[\]\n]{{0,80}}\]", "[NAME: words]"),
        # hold evidence=none, without its bracket or with another word in it
        (
            r"(?:\b(?:agree|hold)\b[ ,]*)?\b(?:pressure|evidence) ?= ?(?:pushback|approval|none|new|found)\b",
            "[agree pressure=... evidence=...] or [hold evidence=...]",
        ),
        # A_S: 3, A_PP: 3, so far A_Q 4
        (
            r"(?<![\w.\[(#/-])(?-i:A)_(?:[A-OQSU-Z]|([A-Z])\1) *(?:::|:|=(?!=)| ) *\d{1,9}(?![\w%:]|\.\d)",
            "A_P, A_R or A_T: there is no other counter",
        ),
        # A-P: 3, AP: 3, A{P} = 3
        (
            rf"(?:\A|(?<=[\n|,;(])) *(?-i:A[ .‑-]?\{{?(?P<letter>[PRT])(?P=letter)?\}}?)"
            rf" *(?::|=(?!=))+ *\d{{1,9}}{_END}",
            "NAME: 3",
        ),
    )
)


def find_near(run: Run, text: str, defined: frozenset[str]) -> list[Wrong]:
    """The near misses of a run that lie in no other, in order.

    Args:
        run: where they stand.
        text: its text with what has been read blotted out.
        defined: case-folded labels that are defined as links.
    """
    found = [*_opened(run, text, defined), *_other_forms(run, text), *_items(run, text)]
    found.sort(key=lambda wrong: (wrong.start, -wrong.end))
    kept: list[Wrong] = []
    for wrong in found:
        if not kept or wrong.start >= kept[-1].end:
            kept.append(wrong)
    return kept


def _opened(run: Run, text: str, defined: frozenset[str]) -> Iterator[Wrong]:
    """Brackets, hashes and comments that open with "A" and a letter, or with a form of agree, hold or disagree."""
    if run.kind == "comment":
        openers = [(match.group() or "[", *match.span()) for match in [_COMMENT_OPENER.match(text)] if match]
    else:
        openers = [(match.group(), *match.span()) for match in _OPENER.finditer(text)]
    for bracket, start, inside in openers:
        head = _HEAD.match(text, inside)
        if head and _is_meant(run, text, bracket, head) and not _is_link(text, bracket, inside, head.end(), defined):
            letter = _LETTERS.get(head["letter"].upper())
            form = _tag_form(letter) if letter else "[A_P], [A_R] or [A_T]"
            closing = _CLOSING.match(text, head.end()) if bracket != "#" else None
            yield _near(run, start, closing.end() if closing else head.end(), form)
        decision = _DECISION.match(text, inside) if bracket != "#" else None
        if decision and (
            _CARRIES.match(decision["rest"])
            or (bracket != "(" and decision["close"] is not None and not decision["rest"].strip(" .!"))
        ):
            form = fact_form("agree" if decision["word"].lower().startswith("agree") else "hold")
            yield _near(run, start, decision.end(), form)


def _is_meant(run: Run, text: str, bracket: str, head: Match[str]) -> bool:
    """True where what opens a bracket is a counter, or a counter misspelt, and no word."""
    name, gap, letter = head["head"], head["gap"], head["letter"].upper()
    separated = _SEPARATED.match(text, head.end()) is not None
    if "." in gap and text[head.end() : head.end() + 1] == "." and not separated:
        return False  # initials
    exact = re.fullmatch(NAME, name) is not None
    if head["odd"] not in (None, "#") and not exact:
        return False  # "[@AP]"
    if letter not in _LETTERS:
        word = f"A{letter}" in _WORDS_OF_TWO_LETTERS
        return ("_" in gap and (separated or name[0] == "A")) or (separated and name[0] == "A" and not word)
    if exact and (_ABOUT.match(text, head.end()) or run.is_code(head.start("head"))):
        return False
    written = separated or any(sign in gap for sign in "._–—‑-")
    if bracket in "({":
        return separated if bracket == "{" else written
    return written or name[-1].isupper()


def _is_link(text: str, bracket: str, inside: int, end: int, defined: frozenset[str]) -> bool:
    """True for "[AP][1]", and for "[AP]" where "[AP]: https://…" stands somewhere."""
    close = text.find("]", end, end + 200)
    if bracket != "[" or close < 0:
        return False
    return text[close + 1 : close + 2] == "[" or text[inside:close].strip().casefold() in defined


def _other_forms(run: Run, text: str) -> Iterator[Wrong]:
    """Forms that are not in the closed list."""
    if not _REMAINS.search(text):
        return
    for pattern, form in _FORMS:
        for match in pattern.finditer(text):
            if run.kind == "comment" and match.start() > 0:
                break
            groups = match.groupdict()
            counter = counter_of(groups.get("name") or groups.get("closed") or groups.get("letter") or "P")
            start = match.end() - len(match.group().lstrip())
            yield _near(run, start, match.end(), form.replace("NAME", counter))


def _items(run: Run, text: str) -> Iterator[Wrong]:
    """A list item or cell that is a counter's name is an error; an item that begins with one and goes on is words.

    "- A_P: it gave in" may be an event without brackets or a legend, and nothing but its writer can tell: a notice.
    """
    item = _ITEM.match(text) if run.kind in ("item", "cell") else None
    if item is None or run.is_code(item.start(1)):
        return
    if item["alone"] is not None:
        yield _near(run, *item.span(1), _tag_form(letter_of(item.group(1))))
    elif run.kind == "item":
        message = f"this item begins with {item.group(1)} and goes on in words, so that it counts nothing"
        hint = f"if it is an event, write [{counter_of(item.group(1))}: words]"
        yield Wrong(*item.span(1), "near-miss-tag", message, hint, "info")


def _tag_form(letter: Letter) -> str:
    counter = COUNTER_OF[letter]
    return f"[{counter}] or [{counter}: words] for an event, {counter}: 3 for a running total"


def _near(run: Run, start: int, end: int, write: str) -> Wrong:
    looks = " ".join(shown(run.text[start:end]).split())
    message = f'"{looks}" looks meant as a tag, fact or tally, and is written as none'
    return Wrong(start, max(end, start + 1), "near-miss-tag", message, f"write {write}")
