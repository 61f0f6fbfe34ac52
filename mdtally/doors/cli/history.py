"""``mdtally history``: what the calibration log says over sessions."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from typer import Argument, Option

from mdtally.doors.cli import common
from mdtally.doors.cli import options as shared
from mdtally.doors.cli.common import Call, ExitCode, fail, fail_at_idle, fail_if_refused, is_stdin, note, or_end, out

if TYPE_CHECKING:
    from mdtally.log.series.reading import LogLines, Sessions
    from mdtally.log.series.records import History
    from mdtally.project.settings import Settings
    from mdtally.show.page import Link

MOST_NOTES = 5
MOST_NAMED = 10
NOTES = (".md", ".markdown", ".qmd", ".mdx")

_LOGS = "Calibration logs, or folders with some below; - is stdin; if none is given, the project's own."
Logs = Annotated[list[Path] | None, Argument(metavar="[LOG]...", readable=False, help=_LOGS)]
_WINDOW = 20
"""Sessions that a rolling rate looks back on if no number is given."""
_BY = "A group for each model, family, domain, project, labeler or other key of lines."
Format = Literal["table", "json", "markdown", "html", "svg", "line"]


@shared.with_call("verbose", "color")
def history(
    call: Call,
    logs: Logs = None,
    by: Annotated[str, Option(metavar="KEY", help=_BY)] = "none",
    split: Annotated[str | None, Option(metavar="DATE", help="Did it help? Sessions before and since a day.")] = None,
    where: shared.Where = None,
    labeler: Annotated[str | None, Option(metavar="NAME", help="Whose labels count, and no others.")] = None,
    window: Annotated[int, Option(metavar="N", min=1, help="Sessions the rolling rate looks back on.")] = _WINDOW,
    ceiling: Annotated[str | None, Option(metavar="RATE", show_default="as recorded", help="Judge all by it.")] = None,
    suggest_ceiling: Annotated[bool, Option("--suggest-ceiling", help="A ceiling for each model family.")] = False,
    write: Annotated[bool, Option("--write", help="Keep a dashboard in NOTE.md, or the suggested ceilings.")] = False,
    output_format: Annotated[Format | None, Option(show_default="table, or as OUTPUT ends", help="How.")] = None,
    output: Annotated[Path | None, Option("--output", "-o", metavar="FILE", help="Write into this file.")] = None,
) -> ExitCode:
    """Show rates over sessions, and those that stand out.

    How often, of the times you pressed, did the agent give in; and did a change help? A verdict on one session is weak
    evidence; the log is where the truth comes from.
    """
    from mdtally.log.series.history import summarise
    from mdtally.project import files
    from mdtally.show.history_output import FORMATS

    settings = call.settings(Path.cwd())
    wanted = output_format or common.format_of(output, "table")
    dashboard = [path for path in logs or () if path.suffix.lower() in NOTES]
    if dashboard and not write:
        fail(f"{dashboard[0]} is a note, not a log; --write keeps a dashboard in it")
    if write and (bool(dashboard) if suggest_ceiling else (wanted, len(dashboard)) != ("markdown", 1)):
        fail("--write goes with --suggest-ceiling, or with --output-format markdown and one NOTE.md")
    if suggest_ceiling:
        idle = {"by": by != "none", "split": split, "window": window != _WINDOW, "ceiling": ceiling, "output": output}
        fail_at_idle(
            idle, "does not go with --suggest-ceiling, which is of all sessions of a family; --where narrows them"
        )
    if output and write:
        fail("--output does not go with --write")
    named = [path for path in logs or () if path not in dashboard]
    own = [] if named else _place_of_surveys(settings)
    paths = [] if own else find_logs(call, named)
    sessions = _filter_sessions(read_logs(paths, settings, labeler), where or (), settings)
    if suggest_ceiling:
        is_done = _suggest(sessions, settings, wanted, call, write=write)
        return call.end(has_findings=sessions.unreadable > 0 or not is_done)
    limit = common.share("--ceiling", ceiling) if ceiling else None
    with fail_if_refused():
        found = summarise(sessions, by=by, split=split or "", families=settings.families, window=window, ceiling=limit)
    if dashboard:
        _write_dashboard(dashboard[0], found, [files.find_project_root(path, settings.log) for path in paths])
    elif output:
        common.write_report(output, "".join(FORMATS[wanted](found, call.options())).encode(), "history", call)
    else:
        for piece in FORMATS[wanted](found, call.options()):
            out(piece)
        if wanted == "table":
            _tell_below(paths or own, settings, split or "", call.options().width)
    return call.end(has_findings=sessions.unreadable > 0)


def _filter_sessions(sessions: Sessions, where: Sequence[str], settings: Settings) -> Sessions:
    """The sessions whose lines have these values; a value that no line has ends the call, as another labeler does."""
    from collections import Counter

    from mdtally.log.series.history import value_of
    from mdtally.text.globs import fits
    from mdtally.text.records import replace

    for text in where:
        key, glob = common.pair("--where", text)
        with fail_if_refused("--where: "):
            value = value_of(key, settings.families)
        kept = tuple(line for line in sessions.records if fits(glob, value(line) or ""))
        if sessions.records and not kept:
            many = Counter(value(line) or "(none)" for line in sessions.records).most_common(MOST_NAMED)
            there = ", ".join(f"{name} ({number})" for name, number in many)
            fail(f"--where: no session has {text}; there are {there}")
        sessions = replace(sessions, records=kept)
    return sessions


def _tell_below(logs: Sequence[Path], settings: Settings, split: str, width: int) -> None:
    """Say below a history what is not in it: untagged sessions, and the newest survey, which is pooled with nothing."""
    from mdtally.text import safe

    newest = _newest_survey(logs)
    survey = f"The newest survey ({newest['survey']}): {newest.get('sentence')}." if newest else ""
    survey += f" {newest['compared']}" if newest.get("compared") else ""
    for words in filter(None, (_sessions_line(logs, settings, split, newest), survey)):
        out("\n" + "".join(f"{line}\n" for line in safe.wrap(safe.terminal(words), width)))


def _sessions_line(logs: Sequence[Path], settings: Settings, split: str, newest: Mapping[str, Any]) -> str:
    """How many recorded sessions have no tags yet, and of a split that no survey answers how many are from before."""
    from mdtally.project import files
    from mdtally.sources.listing import fresh_notes
    from mdtally.text import safe
    from mdtally.text.percent import count

    roots = [files.find_project_root(log, settings.log) for log in logs if not is_stdin(log)]
    found = [one for root in roots for one in fresh_notes(root, root / settings.note_folder)]
    is_open = split not in ("", newest.get("split"))
    if before := [path for path, is_begun in found if is_open and not is_begun and "" < _day_of(path) < split]:
        survey = f"`mdtally survey {safe.argument(files.relative(before[0].parent, Path.cwd()))} --split {split}`"
        many = count(len(before), "note")
        return f"{many} from before {split} without tags: label those, or survey them: {survey}"
    begun = sum(is_begun for _, is_begun in found)
    said = f"{count(len(found), 'recorded session')} not reviewed yet" + f", {begun} of them begun" * bool(begun)
    return f"{said}; `mdtally review` asks about the newest" * bool(found)


def _day_of(path: Path) -> str:
    """The day of a note that nobody has judged, by its name or else its frontmatter; "" if neither tells."""
    from mdtally.project import files
    from mdtally.session.judging import date_of
    from mdtally.text.line_parts import leading_day

    if day := leading_day(path.name):
        return day  # a recorded session has one, and need not be read
    document = files.document_of(files.read(path))
    return "" if isinstance(document, files.Refusal) else date_of(document, path.name)[:10]


def _place_of_surveys(settings: Settings) -> list[Path]:
    """Where the project's log would be, if there is none yet, but surveys beside it; else nothing."""
    from mdtally.check.survey_verdict import LOG, read_surveys
    from mdtally.project import files

    own = files.find_log(Path.cwd(), settings)
    return [own] if isinstance(own, Path) and files.status(own) is None and read_surveys(own.with_name(LOG)) else []


