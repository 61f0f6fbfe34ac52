"""A real client of the language server: the server runs as a process of its own, and is spoken to over its streams."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.lsp.client import LanguageClient

WAIT = 60.0
PROGRAM = ("-m", "mdtally", "lsp")


class Editor:
    """An editor, as far as the server is concerned: it opens texts, types into them, and asks.

    Attributes:
        published: by address, the newest diagnostics.
        messages: what the server showed to the person.
        watched: the globs of the files whose changes the server wants to know.
        texts: by address, the text as it stands.
    """

    def __init__(self, client: LanguageClient, told: types.InitializeResult) -> None:
        self.client, self.told = client, told
        self.published: dict[str, types.PublishDiagnosticsParams] = {}
        self.messages: list[str] = []
        self.watched: list[str] = []
        self.texts: dict[str, str] = {}
        self._versions: dict[str, int | None] = {}
        self._news = asyncio.Event()

    @property
    def encoding(self) -> str:
        """The unit of columns that was agreed on."""
        return str(self.told.capabilities.position_encoding)

    async def open(self, uri: str, text: str) -> list[types.Diagnostic]:
        """Open a text; its diagnostics."""
        self._versions[uri], self.texts[uri] = 1, text
        item = types.TextDocumentItem(uri, "markdown", 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return await self.diagnostics(uri)

    async def type(self, uri: str, text: str) -> list[types.Diagnostic]:
        """Replace a text; its diagnostics."""
        version = (self._versions[uri] or 0) + 1
        self._versions[uri], self.texts[uri] = version, text
        self.client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(version, uri),
                [types.TextDocumentContentChangeWholeDocument(text)],
            )
        )
        return await self.diagnostics(uri)

    async def save(self, uri: str) -> list[types.Diagnostic]:
        """Tell that a text was saved; its diagnostics."""
        self.published.pop(uri, None)
        self.client.text_document_did_save(types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(uri)))
        return await self.diagnostics(uri)

    async def close(self, uri: str) -> list[types.Diagnostic]:
        """Close a text; its diagnostics, which ought to be none."""
        self.published.pop(uri, None)
        self._versions[uri] = None
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri)))
        return await self.diagnostics(uri)

    async def change_file(self, path: Path, text: str, uris: Sequence[str]) -> list[list[types.Diagnostic]]:
        """Write a file that is watched, and tell so; the diagnostics of open texts."""
        path.write_text(text)
        for uri in uris:
            self.published.pop(uri, None)
        change = types.FileEvent(path.as_uri(), types.FileChangeType.Changed)
        self.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([change]))
        return [await self.diagnostics(uri) for uri in uris]

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

    async def hover(self, uri: str, line: int, column: int) -> str:
        """What is shown at a place; "" for nothing."""
        params = types.HoverParams(types.TextDocumentIdentifier(uri), types.Position(line, column))
        found = await self.client.text_document_hover_async(params)
        assert found is None or isinstance(found.contents, types.MarkupContent)
        return found.contents.value if found else ""

    async def actions(self, uri: str, line: int, column: int = 0) -> list[types.CodeAction]:
        """What can be done at a place by editing."""
        return [one for one in await self._offered(uri, line, column) if isinstance(one, types.CodeAction)]

    async def commands(self, uri: str) -> list[str]:
        """The titles of what can be done at the beginning by a command: lsprotocol reads such actions as commands."""
        return [one.title for one in await self._offered(uri, 0, 0) if isinstance(one, types.Command)]

    async def _offered(self, uri: str, line: int, column: int) -> Sequence[types.CodeAction | types.Command]:
        place = types.Position(line, column)
        context = types.CodeActionContext(self.published[uri].diagnostics)
        params = types.CodeActionParams(types.TextDocumentIdentifier(uri), types.Range(place, place), context)
        return await self.client.text_document_code_action_async(params) or []

    async def all_actions(self, uri: str) -> list[types.CodeAction]:
        """What can be done at each finding and label, the last of them first."""
        found = [await self.actions(uri, place.line, place.character) for place in self._places(uri)]
        return [one for some in reversed(found) for one in some]

    async def apply(self, uri: str, action: types.CodeAction) -> None:
        """Make an action's edits, in UTF-16 columns; the text they make is typed."""
        lines = self.texts[uri].split("\n")
        for edit in sorted(_edits(action), key=lambda edit: edit.range.start, reverse=True):
            (first, start), (last, end) = ((place.line, place.character) for place in _ends(edit.range))
            before = lines[first].encode("utf-16-le")[: 2 * start].decode("utf-16-le")
            after = lines[last].encode("utf-16-le")[2 * end :].decode("utf-16-le")
            lines[first : last + 1] = [before + edit.new_text + after]
        await self.type(uri, "\n".join(lines))

    async def run(self, command: str, *arguments: str) -> None:
        """Have a command of the server run, and wait for what it says."""
        params = types.ExecuteCommandParams(command, arguments=list(arguments))
        await self.client.workspace_execute_command_async(params)

    async def summary(self, uri: str) -> str:
        """Findings of a text, as a person would note them down."""
        said = ["diagnostics\n"]
        for one in self.published[uri].diagnostics:
            severity = types.DiagnosticSeverity(one.severity or 1).name.lower()
            said.append(
                f"  {_shown(one.range)} {severity} {one.code}: {one.message.replace(chr(10), f'{chr(10)}      ')}\n"
            )
        return "".join(said)

    async def everything(self, uri: str) -> str:
        """As ``summary``, with hovers and actions at every finding and label."""
        said = [await self.summary(uri)]
        for one in self.published[uri].diagnostics:
            start = one.range.start
            shown = await self.hover(uri, start.line, start.character)
            page = [line for line in shown.split("\n") if line.startswith(("**MDT", "# "))]
            said.append(f"hover at {start.line}:{start.character}\n" + "".join(f"  {line}\n" for line in page))
        for place in self._places(uri):
            actions = await self.actions(uri, place.line, place.character)
            if actions:
                said.append(f"actions at {place.line}:{place.character}\n")
            for action in actions:
                said.append(f"  {action.title}\n")
                said += [f"      {_shown(edit.range)} becomes {edit.new_text!r}\n" for edit in _edits(action)]
        return "".join(said)

    def _places(self, uri: str) -> list[types.Position]:
        """Where to ask what can be done: at each finding, and at each line that begins with a name."""
        places = [one.range.start for one in self.published[uri].diagnostics]
        lines = enumerate(self.texts[uri].split("\n"))
        return [*places, *(types.Position(number, 0) for number, line in lines if line.startswith("**"))]


