"""``mdtally lsp``: the language server."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from mdtally.cli import common
from mdtally.cli.common import Call
from mdtally.cli.options import Command, fail

if TYPE_CHECKING:
    from mdtally.model import Document
    from mdtally.server.reading import Host, Judged
    from mdtally.session import Judgement
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
    from mdtally.server.reading import Host

    return Host(_settings, _judged, _write)


def _settings(path: Path | None) -> Settings | tuple[str, ...]:
    # A text without a file is as standard input: the working directory's configuration holds.
    return Call().find_settings(path or Path("-"))


def _judged(path: Path, document: Document, settings: Settings, judgement: Judgement, *, write: bool = False) -> Judged:
    from mdtally.reports import File
    from mdtally.verdicts import Verdicts

    run = Verdicts(common.now, write=write)
    (report,) = run.reports([(File(path, document, settings), judgement)])
    return report, tuple(f"{error.filename}: {error.message}" for error in run.errors)


def _write(path: Path) -> Judged:
    from mdtally import session

    call = Call([path])
    for _, document, settings, *_ in call.files([path]):
        return _judged(path, document, settings, session.judge(document, settings), write=True)
    return session.VerdictReport(str(path)), tuple(error.message for error in call.errors)


COMMAND = Command(lsp, "Serve an editor: findings and totals while you write.")
