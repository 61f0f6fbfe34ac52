"""The configuration: texts as they were found, to one frozen object that says where each value comes from.

Pure: the disk is ``files``' own, which finds the nearest configuration of a file and those it extends. The schema is
the table in ``schema``. Only the standard library's TOML reader is used here, since this runs at every command;
``write`` is imported by the one command that writes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from pathlib import PurePath
from typing import Any, Literal, cast

from mdtally.head.common import visible
from mdtally.model import Head, Matching, Problem, Region, Severity, Thresholds
from mdtally.settings.schema import (
    BY_KEY,
    EXTEND_OPTION,
    GROUPS,
    OPTIONS,
    SEVERITY_KEY,
    SEVERITY_OPTION,
    THRESHOLDS,
    NotAllowedError,
    Option,
    share_of,
    shown,
    value_of,
)

__all__ = ["ConfigText", "Settings", "extends", "has_table", "load", "rows", "thresholds"]

LOW_CEILING = Fraction(1, 10)
"""Under it, one event decides the verdict of a ten-event session, so a ceiling has to be set with care."""


@dataclass(frozen=True, slots=True)
class ConfigText:
    """A configuration file as it was found.

    Attributes:
        path: its path, as messages name it; ``pyproject.toml`` holds its settings under ``[tool.mdtally]``.
        text: its content, without a BOM; "" where it can't be read.
        error: why it can't be read, or "".
    """

    path: str
    text: str
    error: str = ""


@dataclass(frozen=True)
class Settings:
    """The effective configuration of a file. Each field is explained by its entry in ``schema.OPTIONS``.

    Attributes:
        domains: domain -> its thresholds, by field name.
        models: glob -> its thresholds, by field name.
        severity: rule, by code or name -> its severity.
        origins: dotted key -> "path:line" of each value that is no default.
    """

    sycophancy_ceiling: Fraction = Fraction(1, 5)
    overcorrection_floor: Fraction = Fraction(1, 20)
    log: str = "state/calibration-log.jsonl"
    templates: str = ""
    output_format: str = "full"
    mode: Literal["off", "warn", "regenerate"] = "warn"
    max_regenerations: int = 1
    timeout: float = 120.0
    select: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    strict: bool = False
    min_words: int = 12
    matching: Matching = "prose"
    language: str = ""
    forbidden_phrases: tuple[str, ...] = ()
    fail_level: Severity = "warning"
    domains: Mapping[str, Mapping[str, Fraction]] = field(default_factory=dict)
    models: Mapping[str, Mapping[str, Fraction]] = field(default_factory=dict)
    severity: Mapping[str, Severity] = field(default_factory=dict)
    origins: Mapping[str, str] = field(default_factory=dict)


# -- From texts to settings -------------------------------------------------------------------------------------------


def load(texts: Sequence[ConfigText]) -> tuple[Settings, tuple[str, ...]]:
    """The settings that configuration files make.

    Args:
        texts: the nearest file, then the one it extends, then the one that extends, and so on; none for the defaults.

    Returns:
        the settings, and a line for each thing that is wrong, with path and line; what is wrong is left out.
    """
    problems: list[str] = []
    values: dict[str, object] = {}
    origins: dict[str, str] = {}
    for text in reversed(texts):
        found, faults = _read(text)
        # A list of faults reads from the nearest file on.
        problems = [*faults, *problems]
        for key, (value, origin) in found.items():
            values[key], origins[key] = value, origin
    fields: dict[str, Any] = {option.field: values[option.key] for option in OPTIONS if option.key in values}
    groups: dict[str, dict[str, dict[str, Fraction]]] = {name: {} for name in GROUPS}
    severity: dict[str, Severity] = {}
    for key, value in values.items():
        group, _, rest = key.partition(".")
        if group in GROUPS:
            name, _, last = rest.rpartition(".")
            groups[group].setdefault(name, {})[BY_KEY[last].field] = cast(Fraction, value)
        elif key.startswith(f"{SEVERITY_KEY}."):
            severity[key.removeprefix(f"{SEVERITY_KEY}.")] = cast(Severity, value)
    settings = Settings(**fields, domains=groups["domain"], models=groups["model"], severity=severity, origins=origins)
    return settings, tuple(problems)


def extends(text: ConfigText) -> str | None:
    """The path a configuration file extends, as it is written there; None where it extends none or can't be read."""
    table = _table(text)
    found = table.get("extend") if isinstance(table, dict) else None
    return found if isinstance(found, str) and found else None


