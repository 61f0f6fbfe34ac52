"""``mdtally compare``: two people's labels of the same logs, or a person's and a model's."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument

from mdtally.doors.cli import options as shared
from mdtally.doors.cli.common import Call, ExitCode, fail, note, out
from mdtally.text.line_parts import original_name
from mdtally.text.model import errors_of
from mdtally.text.records import record

if TYPE_CHECKING:
    from mdtally.check.reports import File
    from mdtally.log.agreement import Comparison, Labelers, Row
    from mdtally.log.record import LogRecord


@shared.with_call("color")
def compare(
    call: Call,
    a: Annotated[Path, Argument(metavar="A", readable=False, help="One person's: a note, a folder, a .jsonl.")],
    b: Annotated[Path | None, Argument(metavar="[B]", readable=False, help="The other's, or a model's.")] = None,
    output_format: shared.TableOrJson = "table",
) -> ExitCode:
    """Compare two people's labels of the same logs.

    Raw agreement, kappa, positive and negative agreement, what they disagree on in each fact, and the disputed events
    by line; of two folders or two calibration logs over all sessions that both labelled, and for each. A survey that
    was drawn by a model's words (`survey --ask`) is compared with them alone: the items that have an answer.
    """
    from mdtally.project import files
    from mdtally.show import compare_output

    paths = [a] if b is None else [a, b]
    folders = [files.is_folder(path) for path in paths]
    logs = [path.suffix == ".jsonl" for path in paths]
    if any(folders) != all(folders) or any(logs) != all(logs):
        fail("both have to be notes, or folders, or calibration logs")
    notes = [] if any((*folders, *logs)) else [*call.files(paths)]
    if call.errors:
        return call.end()
    found = _surveys(paths, notes)
    if b is not None:
        found = found or (_logs(call, a, b) if all(logs) else _notes(call, (a, b), notes))
    if call.errors:
        return call.end()
    if not found:
        fail(f"{a}: name a second one to compare it with; only a survey is compared with a model's words without one")
    if not found.sessions:
        hint = "; a labeler's copy in a folder has to be called as its log is" * all(folders)
        fail(f"no session of {a} can be matched with one of {b}, so there is nothing to compare{hint}")
    if not found.letters.events:
        if any(one.left_out for one in found.sessions):
            fail(f"nothing is labelled in both {a} and {b} yet, so there is nothing to compare")
        fail(f"neither {a} nor {b} holds a tag or fact, so there is nothing to compare")
    out(compare_output.FORMATS[output_format](found, call.options()))
    return ExitCode.CLEAN


def _surveys(paths: Sequence[Path], files: Sequence[File]) -> Labelers | None:
    """Two people's surveys of one draw, or one survey and what a model said; None if no note is a survey."""
    from mdtally.check.survey_verdict import compare_surveys, compare_with_model
    from mdtally.doors.cli.survey import survey_of

    if not any(file.document.is_survey for file in files):
        return None
    notes = [survey_of(file, is_sound=True) for file in files]
    a, b = str(paths[0]), str(paths[-1])
    is_alone = len(notes) == 1
    found = compare_with_model(notes[0], a) if is_alone else compare_surveys(notes[0], notes[1], (a, b))
    if found is None:
        alone = f"{a}: no model was asked before the draw (`mdtally survey --ask`), so name somebody else's survey"
        other = f"{a} and {b} ask about other replies; `mdtally survey SURVEY.md --again` makes one with the same"
        fail(alone if is_alone else other)
    if not found.letters.events:
        fail(f"no item has an answer in {a if is_alone else f'both {a} and {b}'}, so there is nothing to compare")
    return found


def _notes(call: Call, paths: tuple[Path, Path], notes: Sequence[File]) -> Labelers:
    """Two notes, or without them those of two folders, matched by their sessions' names or else their paths."""
    from mdtally.log import agreement

    named: Iterable[Iterable[File]] = [[note] for note in notes] or [
        call.files(Call([path]).named_files()) for path in paths
    ]
    of_a, of_b = (
        _by_session(_labelled_notes(files, path, may_be_empty=not notes))
        for files, path in zip(named, paths, strict=True)
    )
    if notes and of_a:
        # Two notes that were named are one session, whatever they are called.
        of_b = {next(iter(of_a)): one for one in of_b.values()}
    compared = [_compare_notes(key, of_a[key], of_b[key]) for key in of_a if key in of_b]
    a, b = (_name(each.values(), path) for each, path in zip((of_a, of_b), paths, strict=True))
    return agreement.pool(a, b, compared, sorted(of_a.keys() ^ of_b.keys()))


