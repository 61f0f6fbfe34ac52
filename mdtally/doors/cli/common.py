"""What several commands share: reading what they name, its configuration, messages to people, and how a call ends."""

from __future__ import annotations

import errno
import os
import re
import shutil
import stat
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn, TextIO, TypeVar

import typer
from typer import Option

if TYPE_CHECKING:
    from mdtally.check.reports import File, FileToRead
    from mdtally.project.settings import ConfigProblem, Settings
    from mdtally.show.style import Options
    from mdtally.text.document import Document
    from mdtally.text.model import FileError, Refusal

Granted = TypeVar("Granted")
Result = TypeVar("Result")
SUFFIXES = {"html": ".html", "markdown": ".md", "json": ".json", "svg": ".svg"}
"""How the files of formats end."""

NOT_OURS = "it is there and is no report of mdtally's; remove it, or name another file"
"""Why an output is not written over what stands in its place."""
MANY_FILES = 200
"""From so many files on a terminal shows how many have been read: they take seconds."""
NO_FILE = "- is no file to write; leave --output out for standard output"


_ASK = "A model, which proposes; `cached` asks nobody."
_TIMEOUT = "Longest call."
_STDIN = "The path to take for standard input (-)."
_EXCLUDE = "Leave out what lint.exclude names, always."
_EXIT_ZERO = "Exit with 0 instead of 1; errors still exit with 2."
_OUTSIDE = "Configured paths may leave the project."
_JOBS = "How many processes work."
_CONFIG = "Use this configuration file for all files."
Color = Annotated[bool | None, Option(help="If not given: FORCE_COLOR, NO_COLOR, TERM, the terminal decide.")]


class ExitCode(IntEnum):
    """The exit codes; the highest of a run wins."""

    CLEAN = 0
    """Nothing to report."""
    FINDINGS = 1
    """Findings at or above the fail level, a change is due, or counts that do not reconcile."""
    ERROR = 2
    """Usage, configuration, a missing or unreadable file, or an internal error."""