def _edits(action: types.CodeAction) -> list[types.TextEdit]:
    found = action.edit.document_changes if action.edit else None
    return [edit for change in found or () for edit in getattr(change, "edits", ())]


def _ends(stretch: types.Range) -> tuple[types.Position, types.Position]:
    return stretch.start, stretch.end


def _shown(stretch: types.Range) -> str:
    return "-".join(f"{place.line}:{place.character}" for place in _ends(stretch))


class Server:
    """A server in a process of its own, for talks one after the other; it leaves at the end of a ``with`` block."""

    def __init__(self, folder: Path, encodings: tuple[str, ...] = (), program: tuple[str, ...] = PROGRAM) -> None:
        self._folder, self._encodings, self._program = folder, encodings, program
        self._runner = asyncio.Runner()

    def __enter__(self) -> Server:
        """Start it."""
        self._client, self.editor = self._runner.run(_start(self._folder, self._encodings, self._program))
        return self

    def talk(self, talk: Callable[[Editor], Awaitable[Any]]) -> Any:
        """What a talk with it gives."""

        async def talking() -> Any:
            return await talk(self.editor)

        return self._runner.run(talking())

    def __exit__(self, *_: object) -> None:
        """Have it leave."""
        self._runner.run(_leave(self._client))
        self._runner.close()


async def _start(folder: Path, encodings: tuple[str, ...], program: tuple[str, ...]) -> tuple[LanguageClient, Editor]:
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

    @client.feature(types.CLIENT_REGISTER_CAPABILITY)
    def registered(params: types.RegistrationParams) -> None:
        assert editor is not None
        for one in params.registrations:
            # lsprotocol leaves options as they came.
            options: Any = one.register_options
            editor.watched += [watcher["globPattern"] for watcher in options["watchers"]]

    await client.start_io(sys.executable, *program, cwd=folder)
    async with asyncio.timeout(WAIT):
        capabilities = types.ClientCapabilities(
            general=types.GeneralClientCapabilities(
                position_encodings=[types.PositionEncodingKind(one) for one in encodings]
            ),
            workspace=types.WorkspaceClientCapabilities(
                did_change_watched_files=types.DidChangeWatchedFilesClientCapabilities(dynamic_registration=True)
            ),
        )
        told = await client.initialize_async(
            types.InitializeParams(capabilities, process_id=None, root_uri=folder.as_uri())
        )
        editor = Editor(client, told)
        client.initialized(types.InitializedParams())
    return client, editor


async def _leave(client: LanguageClient) -> None:
    async with asyncio.timeout(WAIT):
        await client.shutdown_async(None)
        client.exit(None)
        await client.stop()
