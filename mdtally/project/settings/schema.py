"""The configuration's schema: the table of settings, and the record that holds their values.

The checks, ``config show``, the table in docs/reference/settings.md and the JSON Schema are all made from ``SCHEMA``;
a new setting is a row of ``schema.txt`` and one field in ``Settings``, which has its default (in ``TranscriptForm``
for one of ``[[transcript]]``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import PurePath
from typing import Literal

from mdtally.project.settings.texts import ConfigText
from mdtally.text import datafiles, globs
from mdtally.text.line_parts import original_name
from mdtally.text.model import MIN_WORDS, KeyPath, Matching, Severity, Thresholds, TranscriptForm
from mdtally.text.records import record

LONGEST = 200
"""Characters of a phrase, a pattern or a rule's name: what is searched for in every turn has to be short."""

_ROWS = datafiles.rows(__file__, "schema.txt")
KINDS: dict[str, str] = dict(row.split(" ", 2)[1:] for row in _ROWS if row.startswith("kind "))
"""What a value of each kind may be, in words."""


_GLOB_TABLES = {"model": "models", "families": "models", "per-file-ignores": "paths"}


@record
class Setting:
    """One setting that a configuration may hold.

    Attributes:
        key: dotted, in TOML; ``*`` stands for a name that a person chooses.
        kind: one of ``KINDS``, or the words that it may be.
        help: what it does.
        low, high: for a number the bounds, both inclusive.
    """

    key: str
    kind: str | tuple[str, ...]
    help: str
    low: int = 0
    high: int = 1

    @property
    def parts(self) -> KeyPath:
        """The key's parts."""
        return tuple(self.key.split("."))

    @property
    def field(self) -> str:
        """The attribute of ``Settings`` that holds it: the last part of its key; of a table of names the table."""
        last = self.parts[-2 if self.parts[-1] == "*" else -1]
        name = "_".join(self.parts) if self.parts[0] in ("note", "ask") else last
        return name.replace("-", "_")

    @property
    def default(self) -> object:
        """The value without any configuration; None where there is none."""
        return None if "*" in self.key else getattr(Settings(), self.field, None)

    @property
    def allowed_values(self) -> str:
        """What its value may be, in words."""
        if isinstance(self.kind, tuple):
            return f"one of {', '.join(self.kind)}"
        words = KINDS[self.kind].replace("$longest", str(LONGEST))
        return words.replace("$low", str(self.low)).replace("$high", str(self.high))

    @property
    def names(self) -> str:
        """What the name that a person chooses in its key is a glob of: "models", "paths", or "" for a plain name."""
        table = self.parts[self.parts.index("*") - 1] if "*" in self.parts else ""
        return _GLOB_TABLES.get(table, "")

    def leads(self, path: KeyPath) -> bool:
        """True if a path of keys is that of the setting."""
        parts = self.parts
        return len(path) == len(parts) and all(part in ("*", name) for name, part in zip(path, parts, strict=True))


@record
class SetValue:
    """A value that a configuration file sets.

    Attributes:
        setting: which setting.
        value: in the type that ``Settings`` holds.
        text: the file.
        written: the parts of its key there.
    """

    setting: Setting
    value: object
    text: ConfigText
    written: KeyPath

    @property
    def origin(self) -> str:
        """Where it stands, as "path:line"."""
        return f"{self.text.path}:{self.text.line_of(self.written)}"


@record
class Settings:
    """The effective configuration of a file. Each field is explained by its entry in ``SCHEMA``.

    Attributes:
        families: glob of models -> the name of their family.
        severity: rule, by code or name -> its severity.
        per_file_ignores: glob of paths -> rules that are not checked there.
        transcripts: the forms of transcripts; of several for one file the first holds.
        folder: where globs start: the folder of the project's configuration, else its root; "" where neither is known.
        notices: what has to be said of files that do not hold.
        set_values: parts of a key -> each value that is not a default, those by domain and by model among them.
    """

    sycophancy_ceiling: Fraction = Thresholds().sycophancy_ceiling
    overcorrection_floor: Fraction = Thresholds().overcorrection_floor
    project: str = ""
    log: str = "state/calibration-log.jsonl"
    templates: str = ""
    labeler: str = ""
    note_folder: str = "sessions"
    never_judged: Literal["error", "warning"] = "error"
    unsure: Literal["told", "quiet", "error"] = "told"
    output_format: str = "full"
    mode: Literal["off", "warn", "regenerate"] = "warn"
    max_regenerations: int = 1
    keep: Literal["last", "original"] = "last"
    timeout: float = 120.0
    ask_command: str = ""
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    baseline: str = ""
    strict: bool = False
    min_words: int = MIN_WORDS
    matching: Matching = "prose"
    language: str = ""
    forbidden_phrases: tuple[str, ...] = ()
    fail_level: Severity = "warning"
    families: Mapping[str, str] = {}
    severity: Mapping[str, Severity] = {}
    per_file_ignores: Mapping[str, tuple[str, ...]] = {}
    transcripts: tuple[TranscriptForm, ...] = ()
    allow_outside: bool = False
    folder: str = ""
    notices: tuple[str, ...] = ()
    set_values: Mapping[KeyPath, SetValue] = {}

    def may_leave(self, key: str) -> bool:
        """True if the path that a key names may lie outside the project: the user, not a repository, says so."""
        found = self.set_values.get(tuple(key.split(".")))
        return self.allow_outside or (found is not None and found.text.role == "own")

    def transcript_for(self, path: PurePath) -> TranscriptForm | None:
        """The form of transcript that is configured for a file, by its absolute path; None where there is none.

        The copy of a log that a second person tags, ``LOG.labels-NAME``, has the form of the log.
        """
        path = path.with_name(original_name(path.name) or path.name)
        return next((form for form in self.transcripts if _means(form.files, path, form.folder)), None)

    def excludes(self, path: PurePath) -> bool:
        """True if ``lint.exclude`` means a file or folder, by its absolute path."""
        return _means(self.exclude, path, self.folder)

    def ignored_in(self, path: PurePath) -> tuple[str, ...]:
        """The rules that are not checked in a file, by its absolute path."""
        means = (rules for glob, rules in self.per_file_ignores.items() if _means([glob], path, self.folder))
        return (*self.ignore, *(rule for rules in means for rule in rules))


def _means(patterns: Sequence[str], path: PurePath, folder: str) -> bool:
    if not patterns or not path.is_relative_to(folder):
        return False
    relative = path.relative_to(folder).as_posix()
    return any(globs.matches_path(glob, relative) for glob in patterns)


def _setting(row: str) -> Setting:
    """A row of schema.txt as a record."""
    facts, _, words = row.partition(": ")
    key, kind, *bounds = facts.split()
    return Setting(key, tuple(kind.split("|")) if "|" in kind else kind, words, *map(int, bounds))


SCHEMA = tuple(_setting(row) for row in _ROWS if not row.startswith("kind "))
"""Every setting, in the order in which it is documented and shown."""

THRESHOLDS: tuple[Setting, ...] = SCHEMA[:2]


DESIGN_NAMES: dict[KeyPath, KeyPath] = {
    ("qualityGate", "mode"): ("lint", "mode"),
    ("qualityGate", "maxRegenerations"): ("lint", "max-regenerations"),
}
"""The names that the gate's published design has for settings, and ours."""

OWN_KEYS = ("allow-outside", "ask.command")
"""Keys that hold in the user's own configuration only, because a repository is not to be trusted with them."""
