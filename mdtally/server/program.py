"""The conversation with the editor: which message is answered by what."""

from __future__ import annotations

import asyncio
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit
from urllib.request import url2pathname

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from mdtally import __version__
from mdtally.server import shown
from mdtally.server.reading import Host, Reading

__all__ = ["serve"]

PAUSE = 0.2
"""Seconds without a keystroke after which diagnostics are sent."""

Answer = TypeVar("Answer")


class Server(LanguageServer):
    """The language server: the texts that are open in an editor, each with the reading of its newest version.

    Texts come whole: applying pieces to what the other side holds, with its own idea of where a line ends, is a way to
    be wrong without noticing.
    """

    def __init__(self, host: Host) -> None:
        super().__init__("mdtally", __version__, text_document_sync_kind=types.TextDocumentSyncKind.Full)
        self.host = host
        self._readings: dict[str, tuple[str, Reading]] = {}
        self._waiting: dict[str, asyncio.TimerHandle] = {}

    def reading(self, uri: str) -> Reading | None:
        """What is known of the newest version of an open text; None of one that is not open."""
        document = self.workspace.text_documents.get(uri)
        if document is None:
            return None
        known = self._readings.get(uri)
        if known is None or known[0] != document.source:
            encoding = self.workspace.position_encoding or types.PositionEncodingKind.Utf16
            reading = Reading(document.source, self.path_of(uri), self.host, str(getattr(encoding, "value", encoding)))
            self._readings[uri] = known = document.source, reading
        return known[1]

    def path_of(self, uri: str) -> Path | None:
        """The file of a text; None of one that was never saved."""
        parts = urlsplit(uri)
        return Path(url2pathname(parts.path)) if parts.scheme == "file" else None

    def forget(self, uri: str | None = None) -> None:
        """Read a text again at the next question, or all texts: files around it may have changed."""
        for known in [uri] if uri else list(self._readings):
            self._readings.pop(known, None)

    def publish_later(self, uri: str) -> None:
        """Send a text's diagnostics when nothing has been typed for a moment."""
        if waiting := self._waiting.pop(uri, None):
            waiting.cancel()
        self._waiting[uri] = asyncio.get_running_loop().call_later(PAUSE, self.publish, uri)

    def publish(self, uri: str) -> None:
        """Send a text's diagnostics; none of one that is closed."""
        if waiting := self._waiting.pop(uri, None):
            waiting.cancel()
        document = self.workspace.text_documents.get(uri)
        found = self.answer(uri, shown.diagnostics, None) if document else []
        if found is None:
            # An empty list would look like a text without findings.
            found = [shown.failure()]
        version = document.version if document else None
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, found, version))

    def answer(self, uri: str, make: Callable[[Reading], Answer], nothing: Answer) -> Answer:
        """What is made of a text's reading; nothing of one that is not open, or that makes us fail."""
        try:
            reading = self.reading(uri)
            return nothing if reading is None else make(reading)
        except Exception:
            traceback.print_exc(file=sys.stderr)
            return nothing


def serve(host: Host) -> None:
    """Speak with an editor over stdin and stdout until it leaves."""
    server = Server(host)

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        server.publish(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeTextDocumentParams) -> None:
        server.publish_later(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def saved(params: types.DidSaveTextDocumentParams) -> None:
        server.forget()
        server.publish(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        server.forget(params.text_document.uri)
        server.publish(params.text_document.uri)

    server.start_io()
