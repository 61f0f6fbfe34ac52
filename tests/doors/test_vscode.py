"""The extension for Visual Studio Code: a client of our server and nothing else."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys

import pytest
from conftest import PROJECT

from mdtally.text.about import __version__

FOLDER = PROJECT / "editors" / "vscode"


def test_it_starts_our_server_and_no_workspace_names_another() -> None:
    package = json.loads((FOLDER / "package.json").read_text())
    command = package["contributes"]["configuration"]["properties"]["mdtally.command"]
    assert (package["version"], command["default"], command["scope"]) == (__version__, ["mdtally", "lsp"], "machine")


@pytest.mark.skipif(
    not (os.environ.get("MDTALLY_VSCODE") and shutil.which("npm")), reason="takes npm and a package index: .ci/run"
)
def test_it_is_built_and_shows_what_the_server_finds() -> None:
    """In a stand-in for the editor, a note at an address with a space, an umlaut, #, brackets and %."""
    command = json.dumps([sys.executable, "-m", "mdtally", "lsp"])
    environment = {**os.environ, "MDTALLY_COMMAND": command, "PYTHONPATH": str(PROJECT)}
    for words in (["npm", "install", "--silent", "--no-audit", "--no-fund"], ["npm", "test", "--silent"]):
        ran = subprocess.run(words, cwd=FOLDER, env=environment, capture_output=True, text=True, check=True)
    assert "shows what it finds" in ran.stdout
