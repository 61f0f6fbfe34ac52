"""What several commands share: reading what they name, its configuration, messages to people, and how a call ends."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from mdtally.cli.options import Exit, ExitCode, echo, fail

if TYPE_CHECKING:
    from mdtally.files import Refusal
    from mdtally.model import Document
    from mdtally.render.style import Options
    from mdtally.reports import File, FileError
    from mdtally.settings import ConfigText, Settings

Found = TypeVar("Found")


class Call:
    """One call of the program, made of the options that commands share.

    Attributes:
        errors: the files that could not be read, and what else was refused.
    """

    SHARED = (
        "paths", "output_format", "verbose", "stdin_filename", "force_exclude", "exit_zero", "config", "isolated",
        "allow_outside", "color",
    )  # fmt: skip

    def __init__(
        self,
        paths: Sequence[Path] = (),
        output_format: str = "",
        verbose: bool = False,
        stdin_filename: Path | None = None,
        force_exclude: bool = False,
        exit_zero: bool = False,
        config: Path | None = None,
        isolated: bool = False,
        allow_outside: bool = False,
        color: bool | None = None,
    ) -> None:
        self.paths, self.output_format, self.verbose, self.config = paths, output_format, verbose, config
        self.allow_outside, self.color = allow_outside, color
        self.stdin_filename, self._force_exclude, self._exit_zero = stdin_filename, force_exclude, exit_zero
        self._isolated = isolated
        self._own: list[ConfigText] | None = None
        self._settings: dict[Path, Settings | tuple[str, ...]] = {}
        self._told: set[str] = set()
        self.errors: list[FileError] = []

    # -- Files and their settings -------------------------------------------------------------------------------------

    def files(self, paths: Iterable[Path] | None = None) -> Iterator[File]:
        """The files that can be read, with their settings; what is wrong with the others goes to ``errors``.

        Args:
            paths: files as they are named; if not given, those that the call names.
        """
        from mdtally.records import replace
        from mdtally.reports import File, FileError

        for name in self.named() if paths is None else paths:
            document = read(name)
            path = self.stdin_filename if self.stdin_filename and is_stdin(name) else name
            settings = self.find_settings(path)
            if isinstance(document, FileError):
                self.errors.append(document)
            elif isinstance(settings, tuple):
                self.errors.append(FileError(str(path), "; ".join(settings)))
            else:
                document = replace(document, form=settings.transcript_for(path.absolute()))
                yield File(path, document, settings, name in self.paths, is_stdin(name))

    def named(self) -> list[Path]:
        """The files that the call names: files, the Markdown files of folders, quoted globs."""
        from mdtally import files
        from mdtally.reports import FileError

        def is_excluded(path: Path) -> bool:
            settings = self.find_settings(path.parent)
            return not isinstance(settings, tuple) and settings.excludes(path)

        if self.config is not None:
            self.settings(self.config)
        found = files.find_markdown(self.paths, is_excluded, force_exclude=self._force_exclude)
        self.errors += [FileError(str(path), refusal.reason) for path, refusal in found.refused]
        return found.files

    def settings(self, path: Path) -> Settings:
        """The settings for a file or folder; a configuration that can't be used ends the call with exit code 2."""
        found = self.find_settings(path)
        if isinstance(found, tuple):
            for problem in found:
                note(f"error: {problem}")
            raise Exit(ExitCode.ERROR)
        return found

    def find_settings(self, path: Path) -> Settings | tuple[str, ...]:
        """The settings for a file or folder, or all that is wrong with its configuration.

        For commands with several files: a bad configuration beside one of them is no reason to leave the others.
        """
        from mdtally import files, settings
        from mdtally.records import replace

        folder = files.absolute(Path() if is_stdin(path) else path if files.is_folder(path) else path.parent)
        key = Path() if self.config or self._isolated else folder
        if key not in self._settings:
            if self._own is None:
                own = None if self._isolated else files.own_config()
                self._own = [own] if own else []
                self.allow_outside = self.allow_outside or settings.load(self._own)[0].allow_outside
            texts: list[settings.ConfigText] = []
            if self.config is not None and not self._isolated:
                texts = files.read_config(self.config, allow_outside=self.allow_outside)
            elif not self._isolated:
                texts = files.find_config(folder, allow_outside=self.allow_outside)
            found, problems = settings.load([*texts, *self._own])
            for notice in set(found.notices) - self._told:
                note(notice)
            self._told.update(found.notices)
            self._settings[key] = tuple(problems) or replace(found, allow_outside=self.allow_outside)
        return self._settings[key]

    # -- What is printed, and how it ends -----------------------------------------------------------------------------

    def options(self, **more: Any) -> Options:
        """What renderers are told about the place stdout goes to."""
        from mdtally.render.style import Options, Palette, wants_colour

        palette = Palette(wants_colour(self.color, os.environ, sys.stdout.isatty()))
        return Options(palette=palette, verbose=self.verbose, **more)

    def show(
        self, formats: Mapping[str, Callable[..., str]], reports: Sequence[object], code: ExitCode = ExitCode.CLEAN
    ) -> NoReturn:
        """Print reports in the format that is asked for, and end the call."""
        out(formats[self.output_format](reports, self.options(), self.errors))
        self.end(code)

    def end(self, code: ExitCode = ExitCode.CLEAN) -> NoReturn:
        """Say which files could not be read, and end the call."""
        if self.errors:
            from mdtally.render import lint_text

            for line in lint_text.error_lines(self.errors, self.options()):
                echo(line, err=True)
        raise Exit(self.code(code))

    def code(self, code: ExitCode) -> ExitCode:
        """The exit code, given the one that files which could be read make."""
        return ExitCode.ERROR if self.errors else ExitCode.CLEAN if self._exit_zero else code


def granted(found: Found | Refusal, what: object = "") -> Found:
    """What the disk gave; where it refused, the call ends with exit code 2, and names ``what`` was asked for."""
    from mdtally.files import Refusal

    if isinstance(found, Refusal):
        fail(f"{what}: {found.reason}" if what else found.reason)
    return found


def share(option: str, text: str) -> float:
    """A rate from the command line, 0.2 or 20%; what is none is a usage error."""
    from mdtally.settings.schema import NotAllowedError, share_of

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


def now() -> str:
    """The time, UTC, to the second: the only place where the program looks at the clock."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
