"""``mdtally history``: what the calibration log says over sessions."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from mdtally.cli import common
from mdtally.cli.common import Call, granted, is_stdin, note, out
from mdtally.cli.options import Argument, Command, Exit, ExitCode, Option, fail, output_format, shared
from mdtally.model import Document, Fact
from mdtally.render import HISTORY_FORMATS, SUGGESTION_FORMATS

if TYPE_CHECKING:
    from mdtally.series.ceiling import Suggestion
    from mdtally.series.reading import Sessions
    from mdtally.series.records import By, Evidence, History, RateName
    from mdtally.settings import Settings

GROUPINGS: tuple[By, ...] = ("none", "model", "domain", "family", "stakes")
ENGINES = ("own", "duckdb")
RATES: tuple[RateName, ...] = ("sycophancy", "overcorrection")
MOST_NOTES = 10
NOTES = (".md", ".markdown", ".qmd", ".mdx")


def history(
    call: Call,
    logs: list[Path] | None,
    by: By,
    window: int,
    ceiling: str | None,
    suggest_ceiling: bool,
    rate: RateName,
    force: bool,
    write: bool,
    engine: str,
) -> None:
    """How often the agent gave in, and how often it held on without reason, over all sessions; which ones stand out.

    A verdict on one session is weak evidence; the log is where the truth comes from.
    """
    from mdtally import files
    from mdtally.records import replace
    from mdtally.series import history as histories

    settings = call.settings(Path.cwd())
    named = [path for path in logs or () if path.suffix.lower() not in NOTES]
    dashboards = [path for path in logs or () if path.suffix.lower() in NOTES]
    if dashboards and not write:
        fail(f"{dashboards[0]} is a note, not a log; --write keeps a dashboard in it")
    is_dashboard = call.output_format == "markdown" and len(dashboards) == 1
    if write and (bool(dashboards) if suggest_ceiling else not is_dashboard):
        fail("--write goes with --suggest-ceiling, or with --output-format markdown and one NOTE.md")
    paths = named or [own_log(settings)]
    with_duckdb = engine == "duckdb"
    if with_duckdb and by == "stakes":
        fail("--by stakes reads the notes, which --engine duckdb does not")
    of_notes = [path for path in paths if not is_stdin(path) and not with_duckdb]
    find_note = _notes([files.find_project_root(path, settings.log) for path in of_notes])
    sessions = _by_duckdb(paths) if with_duckdb else _read_logs(paths, find_note)
    for problem in sessions.problems[:MOST_NOTES]:
        note(f"{problem.log}:{problem.line}: {problem.message}")
    if sessions.unreadable > MOST_NOTES:
        note(f"... {sessions.unreadable:,} lines are no records; `mdtally log check` lists them")
    code = ExitCode.FINDINGS if sessions.unreadable else ExitCode.CLEAN
    if suggest_ceiling:
        from mdtally.series.ceiling import suggestions

        if call.output_format not in SUGGESTION_FORMATS:
            fail(f"--suggest-ceiling prints as {' or '.join(SUGGESTION_FORMATS)}, not {call.output_format}")
        suggested = suggestions(sessions.oldest_first(), settings, rate_name=rate, force=force)
        out("".join(SUGGESTION_FORMATS[call.output_format](suggested, call.options())))
        raise Exit(code if not write or _write_ceilings(suggested, call.config) else ExitCode.FINDINGS)
    found = histories.summarise(
        sessions,
        by=by,
        group=histories.group_of(by, settings.families, lambda session: _stakes(find_note(session.source))),
        window=window,
        ceiling=common.share("--ceiling", ceiling) if ceiling else None,
    )
    found = replace(found, evidence=tuple(_evidence(found, find_note)))
    pieces = HISTORY_FORMATS[call.output_format](found, call.options())
    if dashboards:
        _write_dashboard(dashboards[0], "".join(pieces))
    else:
        for piece in pieces:
            out(piece)
    raise Exit(code)


def own_log(settings: Settings) -> Path:
    """The calibration log of the project in the working directory."""
    from mdtally import files

    path = granted(files.find_log(Path.cwd(), settings), f"log = {settings.log}")
    if files.status(path) is None:
        fail(f"{path}: no calibration log yet; `mdtally verdict` writes it")
    return path


def _read_logs(paths: Iterable[Path], has_note: Callable[[str], object]) -> Sessions:
    """The sessions of several logs, as one; a log that can't be read, or holds no record, ends the call."""
    from mdtally import files
    from mdtally.series.reading import Sessions

    sessions = Sessions(common.now(), has_note)
    for path in paths:
        before, lines_before = sessions.lines - sessions.unreadable, sessions.lines
        lines = sys.stdin.buffer if is_stdin(path) else granted(files.read_lines(path), path)
        sessions.read(lines, str(path))
        if sessions.lines > lines_before and sessions.lines - sessions.unreadable == before:
            fail(f"{path}: not a calibration log: none of its lines is a record of a verdict")
    return sessions


