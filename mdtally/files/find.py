"""Where things are looked for: configurations, the project's root and log, templates, the Markdown files of folders.

A repository is untrusted: what its configuration names has to lie within it, symbolic links followed, and what another
user planted above a note is no configuration of that note.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from mdtally import globs
from mdtally.files import Refusal, absolute, attempt, is_folder, is_within, read, read_text, refusal_of, status
from mdtally.settings import ConfigText, Settings, extends, has_table

CONFIG_NAMES = (".mdtally.toml", "mdtally.toml", "pyproject.toml")
"""Configuration files; of several in one folder the first that is ours holds."""

ROOT_NAMES = (".git", ".obsidian")
"""What marks the top of a repository or vault."""

MARKDOWN_SUFFIXES = (".md", ".markdown")
SKIPPED_FOLDERS = frozenset({"node_modules", "venv", "env", "__pycache__", "site-packages"})
"""Folders that are never searched, beside hidden ones and virtual environments under other names."""

OUTSIDE = "it leads out of {}, which takes --allow-outside or your own configuration"


# -- Configurations ---------------------------------------------------------------------------------------------------


def find_config(folder: Path, *, allow_outside: bool = False) -> list[ConfigText]:
    """The configuration that holds for the files of a folder.

    Args:
        folder: where the files stand.
        allow_outside: True where a file may extend one outside its repository.

    Returns:
        the nearest configuration file of the folder or those above it, then the one it extends, and so on; one that
        can't be read carries the error. Last, with a notice, those that are another user's and do not hold. An empty
        list where there is none.
    """
    foreign: list[ConfigText] = []
    for place in _upwards(folder):
        for path in (place / name for name in CONFIG_NAMES):
            found = status(path, follow=False)
            if found is None:
                continue
            text = _config_text(path)
            if not has_table(text):
                continue
            if _is_ours(path):
                return [*_with_bases(text, path, allow_outside), *foreign]
            notice = f"{text.path}: ignored, because it belongs to another user"
            foreign.append(ConfigText(text.path, "", notice, role="ignored"))
    return foreign


def read_config(path: Path, *, allow_outside: bool = False) -> list[ConfigText]:
    """A configuration file that was named, and those it extends, as ``find_config`` gives them."""
    return _with_bases(_config_text(path), path, allow_outside)


def own_config() -> ConfigText | None:
    """The user's own configuration, which holds where a project's is silent; None where there is none."""
    home = os.environ.get("XDG_CONFIG_HOME") or "~/.config"
    path = attempt(lambda: Path(home).expanduser() / "mdtally" / "mdtally.toml")
    if isinstance(path, Refusal) or not path.is_absolute() or status(path) is None or not _is_ours(path):
        return None
    return _config_text(path, "own")


def _config_text(path: Path, role: str = "project") -> ConfigText:
    text, folder = read_text(path), str(absolute(path).parent)
    found, error = ("", text.reason) if isinstance(text, Refusal) else (text, "")
    return ConfigText(_shown(path), found, error, folder, role)


def _with_bases(text: ConfigText, path: Path, allow_outside: bool) -> list[ConfigText]:
    """A configuration and those it extends, in turn."""
    chain, seen, root = [text], {os.path.realpath(path)}, _boundary(absolute(path).parent)
    while (base := extends(chain[-1])) is not None:
        named = attempt(Path(base).expanduser)
        if isinstance(named, Refusal):
            chain.append(ConfigText(chain[-1].path, "", f"what it extends is {named.reason}"))
            break
        path = absolute(path).parent / named
        name, extender = _shown(path), chain[-1].path
        if not allow_outside and not is_within(path, root):
            chain.append(ConfigText(name, "", f"{OUTSIDE.format(_shown(root))} ({extender} extends it)"))
            break
        if os.path.realpath(path) in seen:
            chain.append(ConfigText(name, "", f"{extender} extends it, and it extends that one in turn"))
            break
        seen.add(os.path.realpath(path))
        text = _config_text(path, "extended")
        if text.error:
            text = ConfigText(name, "", f"{text.error} ({extender} extends it)")
        chain.append(text)
    return chain


def _is_ours(path: Path) -> bool:
    """True where a file belongs to whoever runs this, or to the administrator."""
    if not hasattr(os, "geteuid"):
        return True
    owners = {os.geteuid(), 0}
    if os.geteuid() == 0 and os.environ.get("SUDO_UID", "").isdecimal():
        owners.add(int(os.environ["SUDO_UID"]))
    places = (status(path, follow=False), status(path))
    return all(found.st_uid in owners for found in places if isinstance(found, os.stat_result))


# -- The project ------------------------------------------------------------------------------------------------------


def find_project_root(path: Path, log: str = Settings().log) -> Path:
    """The folder that a note's calibration log stands under; never one that depends on the working directory.

    Args:
        path: a file or folder of the project.
        log: the log's path from the root on.

    Returns:
        the nearest folder above with a configuration file, a ``.git`` or an ``.obsidian``; else the nearest one above
        that holds such a log already; else the note's own folder.
    """
    start = absolute(path)
    folder = start if is_folder(start) else start.parent
    for place in _upwards(folder):
        configs = [place / name for name in CONFIG_NAMES if status(place / name) is not None]
        if _is_root(place) or any(_is_ours(config) and has_table(_config_text(config)) for config in configs):
            return place
    if not log.startswith(("/", "~", "..")):
        for place in _upwards(folder):
            if status(place / log) is not None and _is_ours(place / log):
                return place
    return folder


def find_log(path: Path, settings: Settings) -> Path | Refusal:
    """The calibration log of a note; a refusal where the configuration puts it outside the project."""
    root = find_project_root(path, settings.log)
    log = attempt(lambda: root / Path(settings.log).expanduser())
    if isinstance(log, Path) and not settings.may_leave("log") and not is_within(log, _boundary(root)):
        return Refusal(OUTSIDE.format(root))
    return log


def find_logs(folder: Path, log: str = Settings().log) -> list[Path] | Refusal:
    """The calibration logs of all projects below a folder, by their path from each project's root on; no links out."""
    return attempt(lambda: sorted(path for path in absolute(folder).rglob(log) if is_within(path, folder)))


