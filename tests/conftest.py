"""What all tests share: where the real transcripts lie, if they do, and the command line in a folder of its own."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import settings

from mdtally.doors.cli import main

PROJECT = Path(__file__).resolve().parents[1]
SHARED = PROJECT.parent / "shared"

# In the background of a script SIGINT is ignored, behind nohup SIGHUP, and the programs that tests start would
# inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP"):
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

# The same examples on every run, so that a commit is green or red by itself, and twice as many where .ci/run asks for
# more inputs of all kinds. `pytest --hypothesis-profile=explore` hunts for new ones.
EXAMPLES = 100 if "MDTALLY_FUZZ" in os.environ else 50
settings.register_profile("steady", max_examples=EXAMPLES, derandomize=True, deadline=None)
settings.register_profile("explore", max_examples=2000, deadline=None)
settings.load_profile("steady")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with real transcripts and labels beside the checkout; tests that need it skip where it is missing."""
    if not (SHARED / "samples").is_dir():
        pytest.skip("the real transcripts are not beside this checkout (../shared)")
    return SHARED


@dataclass(frozen=True)
class Ran:
    """What a run of the command line left: its exit code and its two streams."""

    code: int
    out: str
    err: str


Run = Callable[..., Ran]


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test leaves answers where the next one, or the person whose machine it is, finds them."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / ".state"))


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command line in an empty project, whose root is the working directory."""
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    for name in ("FORCE_COLOR", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "100")  # whatever terminal the tests run in

    def call(*arguments: object) -> Ran:
        capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        streams = capsys.readouterr()
        return Ran(int(code), streams.out, streams.err)

    return call