class Call:
    """One call of the program, made of the options that commands share.

    Attributes:
        paths: the files, folders and globs that it names.
        errors: the files that could not be read, and what else was refused.
        ask: the model that the call names, if any; the one that holds, and its time limit, are among the settings.
        max_asked, ask_dry_run, ask_jobs: how a model is asked.
        config, isolated: the configuration that holds for all files, if one is named, or none.
        jobs: how many processes work; None for as many as pay.
    """

    def __init__(
        self,
        paths: Sequence[Path] = (),
        *,
        ask: Annotated[str | None, Option(metavar="COMMAND", help=_ASK)] = None,
        max_asked: Annotated[int | None, Option(metavar="N", min=0, help="Most calls in a run.")] = None,
        timeout: Annotated[float | None, Option(metavar="SECONDS", min=0.1, show_default="120", help=_TIMEOUT)] = None,
        ask_dry_run: Annotated[bool, Option("--ask-dry-run", help="Print the prompts, ask nobody.")] = False,
        ask_jobs: Annotated[int, Option(metavar="N", min=1, max=64, help="How many calls run side by side.")] = 4,
        verbose: Annotated[bool, Option("--verbose", "-v", help="Show what the results rest on, too.")] = False,
        stdin_filename: Annotated[Path | None, Option(metavar="FILE", help=_STDIN)] = None,
        force_exclude: Annotated[bool, Option("--force-exclude", help=_EXCLUDE)] = False,
        exit_zero: Annotated[bool, Option("--exit-zero", help=_EXIT_ZERO)] = False,
        config: Annotated[Path | None, Option(metavar="FILE", help=_CONFIG)] = None,
        isolated: Annotated[bool, Option("--isolated", help="Ignore all configuration files.")] = False,
        allow_outside: Annotated[bool, Option("--allow-outside", help=_OUTSIDE)] = False,
        color: Color = None,
        jobs: Annotated[int | None, Option(metavar="N", min=1, show_default="all cores", help=_JOBS)] = None,
    ) -> None:
        self.max_asked, self.ask_dry_run, self.ask_jobs, self.jobs = max_asked, ask_dry_run, ask_jobs, jobs
        self.ask, self.paths, self.verbose, self.config = ask, paths, verbose, config
        self._overrides: dict[str, object] = {}
        self.override(ask_command=ask, timeout=timeout)
        self.allow_outside, self.color = allow_outside, color
        self.stdin_filename, self._force_exclude, self._exit_zero = stdin_filename, force_exclude, exit_zero
        self.isolated = isolated
        self._settings: dict[Path, tuple[Settings, tuple[ConfigProblem, ...]]] = {}
        self._told: set[str | ConfigProblem] = set()
        self.errors: list[FileError] = []

    def override(self, **fields: object) -> None:
        """Take fields of the settings from options, whatever the configuration says; None is not given."""
        self._overrides |= {name: value for name, value in fields.items() if value is not None}

    # -- Files and their settings -------------------------------------------------------------------------------------

    def files(self, paths: Iterable[Path] | None = None) -> Iterator[File]:
        """The files that can be read, with their settings; what is wrong with the others goes to ``errors``.

        Args:
            paths: files as they are named; if not given, those that the call names.
        """
        return (file for _, file in self.each(lambda file: file, paths, jobs=1))

    def each(
        self, work: Callable[[File], Result], paths: Iterable[Path] | None = None, jobs: int | None = None
    ) -> Iterator[tuple[FileToRead, Result]]:
        """Each file that can be read, and what a function gives for it; what is wrong goes to ``errors``.

        Args:
            work: what is done with a file, maybe in another process, where it may print nothing.
            paths: as in ``files``.
            jobs: how many processes work; if not given, as many as the call says.
        """
        from mdtally.text.model import FileError

        meant = [self._with_settings(name) for name in (self.named_files() if paths is None else paths)]
        answers = _answers(work, [file for file, problems in meant if not problems], jobs or self.jobs)
        unread = Counter(problems for _, problems in meant)
        for file, problems in meant:
            if problems:
                # Once a configuration, with how many files it would hold for.
                told = [one for one in problems if one not in self._told]
                self._told.update(told)
                self.errors += [
                    FileError(one.path, f"line {one.line}: " * bool(one.line) + one.message, unread.pop(problems, 0))
                    for one in told
                ]
            elif isinstance(answer := next(answers), FileError):
                self.errors.append(answer)
            else:
                yield file, answer

    def _with_settings(self, name: Path) -> tuple[FileToRead, tuple[ConfigProblem, ...]]:
        """A file with its settings, and what is wrong with those."""
        from mdtally.check.reports import FileToRead

        path = self.stdin_filename if self.stdin_filename and is_stdin(name) else name
        settings, problems = self.find_settings(path)
        return FileToRead(path, settings, name in self.paths, is_stdin(name)), problems

    def named_files(self, since: str | None = None, *, spares_notes: bool = True) -> list[Path]:
        """The files that the call names: files, the Markdown files of folders, quoted globs.

        Args:
            since: only those that have changed since this commit of git.
            spares_notes: of what .gitignore names take the folders of notes and surveys, as they hold private words.
        """
        from mdtally.project import files
        from mdtally.text.model import FileError

        def is_excluded(path: Path) -> bool:
            return self.find_settings(path.parent)[0].excludes(path)

        def is_spared(path: Path) -> bool:
            settings = self.find_settings(path.parent)[0]
            root = files.find_project_root(path, settings.log)
            kept = {files.absolute(root / one) for one in (settings.note_folder, "surveys")} - {root}
            return spares_notes and any(path.is_relative_to(one) or one.is_relative_to(path) for one in kept)

        if self.config is not None:
            self.settings(self.config)
        flags = {"force_exclude": self._force_exclude, "allow_outside": self.allow_outside}
        found = files.find_markdown(self.paths, is_excluded, is_spared=is_spared, **flags)
        self.errors += [FileError(str(path), refusal.reason) for path, refusal in found.refused]
        if since is None:
            return found.files
        from mdtally.project.command import changed_since

        changed = {path.resolve() for path in or_end(changed_since(since), "--diff-base")}
        # What is not there was deleted since, or its name is misspelt, which is told.
        missing = {path for path in found.files if not is_stdin(path) and files.status(path) is None}
        return [path for path in found.files if is_stdin(path) or (path in missing) != (path.resolve() in changed)]

    def settings(self, path: Path) -> Settings:
        """The settings for a file or folder; a configuration that can't be used ends the call with exit code 2."""
        settings, problems = self.find_settings(path)
        for problem in problems:
            note(f"error: {problem}")
        if problems:
            raise typer.Exit(ExitCode.ERROR)
        return settings

    def find_settings(self, path: Path) -> tuple[Settings, tuple[ConfigProblem, ...]]:
        """The settings for a file or folder, and all that is wrong with its configuration.

        For commands with several files: a bad configuration beside one of them is not a reason to leave the others.
        """
        from mdtally.project import files, settings
        from mdtally.text.records import replace

        folder = files.absolute(Path() if is_stdin(path) else path if files.is_folder(path) else path.parent)
        key = Path() if self.config or self.isolated else folder
        if key not in self._settings:
            texts, own = list[settings.ConfigText](), None
            if not self.isolated:
                own = files.own_config()
                texts = files.find_config(folder) if self.config is None else [files.read_config(self.config)]
            root = str(files.find_project_root(folder)) if own else ""
            found, problems = settings.load([*texts, *filter(None, [own])], root)
            self.allow_outside = self.allow_outside or found.allow_outside
            for notice in set(found.notices) - self._told:
                note(notice)
            self._told.update(found.notices)
            changed = replace(found, **{**self._overrides, "allow_outside": self.allow_outside})
            self._settings[key] = changed, (*problems, *_unknown_rules(found))
        return self._settings[key]

    # -- What is printed, and how it ends -----------------------------------------------------------------------------

    def options(self, *, wraps: bool = True) -> Options:
        """What renderers are told about the place stdout goes to; without ``wraps``, only a terminal has an end."""
        from mdtally.show.style import Options, wants_colour

        width = shutil.get_terminal_size((100, 0)).columns * (wraps or sys.stdout.isatty())
        return Options(wants_colour(self.color, os.environ, sys.stdout.isatty()), self.verbose, width)

    def show(self, write: Callable[..., str], reports: Sequence[object], *, has_findings: bool = False) -> ExitCode:
        """Print reports by a function of one of the tables of formats, and end the call."""
        out(write(reports, self.options(), self.errors))
        return self.end(has_findings=has_findings)

    def end(self, *, has_findings: bool = False) -> ExitCode:
        """Say which files could not be read; gives the exit code."""
        if self.errors:
            from mdtally.show import lint_text

            for line in lint_text.error_lines(self.errors, self.options()):
                out(f"{line}\n", sys.stderr)
        return self.code(has_findings=has_findings)

    def code(self, *, has_findings: bool = False) -> ExitCode:
        """The exit code, given whether there is something to report on the files that could be read."""
        found = ExitCode.FINDINGS if has_findings and not self._exit_zero else ExitCode.CLEAN
        return ExitCode.ERROR if self.errors else found


