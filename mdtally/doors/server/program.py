"""The conversation with the editor: which message is answered by what."""

from __future__ import annotations

import asyncio
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path, uri_scheme
from pygls.workspace import TextDocument

from mdtally.doors.server import shown
from mdtally.doors.server.actions import edits_between, verdict_title
from mdtally.doors.server.text import EditorText, Host
from mdtally.log.calibration import describe
from mdtally.project import files
from mdtally.text.about import __version__
from mdtally.text.model import Edit, Problem, errors_of

PAUSE = 0.2
"""Seconds without a keystroke after which diagnostics are sent."""

FAILURE = "mdtally failed on this text, so nothing is known of it. This is a bug; the server's log shows where."

Answer = TypeVar("Answer")


class Server(LanguageServer):
    """The language server: the texts that are open in an editor, each with what is known of its newest version.

    Texts come whole: applying pieces to what the other side holds, with its own idea of where a line ends, is a way to
    be wrong without noticing.
    """

    def __init__(self, host: Host) -> None:
        super().__init__("mdtally", __version__, text_document_sync_kind=types.TextDocumentSyncKind.Full)
        self.host = host
        self.texts: dict[str, tuple[str, EditorText]] = {}
        self._waiting: dict[str, asyncio.TimerHandle] = {}

    def document(self, uri: str) -> TextDocument | None:
        """The text at an address, however that is encoded; None of one that is not open."""
        document = self.workspace.get_text_document(uri)
        return None if document.version is None else document

    def editor_text(self, uri: str) -> EditorText | None:
        """What is known of the newest version of an open text; None of one that is not open."""
        document = self.document(uri)
        if document is None:
            return None
        known = self.texts.get(uri)
        if known is None or known[0] != document.source:
            # Not every editor encodes these two, and a file has neither a fragment nor a query.
            path = to_fs_path(uri.replace("#", "%23").replace("?", "%3F")) if uri_scheme(uri) == "file" else None
            opened = EditorText(document.source, Path(path) if path else None, self.host, self.workspace.position_codec)
            self.texts[uri] = known = document.source, opened
        return known[1]

    def publish(self, uri: str, *, later: bool = False) -> None:
        """Send a text's diagnostics, none of one that is closed; later: when nothing has been typed for a moment."""
        if waiting := self._waiting.pop(uri, None):
            waiting.cancel()
        if later:
            self._waiting[uri] = asyncio.get_running_loop().call_later(PAUSE, self.publish, uri)
            return
        document = self.document(uri)
        # Where we fail, an empty list would look like a text without findings.
        found = self.answer(uri, shown.diagnostics, [shown.trouble(FAILURE)]) if document else []
        version = document.version if document else None
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, found, version))

    def refresh(self) -> None:
        """Send the diagnostics of all open texts, because a configuration has changed."""
        self.texts.clear()
        for document in [*self.workspace.text_documents.values()]:
            self.publish(document.uri)

    def publish_anew(self, uri: str) -> None:
        """Send the diagnostics of a text that was saved or closed: the files around the texts may have changed."""
        self.texts.clear()
        self.publish(uri)
        if uri.rpartition("/")[2] in files.CONFIG_NAMES:
            self.refresh()

    def hover(self, uri: str, position: types.Position) -> types.Hover | None:
        """What is told of a place."""
        return self.answer(uri, lambda opened: shown.hover(opened, position), None)

    def watch(self) -> None:
        """Have an editor that can do so tell of changed configurations."""
        workspace = self.client_capabilities.workspace
        watching = workspace.did_change_watched_files if workspace else None
        if watching and watching.dynamic_registration:
            watchers = [types.FileSystemWatcher(f"**/{name}") for name in files.CONFIG_NAMES]
            options = types.DidChangeWatchedFilesRegistrationOptions(watchers)
            watched = types.Registration("configurations", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
            self.client_register_capability(types.RegistrationParams([watched]))

    def answer(self, uri: str, make: Callable[[EditorText], Answer], nothing: Answer) -> Answer:
        """What is made of a text; nothing of one that is not open, or that makes us fail."""
        try:
            opened = self.editor_text(uri)
            return nothing if opened is None else make(opened)
        except Exception:
            traceback.print_exc(file=sys.stderr)
            return nothing

    def write(self, uri: str) -> None:
        """Write a text's verdict as `mdtally verdict` does, if the file on the disk is what the editor has."""
        opened = self.editor_text(uri)
        found = opened.write() if opened else None
        if opened is None or found is None:
            self.say("nothing was written: save the text first, so that the verdict is that of the file")
            return
        report, errors = found
        done = describe(report.verdict) if report.verdict else "no verdict"
        wrong = (one.message for one in errors_of(opened.with_file_name(report.problems)))
        self.say("; ".join([done, *filter(None, [report.written]), *wrong, *errors]), is_bad=bool(errors))
        self.publish_anew(uri)

    def say(self, message: str, *, is_bad: bool = True) -> None:
        """Show a message to the person."""
        kind = types.MessageType.Warning if is_bad else types.MessageType.Info
        self.window_show_message(types.ShowMessageParams(kind, message))

    def mending_action(self, uri: str, opened: EditorText, edit: Edit, problem: Problem) -> types.CodeAction:
        """The edit that mends or excuses a finding, in the protocol's words."""
        # With the version, the editor can tell that the text has changed since.
        whole = types.OptionalVersionedTextDocumentIdentifier(uri, self.workspace.get_text_document(uri).version)
        change = types.TextDocumentEdit(whole, [types.TextEdit(opened.range(edit.region), edit.text)])
        about, changes = [shown.of_problem(opened, problem)], types.WorkspaceEdit(document_changes=[change])
        return types.CodeAction(edit.title, types.CodeActionKind.QuickFix, diagnostics=about, edit=changes)


def serve(host: Host) -> None:
    """Speak with an editor over stdin and stdout until it leaves."""
    server = Server(host)
    answers: dict[str, Callable[[Any], object]] = {
        types.INITIALIZED: lambda _: server.watch(),
        types.WORKSPACE_DID_CHANGE_WATCHED_FILES: lambda _: server.refresh(),
        types.TEXT_DOCUMENT_DID_OPEN: lambda params: server.publish(params.text_document.uri),
        types.TEXT_DOCUMENT_DID_CHANGE: lambda params: server.publish(params.text_document.uri, later=True),
        types.TEXT_DOCUMENT_DID_SAVE: lambda params: server.publish_anew(params.text_document.uri),
        types.TEXT_DOCUMENT_DID_CLOSE: lambda params: server.publish_anew(params.text_document.uri),
        types.TEXT_DOCUMENT_HOVER: lambda params: server.hover(params.text_document.uri, params.position),
    }
    for message, answer in answers.items():
        server.feature(message)(answer)

    kinds = types.CodeActionKind.QuickFix, types.CodeActionKind.Source

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions(code_action_kinds=[*kinds]))
    def actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        uri, asked = params.text_document.uri, params.context.only
        mends, writes = (not asked or _is_asked(kind, asked) for kind in kinds)

        def made(opened: EditorText) -> list[types.CodeAction]:
            first, last = (opened.place(end) for end in (params.range.start, params.range.end))
            edits = edits_between(opened, first, last) if mends else ()
            found = [server.mending_action(uri, opened, *one) for one in edits]
            if writes and (title := verdict_title(opened)):
                command = types.Command(title, shown.WRITE, arguments=[uri])
                found.append(types.CodeAction(title, types.CodeActionKind.Source, command=command))
            return found

        return server.answer(uri, made, [])

    @server.command(shown.WRITE)
    def write(uri: str) -> None:
        server.write(uri)

    server.start_io()


def _is_asked(kind: types.CodeActionKind, asked: Sequence[types.CodeActionKind | str]) -> bool:
    """True if a kind is one of those that are asked for, or below one: "refactor" asks for "refactor.rewrite"."""
    return any(f"{kind.value}.".startswith(f"{getattr(one, 'value', one)}.") for one in asked)
