"""Values set in the text of a configuration file, its comments and layout kept."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping, MutableMapping
from contextlib import suppress
from typing import Any

from mdtally.model import Problem, Region
from mdtally.settings import ConfigText, load
from mdtally.settings.schema import OPTIONS, Path, shown

Change = Callable[[MutableMapping[str, Any]], object]
"""Makes a change in the table of a whole file: in tomlkit's, which keeps the layout, and in the plain one for proof."""


def set_values(text: str, values: Mapping[str, str], *, path: str = "mdtally.toml") -> str | Problem:
    """The text of a configuration file ("" for a new one) with settings set, all of them or none, and all else as it
    was; a Problem (rule "invalid-configuration") where it is broken, a key unknown, or a value not allowed.

    Args:
        values: by dotted key, such as ``lint.mode`` or ``model.claude-*.sycophancy-ceiling`` (quotes around a name
            between dots may be left out), the value as typed: a number, a word, ``true``, or a comma-separated list.
        path: the file's path; in a ``pyproject.toml`` the settings go under ``[tool.mdtally]``.
    """
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    new: dict[Path, object] = {}
    for key, typed in values.items():
        names, typed = _names(key), typed.strip()
        words = [word.strip() for word in typed.split(",") if word.strip()]
        # The first that the key takes: a value of TOML, a number such as .2, a list, a text.
        choices = [typed, f"0{typed}" if typed.startswith(".") else "", shown(words), shown(typed)]
        problem = f"{key}: a list is written as in TOML"
        for value in choices[:1] if typed.startswith("[") else choices:
            with suppress(TOMLKitError):
                new[names] = tomlkit.value(value)
                _, problems = load([ConfigText("", f"{'.'.join(map(shown, names))} = {value}\n")])
                problem = problems[0].removeprefix(":1: ") if problems else ""
                if not problem:
                    break
        if problem:
            return _problem(problem)

    def change(table: MutableMapping[str, Any]) -> None:
        for names, value in new.items():
            _table_at(table, names[:-1])[names[-1]] = value

    return _edited(text, path, change)


def add_transcript(text: str, form: Mapping[str, object], *, path: str = "mdtally.toml") -> str | Problem:
    """The text of a configuration file with a ``[[transcript]]`` before the others, because the first that fits holds;
    all else as it was, or a Problem, as of ``set_values``.

    Args:
        form: its keys with texts, lists or tables of them: ``{"files": "debates/**", "turn": "## {speaker}"}``. One of
            the same ``files`` is given these patterns instead, and keeps its other keys.
    """
    config = ConfigText(path, text)
    names = (*config.prefix, "transcript")
    added = f"[[{'.'.join(names)}]]\n" + "".join(f"{key} = {shown(value)}\n" for key, value in form.items())
    if problems := load([ConfigText(path, added)])[1]:
        return _problem(problems[0])
    known = config.table.get("transcript") if isinstance(config.table, dict) else None
    files = [one.get("files") if isinstance(one, dict) else None for one in known] if isinstance(known, list) else []
    at = next((n for n, one in enumerate(files) if one in (form["files"], [form["files"]])), None)

    def change(table: MutableMapping[str, Any]) -> None:
        forms = _table_at(table, ()).setdefault("transcript", [])
        if at is None:
            forms.insert(0, dict(form))
        else:
            for key in ("turn", "round", "end"):
                forms[at].pop(key, None)
            forms[at].update(form)

    if at is not None:
        return _edited(text, path, change)
    # A comment above the first one is about that one.
    dotted = r"[ \t]*\.[ \t]*".join(names)
    first = re.search(rf"^(?:[ \t]*#.*\n)*[ \t]*\[\[[ \t]*{dotted}[ \t]*\]\]", text, re.MULTILINE)
    start = first.start() if first else len(text)
    gap = "" if first or not text else "\n" if text.endswith("\n") else "\n\n"
    return _proved(text, text[:start] + gap + added + ("\n" if first else "") + text[start:], path, change)


def _edited(text: str, path: str, change: Change) -> str | Problem:
    """The text with a change made in its layout, and proved."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        document = tomlkit.parse(text)
        change(_table_at(document, ConfigText(path, "").prefix))
        return _proved(text, tomlkit.dumps(document), path, change)
    except (TOMLKitError, ValueError, KeyError, AttributeError, TypeError):
        return _proved(text, text, path, change)


def _proved(text: str, edited: str, path: str, change: Change) -> str | Problem:
    """The edited text with the newlines of the old one, if it reads as the old one does with the change made in it."""
    if "\r\n" in text and "\n" not in text.replace("\r\n", ""):
        edited = edited.replace("\r\n", "\n").replace("\n", "\r\n")
    try:
        expected = tomllib.loads(text)
        change(_table_at(expected, ConfigText(path, "").prefix))
        if tomllib.loads(edited) == expected:
            return edited
    except (ValueError, KeyError, AttributeError, TypeError):
        broken = ConfigText(path, text).table
        if isinstance(broken, str):
            return _problem(broken)
    return _problem(f"{path}: its form is unusual; change it by hand")


def _table_at(table: MutableMapping[str, Any], names: Path) -> MutableMapping[str, Any]:
    """The table that names lead to, made where it is missing."""
    import tomlkit

    is_kept = isinstance(table, tomlkit.TOMLDocument | tomlkit.items.Table)
    for name in names:
        if name not in table:
            table[name] = tomlkit.table(name in ("tool", "domain", "model")) if is_kept else {}
        table = table[name]
    return table


def _names(key: str) -> Path:
    """The parts of a dotted key as typed: what a name between dots may be is known from the options."""
    for option in OPTIONS:
        if "*" in option.key and (found := re.fullmatch(re.escape(option.key).replace(r"\*", "(.+)"), key)):
            name = re.sub(r"""^(["'])(.*)\1$""", r"\2", found[1])
            return tuple(name if part == "*" else part for part in option.parts)
    return tuple(key.split("."))


def _problem(message: str) -> Problem:
    return Problem("invalid-configuration", message, Region(1, 1, 1, 1))
