"""The configuration file that a command changes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from mdtally.project.files.boundary import display_path
from mdtally.project.files.find import find_config, find_project_root
from mdtally.project.files.write import edit, lock_file
from mdtally.text.model import Refusal
from mdtally.text.records import replace
from mdtally.text.source import encode, read_source


def change_config(
    change: Callable[[str, str], str | Refusal], named: Path | None = None, folder: Path | None = None
) -> Path | Refusal:
    """The nearest configuration file, which is changed; or why nothing was written.

    Where there is none, it is a new mdtally.toml at the project's root: in a folder below, it would make that folder a
    project of its own, with another log.

    Args:
        change: makes the new text of the old one and of the file's path, or says why not.
        named: the file to change instead of the nearest one.
        folder: where the nearest one is looked for, if not here.
    """
    nearest = [text for text in find_config(folder or Path()) if text.role != "ignored"] if named is None else []
    target = named or Path(nearest[0].path if nearest else display_path(find_project_root(Path()) / "mdtally.toml"))
    made: str | Refusal = ""

    def edit_bytes(data: bytes) -> bytes | Refusal:
        nonlocal made
        source = read_source(data)
        made = change(source.text, str(target))
        return made if isinstance(made, Refusal) else encode(replace(source, body=made))

    with lock_file(target) as refusal:
        after = refusal or edit(target, edit_bytes, may_be_new=True)
    if isinstance(after, Refusal):
        return made if isinstance(made, Refusal) else Refusal(f"{target}: {after.reason}")
    return target
