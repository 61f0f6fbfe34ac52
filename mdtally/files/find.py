"""Where things are looked for: configurations, the project's root and log, templates, the Markdown files of folders.

A repository is untrusted: what its configuration names has to lie within it, symbolic links followed, and what another
user planted above a note is no configuration of that note.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple

from mdtally import globs
from mdtally.files import (
    Refusal,
    RefusedError,
    absolute,
    attempt,
    is_folder,
    is_within,
    read,
    read_text,
    refusal_of,
    refusing,
    status,
)
from mdtally.settings import ConfigText, Settings, extends, has_table

CONFIG_NAMES = (".mdtally.toml", "mdtally.toml", "pyproject.toml")
"""Configuration files; of several in one folder the first that is ours holds."""

ROOT_NAMES = (".git", ".obsidian")
"""What marks the top of a repository or vault."""

MARKDOWN_SUFFIXES = (".md", ".markdown")
SKIPPED_FOLDERS = frozenset({"node_modules", "venv", "env", "__pycache__", "site-packages"})
"""Folders that are never searched, beside hidden ones and virtual environments under other names."""


# -- The boundary -----------------------------------------------------------------------------------------------------


def may_write(path: Path) -> Refusal | None:
    """A refusal where a path is a link that leads out of the note's repository, or to a file of another kind."""
    if refusal := _leads_out(path, _boundary(path.parent)):
        return Refusal(f"a symbolic link: {refusal.reason}")
    if Path(os.path.realpath(path)).suffix != path.suffix:
        return Refusal("a symbolic link to a file of another kind")
    return None


def _leads_out(path: Path, root: Path) -> Refusal | None:
    """A refusal where a path, all symbolic links followed, lies outside a folder."""
    if is_within(path, root):
        return None
    return Refusal(f"it leads out of {absolute(root)}, which takes --allow-outside or your own configuration")


def _boundary(folder: Path) -> Path:
    """The folder that nothing may leave: the repository or vault that a folder belongs to, else the folder itself."""
    return next((place for place in _upwards(folder) if _is_root(place)), absolute(folder))


def _is_root(place: Path) -> bool:
    return any(status(place / name, follow=False) is not None and _is_ours(place / name) for name in ROOT_NAMES)


def _is_ours(path: Path) -> bool:
    """True where a file belongs to whoever runs this, or to the administrator."""
    places = (status(path, follow=False), status(path))
    return all(found.st_uid in (os.geteuid(), 0) for found in places if isinstance(found, os.stat_result))


def _upwards(folder: Path) -> list[Path]:
    """A folder and all above it; ``..`` is resolved first, or "above" would mean nothing."""
    folder = absolute(folder)
    return [folder, *folder.parents]


def _shown(path: Path) -> str:
    """A path as messages name it: from the working directory on where it stands below."""
    path, here = absolute(path), attempt(Path.cwd)
    return str(path.relative_to(here)) if isinstance(here, Path) and path.is_relative_to(here) else str(path)


# -- Configurations ---------------------------------------------------------------------------------------------------


def find_config(folder: Path, *, allow_outside: bool = False) -> list[ConfigText]:
    """The configuration that holds for the files of a folder; an empty list where there is none.

    It is the nearest file in the folder or above, then the one it extends, and so on, with ``allow_outside`` also
    outside its repository; one that can't be read carries the error. Last, with a notice, those of another user.
    """
    foreign: list[ConfigText] = []
    for place in _upwards(folder):
        for text in _configs(place):
            if text.role != "ignored":
                return [*_with_bases(text, allow_outside), *foreign]
            foreign.append(text)
    return foreign


def read_config(path: Path, *, allow_outside: bool = False) -> list[ConfigText]:
    """A configuration file that was named, and those it extends, as ``find_config`` gives them."""
    return _with_bases(_config_text(path), allow_outside)


def own_config() -> ConfigText | None:
    """The user's own configuration, which holds where a project's is silent; None where there is none."""
    home = os.environ.get("XDG_CONFIG_HOME") or "~/.config"
    path = attempt(lambda: Path(home).expanduser() / "mdtally" / "mdtally.toml")
    if isinstance(path, Refusal) or not path.is_absolute() or status(path) is None or not _is_ours(path):
        return None
    return _config_text(path, "own")


