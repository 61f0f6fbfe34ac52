"""The language server, asked by a real client over its streams."""

from __future__ import annotations

import pytest

pytest.importorskip("pygls.lsp.server", reason="the language server needs pygls 2, which `.[test]` brings")

from pathlib import Path

from conftest import PROJECT
from lsp_client import Editor, converse
from lsprotocol import types

MISMATCH = (PROJECT / "examples" / "mismatch.md").read_text()


def test_findings_are_shown_while_typing(tmp_path: Path) -> None:
    """Of the text as it stands in the editor, whatever is on the disk; none are left when it is mended."""
    uri = (tmp_path / "a.md").as_uri()

    async def talk(editor: Editor) -> None:
        [found] = await editor.open(uri, MISMATCH)
        assert (found.code, found.severity, found.source) == ("MDT201", types.DiagnosticSeverity.Error, "mdtally")
        assert found.range == types.Range(types.Position(13, 0), types.Position(13, 6))
        assert found.code_description and found.code_description.href.endswith("docs/rules/MDT201-tally-mismatch.md")
        assert await editor.type(uri, MISMATCH.replace("A_P: 3", "A_P: 2")) == []

    converse(talk, tmp_path)
