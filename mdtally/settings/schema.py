"""The configuration's schema: the table of options, what a value of each may be, and the record that holds them.

The checks, ``config show``, the table in docs/configuration.md and the JSON Schema are all made from ``OPTIONS``; a new
setting is one entry here and one field in ``Settings``, which has its default (in ``TranscriptForm`` for one of
``[[transcript]]``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from pathlib import PurePath
from typing import Literal, NamedTuple

from mdtally import globs
from mdtally.model import SEVERITIES, Matching, Severity, TranscriptForm
from mdtally.records import record

Path = tuple[str, ...]
"""The parts of a dotted key."""

LONGEST = 200
"""Characters of a phrase, a pattern or a rule's name: what is searched for in every turn has to be short."""
_FINEST = 40
"""How many digits a number may have before or behind its point."""

KINDS = {
    "share": 'a number from 0 to 1, such as 0.20 or "20%"',
    "whole": "a whole number from LOW to HIGH",
    "seconds": "a number of seconds from LOW to HIGH",
    "switch": "true or false",
    "text": "a text in quotes",
    "name": "a text in quotes that is not empty",
    "log": "a path in quotes that ends in .jsonl",
    "texts": f"a text in quotes, or a list of them, of at most {LONGEST} characters each",
    "globs": "a glob in quotes, or a list of them",
    "people": 'a table such as { Ana = "agent" } or { agents = ["Ana", "Ben"] }',
    "rounds": 'a word such as "heading" or "none", or a table such as { opening = 1 }',
}
"""What a value of each kind may be, in words."""


class Option(NamedTuple):
    """One setting: its dotted key in TOML, where ``*`` stands for a name that a person chooses; one of ``KINDS`` or the
    words it may be; what it does; and for a number the bounds, both inclusive.
    """

    key: str
    kind: str | tuple[str, ...]
    help: str
    low: int = 0
    high: int = 1

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

    @property
    def allowed(self) -> str:
        """What its value may be, in words."""
        if isinstance(self.kind, tuple):
            return f"one of {', '.join(self.kind)}"
        return KINDS[self.kind].replace("LOW", str(self.low)).replace("HIGH", str(self.high))

    def leads(self, path: Path) -> bool:
        """True where a path of keys is that of the option."""
        parts = self.parts
        return len(path) == len(parts) and all(part in ("*", name) for name, part in zip(path, parts, strict=True))


class Stated(NamedTuple):
    """A value that a configuration file states, in the type that ``Settings`` holds: its place as "path:line", the
    file's folder, and whether the file is the user's own.
    """

    option: Option
    value: object
    origin: str
    folder: str
    is_own: bool


@record
class Settings:
    """The effective configuration of a file. Each field is explained by its entry in ``OPTIONS``.

    Attributes:
        families: glob of models -> the name of their family.
        severity: rule, by code or name -> its severity.
        transcripts: the forms of transcripts; of several for one file the first holds.
        folder: the folder of the nearest configuration file; "" where there is none.
        notices: what has to be said of files that do not hold.
        stated: parts of a key -> each value that is no default, those by domain and by model among them.
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
    families: Mapping[str, str] = {}
    severity: Mapping[str, Severity] = {}
    transcripts: tuple[TranscriptForm, ...] = ()
    allow_outside: bool = False
    folder: str = ""
    notices: tuple[str, ...] = ()
    stated: Mapping[Path, Stated] = {}

    def may_leave(self, key: str) -> bool:
        """True where the path that a key names may lie outside the project: the user, not a repository, says so."""
        return self.allow_outside or ((key,) in self.stated and self.stated[key,].is_own)

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
    Option("lint.select", "texts", "The rules to check, by code or name; empty for the default ones."),
    Option("lint.extend-select", "texts", "Rules to check besides those selected."),
    Option("lint.ignore", "texts", "Rules not to check."),
    Option("lint.exclude", "globs", "Files to skip in folders, such as `drafts/**`; named ones by `--force-exclude`."),
    Option("lint.strict", "switch", "Every failed layer is a warning, as under the debate protocol."),
    Option("lint.min-words", "whole", "The words a response needs to pass the third layer.", 0, 1_000),
    Option("lint.matching", ("prose", "literal"), "How phrases are matched: as prose, or as published, to the letter."),
    Option("lint.language", "text", "The debates' language, such as `en`; empty to detect it."),
    Option("lint.forbidden-phrases", "texts", "Phrases to forbid besides the built-in ones."),
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
    return next((option for option in OPTIONS if option.leads(path)), None)


def advice(path: Path) -> str:
    """What to write instead of an unknown key."""
    import difflib

    if path[0] == "transcript" and not (len(path) > 1 and path[1].isdecimal()):
        return "each form of transcripts is a table of its own: [[transcript]]"
    written = [part.replace("_", "-") for part in path]
    chosen = [*path, "NAME", "NAME"]
    names = [
        ".".join(chosen[at] if part == "*" else part for at, part in enumerate(option.parts)) for option in OPTIONS
    ]
    names = [name for name in names if name.startswith(f"{path[0]}.")] or names
    # A key that only lacks its table, such as "mode", is nearest to "lint.mode".
    same = [name for name in names if name.rpartition(".")[2] == written[-1]]
    return f"the nearest valid one is '{difflib.get_close_matches('.'.join(written), same or names, 1, 0)[0]}'"


# -- Values -----------------------------------------------------------------------------------------------------------


class NotAllowedError(ValueError):
    """A value that a setting can't have; the message says what it can have."""


