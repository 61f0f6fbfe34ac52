"""``mdtally report``: a debate as a page to look at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mdtally.cli.common import Call, note, out
from mdtally.cli.lint import selected
from mdtally.cli.opinions import CACHED, with_opinions
from mdtally.cli.options import Argument, Command, ExitCode, Option, fail, output_format, shared
from mdtally.render import FOR_ONE_DEBATE, REPORT_FORMATS
from mdtally.reports import File, FileError, FileReport

if TYPE_CHECKING:
    pass

SUFFIXES = {"html": ".html", "markdown": ".md", "json": ".json", "text": ".txt"}
OURS = (
    b"<!DOCTYPE html>\n<!-- mdtally report -->",
    b"<!-- mdtally report -->",
    b"mdtally report: ",
    b'{\n  "generator": "mdtally report",',
)
"""How every file begins that this command writes: only such a file is written again."""


def report(call: Call, output: str | None, second_opinion: str | None) -> None:
    """Show a debate: who argues and who answers nobody, round by round, and the transcript with every finding.

    A page is one file: no script, nothing loaded, nothing in the transcript is markup. Files of a folder that hold no
    debate are left out.
    """
    from mdtally import files
    from mdtally import lint as linter
    from mdtally.debate import summarise

    by_name = {suffix: name for name, suffix in SUFFIXES.items()}
    wanted = call.output_format or (by_name.get(Path(output).suffix.lower(), "html") if output else "html")
    found = call.named()
    read = [*call.files(found)]

    def check(file: File, **more: Any) -> FileReport:
        return linter.lint(file.document, str(file.path), file.settings, selected(file.settings), **more)

    made = with_opinions(read, check, CACHED, 0.0, None) if second_opinion else [check(file) for file in read]
    reports = [
        one
        for file, one in zip(read, made, strict=True)
        if one.kind == "debate" or one.reading == "unsure" or file.is_named
    ]
    debates = [summarise(one) for one in reports]
    if left_out := len(made) - len(reports):
        note(f"{left_out} {'file holds' if left_out == 1 else 'files hold'} no debate: left out")
    wrong = any(problem.severity == "error" for one in reports for problem in one.problems)
    if output is None:
        if wanted in FOR_ONE_DEBATE and len(debates) > 1:
            fail(f"{len(debates)} debates: name a folder for their files with -o, or take --output-format text or json")
        for part in [[one] for one in debates] if wanted in FOR_ONE_DEBATE else [debates]:
            out(REPORT_FORMATS[wanted](part, call.errors))
    else:
        # A path forgets the slash at its end.
        several = len(found) > 1 or files.is_folder(Path(output)) or output.endswith(("/", "\\"))
        targets = _names(reports, Path(output), SUFFIXES[wanted]) if several else [Path(output)] * len(debates)
        for target, debate in zip(targets, debates, strict=True):
            _write(target, REPORT_FORMATS[wanted]([debate], ()).encode(), call)
    call.end(ExitCode.FINDINGS if wrong else ExitCode.CLEAN)


def _names(reports: Sequence[FileReport], folder: Path, suffix: str) -> list[Path]:
    """A file for each debate: its own name, or where two would share it, its whole path with hyphens."""
    paths = [Path("stdin" if report.filename == "-" else report.filename).with_suffix("") for report in reports]
    often = Counter(path.name.casefold() for path in paths)
    long = ["-".join(part for part in path.parts if part not in ("..", path.anchor)) for path in paths]
    names = (path.name if often[path.name.casefold()] == 1 else name for path, name in zip(paths, long, strict=True))
    return [folder / f"{name}{suffix}" for name in names]


def _write(target: Path, data: bytes, call: Call) -> None:
    """Write a report, unless something else stands there; say so either way."""
    from mdtally import files

    before = files.read(target) if files.status(target) is not None else None
    refusal = before if isinstance(before, files.Refusal) else None
    if isinstance(before, bytes) and not before.startswith(OURS):
        refusal = files.Refusal("it is there and is no report of mdtally's; remove it, or name another file")
    was = before if isinstance(before, bytes) else None
    if refusal is None and data != was:
        refusal = files.write_atomically(target, data, was=was, allow_outside=call.allow_outside)
    if refusal:
        call.errors.append(FileError(str(target), refusal.reason))
    else:
        note(f"{target}: {'written' if was is None else 'up to date' if data == was else 'written again'}")


COMMAND = Command(
    report,
    "Show a debate as a page: who argues, who answers nobody.",
    Argument("paths", "Debates, or folders of them; - is standard input.", [Path]),
    output_format(*REPORT_FORMATS, shows="html, or what OUTPUT's name ends in"),
    Option(
        "-o --output",
        "The file to write, or for several debates the folder; written over is only what this command wrote.",
        metavar="OUTPUT",
        shows="standard output",
    ),
    Option("--second-opinion", "Take the answers that `lint --second-opinion` has kept.", (CACHED,), metavar="cached"),
    *shared("stdin-filename config isolated allow-outside"),
)
