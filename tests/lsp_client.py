"""A real client of the language server: the server runs as a process of its own, and is spoken to over its streams."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.lsp.client import LanguageClient

WAIT = 60.0


class Editor:
    """An editor, as far as the server is concerned: it opens texts, types into them, and asks.

    Attributes:
        published: by address, the newest diagnostics.
        messages: what the server showed to the person.
        applied: the edits that the server asked for.
    """

    def __init__(self, client: LanguageClient, told: types.InitializeResult) -> None:
        self.client, self.told = client, told
        self.published: dict[str, types.PublishDiagnosticsParams] = {}
        self.messages: list[str] = []
        self._versions: dict[str, int] = {}
        self._news = asyncio.Event()

    @property
    def encoding(self) -> str:
        """The unit of columns that was agreed on."""
        return str(self.told.capabilities.position_encoding)

    async def open(self, uri: str, text: str) -> list[types.Diagnostic]:
        """Open a text; its diagnostics."""
        self._versions[uri] = 1
        item = types.TextDocumentItem(uri, "markdown", 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return await self.diagnostics(uri)

    async def type(self, uri: str, text: str) -> list[types.Diagnostic]:
        """Replace a text; its diagnostics."""
        self._versions[uri] += 1
        self.client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(self._versions[uri], uri),
                [types.TextDocumentContentChangeWholeDocument(text)],
            )
        )
        return await self.diagnostics(uri)

    async def diagnostics(self, uri: str) -> list[types.Diagnostic]:
        """The diagnostics of a text's newest version."""
        async with asyncio.timeout(WAIT):
            while uri not in self.published or self.published[uri].version != self._versions[uri]:
                self._news.clear()
                await self._news.wait()
        return list(self.published[uri].diagnostics)

    def heard(self, params: types.PublishDiagnosticsParams) -> None:
        """Take in diagnostics."""
        self.published[params.uri] = params
        self._news.set()


def converse(
    talk: Callable[[Editor], Awaitable[Any]], folder: Path, *, encodings: tuple[str, ...] = ("utf-16",)
) -> Any:
    """Start a server in a folder, talk with it, and have it leave; what the talk gave."""

    async def run() -> Any:
        client = LanguageClient("tests", "1")
        editor: Editor | None = None

        @client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def published(params: types.PublishDiagnosticsParams) -> None:
            assert editor is not None
            editor.heard(params)

        @client.feature(types.WINDOW_SHOW_MESSAGE)
        def shown(params: types.ShowMessageParams) -> None:
            assert editor is not None
            editor.messages.append(params.message)

        await client.start_io(sys.executable, "-m", "mdtally", "lsp", cwd=folder)
        async with asyncio.timeout(WAIT):
            capabilities = types.ClientCapabilities(
                general=types.GeneralClientCapabilities(
                    position_encodings=[types.PositionEncodingKind(one) for one in encodings]
                )
            )
            told = await client.initialize_async(
                types.InitializeParams(capabilities, process_id=None, root_uri=folder.as_uri())
            )
            editor = Editor(client, told)
            client.initialized(types.InitializedParams())
        try:
            return await talk(editor)
        finally:
            async with asyncio.timeout(WAIT):
                await client.shutdown_async(None)
                client.exit(None)
                await client.stop()

    return asyncio.run(run())
