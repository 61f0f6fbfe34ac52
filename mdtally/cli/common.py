"""What several commands share: options, messages to people, and reading what they name."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn, TypeVar

from mdtally.cli.exits import ExitCode
from mdtally.cli.options import Argument, Exit, Option, echo

if TYPE_CHECKING:
    from mdtally.files import Refusal
    from mdtally.model import Document
    from mdtally.render.style import Options
    from mdtally.reports import FileError
    from mdtally.settings import Settings

Choice = TypeVar("Choice", bound=str)
Found = TypeVar("Found")

MarkdownFilesArgument = Annotated[
    list[Path], Argument(metavar="FILES...", help="Markdown files or folders; - is standard input.")
]
TextOption = Annotated[str, Option("--output-format", help="text or json.")]
TableOption = Annotated[str, Option("--output-format", help="table or json.")]
TimeoutOption = Annotated[
    float | None, Option("--timeout", help="Seconds a call may take.", min=0.1, show_default="120")
]

ConfigOption = Annotated[
    Path | None, Option("--config", help="Use this configuration file for all files.", show_default=False)
]
IsolatedOption = Annotated[bool, Option("--isolated", help="Ignore all configuration files.")]
AllowOutsideOption = Annotated[
    bool, Option("--allow-outside", help="Paths of the configuration and links may lead out of the project.")
]
ForceExcludeOption = Annotated[
    bool, Option("--force-exclude", help="Leave out what lint.exclude names even if it is named here.")
]
ColourOption = Annotated[
    bool | None,
    Option("--color/--no-color", help="If not given, FORCE_COLOR, NO_COLOR, TERM and the terminal decide."),
]
ExitZeroOption = Annotated[bool, Option("--exit-zero", help="Exit with 0 instead of 1; errors still exit with 2.")]

StdinFilenameOption = Annotated[
    Path | None,
    Option("--stdin-filename", help="The path to take for standard input (-).", show_default=False),
]


def fail(message: str) -> NoReturn:
    """Say in one line what is wrong with the call, and leave with exit code 2."""
    from mdtally.render import safe

    echo(f"error: {safe.terminal(message)}", err=True)
    raise Exit(ExitCode.ERROR)


def granted(found: Found | Refusal, what: object = "") -> Found:
    """What the disk gave; where it refused, the call ends with exit code 2, and names ``what`` was asked for."""
    from mdtally.files import Refusal

    if isinstance(found, Refusal):
        fail(f"{what}: {found.reason}" if what else found.reason)
    return found


def one_of(option: str, value: str, choices: Sequence[Choice]) -> Choice:
    """The value of an option with fixed choices; an unknown one is a usage error that names them."""
    for choice in choices:
        if choice == value:
            return choice
    fail(f"{option} is {value!r}; it is one of {', '.join(choices)}")


def share(option: str, text: str) -> float:
    """A rate from the command line, 0.2 or 20%; what is none is a usage error."""
    from mdtally.settings.values import NotAllowedError, share_of

    try:
        return float(share_of(text))
    except NotAllowedError as error:
        fail(f"{option} is {text!r}; it has to be {error}")


def out(text: str) -> None:
    """Write to stdout as it is: line ends belong to the text.

    It is flushed here, where a reader who has gone or a full disk can still be answered: Python's own flush at the end
    of the process only complains.
    """
    sys.stdout.write(text)
    sys.stdout.flush()


def note(message: str) -> None:
    """Write a line to stderr."""
    from mdtally.render import safe

    echo(safe.terminal(message), err=True)


def render_options(colour: bool | None, **more: object) -> Options:
    """What renderers are told about the place stdout goes to."""
    from mdtally.render.style import Options, Palette, wants_colour

    return Options(palette=Palette(wants_colour(colour, os.environ, sys.stdout.isatty())), **more)  # type: ignore[arg-type]


def is_stdin(path: Path) -> bool:
    """True for ``-``, which stands for standard input."""
    return str(path) == "-"


def read(path: Path) -> Document | FileError:
    """Read a Markdown file; what can't be read is a value with the reason. ``-`` is stdin."""
    from mdtally import files
    from mdtally.document import parse
    from mdtally.reports import FileError
    from mdtally.source import UnreadableError

    data = sys.stdin.buffer.read(files.LIMIT + 1) if is_stdin(path) else files.read(path)
    if isinstance(data, bytes) and len(data) > files.LIMIT:
        data = files.TOO_LARGE
    if isinstance(data, files.Refusal):
        return FileError(str(path), data.reason)
    try:
        return parse(data)
    except UnreadableError as error:
        return FileError(str(path), str(error))


