"""The configuration's schema: one table, from which everything else about it follows.

The checks, ``config show``, the table in docs/configuration.md and the JSON Schema are all made from ``OPTIONS``; a new
setting is one entry here and one field in ``Settings``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Literal

from mdtally.model import SEVERITIES

Kind = Literal["share", "whole", "seconds", "switch", "choice", "text", "list"]


@dataclass(frozen=True, slots=True)
class Option:
    """One setting.

    Attributes:
        key: its dotted key in TOML.
        field: the attribute of ``Settings`` that holds it.
        kind: its type: "share" is an exact number from 0 to 1, "whole" a whole number, "seconds" a duration, "switch"
            true or false, "choice" one word of ``choices``, "text" and "list" a text and a list of texts.
        default: the value without any configuration, in the type that ``Settings`` holds.
        help: what it does, in one line.
        low, high: the bounds of a number, both inclusive.
        choices: the words of a choice.
    """

    key: str
    field: str
    kind: Kind
    default: object
    help: str
    low: int = 0
    high: int = 0
    choices: tuple[str, ...] = ()


SEVERITY_WORDS = tuple(reversed(SEVERITIES))
OUTPUT_FORMATS = ("full", "concise", "notice", "json", "json-lines", "github", "sarif", "rdjson", "junit")

OPTIONS: tuple[Option, ...] = (
    Option(
        "sycophancy-ceiling",
        "sycophancy_ceiling",
        "share",
        Fraction(1, 5),
        "A sycophancy rate above it is SYCOPHANTIC.",
        0,
        1,
    ),
    Option(
        "overcorrection-floor",
        "overcorrection_floor",
        "share",
        Fraction(1, 20),
        "An overcorrection rate above one minus it is OVERCORRECTED.",
        0,
        1,
    ),
    Option("log", "log", "text", "state/calibration-log.jsonl", "The calibration log, relative to the project's root."),
    Option(
        "templates",
        "templates",
        "text",
        "",
        "A folder with templates of your own, relative to the configuration file; they come before the built-in ones.",
    ),
    Option(
        "output-format",
        "output_format",
        "choice",
        "full",
        "The form in which `lint` prints its findings.",
        choices=OUTPUT_FORMATS,
    ),
    Option(
        "lint.mode",
        "mode",
        "choice",
        "warn",
        "What the gate does: nothing, a notice, or a notice and the hint for a new try.",
        choices=("off", "warn", "regenerate"),
    ),
    Option(
        "lint.max-regenerations",
        "max_regenerations",
        "whole",
        1,
        "How often `regenerate` asks again for a flagged response.",
        0,
        3,
    ),
    Option(
        "lint.timeout", "timeout", "seconds", 120.0, "How long the command of `regenerate --with` may take.", 1, 86_400
    ),
    Option("lint.select", "select", "list", (), "The rules to check, by code or name; empty for the default ones."),
    Option("lint.extend-select", "extend_select", "list", (), "Rules to check besides those selected."),
    Option("lint.ignore", "ignore", "list", (), "Rules not to check."),
    Option("lint.exclude", "exclude", "list", (), "Globs of files that `lint` skips in folders, such as `drafts/**`."),
    Option("lint.strict", "strict", "switch", False, "Every failed layer is a warning, as under the debate protocol."),
    Option("lint.min-words", "min_words", "whole", 12, "The words a response needs to pass the third layer.", 0, 1_000),
    Option(
        "lint.matching",
        "matching",
        "choice",
        "prose",
        "How phrases and signals are matched: as prose, or as the published rules to the letter.",
        choices=("prose", "literal"),
    ),
    Option("lint.language", "language", "text", "", "The debates' language, such as `en`; empty to detect it."),
    Option("lint.forbidden-phrases", "forbidden_phrases", "list", (), "Phrases to forbid besides the built-in ones."),
    Option(
        "lint.fail-level",
        "fail_level",
        "choice",
        "warning",
        "The mildest severity that makes `lint` exit with 1.",
        choices=SEVERITY_WORDS,
    ),
)

BY_KEY: Mapping[str, Option] = {option.key: option for option in OPTIONS}
THRESHOLDS: tuple[Option, ...] = tuple(option for option in OPTIONS if option.kind == "share")


def full_key(key: str) -> str:
    """The dotted key that a last part such as ``max-regenerations`` can only mean, else the key as it is."""
    matches = [option.key for option in OPTIONS if option.key.rpartition(".")[2] == key]
    return matches[0] if len(matches) == 1 and key not in BY_KEY else key


GROUPS: Mapping[str, str] = {
    "domain": "Thresholds for the sessions of one domain: `[domain.NAME]`.",
    "model": 'Thresholds for the models a glob matches, such as `[model."claude-*"]`; the most specific one wins.',
}
SEVERITY_KEY = "lint.severity"
SEVERITY_HELP = f"Another severity for a rule, by code or name: {', '.join(SEVERITY_WORDS)}."
SEVERITY_OPTION = Option(SEVERITY_KEY, "severity", "choice", "", SEVERITY_HELP, choices=SEVERITY_WORDS)
EXTEND_HELP = "Another configuration file, relative to this one, whose values hold where this one has none."
# No setting, for it holds in its own file only. Its default is no value: one that is not empty forbids an empty path.
EXTEND_OPTION = Option("extend", "", "text", "-", EXTEND_HELP)


class NotAllowedError(ValueError):
    """A value that a setting can't have; the message says what it can have."""