def _newest_survey(logs: Sequence[Path]) -> Mapping[str, Any]:
    """The line of the newest survey beside some logs; none if there is no survey."""
    from mdtally.check.survey_verdict import LOG, read_surveys
    from mdtally.doors.cli.survey import tell_spoiled

    places = [log.with_name(LOG) for log in logs if not is_stdin(log)]
    for place in places:
        tell_spoiled(place)
    found = [line for place in places for line in read_surveys(place)]
    return max(reversed(found), key=lambda line: str(line.get("recorded"))) if found else {}


# -- Logs -------------------------------------------------------------------------------------------------------------


def find_logs(call: Call, named: Sequence[Path]) -> list[Path]:
    """The logs that are named, those below folders that are named, or else the project's own."""
    from mdtally.project import files
    from mdtally.sources.listing import fresh_notes

    if not named:
        settings = call.settings(Path.cwd())
        own = or_end(files.find_log(Path.cwd(), settings))
        if files.status(own) is None:
            if below := files.find_logs(Path.cwd(), settings.log):
                fail(f"{files.display_path(own)}: no calibration log; one below is {files.display_path(below[0])}")
            root = files.find_project_root(own, settings.log)
            is_fresh = any(fresh_notes(root, root / settings.note_folder))
            others = ", once `mdtally review` has asked about a recorded session" * is_fresh
            fail(f"{files.display_path(own)}: no calibration log yet; `mdtally verdict .` writes it{others}")
        return [own]
    found: list[Path] = []
    missing = []
    for path in named:
        log = call.settings(path).log if files.is_folder(path) else ""
        below = files.find_logs(path, log) if log else [path]
        missing += [] if below else [f"{path}: no {log} in it or below it"]
        found += (one for one in below if one not in found)
    if not found:
        fail("; ".join(missing))
    for message in missing:
        note(f"{message}: left out")
    return found


