"""``config set``: one value changed in a configuration file, its comments and layout kept."""

from __future__ import annotations

import re
from collections.abc import MutableMapping
from decimal import Decimal
from typing import Any, cast

from mdtally.model import Problem, Region
from mdtally.settings import ConfigText, load
from mdtally.settings.schema import (
    BY_KEY,
    EXTEND_OPTION,
    GROUPS,
    SEVERITY_KEY,
    SEVERITY_OPTION,
    THRESHOLDS,
    NotAllowedError,
    Option,
    allowed,
    value_of,
)

__all__ = ["set_value"]

_NUMBER = re.compile(r"(?:0|[1-9][0-9]*)(?:\.[0-9]+)?|\.[0-9]+")


def set_value(text: str, key: str, value: str, *, path: str = "mdtally.toml") -> str | Problem:
    """Set one setting in the text of a configuration file.

    Args:
        text: the file's text; "" for a new file.
        key: a dotted key, such as ``lint.mode`` or ``model.claude-*.sycophancy-ceiling``; quotes around a name between
            dots may be left out.
        value: the value as typed: a number, a word, ``true``, or a comma-separated list.
        path: the file's path; in a ``pyproject.toml`` the setting goes under ``[tool.mdtally]``.

    Returns:
        the text with the value set and all else as it was; or a Problem (rule "invalid-configuration") where the file
        is broken, the key unknown, or the value not allowed: it names the allowed range.
    """
    found = _option(key)
    if found is None:
        # The same words as for a file that holds the key.
        _, problems = load([ConfigText("", f"{_quoted(key)} = 0\n")])
        return _problem(problems[0].removeprefix(":1: "))
    names, option = found
    try:
        plain = _typed(option, value)
        value_of(option, plain)
    except NotAllowedError as error:
        return _problem(f"{key} is {value!r}; it has to be {error}")
    import tomlkit
    from tomlkit.exceptions import TOMLKitError
    from tomlkit.items import Float, Trivia

    _, problems = load([ConfigText(path, text)])
    broken = next((problem for problem in problems if "not valid TOML" in problem), None)
    if broken:
        return _problem(broken)
    try:
        document = tomlkit.parse(text)
        table: MutableMapping[str, Any] = document
        prefix = ("tool", "mdtally") if path.replace("\\", "/").endswith("pyproject.toml") else ()
        for name in (*prefix, *names[:-1]):
            if name not in table:
                table[name] = tomlkit.table(is_super_table=name in ("tool", *GROUPS))
            table = table[name]
            if not isinstance(table, MutableMapping):
                return _problem(f"{path}: '{name}' is no table, so {key} can't be set in it")
        # A number stays as it was typed: 0.20, not 0.2.
        table[names[-1]] = Float(float(plain), Trivia(), _float_text(value)) if isinstance(plain, Decimal) else plain
        edited = tomlkit.dumps(document)
    except (TOMLKitError, ValueError, KeyError):
        return _problem(f"{path}: its form is unusual; set {key} by hand")
    if "\r\n" in text and "\n" not in text.replace("\r\n", ""):
        edited = edited.replace("\r\n", "\n").replace("\n", "\r\n")
    return edited if _is_proved(text, edited, (*prefix, *names), plain) else _problem(f"{path}: set {key} by hand")


def _is_proved(text: str, edited: str, path: tuple[str, ...], value: object) -> bool:
    """True where the edited text differs from the text in that one value."""
    import tomllib

    before, after = (tomllib.loads(part, parse_float=Decimal) for part in (text, edited))
    table: Any = before
    for name in path[:-1]:
        table = table.setdefault(name, {})
    table[path[-1]] = value
    return before == after


def _option(key: str) -> tuple[tuple[str, ...], Option] | None:
    """The parts of a dotted key, and its option."""
    if key == "extend":
        return (key,), EXTEND_OPTION
    if key in BY_KEY:
        return tuple(key.split(".")), BY_KEY[key]
    if key.startswith(f"{SEVERITY_KEY}."):
        rule = _bare(key.removeprefix(f"{SEVERITY_KEY}."))
        return (*SEVERITY_KEY.split("."), rule), SEVERITY_OPTION
    group, _, rest = key.partition(".")
    name, _, last = rest.rpartition(".")
    if group in GROUPS and name and BY_KEY.get(last) in THRESHOLDS:
        return (group, _bare(name), last), BY_KEY[last]
    return None


def _typed(option: Option, value: str) -> object:
    """A typed value in the type TOML gives it.

    Raises:
        NotAllowedError: it is not of the option's type.
    """
    text = value.strip()
    match option.kind:
        case "whole" if re.fullmatch(r"0|[1-9][0-9]{0,9}", text):
            return int(text)
        case "share" | "seconds" if _NUMBER.fullmatch(text):
            return Decimal(_float_text(text)) if "." in text else int(text)
        case "switch" if text in ("true", "false"):
            return text == "true"
        case "choice" | "text":
            return text
        case "list":
            return _list(text)
    raise NotAllowedError(allowed(option))


def _list(text: str) -> list[str]:
    if text.startswith("["):
        import tomllib

        try:
            return cast("list[str]", tomllib.loads(f"list = {text}\n")["list"])
        except ValueError:
            raise NotAllowedError("words between commas, or a list of texts in quotes") from None
    return [word.strip() for word in text.split(",") if word.strip()]


def _float_text(text: str) -> str:
    text = text.strip()
    return f"0{text}" if text.startswith(".") else text


def _bare(name: str) -> str:
    return name[1:-1] if len(name) > 1 and name[0] == name[-1] and name[0] in "\"'" else name


def _quoted(key: str) -> str:
    import json

    return ".".join(json.dumps(part) for part in key.split("."))


def _problem(message: str) -> Problem:
    return Problem("invalid-configuration", message, Region(1, 1, 1, 1))
