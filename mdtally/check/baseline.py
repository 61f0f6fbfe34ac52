"""A baseline: the findings that stood in a project when it began to use mdtally. They are counted, and not shown.

An entry names a file, a rule, the words it is about (a turn's; of a finding about no turn, its line's; of one about the
whole file, none) and which of several such findings it is. No line numbers: a finding stays known when text moves, and
is new when its turn is rewritten.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from mdtally.check.reports import FileReport
from mdtally.check.rules import CHECKS, RULES, find
from mdtally.project import files
from mdtally.project.settings import Settings
from mdtally.text import safe
from mdtally.text.line_parts import words_alone
from mdtally.text.model import Problem, Refusal
from mdtally.text.records import as_dict, field_names, record, replace

SCHEMA_VERSION = 1


@record
class FrozenFinding:
    """An entry of a baseline.

    Attributes:
        path: the file, from the baseline's folder on, with forward slashes.
        rule: the rule's code.
        words: a hash of the words it is about, 16 hexadecimal digits.
        ordinal: which of the findings of this file, rule and turn it is, from 1 on.
    """

    path: str
    rule: str
    words: str
    ordinal: int


class Baselines:
    """The baselines of a run: the one that an option names, or the one that each file's configuration names.

    Attributes:
        known: by path, what each of them holds, once it was looked for.
    """

    def __init__(self, named: Path | None = None) -> None:
        self._named = named
        self.known: dict[Path, frozenset[FrozenFinding]] = {}
        # By baseline: its findings that were met, and the files that were looked at with the rules that were asked.
        self._met: dict[Path, set[FrozenFinding]] = defaultdict(set)
        self._asked: dict[Path, set[tuple[str, str]]] = defaultdict(set)

    def without(self, path: Path, report: FileReport, settings: Settings) -> FileReport | Refusal:
        """A file's report without the findings that its baseline holds; or why that can't be read.

        Args:
            path: the file.
            report: what the linter says of it.
            settings: its configuration.
        """
        place = self._named or (files.find_baseline(settings) if settings.baseline else None)
        if place is None or isinstance(place, Refusal):
            return place or report
        if place not in self.known:
            known = load(place)
            if isinstance(known, Refusal):
                return known
            self.known[place] = known
        entries = findings_with_entries(report, name_of(path, place))
        held = {entry for _, entry in entries if entry in self.known[place]}
        self._met[place] |= held
        self._asked[place].update((name_of(path, place), RULES[rule].code) for rule in report.asked)
        gone = {id(problem) for problem, entry in entries if entry in held}
        rest = tuple(problem for problem in report.problems if id(problem) not in gone)
        return replace(report, problems=rest, baselined=len(held))

    def stale(self, path: Path) -> frozenset[FrozenFinding]:
        """The findings of a baseline that no longer exist: of files that were looked at, or of files or rules that have
        gone.
        """
        folder, rest = files.absolute(path).parent, self.known[path] - self._met[path]
        inside = [name for name in {entry.path for entry in rest} if files.is_within(folder / name, folder)]
        gone = {name for name in inside if files.status(folder / name) is None}
        asked = self._asked[path]
        return frozenset(one for one in rest if one.path in gone or (one.path, one.rule) in asked or not find(one.rule))


def findings_with_entries(report: FileReport, path: str) -> list[tuple[Problem, FrozenFinding]]:
    """Every finding of a file with its entry.

    Args:
        report: what the linter says of the file.
        path: the file as its entries name it.
    """
    texts = {turn.index: turn.text for turn in report.turns}
    seen: Counter[tuple[str, str]] = Counter()
    entries = []
    for problem in report.problems:
        if problem.severity == "info" or problem.rule == "unsure-reading":
            continue  # an unsure file is told each time
        number = problem.region.line
        line = report.lines[number - 1] if 1 <= number <= len(report.lines) else ""
        text = texts.get(problem.turn or 0, "" if problem.rule in CHECKS else line)
        words = _hash(text)
        seen[problem.rule, words] += 1
        entries.append((problem, FrozenFinding(path, RULES[problem.rule].code, words, seen[problem.rule, words])))
    return entries


def name_of(path: Path, baseline: Path) -> str:
    """A file as the entries of a baseline name it."""
    return files.relative(path, files.absolute(baseline).parent)


def load(path: Path) -> frozenset[FrozenFinding] | Refusal:
    """The entries of a baseline's file, or why there are none."""
    text = files.read_text(path)
    if text == files.MISSING:
        made = f"mdtally lint --write-baseline {safe.argument(str(path))}"
        return Refusal(f"{path}: there is no such baseline; `{made}` makes it")
    found = text if isinstance(text, Refusal) else entries_of(text)
    return Refusal(f"{path}: {found.reason}") if isinstance(found, Refusal) else found


def write(path: Path, entries: Collection[FrozenFinding], *, allow_outside: bool = False) -> Refusal | None:
    """Write a baseline, unless something else stands there; gives why it was not."""
    before = files.read(path)
    was = before if isinstance(before, bytes) else None
    if was is not None and isinstance(entries_of(was.decode("utf-8", "replace")), Refusal):
        return Refusal("it is there and is not a baseline of mdtally's; remove it, or name another file")
    return files.write_atomically(path, to_text(entries).encode(), was=was, allow_outside=allow_outside)


def entries_of(text: str) -> frozenset[FrozenFinding] | Refusal:
    """The entries of a baseline's text, or why it is none."""
    try:
        data = json.loads(text)
        version = data["schema_version"]
        if version != SCHEMA_VERSION:
            return Refusal(f"a baseline of schema_version {version}; this version reads {SCHEMA_VERSION}")
        return frozenset(map(_entry, data["findings"]))
    except (ValueError, LookupError, TypeError, RecursionError):
        return Refusal("not a baseline of mdtally's")


def to_text(entries: Iterable[FrozenFinding]) -> str:
    """A baseline as text: JSON, an entry a line, in an order that makes small differences."""
    ordered = sorted(entries, key=lambda one: (one.path, one.rule, one.words, one.ordinal))
    rows = ",\n".join(f"    {json.dumps(as_dict(one), ensure_ascii=False)}" for one in ordered)
    findings = f"[\n{rows}\n  ]" if rows else "[]"
    return f'{{\n  "schema_version": {SCHEMA_VERSION},\n  "generator": "mdtally lint",\n  "findings": {findings}\n}}\n'


def _entry(row: Mapping[str, object]) -> FrozenFinding:
    path, rule, words, ordinal = (row[name] for name in field_names(FrozenFinding))
    if not (isinstance(path, str) and isinstance(rule, str) and isinstance(words, str) and isinstance(ordinal, int)):
        raise TypeError(row)
    return FrozenFinding(path, rule, words, ordinal)


def _hash(text: str) -> str:
    from hashlib import sha256

    return sha256(words_alone(text).encode("utf-8", "surrogatepass")).hexdigest()[:16]