def read_lines(log: Path, settings: Settings, *, thorough: bool = False) -> LogLines:
    """The lines of a log; one that can't be read ends the call."""
    from functools import partial

    from mdtally.log.series import reading
    from mdtally.project import files

    claims = partial(claimed_session, files.find_project_root(log, settings.log))
    lines = sys.stdin.buffer if is_stdin(log) else or_end(files.read_lines(log), log)
    return reading.read_lines(lines, str(log), now=common.now(), claims=claims, thorough=thorough)


def claimed_session(root: Path, source: str) -> str | None:
    """The session that a note of a log says it is, by its path from the log's root; None if there is no such note."""
    from mdtally.project import files
    from mdtally.session import name_of

    # What a log says of a note's place is a path of the project, or none at all.
    found = files.document_of(files.read(root / source) if files.is_within(root / source, root) else files.MISSING)
    return None if isinstance(found, files.Refusal) else name_of(found)


def read_logs(paths: Sequence[Path], settings: Settings, labeler: str | None) -> Sessions:
    """The sessions of several logs, as one; a log that can't be read, or holds no record, ends the call."""
    from mdtally.log.series.reading import sessions_of

    logs = [read_lines(path, settings) for path in paths]
    for path, log in zip(paths, logs, strict=True):
        if log.lines and not log.records:
            fail(f"{path}: not a calibration log: none of its lines is a record of a verdict")
    with fail_if_refused("--labeler: "):
        sessions = sessions_of(logs, labeler)
    for problem in sessions.problems[:MOST_NOTES]:
        note(f"{problem.log}:{problem.line}: {problem.message}")
    if len(sessions.problems) > MOST_NOTES:
        note(f"... and {len(sessions.problems) - MOST_NOTES:,} more; `mdtally log check` lists them")
    return sessions


# -- What is written --------------------------------------------------------------------------------------------------


def _write_dashboard(path: Path, found: History, roots: Sequence[Path]) -> None:
    """Put the dashboard between its two markers in a note, or at the end of a note without them."""
    from mdtally.project import files
    from mdtally.show.history_output import dashboard, note_with_dashboard

    text = dashboard(found, _link_from(path, roots))
    before = files.read(path)
    after = or_end(files.edit(path, lambda data: note_with_dashboard(data, text), may_be_new=True), path)
    note(f"{path}: the dashboard{' is up to date' if after == before else ' is written'}")


def _link_from(path: Path, roots: Sequence[Path]) -> Link:
    """What makes the links of a dashboard to the notes of its sessions: those of a vault where it stands in one."""
    import os

    from mdtally.project import files
    from mdtally.show.history_output import note_link

    home = files.find_project_root(path)
    vault = home if files.is_folder(home / ".obsidian") else None

    def link(text: str, source: str) -> str:
        note = next((root / source for root in roots if files.is_within(root / source, root)), None)
        if note is None or files.status(note) is None:
            return note_link(text)
        of_vault = files.relative(note, vault) if vault and files.is_within(note, vault) else ""
        return note_link(text, os.path.relpath(note, files.absolute(path).parent), of_vault)

    return link


def _suggest(sessions: Sessions, settings: Settings, wanted: str, call: Call, *, write: bool) -> bool:
    """Print the suggested ceilings; with ``write``, put them into the configuration, for all families at once.

    False if there is none to put there.
    """
    from mdtally.log.series.ceiling import config_values, suggestions
    from mdtally.project.files.config import change_config
    from mdtally.project.settings.write import set_values
    from mdtally.show.history_output import SUGGESTION_FORMATS

    if wanted not in SUGGESTION_FORMATS:
        fail(f"--suggest-ceiling prints as {' or '.join(SUGGESTION_FORMATS)}, not {wanted}")
    suggested = list(suggestions(sessions.records, settings))
    out("".join(SUGGESTION_FORMATS[wanted](suggested, call.options())))
    values = config_values(suggested)
    if write and values:
        path = or_end(change_config(lambda text, path: set_values(text, values, path=path), call.config))
        for names, value in values.items():
            note(f"{path}: {'.'.join(names)} = {value}")
    elif write:
        made = [one for one in suggested if one.ceiling is not None]
        unnamed = "the sessions name no model" if made else "no family has enough sessions"
        has_named = any(one.globs for one in made)
        note(f"nothing written: {'the ceilings stay as they are' if has_named else unnamed}")
        return has_named
    return True
