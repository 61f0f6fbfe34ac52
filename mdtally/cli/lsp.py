"""``mdtally lsp``: the language server."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from mdtally.cli import common
from mdtally.cli.common import Call
from mdtally.cli.options import Command, fail

if TYPE_CHECKING:
    from mdtally.settings import Settings


def lsp(call: Call) -> None:
    """Serve an editor over standard input and output: findings, running totals, the verdict so far, tags to insert.

    It speaks the Language Server Protocol; docs/editors.md shows how to set editors up. Needs the extra `lsp`.
    """
    try:
        from mdtally.server.program import serve
        from mdtally.server.reading import Host
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("pygls", "lsprotocol"):
            raise
        fail("the language server needs pygls 2: pip install 'pygls>=2,<3' (pipx inject mdtally 'pygls>=2,<3')")
    serve(Host(settings_of, common.now))


def settings_of(path: Path | None) -> Settings | tuple[str, ...]:
    """The configuration of a file, or of a text without one; all that is wrong with it, where it can't be used."""
    # A text without a file is as standard input: the working directory's configuration holds.
    return Call().find_settings(path or Path("-"))


COMMAND = Command(lsp, "Serve an editor: findings and totals while you write.")