def names_in(folder: Path) -> frozenset[str]:
    """The names in a folder; none where it can't be read."""
    found = attempt(lambda: frozenset(os.listdir(folder)))  # noqa: PTH208 - names, not paths
    return found if isinstance(found, frozenset) else frozenset()


def read_template(kind: str, settings: Settings | None = None) -> str | Refusal:
    """A template: the user's own where the folder of the configuration holds one, else the built-in one.

    Args:
        kind: its name, such as "session".
        settings: the configuration, which may name a folder of templates.

    Returns:
        the text with ``\\n`` as newlines; a refusal that names the path where there is none to read.
    """
    name = f"{kind}.md"
    if settings is not None and settings.templates:
        folder = attempt(lambda: Path(settings.templates).expanduser())
        if isinstance(folder, Refusal) or not is_folder(folder):
            return Refusal(f"{settings.templates}: no such folder of templates")
        if status(folder / name, follow=False) is not None:
            root = _boundary(Path(settings.folder or folder))
            if not settings.may_leave("templates") and not is_within(folder / name, root):
                return Refusal(f"{folder / name}: {OUTSIDE.format(root)}")
            return _template(folder / name)
    package = Path(__file__).parents[1] / "templates"
    # In a checkout the templates stand beside the package, where people look for them.
    return _template((package if is_folder(package) else Path(__file__).parents[2] / "templates") / name)


def may_write(path: Path) -> Refusal | None:
    """A refusal where a path is a link that leads out of the note's repository, or to a file of another kind."""
    root = _boundary(absolute(path).parent)
    if not is_within(path, root):
        return Refusal(f"a symbolic link: {OUTSIDE.format(root)}")
    if Path(os.path.realpath(path)).suffix != path.suffix:
        return Refusal("a symbolic link to a file of another kind")
    return None


def _boundary(folder: Path) -> Path:
    """The folder that nothing may leave: the repository or vault that a folder belongs to, else the folder itself."""
    return next((place for place in _upwards(folder) if _is_root(place)), folder)


def _is_root(place: Path) -> bool:
    return any(status(place / name, follow=False) is not None and _is_ours(place / name) for name in ROOT_NAMES)


