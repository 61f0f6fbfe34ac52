"""Tables in text files beside the code."""

from pathlib import Path

import pytest

from mdtally.text import datafiles


def test_two_tables_of_one_name_are_refused(tmp_path: Path) -> None:
    """The first one would be lost, and what it holds be known nowhere."""
    (tmp_path / "words.txt").write_text("[one] a\nx y\n[two,] b\nx y, z\n")
    assert datafiles.tables(str(tmp_path / "a.py"), "words.txt") == {"one": ["x", "y"], "two": ["x y", "z"]}
    (tmp_path / "words.txt").write_text("[one] a\nx\n[one,] b\ny\n")
    with pytest.raises(ValueError, match="two tables"):
        datafiles.tables(str(tmp_path / "a.py"), "words.txt")