def _configs(folder: Path) -> Iterator[ConfigText]:
    """The configuration files in a folder, the one that goes before the others first; those of others do not hold."""
    for path in (folder / name for name in CONFIG_NAMES):
        if status(path, follow=False) is not None and has_table(text := _config_text(path)):
            notice = f"{text.path}: ignored, because it belongs to another user"
            yield text if _is_ours(path) else ConfigText(text.path, "", notice, role="ignored")


def _config_text(path: Path, role: str = "project") -> ConfigText:
    text, folder = read_text(path), str(absolute(path).parent)
    found, error = ("", text.reason) if isinstance(text, Refusal) else (text, "")
    return ConfigText(_shown(path), found, error, folder, role)


def _with_bases(text: ConfigText, allow_outside: bool) -> list[ConfigText]:
    """A configuration and those it extends, in turn."""
    chain, root = [text], _boundary(Path(text.folder))
    seen = {os.path.realpath(Path(text.folder, Path(text.path).name))}
    while not text.error and (base := extends(text)) is not None:
        expanded = attempt(Path(base).expanduser)
        path = Path(text.folder, base if isinstance(expanded, Refusal) else expanded)
        refusal = None if allow_outside else _leads_out(path, root)
        if os.path.realpath(path) in seen:
            refusal = Refusal("it extends that one in turn")
        seen.add(os.path.realpath(path))
        extender = text.path
        text = ConfigText(_shown(path), "", refusal.reason) if refusal else _config_text(path, "extended")
        if text.error:
            text = ConfigText(text.path, "", f"{text.error} ({extender} extends it)")
        chain.append(text)
    return chain


# -- The project ------------------------------------------------------------------------------------------------------


def find_project_root(path: Path, log: str = Settings().log) -> Path:
    """The folder that a note's calibration log stands under; never one that depends on the working directory.

    It is the nearest one above a file or folder with a configuration file, a ``.git`` or an ``.obsidian``; else the
    nearest one above that holds such a log already, at its path from the root on; else the note's own folder.
    """
    start = absolute(path)
    places = _upwards(start if is_folder(start) else start.parent)
    for place in places:
        if _is_root(place) or any(text.role == "project" for text in _configs(place)):
            return place
    if not log.startswith(("/", "~", "..")):
        for place in places:
            if status(place / log) is not None and _is_ours(place / log):
                return place
    return places[0]


@refusing
def find_log(path: Path, settings: Settings) -> Path:
    """The calibration log of a note; a refusal where the configuration puts it outside the project."""
    root = find_project_root(path, settings.log)
    log = root / Path(settings.log).expanduser()
    if not settings.may_leave("log") and (refusal := _leads_out(log, _boundary(root))):
        raise RefusedError(refusal)
    return log


@refusing
def find_logs(folder: Path, log: str = Settings().log) -> list[Path]:
    """The calibration logs of all projects below a folder, by their path from each project's root on; no links out."""
    return sorted(path for path in absolute(folder).rglob(log) if is_within(path, folder))


def names_in(folder: Path) -> frozenset[str]:
    """The names in a folder; none where it can't be read."""
    found = attempt(lambda: frozenset(os.listdir(folder)))  # noqa: PTH208 - names, not paths
    return found if isinstance(found, frozenset) else frozenset()


@refusing
def read_template(kind: str, settings: Settings | None = None) -> str:
    """A template by its name, such as "session": the user's own where the folder of the configuration holds one, else
    the built-in one; with ``\\n`` as newlines. A refusal names the path where there is none to read.
    """
    # In a checkout the templates stand beside the package, where people look for them.
    package = Path(__file__).parents[1] / "templates"
    path = (package if is_folder(package) else Path(__file__).parents[2] / "templates") / f"{kind}.md"
    if settings is not None and settings.templates:
        folder = attempt(Path(settings.templates).expanduser)
        if isinstance(folder, Refusal) or not is_folder(folder):
            raise RefusedError(Refusal(f"{settings.templates}: no such folder of templates"))
        own, root = folder / path.name, _boundary(Path(settings.folder or folder))
        if status(own, follow=False) is not None:
            path = own
            if not settings.may_leave("templates") and (refusal := _leads_out(own, root)):
                raise RefusedError(Refusal(f"{own}: {refusal.reason}"))
    text = read_text(path)
    if isinstance(text, Refusal):
        raise RefusedError(Refusal(f"{path}: {text.reason}"))
    return text.replace("\r\n", "\n").replace("\r", "\n")


