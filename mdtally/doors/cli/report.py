"""``mdtally report``: a debate or a session as a page to look at."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from typer import Option

from mdtally.check.reports import File, FileReport, FileToRead
from mdtally.doors.cli import options as shared
from mdtally.doors.cli.common import SUFFIXES, Call, ExitCode, fail, format_of, note, out, write_report
from mdtally.doors.cli.lint import check, check_with_model
from mdtally.text.model import FileError, errors_of

if TYPE_CHECKING:
    from mdtally.ask.picture import Reported

Format = Literal["html", "markdown", "json", "svg"]


@shared.with_call("files", "stdin_filename", "jobs")
def report(
    call: Call,
    output_format: Annotated[
        Format | None, Option(show_default="as OUTPUT ends; html, on a terminal markdown", help="How.")
    ] = None,
    output: Annotated[str | None, Option("--output", "-o", metavar="OUTPUT", help="A file, or their folder.")] = None,
    ask: Annotated[Literal["cached"] | None, Option(help="Take the answers that `lint` has kept.")] = None,
    with_words: Annotated[bool, Option("--with-words", help="With svg: file name and words may be on it.")] = False,
    diff_base: shared.DiffBase = None,
) -> ExitCode:
    """Show a debate or a session as a page.

    Of a debate who argues and who answers nobody, of a session where the agent gave in; then the transcript with
    every finding. A page is one file: no script, nothing loaded, nothing in the transcript is markup. As svg it is a
    picture to send, which holds no words of the transcript unless --with-words. Files of a
    folder that hold no debate and no event are left out; a file that is there is written over only if this command
    wrote it.
    """
    from functools import partial

    from mdtally.ask import report_on
    from mdtally.project import files
    from mdtally.show.card import report_card
    from mdtally.show.report_output import PAGES, report_json

    pages: dict[str, Callable[[Reported], str]] = {**PAGES, "svg": partial(report_card, with_words=with_words)}
    pages["json"] = lambda one: report_json([one])
    usual = "html" if output or not sys.stdout.isatty() else "markdown"
    wanted = output_format or format_of(Path(output) if output else None, usual)
    call.override(ask_command=ask)
    found = call.named_files(since=diff_base)
    made: Iterable[tuple[File | FileToRead, Reported | None]] = ()
    if ask:
        read = [*call.files(found)]
        made = zip(read, map(report_on, read, check_with_model(call, read, check)), strict=True)
    reported = _pages_to_make(call, made if ask else call.each(_read_report, found))
    reports = [one.debate.file for one in reported]
    # A path forgets the slash at its end.
    is_folder = output is not None and (files.is_folder(Path(output)) or output.endswith(("/", "\\")))
    if output is None or (not is_folder and format_of(Path(output), "")):
        if wanted in PAGES and len(reported) > 1:
            fail(f"{len(reported)} pages: name a folder for their files with -o, or take --output-format json")
        text = report_json(reported, call.errors) if wanted == "json" else "".join(map(pages[wanted], reported))
        if output is None:
            out(text)
        elif text:
            write_report(Path(output), text.encode(), "report", call)
    else:
        several = is_folder or len(found) > 1
        targets = _page_paths(reports, Path(output), SUFFIXES[wanted]) if several else [Path(output)] * len(reported)
        for target, one in zip(targets, reported, strict=True):
            write_report(target, pages[wanted](one).encode(), "report", call)
        if several and wanted in ("html", "markdown") and len(targets) > 1:
            from mdtally.show.report_output import report_index

            index = report_index(reported, [target.name for target in targets], SUFFIXES[wanted])
            write_report(Path(output) / f"index{SUFFIXES[wanted]}", index.encode(), "report", call)
    return call.end(has_findings=any(errors_of(one.problems) for one in reports))


def _pages_to_make(call: Call, made: Iterable[tuple[File | FileToRead, Reported | None]]) -> list[Reported]:
    """What there is to show; a survey that is named is an error, and what else is left out is counted."""
    from mdtally.text import safe

    pairs = [*made]
    for name in (str(file.path) for file, one in pairs if file.is_named and not one):
        command = f"`mdtally verdict {safe.argument(name)}`"
        call.errors.append(FileError(name, f"a survey, which has no page: {command} says what it proves"))
    if left_out := sum(not (file.is_named or one) for file, one in pairs):
        note(f"{left_out} {'file holds' if left_out == 1 else 'files hold'} no debate and no marked session: left out")
    return [one for _, one in pairs if one]


def _read_report(file: File) -> Reported | None:
    from mdtally.ask import report_on

    return report_on(file, check(file))


def _page_paths(reports: Sequence[FileReport], folder: Path, suffix: str) -> list[Path]:
    """A file for each page: its own name, or where two would share it, its whole path with hyphens; none is "index"."""
    paths = [Path("stdin" if report.filename == "-" else report.filename).with_suffix("") for report in reports]
    often = Counter(path.name.casefold() for path in paths)
    long = ["-".join(part for part in path.parts if part not in ("..", path.anchor)) for path in paths]
    names = (path.name if often[path.name.casefold()] == 1 else name for path, name in zip(paths, long, strict=True))
    return [folder / f"{name}{'-page' * (name.casefold() == 'index')}{suffix}" for name in names]
