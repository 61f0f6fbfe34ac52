"""``mdtally lint``: the gate over debates, and the rules over tallies."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from typer import Option

from mdtally.doors.cli import options as shared
from mdtally.doors.cli.common import Call, ExitCode, fail, granted, note, out
from mdtally.doors.cli.rule import complete_rules
from mdtally.show.style import count
from mdtally.text import safe
from mdtally.text.model import Severity
from mdtally.text.records import replace

if TYPE_CHECKING:
    from mdtally.check.reports import File, FileReport
    from mdtally.text.document import Document

Words = tuple[str, ...]

GateMode = Literal["off", "warn", "regenerate"]
Format = Literal["full", "concise", "notice", "json", "github", "sarif"]
OutputFormat = Annotated[Format | None, Option(show_default="full", help="How findings are printed.")]
Output = Annotated[Path | None, Option("--output", "-o", metavar="FILE", help="Write the findings into this file.")]
Select = Annotated[
    list[str] | None, Option(metavar="RULE", help="Only these rules: codes or names.", autocompletion=complete_rules)
]
Ignore = Annotated[list[str] | None, Option(metavar="RULE", help="Not these rules.", autocompletion=complete_rules)]
FailLevel = Annotated[Severity | None, Option(show_default="warning", help="Exit 1 from this severity on.")]
Mode = Annotated[GateMode | None, Option(show_default="warn", help="What the gate does.")]
MinLevel = Annotated[Severity | None, Option(show_default="warning", help="Show findings from this severity on.")]
Statistics = Annotated[bool, Option("--statistics", help="Count the findings by rule and by file.")]
ShowFiles = Annotated[bool, Option("--show-files", help="List the files that would be checked.")]
Fix = Annotated[
    bool, Option("--fix", help="Make the safe edits: totals set to their tags, names of a template, idle suppressions.")
]
Diff = Annotated[bool, Option("--diff", help="Show what --fix would change, and exit 1 if anything.")]
Baseline = Annotated[Path | None, Option(metavar="FILE", help="Show only what this baseline does not hold.")]
WriteBaseline = Annotated[Path | None, Option(metavar="FILE", help="Write all findings into this baseline, exit 0.")]
PruneBaseline = Annotated[bool, Option("--prune-baseline", help="Take out of the baseline what is no longer found.")]
Asked = Annotated[str | None, Option(metavar="COMMAND", help="Ask this about unsure turns; `cached` asks nobody.")]
MaxAsked = Annotated[int | None, Option(metavar="N", min=0, show_default="no limit", help="Most calls in a run.")]
InlineConfig = Annotated[bool, Option(help="Whether comments can excuse findings.")]

app = shared.new_app()


@app.command()
@shared.with_call("files_or_here", "verbose", "stdin_filename", "force_exclude", "exit_zero", "color")
def lint(
    call: Call,
    output_format: OutputFormat = None,
    output: Output = None,
    select: Select = None,
    ignore: Ignore = None,
    fail_level: FailLevel = None,
    mode: Mode = None,
    min_level: MinLevel = None,
    quiet: shared.Quiet = False,
    statistics: Statistics = False,
    show_files: ShowFiles = False,
    diff_base: shared.DiffBase = None,
    fix: Fix = False,
    diff: Diff = False,
    baseline: Baseline = None,
    write_baseline: WriteBaseline = None,
    prune_baseline: PruneBaseline = False,
    ask: Asked = None,
    max_asked: MaxAsked = None,
    timeout: shared.Timeout = None,
    inline_config: InlineConfig = True,
) -> ExitCode:
    """Check debates for flattery, logs for wrong tallies.

    Without FILES it checks the working directory. Ordinary Markdown is left alone and counted in the summary. Only
    --fix and the options of a baseline write. A second opinion can cost money: its command gets a prompt on stdin and
    gives JSON, the number of calls is printed before and after, and answers are kept in state/opinions.jsonl.
    """
    call.override(
        output_format=output_format, select=_words(select) or None, fail_level=fail_level, mode=mode, ask_command=ask,
        timeout=timeout,
    )  # fmt: skip
    found = call.named(since=diff_base)
    if show_files:
        out("".join(f"{safe.path(str(path))}\n" for path in found))
        return call.end()
    files = [_without_rules(file, _words(ignore)) for file in call.files(found)]
    run = LintRun(call, files, partial(check, inline_config=inline_config))
    if diff:
        return run.show_fixes()
    run.check(max_asked, fix=fix)
    if write_baseline:
        return run.write_baseline(write_baseline)
    run.subtract(baseline, prune=prune_baseline)
    return run.report(min_level, output, quiet=quiet, statistics=statistics)


def check(file: File, document: Document | None = None, **more: Any) -> FileReport:
    """What the rules say of a file, or of another version of it; a word that is not a rule ends the call."""
    from mdtally.check import lint as linter
    from mdtally.check import rules

    chosen, unknown = linter.selection(file.settings, file.path.absolute())
    for word in unknown:
        fail(rules.no_rule(word))
    return linter.lint(document or file.document, str(file.path), file.settings, chosen, **more)


def _without_rules(file: File, ignore: Words) -> File:
    """A file with further rules not to ask in its settings."""
    return replace(file, settings=replace(file.settings, ignore=(*file.settings.ignore, *ignore)))


class LintRun:
    """One run of ``lint``: its files, and what is said of each."""

    def __init__(self, call: Call, files: list[File], check: Callable[..., FileReport]) -> None:
        self._call, self._files, self._check = call, files, check
        self._settings = call.settings(Path.cwd())
        self._pairs: list[tuple[File, FileReport]] = []

    def _fixed(self, file: File) -> tuple[bytes, int]:
        """The bytes of a file with its safe edits, and how many those are."""
        from mdtally.check import fix

        return fix.fixed(file.document, lambda document: self._check(file, document).problems)

    def show_fixes(self) -> ExitCode:
        """Print what the safe edits would change."""
        from mdtally.show.diff import file_diff
        from mdtally.text.source import read

        made = 0
        for file in self._files:
            data, edits = self._fixed(file)
            out(file_diff(str(file.path), file.document.source.text, read(data).text, self._call.options()))
            made += edits
        note(f"{count(made, 'edit')} to make")
        return self._call.end(ExitCode.FINDINGS if made else ExitCode.CLEAN)

    def check(self, max_asked: int | None, *, fix: bool) -> None:
        """Look at the files, if it is asked for after the safe edits are written."""
        from mdtally.doors.cli.opinions import with_opinions

        made = [self._fix(number) if fix else 0 for number in range(len(self._files))]
        settings = self._settings
        checked = with_opinions(self._files, self._check, settings.ask_command, settings.timeout, max_asked)
        reports = (replace(report, fixed=edits) for report, edits in zip(checked, made, strict=True))
        self._pairs = list(zip(self._files, reports, strict=True))

    def _fix(self, number: int) -> int:
        """Write the safe edits of a file; gives how many there were."""
        from mdtally.check.reports import FileError
        from mdtally.project.files import write_atomically
        from mdtally.text.document import parse
        from mdtally.text.source import encode

        file = self._files[number]
        data, made = self._fixed(file)
        if made and file.is_piped:
            fail("--fix changes files, and standard input is none; --diff shows what it would change")
        was, outside = encode(file.document.source), file.settings.allow_outside
        if made and (refusal := write_atomically(file.path, data, was=was, allow_outside=outside)):
            self._call.errors.append(FileError(str(file.path), refusal.reason))
            return 0
        self._files[number] = replace(file, document=replace(parse(data), form=file.document.form))
        return made

    def write_baseline(self, path: Path) -> ExitCode:
        """Write all that was found into a baseline."""
        from mdtally.check import baseline

        named = [(report, baseline.name_of(file.path, path)) for file, report in self._pairs]
        entries = [entry for report, name in named for _, entry in baseline.frozen(report, name)]
        granted(baseline.write(path, entries, allow_outside=self._call.allow_outside), path)
        of = count(len({entry.path for entry in entries}), "file")
        shown = safe.argument(str(path))
        note(f"{path}: {count(len(entries), 'finding')} of {of}; `mdtally lint --baseline {shown}` shows what is new")
        return self._call.end()

    def subtract(self, named: Path | None, *, prune: bool) -> None:
        """Leave out what the baselines hold; say, or take out of them, what no longer exists."""
        if not (named or any(file.settings.baseline for file in self._files)):
            if prune:
                fail("--prune-baseline: no baseline is named, by --baseline FILE or by lint.baseline")
            return
        from mdtally.check import baseline
        from mdtally.project import files

        baselines = baseline.Baselines(named)
        self._pairs = [(file, granted(baselines.without(file.path, one, file.settings))) for file, one in self._pairs]
        for path, known in baselines.known.items():
            if stale := baselines.stale(path):
                verb, pronoun = ("matches", "it") if len(stale) == 1 else ("match", "them")
                what = f"{verb} nothing any more; --prune-baseline takes {pronoun} out"
                if prune:
                    granted(baseline.write(path, known - stale, allow_outside=self._call.allow_outside), path)
                    what = f"taken out, {len(known - stale)} left"
                note(f"{files.display_path(path)}: {count(len(stale), 'finding')} {what}")

    def report(self, least: Severity | None, output: Path | None, *, quiet: bool, statistics: bool) -> ExitCode:
        """Print what was found, and beside it what there is to know of the run."""
        from mdtally.check.reports import Report
        from mdtally.show import lint_text
        from mdtally.show.lint_formats import FOR_PEOPLE, FORMATS

        settings, whole = self._settings, Report(tuple(one for _, one in self._pairs), tuple(self._call.errors))
        for_people = settings.output_format in FOR_PEOPLE
        least = least or ("info" if self._call.verbose or not for_people else "warning")
        options = self._call.options(fail_level=settings.fail_level)
        if statistics and not for_people:
            fail(f"--statistics is for people; {settings.output_format} has every finding to count")
        write = lint_text.statistics if statistics else FORMATS[settings.output_format]
        if output or not (quiet and for_people):
            self._print(write(whole.at_least(least), options), output)
        out(lint_text.remarks(whole, options, least), sys.stderr)
        failed = any(report.reaches(file.settings.fail_level) for file, report in self._pairs)
        return self._call.code(ExitCode.FINDINGS if failed else ExitCode.CLEAN)

    def _print(self, text: str, output: Path | None) -> None:
        """Print a text, or write it into a file."""
        from mdtally.project import files

        if output is None:
            out(text)
            return
        if any(files.absolute(output) == files.absolute(file.path) for file in self._files):
            fail(f"{output} is one of the files that are checked; name another one for the findings")
        was = files.read(output)
        before = was if isinstance(was, bytes) else None
        granted(files.write_atomically(output, text.encode(), was=before, allow_outside=True), output)


def _words(lists: list[str] | None) -> Words:
    return tuple(word.strip() for entry in lists or () for word in entry.split(",") if word.strip())
