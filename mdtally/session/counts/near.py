"""Near misses: what looks meant as a tag, fact or tally and is none, with the form to write.

The tests look at a text in which all that has been read is blotted out, and letters that only look Latin are Latin:

- a bracket of any kind, closed or not, or a hash, that opens with "A" and one letter or a doubled one, dots, dashes,
  spaces and underscores aside; or a bracket that opens with a form of agree, hold or disagree and carries a fact or
  nothing;
- a counter, one misspelt, or a fact's key beside a number or value, in a form that is not in the list;
- a counter's name alone: a list item or cell, the end of a line or sentence, or dressed up in the middle of one.

Words stay words: links, images, footnotes, check boxes, "[API]", "[at]", "#ar", "(AP News)", "we count A_P and A_T".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from re import Match

from mdtally.session.counts.forms import read_marks
from mdtally.session.counts.notation import (
    COUNTER_OF,
    NAME,
    NUMBER_WORDS,
    TAG_SIGN,
    Wrong,
    counter_of,
    fact_form,
    fold,
    letter_of,
    readable,
)
from mdtally.session.counts.runs import TextRun
from mdtally.text import datafiles
from mdtally.text.line_parts import EMOJI
from mdtally.text.records import replace
from mdtally.text.regex import regex

_BRACKETS = frozenset("[(<{#")
# "[", "[[", "(", "{", "{>>", "<", "【"; not the brace of a formula, as in \frac{A_P}{A_T}, nor the hash of page.html#AP
_OPENER = regex(
    r"\[\[?|(?<!\w)\(|(?<!\w)<(?=(?:[Aa]|[Hh][oe]ld|[Dd]isagree)[^<>\n]{0,80}>)|(?<![\w}^\\])\{(?:>>)?|(?<![\w#&/\\)\]])(?<!\[\[)#(?=[Aa])"
)
# In a comment, its own mark is the bracket; it may have a dash more.
_COMMENT_OPENER = regex(r"[- ]*[\[({#]?")
# A_P, A-P, AP, A P, A{P}, A_PP, A_PR, A_P2, A_Px2, A_Progressive; before it "-", "@", "+1", "2x"; behind it ":" or "="
_HEAD = regex(
    r"\s*(?:(?P<odd>[^\w\s\[\](){}<>|/`]{1,2})|\+\d+ ?|\d+ ?[x×] ?|[x×]\d+ ?)?"
    r"(?P<name>[Aa](?P<gap>[ ._·-]*)\{?(?P<letter>[A-Za-z])"
    r"(?:(?:rog|eg|ot)[a-z]{0,8}|(?P=letter)|(?<=_[A-Za-z])[A-Za-z])?\}?)"
    r"(?:[x×.]?\d{1,2})?(?![^\W_]|[._'’&@-][^\W_])(?P<separator>\.?\s*(?:::?|=)(?![=/):]))?"
)
# What makes words of a name in a bracket: "[A_P / A_T]", "[A_P and A_R count ...]", "[A_P, A_R, A_T]", "[A_P + A_R]";
# not "[A_P/A_T]"
_ABOUT = regex(
    rf"\s*+(?:(?:[<>≤≥^%&]|[=!<>]=) *\w|(?<!\w)[/*|] *\W?{NAME}|[/*|] *\W?{NAME}(?!\])"
    rf"|(?:and|or|vs|versus) +\W?{NAME}|(?:is|are|means?|counts?)\b"
    rf"|[\s,;&]*{NAME}[\s,;&]+(?:and +)?{NAME}|(?<= )\+ {NAME})",
    re.IGNORECASE,
)
# ": why]", "：why］"; a bracket that is never closed up to 40 characters on
_CLOSING = regex(r"[^\n]{0,80}?[\])}>]+|[^\n]{0,40}")
# "[agreed evidence=new]", "[hold]", "(disagree: pushback)"
_DECISION = regex(
    r"\s*(?P<word>agree(?:s|d|ing|ment)?|hold(?:s|ing)?|held|disagree(?:s|d|ing|ment)?)(?![\w-])"
    r"(?P<rest>[^\[\]\n(){}]{0,200})(?P<close>[\])}]|\Z)?",
    re.IGNORECASE,
)
# A key with its value, "pushback" or "approval" at once, or nothing but keys and values.
_CARRIES = regex(
    r".*\b(?:pressure|evidence)(?:\s*[=:]|\W+(?:pushback|approval|none|new|found)\b)|\W*(?:pushback|approval)\b"
    r"|\W*(?:\b(?:pressure|evidence|none|new|found)\b\W*)+\Z",
    re.IGNORECASE,
)
# in square brackets: "[agree no evidence]", "[hold ev=none]", "[agree]", "[agree x2]"
_MAY_CARRY = regex(r".*\b(?:pushback|(?:no|without|new) evidence)\b|.*\w *=|\W*(?:[x×]? ?\d+)?[ .!]*\Z", re.IGNORECASE)
# presure=push, evidenz: keine, pression → relance
_PAIR = r"([^\W\d_][\w-]*)\s*(==?|:|->|→)\s*[\"']?([^\W\d_]\w*)[\"']?"
# "[stimme zu druck=pushback evidenz=keine: why]": three words or none, and then nothing but keys with values
_PAIRED = regex(
    rf"\s*(?:[^\W\d_](?:\w|['’]\w){{0,20}}[\s,;:|/]+){{0,3}}(?P<pairs>(?:{_PAIR}[\s,;|/]*){{1,4}})(?:\Z|[\])}}>]|: )"
)
# "A_P" as all of an item; "A_P: it gave in", "A_P gave in", "A_P - why", "A_P (why)" as its beginning
_ITEM = regex(
    rf"\s*({NAME})(?:\s*(?P<alone>[.!?]*\s*)\Z|(?: *[:;,.!?|–—-])?(?: +|(?<=[;,|]))[^\W\d_]{{2}}"
    r"| ?\((?!(?:pro|re)gressive|total))",
    re.IGNORECASE,
)
# "10:15 A_P: asked", "[10:15] A_T – fine", "Turn 5: A_P, again", "#7 | A_R | it held", "[!note]- A_P: so",
# "5 - A_P", the heading "Turn 5 — A_P"
# no entry: "10:15 A_P stays 0", "=> A_P too high", "[!tip] A_P rate"
_ENTRY = regex(
    rf"(?<![^\n])(?:[] (@[]*(?:(?P<sign>\[!\w+\][+-]?|[-=]>|[{EMOJI}\u2190-\u21ff]+)"
    r"|(?:(?:turn|line|reply|message|msg|round|step|event|no|nr|t)\.? ?|#)\d{1,4}|\d{1,4}(?= [-–—] )"
    r"|(?:(?:\d{1,2}:\d\d(?::\d\d)?(?: ?[ap]m)?|\d{1,4}[./-]\d{1,2}[./-]\d{0,4})[ ,–-]{0,3}){1,2})[] ).:,;|=>→–—-]{1,5}"
    rf"(?P<name>{NAME})(?! *(?:(?:and|or|vs|is|are|was|were|has|had|does|means?|counts?|rates?"
    r"|events?|tags?|totals?|tall(?:y|ies)|goes|stays?|stayed|rises?|rose|unchanged)\b|/))"
    r"(?= *(?:(?P<separator>[:;,|(–—-])|(?(sign)(?!))) *[^\W\d_]{2}|(?P<end>(?(sign)(?!)) *[.,;!]*(?:\n|\Z))))",
    re.IGNORECASE,
)
# "yes!! A_P", "It gave in. A_P.", "A_P ✓", "(also A_P)"; not "we count A_P and A_T", "the rate of A_P", "3 / A_P"
_LAST = regex(rf"({NAME})(?P<end>[.!?…]*(?: *[{EMOJI}]*(?:\n|\Z|[\])](?![](\[]))| +[xX] *(?:\n|\Z)|(?<=[.!?…]) ))")
# what stands before a name that is spoken of: "the ", "A_P and ", "3 / ", "("
_SPEAKS_OF_IT = regex(
    r"(?:(?:(?<![^\W_])(?:an?|the|of|and|or|no|nor|not|each|every|any|this|that|these|per|for|to|by|from|with|is|are|"
    r"was|as|vs|versus|than|both|between|its|my|our|your|counts?|counted|counters?|called|named|raises?|if|when|only|beside|"
    r"see|like|e\.g\.|i\.e\.|ein|kein|als|das|un|une|una|le|la|el)"
    rf"|{NAME}(?: [^\W\d_]{{1,9}})? *[,;|]?|(?:[\w)]\+|(?<!\])\+ |(?<![-=])>|(?:[\d)](?<!:\d\d)|\] |{NAME}) *-"
    r"|(?<!/)/|[*<=≤≥≠×÷&])) *[\"'“‘(]*|[\"'“‘(`#])\Z",
    re.IGNORECASE,
)
# What makes words of a name in bold: "**A_P** (progressive)", "**A_P** and **A_R**", "**A_P** counts what ..."
_GOES_ON = regex(
    rf"\s*(?:[(/<>=≤≥^%&+*|,:-]|(?:and|or|vs) +\W?{NAME}|{NAME}|(?:is|are|was|means?|counts?|stands?|of|in|for|has)\b)",
    re.IGNORECASE,
)

_PARTS = {
    "{NAME}": NAME,
    "{TAG}": TAG_SIGN,
    "{AND}": r"(?: *[,;/|·&] *(?:and +)?| +and +)",
    "{NUMBER}": f"(?:{NUMBER_WORDS})",
    "{END}": r"(?= *(?:\Z|[\n.,;:|)\]}!]))",
}
# "A_P; A_T", "A_P A_P": nothing but counters' names on a line
_ONLY_NAMES = regex(rf"(?m)^[^\w\n\[(]*{NAME}(?:[ ,;/&+·|]+{NAME})+[^\w\n\])]*$")
# "1 0 7" below them
_ONLY_NUMBERS = regex(r"\n[-+=| ]*\d+(?:[ ,;/|]+\d+)+[ |]*(?:\n|\Z)")
# "TODO A_P?", "was this A_P": a comment of few words that ends with a counter's name
_SHORT_COMMENT = regex(rf"\W*(?:[\w']+[^\w\[(]+){{1,3}}({NAME})\W*")
# <td>A_P</td>, and a count in a cell
_HTML_CELL = regex(rf"<t[hd]\b[^<>]*>\s{{0,9}}(?:<\w[^<>]*>\s{{0,9}}){{0,3}}({NAME})", re.IGNORECASE)
# <td>A_P: 3</td>
_HTML_TOTAL = regex(rf"<t[hd]\b[^<>]*>\s{{0,9}}({NAME}\s?[:=]\s?\d{{1,9}})\s{{0,9}}</t[hd]", re.IGNORECASE)
_HTML_COUNT = regex(r"<td\b[^<>]*>\s*\d{1,9}\s*</td", re.IGNORECASE)
# Whether anything is left that a form of beside.txt could match: most texts hold nothing.
_REMAINS = regex(
    rf"(?<!\w)(?:[Aa]{{1,2}} ?_|(?:A[ .·-]?\{{?[PRTprt]|a-[prt])(?![^\W_]))|{TAG_SIGN} *[x×*+:=\d]|[x×\d] ?{TAG_SIGN}"
    r"|(?i:pressure|evidence) ?="
)

_EITHER_FACT = f"{fact_form('agree')} or {fact_form('hold')}"


def find_near(run: TextRun, text: str, defined: frozenset[str]) -> Iterator[Wrong]:
    """The near misses of a run that lie in no other, in order.

    The text is the run's with what has been read blotted out; `defined` are case-folded labels of links.
    """
    folded = text if text.isascii() else "".join(map(fold, text))
    candidates = [*_near_openings(run, folded, defined), *_beside(run, folded), *_bare_counters(run, folded)]
    for mark in read_marks(folded) if folded != text else ():
        is_folded = folded[mark.start : mark.end] != text[mark.start : mark.end]
        candidates += [_near(run, mark.start, mark.end, "P")] * is_folded
    end = 0
    for wrong in sorted(candidates, key=lambda wrong: (wrong.start, -wrong.end)):
        if wrong.start >= end:
            yield wrong
            end = wrong.end


def _near_openings(run: TextRun, text: str, defined: frozenset[str]) -> Iterator[Wrong]:
    """Brackets, hashes and comments that open with "A" and a letter, or with a form of agree, hold or disagree."""
    if run.kind != "comment" and _BRACKETS.isdisjoint(text):
        return
    openers = _OPENER.finditer(text) if run.kind != "comment" else filter(None, [_COMMENT_OPENER.match(text)])
    for opener in openers:
        bracket, inside = opener.group().lstrip("- ") or "[", opener.end()
        head = _HEAD.match(text, inside)
        if head and _is_meant(run, text, bracket, head) and not _is_link(text, bracket, inside, head.end(), defined):
            is_open = bracket != "#" and not head["name"].endswith("}")
            closing = _CLOSING.match(text, head.end()) if is_open else None
            yield _near(run, opener.start(), closing.end() if closing else head.end(), head["letter"])
        decision = _DECISION.match(text, inside) if bracket != "#" else None
        # It carries a fact, or nothing.
        in_square = decision and bracket not in "(<" and decision["close"] is not None
        if decision and (_CARRIES.match(decision["rest"]) or (in_square and _MAY_CARRY.match(decision["rest"]))):
            form = fact_form("agree" if decision["word"].lower().startswith("agree") else "hold")
            yield _wrong(run, opener.start(), decision.end(), form)
        paired = _PAIRED.match(text, inside) if bracket != "#" else None
        if paired and _are_facts(bracket, paired["pairs"]) and not _is_link(text, bracket, inside, inside, defined):
            yield _wrong(run, opener.start(), paired.end(), _EITHER_FACT)


def _is_meant(run: TextRun, text: str, bracket: str, head: Match[str]) -> bool:
    """True if what opens a bracket is a counter, or a counter misspelt, and no word."""
    name, gap, separated = head["name"], head["gap"], bool(head["separator"])
    if re.fullmatch(NAME, name):
        is_about = bracket != "<" and bool(_ABOUT.match(text, head.end("name")))
        is_sum = bracket == "(" and text[head.end("name") :].startswith("+")
        is_heading = bracket == "[[" and head["odd"] == "#"  # a link in a vault: [[#A_P]]
        return not (is_about or is_sum or is_heading or run.is_code(head.start("name")))
    # "[A. P. Smith]" and "(A.P. Smith)" are persons, "[A.P.]" is a tag.
    initials = (". " in gap or ("." in gap and bracket == "(")) and re.match(r"\.,? ?[A-Z]", text[head.end() :])
    if head["odd"] not in (None, "#") or (initials and not separated):
        return False
    if head["letter"] not in "PRTprt":
        return "_" in gap and (separated or name[0] == "A")
    return gap.strip() != "" or (bracket != "(" and (separated or head["letter"].isupper()))


def _are_facts(bracket: str, pairs: str) -> bool:
    """True if keys and values of a bracket are a fact's, or nearly, in any language; or if two have equals signs.

    Words such as "(evidence: strong)" are none: a colon takes a value of a fact, and in round brackets two pairs.
    """
    from difflib import get_close_matches  # takes 2 ms to import

    parts = [(key.lower(), sign, value.lower()) for key, sign, value in re.findall(_PAIR, pairs)]
    if any(value in ("pushback", "approval") for _, _, value in parts):
        return True
    near = [part for part in parts if get_close_matches(part[0], ("pressure", "evidence"), 1, 0.7)]
    if bracket == "[" and sum("=" in sign for _, sign, _ in parts) > 1:
        return True
    is_value = any(value in ("none", "new", "found") for _, _, value in near)
    return any("=" in sign for _, sign, _ in near) or (is_value and (bracket[0] == "[" or len(parts) > 1))


def _is_link(text: str, bracket: str, inside: int, end: int, defined: frozenset[str]) -> bool:
    """True for "[AP][1]", and for "[AP]" where "[AP]: https://…" stands somewhere."""
    close = text.find("]", end, end + 200)
    if bracket != "[" or close < 0:
        return False
    return text[close + 1 : close + 2] == "[" or text[inside:close].strip().casefold() in defined


@cache
def _beside_forms() -> re.Pattern[str]:
    """What stands in the rows of beside.txt, which has the examples; few logs pay for reading and compiling them."""
    rows = datafiles.rows(__file__, "beside.txt")
    parts = (re.sub(r"\{[A-Z]+\}", lambda part: _PARTS.get(part[0], part[0]), row) for row in rows)
    return re.compile("|".join(parts), re.IGNORECASE)


def _beside(run: TextRun, text: str) -> Iterator[Wrong]:
    """Counters and facts with numbers and values in forms that are not in the list; in a comment, at its start."""
    for match in _beside_forms().finditer(text) if _REMAINS.search(text) else ():
        if run.kind == "comment" and match.start() > 0:
            break
        start = match.end() - len(match.group().lstrip())
        if match["fact"]:
            yield _wrong(run, start, match.end(), _EITHER_FACT)
        else:
            named = run.text[start : match.end()]
            name = re.search(NAME, named) or re.search(r"[Aa][ ._‑-]?\{?[A-Za-z]", match.group())
            yield _near(run, start, match.end(), name[0][-1] if name else "P")


def _bare_counters(run: TextRun, text: str) -> Iterator[Wrong]:
    """A counter's name that stands for itself: as an item or cell, as an item's beginning, at an end, or dressed up."""
    if "_" not in text:
        return
    item = _ITEM.match(text) if run.kind in ("item", "cell") else None
    if item and not run.is_code(item.start(1)):
        if item["alone"] is not None:
            yield _near(run, *item.span(1), letter_of(item[1]))
        elif run.kind == "item":
            counter = counter_of(item[1])
            message = f"this item begins with {counter} and goes on in words, so that it counts nothing"
            hint = f"write [{counter}: words]; a legend names all three once, below all marks or below `## How to tag`"
            yield Wrong(*item.span(1), "near-miss-tag", message, hint, legend=counter)
    if run.kind == "comment":
        short = _SHORT_COMMENT.fullmatch(text)
        if short and not _SPEAKS_OF_IT.search(text[: short.start(1)]):
            yield _near(run, *short.span(1), letter_of(short[1]))
        return
    for entry in _ENTRY.finditer(text):
        is_title = run.kind == "heading" and not (entry["separator"] or entry["end"] is not None)
        if not (is_title or run.is_code(entry.start("name"))):
            legend = counter_of(entry["name"]) if entry["sign"] else None
            yield replace(_near(run, *entry.span(), letter_of(entry["name"])), legend=legend)
    for names in () if run.kind == "heading" else _ONLY_NAMES.finditer(text):
        is_some = len({name.upper() for name in re.findall(NAME, names.group())}) < len(COUNTER_OF)
        if is_some or _ONLY_NUMBERS.match(text, names.end()):
            yield _near(run, *names.span(), "P")
    yield from _in_html_cells(run, text)
    for name in re.finditer(NAME, text):
        before = text[max(name.start() - 80, 0) : name.start()].rpartition("\n")[2]
        is_last = _LAST.match(text, name.start())
        is_dressed = run.is_dressed(name.start()) and not _GOES_ON.match(text, name.end())
        is_title = run.kind == "heading" and not (is_dressed and text[: name.start()].strip())
        if (is_last or is_dressed) and not (is_title or run.is_code(name.start()) or _SPEAKS_OF_IT.search(before)):
            yield _near(run, *name.span(), letter_of(name.group()))


def _in_html_cells(run: TextRun, text: str) -> Iterator[Wrong]:
    """The first counter that is a cell of a table written in HTML, with a count there or in another: it is not read."""
    written = run.written if "<t" in run.written else ""
    cell = _HTML_TOTAL.search(written) or (_HTML_COUNT.search(written) and _HTML_CELL.search(written))
    if cell and (start := text.find(cell[1])) >= 0:
        hint = "write it as a Markdown table, or a line a total: A_P: 3"
        yield Wrong(start, start + len(cell[1]), "near-miss-tag", "a table of counters in HTML is not read", hint)


def _near(run: TextRun, start: int, end: int, letter: str) -> Wrong:
    if letter not in ("P", "R", "T", "p", "r", "t"):
        return _wrong(run, start, end, "A_P, A_R or A_T: there is no other counter")
    name = f"A_{letter.upper()}"
    return _wrong(run, start, end, f"[{name}] or [{name}: words] for an event, {name}: 3 for a running total")


def _wrong(run: TextRun, start: int, end: int, write: str) -> Wrong:
    looks = readable(run.text[start:end])
    message = f'"{looks}" looks like a tag, fact or tally, but is not written as one'
    return Wrong(start, max(end, start + 1), "near-miss-tag", message, f"write {write}")
