"""Times as people and programs write them beside a name, by one rule: a day, a time of day, or both in any order."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from mdtally.text.line_parts import EMOJI
from mdtally.text.regex import regex

# "12:30", "10:12:00 AM", "10:12 a. m.", "오전 10:12", "9:05 UTC", "9:05 CET"
CLOCK: Final = (
    r"(?:[오上下午][전후前後午]\s?)?\d{1,2}:\d\d(?::\d\d)?(?:\.\d+|,\d{3}(?!\d))?"
    r"\s*(?:[AaPp]\.?\s?[Mm]\.?)?(?:\s?(?:UTC|GMT|Z|(?:[ECMP][SD]?|[CEW]ES?|[BIJK]S)T(?!\w)|[+-]\d\d:?\d\d(?![:\d])))?"
)
"""A time of day, for regexes."""
_MONTH: Final = r"(?i:(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6})\.?"
_WEEKDAY: Final = r"(?i:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\.?"
# "2026-01-05", "5.1.2026", "2026년 1월 5일", "2026. 1. 5.", "Sep 28, 2024", "Sat, 21 Nov 2026"; of a year with two
# digits before a time: "5.1.26, 12:30"
DATE: Final = (
    rf"(?:{_WEEKDAY},?\s+)?(?:\d{{4}}[-/.]\d\d?[-/.]\d\d?|\d\d?[-/.]\d\d?[-/.](?:\d{{4}}|\d\d(?=,? \d\d?:))"
    r"|\d{4}(?:[년年]\s?\d\d?[월月]\s?\d\d?[일日]|\. \d\d?\. \d\d?\.)"
    rf"|(?:{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?|\d{{1,2}}\.? {_MONTH}),? \d{{4}})"
)
"""A day with its year, for regexes."""
# "Today", "gestern", "Saturday", "21/11", "Nov 21": a day only beside a time of day
NEAR: Final = (
    r"(?i:today|yesterday|heute|gestern|hoy|ayer|hier|oggi|ieri|сегодня|вчера|今天|昨天)"
    rf"|{_WEEKDAY}|\d\d?[./-]\d\d?\.?|{_MONTH} \d{{1,2}}|\d{{1,2}}\.? {_MONTH}"
)
_AT: Final = rf"(?:[T ,]|\s(?:at|um|à|alle)\s)+~?{CLOCK}"
_CLOCK_FIRST: Final = rf"{CLOCK}(?:[ ,]+(?:{DATE}|{NEAR}(?!\w)))?"
TIMED: Final = rf"(?:(?:{DATE}|{NEAR}){_AT}|{_CLOCK_FIRST})"
"""A time of day, with its day or without: "Today at 10:02", "10:02, 21/11/2026"."""
WHEN: Final = rf"(?:{DATE}(?:{_AT})?|(?:{NEAR}){_AT}|{_CLOCK_FIRST})"
"""A day, a time of day or both: what `TIMED` and `DATE` together say, in an expression that is faster to compile."""
STAMP: Final = rf"[\[(`]{{0,2}}{WHEN}[\])`]{{0,2}}"
"""A day, a time of day or both, alone, in brackets, in code or both: "`[10:02]`"."""
UNTIL: Final = rf"(?:\s*(?:-->|[→–—-])\s*{CLOCK}[\])]?)?"
"""The end of a stretch behind its beginning, if there is one: "[00:01 - 00:04]", "[00:00:01.000 --> 00:00:04.000]"."""
BADGES: Final = ("APP", "App", "BOT", "Bot")
"""What messengers put before the time of a program's message."""
BADGE: Final = rf"(?:(?:{'|'.join(BADGES)}|:[a-z][\w+-]*:|[{EMOJI}]+)\s+)?"
"""The same, or the emoji by which a person says that they are ill or away, if there is one: ":palm_tree:  10:08 AM"."""

# What every time has: "9:05", of "5.1.26, 9:" its end, and a year beside what is a day: "2026-1", ".2026", "28th, 2024"
_MAY_BE_TIMED = regex(
    r"[\d./-](?:"  # a set of signs in front is looked for fast
    r"(?<=\d)(?::\d\d|,? \d\d?:|\d{3}[-/.]\d|(?:st|nd|rd|th|\.? \w{3,9}\.?)?,? \d{4})|(?<=[-/.])\d{4})"
)


class Timed:
    """An expression in which times may stand, as two: a text without any is matched by the other one.

    Times are most of what such an expression takes to compile, some 5 ms, and most texts have none.
    """

    def __init__(self, source: str, flags: int = 0) -> None:
        without = source
        for part in (STAMP, WHEN, TIMED, DATE):
            without = without.replace(part, "(?!)")
        self._timed, self._other = regex(source, flags), regex(without, flags)

    def on(self, text: str) -> re.Pattern[str]:
        """The one for a text."""
        return self._timed if _may_be_timed(text) else self._other


STAMPS: Final = Timed(rf"{STAMP}(?!\w)")
"""A day, a time of day or both, wherever it stands in a text."""


@lru_cache(1 << 15)  # a line is asked about several times, and again after each edit of the file
def _may_be_timed(text: str) -> bool:
    return bool(_MAY_BE_TIMED.search(text))