def value_of(option: Option, value: object) -> object:
    """A value as TOML gives it (floats as Decimal), in the type that ``Settings`` holds.

    Raises:
        NotAllowedError: it has another type, or lies outside the bounds.
    """
    match option.kind, value:
        case tuple(words), str() if value in words:
            return value
        case "switch", bool():
            return value
        case _, bool():
            pass
        case "share", str():
            return share_of(value)
        case ("whole", int() as number) | (("share" | "seconds"), (int() | Decimal()) as number):
            known = Decimal(number)
            # The exponent first: a fraction of 1e-999999999 would take all day.
            if known.is_finite() and abs(known.adjusted()) < _FINEST and option.low <= known <= option.high:
                return {"whole": int, "share": Fraction, "seconds": float}[str(option.kind)](number)
        case ("text", str()) | ("name" | "rounds", str()) if value or option.kind == "text":
            return value
        case "log", str() if value.endswith(".jsonl"):
            return value
        case (("texts" | "globs"), str()) if value:
            return value_of(option, [value])
        case (("texts" | "globs"), list()) if all(isinstance(text, str) and 0 < len(text) <= LONGEST for text in value):
            for glob in value if option.kind == "globs" else ():
                check_glob(glob)
            return tuple(value)
        case (("people" | "rounds"), dict()):
            return _plain(option, value)
    raise NotAllowedError(option.allowed)


def check_glob(glob: str, *, path: bool = True) -> None:
    """Raises NotAllowedError where a glob, of paths or of names, means nothing."""
    try:
        globs.matches_path(glob, "") if path else globs.matches_name(glob, "")
    except globs.BadGlobError as error:
        raise NotAllowedError(f"a glob: {error}") from None


def share_of(text: str) -> Fraction:
    """A rate as a person writes it in a frontmatter, a flag or a configuration: ``0.2``, ``.2``, ``20%``.

    Raises:
        NotAllowedError: it is no number from 0 to 1.
    """
    match = re.fullmatch(r"\s*([0-9]{1,20}(?:\.[0-9]{0,20})?|\.[0-9]{1,20})\s*(%?)\s*", text)
    share = Fraction(match[1]) / (100 if match[2] else 1) if match else None
    if share is None or share > 1:
        raise NotAllowedError(KINDS["share"])
    return share


def shown(value: object) -> str:
    """A value as it is written in a configuration file."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Fraction):
        return f"{Decimal(value.numerator) / Decimal(value.denominator):f}"
    if isinstance(value, float):
        return repr(value).removesuffix(".0")
    if isinstance(value, tuple | list):
        return "[" + ", ".join(map(shown, value)) + "]"
    import json

    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{json.dumps(k, ensure_ascii=False)} = {shown(v)}" for k, v in value.items()) + " }"
    return str(value) if isinstance(value, int) else json.dumps(value, ensure_ascii=False)


def _plain(option: Option, value: object) -> object:
    """A table as a frontmatter would hold it: every scalar is a text, lists and tables keep their shape."""
    if isinstance(value, dict):
        return {str(key): _plain(option, item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(option, item) for item in value]
    if isinstance(value, str | int | Decimal) and not isinstance(value, bool):
        return str(value)
    raise NotAllowedError(option.allowed)
