"""Tables in text files beside the code."""

from pathlib import Path

import pytest

import mdtally
from mdtally.text import datafiles

TABLES = [*Path(mdtally.__file__).parent.rglob("words.txt"), *Path(mdtally.__file__).parent.rglob("columns.txt")]


def test_words_and_phrases(tmp_path: Path) -> None:
    """Words are parted by white space, in a table whose name ends in a comma by commas."""
    (tmp_path / "words.txt").write_text("[one] a\nx y\n[two,] b\nx y, z\n")
    assert datafiles.tables(str(tmp_path / "a.py"), "words.txt") == {"one": ["x", "y"], "two": ["x y", "z"]}


@pytest.mark.parametrize("path", TABLES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_no_two_tables_of_a_file_have_one_name(path: Path) -> None:
    """The first one would be lost, and what it holds be known nowhere."""
    names = [title.rstrip(",") for title, _, _ in datafiles.sections(str(path), path.name)]
    assert len(names) == len({*names})
