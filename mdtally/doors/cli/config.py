"""``mdtally config``: the effective settings with their origins."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Argument

from mdtally.doors.cli import options as shared
from mdtally.doors.cli.common import Call, fail, out, read_document

app = shared.new_app("Show the configuration.")


@app.callback()
def config() -> None:
    """Show the configuration."""


@app.command()
@shared.with_call()
def show(
    call: Call, path: Annotated[Path, Argument(metavar="[PATH]", readable=False, help="A file or folder.")] = Path()
) -> None:
    """Show the settings that hold for a file, with their origins.

    For a file that exists they are those with which it is judged: what its frontmatter says comes before the
    configuration, and its domain and model choose thresholds.
    """
    from mdtally.project import files, settings
    from mdtally.text import safe
    from mdtally.text.model import FileError

    found = call.settings(path)
    document = read_document(path) if isinstance(files.size(path), int) else None
    if isinstance(document, FileError):
        fail(f"{path}: {document.message}")
    rows = settings.effective_values(found, document.head if document else None)
    width = min(60, max(len(f"{key} = {value}") for key, value, _ in rows))
    for key, value, origin in rows:
        out(safe.terminal(f"{f'{key} = {value}':<{width}}  # {origin}") + "\n")
