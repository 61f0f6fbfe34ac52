"""Values set in the text of a configuration file, its comments and layout kept."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping, MutableMapping
from decimal import Decimal
from typing import Any

from mdtally.model import Problem, Region
from mdtally.settings import ConfigText, load
from mdtally.settings.schema import OPTIONS, OWN_KEYS, Option, Path, option_at
from mdtally.settings.values import NotAllowedError, allowed, shown, value_of

Change = Callable[[MutableMapping[str, Any]], object]
"""Makes a change in the table of a whole file: in tomlkit's, which keeps the layout, and in the plain one for proof."""


def set_values(text: str, values: Mapping[str, str], *, path: str = "mdtally.toml") -> str | Problem:
    """Set settings in the text of a configuration file, all of them or none.

    Args:
        text: the file's text; "" for a new file.
        values: by dotted key, such as ``lint.mode`` or ``model.claude-*.sycophancy-ceiling`` (quotes around a name
            between dots may be left out), the value as typed: a number, a word, ``true``, or a comma-separated list.
        path: the file's path; in a ``pyproject.toml`` the settings go under ``[tool.mdtally]``.

    Returns:
        the text with the values set and all else as it was; or a Problem (rule "invalid-configuration") where the file
        is broken, a key unknown, or a value not allowed: it names the allowed range.
    """
    import tomlkit

    new: dict[Path, object] = {}
    for key, typed in values.items():
        names = _names(key)
        option = option_at(names)
        if option is None or names[0] == "transcript" or option.key in OWN_KEYS:
            # The same words as for a file that holds the key.
            _, problems = load([ConfigText("", f"{'.'.join(map(shown, names))} = 0\n")])
            return _problem(problems[0].removeprefix(":1: ") if problems else f"write {key} by hand")
        try:
            new[(*_prefix(path), *names)] = tomlkit.value(_as_toml(option, typed.strip()))
        except NotAllowedError as error:
            return _problem(f"{key} is {typed!r}; it has to be {error}")

    def change(document: MutableMapping[str, Any]) -> None:
        for names, value in new.items():
            _table_at(document, names[:-1])[names[-1]] = value

    return _edited(text, path, change)


def add_transcript(text: str, form: Mapping[str, object], *, path: str = "mdtally.toml") -> str | Problem:
    """Add a ``[[transcript]]`` to a configuration file's text, before the others, because the first that fits holds.

    Args:
        text: the file's text; "" for a new file.
        form: its keys with texts, lists or tables of them: ``{"files": "debates/**", "turn": "## {speaker}"}``. One of
            the same ``files`` is given these patterns instead, and keeps its other keys.
        path: the file's path; in a ``pyproject.toml`` it is ``[[tool.mdtally.transcript]]``.

    Returns:
        the text with the table added and all else as it was; or a Problem as of ``set_values``.
    """
    names = (*_prefix(path), "transcript")
    added = f"[[{'.'.join(names)}]]\n" + "".join(f"{key} = {shown(value)}\n" for key, value in form.items())
    _, problems = load([ConfigText("pyproject.toml" if _prefix(path) else "mdtally.toml", added)])
    if problems:
        return _problem(problems[0])

    def update(document: MutableMapping[str, Any]) -> bool:
        """Give the form of the same files the patterns; False where there is none."""
        for one in _table_at(document, names[:-1]).get("transcript", ()):
            if one.get("files") in (form["files"], [form["files"]]):
                for key in ("turn", "round", "end"):
                    one.pop(key, None)
                one.update(form)
                return True
        return False

    def insert(document: MutableMapping[str, Any]) -> None:
        _table_at(document, names[:-1]).setdefault("transcript", []).insert(0, dict(form))

    # A comment above the first one is about that one.
    dotted = r"[ \t]*\.[ \t]*".join(names)
    first = re.search(rf"^(?:[ \t]*#.*\n)*[ \t]*\[\[[ \t]*{dotted}[ \t]*\]\]", text, re.MULTILINE)
    if first and load([ConfigText(path, text)])[0].transcripts and update(tomllib.loads(text)):
        return _edited(text, path, update)
    at = first.start() if first else len(text)
    gap = "" if first or not text else "\n" if text.endswith("\n") else "\n\n"
    end = "\n" if first else ""
    return _proved(text, text[:at] + gap + added + end + text[at:], path, insert)


def _edited(text: str, path: str, change: Change) -> str | Problem:
    """The text with a change made in its layout, and proved."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        document = tomlkit.parse(text)
        change(document)
        return _proved(text, tomlkit.dumps(document), path, change)
    except (TOMLKitError, ValueError, KeyError, AttributeError, TypeError):
        return _proved(text, text, path, change)


def _proved(text: str, edited: str, path: str, change: Change) -> str | Problem:
    """The edited text with the newlines of the old one, if it reads as the old one does with the change made in it."""
    if "\r\n" in text and "\n" not in text.replace("\r\n", ""):
        edited = edited.replace("\r\n", "\n").replace("\n", "\r\n")
    try:
        expected = tomllib.loads(text)
        change(expected)
        if tomllib.loads(edited) == expected:
            return edited
    except (ValueError, KeyError, AttributeError, TypeError):
        _, problems = load([ConfigText(path, text)])
        if broken := next((problem for problem in problems if "not valid TOML" in problem), None):
            return _problem(broken)
    return _problem(f"{path}: its form is unusual; change it by hand")


def _table_at(document: MutableMapping[str, Any], names: Path) -> MutableMapping[str, Any]:
    """The table that names lead to, made where it is missing."""
    import tomlkit

    table = document
    for name in names:
        if name not in table:
            is_super = name in ("tool", "domain", "model")
            table[name] = tomlkit.table(is_super) if isinstance(document, tomlkit.TOMLDocument) else {}
        table = table[name]
    return table


def _names(key: str) -> Path:
    """The parts of a dotted key as typed: what a name between dots may be is known from the options."""
    for option in OPTIONS:
        before, star, after = option.key.partition("*")
        name = key.removeprefix(before).removesuffix(after)
        if star and name and key == f"{before}{name}{after}":
            return (*before.split(".")[:-1], re.sub(r"""^(["'])(.*)\1$""", r"\2", name), *after.split(".")[1:])
    return tuple(key.split("."))


def _as_toml(option: Option, text: str) -> str:
    """A typed value as TOML has it; a number stays as it was typed: 0.20, not 0.2.

    Raises:
        NotAllowedError: it is not of the option's type, or out of bounds.
    """
    if isinstance(option.kind, tuple) or option.kind in ("text", "name", "log") or text.endswith("%"):
        text = shown(text)
    elif option.kind in ("list", "globs") and not text.startswith("["):
        text = shown([word.strip() for word in text.split(",") if word.strip()])
    elif text.startswith("."):
        text = f"0{text}"
    try:
        ((_, value),) = tomllib.loads(f"value = {text}", parse_float=Decimal).items()
    except ValueError:
        raise NotAllowedError(allowed(option)) from None
    value_of(option, value)
    return text


def _prefix(path: str) -> Path:
    return ("tool", "mdtally") if path.replace("\\", "/").endswith("pyproject.toml") else ()


def _problem(message: str) -> Problem:
    return Problem("invalid-configuration", message, Region(1, 1, 1, 1))
