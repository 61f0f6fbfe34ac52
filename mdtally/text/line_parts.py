"""What lines of notes are made of, each in one home: list and quote marks, words, dates."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import date
from functools import cache, lru_cache

from mdtally.text.regex import regex

BULLET = r"(?:[-*+]|\d{1,9}[.)])"
"""The mark of a list item, as the inside of a regular expression: ``-``, ``12.``, ``3)``."""

LABEL_TAIL = r"\s(?:\{#[\w.-]+\}|<!--(?:(?!-->).){0,400}-->)"
"""What stands behind a heading or label and does not show, as the same: a name for links " {#ana-1}", or a comment."""

EMOJI = (
    "\U0001f000-\U0001faff\u2600-\u27bf\u2b00-\u2bff\u25a0-\u25ff\u2300-\u23ff\ufe0f\ufe0e\u200d\u20e3\u203c\u2049"
    "\u2122\u2139\U000e0020-\U000e007f"
)
"""Characters of emoji, for a regex's brackets."""

_LETTERS = regex(r"\w+")
# A word: "don't", "e.g", "src/app.py", "3.5", "well-known"
_WORD = regex(r"[^\W_]+(?:['’.,:/_-][^\W_]+)*")
# What no reader sees: "<div style='x'>", "</b>", of "[Hi](https://x.org)" the address, "[^1_1]"
_UNSEEN = regex(
    r"</?[a-z][a-z0-9-]*(?:\s[^<>=]*=[^<>]*)?\s?/?>|\[\^[^\[\]\s]{1,80}\]"
    r"|(?<=\])\((?:[^\s()]|\([^\s()]*\))*(?: \"[^\"\n]*\")?\)"
)
# A day, or a day and a time: "2026-01-02", "2026-01-02 10:30", "2026-01-02T10:30:00+02:00"
_DATE = regex(
    r"\d{4}-\d\d-\d\d(?:[T ](?:[01]?\d|2[0-3])(?::?[0-5]\d(?::?(?:[0-5]\d|60)(?:\.\d{1,9})?)?)?"
    r"(?:Z|[+-](?:0\d|1[0-4]):?[0-5]\d)?)?",
    re.ASCII,
)
# The day that "2026-11-17 schema talk.md" and "2026-11-17-schema-talk" begin with
_DAY_BEFORE = regex(r"\d{4}-\d\d-\d\d(?!\d)", re.ASCII)


def is_date(text: str) -> bool:
    """True for a day of the calendar, or one and a time of the clock, that sorts as it stands: "2026-01-31"."""
    with suppress(ValueError):
        return bool(_DATE.fullmatch(text) and date.fromisoformat(text[:10]))
    return False


def leading_day(name: str) -> str:
    """The day of the calendar that a name begins with, "2026-11-17"; "" if it begins with none."""
    found = _DAY_BEFORE.match(name)
    return found.group() if found and is_date(found.group()) else ""


@lru_cache(1024)  # the reader and the gate ask about the same turns
def count_words(text: str) -> int:
    """The number of words of a text, fair to scripts that write without spaces.

    A word is a run of letters or digits, joined by inner apostrophes, hyphens and the like. Markdown's own marks are
    not words, and neither are comments, HTML tags, addresses of links and footnotes' marks. In Han, Kana, Thai and
    similar scripts, which have no spaces, two letters count as one word, about the mean length of a word there.
    """
    text = _UNSEEN.sub(" ", _without_comments(text))
    words = _WORD.findall(text)
    total = len(words)
    for word in () if text.isascii() else words:
        if not word.isascii():
            unspaced = sum(1 for character in word if _is_unspaced(character))
            rest = unspaced < sum(1 for character in word if character.isalnum())
            total += (unspaced + 1) // 2 + rest - 1
    return total


@lru_cache(4)  # a turn is looked up and then added
def words_alone(text: str) -> str:
    """The words of a text, in small letters and without marks, by which the same words are known again."""
    return " ".join(_LETTERS.findall(text.casefold()))


def _without_comments(text: str) -> str:
    """A text without its HTML comments; one that never closes hides nothing."""
    shown, at = [], 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start + 4)) >= 0:
        shown.append(text[at:start])
        at = end + 3
    return " ".join((*shown, text[at:]))


@cache
def _is_unspaced(character: str) -> bool:
    """True for a letter of a script that writes without spaces between words."""
    import unicodedata  # few lines hold a letter that is not Latin, and it takes its time to load

    scripts = "CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR"
    return unicodedata.name(character, "").startswith(scripts)


def blockquote(text: str) -> str:
    """A text as a quotation of Markdown's: each line behind "> "."""
    return "\n".join(f"> {line}".rstrip() for line in text.split("\n"))


def labels_name(name: str, labeler: str) -> str:
    """The name of a labeler's copy of a log of this name: "session.md.labels-ana"."""
    return f"{name}.labels-{labeler}"


def original_name(name: str) -> str:
    """The name of the log that a file is a labeler's copy of, by its own name, ``LOG.labels-NAME``; "" for others."""
    log, mark, labeler = name.partition(".labels-")
    return log if mark and labeler else ""
