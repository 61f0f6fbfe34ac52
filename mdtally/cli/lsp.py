"""``mdtally lsp``: the language server."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from mdtally.cli import common
from mdtally.cli.common import Call
from mdtally.cli.options import Command, fail

if TYPE_CHECKING:
    from mdtally.server.reading import Host, Judged
    from mdtally.settings import Settings


def lsp(call: Call) -> None:
    """Serve an editor over standard input and output: findings, running totals, the verdict so far, tags to insert.

    It speaks the Language Server Protocol; docs/editors.md shows how to set editors up. Needs the extra `lsp`.
    """
    try:
        from mdtally.server.program import serve
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("pygls", "lsprotocol"):
            raise
        fail("the language server needs pygls 2: pip install 'pygls>=2,<3' (pipx inject mdtally 'pygls>=2,<3')")
    serve(host())


def host() -> Host:
    """What the server is told of files on the disk."""
    from functools import partial

    from mdtally.cli.verdict import look
    from mdtally.server.reading import Host

    return Host(_settings, partial(look, write=False), _write)


def _settings(path: Path | None) -> Settings | tuple[str, ...]:
    # A text without a file is as standard input: the working directory's configuration holds.
    return Call().find_settings(path or Path("-"))


def _write(path: Path) -> Judged:
    from mdtally import session
    from mdtally.cli.verdict import look
    from mdtally.records import replace
    from mdtally.reports import FileError, VerdictReport

    document, settings = common.read(path), _settings(path)
    if isinstance(document, FileError):
        return VerdictReport(str(path)), (document.message,)
    if isinstance(settings, tuple):
        return VerdictReport(str(path)), settings
    document = replace(document, form=settings.transcript_for(path))
    return look(path, document, settings, session.judge(document, settings), write=True)


COMMAND = Command(lsp, "Serve an editor: findings and totals while you write.")
