"""Heads of fields that say who speaks, of mails and logged messages: "From: Ana" above "Date: today", below a heading
or without one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from mdtally.check.settling.marks import read_by_names
from mdtally.text import words
from mdtally.text.regex import regex
from mdtally.transcript.labels.templates import with_spaces
from mdtally.transcript.page import Page, Reading

# "From: Hanna Berg <hanna@example.org>", "- **Speaker:** `User`", "发送者：Codex"
_FIELD = regex(
    r"(?P<key>\s*(?:[-*+]\s+)?(?:\*\*)?(?P<word>[^\W\d_][\w -]{0,28}?)\s?(?:\*\*)?[:：](?:\*\*)?\s*)(?P<value>\S.*)"
)
_NAME = regex(r"(?P<open>[`*_]*)(?P<name>[^`*_<>()（）,;|]{2,60}?)(?P<close>[`*_]*)(?P<rest>\s*[<(（,;|].*)?\s*")
_MOST = 6
"""How many fields of a head may stand above the one that says who speaks."""


def headed_reading(page: Page) -> Reading | None:
    """What heads of fields read, of two senders or more; None if there are none.

    Below headings the names have to come back: a list of roles has such fields, too.
    """
    levels = {one.row: one.level for one in page.headings}
    found = [head for row in range(page.first, len(page.lines)) if (head := _head_of(page, row, levels))]
    names = Counter(name for _, name, _ in found)
    if len(names) < 2 or (any(pattern[0] == "#" for pattern, *_ in found) and 2 * len(names) > len(found)):
        return None
    more = "{speaker}{any}" if any(is_more for *_, is_more in found) else "{speaker}"
    patterns = dict.fromkeys(pattern.replace("{speaker}", more) for pattern, *_ in found)
    return read_by_names(page, patterns, names)


def _head_of(page: Page, row: int, levels: Mapping[int, int]) -> tuple[str, str, bool] | None:
    """The pattern of a head whose field in a row says who speaks, the name, and if more stands behind it there.

    Args:
        page: the document.
        row: index of a line.
        levels: the levels of headings by their rows.
    """
    field = _FIELD.fullmatch(page.lines[row])
    named = _NAME.fullmatch(field["value"]) if field and not page.layout.hidden[row] else None
    if field is None or named is None or field["word"].casefold() not in words.table("name-fields"):
        return None
    top, above = row - 1, list[str]()
    while top >= page.first and len(above) < _MOST and (beside := _FIELD.fullmatch(page.lines[top])):
        above.insert(0, with_spaces(beside["key"]).lstrip() + "{any}")
        top -= 1
    while top > page.first and not page.lines[top].strip():
        top -= 1
    level, below = levels.get(top, 0), page.lines[row + 1 : row + 3]
    if not level and (above or len(below) < 2 or not all(map(_FIELD.fullmatch, below))):
        return None
    own = f"{with_spaces(field['key']).lstrip()}{named['open']}{{speaker}}{named['close']}"
    head = [f"{'#' * level} {{any}}", *above, own] if level else [own]
    return "\n".join(head), named["name"], bool(named["rest"])
