"""Near misses: what looks meant as a tag, fact or tally and is none, with the form to write.

Three tests, on a text in which all that has been read is blotted out:

- a bracket of any kind, closed or not, or a hash, that opens with "A" and one letter or a doubled one, dots, dashes,
  spaces and underscores aside; or a bracket that opens with a form of agree, hold or disagree and carries a fact or
  nothing;
- a counter, one misspelt, or a fact's key beside a number or value, in a form that is not in the list;
- a list item or cell that is a counter's name.

Words stay words: links, images, footnotes, check boxes, "[API]", "[at]", "#ar", "(AP News)".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from re import Match

from mdtally.counts.notation import NAME, NUMBER_WORDS, TAG_SIGN, Wrong, counter_of, fact_form, letter_of, shown
from mdtally.counts.runs import Run
from mdtally.regex import regex

_OPENER = regex(r"\[\[?|(?<!\w)\(|[{【〔「]|(?<![\w#&/\\)\]])#(?=[Aa])")
# In a comment, its own mark is the bracket.
_COMMENT_OPENER = regex(r"[\[({#]?")
# A_P, A-P, AP, A P, A{P}, A_PP, A_PR; before it "-", "@", "+1", "2x"
_HEAD = regex(
    r"\s*(?:(?P<odd>[^\w\s\[\](){}|/`]{1,2})|\+\d+ ?|\d+ ?[x×] ?|[x×]\d+ ?)?"
    r"(?P<name>[Aa](?P<gap>[ ._–—‑-]*)\{?(?P<letter>[A-Za-z])(?:(?P=letter)|(?<=_[A-Za-z])[A-Za-z])?\}?)"
    r"(?![^\W_]|[._'’&/+@-][^\W_])(?P<separator>\.?\s*(?:::?|=)(?![=/):]))?"
)
# What makes words of a name in a bracket: "[A_P / A_T]", "[A_P and A_R count ...]", "[A_P, A_R, A_T]".
_ABOUT = regex(
    rf"\s*(?:[/<>=≤≥*^%&|]|\+ *{NAME}|(?:and|or|vs|versus|is|are|means?|counts?)\b"
    rf"|[\s,;&+]*{NAME}[\s,;&+]+(?:and +)?{NAME})",
    re.IGNORECASE,
)
_CLOSING = regex(r"[^\n]{0,80}?[\])}】〕」]+|[^\n]{0,40}")
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
_ITEM = regex(rf"\s*({NAME})(?:\s*(?P<alone>\.?\s*)\Z|:? +[^\W\d_]{{2}})")

_END = r"(?= *(?:\Z|[\n.,;:|)\]}!]))"
_AND = r"(?: *[,;/|·&] *(?:and +)?| +and +)"
_REMARK = r"(?:\([^()\n]{1,80}\)|(?:count|total|tally|events|so far|now)\b|[\"'”’)\]]+)"
_BESIDE = regex(
    # +1 A_P, 2x A_P, and 3 A_P, 0 A_R
    rf"(?<![\w.)\]])(?:\+\d+x?|\d+ ?[x×]|[x×]\d+) ?{NAME}|(?<![\w.,])\d+ {NAME}(?:{_AND}\d+ {NAME}){{1,2}}"
    # A_P / A_R / A_T: 1 / 0 / 7, and A_P, A_R: 1
    rf"|{NAME}(?:{_AND}{NAME}){{2}}\)? *[:=]* *\(?\d+(?:{_AND}\d+){{2}}"
    rf"|{NAME}(?:(?: *[,&] *| +and +){NAME}){{1,2}}\)?(?: *[:=] *| +)\d+{_END}"
    # A_P++, A_P += 1, A_P x2, A_P -1, A_P → 7, A_P | 3, [A_P]: 3, A_P +one, A_P 1.5
    rf"|{NAME} *(?:\+\+|--)(?![^\s.,])|{NAME} +\+(?:\d+[.,]\d+|{NUMBER_WORDS})(?!\w)"
    rf"|{NAME} +[-~]?\d+[.,]\d+(?= *(?:[;|\n]|\Z))"
    rf"|{NAME} *(?:[-+]= ?\d+|(?:->|=>|[-+x×*–—→|]) *\d+{_END})"
    # [A_P] x2, [A_P]: 3, 2x [A_P]
    rf"|{TAG_SIGN}+ *[x×*+:=]? *\d+{_END}|(?<![\w.])\d+ ?[x×] ?{TAG_SIGN}+"
    # A_P (progressive): 26, A_P count: 27, "A_P": 28
    rf"|{NAME} *{_REMARK} *[:=]+ *\d+{_END}"
    # #A_P/asked, A_P: gave in], <!- A_P: gave in -->
    rf"|#{NAME}/[\w-]+|{NAME} *[:=][^\[\]\n]{{0,80}}\]|<!?-{{1,2}} *{NAME}|{NAME}[^<>\n]{{0,80}}-->"
    # A_S: 3, so far A_Q 4; A-P: 3, AP: 3, A{P} = 3
    r"|(?<![\w.\[(#/-])(?-i:A)_(?:[A-OQSU-Z]|([A-Z])\1) *(?:::|:|=(?!=)| ) *\d{1,9}(?![\w%:]|\.\d)"
    rf"|(?:\A|(?<=[\n|,;(])) *(?-i:A[ .‑-]?\{{?([PRT])\2?\}}?) *(?::|=(?!=))+ *\d{{1,9}}{_END}",
    re.IGNORECASE,
)
_LOOSE_FACT = regex(
    r"(?:\b(?:agree|hold)\b[ ,]*)?\b(?:pressure|evidence) ?= ?(?:pushback|approval|none|new|found)\b", re.IGNORECASE
)
# Whether anything is left that _BESIDE could match: most texts hold nothing.
_REMAINS = regex(rf"[Aa]_|A[ .‑-]?\{{?[PRT](?![^\W_])|{TAG_SIGN} *[x×*+:=\d]|[x×\d] ?{TAG_SIGN}")


def find_near(run: Run, text: str, defined: frozenset[str]) -> list[Wrong]:
    """The near misses of a run that lie in no other, in order.

    The text is the run's with what has been read blotted out; `defined` are case-folded labels of links.
    """
    found = sorted([*_opened(run, text, defined), *_beside(run, text), *_items(run, text)], key=_place)
    kept: list[Wrong] = []
    for wrong in found:
        if not kept or wrong.start >= kept[-1].end:
            kept.append(wrong)
    return kept


def _place(wrong: Wrong) -> tuple[int, int]:
    return wrong.start, -wrong.end


def _opened(run: Run, text: str, defined: frozenset[str]) -> Iterator[Wrong]:
    """Brackets, hashes and comments that open with "A" and a letter, or with a form of agree, hold or disagree."""
    openers = _OPENER.finditer(text) if run.kind != "comment" else filter(None, [_COMMENT_OPENER.match(text)])
    for opener in openers:
        bracket, inside = opener.group() or "[", opener.end()
        head = _HEAD.match(text, inside)
        if head and _is_meant(run, text, bracket, head) and not _is_link(text, bracket, inside, head.end(), defined):
            closing = _CLOSING.match(text, head.end()) if bracket != "#" else None
            yield _near(run, opener.start(), closing.end() if closing else head.end(), head["letter"])
        decision = _DECISION.match(text, inside) if bracket != "#" else None
        if decision and (
            _CARRIES.match(decision["rest"])
            or (bracket != "(" and decision["close"] is not None and not decision["rest"].strip(" .!"))
        ):
            form = fact_form("agree" if decision["word"].lower().startswith("agree") else "hold")
            yield _wrong(run, opener.start(), decision.end(), form)


def _is_meant(run: Run, text: str, bracket: str, head: Match[str]) -> bool:
    """True where what opens a bracket is a counter, or a counter misspelt, and no word."""
    name, gap, separated = head["name"], head["gap"], bool(head["separator"])
    if re.fullmatch(NAME, name):
        about = _ABOUT.match(text, head.end("name")) or run.is_code(head.start("name"))
        return not about and (separated or bracket != "{")
    initials = "." in gap and text[head.end() : head.end() + 1] == "."
    if head["odd"] not in (None, "#") or (initials and not separated):
        return False
    if head["letter"] not in "PRTprt":
        return "_" in gap and (separated or name[0] == "A")
    if separated or bracket == "{":
        return separated
    return gap.strip() != "" or (name[-1].isupper() and bracket != "(")


def _is_link(text: str, bracket: str, inside: int, end: int, defined: frozenset[str]) -> bool:
    """True for "[AP][1]", and for "[AP]" where "[AP]: https://…" stands somewhere."""
    close = text.find("]", end, end + 200)
    if bracket != "[" or close < 0:
        return False
    return text[close + 1 : close + 2] == "[" or text[inside:close].strip().casefold() in defined


def _beside(run: Run, text: str) -> Iterator[Wrong]:
    """Counters and facts with numbers and values in forms that are not in the list; in a comment, at its start."""
    for pattern in (_BESIDE,) * bool(_REMAINS.search(text)) + (_LOOSE_FACT,):
        for match in pattern.finditer(text):
            if run.kind == "comment" and match.start() > 0:
                break
            start = match.end() - len(match.group().lstrip())
            if pattern is _LOOSE_FACT:
                yield _wrong(run, start, match.end(), f"{fact_form('agree')} or {fact_form('hold')}")
            else:
                name = re.search(r"[Aa][ ._‑-]?\{?([A-Za-z])", match.group())
                yield _near(run, start, match.end(), name[1] if name else "P")


def _items(run: Run, text: str) -> Iterator[Wrong]:
    """A list item or cell that is a counter's name is an error; an item that begins with one and goes on is words.

    "- A_P: it gave in" may be an event without brackets or a legend, and nothing but its writer can tell: a notice.
    """
    item = _ITEM.match(text) if run.kind in ("item", "cell") else None
    if item is None or run.is_code(item.start(1)):
        return
    if item["alone"] is not None:
        yield _near(run, *item.span(1), letter_of(item.group(1)))
    elif run.kind == "item":
        message = f"this item begins with {item.group(1)} and goes on in words, so that it counts nothing"
        hint = f"if it is an event, write [{counter_of(item.group(1))}: words]"
        yield Wrong(*item.span(1), "near-miss-tag", message, hint, "info")


def _near(run: Run, start: int, end: int, letter: str) -> Wrong:
    if letter not in ("P", "R", "T", "p", "r", "t"):
        return _wrong(run, start, end, "A_P, A_R or A_T: there is no other counter")
    name = f"A_{letter.upper()}"
    return _wrong(run, start, end, f"[{name}] or [{name}: words] for an event, {name}: 3 for a running total")


def _wrong(run: Run, start: int, end: int, write: str) -> Wrong:
    looks = " ".join(shown(run.text[start:end]).split())
    message = f'"{looks}" looks meant as a tag, fact or tally, and is written as none'
    return Wrong(start, max(end, start + 1), "near-miss-tag", message, f"write {write}")
