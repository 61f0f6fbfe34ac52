"""What eight processes at once do to one file; a module of its own, so that each starts without the test libraries."""

from __future__ import annotations

from pathlib import Path

from mdtally.project import files


def append_many(path: Path, writer: int) -> None:
    for number in range(100):
        assert files.append_line(path, f"{writer}:{number}:" + "x" * (number * 7 % 300)) is None


def append_once_each(path: Path, _: int) -> None:
    for number in range(40):
        with files.lock_file(path) as refusal:
            assert refusal is None
            if f"line {number}" not in files.last_lines(path):
                assert files.append_line(path, f"line {number}") is None
