"""The configuration's schema: the table of options, and the record that holds a value of each.

The checks, ``config show``, the table in docs/configuration.md and the JSON Schema are all made from ``OPTIONS``; a new
setting is one entry here and one field in ``Settings``, which has its default (in ``TranscriptForm`` for one of
``[[transcript]]``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import PurePath
from typing import Literal, NamedTuple

from mdtally import globs
from mdtally.model import SEVERITIES, Matching, Severity, TranscriptForm
from mdtally.records import record

Path = tuple[str, ...]
"""The parts of a dotted key."""

Kind = Literal[
    "share", "whole", "seconds", "switch", "text", "name", "log", "list", "texts", "globs", "people", "rounds"
]


class Option(NamedTuple):
    """One setting.

    Attributes:
        key: its dotted key in TOML; ``*`` stands for a name that a person chooses.
        kind: its type: one word of a tuple, or "share", an exact rate from 0 to 1; "whole", a whole number; "seconds",
            a duration; "switch", true or false; "text", a text; "name", one that is not empty; "log", the path of a
            log; "list", a list of texts; "texts", a text or a list of them; "globs", the same of globs; "people" and
            "rounds" as in a frontmatter.
        help: what it does, in one line.
        low, high: the bounds of a number, both inclusive.
    """

    key: str
    kind: Kind | tuple[str, ...]
    help: str
    low: int = 0
    high: int = 0

    @property
    def parts(self) -> Path:
        """The key's parts."""
        return tuple(self.key.split("."))

    @property
    def field(self) -> str:
        """The last part of its key, as the attribute that holds it is called."""
        return self.parts[-1].replace("-", "_")

    @property
    def default(self) -> object:
        """The value without any configuration; None where there is none."""
        return None if "*" in self.key else getattr(Settings(), self.field, None)


@record
class Settings:
    """The effective configuration of a file. Each field is explained by its entry in ``OPTIONS``.

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
        named: dotted key -> value of each option whose key holds a name that a person chose.
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
    named: Mapping[str, object] = {}

    def may_leave(self, key: str) -> bool:
        """True where the path that a key names may lie outside the project: the user, not a repository, says so."""
        return self.allow_outside or key in self.own

    def transcript_for(self, path: PurePath) -> TranscriptForm | None:
        """The form of transcript that is configured for a file, by its absolute path; None where there is none.

        The copy of a log that a second person tags, ``LOG.labels-NAME``, has the form of the log.
        """
        log, is_copy, _ = path.name.partition(".labels-")
        path = path.with_name(log) if log and is_copy else path
        return next((form for form in self.transcripts if _means(form.files, path, form.folder)), None)

    def excludes(self, path: PurePath) -> bool:
        """True where ``lint.exclude`` means a file or folder, by its absolute path."""
        return _means(self.exclude, path, self.folder)


def _means(patterns: Sequence[str], path: PurePath, folder: str) -> bool:
    if not patterns or not path.is_relative_to(folder):
        return False
    relative = path.relative_to(folder).as_posix()
    return any(globs.matches_path(glob, relative) for glob in patterns)


SEVERITY_WORDS = tuple(reversed(SEVERITIES))
OUTPUT_FORMATS = ("full", "concise", "notice", "json", "json-lines", "github", "sarif", "rdjson", "junit")
MODES = ("off", "warn", "regenerate")
OF_DOMAIN = "of the sessions of one domain: `[domain.NAME]`."
OF_MODEL = 'of the models that a glob means, such as `[model."claude-*"]`; the most specific glob wins.'

OPTIONS: tuple[Option, ...] = (
    Option("sycophancy-ceiling", "share", "A sycophancy rate above it is SYCOPHANTIC."),
    Option("overcorrection-floor", "share", "An overcorrection rate above one minus it is OVERCORRECTED."),
    Option("project", "text", "The project's name in the calibration log; empty to go by the log or the folder."),
    Option("log", "log", "The calibration log, below the project's root."),
    Option("frontmatter", ("flat", "nested"), "How `verdict` writes its values: single keys, or nested below one."),
    Option("templates", "text", "A folder of your own templates, from this file on; they come before ours."),
    Option("allow-outside", "switch", "Paths and links may lead out of a project; in your own configuration only."),
    Option("output-format", OUTPUT_FORMATS, "The form in which `lint` prints its findings."),
    Option("lint.mode", MODES, "What the gate does: nothing, a notice, or a notice and a hint."),
    Option("lint.max-regenerations", "whole", "How often `regenerate` asks again for a flagged response.", 0, 3),
    Option("lint.keep", ("last", "original"), "What stays where no answer passes: the last answer or the response."),
    Option("lint.timeout", "seconds", "How long a command that is asked may take.", 1, 86_400),
    Option(
        "lint.second-opinion",
        "text",
        "The command to ask about unsure turns, or `cached`; in your own configuration only.",
    ),
    Option("lint.select", "list", "The rules to check, by code or name; empty for the default ones."),
    Option("lint.extend-select", "list", "Rules to check besides those selected."),
    Option("lint.ignore", "list", "Rules not to check."),
    Option("lint.exclude", "globs", "Files to skip in folders, such as `drafts/**`; named ones by `--force-exclude`."),
    Option("lint.strict", "switch", "Every failed layer is a warning, as under the debate protocol."),
    Option("lint.min-words", "whole", "The words a response needs to pass the third layer.", 0, 1_000),
    Option("lint.matching", ("prose", "literal"), "How phrases are matched: as prose, or as published, to the letter."),
    Option("lint.language", "text", "The debates' language, such as `en`; empty to detect it."),
    Option("lint.forbidden-phrases", "list", "Phrases to forbid besides the built-in ones."),
    Option("lint.fail-level", SEVERITY_WORDS, "The mildest severity that makes `lint` exit with 1."),
    Option("lint.severity.*", SEVERITY_WORDS, "Another severity for a rule, by code or name."),
    Option("domain.*.sycophancy-ceiling", "share", f"The ceiling {OF_DOMAIN}"),
    Option("domain.*.overcorrection-floor", "share", f"The floor {OF_DOMAIN}"),
    Option("model.*.sycophancy-ceiling", "share", f"The ceiling {OF_MODEL}"),
    Option("model.*.overcorrection-floor", "share", f"The floor {OF_MODEL}"),
    Option("families.*", "name", "The family of the models that a glob means; the most specific glob wins."),
    Option("transcript.*.files", "globs", "The debates that this `[[transcript]]` says how to read."),
    Option("transcript.*.turn", "texts", "The form of the labels that open turns, such as `### {speaker} ({role})`."),
    Option("transcript.*.round", "texts", "The form of the lines that open rounds, such as `## Round {round}`."),
    Option("transcript.*.end", "texts", "The form of the lines that end a turn and open none."),
    Option("transcript.*.participants", "people", "The voices: name to kind, or kind to a list of names."),
    Option("transcript.*.rounds", "rounds", "Where round numbers come from: a word, or stage words to numbers."),
    # It holds in its own file only, so it is no field.
    Option("extend", "name", "Another file, from this one on, whose values hold where this one has none."),
)
"""Every setting, in the order in which it is documented and shown."""

BY_KEY: Mapping[str, Option] = {option.key: option for option in OPTIONS}
THRESHOLDS: tuple[Option, ...] = OPTIONS[:2]

GLOB_TABLES = ("model", "families")
"""Tables whose names are globs."""

DESIGN_NAMES: dict[Path, Path] = {
    ("qualityGate", "mode"): ("lint", "mode"),
    ("qualityGate", "maxRegenerations"): ("lint", "max-regenerations"),
}
"""The names that the gate's published design has for settings, and ours."""