def fail(message: str) -> NoReturn:
    """Say in one line what is wrong with the call, and leave with exit code 2."""
    note(f"error: {message}")
    raise typer.Exit(ExitCode.ERROR)


@contextmanager
def fail_if_refused(what: str = "") -> Iterator[None]:
    """End the call where something says that a value can't be, with its reason."""
    try:
        yield
    except ValueError as error:
        fail(f"{what}{error}")


def fail_at_idle(given: Mapping[str, object], why: str) -> None:
    """End the call if options are given that would change nothing, which are named; ``why`` says so of them."""
    if named := [f"--{name}" for name, value in given.items() if value]:
        fail(f"{', '.join(named)} {why}")


def fail_at_conflict(path: Path, document: Document) -> None:
    """End the call if git left a merge conflict in a note that is to be worked on."""
    if conflict := document.conflict:
        fail(f"{path}:{conflict.region.line}: {conflict.message}; {conflict.hint}")


def or_end(answer: Granted | Refusal, what: object = "") -> Granted:
    """What the disk gave; where it refused, the call ends with exit code 2, and names ``what`` was asked for."""
    from mdtally.text.model import Refusal

    if isinstance(answer, Refusal):
        fail(f"{what}: {answer.reason}" if what else answer.reason)
    return answer


def write_own(
    target: Path, data: bytes, is_own: Callable[[bytes], bool], *, allow_outside: bool
) -> bytes | Refusal:  # fmt: skip
    """Write a file, unless something else stands there than an older one of ours; gives its bytes, or why not."""
    from mdtally.project import files
    from mdtally.text.model import Refusal

    def content(was: bytes) -> bytes | Refusal:
        return data if not was or is_own(was) else Refusal(NOT_OURS)

    return files.edit(target, content, may_be_new=True, allow_outside=allow_outside)


