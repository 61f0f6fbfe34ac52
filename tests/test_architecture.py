"""The order of the rooms: each imports only from the rooms above it in docs/architecture.md."""

import ast
import re
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[1]
PACKAGE = PROJECT / "mdtally"

# Libraries that one room alone may import, so that replacing one is one room's work.
ONLY_IN = {
    "mistune": {"render"},
    "frontmatter": {"frontmatter"},
    "yaml": {"frontmatter"},
    "tomlkit": {"settings"},
    "typer": {"cli"},
    "msgspec": {"log", "series"},
    "jinja2": {"render"},
    "markupsafe": {"render"},
    "subprocess": {"command"},
    "duckdb": {"fleet"},
    "pyspark": {"fleet"},
    "pandas": {"fleet"},
    "pygls": {"server"},
    "lsprotocol": {"server"},
}


def rooms() -> list[str]:
    """The rooms in their order, as the table in the documentation lists them."""
    text = (PROJECT / "docs" / "architecture.md").read_text()
    rows = re.findall(r"^\| (`.*?) \|", text, re.MULTILINE)
    return [name.rstrip("/") for row in rows for name in re.findall(r"`([\w/]+)`", row)]


def room_of(path: Path) -> str:
    """The room a file of the package belongs to."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(path: Path) -> set[str]:
    """Every module a file imports, at its top or inside a function, by full name."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


FILES = sorted(PACKAGE.rglob("*.py"))


def test_every_room_is_in_the_table() -> None:
    """A new module has a row that says what it owns; a row has a module."""
    there = {room_of(path) for path in FILES} - {"__init__", "__main__"}
    assert there | {"packs"} == set(rooms())


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_room_imports_only_from_rooms_above_it(path: Path) -> None:
    """The arrows point one way."""
    room, order = room_of(path), rooms()
    if room in ("__init__", "__main__"):
        return
    above = set(order[: order.index(room) + 1]) | {"__init__"}
    for name in imports(path):
        parts = name.split(".")
        if (
            parts[0] == "mdtally"
            and len(parts) > 1
            and (PACKAGE / parts[1]).with_suffix(".py").exists() | (PACKAGE / parts[1]).is_dir()
        ):
            assert parts[1] in above, f"{room} imports {name}, which stands below it"
        elif parts[0] in ONLY_IN:
            assert room in ONLY_IN[parts[0]], f"{room} imports {parts[0]}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_no_file_is_longer_than_a_reader_can_hold(path: Path) -> None:
    """At most 450 lines; what is longer is two things."""
    assert path.read_text(encoding="utf-8").count("\n") <= 450