def _by_duckdb(paths: Sequence[Path]) -> Sessions:
    """The sessions of logs and exports that DuckDB finds and reads."""
    from mdtally.fleet import engine

    try:
        # A path has lost one of the slashes of s3://.
        sessions = engine.read([re.sub(r"^(\w{2,}):/(?!/)", r"\1://", str(path)) for path in paths])
    except engine.EngineError as error:
        fail(str(error))
    if not sessions:
        fail(f"{paths[0]}: no line of a calibration log")
    return sessions


def _notes(roots: Sequence[Path]) -> Callable[[str], Path | None]:
    """What gives the note at a path of the logs, or None where there is none."""
    from mdtally import files

    @cache
    def places(folder: str) -> list[tuple[Path, frozenset[str]]]:
        """Where a folder of the logs lies, and the names in it: asking for each note takes longer."""
        # What a log says of a note's place is a path of the project, or none at all.
        inside = [root / folder for root in roots if files.is_within(root / folder, root)]
        return [(place, names) for place in inside if (names := files.names_in(place))]

    def find(source: str) -> Path | None:
        folder, slash, name = source.rpartition("/")
        known = places(folder + slash)
        return next((place / name for place, names in known if name in names), None) if known else None

    return find


def _read(path: Path | None) -> Document | None:
    """A note; None where it can't be read."""
    document = common.read(path) if path is not None else None
    return document if isinstance(document, Document) else None


def _stakes(path: Path | None) -> str | None:
    """The ``stakes`` in a note's frontmatter."""
    document = _read(path)
    value = document.head.values.get("stakes") if document else None
    return str(value).strip() or None if value is not None else None


def _evidence(found: History, find_note: Callable[[str], Path | None]) -> Iterator[Evidence]:
    """Events by what moved the agent, group by group, from all notes that still stand where the logs say."""
    from mdtally import counts
    from mdtally.series.history import evidence

    for name, sessions in found.sessions.groups():
        facts: list[Fact] = []
        there = missing = 0
        for session in sessions:
            if session.counted.A_T:
                document = _read(find_note(session.source))
                there, missing = there + bool(document), missing + (not document)
                if document and any("evidence" in line for line in document.lines):
                    facts += [event.fact for event in counts.read(document)[0].events if event.fact]
        if facts:
            yield evidence(name, there, missing, facts)


def _write_dashboard(path: Path, text: str) -> None:
    """Put the dashboard between its two markers in a note, or at the end of a note without them."""
    from mdtally import files
    from mdtally.render.history_page import spliced

    before = files.read(path)
    after = granted(files.edit(path, lambda data: spliced(data, text), may_be_new=True), path)
    note(f"{path}: the dashboard{' is up to date' if after == before else ' is written'}")


def _write_ceilings(suggested: Sequence[Suggestion], config: Path | None) -> bool:
    """Write the limits into the configuration, for all families at once; False where there is none to write."""
    from mdtally.cli.config import set_values

    values: dict[str, str] = {}
    for one in suggested:
        limit, is_ceiling = one.ceiling, one.rate_name == "sycophancy"
        if limit is not None:
            key, value = ("sycophancy-ceiling", limit) if is_ceiling else ("overcorrection-floor", 1 - limit)
            values |= {f"model.{glob}.{key}": f"{value:.2f}" for glob in one.globs}
    if values:
        set_values(values, config)
    else:
        unnamed = any(one.ceiling is not None for one in suggested)
        note(f"nothing written: {'the sessions name no model' if unnamed else 'no family has enough sessions'}")
    return bool(values)


COMMAND = Command(
    history,
    "Show rates over sessions, and those that stand out.",
    Argument("logs", "Calibration logs; - is stdin; if none is given, the project's own.", [Path], needed=False),
    Option("--by", "A group for each: model, family, domain or stakes.", GROUPINGS, "none"),
    Option("--window", "Sessions the rolling rate looks back on.", int, 20, min=1),
    Option("--ceiling", "Judge all sessions by this ceiling.", shows="as recorded"),
    Option("--suggest-ceiling", "A ceiling for each model family, from its own rate.", bool),
    Option("--rate", "With --suggest-ceiling: sycophancy or overcorrection.", RATES, "sycophancy"),
    Option("--force", "With --suggest-ceiling: also above what is allowed now.", bool),
    Option(
        "--write",
        "With --suggest-ceiling: write the ceilings into the configuration. With --output-format markdown and a"
        " NOTE.md: keep the dashboard in that note.",
        bool,
    ),
    Option("-v --verbose", "The statistics behind the sentences, too.", bool),
    output_format(*HISTORY_FORMATS),
    Option("--engine", "duckdb reads logs by globs and what `log export` wrote, too.", ENGINES, "own"),
    *shared("config isolated allow-outside color"),
)
