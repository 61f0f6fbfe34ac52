"""Characters that may not be passed on as they are: what steers a terminal, hides text or turns its direction.

The one list of them: messages show them as escapes, prompts and answers lose them, quoted values name them by number.
"""

from __future__ import annotations

import json
import re

from mdtally.text.regex import regex

HIDDEN = (
    "\x7f-\x9f"  # delete and C1, among them the one-character CSI
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # bidirectional marks, embeddings, overrides, isolates
    "\u2028\u2029"  # line and paragraph separator
    "\u200b\u2060-\u2065\u206a-\u206f\ufeff"  # invisible, and of no use in a line (joiners for emoji and Persian stay)
    "\ufff9-\ufffb\U000e0001"  # annotation and language tags
    "\ufffe\uffff"  # no characters at all; XML forbids them
    "\ud800-\udfff"  # halves of characters, from file names that are not UTF-8: can't be encoded
)
"""For brackets in a regular expression: what, beside control characters, may not reach a terminal or a page."""

# an escape, a right-to-left mark; not a tab and a line feed
_UNSAFE_IN_TEXT = regex(f"[\x00-\x08\x0b-\x1f{HIDDEN}]")
# a zero-width space
_IN_QUOTES = regex(f"[{HIDDEN}]")


def escape(match: re.Match[str]) -> str:
    """A character that was found, as Python writes it: ``\\x1b``, ``\\n``, ``\\u202e``."""
    written = ascii(match[0])[1:-1]
    return written if written != match[0] else f"\\x{ord(written):02x}"


def without_hidden(text: str) -> str:
    """A text of several lines without control characters and those that hide or turn text; line feeds and tabs stay."""
    return _UNSAFE_IN_TEXT.sub("", text)


def in_quotes(text: str) -> str:
    """A text in double quotes, such that JSON, YAML and TOML read the same from it, and nothing in it is hidden."""
    return _IN_QUOTES.sub(json_escape, json.dumps(text, ensure_ascii=False))


def json_escape(match: re.Match[str]) -> str:
    """A character that was found, by its number as JSON writes it; one beyond U+FFFF stays, as YAML has no pairs."""
    number = ord(match.group())
    return f"\\u{number:04x}" if number <= 0xFFFF else match.group()


def has_han(text: str) -> bool:
    """True if a letter of Han stands in a text: a class of all 28,000 takes two milliseconds to compile."""
    return not text.isascii() and any("\u3400" <= letter <= "\u9fff" for letter in set(text))
