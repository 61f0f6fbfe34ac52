"""The configuration: texts as they were found, to one frozen object that says where each value comes from.

Pure: the disk is ``files``' own, which finds the nearest configuration of a file and those it extends. The options are
the table in ``schema``; what a value may be stands in ``values``; ``write`` is imported by the commands that change a
configuration.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from pathlib import PurePath
from typing import Any, NamedTuple, cast

from mdtally import globs
from mdtally.frontmatter.text import visible
from mdtally.model import Head, Problem, Region, Thresholds, TranscriptForm
from mdtally.records import record
from mdtally.settings.schema import (
    DESIGN_NAMES,
    GLOB_TABLES,
    OPTIONS,
    OWN_KEYS,
    THRESHOLDS,
    Option,
    Path,
    Settings,
    advice,
    is_table,
    option_at,
)
from mdtally.settings.values import NotAllowedError, brief, check_glob, share_of, shown, value_of

__all__ = ["ConfigText", "Settings", "extends", "has_table", "load", "rows", "thresholds"]

LOW_CEILING = Fraction(1, 10)
"""Under it, one event decides the verdict of a ten-event session, so a ceiling has to be set with care."""


@record
class ConfigText:
    """A configuration file as it was found.

    Attributes:
        path: its path, as messages name it; ``pyproject.toml`` holds its settings under ``[tool.mdtally]``.
        text: its content, without a BOM; "" where it can't be read.
        error: why it can't be read or does not hold, or "".
        folder: the folder it stands in, from the root on: where its globs start.
        role: "project" for one found above a file or named, "extended" for one that another extends, "own" for the
            user's, which alone may allow what leads out of a project, and "ignored" for one that does not hold.
    """

    path: str
    text: str
    error: str = ""
    folder: str = ""
    role: str = "project"


class _Value(NamedTuple):
    """A value of one file: its option, what it is, its "path:line", and the file."""

    option: Option
    value: object
    origin: str
    text: ConfigText


# -- From texts to settings -------------------------------------------------------------------------------------------


def load(texts: Sequence[ConfigText]) -> tuple[Settings, tuple[str, ...]]:
    """The settings that configuration files make.

    Args:
        texts: the nearest file, then the one it extends, then the one that extends, and so on; none for the defaults.

    Returns:
        the settings, and a line for each thing that is wrong, with path and line; what is wrong is left out.
    """
    problems: list[str] = []
    found: dict[Path, _Value] = {}
    holding = [text for text in texts if text.role != "ignored"]
    for text in holding:
        values, faults = _read(text)
        problems += faults
        # The forms of transcripts add up, those of the nearest file first; of all other values the nearest holds.
        forms = max((int(path[1]) for path in found if path[0] == "transcript"), default=0)
        for path, value in values.items():
            key = ("transcript", str(int(path[1]) + forms), path[2]) if path[0] == "transcript" else path
            found.setdefault(key, value)
    fields: dict[str, Any] = {}
    tables: dict[str, dict[str, dict[str, Any]]] = {"domain": {}, "model": {}, "transcript": {}}
    for path, (option, good, _, text) in found.items():
        match path:
            case (("domain" | "model" | "transcript") as table, name, _):
                tables[table].setdefault(name, {})[option.field] = good
                if table == "transcript":
                    tables[table][name]["folder"] = text.folder
            case (*_, table, name) if option.parts[-1] == "*":
                fields.setdefault(table, {})[name] = good
            case _:
                fields[option.field] = good
    named = {".".join(path): one for path, one in found.items()}
    settings = Settings(
        **fields,
        domains=tables["domain"],
        models=tables["model"],
        transcripts=tuple(TranscriptForm(**form) for form in tables["transcript"].values()),
        folder=holding[0].folder if holding else "",
        own=frozenset(key for key, one in named.items() if one.text.role == "own"),
        notices=tuple(text.error for text in texts if text.role == "ignored"),
        origins={key: one.origin for key, one in named.items()},
        named={key: one.value for key, one in named.items() if "*" in one.option.key},
    )
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
        from mdtally.frontmatter.toml_head import Fault, fault

        found = fault(text.text) or Fault(1, 1, "a number in it is too long")
        # Of a file that another one names, nothing is repeated: it may be anything.
        reason = f": {found.message}" if text.role != "extended" else ""
        return f"{text.path}:{found.line}:{found.column}: not valid TOML{reason}"
    if PurePath(text.path).name == "pyproject.toml":
        for key in ("tool", "mdtally"):
            table = table.get(key) if isinstance(table, dict) else None
        if table is not None and not isinstance(table, dict):
            return f"{text.path}: tool.mdtally is a table: [tool.mdtally]"
    return cast("dict[str, object] | None", table)


def _read(text: ConfigText) -> tuple[dict[Path, _Value], list[str]]:
    """Each value of one file by the parts of its key; and what is wrong with the file."""
    table = _table(text)
    if isinstance(table, str):
        return {}, [table]
    if not table:
        return {}, []
    from mdtally.settings.places import key_lines

    values: dict[Path, _Value] = {}
    problems: list[str] = []
    lines = key_lines(text.text)
    prefix = ("tool", "mdtally") if PurePath(text.path).name == "pyproject.toml" else ()
    for written, value in _leaves(table):
        path = DESIGN_NAMES.get(written, written)
        option, key = option_at(path), visible(".".join(written))
        # What stands in an inline table has the line of the table.
        place = next((p for n in range(len(written), 0, -1) if (p := (*prefix, *written[:n])) in lines), ())
        origin = f"{text.path}:{lines.get(place, 1)}"
        echo = text.role != "extended"
        if option is None:
            said = f" '{key}'; {visible(advice(path, value))}" if echo else ""
            problems.append(f"{origin}: unknown key{said}")
        elif option.key in OWN_KEYS and text.role != "own":
            problems.append(f"{origin}: only your own configuration can say {key}: ~/.config/mdtally/mdtally.toml")
        elif path in values:
            problems.append(f"{origin}: {key} is set twice; it is another name of {option.key}")
        else:
            try:
                if path[0] in GLOB_TABLES:
                    check_glob(path[1], path=False)
                good = value_of(option, value)
            except NotAllowedError as error:
                problems.append(f"{origin}: {key}{f' is {brief(value)}; it' if echo else ''} has to be {error}")
                continue
            if option.key == "templates" and good:
                good = str(PurePath(text.path).parent / str(good))
            if option.key != "extend":
                values[path] = _Value(option, good, origin, text)
    return values, problems


def _leaves(table: Mapping[str, object], above: Path = ()) -> Iterator[tuple[Path, object]]:
    """Each value of a table with the parts of its key; the tables of an array are numbered from one."""
    for key, value in table.items():
        path = (*above, key)
        if path == ("transcript",):
            tables = value if isinstance(value, list) and all(isinstance(one, dict) for one in value) else None
            value = tables and {str(number): one for number, one in enumerate(tables, 1)}
        if isinstance(value, dict) and (is_table(path) or path == ("qualityGate",)):
            yield from _leaves(value, path)
        else:
            yield path, value


# -- Reading settings -------------------------------------------------------------------------------------------------


def rows(settings: Settings) -> tuple[tuple[str, str, str], ...]:
    """Every effective value as (dotted key, value as TOML, origin), for ``config show``; origin is "default" or
    "path:line"."""
    plain = {option.key: getattr(settings, option.field) for option in OPTIONS if option.default is not None}
    return tuple(
        (key, shown(value), settings.origins.get(key, "default")) for key, value in {**plain, **settings.named}.items()
    )


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
        model: the session's model; every glob that means it counts, the most specific one most.
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
    tables = [(f"domain.{domain}", settings.domains.get(domain or "", {}))]
    meant = globs.most_specific(settings.models, model) if model is not None else []
    tables += [(f"model.{glob}", settings.models[glob]) for glob in reversed(meant)]
    for option in THRESHOLDS:
        name = option.field
        value, where, region = getattr(settings, name), settings.origins.get(option.key, "the default"), place
        for table, values in tables:
            if name in values:
                value, where = values[name], settings.origins.get(f"{table}.{option.key}", "the configuration")
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
                message = f"{name} is {brief(stated)} in {source}; it has to be {error}"
                problems.append(Problem("invalid-declaration", message, at))
        found[name] = value
        if name == "sycophancy_ceiling" and value < LOW_CEILING:
            message = f"a sycophancy ceiling of {shown(value)} ({where}) is under 0.10: it needs careful hand labels"
            problems.append(Problem("low-ceiling", message, region, "warning"))
    return Thresholds(**found), tuple(problems)


def limit_of(settings: Settings, rate: str, model: str | None) -> float:
    """What a rate of that model must not be above: the sycophancy ceiling, or one minus the overcorrection floor."""
    limits = thresholds(settings, model=model)[0]
    return float(limits.sycophancy_ceiling if rate == "sycophancy" else 1 - limits.overcorrection_floor)
