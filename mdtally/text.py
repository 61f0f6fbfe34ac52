"""How many words a text has, fair to every script."""

from __future__ import annotations

import unicodedata

from mdtally.regex import regex

_WORD = regex(r"[^\W_]+(?:['’.,:/_-][^\W_]+)*")


def count_words(text: str) -> int:
    """The number of words of a text, fair to scripts that write without spaces.

    A word is a run of letters or digits, joined by inner apostrophes, hyphens and the like; Markdown's own marks are
    none, and neither is what an HTML comment hides. In Han, Kana, Thai and similar scripts, which have no spaces, two
    letters count as one word, about the mean length of a word there.
    """
    text = _without_comments(text)
    words = _WORD.findall(text)
    total = len(words)
    for word in () if text.isascii() else words:
        if not word.isascii():
            unspaced = sum(1 for character in word if _is_unspaced(character))
            rest = unspaced < sum(1 for character in word if character.isalnum())
            total += (unspaced + 1) // 2 + rest - 1
    return total


def _without_comments(text: str) -> str:
    """A text without its HTML comments; one that never closes hides nothing."""
    if "<!--" not in text:
        return text
    shown, at = [], 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start + 4)) >= 0:
        shown.append(text[at:start])
        at = end + 3
    return " ".join((*shown, text[at:]))


def _is_unspaced(character: str) -> bool:
    if character.isascii():
        return False
    return unicodedata.name(character, "").startswith(
        ("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR")
    )