def write_report(target: Path, data: bytes, command: str, call: Call) -> None:
    """Write a report of a command, unless something else stands there than one of its own; say so either way."""
    from mdtally.project import files
    from mdtally.text.model import FileError, Refusal

    if is_stdin(target):
        fail(NO_FILE)
    mark = f"<!-- mdtally {command} -->"
    ours = (f"<!DOCTYPE html>\n{mark}".encode(), mark.encode(), f'{{\n  "generator": "mdtally {command}"'.encode())
    before = files.read(target)
    made = write_own(target, data, lambda was: was.startswith(ours), allow_outside=call.allow_outside)
    if isinstance(made, Refusal):
        call.errors.append(FileError(str(target), made.reason))
    else:
        note(f"{target}: {'up to date' if data == before else 'written' + ' again' * isinstance(before, bytes)}")


def format_of(output: Path | None, otherwise: str) -> str:
    """The format that a file's name asks for; another one where it asks for none."""
    return next((name for name, ending in SUFFIXES.items() if output and output.suffix.lower() == ending), otherwise)


def share(option: str, text: str) -> float:
    """A rate from the command line, 0.2 or 20%; what is none is a usage error."""
    from mdtally.project.settings.values import share_of

    with fail_if_refused(f"{option} is {text!r}; it has to be "):
        return float(share_of(text))


def pair(option: str, text: str) -> tuple[str, str]:
    """A key with a value or a glob, or with none; what is no such pair is a usage error."""
    from mdtally.text.globs import fits

    key, equals, value = text.partition("=")
    if not (key.strip() and equals):
        fail(f"{option} is {text!r}; it has to be KEY=VALUE, such as project=api")
    with fail_if_refused(f"{option} {text}: "):
        fits(value.strip(), "")
    return key.strip(), value.strip()


def day(option: str, text: str) -> str:
    """A day, month or year of the calendar in ISO form, or "" for none; anything else is a usage error."""
    from mdtally.text.line_parts import is_date

    if text and not (re.fullmatch(r"\d{4}(-\d\d(-\d\d)?)?", text) and is_date(f"{text}-01-01"[:10])):
        fail(f"{option} is {text!r}; it has to be a date such as 2026-03-01")
    return text


def out(text: str, stream: TextIO | None = None) -> None:
    """Write to stdout, or another stream, as it is: line ends belong to the text.

    It is flushed here, where a reader who has gone or a full disk can still be answered: Python's own flush at the end
    of the process only complains.
    """
    stream = stream or sys.stdout
    try:
        stream.write(text)
        stream.flush()
    except OSError as error:
        # A terminal that was closed: nobody reads any more, as with a closed pipe.
        if error.errno == errno.EIO and stat.S_ISCHR(os.fstat(stream.fileno()).st_mode):
            raise BrokenPipeError(errno.EPIPE, "the terminal has gone") from error
        raise