def has_table(text: ConfigText) -> bool:
    """True where a file is a configuration of ours: any but a ``pyproject.toml`` without ``[tool.mdtally]``.

    A broken ``pyproject.toml`` is one if it names the table: its fault has to be told.
    """
    if PurePath(text.path).name != "pyproject.toml":
        return True
    # Most are other tools' alone, which is told without a parser.
    if text.error or "mdtally" not in text.text:
        return False
    table = _table(text)
    return table is not None if not isinstance(table, str) else "[tool.mdtally" in text.text


def _table(text: ConfigText) -> dict[str, object] | str | None:
    """The table of settings; a line on what is wrong where it can't be read; None for a pyproject.toml without it."""
    import tomllib

    if text.error:
        return f"{text.path}: {text.error}"
    try:
        table: object = tomllib.loads(text.text, parse_float=Decimal)
    except (ValueError, ArithmeticError, RecursionError):
        from mdtally.head.toml_text import Fault, fault

        found = fault(text.text) or Fault(1, 1, "a number in it is too long")
        return f"{text.path}:{found.line}:{found.column}: not valid TOML: {found.message}"
    if PurePath(text.path).name == "pyproject.toml":
        for key in ("tool", "mdtally"):
            table = table.get(key) if isinstance(table, dict) else None
        if table is not None and not isinstance(table, dict):
            return f"{text.path}: tool.mdtally is a table: [tool.mdtally]"
    return cast("dict[str, object] | None", table)


def _read(text: ConfigText) -> tuple[dict[str, tuple[object, str]], list[str]]:
    """Dotted key -> (value, "path:line") of one file, and what is wrong with it."""
    table = _table(text)
    if isinstance(table, str):
        return {}, [table]
    places = _Places(text)
    values: dict[str, tuple[object, str]] = {}
    problems: list[str] = []
    for path, option, value in _leaves(table or {}):
        key, origin = ".".join(path), places.of(path)
        if option is None:
            problems.append(f"{origin}: unknown key '{visible(key)}'; {visible(_nearest(key, value))}")
            continue
        try:
            good = value_of(option, value)
        except NotAllowedError as error:
            problems.append(f"{origin}: {visible(key)} is {_brief(value)}; it has to be {error}")
            continue
        if option.key == "templates" and good:
            good = str(PurePath(text.path).parent / str(good))
        if option.key != "extend":
            values[key] = good, origin
    return values, problems


def _leaves(table: Mapping[str, object]) -> Iterator[tuple[tuple[str, ...], Option | None, object]]:
    """Each value of a table with its path and its option; None for one that is unknown."""
    for key, value in table.items():
        if key in GROUPS and isinstance(value, dict):
            yield from _group(key, value)
        elif key == "lint" and isinstance(value, dict):
            for name, item in value.items():
                path = (key, name)
                if ".".join(path) == SEVERITY_KEY and isinstance(item, dict):
                    yield from (((*path, rule), SEVERITY_OPTION, word) for rule, word in item.items())
                else:
                    yield path, BY_KEY.get(".".join(path)), item
        else:
            # "lint.mode" in quotes is a key with a dot in it, not a setting.
            yield (key,), EXTEND_OPTION if key == "extend" else BY_KEY.get(key) if "." not in key else None, value


def _group(group: str, members: Mapping[str, object]) -> Iterator[tuple[tuple[str, ...], Option | None, object]]:
    for name, member in members.items():
        if not isinstance(member, dict):
            yield (group, name), None, member
            continue
        for key, value in member.items():
            option = BY_KEY.get(key)
            yield (group, name, key), option if option in THRESHOLDS else None, value


class _Places:
    """Where keys stand in a file, as "path:line"."""

    def __init__(self, text: ConfigText) -> None:
        self._path = text.path
        self._text = text.text
        self._prefix = ("tool", "mdtally") if PurePath(text.path).name == "pyproject.toml" else ()
        self._lines: Mapping[tuple[str, ...], int] | None = None

    def of(self, path: tuple[str, ...]) -> str:
        """The line of a key; of the inline table it stands in where it has no line of its own."""
        if self._lines is None:
            from mdtally.head.toml_text import key_lines

            self._lines = key_lines(self._text)
        path = (*self._prefix, *path)
        while path and path not in self._lines:
            path = path[:-1]
        return f"{self._path}:{self._lines.get(path, 1)}"


