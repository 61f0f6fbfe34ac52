"""The configuration: texts as they were found, to one frozen object that says where each value comes from.

Pure: the disk is ``files``' own, which finds the nearest configuration of a file and those it extends. The options and
what their values may be are in ``schema``; ``write`` is imported by the commands that change a configuration.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from pathlib import PurePath
from typing import Any

from mdtally import globs
from mdtally.frontmatter.text import toml_fault, visible
from mdtally.model import Head, Problem, Region, Thresholds, TranscriptForm
from mdtally.records import record
from mdtally.regex import regex
from mdtally.settings.schema import (
    DESIGN_NAMES,
    GLOB_TABLES,
    OPTIONS,
    OWN_KEYS,
    THRESHOLDS,
    NotAllowedError,
    Path,
    Settings,
    Stated,
    advice,
    check_glob,
    option_at,
    share_of,
    shown,
    value_of,
)

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

    @property
    def prefix(self) -> Path:
        """The tables that its settings stand in."""
        return ("tool", "mdtally") if PurePath(self.path).name == "pyproject.toml" else ()

    @cached_property
    def table(self) -> dict[str, object] | str | None:
        """Its settings; None for a pyproject.toml without them; a line on what is wrong where it can't be read."""
        if self.error:
            return f"{self.path}: {self.error}"
        import tomllib

        try:
            table: Any = tomllib.loads(self.text, parse_float=Decimal)
        except (ValueError, ArithmeticError, RecursionError) as error:
            line, column, why = toml_fault(error, self.text)
            # Of a file that another one names, nothing is repeated: it may be anything.
            why = f": {why}" if self.role != "extended" else ""
            return f"{self.path}:{line}:{column}: not valid TOML{why}"
        for key in self.prefix:
            table = table.get(key) if isinstance(table, dict) else None
        is_none = table is None or isinstance(table, dict)
        return table if is_none else f"{self.path}: tool.mdtally is a table: [tool.mdtally]"


# -- From texts to settings -------------------------------------------------------------------------------------------


def load(texts: Sequence[ConfigText]) -> tuple[Settings, tuple[str, ...]]:
    """The settings that configuration files make: the nearest one, then the one it extends, and so on; none for the
    defaults. Beside them a line for each thing that is wrong, with path and line; what is wrong is left out.
    """
    problems: list[str] = []
    found: dict[Path, Stated] = {}
    holding = [text for text in texts if text.role != "ignored"]
    for text in holding:
        # The forms of transcripts add up, those of the nearest file first; of all other values the nearest holds.
        above = max((int(path[1]) for path in found if path[0] == "transcript"), default=0)
        for path, value in _read(text, problems).items():
            key = ("transcript", str(int(path[1]) + above), path[2]) if path[0] == "transcript" else path
            found.setdefault(key, value)
    fields: dict[str, Any] = {}
    forms: dict[str, dict[str, Any]] = {}
    for path, one in found.items():
        match one.option.parts:
            case ("transcript", _, _):
                forms.setdefault(path[1], {"folder": one.folder})[one.option.field] = one.value
            case (*_, table, "*"):
                fields.setdefault(table, {})[path[-1]] = one.value
            case parts if "*" not in parts:
                fields[one.option.field] = one.value
    settings = Settings(
        **fields,
        transcripts=tuple(TranscriptForm(**form) for form in forms.values()),
        folder=holding[0].folder if holding else "",
        notices=tuple(text.error for text in texts if text.role == "ignored"),
        stated=found,
    )
    return settings, tuple(problems)


def extends(text: ConfigText) -> str | None:
    """The path a configuration file extends, as it is written there; None where it extends none or can't be read."""
    found = text.table.get("extend") if isinstance(text.table, dict) else None
    return found if isinstance(found, str) and found else None


def has_table(text: ConfigText) -> bool:
    """True where a file is a configuration of ours: any but a ``pyproject.toml`` without ``[tool.mdtally]``.

    A broken ``pyproject.toml`` is one if it names the table: its fault has to be told.
    """
    # Most are other tools' alone, which is told without a parser.
    if not text.prefix or "mdtally" not in text.text:
        return not text.prefix
    return "[tool.mdtally" in text.text if isinstance(text.table, str) else text.table is not None


def _read(text: ConfigText, problems: list[str]) -> dict[Path, Stated]:
    """Each value of one file by the parts of its key; what is wrong with it is added to the problems."""
    values: dict[Path, Stated] = {}
    if isinstance(text.table, str):
        problems.append(text.table)
        return values
    lines = _key_lines(text.text) if text.table else {}
    for written, value in _leaves(text.table or {}):
        path = DESIGN_NAMES.get(written, written)
        option, key = option_at(path), visible(".".join(written))
        # What stands in an inline table has the line of the table.
        places = ((*text.prefix, *written[:n]) for n in range(len(written), 0, -1))
        origin = f"{text.path}:{next((lines[place] for place in places if place in lines), 1)}"
        if option is None:
            said = f" '{key}'; {visible(advice(path))}" if text.role != "extended" else ""
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
                problems.append(f"{origin}: {key} has to be {error}")
                continue
            if option.key == "templates" and good:
                good = str(PurePath(text.path).parent / str(good))
            # What a file extends holds in that file only.
            if option.key != "extend":
                values[path] = Stated(option, good, origin, text.folder, text.role == "own")
    return values


