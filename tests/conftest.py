"""What all tests share: where the real transcripts lie, if they do."""

from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[1]
SHARED = PROJECT.parent / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with real transcripts and labels beside the checkout; tests that need it skip where it is missing."""
    if not (SHARED / "samples").is_dir():
        pytest.skip("the real transcripts are not beside this checkout (../shared)")
    return SHARED
