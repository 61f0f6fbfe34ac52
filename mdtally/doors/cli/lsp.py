"""``mdtally lsp``: the language server."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from mdtally.doors.cli import common
from mdtally.doors.cli.common import Call, fail

if TYPE_CHECKING:
    from mdtally.project.settings import ConfigProblem, Settings


def lsp() -> None:
    """Serve an editor: findings while you write.

    It speaks the Language Server Protocol over standard input and output; docs/editors.md shows how to set editors up.
    Needs the extra `lsp`.
    """
    try:
        from mdtally.doors.server.program import serve
        from mdtally.doors.server.text import Host
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("pygls", "lsprotocol"):
            raise
        fail("the language server needs pygls 2: pip install 'pygls>=2,<3' (pipx inject mdtally 'pygls>=2,<3')")
    if sys.stdin.isatty():
        common.note("nothing is missing; an editor starts this command and speaks with it (docs/editors.md)")
        return
    serve(Host(settings_of, common.now))


def settings_of(path: Path | None) -> tuple[Settings, tuple[ConfigProblem, ...]]:
    """The configuration of a file, or of a text without one, and all that is wrong with it."""
    # A text without a file is as standard input: the working directory's configuration holds.
    return Call().find_settings(path or Path("-"))