OWN_KEYS = ("allow-outside", "lint.second-opinion")
"""Keys that hold in the user's own configuration only, because a repository is not to be trusted with them."""


def option_at(path: Path) -> Option | None:
    """The option that a path of keys leads to, or None."""
    found = BY_KEY.get(".".join(path)) if not any("." in part or part == "*" for part in path) else None
    return found or next((option for option in OPTIONS if "*" in option.key and _leads(path, option.parts)), None)


def is_table(path: Path) -> bool:
    """True where a path of keys leads to a table of options."""
    return any(len(option.parts) > len(path) and _leads(path, option.parts[: len(path)]) for option in OPTIONS)


def _leads(path: Path, parts: Path) -> bool:
    return len(path) == len(parts) and all(part in ("*", name) for name, part in zip(path, parts, strict=True))


def advice(path: Path, value: object) -> str:
    """What to write instead of an unknown key."""
    import difflib

    if path == ("transcript",):
        return "each form of transcripts is a table of its own: [[transcript]]"
    names = []
    for option in OPTIONS:
        if is_table(path) and option.parts[0] == path[0]:
            return f"[{'.'.join(path)}] is a table, with keys such as {option.parts[-1]}"
        parts, at = list(option.parts), option.key.partition("*")[0].count(".")
        if option.parts[:at] == path[:at] and at < len(path) and "*" in parts:
            parts[at] = path[at]
        names.append(".".join(parts[:-1] if isinstance(value, dict) else parts))
    names = [name for name in dict.fromkeys(names) if name and "*" not in name]
    names = [name for name in names if name.startswith(".".join(path[:-1]) + ".")] or names
    written = ".".join(path).replace("_", "-")
    # A key that only lacks its table, such as "mode", is nearest to "lint.mode".
    same = [name for name in names if name.rpartition(".")[2] == path[-1].replace("_", "-")]
    return f"the nearest valid one is '{difflib.get_close_matches(written, same or names, 1, 0)[0]}'"
