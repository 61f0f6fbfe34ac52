"""Lines that have the shape of a turn's label, of every shape, found in one pass over a page.

A shape says where the name may stand and where the text behind it starts; whether it means a voice is decided over the
whole page (`structure`, `participants`), because the same shapes label fields and sections.

    heading:3      ### Ana (CTO)
    bold           **Ana:** text          **Ana** (CTO): text       **Ana** [10:12]:      <b>Ana:</b> text
    bold-run       **Ana.** text
    bold-alone     **Ana**                _**Ana (10:12)**_         **[Ana — round 1]**
    bracket        [Ana] text             [[1] Ana (CTO)]           [1] Ana > text        [10:12] Ana: text
    plain          Ana: text              @ana: text
    face           🗣️ Ana (Round 1): text
    callout        > [!quote] Ana
    quote+bold, item+bold, item+plain, ...: the same behind "> " or a list's mark
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple, TypeAlias

from mdtally.lines import Heading, Layout
from mdtally.regex import regex
from mdtally.transcript.names import EMOJI, Name, clean

_WRAPS = regex(
    r"\s*(?:(?P<quote>>\s?(?:\[!\w+\][+-]?\s*(?P<callout>.*))?)|(?P<item>(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?))"
)
_FLAGS: Final = rf"(?:\s*[{EMOJI}]+)?"
# Behind a bold name: "(CTO)", "*(CTO)*", "[10:12]", "— opening", "→ Ben", "· 2026-01-05T10:12Z"
_BESIDE: Final = (
    r"(?:\s*(?:\([^()\n]{1,80}\)|\*\([^()\n]{1,80}\)\*|_\([^()\n]{1,80}\)_|\[[^\[\]\n]{1,60}\]|[—–-]\s[^:*\n]{1,60}"
    r"|→\s?[^:*\n]{1,40}|[·•|@—–-]\s*`?[\d:.TZ /+AMPamp-]{5,40}`?))?"
)
_BOLD = regex(
    rf"(?P<open>[{EMOJI}\s]*(?:\*\*\*|_\*\*|\*\*_|\*\*|__|<b>|<strong>))(?P<inner>(?:(?!\*\*|__|</b>|</strong>)[^\n]){{1,160}}?)"
    rf"(?:\*\*\*|\*\*_|_\*\*|\*\*|__|</b>|</strong>)(?P<beside>{_BESIDE})(?:{_FLAGS}(?:(?P<colon>\s*[:：])|\s*$))?(?P<gap>\s*)",
    re.IGNORECASE,
)
_BRACKET = regex(
    r"(?:\[(?P<one>(?:\[[^\[\]\n]{1,20}\]\s*)*[^\[\]\n]{1,80})\]|(?P<two>\[\[[^\[\]\n]{1,120}\]\])|【(?P<three>[^【】\n]{1,60})】)"
    r"(?P<colon>\s*[:：])?(?P<gap>\s*)(?![(\[])"
)
_STAMPED = regex(
    r"\[(?:\d{4}-\d\d-\d\d[T ]?)?[\d:., APMapm]{1,16}(?:[A-Z]{1,5})?\]\s*|\[\d{1,3}\]\s*(?=[^\[\]>]{1,60} > )"
)
_PLAIN = regex(
    rf"(?P<name>[{EMOJI}\s]*@?[^\W_](?:[^:：\n|>*`#\[\]{{}}=;!?。]|(?<=\d):(?=\d\d)){{0,70}}?)(?:[:：](?=\s|$|[^\x00-\x7f])|\s>\s|(?<=[^\x00-\x7f])[：:])\s*"
)
_FACE = regex(rf"\s*[{EMOJI}]")


MOST: Final = 100_000
"""How many labels are collected: a page with more is no guess worth its memory."""
_Shape: TypeAlias = tuple[str, int, str, int | None]


class Label(NamedTuple):
    """A line that has the shape of a label.

    Attributes:
        row: index of its line.
        style: its shape; a heading's with its level.
        column: offset of the label in its line.
        text: the text that may hold a name, as written.
        body: offset of the text behind it on the same line; None if there is none.
        name: who would be speaking.
    """

    row: int
    style: str
    column: int
    text: str
    body: int | None
    name: Name


def collect(lines: Sequence[str], first: int, layout: Layout) -> list[Label]:
    """Every line that may be a label, in order; at most one label a line.

    Args:
        lines: every line of the file.
        first: index of the first line below the frontmatter.
        layout: what is code; nothing there is a label.
    """
    found: list[Label] = []
    for index, line, heading in visible(lines, first, layout):
        told = shape(line) if heading is None else (f"heading:{heading.level}", _indent(line), heading.text, None)
        if told is not None and (name := clean(told[2])) is not None:
            found.append(Label(index, *told, name))
            if len(found) == MOST:
                break
    return found


def visible(lines: Sequence[str], first: int, layout: Layout) -> Iterator[tuple[int, str, Heading | None]]:
    """Every line that is neither code nor blank: its index, the line, and the heading that it is."""
    headings = iter(layout.headings)
    heading = next(headings, None)
    for index in range(first, len(lines)):
        while heading is not None and heading.first < index:
            heading = next(headings, None)
        if not layout.hidden[index] and lines[index] and not lines[index].isspace():
            yield index, lines[index], heading if heading is not None and heading.first == index else None


def shape(line: str, wrap: str = "") -> _Shape | None:
    """The shape of a line that is no heading: style, column, text of the name, offset where the text behind it starts.

    None for a line that opens with no label.
    """
    start = _indent(line)
    sign = line[start]
    if sign in ">-+•" or (sign == "*" and line[start + 1 : start + 2] == " ") or sign.isdigit():
        wrapped = _WRAPS.match(line) if not wrap else None
        if wrapped is not None:
            if wrapped["callout"] is not None:
                return ("callout", start, wrapped["callout"], None) if wrapped["callout"].strip() else None
            rest = line[wrapped.end() :]
            inner = shape(rest, "quote" if wrapped["quote"] else "item") if rest.strip() else None
            if inner is None:
                return None
            style, column, text, body = inner
            at = wrapped.end()
            kind = "quote" if wrapped["quote"] else "item"
            return f"{kind}+{style}", column + at, text, None if body is None else body + at
        if sign in ">-+•":
            return None
    bold = _BOLD.match(line, start) if "**" in line or "__" in line or "<" in line else None
    if bold is not None:
        inside = bold["inner"].rstrip()
        body = bold.end() if bold.end() < len(line) else None
        text = f"{bold['open'].strip('*_<>bBstrongSTRONG ')} {inside} {bold['beside']}".strip()
        if inside.endswith((":", "：")) or bold["colon"]:
            return "bold", start, text, body
        if body is not None and inside.endswith("."):
            return "bold-run", start, text.rstrip("."), body
        return ("bold-alone", start, text, None) if body is None else None
    if sign in "[【":
        stamped = _STAMPED.match(line, start)
        if stamped is not None and (said := _PLAIN.match(line, stamped.end())):
            return "bracket", start, line[start : said.end()], _or_none(line, said.end())
        bracket = _BRACKET.match(line, start)
        if bracket is None:
            return None
        text = bracket["one"] or bracket["two"] or bracket["three"]
        if bracket["two"] and bracket["colon"] is None and bracket.end() < len(line):
            return None  # a wiki link in a sentence
        return "bracket", start, text, _or_none(line, bracket.end())
    said = _PLAIN.match(line, start)
    if said is None:
        return None
    faced = "face" if _FACE.match(line, start) else "plain"
    return faced, start, said["name"], _or_none(line, said.end())


def seen(labels: Sequence[Label]) -> Iterator[tuple[str, int]]:
    """What a page's labels look like, most frequent shape first: ("### X", 15), ("**X:**", 10)."""
    from collections import Counter

    counted = Counter(label.style for label in labels)
    for style, count in counted.most_common():
        yield show(style), count


def show(style: str, name: str = "X") -> str:
    """A style as a person would write it, around a name."""
    kind, _, rest = style.partition("+")
    if rest:
        return {"quote": "> ", "item": "- "}[kind] + show(rest, name)
    kind, _, level = style.partition(":")
    forms = {
        "bold": "**{}:**", "bold-run": "**{}.**", "bold-alone": "**{}**", "bracket": "[{}]", "plain": "{}:",
        "face": "🗣 {}:", "callout": "> [!quote] {}",
    }  # fmt: skip
    return ("#" * int(level) + " {}" if level else forms.get(kind, "{}")).replace("{}", name)


def _or_none(line: str, offset: int) -> int | None:
    return offset if offset < len(line.rstrip()) else None


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
