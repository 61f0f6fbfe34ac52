"""A name with a colon opens the line, with no markup at all; a time, an emoji or a round may stand beside it.

Noor: We cannot pay for both.
[12:31] Imre: Then drop the second one.
🗣️ Noor (Round 2): With what money?
[Imre]: We lease it.
@noor: From whom?
Noor (to Imre): And for how long?
"""

from __future__ import annotations

import re

from mdtally.dialects import rounds
from mdtally.dialects.forms import Form, Label, body_offset
from mdtally.dialects.names import EMOJI

_STAMP = r"[\[(]?(?:\d{4}-\d\d-\d\d[T ,]*)?\d{1,2}:\d\d(?::\d\d)?(?:\s?[AaPp][Mm]|Z)?[\])]?"
_PLAIN = re.compile(
    rf"(?P<stamp>{_STAMP}\s*[-–—|]?\s*)?(?P<emoji>[{EMOJI}\s]{{1,8}})?"
    r"(?P<name>@?\[?[^\W\d_][\w.'’& -]{0,38}\]?(?:[ ]?(?:→|->)[ ]?[\w.'’& -]{1,38})?"
    r"(?:[ ]?[(（\[][^()（）\[\]\n]{1,60}[)）\]])?)"
    r"\s?(?:[:：])(?=\s|$|[^\x00-\x7f])"
)

_ASIDE = re.compile(r"[(（\[]([^()（）\[\]]+)[)）\]]$")


def find(line: str) -> Label | None:
    """A plain label at the very start of a line."""
    head = line[:120]
    if ":" not in head and "：" not in head:
        return None
    indent = len(head) - len(head.lstrip(" "))
    if indent > 3 or head[indent : indent + 1] in "#>|*-+<\t":
        return None
    match = _PLAIN.match(line, indent)
    if match is None:
        return None
    text = f"{match['stamp'] or ''}{match['emoji'] or ''}{match['name']}".strip()
    # What stands beside the name tells labels from the many lines of prose that hold a colon.
    marks = [what for what, found in (("time", match["stamp"]), ("emoji", (match["emoji"] or "").strip())) if found]
    aside = _ASIDE.search(match["name"])
    if aside and rounds.parse(aside.group(1)):
        marks.append("round")
    if match["name"][0] in "@[":
        marks.append(match["name"][0])
    return Label(":".join(["plain", *marks]), indent, text, body_offset(line, match.end()))


FORM = Form("plain-labels", "plain", find, demand=1)
