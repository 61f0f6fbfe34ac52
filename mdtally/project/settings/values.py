"""What a setting's value may be, and how it is written: from TOML to the type that ``Settings`` holds, and back."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from itertools import combinations

from mdtally.project.settings.schema import KINDS, LONGEST, SCHEMA, Setting
from mdtally.text import globs
from mdtally.text.chars import in_quotes
from mdtally.text.frontmatter.text import as_written
from mdtally.text.model import KeyPath

_FINEST = 40
"""How many digits a number may have before or behind its point."""


class NotAllowedError(ValueError):
    """A value that a setting can't have; the message says what it can have."""


def setting_at(path: KeyPath) -> Setting | None:
    """The setting that a path of keys leads to, or None."""
    return next((setting for setting in SCHEMA if setting.leads(path)), None)


def advice(path: KeyPath) -> str:
    """What to write instead of an unknown key: a name is guessed only where one is near."""
    import difflib

    if path[0] == "transcript" and not (len(path) > 1 and path[1].isdecimal()):
        return "each form of transcripts is a table of its own: [[transcript]]"
    written = [part.replace("_", "-") for part in path]
    # [model.claude-3.5]; a hostile key may have a thousand parts.
    for first, end in combinations(range(len(path[:8]) + 1), 2):
        name = ".".join(path[first:end])
        if end - first > 1 and setting_at((*path[:first], name, *written[end:])):
            return "a name with a dot stands in quotes: " + ".".join((*path[:first], in_quotes(name), *written[end:]))
    chosen = [*path, "NAME", "NAME"]
    every = {".".join(chosen[at] if part == "*" else part for at, part in enumerate(one.parts)): one for one in SCHEMA}
    names = [name for name in every if name.startswith(f"{path[0]}.")] or [*every]
    # A key that only lacks its table, such as "mode", is nearest to "lint.mode".
    near = [name for name in names if every[name].parts[-1] == written[-1]]
    near = near or difflib.get_close_matches(".".join(written), names, 1, 0.75)
    # Of a table of names: "domain.x.sycophancy-ceiling".
    near = near or [name for name in names if name.startswith(f"{'.'.join(path[:2])}.")]
    return f"the nearest valid one is '{near[0]}'" if near else "`mdtally config show` lists all keys"


def value_of(setting: Setting, value: object) -> object:
    """A value as TOML gives it (floats as Decimal), in the type that ``Settings`` holds.

    Raises:
        NotAllowedError: it has another type, or lies outside the bounds.
    """
    match setting.kind, value:
        case tuple(words), str() if value in words:
            return value
        case "switch", bool():
            return value
        case _, bool():
            pass
        case "share", str():
            return share_of(value)
        case ("whole", int() as number) | (("share" | "seconds"), (int() | Decimal()) as number):
            known = Decimal(number)
            # The exponent first: a fraction of 1e-999999999 would take all day.
            if known.is_finite() and abs(known.adjusted()) < _FINEST and setting.low <= known <= setting.high:
                return {"whole": int, "share": Fraction, "seconds": float}[str(setting.kind)](number)
        case (("text" | "path"), str()) | (("name" | "rounds"), str()) if value or setting.kind in ("text", "path"):
            return value
        case "log", str() if value.endswith(".jsonl"):
            return value
        case (("texts" | "globs" | "labels"), str()) if value:
            return value_of(setting, [value])
        case (("texts" | "globs" | "labels"), list()) if all(
            isinstance(text, str) and text.strip() and len(text) <= LONGEST for text in value
        ):
            for glob in value if setting.kind == "globs" else ():
                check_glob(glob)
            return tuple(value)
        case (("people" | "rounds" | "labels"), dict()):
            return _plain(setting, value)
    raise NotAllowedError(setting.allowed_values)


def check_glob(glob: str, *, path: bool = True) -> None:
    """Raises NotAllowedError where a glob, of paths or of names, can mean nothing."""
    try:
        globs.matches_path(glob, "") if path else globs.matches_name(glob, "")
    except globs.BadGlobError as error:
        raise NotAllowedError(f"a glob: {error}") from None


def share_of(text: str) -> Fraction:
    """A rate as a person writes it in a frontmatter, a flag or a configuration: ``0.2``, ``.2``, ``20%``.

    Raises:
        NotAllowedError: it is not a number from 0 to 1.
    """
    match = re.fullmatch(r"\s*([0-9]{1,20}(?:\.[0-9]{0,20})?|\.[0-9]{1,20})\s*(%?)\s*", text)
    share = Fraction(match[1]) / (100 if match[2] else 1) if match else None
    if share is None or share > 1:
        raise NotAllowedError(KINDS["share"])
    return share


def as_toml(value: object) -> str:
    """A value as it is written in a configuration file."""
    if isinstance(value, Fraction):
        return f"{Decimal(value.numerator) / Decimal(value.denominator):f}"
    return repr(value).removesuffix(".0") if isinstance(value, float) else as_written(value, "toml")


def _plain(setting: Setting, value: object) -> object:
    """A table as a frontmatter would hold it: every scalar is a text, lists and tables keep their shape."""
    if isinstance(value, dict):
        return {str(key): _plain(setting, item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(setting, item) for item in value]
    if isinstance(value, str | int | Decimal) and not isinstance(value, bool):
        return str(value)
    raise NotAllowedError(setting.allowed_values)
