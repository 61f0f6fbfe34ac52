"""``mdtally lint``: the gate over debates, and the rules over tallies."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from typer import Option

from mdtally.doors.cli import options as shared
from mdtally.doors.cli.common import NO_FILE, Call, ExitCode, fail, is_stdin, note, or_end, out, write_own
from mdtally.text import safe
from mdtally.text.model import Severity
from mdtally.text.percent import count
from mdtally.text.records import replace

if TYPE_CHECKING:
    from mdtally.ask.model import Model
    from mdtally.check.reports import File, FileReport, FileToRead
    from mdtally.show.style import Options
    from mdtally.text.document import Document
    from mdtally.text.model import Refusal

Words = tuple[str, ...]
Check = Callable[..., "FileReport"]
Reports = list[tuple["File | FileToRead", "FileReport"]]

GateMode = Literal["off", "warn", "regenerate"]
Format = Literal["full", "concise", "notice", "json", "github", "sarif"]


@shared.with_call("files_or_here", "verbose", "stdin_filename", "force_exclude", "exit_zero", "color", "ask", "jobs")
def lint(
    call: Call,
    output_format: Annotated[Format | None, Option(show_default="full", help="How findings are printed.")] = None,
    output: Annotated[Path | None, Option("--output", "-o", metavar="FILE", help="Write into this file.")] = None,
    select: Annotated[list[str] | None, Option(metavar="RULE", help="Only these rules: codes or names.")] = None,
    ignore: Annotated[list[str] | None, Option(metavar="RULE", help="Not these rules.")] = None,
    fail_level: Annotated[Severity | None, Option(show_default="warning", help="Exit 1 from this severity on.")] = None,
    mode: Annotated[GateMode | None, Option(show_default="warn", help="What the gate does.")] = None,
    min_level: Annotated[Severity | None, Option(show_default="warning", help="Show from this severity on.")] = None,
    quiet: shared.Quiet = False,
    statistics: Annotated[bool, Option("--statistics", help="Count the findings by rule and by file.")] = False,
    show_files: Annotated[bool, Option("--show-files", help="List the files that would be checked.")] = False,
    diff_base: shared.DiffBase = None,
    fix: Annotated[bool, Option("--fix", help="Make the safe edits, such as totals set to their tags.")] = False,
    diff: Annotated[bool, Option("--diff", help="Show what --fix would change, and exit 1 if anything.")] = False,
    baseline: Annotated[Path | None, Option(metavar="FILE", help="Show only what this baseline does not hold.")] = None,
    write_baseline: Annotated[Path | None, Option(metavar="FILE", help="Write what is found into it, exit 0.")] = None,
    prune_baseline: Annotated[bool, Option("--prune-baseline", help="Take out of it what is no longer found.")] = False,
    inline_config: Annotated[bool, Option(help="Whether comments can excuse findings.")] = True,
) -> ExitCode:
    """Check debates for flattery, logs for wrong tallies.

    Without FILES it checks the working directory. Ordinary Markdown is left alone and counted in the summary. Only
    --fix, --output and the options of a baseline write. A model that is asked about unsure turns (--ask) can cost
    money: the number of calls is printed before and after, and answers are kept in state/opinions.jsonl.
    """
    from mdtally.check import rules

    chosen, ignored = _split_words(select), _split_words(ignore)
    for word in rules.select(chosen, ignored)[1]:
        fail(rules.no_rule(word))
    call.override(output_format=output_format, select=chosen or None, fail_level=fail_level, mode=mode)
    found = call.named_files(since=diff_base, spares_notes=False)
    if show_files:
        out("".join(f"{safe.path(str(path))}\n" for path in found))
        return call.end()
    call.settings(Path.cwd())  # one that can't be used ends the call
    asked = partial(check, ignore=ignored, inline_config=inline_config)
    if diff:
        return _show_fixes(call, found, asked)
    reports = _reports(call, found, asked, diff_base, fix=fix)
    if write_baseline:
        return _write_baseline(call, reports, write_baseline)
    reports = _without_baseline(call, reports, baseline, prune=prune_baseline)
    return _print(call, reports, min_level, output, quiet=quiet, statistics=statistics)


def check_with_model(call: Call, files: list[File], check: Check, since: str | None = None) -> list[FileReport]:
    """What the rules say of files, the answers of a model heeded where words leave a turn open."""
    from collections import Counter

    from mdtally.ask.model import turn_prompt
    from mdtally.doors.cli.model import with_model

    def make(file: File, model: Model) -> FileReport:
        return check(file, second=lambda turn: model(turn_prompt(file.path, turn)))

    reports = with_model(call, files, make, since=since)
    issues = (issue for report in reports for issue in report.issues.values())
    if settled := Counter(issue.answer for issue in issues if issue.decided_by == "opinion"):
        answers = ", ".join(f"{number} {answer}" for answer, number in settled.items())
        note(f"model: it decided {count(settled.total(), 'turn')}: {answers}")
    return reports


def check(file: File, document: Document | None = None, *, ignore: Words = (), **more: Any) -> FileReport:
    """What the rules say of a file, or of another version of it."""
    from mdtally.check import lint as linter

    settings = replace(file.settings, ignore=(*file.settings.ignore, *ignore)) if ignore else file.settings
    chosen, _ = linter.selection(settings, file.path.absolute())
    return linter.lint(document or file.document, str(file.path), settings, chosen, **more)


def _fixes_diff(check: Check, options: Options, file: File) -> tuple[str, int]:
    """What the safe edits would change in a file, to be printed, and how many findings they mend."""
    from mdtally.check.fix import fix_document
    from mdtally.show.diff import file_diff
    from mdtally.text.source import read_source

    data, mended = fix_document(file.document, lambda document: check(file, document).problems)
    return file_diff(str(file.path), file.document.source.text, read_source(data).text, options), mended


def _write_fixes(check: Check, fix: bool, file: File) -> tuple[File, int, Refusal | None]:
    """A file after its safe edits, if it is asked for them, how many findings they mended, and why they could not."""
    from mdtally.check.fix import write_fixes

    return write_fixes(file, lambda document: check(file, document).problems) if fix else (file, 0, None)


def _report_file(check: Check, fix: bool, file: File) -> tuple[FileReport, Refusal | None]:
    """What the rules say of a file, if it is asked for after the safe edits, and why those could not be written."""
    file, made, refusal = _write_fixes(check, fix, file)
    return replace(check(file), fixed=made), refusal


def _show_fixes(call: Call, paths: list[Path], check: Check) -> ExitCode:
    """Print what the safe edits would change."""
    mended = 0
    for _, (text, findings) in call.each(partial(_fixes_diff, check, call.options()), paths):
        out(text)
        mended += findings
    note(f"{count(mended, 'finding')} to mend")
    return call.end(has_findings=mended > 0)


def _reports(call: Call, paths: list[Path], check: Check, since: str | None, *, fix: bool) -> Reports:
    """What is said of each file, if it is asked for after the safe edits are written."""
    from mdtally.doors.cli.model import asks
    from mdtally.text.model import FileError

    found: list[tuple[File | FileToRead, tuple[FileReport, Refusal | None]]]
    if asks(call):
        # Of each question it is known only after all files whether it is asked: one process keeps them.
        mended = [_write_fixes(check, fix, file) for file in call.files(paths)]
        pairs = zip(mended, check_with_model(call, [file for file, _, _ in mended], check, since), strict=True)
        found = [(file, (replace(report, fixed=made), refusal)) for (file, made, refusal), report in pairs]
    else:
        import mdtally.check.lint  # noqa: F401 - for the processes that begin as copies of this one, and for their answers

        found = [*call.each(partial(_report_file, check, fix), paths)]
    for file, (_, refusal) in found:
        if refusal and file.is_piped:
            fail(refusal.reason)
        if refusal:
            call.errors.append(FileError(str(file.path), refusal.reason))
    return [(file, report) for file, (report, _) in found]


def _write_baseline(call: Call, reports: Reports, path: Path) -> ExitCode:
    """Write all that was found into a baseline; what it holds of files and rules that this run left out stays."""
    from mdtally.check import baseline
    from mdtally.text.model import Refusal

    known, baselines = baseline.load(path), baseline.Baselines(path)
    baselines.known[path] = frozenset() if isinstance(known, Refusal) else known
    entries = set[baseline.FrozenFinding]()
    for file, report in reports:
        baselines.without(file.path, report, file.settings)
        found = baseline.findings_with_entries(report, baseline.name_of(file.path, path))
        entries.update(entry for _, entry in found)
    entries |= baselines.known[path] - baselines.stale(path)
    or_end(baseline.write(path, entries, allow_outside=call.allow_outside), path)
    of = count(len({entry.path for entry in entries}), "file")
    shown = safe.argument(str(path))
    note(f"{path}: {count(len(entries), 'finding')} of {of}; `mdtally lint --baseline {shown}` shows what is new")
    return call.end()


def _without_baseline(call: Call, reports: Reports, named: Path | None, *, prune: bool) -> Reports:
    """The reports without what the baselines hold; says, or takes out of them, what no longer exists."""
    if not (named or any(file.settings.baseline for file, _ in reports)):
        if prune:
            fail("--prune-baseline: no baseline is named, by --baseline FILE or by lint.baseline")
        return reports
    from mdtally.check import baseline
    from mdtally.project import files

    baselines = baseline.Baselines(named)
    reports = [(file, or_end(baselines.without(file.path, one, file.settings))) for file, one in reports]
    for path, known in baselines.known.items():
        if stale := baselines.stale(path):
            verb, pronoun = ("matches", "it") if len(stale) == 1 else ("match", "them")
            what = f"{verb} nothing any more; --prune-baseline takes {pronoun} out"
            if prune:
                or_end(baseline.write(path, known - stale, allow_outside=call.allow_outside), path)
                what = f"taken out, {len(known - stale)} left"
            note(f"{files.display_path(path)}: {count(len(stale), 'finding')} {what}")
    return reports


def _print(
    call: Call, reports: Reports, least: Severity | None, output: Path | None, *, quiet: bool, statistics: bool
) -> ExitCode:
    """Print what was found, or write it into a file, and beside it what there is to know of the run."""
    from mdtally.check.reports import Report
    from mdtally.show import lint_text
    from mdtally.show.lint_formats import FOR_PEOPLE, FORMATS

    settings, whole = call.settings(Path.cwd()), Report(tuple(one for _, one in reports), tuple(call.errors))
    for_people = settings.output_format in FOR_PEOPLE
    least = least or ("info" if call.verbose or not for_people else "warning")
    options = call.options()
    if statistics and not for_people:
        fail(f"--statistics is for people; {settings.output_format} has every finding to count")
    write = lint_text.statistics if statistics else FORMATS[settings.output_format]
    if output:
        _write_output(output, write(whole.at_least(least), replace(options, colour=False)), reports)
    elif not (quiet and for_people):
        out(write(whole.at_least(least), options))
    out(lint_text.remarks(whole, options, least), sys.stderr)
    return call.code(has_findings=any(report.reaches(file.settings.fail_level) for file, report in reports))


def _write_output(output: Path, text: str, reports: Reports) -> None:
    """Write a text into a file, unless something else stands there than an older output of lint's."""
    from mdtally.project import files
    from mdtally.show.lint_formats import is_output

    if any(files.absolute(output) == files.absolute(file.path) for file, _ in reports):
        fail(f"{output} is one of the files that are checked; name another one for the findings")
    if is_stdin(output):
        fail(NO_FILE)
    or_end(write_own(output, text.encode(), is_output, allow_outside=True), output)


def _split_words(lists: list[str] | None) -> Words:
    return tuple(word.strip() for entry in lists or () for word in entry.split(",") if word.strip())
