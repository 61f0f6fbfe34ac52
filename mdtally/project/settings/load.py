"""From configuration files as they were found to one frozen object that says where each value comes from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any

from mdtally.project.settings.schema import DESIGN_NAMES, OWN_KEYS, Setting, Settings, SetValue
from mdtally.project.settings.texts import ConfigProblem, ConfigText
from mdtally.project.settings.values import NotAllowedError, advice, check_glob, setting_at, value_of
from mdtally.text.model import KeyPath, TranscriptForm
from mdtally.text.records import by_key
from mdtally.text.safe import excerpt


def load(texts: Sequence[ConfigText], root: str = "") -> tuple[Settings, tuple[ConfigProblem, ...]]:
    """The settings that configuration files make: the nearest one, then the user's own; none for the defaults.

    Beside them is each thing that is wrong; what is wrong is left out. The globs of the user's own configuration start
    where the project's do: in the folder of its configuration, else in its root.
    """
    problems: list[ConfigProblem] = []
    found: dict[KeyPath, SetValue] = {}
    holding = [text for text in texts if text.role != "ignored"]
    for text in holding:
        # The forms of transcripts add up, those of the nearest file first; of all other values the nearest holds.
        above = max((int(path[1]) for path in found if path[0] == "transcript"), default=0)
        for path, value in _values(text, problems).items():
            key = ("transcript", str(int(path[1]) + above), path[2]) if path[0] == "transcript" else path
            found.setdefault(key, value)
    folder = next((text.folder for text in holding if text.role == "project"), root)
    fields: dict[str, Any] = {}
    forms: dict[str, dict[str, Any]] = {}
    for path, one in found.items():
        match one.setting.parts:
            case ("transcript", _, _):
                forms.setdefault(path[1], {"folder": folder})[one.setting.field] = one.value
            case (*_, "*"):
                fields.setdefault(one.setting.field, {})[path[-1]] = one.value
            case parts if "*" not in parts:
                fields[one.setting.field] = one.value
    settings = Settings(
        **fields,
        transcripts=tuple(TranscriptForm(**form) for form in forms.values()),
        folder=folder,
        notices=tuple(text.error for text in texts if text.role == "ignored"),
        set_values=found,
    )
    return settings, tuple(problems)


def _values(text: ConfigText, problems: list[ConfigProblem]) -> dict[KeyPath, SetValue]:
    """Each value of one file by the parts of its key; what is wrong with it is added to the problems."""
    table = text.table
    if isinstance(table, ConfigProblem):
        problems.append(table)
        table = {}
    known: set[KeyPath] = set()
    values: dict[KeyPath, SetValue] = {}
    for written, value in _leaves(table or {}):
        path, key = DESIGN_NAMES.get(written, written), excerpt(".".join(written))
        setting, message = setting_at(path), ""
        if setting is None:
            message = f"unknown key '{key}'; {excerpt(advice(path))}"
        elif setting.key in OWN_KEYS and text.role != "own":
            own = "$XDG_CONFIG_HOME/mdtally/mdtally.toml, or ~/.config/mdtally/mdtally.toml"
            message = f"only your own configuration can say {key}: {own}"
        elif path in known:
            other = next(".".join(name) for name, meant in DESIGN_NAMES.items() if meant == path)
            message = f"{setting.key} is set twice; {other} is another name of it"
        else:
            try:
                known.add(path)
                values[path] = SetValue(setting, _typed_value(path, setting, value, text), text, written)
            except NotAllowedError as error:
                message = f"{key} has to be {error}"
        if message:
            problems.append(ConfigProblem(text.path, message, text.line_of(written)))
    keys_in = by_key((path[:2], path[-1]) for path in known)
    forms = {path[:2]: {*keys_in[path[:2]]} for path in values if path[0] == "transcript"}
    lacking = {form: "turn" if keys == {"files"} else "files" for form, keys in forms.items() if not {"files"} < keys}
    for form, key in lacking.items():
        message = f"a [[transcript]] without {key} holds for nothing"
        problems.append(ConfigProblem(text.path, message, text.line_of(form)))
    return {path: value for path, value in values.items() if path[:2] not in lacking}


def _typed_value(path: KeyPath, setting: Setting, value: object, text: ConfigText) -> object:
    """A value in the type that ``Settings`` holds; NotAllowedError is raised where it can't be one."""
    if setting.names:
        check_glob(path[setting.parts.index("*")], path=setting.names == "paths")
    found = value_of(setting, value)
    return str(PurePath(text.path).parent / str(found)) if setting.key == "templates" and found else found


def _leaves(table: Mapping[str, object], above: KeyPath = ()) -> Iterator[tuple[KeyPath, object]]:
    """Each value of a table with the parts of its key; the tables of an array are numbered from one."""
    for key, value in table.items():
        path = (*above, key)
        if path == ("transcript",):
            tables = value if isinstance(value, list) and all(isinstance(one, dict) for one in value) else None
            value = tables and {str(number): one for number, one in enumerate(tables, 1)}
        if isinstance(value, dict) and setting_at(path) is None:
            yield from _leaves(value, path)
        else:
            yield path, value