# -- Markdown files ---------------------------------------------------------------------------------------------------


class Walk(NamedTuple):
    """What was found: the files, and the folders and links that could not be followed, with the reasons."""

    files: list[Path]
    refused: list[tuple[Path, Refusal]]


def find_markdown(
    paths: Iterable[Path],
    is_excluded: Callable[[Path], bool] = lambda path: False,
    *,
    force_exclude: bool = False,
) -> Walk:
    """The Markdown files that paths name, in the order of the paths, those of a folder sorted; each once.

    Hidden folders, virtual environments and the like are not searched, nor what .gitignore names, nor symbolic links to
    folders or out of the repository.

    Args:
        paths: files, folders, and globs that the shell left as they were. A file is taken whatever its name.
        is_excluded: asked of everything in folders, by its absolute path.
        force_exclude: ask it of named files, too, as hooks that name every file need.
    """
    walk = Walk([], [])
    for path in paths:
        if is_folder(path):
            _search(walk, path, lambda name: name.lower().endswith(MARKDOWN_SUFFIXES), is_excluded, path)
        elif status(path, follow=False) is None and any(mark in str(path) for mark in "*?["):
            # From its first parts without a wildcard on.
            fixed = next(n for n, part in enumerate(path.parts) if any(mark in part for mark in "*?["))
            fits = partial(globs.matches_path, "/" + "/".join(path.parts[fixed:]), within=False)
            try:
                _search(walk, Path(*path.parts[:fixed]), fits, is_excluded, path)
            except globs.BadGlobError as error:
                walk.refused.append((path, Refusal(f"no such file, and no glob: {error}")))
        elif not (force_exclude and is_excluded(absolute(path))):
            walk.files.append(path)
    return Walk(list(dict.fromkeys(walk.files)), walk.refused)


def _search(
    walk: Walk, start: Path, fits: Callable[[str], bool], is_excluded: Callable[[Path], bool], asked: Path
) -> None:
    """Add every file of a folder and those below it whose name from there on fits, in one order on every machine."""
    top, root, before = absolute(start), _boundary(start), [len(part) for part in walk]
    rules = [rule for folder in reversed(_upwards(top)) if folder.is_relative_to(root) for rule in _rules(folder)]

    def tell(error: OSError) -> None:
        walk.refused.append((Path(error.filename or start), refusal_of(error)))

    for name, folders, names in os.walk(start, onerror=tell):
        here, place = Path(name), absolute(Path(name))
        if place != top:
            rules += _rules(place)
        folders[:] = [
            one
            for one in sorted(folders)
            if not (_is_skipped(here / one) or is_excluded(place / one) or _is_ignored(rules, place / one, True))
        ]
        for one in sorted(names):
            if not fits((place / one).relative_to(top).as_posix()):
                continue
            if is_excluded(place / one) or _is_ignored(rules, place / one, False):
                continue
            refusal = _leads_out(here / one, root) if (here / one).is_symlink() else None
            if refusal is None:
                walk.files.append(here / one)
            else:
                walk.refused.append((here / one, Refusal(f"a symbolic link: {refusal.reason}")))
    if before == [len(part) for part in walk]:
        words = "this folder holds no Markdown files" if asked == start else "no file fits this glob"
        walk.refused.append((asked, Refusal(words)))


def _rules(folder: Path) -> list[tuple[Path, str]]:
    """The rules of the .gitignore of a folder."""
    data = read(folder / ".gitignore")
    lines = map(str.strip, data.decode(errors="replace").splitlines() if isinstance(data, bytes) else ())
    return [(folder, rule) for rule in lines if rule and not rule.startswith("#")]


def _is_ignored(rules: Sequence[tuple[Path, str]], path: Path, is_folder: bool) -> bool:
    """True where the last rule that fits a file or folder leaves it out."""
    for folder, rule in reversed(rules):
        # "build/" means folders only.
        inner = path if is_folder or not rule.endswith("/") else path.parent
        if folder in inner.parents:
            with suppress(globs.BadGlobError):
                if globs.matches_path(rule.removeprefix("!").rstrip("/"), inner.relative_to(folder).as_posix()):
                    return not rule.startswith("!")
    return False


def _is_skipped(folder: Path) -> bool:
    return folder.name.startswith(".") or folder.name in SKIPPED_FOLDERS or status(folder / "pyvenv.cfg") is not None
