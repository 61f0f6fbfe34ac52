"""The configuration: texts as they were found, to one frozen object that says where each value comes from.

Pure: the disk is ``files``' own, which finds the nearest configuration of a file and those it extends. The schema is
the table in ``schema``; ``write`` is imported by the commands that change a configuration.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from pathlib import PurePath
from typing import Any, Literal, cast

from mdtally import globs
from mdtally.frontmatter.text import visible
from mdtally.model import Head, Matching, Problem, Region, Severity, Thresholds, TranscriptForm
from mdtally.records import record
from mdtally.settings.schema import (
    BY_KEY,
    DESIGN_NAMES,
    GLOB_TABLES,
    OPTIONS,
    OWN_KEYS,
    THRESHOLDS,
    NotAllowedError,
    check_glob,
    is_table,
    option_at,
    share_of,
    shown,
    value_of,
)

__all__ = ["ConfigText", "Settings", "extends", "has_table", "load", "rows", "thresholds"]

LOW_CEILING = Fraction(1, 10)
"""Under it, one event decides the verdict of a ten-event session, so a ceiling has to be set with care."""

Path = tuple[str, ...]
"""The parts of a dotted key."""


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


@record
class Settings:
    """The effective configuration of a file. Each field is explained by its entry in ``schema.OPTIONS``.

    Attributes:
        domains: domain -> its thresholds, by field name.
        models: glob -> its thresholds, by field name.
        families: glob of models -> the name of their family.
        severity: rule, by code or name -> its severity.
        transcripts: the forms of transcripts; of several for one file the first holds.
        folder: the folder of the nearest configuration file; "" where there is none.
        own: the keys whose value is from the user's own configuration.
        notices: what has to be said of files that do not hold.
        origins: dotted key -> "path:line" of each value that is no default.
    """

    sycophancy_ceiling: Fraction = Fraction(1, 5)
    overcorrection_floor: Fraction = Fraction(1, 20)
    project: str = ""
    log: str = "state/calibration-log.jsonl"
    frontmatter: Literal["flat", "nested"] = "flat"
    templates: str = ""
    output_format: str = "full"
    mode: Literal["off", "warn", "regenerate"] = "warn"
    max_regenerations: int = 1
    keep: Literal["last", "original"] = "last"
    timeout: float = 120.0
    second_opinion: str = ""
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
    domains: Mapping[str, Mapping[str, Fraction]] = {}
    models: Mapping[str, Mapping[str, Fraction]] = {}
    families: Mapping[str, str] = {}
    severity: Mapping[str, Severity] = {}
    transcripts: tuple[TranscriptForm, ...] = ()
    allow_outside: bool = False
    folder: str = ""
    own: frozenset[str] = frozenset()
    notices: tuple[str, ...] = ()
    origins: Mapping[str, str] = {}

    def may_leave(self, key: str) -> bool:
        """True where the path that a key names may lie outside the project: the user, not a repository, says so."""
        return self.allow_outside or key in self.own

    def transcript_for(self, path: PurePath) -> TranscriptForm | None:
        """The form of transcript that is configured for a file, by its absolute path; None where there is none."""
        return next((form for form in self.transcripts if _means(form.files, path, form.folder)), None)

    def excludes(self, path: PurePath) -> bool:
        """True where ``lint.exclude`` means a file or folder, by its absolute path."""
        return _means(self.exclude, path, self.folder)


def _means(patterns: Sequence[str], path: PurePath, folder: str) -> bool:
    if not patterns or not path.is_relative_to(folder):
        return False
    relative = path.relative_to(folder).as_posix()
    return any(globs.matches_path(glob, relative) for glob in patterns)


# -- From texts to settings -------------------------------------------------------------------------------------------


def load(texts: Sequence[ConfigText]) -> tuple[Settings, tuple[str, ...]]:
    """The settings that configuration files make.

    Args:
        texts: the nearest file, then the one it extends, then the one that extends, and so on; none for the defaults.

    Returns:
        the settings, and a line for each thing that is wrong, with path and line; what is wrong is left out.
    """
    problems: list[str] = []
    origins: dict[str, str] = {}
    fields: dict[str, Any] = {}
    tables: dict[str, dict[str, Any]] = {name: {} for name in ("domain", "model", "families", "severity")}
    forms: list[TranscriptForm] = []
    places: dict[tuple[str, str], dict[str, str]] = {}
    named: list[dict[str, str]] = []
    own: set[str] = set()
    holding = [text for text in texts if text.role != "ignored"]
    for text in reversed(holding):
        found, faults = _read(text)
        # A list of faults reads from the nearest file on, and so do the forms of transcripts.
        problems = [*faults, *problems]
        tabled: dict[str, dict[str, Any]] = {}
        for path, (value, origin) in found.items():
            match path:
                case ("transcript", number, key):
                    tabled.setdefault(number, {})[key] = value
                    places.setdefault((text.path, number), {})[key] = origin
                    continue
                case ("families" as table, name) | ("lint", "severity" as table, name):
                    tables[table][name] = value
                case (("domain" | "model") as table, name, key):
                    tables[table].setdefault(name, {})[BY_KEY[key].field] = value
                case _:
                    fields[path[-1].replace("-", "_")] = value
            key = ".".join(path)
            origins[key] = origin
            own = own | {key} if text.role == "own" else own - {key}
        forms = [TranscriptForm(**form, folder=text.folder) for form in tabled.values()] + forms
        named = [places[text.path, number] for number in tabled] + named
    for place, of_form in enumerate(named, 1):
        origins |= {f"transcript.{place}.{key}": origin for key, origin in of_form.items()}
    settings = Settings(
        **fields,
        domains=tables["domain"],
        models=tables["model"],
        families=tables["families"],
        severity=tables["severity"],
        transcripts=tuple(forms),
        folder=holding[0].folder if holding else "",
        own=frozenset(own),
        notices=tuple(text.error for text in texts if text.role == "ignored"),
        origins=origins,
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


def _read(text: ConfigText) -> tuple[dict[Path, tuple[object, str]], list[str]]:
    """Each value of one file with its "path:line", by the parts of its key; and what is wrong with the file."""
    table = _table(text)
    if isinstance(table, str):
        return {}, [table]
    values: dict[Path, tuple[object, str]] = {}
    problems: list[str] = []
    lines: Mapping[Path, int] = {}
    if table:
        from mdtally.settings.places import key_lines

        lines = key_lines(text.text)
    prefix = ("tool", "mdtally") if PurePath(text.path).name == "pyproject.toml" else ()
    for written, value in _leaves(table or {}):
        path = DESIGN_NAMES.get(written, written)
        key, option = visible(".".join(written)), option_at(path)
        # What stands in an inline table has the line of the table.
        place = next((p for n in range(len(written), 0, -1) if (p := (*prefix, *written[:n])) in lines), ())
        origin = f"{text.path}:{lines.get(place, 1)}"
        if option is None:
            said = f" '{key}'; {visible(_nearest(path, value))}" if text.role != "extended" else ""
            problems.append(f"{origin}: unknown key{said}")
            continue
        if option.key in OWN_KEYS and text.role != "own":
            problems.append(f"{origin}: only your own configuration can say {key}: ~/.config/mdtally/mdtally.toml")
            continue
        if path in values:
            problems.append(f"{origin}: {key} is set twice; it is another name of {option.key}")
            continue
        try:
            if path[0] in GLOB_TABLES:
                check_glob(path[1], path=False)
            good = value_of(option, value)
        except NotAllowedError as error:
            said = f" is {_brief(value)}; it" if text.role != "extended" else ""
            problems.append(f"{origin}: {key}{said} has to be {error}")
            continue
        if option.key == "templates" and good:
            good = str(PurePath(text.path).parent / str(good))
        if option.key != "extend":
            values[path] = good, origin
    return values, problems


def _leaves(table: Mapping[str, object], above: Path = ()) -> Iterator[tuple[Path, object]]:
    """Each value of a table with the parts of its key; the tables of an array are numbered from one."""
    for key, value in table.items():
        path = (*above, key)
        if path == ("transcript",) and isinstance(value, list) and all(isinstance(one, dict) for one in value):
            value = {str(number): one for number, one in enumerate(value, 1)}
        elif path == ("transcript",):
            value = None
        if isinstance(value, dict) and (is_table(path) or path == ("qualityGate",)):
            yield from _leaves(value, path)
        else:
            yield path, value


def _nearest(path: Path, value: object) -> str:
    """Advice for an unknown key."""
    import difflib

    if path == ("transcript",):
        return "each form of transcripts is a table of its own: [[transcript]]"
    names = []
    for option in OPTIONS:
        parts = [path[at] if part == "*" and at < len(path) else part for at, part in enumerate(option.parts)]
        names.append(".".join(parts if not isinstance(value, dict) else parts[:-1]))
        if is_table(path) and option.parts[0] == path[0]:
            return f"[{'.'.join(path)}] is a table, with keys such as {option.parts[-1]}"
    names = [name for name in dict.fromkeys(names) if name and "*" not in name]
    table = ".".join(path[:-1]) + "."
    names = [name for name in names if name.startswith(table)] or names
    written = ".".join(path).replace("_", "-")
    # A key that only lacks its table, such as "mode", is nearest to "lint.mode".
    same = (name for name in names if name.rpartition(".")[2] == written.rpartition(".")[2])
    return f"the nearest valid one is '{next(same, '') or difflib.get_close_matches(written, names, 1, 0)[0]}'"


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
    table = [(option.key, getattr(settings, option.field)) for option in OPTIONS if hasattr(settings, option.field)]
    table = [(key, value) for key, value in table if "*" not in key]
    for group, members in (("domain", settings.domains), ("model", settings.models)):
        for name, member in members.items():
            table += [(f"{group}.{name}.{o.key}", member[o.field]) for o in THRESHOLDS if o.field in member]
    table += [(f"families.{glob}", family) for glob, family in settings.families.items()]
    table += [(f"lint.severity.{rule}", word) for rule, word in settings.severity.items()]
    for number, form in enumerate(settings.transcripts, 1):
        fields = ("files", "turn", "round", "end", "participants", "rounds")
        table += [(f"transcript.{number}.{name}", value) for name in fields if (value := getattr(form, name))]
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
                message = f"{name} is {_brief(stated)} in {source}; it has to be {error}"
                problems.append(Problem("invalid-declaration", message, at))
        found[name] = value
        if name == "sycophancy_ceiling" and value < LOW_CEILING:
            message = f"a sycophancy ceiling of {shown(value)} ({where}) is under 0.10: it needs careful hand labels"
            problems.append(Problem("low-ceiling", message, region, "warning"))
    return Thresholds(**found), tuple(problems)
