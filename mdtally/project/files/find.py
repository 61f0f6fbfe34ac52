"""Where things are looked for: configurations, the project's root and log, templates."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Literal

from mdtally.project.files.boundary import boundary, display_path, is_ours, is_root, leads_out, upwards
from mdtally.project.files.disk import (
    RefusedError,
    absolute,
    attempt,
    is_folder,
    is_there,
    is_within,
    read_text,
    refusing,
    status,
)
from mdtally.project.settings import ConfigText, Settings
from mdtally.text.model import Refusal

CONFIG_NAMES = (".mdtally.toml", "mdtally.toml", "pyproject.toml")
"""Configuration files; of several in one folder the first that is ours holds."""


# -- Configurations ---------------------------------------------------------------------------------------------------


def find_config(folder: Path) -> list[ConfigText]:
    """The configuration that holds for the files of a folder; an empty list where there is none.

    It is the nearest file in the folder or above; one that can't be read carries the error. Behind it, with a notice,
    are those of another user.
    """
    foreign: list[ConfigText] = []
    for text in chain.from_iterable(map(_configs, upwards(folder))):
        if text.role != "ignored":
            return [text, *foreign]
        foreign.append(text)
    return foreign


def read_config(path: Path, role: Literal["project", "own"] = "project") -> ConfigText:
    """A configuration file that was named."""
    text, folder = read_text(path), str(absolute(path).parent)
    found, error = ("", text.reason) if isinstance(text, Refusal) else (text, "")
    return ConfigText(display_path(path), found, error, folder, role)


def own_config() -> ConfigText | None:
    """The user's own configuration, which holds where a project's is silent; None where there is none."""
    home = os.environ.get("XDG_CONFIG_HOME") or "~/.config"
    path = attempt(lambda: Path(home).expanduser() / "mdtally" / "mdtally.toml")
    if isinstance(path, Refusal) or not path.is_absolute() or status(path) is None or not is_ours(path):
        return None
    return read_config(path, "own")


def _configs(folder: Path) -> Iterator[ConfigText]:
    """The configuration files in a folder, the one that goes before the others first; those of others do not hold."""
    for path in (folder / name for name in CONFIG_NAMES):
        if status(path, follow=False) is not None and (text := read_config(path)).is_ours:
            notice = f"{text.path}: ignored, because it belongs to another user"
            yield text if is_ours(path) else ConfigText(text.path, "", notice, role="ignored")


# -- The project ------------------------------------------------------------------------------------------------------


def find_project_root(path: Path, log: str = Settings().log) -> Path:
    """The folder that a note's calibration log stands under; never one that depends on the working directory.

    It is the nearest one above a file or folder with a configuration file, a ``.git`` or an ``.obsidian``; else the
    nearest one above that holds such a log already, at its path from the root on; else the note's own folder, or the
    one above a folder of notes that mdtally makes.
    """
    start = absolute(path)
    places = upwards(start if is_folder(start) else start.parent)
    marked = (one for one in places if is_root(one) or any(text.role == "project" for text in _configs(one)))
    is_below = not (Path(log).is_absolute() or log.startswith(("~", "..")))
    logged = (one for one in places if is_below and status(one / log) is not None and is_ours(one / log))
    home = places[0].parent if places[0].name in ("sessions", "surveys") else places[0]
    return next(marked, None) or next(logged, home)


@refusing
def find_log(path: Path, settings: Settings) -> Path:
    """The calibration log of a note; a refusal where the configuration puts it outside the project."""
    root = find_project_root(path, settings.log)
    return _inside_repository(root / Path(settings.log).expanduser(), root, settings, "log")


@refusing
def find_baseline(settings: Settings) -> Path:
    """The baseline that the configuration names, from its own file on; a refusal where it lies outside the project."""
    folder = Path(settings.set_values["lint", "baseline"].text.folder)
    return _inside_repository(folder / Path(settings.baseline).expanduser(), folder, settings, "lint.baseline")


def _inside_repository(path: Path, folder: Path, settings: Settings, key: str) -> Path:
    """The path; refused if it leads out of a folder's repository, unless it is the user who named it."""
    if not settings.may_leave(key) and (refusal := leads_out(path, boundary(folder))):
        raise RefusedError(Refusal(f"{key} = {path}: {refusal.reason}"))
    return path


def find_logs(folder: Path, log: str = Settings().log) -> list[Path]:
    """The calibration logs of all projects below a folder, by their path from each project's root on; no links out."""
    return [path for path in sorted(matching(absolute(folder), f"**/{log}")) if is_within(path, folder)]


def matching(folder: Path, pattern: str) -> list[Path]:
    """What lies below a folder and fits a glob of its names; none where the folder can't be read."""
    found = attempt(lambda: list(folder.glob(pattern)))
    return [] if isinstance(found, Refusal) else found


@refusing
def read_template(kind: str, settings: Settings) -> str:
    """A template by its name, such as "session" or "agent/hooks.json": the user's own where the folder of the
    configuration holds one, else the built-in one; with ``\\n`` as newlines. A refusal names the path where there is
    none to read.
    """
    # In a checkout the templates stand beside the package, where people look for them.
    package = Path(__file__).parents[2] / "templates"
    built_in = package if is_folder(package) else Path(__file__).parents[3] / "templates"
    path = built_in / (kind if "." in kind else f"{kind}.md")
    if settings.templates:
        folder = attempt(Path(settings.templates).expanduser)
        if isinstance(folder, Refusal) or not is_folder(folder):
            raise RefusedError(Refusal(f"{settings.templates}: no such folder of templates"))
        own, root = folder / path.name, boundary(Path(settings.folder or folder))
        if is_there(own):
            path = own
            if not settings.may_leave("templates") and (refusal := leads_out(own, root)):
                raise RefusedError(Refusal(f"{own}: {refusal.reason}"))
    text = read_text(path)
    if isinstance(text, Refusal):
        raise RefusedError(Refusal(f"{path}: {text.reason}"))
    return text.replace("\r\n", "\n").replace("\r", "\n")