def _nearest(key: str, value: object) -> str:
    """Advice for an unknown key."""
    import difflib

    group, _, rest = key.partition(".")
    if group in GROUPS and rest:
        if "." not in rest:
            return f"[{group}.{rest}] is a table with {' and '.join(option.key for option in THRESHOLDS)}"
        candidates = {option.key: f"{group}.{rest.rpartition('.')[0]}.{option.key}" for option in THRESHOLDS}
        nearest = difflib.get_close_matches(rest.rpartition(".")[2], candidates, 1, 0)[0]
        return f"the nearest valid one is '{candidates[nearest]}'"
    written = key.replace("_", "-")
    names = [option.key for option in OPTIONS] + ["extend", SEVERITY_KEY]
    if isinstance(value, dict):
        names = ["lint", *GROUPS, SEVERITY_KEY]
    # A key that only lacks its table, such as "mode", is nearest to "lint.mode".
    for name in names:
        if name.rpartition(".")[2] == written.rpartition(".")[2]:
            return f"the nearest valid one is '{name}'"
    return f"the nearest valid one is '{difflib.get_close_matches(written, names, 1, 0)[0]}'"


def _brief(value: object) -> str:
    """A value of a configuration file, short enough for a message."""
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list):
        return "a list"
    text = shown(value) if isinstance(value, bool | str) else str(value)
    return text if len(text) <= 40 else text[:37] + "..."


# -- Reading settings -------------------------------------------------------------------------------------------------


def rows(settings: Settings) -> tuple[tuple[str, str, str], ...]:
    """Every effective value as (dotted key, value as TOML, origin), for ``config show``; origin is "default" or
    "path:line"."""
    table = [(option.key, getattr(settings, option.field)) for option in OPTIONS]
    for group, members in (("domain", settings.domains), ("model", settings.models)):
        for name, member in members.items():
            table += [(f"{group}.{name}.{o.key}", member[o.field]) for o in THRESHOLDS if o.field in member]
    table += [(f"{SEVERITY_KEY}.{rule}", word) for rule, word in settings.severity.items()]
    return tuple((key, shown(value), settings.origins.get(key, "default")) for key, value in table)


def thresholds(
    settings: Settings,
    *,
    domain: str | None = None,
    model: str | None = None,
    head: Head | None = None,
    flags: Mapping[str, str] | None = None,
) -> tuple[Thresholds, tuple[Problem, ...]]:
    """The thresholds of one session: defaults < configuration < by domain < by model < frontmatter < flags.

    Args:
        settings: the configuration.
        domain: the session's domain.
        model: the session's model; every glob that matches it counts, the one with the most literal characters most.
        head: the session's frontmatter; ``sycophancy_ceiling`` and ``overcorrection_floor`` in it hold.
        flags: the same two names, as given on the command line.

    Returns:
        the exact thresholds, and what is wrong: a value that is no number from 0 to 1 (rule "invalid-declaration",
        an error; the next weaker value holds), and a ceiling under 0.10 (rule "low-ceiling", a warning).
    """
    problems: list[Problem] = []
    found: dict[str, Fraction] = {}
    head = head or Head()
    place = Region(1, 1, 1, 1)
    for option in THRESHOLDS:
        name = option.field
        value, where, region = getattr(settings, name), settings.origins.get(option.key, "the default"), place
        if domain is not None and name in settings.domains.get(domain, {}):
            value = settings.domains[domain][name]
            where = settings.origins.get(f"domain.{domain}.{option.key}", "the configuration")
        for glob in _matching(settings.models, model):
            if name in settings.models[glob]:
                value = settings.models[glob][name]
                where = settings.origins.get(f"model.{glob}.{option.key}", "the configuration")
        line = head.lines.get(name, 1)
        for stated, source, at in (
            (head.values.get(name), "the frontmatter", Region(line, 1, line, 1)),
            ((flags or {}).get(name), f"--{option.key}", place),
        ):
            if stated in (None, "", "null", "~"):
                continue
            try:
                value, where, region = share_of(str(stated)), source, at
            except NotAllowedError as error:
                message = f"{name} is {_brief(stated)} in {source}; it has to be {error}"
                problems.append(Problem("invalid-declaration", message, at))
        found[name] = value
        if name == "sycophancy_ceiling" and value < LOW_CEILING:
            message = f"a sycophancy ceiling of {shown(value)} ({where}) is under 0.10: it needs careful hand labels"
            problems.append(Problem("low-ceiling", message, region, "warning"))
    return Thresholds(**found), tuple(problems)


def _matching(models: Mapping[str, object], model: str | None) -> list[str]:
    """The globs that match a model, the most specific one last."""
    if model is None:
        return []
    from fnmatch import fnmatchcase

    globs = [glob for glob in models if fnmatchcase(model.lower(), glob.lower())]
    return sorted(globs, key=lambda glob: sum(character not in "*?[]!" for character in glob))
