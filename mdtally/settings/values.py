"""What a value of a setting may be, and how it is written."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction

from mdtally import globs
from mdtally.settings.schema import Option

LONGEST = 200
"""Characters of a phrase, a pattern or a rule's name: what is searched for in every turn has to be short."""

WORDS = {
    "share": 'a number from 0 to 1, such as 0.20 or "20%"',
    "whole": "a whole number from LOW to HIGH",
    "seconds": "a number of seconds from LOW to HIGH",
    "switch": "true or false",
    "text": "a text in quotes",
    "name": "a text in quotes that is not empty",
    "log": "a path in quotes that ends in .jsonl",
    "list": "a list of texts in quotes",
    "texts": "a text in quotes, or a list of them",
    "globs": "a glob in quotes, or a list of them",
    "people": 'a table such as { Ana = "agent" } or { agents = ["Ana", "Ben"] }',
    "rounds": 'a word such as "heading" or "none", or a table such as { opening = 1 }',
}


class NotAllowedError(ValueError):
    """A value that a setting can't have; the message says what it can have."""


def allowed(option: Option) -> str:
    """What values a setting can have, in words."""
    if isinstance(option.kind, tuple):
        return f"one of {', '.join(option.kind)}"
    return WORDS[option.kind].replace("LOW", str(option.low)).replace("HIGH", str(option.high))


def value_of(option: Option, value: object) -> object:
    """A value as TOML gives it (floats as Decimal), in the type that ``Settings`` holds.

    Raises:
        NotAllowedError: it has another type, or lies outside the bounds.
    """
    match option.kind, value:
        case tuple(words), str() if value in words:
            return value
        case (("share" | "whole" | "seconds" | "switch"), bool()):
            if option.kind == "switch":
                return value
        case "share", str():
            return share_of(value)
        case "share", int() | Decimal() if Decimal(value).is_finite() and 0 <= value <= 1:
            return Fraction(value)
        case "whole", int() if option.low <= value <= option.high:
            return value
        case "seconds", int() | Decimal() if Decimal(value).is_finite() and option.low <= value <= option.high:
            return float(value)
        case ("text", str()) | ("name" | "rounds", str()) if value or option.kind == "text":
            return value
        case "log", str() if value.endswith(".jsonl"):
            return value
        case (("texts" | "globs"), str()) if value:
            return value_of(option, [value])
        case (("list" | "texts" | "globs"), list()) if all(isinstance(text, str) and text for text in value):
            if option.kind == "globs":
                for glob in value:
                    check_glob(glob)
            elif any(len(text) > LONGEST for text in value):
                raise NotAllowedError(f"{allowed(option)} of at most {LONGEST} characters each")
            return tuple(value)
        case (("people" | "rounds"), dict()):
            return _plain(option, value)
    raise NotAllowedError(allowed(option))


def check_glob(glob: str, *, path: bool = True) -> None:
    """Raises NotAllowedError where a glob, of paths or of names, means nothing."""
    try:
        globs.matches_path(glob, "") if path else globs.matches_name(glob, "")
    except globs.BadGlobError as error:
        raise NotAllowedError(f"a glob: {error}") from None


def share_of(text: str) -> Fraction:
    """A rate as a person writes it in a frontmatter, a flag or a configuration: ``0.2``, ``.2``, ``20%``.

    Raises:
        NotAllowedError: it is no number from 0 to 1.
    """
    match = re.fullmatch(r"\s*([0-9]{1,20}(?:\.[0-9]{0,20})?|\.[0-9]{1,20})\s*(%?)\s*", text)
    share = Fraction(match[1]) / (100 if match[2] else 1) if match else None
    if share is None or share > 1:
        raise NotAllowedError(WORDS["share"])
    return share


def shown(value: object) -> str:
    """A value as it is written in a configuration file."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Fraction):
        return f"{Decimal(value.numerator) / Decimal(value.denominator):f}"
    if isinstance(value, float):
        return repr(value).removesuffix(".0")
    if isinstance(value, tuple | list):
        return "[" + ", ".join(map(shown, value)) + "]"
    import json

    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{json.dumps(k, ensure_ascii=False)} = {shown(v)}" for k, v in value.items()) + " }"
    return str(value) if isinstance(value, int) else json.dumps(value, ensure_ascii=False)


def brief(value: object) -> str:
    """A value of a configuration file, short enough for a message."""
    if isinstance(value, dict | list):
        return "a table" if isinstance(value, dict) else "a list"
    text = shown(value) if isinstance(value, bool | str) else str(value)
    return text if len(text) <= 40 else text[:37] + "..."


def _plain(option: Option, value: object) -> object:
    """A table as a frontmatter would hold it: every scalar is a text, lists and tables keep their shape."""
    if isinstance(value, dict):
        return {str(key): _plain(option, item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(option, item) for item in value]
    if isinstance(value, str | int | Decimal) and not isinstance(value, bool):
        return str(value)
    raise NotAllowedError(allowed(option))
