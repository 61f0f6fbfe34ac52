"""Values set in the text of a configuration file, its comments and layout kept.

tomlkit makes the change in the layout; it is used only if the text then reads as the old one does with the same change
made in it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping, MutableMapping
from contextlib import suppress
from typing import Any

from mdtally.project.settings.load import load
from mdtally.project.settings.texts import ConfigProblem, ConfigText
from mdtally.project.settings.values import as_toml
from mdtally.text.model import KeyPath, Refusal

Change = Callable[[MutableMapping[str, Any]], object]
"""Makes a change in the table of settings: in tomlkit's, which keeps the layout, and in the plain one for proof."""


def set_values(text: str, values: Mapping[KeyPath, str], *, path: str = "mdtally.toml") -> str | Refusal:
    """The text of a configuration file ("" for a new one) with settings set, and all else as it was; a refusal where it
    is broken.

    Args:
        values: by the parts of a key, such as ("model", "claude-*", "sycophancy-ceiling"), the value as TOML has it.
        path: the file's path; in a ``pyproject.toml`` the settings go under ``[tool.mdtally]``.
    """
    import tomlkit

    def change(table: MutableMapping[str, Any]) -> None:
        for names, value in values.items():
            _table_at(table, names[:-1])[names[-1]] = tomlkit.value(value)

    return _edit_text(text, path, change)


def add_transcript(text: str, form: Mapping[str, object], *, path: str = "mdtally.toml") -> str | Refusal:
    """The text of a configuration file with a ``[[transcript]]`` before the others, because the first that fits holds;
    all else as it was, or a refusal, as of ``set_values``.

    Args:
        form: its keys with texts, lists or tables of them: ``{"files": "debates/**", "turn": "## {speaker}"}``. One of
            the same ``files`` is given these patterns instead, and keeps its other keys.
    """
    config = ConfigText(path, text)
    names = (*config.prefix, "transcript")
    added = f"[[{'.'.join(names)}]]\n" + "".join(f"{key} = {as_toml(value)}\n" for key, value in form.items())
    if problems := load([ConfigText(path, added)])[1]:
        return Refusal(problems[0].message)
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
        return _edit_text(text, path, change)
    # A comment above the first one is about that one.
    dotted = r"[ \t]*\.[ \t]*".join(names)
    first = re.search(rf"^(?:[ \t]*#.*\n)*[ \t]*\[\[[ \t]*{dotted}[ \t]*\]\]", text, re.MULTILINE)
    start = first.start() if first else len(text)
    gap = "" if first or not text else "\n" if text.endswith("\n") else "\n\n"
    return _prove_edit(text, text[:start] + gap + added + ("\n" if first else "") + text[start:], path, change)


def _edit_text(text: str, path: str, change: Change) -> str | Refusal:
    """The text with a change made in its layout, and proved."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        document = tomlkit.parse(text)
        change(_table_at(document, ConfigText(path, "").prefix))
        return _prove_edit(text, tomlkit.dumps(document), path, change)
    except (TOMLKitError, ValueError, KeyError, AttributeError, TypeError):
        return _prove_edit(text, text, path, change)


def _prove_edit(text: str, edited: str, path: str, change: Change) -> str | Refusal:
    """The edited text with the newlines of the old one, if it reads as the old one does with the change made in it."""
    if "\r\n" in text and "\n" not in text.replace("\r\n", ""):
        edited = edited.replace("\r\n", "\n").replace("\n", "\r\n")
    config = ConfigText(path, text)
    if isinstance(config.table, ConfigProblem):
        return Refusal(str(config.table))
    with suppress(ValueError, KeyError, AttributeError, TypeError):
        expected = tomllib.loads(text)
        change(_table_at(expected, config.prefix))
        if tomllib.loads(edited) == expected:
            return edited
    return Refusal(f"{path}: its form is unusual; change it by hand")


def _table_at(table: MutableMapping[str, Any], names: KeyPath) -> MutableMapping[str, Any]:
    """The table that names lead to, made where it is missing."""
    import tomlkit

    is_kept = isinstance(table, tomlkit.TOMLDocument | tomlkit.items.Table)
    for name in names:
        if name not in table:
            table[name] = tomlkit.table(name in ("tool", "domain", "model")) if is_kept else {}
        table = table[name]
    return table
