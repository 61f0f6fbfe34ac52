"""A bold name with a colon opens the turn, its text on the same line or below.

    **Noor (Treasurer):** We cannot pay for both.

    **Imre** (Engineer): Then drop the second one.

    🔧 **Imre → Noor:**

    > Or lease it.

The colon may stand inside or outside the bold, the role too; a time in brackets may stand for the colon, and `<b>` for
the asterisks. A bold name alone on its line, with no colon at all, is the form of its own below: it is seldom a voice.
"""

from __future__ import annotations

import re

from mdtally.dialects.forms import Form, Label, body_offset
from mdtally.dialects.names import EMOJI

_STAMP = r"[\[(]?(?:\d{4}-\d\d-\d\d[T ])?\d{1,2}:\d\d(?::\d\d)?(?:\.\d+)?(?:\s?[AaPp][Mm]|Z|\s?UTC)?[\])]?"
_OPEN = r"(?:\*\*|__|<b>|<strong>)"
_CLOSE = r"(?:\*\*|__|</b>|</strong>)"
_BEFORE = rf" {{0,3}}(?:\d{{1,3}}\\[.)]\s+)?(?P<before>(?:{_STAMP}\s+)?[{EMOJI}\s]{{0,8}}){_OPEN}"
_ROLE = r"[_*]?[(\[（][^()\[\]（）\n]{1,80}[)\]）][_*]?"
# "**Noor:** text", "**Noor:** [12:30] text"
_INSIDE = re.compile(
    rf"{_BEFORE}(?P<bold>[^*<>\n]{{1,120}}?)\s?[:：]\s?{_CLOSE}(?P<after>\s?{_STAMP}(?=\s|$))?", re.IGNORECASE
)
# "**Noor: *Question 7*** text": what stands in italics is about the turn.
_NOTED = re.compile(rf"{_BEFORE}(?P<bold>[^*<>:：\n]{{1,60}}?)\s?(?P<after>)[:：]\s?\*[^*\n]{{1,80}}\*{_CLOSE}")
# "**Noor**: text", "**Noor** (Treasurer): text", "**Noor** 🔧: text", "**Noor** [12:30]:", "**Noor** · 12s:",
# "**Noor** @Imre: text"
_OUTSIDE = re.compile(
    rf"{_BEFORE}(?P<bold>[^*<>\n]{{1,120}}?){_CLOSE}"
    rf"(?P<after>(?:[ ]?(?:{_ROLE}|[{EMOJI}]{{1,4}}|{_STAMP})){{0,3}}"
    rf"|[ ]?[·|,—–-] ?[^\s:*]{{1,30}}(?:[ ][^\s:*]{{1,30}}){{0,4}}"
    rf"|[ ]@[^\W_][\w .'’-]{{0,38}})\s?[:：]",
    re.IGNORECASE,
)
# "**Noor** [12:30]" or "**Noor** `[9.8s]`" alone on its line
_STAMPED = re.compile(
    rf"{_BEFORE}(?P<bold>[^*<>\n]{{1,120}}?){_CLOSE}"
    rf"(?P<after>\s?[—–·-]?\s?(?:{_STAMP}|`?\[?\d{{1,6}}(?:\.\d+)?s\]?`?|`{_STAMP}`))\s*$",
    re.IGNORECASE,
)
_ALONE = re.compile(
    rf" {{0,3}}(?:[—–]\s)?[{EMOJI}\s]{{0,8}}{_OPEN}(?P<bold>[^*<>:：\n]{{1,60}}){_CLOSE}"
    r"(?P<after>[ ]?[_*]?[(（][^()]{1,60}[)）][_*]?)?\s*$"
)
_QUICK = ("**", "__", "<b>", "<B>", "<s", "<S")


def find(line: str) -> Label | None:
    """A bold label with a colon or a time."""
    if not any(mark in line[:48] for mark in _QUICK):
        return None
    match = _INSIDE.match(line) or _NOTED.match(line) or _STAMPED.match(line) or _OUTSIDE.match(line)
    if match is None:
        return None
    text = f"{match['before'].strip()} {match['bold']} {match['after'] or ''}".strip()
    return Label("bold", len(line) - len(line.lstrip()), text, body_offset(line, match.end()))


def find_behind(mark: re.Pattern[str], line: str, style: str) -> Label | None:
    """A bold label right behind a mark at the start of the line, such as a list item's or a quotation's."""
    match = mark.match(line)
    label = find(line[match.end() :]) if match else None
    if match is None or label is None:
        return None
    body = None if label.body is None else label.body + match.end()
    return Label(style, match.end() + label.column, label.text, body)


def find_alone(line: str) -> Label | None:
    """A bold name, perhaps with a role, and nothing else on the line."""
    if "**" not in line[:24] and "__" not in line[:24]:
        return None
    match = _ALONE.match(line)
    return (
        Label("bold-alone", len(line) - len(line.lstrip()), f"{match['bold']} {match['after'] or ''}", None)
        if match
        else None
    )


FORM = Form("bold-labels", "bold", find)
ALONE = Form("bold-names", "bold-alone", find_alone, demand=2)