def named(
    paths: Sequence[Path], configurations: Configurations, *, force_exclude: bool = False
) -> tuple[list[Path], list[FileError]]:
    """The files that arguments name: files, the Markdown files of folders, quoted globs; and what names none."""
    from mdtally import files
    from mdtally.reports import FileError

    def is_excluded(path: Path) -> bool:
        settings = configurations.find(path.parent)
        return not isinstance(settings, tuple) and settings.excludes(path)

    found = files.find_markdown(paths, is_excluded, force_exclude=force_exclude)
    return found.files, [FileError(str(path), refusal.reason) for path, refusal in found.refused]


def documents(
    paths: Iterable[Path],
    configurations: Configurations,
    errors: list[FileError],
    stdin_filename: Path | None = None,
) -> Iterator[tuple[Path, Path, Document, Settings]]:
    """The files that can be read, with their settings; what is wrong with the others goes to ``errors``.

    Gives the path as it was named, the path of the file (of standard input ``stdin_filename``, where that is given),
    its document, with the form of transcript that is configured for it, and its settings.
    """
    from mdtally.records import replace
    from mdtally.reports import FileError

    for name in paths:
        document = read(name)
        path = stdin_filename if stdin_filename and is_stdin(name) else name
        settings = configurations.find(path)
        if isinstance(document, FileError):
            errors.append(document)
        elif isinstance(settings, tuple):
            errors.append(FileError(str(path), "; ".join(settings)))
        else:
            yield name, path, replace(document, form=settings.transcript_for(path.absolute())), settings


def say_errors(errors: Sequence[FileError], options: Options) -> None:
    """Write a line to stderr for each file that could not be read."""
    from mdtally.render import summary

    for line in summary.error_lines(errors, options):
        echo(line, err=True)


class Configurations:
    """The settings that apply to each file: the nearest configuration above it, read once a folder."""

    def __init__(self, config: Path | None = None, isolated: bool = False, allow_outside: bool = False) -> None:
        from mdtally import files, settings

        self._config = config
        self._isolated = isolated
        own = None if isolated else files.own_config()
        self._own = [own] if own else []
        self._allow_outside = allow_outside or settings.load(self._own)[0].allow_outside
        self._known: dict[Path, Settings | tuple[str, ...]] = {}
        self._told: set[str] = set()

    def for_path(self, path: Path) -> Settings:
        """The settings for a file or folder; a configuration that can't be used ends the call with exit code 2."""
        found = self.find(path)
        if isinstance(found, tuple):
            for problem in found:
                note(f"error: {problem}")
            raise Exit(ExitCode.ERROR)
        return found

    def find(self, path: Path) -> Settings | tuple[str, ...]:
        """The settings for a file or folder, or all that is wrong with its configuration.

        For commands with several files: a bad configuration beside one of them is no reason to leave the others.
        """
        from mdtally import files, settings
        from mdtally.records import replace

        folder = files.absolute(Path() if is_stdin(path) else path if files.is_folder(path) else path.parent)
        key = Path() if self._config or self._isolated else folder
        if key not in self._known:
            texts = []
            if self._config is not None and not self._isolated:
                texts = files.read_config(self._config, allow_outside=self._allow_outside)
            elif not self._isolated:
                texts = files.find_config(folder, allow_outside=self._allow_outside)
            found, problems = settings.load([*texts, *self._own])
            for notice in set(found.notices) - self._told:
                note(notice)
            self._told.update(found.notices)
            self._known[key] = tuple(problems) or replace(found, allow_outside=self._allow_outside)
        return self._known[key]


def relative(path: Path, root: Path) -> str:
    """A file's path as the calibration log names it: relative to the project root, with forward slashes."""
    from mdtally import files

    path = files.absolute(path)
    try:
        return path.relative_to(root).as_posix()
    except ValueError:
        return path.as_posix()


def now() -> str:
    """The time, UTC, to the second: the only place where the program looks at the clock."""
    from datetime import UTC, datetime

    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