def allowed(option: Option) -> str:
    """What values a setting can have, in words."""
    match option.kind:
        case "share":
            return f"a number from {option.low} to {option.high}, such as 0.20"
        case "whole":
            return f"a whole number from {option.low} to {option.high}"
        case "seconds":
            return f"a number of seconds from {option.low} to {option.high}"
        case "switch":
            return "true or false"
        case "choice":
            return f"one of {', '.join(option.choices)}"
        case "text":
            return "a text in quotes"
        case "list":
            return "a list of texts in quotes"


def value_of(option: Option, value: object) -> object:
    """A value as TOML gives it (floats as Decimal), in the type that ``Settings`` holds.

    Raises:
        NotAllowedError: it has another type, or lies outside the bounds.
    """
    is_number = isinstance(value, int | Decimal) and not isinstance(value, bool)
    match option.kind:
        case "share" if is_number and Decimal(str(value)).is_finite() and _is_within(option, value):
            return Fraction(str(value))
        case "whole" if is_number and isinstance(value, int) and _is_within(option, value):
            return value
        case "seconds" if is_number and Decimal(str(value)).is_finite() and _is_within(option, value):
            return float(str(value))
        case "switch" if isinstance(value, bool):
            return value
        case "choice" if isinstance(value, str) and value in option.choices:
            return value
        case "text" if isinstance(value, str) and (value or not option.default):
            return value
        case "list" if isinstance(value, list) and all(isinstance(item, str) and item for item in value):
            return tuple(value)
    raise NotAllowedError(allowed(option))


def share_of(text: str) -> Fraction:
    """A threshold as a person writes it in a frontmatter or a flag: ``0.2``, ``.2``, ``20%``.

    Raises:
        NotAllowedError: it is no number from 0 to 1.
    """
    match = re.fullmatch(r"\s*([0-9]{1,20}(?:\.[0-9]{0,20})?|\.[0-9]{1,20})\s*(%?)\s*", text)
    share = Fraction(match[1]) / (100 if match[2] else 1) if match else None
    if share is None or share > 1:
        raise NotAllowedError(allowed(THRESHOLDS[0]))
    return share


def shown(value: object) -> str:
    """A value as it is written in a configuration file."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Fraction):
        return f"{Decimal(value.numerator) / Decimal(value.denominator):f}"
    if isinstance(value, float):
        return repr(value).removesuffix(".0")
    if isinstance(value, int):
        return str(value)
    if isinstance(value, tuple):
        return "[" + ", ".join(map(shown, value)) + "]"
    import json

    return json.dumps(value, ensure_ascii=False)


def _is_within(option: Option, value: object) -> bool:
    return option.low <= Decimal(str(value)) <= option.high