def _leaves(table: Mapping[str, object], above: Path = ()) -> Iterator[tuple[Path, object]]:
    """Each value of a table with the parts of its key; the tables of an array are numbered from one."""
    for key, value in table.items():
        path = (*above, key)
        if path == ("transcript",):
            tables = value if isinstance(value, list) and all(isinstance(one, dict) for one in value) else None
            value = tables and {str(number): one for number, one in enumerate(tables, 1)}
        if isinstance(value, dict) and option_at(path) is None:
            yield from _leaves(value, path)
        else:
            yield path, value


# -- Where keys stand -------------------------------------------------------------------------------------------------

_ONE = r"""(?:[\w-]+|"(?:\\.|[^"\\\r\n])*"|'[^'\r\n]*')"""
_KEY = regex(_ONE)
_DOTTED = rf"{_ONE}(?:[ \t]*\.[ \t]*{_ONE})*"
# "lint.mode =", "[lint]", "[[transcript]]"
_STATEMENT = regex(
    rf"[ \t]*(?:(?P<pair>{_DOTTED})[ \t]*=|\[(?P<array>\[?)[ \t]*(?P<table>{_DOTTED})[ \t]*\]+\s*(?:#|$))"
)
# A text over several lines, in which nothing is a key; what else a quote could stand in comes first.
_TEXT = regex(
    r'("""(?:\\[\s\S]|(?!""")[^\\])*"{3,5}|\'\'\'(?:(?!\'\'\')[\s\S])*\'{3,5})'
    r'|"(?:\\.|[^"\\\r\n])*"|\'[^\'\r\n]*\'|#[^\r\n]*'
)


def _key_lines(text: str) -> dict[tuple[str, ...], int]:
    """The 1-based line of every key and table of a valid text, except those inside inline tables.

    The tables of an array such as ``[[transcript]]`` are told apart by a number: ``("transcript", "1", "files")``.
    """
    lines: dict[tuple[str, ...], int] = {}
    arrays: dict[tuple[str, ...], int] = {}
    table: tuple[str, ...] = ()
    without = _TEXT.sub(lambda found: '""' + "\n" * found[0].count("\n") if found[1] else found[0], text)
    for number, line in enumerate(without.split("\n"), start=1):
        found = _STATEMENT.match(line)
        if found is None:
            continue
        path = tuple(part.strip("\"'") for part in _KEY.findall(found["pair"] or found["table"]))
        if found["pair"]:
            lines.setdefault((*table, *path), number)
            continue
        if found["array"]:
            arrays[path] = arrays.get(path, 0) + 1
        inner = next((path[:n] for n in range(len(path), 0, -1) if path[:n] in arrays), ())
        table = (*inner, str(arrays[inner]), *path[len(inner) :]) if inner else path
        lines.setdefault(table, number)
    return lines


# -- Reading settings -------------------------------------------------------------------------------------------------


def rows(settings: Settings) -> tuple[tuple[str, str, str], ...]:
    """Every effective value as (dotted key, value as TOML, origin), for ``config show``; origin is "default" or
    "path:line"."""
    values = {option.parts: getattr(settings, option.field) for option in OPTIONS if option.default is not None}
    stated = {path: one.value for path, one in settings.stated.items() if path not in values}
    origins = {path: one.origin for path, one in settings.stated.items()}
    found = {**values, **stated}.items()
    return tuple((".".join(path), shown(value), origins.get(path, "default")) for path, value in found)


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
    head, top = head or Head(), Region(1, 1, 1, 1)
    by_model = dict.fromkeys(path[1] for path in settings.stated if path[0] == "model")
    meant = globs.most_specific(by_model, model) if model is not None else []
    layers: list[Path] = [(), ("domain", domain or ""), *(("model", glob) for glob in reversed(meant))]
    for option in THRESHOLDS:
        name = option.field
        value, where, region = getattr(settings, name), "default", top
        for layer in layers:
            if one := settings.stated.get((*layer, option.key)):
                value, where = one.value, one.origin
        line = head.lines.get(name, 1)
        for stated, source, at in (
            (head.values.get(name), "the frontmatter", Region(line, 1, line, 1)),
            ((flags or {}).get(name), f"--{option.key}", top),
        ):
            if stated in (None, "", "null", "~"):
                continue
            try:
                value, where, region = share_of(str(stated)), source, at
            except NotAllowedError as error:
                problems.append(Problem("invalid-declaration", f"{name} in {source} has to be {error}", at))
        found[name] = value
        if name == "sycophancy_ceiling" and value < LOW_CEILING:
            message = f"a sycophancy ceiling of {shown(value)} ({where}) is under 0.10: it needs careful hand labels"
            problems.append(Problem("low-ceiling", message, region, "warning"))
    return Thresholds(**found), tuple(problems)


def limit_of(settings: Settings, rate: str, model: str | None) -> float:
    """What a rate of that model must not be above: the sycophancy ceiling, or one minus the overcorrection floor."""
    limits = thresholds(settings, model=model)[0]
    return float(limits.sycophancy_ceiling if rate == "sycophancy" else 1 - limits.overcorrection_floor)
