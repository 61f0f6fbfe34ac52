"""The Markdown files of folders and globs, in one order on every machine."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from mdtally.project.files.boundary import boundary, leads_out
from mdtally.project.files.disk import absolute, is_folder, is_there, read, refusal_of, status
from mdtally.text import globs
from mdtally.text.model import Refusal
from mdtally.text.source import split_lines

MARKDOWN_SUFFIXES = (".md", ".markdown")
SKIPPED_FOLDERS = frozenset({"node_modules", "venv", "env", "__pycache__", "site-packages"})
"""Folders that are never searched, beside hidden ones and virtual environments under other names."""


def find_markdown(
    paths: Iterable[Path],
    is_excluded: Callable[[Path], bool] = lambda path: False,
    *,
    force_exclude: bool = False,
    allow_outside: bool = False,
    is_spared: Callable[[Path], bool] = lambda path: False,
) -> FoundFiles:
    """The Markdown files that paths name, in the order of the paths, those of a folder sorted; each once, also where
    links lead to it.

    Hidden folders, virtual environments and the like are not searched, nor symbolic links to folders or out of the
    repository.

    Args:
        paths: files, folders, and globs that the shell left as they were; none is the working directory. A file is
            taken whatever its name.
        is_excluded: asked of everything in folders, by its absolute path; not in a folder that it means itself and that
            is named all the same.
        force_exclude: ask it of what is named, too, as hooks that name every file need.
        allow_outside: follow links to files out of the repository.
        is_spared: asked of everything in folders that .gitignore names, by its absolute path: if that is taken all the
            same, as notes of private words are. So is what is in a folder that is ignored itself and is named.
    """
    search = FoundFiles(is_excluded, force_exclude, allow_outside, is_spared)
    for path in list(paths) or [Path()]:
        if is_folder(path):
            search.add(path, lambda name: name.lower().endswith(MARKDOWN_SUFFIXES), path)
        elif status(path, follow=False) is None and any(mark in str(path) for mark in "*?["):
            # From its first parts without a wildcard on.
            fixed = next(n for n, part in enumerate(path.parts) if any(mark in part for mark in "*?["))
            fits = partial(globs.matches_path, "/" + "/".join(path.parts[fixed:]), within=False)
            try:
                search.add(Path(*path.parts[:fixed]), fits, path)
            except globs.BadGlobError as error:
                search.refused.append((path, Refusal(f"no such file, and no glob: {error}")))
        elif not (force_exclude and is_excluded(absolute(path))):
            search.files.append(path)
    search.files = list(dict.fromkeys(search.files))
    if any(map(Path.is_symlink, search.files)):
        # A link beside the file that it leads to is the same once more.
        once = {os.path.realpath(path): path for path in sorted(search.files, key=Path.is_symlink, reverse=True)}
        search.files = [path for path in search.files if once[os.path.realpath(path)] == path]
    return search


class FoundFiles:
    """The files that were found.

    Attributes:
        files: in the order of the paths.
        refused: the folders and links that could not be followed, with the reasons.
    """

    def __init__(
        self,
        is_excluded: Callable[[Path], bool],
        force_exclude: bool,
        allow_outside: bool,
        is_spared: Callable[[Path], bool],
    ) -> None:
        self.files: list[Path] = []
        self.refused: list[tuple[Path, Refusal]] = []
        self._is_excluded, self._force_exclude, self._allow_outside = is_excluded, force_exclude, allow_outside
        self._is_spared = is_spared

    def add(self, start: Path, fits: Callable[[str], bool], asked: Path) -> None:
        """Add every file of a folder and those below it whose name from there on fits."""
        top, root = absolute(start), boundary(start)
        before = len(self.files), len(self.refused)
        is_wanted_whole = not self._force_exclude and self._is_excluded(top)
        is_excluded = (lambda path: False) if is_wanted_whole else self._is_excluded
        above = (folder for folder in reversed(top.parents) if folder.is_relative_to(root))
        rules = [rule for folder in above for rule in _rules(folder)]
        rules = [] if not self._force_exclude and _is_ignored(rules, top, True) else rules
        for name, folders, names in os.walk(start, onerror=self._refuse):
            here, place = Path(name), absolute(Path(name))
            rules += _rules(place)
            searched = (one for one in sorted(folders) if not (_is_skipped(here / one) or is_excluded(place / one)))
            folders[:] = [one for one in searched if self._is_taken(rules, place / one, True)]
            for one in sorted(names):
                is_meant = fits((place / one).relative_to(top).as_posix()) and not is_excluded(place / one)
                if is_meant and self._is_taken(rules, place / one, False):
                    self._add_file(here / one, root)
        if before == (len(self.files), len(self.refused)):
            none = "this folder holds no Markdown files" if asked == start else "no file fits this glob"
            self.refused.append(
                (asked, Refusal(f"{none}, but for what .gitignore or lint.exclude leaves out unless it is named"))
            )

    def _is_taken(self, rules: Sequence[tuple[Path, str]], path: Path, is_folder: bool) -> bool:
        return not _is_ignored(rules, path, is_folder) or self._is_spared(path)

    def _add_file(self, path: Path, root: Path) -> None:
        if path.is_symlink() and not self._allow_outside and (refusal := leads_out(path, root)):
            self.refused.append((path, Refusal(f"a symbolic link: {refusal.reason}")))
        else:
            self.files.append(path)

    def _refuse(self, error: OSError) -> None:
        self.refused.append((Path(error.filename or "."), refusal_of(error)))


def _rules(folder: Path) -> list[tuple[Path, str]]:
    """The rules of the .gitignore of a folder."""
    data = read(folder / ".gitignore")
    lines = map(str.strip, split_lines(data.decode(errors="replace")) if isinstance(data, bytes) else ())
    return [(folder, rule) for rule in lines if rule and not rule.startswith("#")]


def _is_ignored(rules: Sequence[tuple[Path, str]], path: Path, is_folder: bool) -> bool:
    """True if the last rule that fits a file or folder leaves it out."""
    for folder, rule in reversed(rules):
        # "build/" means folders only.
        inner = path if is_folder or not rule.endswith("/") else path.parent
        if folder in inner.parents:
            with suppress(globs.BadGlobError):
                if globs.matches_path(rule.removeprefix("!").rstrip("/"), inner.relative_to(folder).as_posix()):
                    return not rule.startswith("!")
    return False


def _is_skipped(folder: Path) -> bool:
    # A folder that can't be read is searched, so that it is named.
    return folder.name.startswith(".") or folder.name in SKIPPED_FOLDERS or is_there(folder / "pyvenv.cfg")