def _template(path: Path) -> str | Refusal:
    text = read_text(path)
    if isinstance(text, Refusal):
        return Refusal(f"{path}: {text.reason}")
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
    """The Markdown files that paths name.

    Args:
        paths: files, folders, and globs that the shell left as they were. A file is taken whatever its name.
        is_excluded: asked of everything in folders, by its absolute path.
        force_exclude: ask it of named files, too, as hooks that name every file need.

    Returns:
        files in the order of the paths, those of a folder sorted; each once. Hidden folders, virtual environments and
        the like are not searched, nor what .gitignore names, nor symbolic links to folders or out of the repository.
    """
    found: dict[Path, None] = {}
    refused: list[tuple[Path, Refusal]] = []
    for path in paths:
        if is_folder(path):
            everything = _inside(path, is_excluded, refused)
            inside = [one for one in everything if one.name.lower().endswith(MARKDOWN_SUFFIXES)]
            if not inside and not refused:
                refused.append((path, Refusal("this folder holds no Markdown files")))
            found |= dict.fromkeys(inside)
        elif status(path, follow=False) is None and any(mark in str(path) for mark in "*?["):
            meant = _globbed(path, is_excluded, refused)
            if isinstance(meant, Refusal) or not meant:
                refused.append((path, meant if isinstance(meant, Refusal) else Refusal("no file fits this glob")))
            else:
                found |= dict.fromkeys(meant)
        elif not (force_exclude and is_excluded(absolute(path))):
            found[path] = None
    return Walk(list(found), refused)


def _globbed(
    path: Path, is_excluded: Callable[[Path], bool], refused: list[tuple[Path, Refusal]]
) -> list[Path] | Refusal:
    """The files that a glob means, from its first parts without a wildcard on."""
    fixed = next(n for n, part in enumerate(path.parts) if any(mark in part for mark in "*?["))
    folder, glob = Path(*path.parts[:fixed]), "/" + "/".join(path.parts[fixed:])
    try:
        return [
            one
            for one in _inside(folder, is_excluded, refused)
            if globs.matches_path(glob, one.relative_to(folder).as_posix(), within=False)
        ]
    except globs.BadGlobError as error:
        return Refusal(f"no such file, and no glob: {error}")


def _inside(start: Path, is_excluded: Callable[[Path], bool], refused: list[tuple[Path, Refusal]]) -> Iterator[Path]:
    """Every file in a folder and those below it that is not left out, in one order on every machine."""
    root = _boundary(absolute(start))
    ignored = _Ignored(root, absolute(start))

    def is_left_out(path: Path) -> bool:
        return is_excluded(path) or ignored.means(path)

    def tell(error: OSError) -> None:
        refused.append((Path(error.filename or start), refusal_of(error)))

    for name, folders, names in os.walk(start, onerror=tell):
        here, place = Path(name), absolute(Path(name))
        folders[:] = sorted(folder for folder in folders if not _is_skipped(here / folder))
        folders[:] = [folder for folder in folders if not is_left_out(place / folder)]
        for folder in folders:
            ignored.read(place / folder)
        for name in sorted(names):
            if is_left_out(place / name):
                continue
            if (here / name).is_symlink() and not is_within(here / name, root):
                refused.append((here / name, Refusal(f"a symbolic link: {OUTSIDE.format(_shown(root))}")))
            else:
                yield here / name


class _Ignored:
    """What the .gitignore files of a repository name, read as folders are entered."""

    def __init__(self, root: Path, start: Path) -> None:
        self._rules: list[tuple[Path, str, bool, bool]] = []
        for folder in reversed([start, *start.parents]):
            if folder.is_relative_to(root):
                self.read(folder)

    def read(self, folder: Path) -> None:
        """Take in the .gitignore of a folder."""
        data = read(folder / ".gitignore")
        for line in data.decode(errors="replace").splitlines() if isinstance(data, bytes) else ():
            rule = line.strip()
            if rule and not rule.startswith("#"):
                glob = rule.removeprefix("!")
                self._rules.append((folder, glob.rstrip("/"), rule.startswith("!"), glob.endswith("/")))

    def means(self, path: Path) -> bool:
        """True where the last rule that fits a file or folder leaves it out."""
        for folder, glob, negated, folders_only in reversed(self._rules):
            if not path.is_relative_to(folder):
                continue
            inner = path.relative_to(folder)
            name = inner.as_posix() if not folders_only or is_folder(path) else inner.parent.as_posix()
            try:
                if globs.matches_path(glob, name):
                    return not negated
            except globs.BadGlobError:
                continue
        return False


def _is_skipped(folder: Path) -> bool:
    return folder.name.startswith(".") or folder.name in SKIPPED_FOLDERS or status(folder / "pyvenv.cfg") is not None


def _upwards(folder: Path) -> Iterator[Path]:
    """A folder and all above it; ``..`` is resolved first, or "above" would mean nothing."""
    folder = absolute(folder)
    yield folder
    yield from folder.parents


def _shown(path: Path) -> str:
    """A path as messages name it: from the working directory on where it stands below."""
    path = absolute(path)
    here = attempt(Path.cwd)
    return str(path.relative_to(here)) if isinstance(here, Path) and path.is_relative_to(here) else str(path)
