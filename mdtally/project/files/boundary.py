"""What a project is, and that nothing which a repository names leads out of it.

A repository is untrusted: what its configuration names has to lie within it, symbolic links followed, and what another
user planted above a note does not count.
"""

from __future__ import annotations

import os
from pathlib import Path

from mdtally.project.files.disk import absolute, attempt, is_there, is_within, status
from mdtally.text import system
from mdtally.text.model import Refusal

ROOT_NAMES = (".git", ".obsidian")
"""What marks the top of a repository or vault."""


def may_write(path: Path) -> Refusal | None:
    """A refusal where a path is a link that leads out of the note's repository, or to a file of another kind."""
    if refusal := leads_out(path, boundary(path.parent)):
        return Refusal(f"a symbolic link: {refusal.reason}")
    if Path(os.path.realpath(path)).suffix != path.suffix:
        return Refusal("a symbolic link to a file of another kind")
    return None


def leads_out(path: Path, root: Path) -> Refusal | None:
    """A refusal where a path, all symbolic links followed, lies outside a folder."""
    if is_within(path, root):
        return None
    return Refusal(f"it leads out of {absolute(root)}, which takes --allow-outside or your own configuration")


def boundary(folder: Path) -> Path:
    """The folder that nothing may leave: the repository or vault that a folder belongs to, else the folder itself."""
    return next((place for place in upwards(folder) if is_root(place)), absolute(folder))


def is_root(place: Path) -> bool:
    """True for the top folder of a repository or vault of ours."""
    return any(is_there(place / name) and is_ours(place / name) for name in ROOT_NAMES)


def is_ours(path: Path) -> bool:
    """True if a file, and what it leads to, belongs to whoever runs this, or to the administrator."""
    places = (status(path, follow=False), status(path))
    return all(system.is_mine(found) for found in places if isinstance(found, os.stat_result))


def upwards(folder: Path) -> list[Path]:
    """A folder and all above it; ``..`` is resolved first, or "above" would mean nothing."""
    folder = absolute(folder)
    return [folder, *folder.parents]


def display_path(path: Path) -> str:
    """A path as messages name it: from the working directory on where it stands below, unless that is the root, where
    an editor starts its servers.
    """
    path, here = absolute(path), attempt(Path.cwd)
    if isinstance(here, Refusal) or here == here.parent or not path.is_relative_to(here):
        return str(path)
    return str(path.relative_to(here))