def note(message: str) -> None:
    """Write a line to stderr, on a terminal broken at spaces."""
    from mdtally.text import safe

    lines = safe.wrap(safe.path(message), shutil.get_terminal_size().columns * sys.stderr.isatty(), "", "  ")
    out("".join(f"{line}\n" for line in lines), sys.stderr)


def _unknown_rules(settings: Settings) -> Iterator[ConfigProblem]:
    """What is no rule among the rules that configuration files name."""
    for path, one in settings.set_values.items():
        if one.setting.parts[1:2] not in [("select",), ("ignore",), ("per-file-ignores",), ("severity",)]:
            continue
        from mdtally.check import rules
        from mdtally.project.settings import ConfigProblem

        match path, one.value:
            case (_, "severity", word), _:
                unknown = [word] if rules.find(word) is None else []
            case _, tuple(words):
                unknown = rules.select(words, ())[1]
        for word in unknown:
            yield ConfigProblem(one.text.path, rules.no_rule(word), one.text.line_of(one.written))


def is_stdin(path: Path) -> bool:
    """True for ``-``, which stands for standard input."""
    return str(path) == "-"


def read_document(path: Path) -> Document | FileError:
    """Read a Markdown file; what can't be read is a value with the reason. ``-`` is stdin."""
    from mdtally.project import files
    from mdtally.text.model import FileError

    found = files.document_of(sys.stdin.buffer.read(files.LIMIT + 1) if is_stdin(path) else files.read(path))
    return FileError(str(path), found.reason) if isinstance(found, files.Refusal) else found


def with_progress(found: Iterable[Result], number: int = 0) -> Iterator[Result]:
    """What is found, with its number on a terminal as it comes."""
    bar = typer.progressbar(found, length=number or None, show_pos=True, file=sys.stderr)
    with bar if sys.stderr.isatty() else nullcontext(found) as shown:
        yield from shown


def _answers(work: Callable[[File], Result], meant: list[FileToRead], jobs: int | None) -> Iterator[Result | FileError]:
    """What work gives for each file, in their order, or why it gives nothing; see ``_work_on``."""
    from functools import partial

    from mdtally.project import files, pool
    from mdtally.text.model import FileError

    sizes = {one.path: size if isinstance(size := files.size(one.path), int) else 0 for one in meant}
    is_piped = any(one.is_piped for one in meant)
    number = 1 if is_piped else pool.processes(jobs, [sizes[one.path] for one in meant])
    order = sorted(range(len(meant)), key=lambda at: -sizes[meant[at].path]) if number > 1 else range(len(meant))
    found = pool.spread(partial(_work_on, work), (meant[at] for at in order), number)
    if number > 1:
        shown = with_progress(found, len(meant)) if len(meant) >= MANY_FILES else found
        found = (answer for _, answer in sorted(zip(order, shown, strict=True), key=lambda one: one[0]))
    for one, answer in zip(meant, found, strict=True):
        yield FileError(str(one.path), answer.reason) if isinstance(answer, pool.Died) else answer


def _work_on(work: Callable[[File], Result], meant: FileToRead) -> Result | FileError:
    """What work gives for a file, or why it can't be read."""
    from mdtally.check.reports import File
    from mdtally.text.model import FileError
    from mdtally.text.records import replace

    document = read_document(Path("-") if meant.is_piped else meant.path)
    if isinstance(document, FileError):
        return document
    document = replace(document, form=meant.settings.transcript_for(meant.path.absolute()))
    return work(File(meant.path, document, meant.settings, meant.is_named, meant.is_piped))


def now() -> str:
    """The time, UTC, to the second: the only place where the program looks at the clock."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
