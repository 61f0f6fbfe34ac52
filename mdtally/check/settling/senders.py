"""The reading of headings that say from whom to whom, of which some are pointed at: "## MSG 3 · Builder → Verifier"."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from mdtally.check.settling.choices import other_form
from mdtally.check.settling.marks import read_by_names
from mdtally.text.model import Refusal
from mdtally.text.regex import regex
from mdtally.transcript.labels.templates import with_spaces
from mdtally.transcript.page import Page, Reading

# "### 2026-03-04 FIX — From: QA Agent → To: all": what stands before the name ends with a sign, a word and a colon
_FROM_TO = regex(
    r"(?=.*(?:→|[-=]>))(?P<lead>\#+\s)(?:(?P<any>(?:(?!→|[-=]>).){0,80}?)"
    r"(?P<sign>\s{0,4}(?:[|·—–\[]|-\s)\s{0,4}|\s{1,4}))?(?P<word>\w+[:：]\s{0,4})?"
    r"(?P<name>[^\s|·—–:：()\[\]→][^|·—–:：()\[\]→]{1,39}?)\s{0,4}(?P<note>\([^()]*\))?\s{0,4}(?P<arrow>→|[-=]>)\s*\S"
)


def likely_senders(page: Page) -> Reading | None:
    """The reading of the headings that say from whom to whom, if two senders or more come back; None if none do."""
    found = [(one.row, match) for one in page.headings if (match := _FROM_TO.match(page.lines[one.row]))]
    times = Counter(_pattern(match) for _, match in found)
    source = max(times, key=lambda one: times[one], default="")
    first = {match["name"]: row for row, match in reversed(found) if _pattern(match) == source}
    reading = reading_by_sender(page, sorted(first.values())) if len(first) > 1 else None
    return reading if isinstance(reading, Reading) else None


def reading_by_sender(page: Page, rows: Sequence[int]) -> Reading | Refusal | None:
    """The reading of all headings like those of some rows; a refusal if another of their level names a sender, too."""
    found = {one.row: match for one in page.headings if (match := _FROM_TO.match(page.lines[one.row]))}
    sources = {_pattern(found[row]) if row in found else "" for row in rows}
    if len(sources) > 1 or "" in sources:
        return None
    source = sources.pop()
    alike = [match for match in found.values() if _pattern(match) == source]
    names = dict.fromkeys(match["name"] for match in alike)
    if any(match["note"] for match in alike):
        source = source.replace("{speaker}", "{speaker}{? ({any})?}")
    reading = read_by_names(page, [source], names)
    if reading is None or len(opening := {start.row for start in reading.starts}) <= len(rows):
        return None
    level = next(one.level for one in page.headings if one.row in rows)
    named = re.compile("|".join(rf"\b{re.escape(name)}\b(?!['’]s)" for name in names))
    left = [one for one in page.headings if one.level == level and one.row not in opening and named.search(one.text)]
    return other_form(page, [one.row for one in left]) if left else reading


def _pattern(match: re.Match[str]) -> str:
    """The pattern of such a heading, without what stands in brackets behind its name."""
    before = "{any}" * bool(match["any"]) + with_spaces(match["sign"] or "") + (match["word"] or "")
    return f"{match['lead']}{before}{{speaker}} {match['arrow']} {{any}}"