def _logs(call: Call, a: Path, b: Path) -> Labelers:
    """Two calibration logs: the notes that their lines name, or where one is gone the order of the lines' events."""
    from mdtally.doors.cli.history import read_lines
    from mdtally.log import agreement
    from mdtally.log.series.reading import of_two_labelers
    from mdtally.project import files

    def by_notes(*lines: LogRecord) -> Comparison | None:
        paths = [root / (line.source or "") for root, line in zip(roots, lines, strict=True)]
        # Labels of two people in one note: the lines know what it held.
        if paths[0] == paths[1] or not all(map(files.is_within, paths, roots)):
            return None
        there = [path for path in paths if files.status(path) is not None and not files.is_folder(path)]
        notes = [one for path in there for one in _labelled_notes(call.files([path]), path, may_be_empty=True)]
        return _compare_notes(lines[0].session, *notes) if len(notes) == 2 else None

    settings = call.settings(Path.cwd())
    roots = [files.find_project_root(log, settings.log) for log in (a, b)]
    both = of_two_labelers(read_lines(a, settings), read_lines(b, settings))
    return agreement.compare_records(*both, (str(a), str(b)), by_notes)


@record
class _Labelled:
    """A note that was labelled: its path, what it is matched by, who labelled it, its lines without annotations."""

    path: str
    key: str
    labeler: str | None
    rows: list[Row]


def _labelled_notes(notes: Iterable[File], path: Path, *, may_be_empty: bool) -> list[_Labelled]:
    """The notes at a path that hold events, or none though every question of a review was answered.

    One without any that nobody reviewed ends the call, unless it may be empty.
    """
    from mdtally import transcript as transcripts
    from mdtally.log import agreement
    from mdtally.project import files
    from mdtally.session import judge, reviewed_on

    found = []
    for file in notes:
        # Tallies may be wrong here: it is the events that are compared.
        judged = judge(file.document, file.settings, trust="tags", labels=transcripts.label_lines)
        counts = judged.counts
        is_labelled = bool(counts.events or (reviewed_on(file.document.head) and not counts.A_T))
        for problem in errors_of(judged.problems) if is_labelled or not may_be_empty else ():
            note(f"{file.path}:{problem.region.line}:{problem.region.column}: {problem.message}")
        if is_labelled:
            rows = agreement.to_rows(file.document.lines, counts, file.document.body_line, _open_lines(file))
            key = judged.name or files.relative(file.path, files.absolute(path))
            found.append(_Labelled(str(file.path), key, judged.labeler, rows))
        elif not may_be_empty:
            fail(f"{file.path}: no tags or facts to compare; tallies alone say nothing of single events")
    return found


def _open_lines(file: File) -> set[int]:
    """The lines of replies about which a second labeler has said nothing yet, in a copy that is not reviewed."""
    from mdtally.check.verdicts import session_of
    from mdtally.events.replies import answers_of, open_replies
    from mdtally.session import reviewed_on

    if not original_name(file.path.name) or reviewed_on(file.document.head):
        return set()
    replies = open_replies(file.document, answers_of(session_of(file), file.path))
    return {line for one in replies for line in range(one.run.line, one.run.end_line + 1)}


def _by_session(labelled: Iterable[_Labelled]) -> dict[str, _Labelled]:
    """Notes by what they are matched by; two of one session end the call, as one of them would be left out."""
    found: dict[str, _Labelled] = {}
    for one in labelled:
        if (other := found.setdefault(one.key, one)) is not one:
            fail(f"{other.path} and {one.path} are one session ({one.key}): give one of them another `session`")
    return found


def _compare_notes(session: str, a: _Labelled, b: _Labelled) -> Comparison:
    from mdtally.log import agreement

    return agreement.compare(a.rows, b.rows, (session, a.path, b.path))


def _name(labelled: Iterable[_Labelled], path: Path) -> str:
    """Who labelled, or else where the labels stand."""
    return ", ".join(sorted({one.labeler for one in labelled if one.labeler})) or str(path)
