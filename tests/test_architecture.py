"""The order of the rooms: each imports only from the rooms above it in docs/architecture.md."""

import ast
import re
from functools import cache
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
PACKAGE = PROJECT / "mdtally"

# Libraries that one room alone may import, so that replacing one is one room's work.
ONLY_IN = {
    "mistune": {"render"},
    "frontmatter": {"frontmatter", "api"},
    "yaml": {"frontmatter"},
    "tomlkit": {"settings", "toml"},
    "typer": {"cli"},
    "jinja2": {"output"},
    "markupsafe": {"output", "render"},
    "subprocess": {"command"},
    "duckdb": {"fleet"},
    "pyspark": {"fleet"},
    "pandas": {"fleet"},
    "pygls": {"server"},
    "lsprotocol": {"server"},
}


@cache
def rooms() -> list[str]:
    """The rooms in their order, as the table in the documentation lists them."""
    text = (PROJECT / "docs" / "architecture.md").read_text()
    rows = re.findall(r"^\| (`.*?) \|", text, re.MULTILINE)
    return [name.rstrip("/") for row in rows for name in re.findall(r"`([\w/]+)`", row)]


def room_of(path: Path) -> str:
    """The room a file of the package belongs to."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


@cache
def imports(path: Path) -> set[str]:
    """Every module a file imports, at its top or inside a function, by full name."""
    found = set()
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


@cache
def attributes(path: Path) -> set[str]:
    """What a file takes from something, such as `read` in `files.read`."""
    return {node.attr for node in ast.walk(parsed(path)) if isinstance(node, ast.Attribute)}


FILES = sorted(PACKAGE.rglob("*.py"))


def test_every_room_is_in_the_table() -> None:
    """A new module has a row that says what it owns; a row has a module."""
    there = {room_of(path) for path in FILES} - {"__init__", "__main__"}
    assert there | {"packs"} == set(rooms())


def test_a_room_imports_only_from_rooms_above_it() -> None:
    """The arrows point one way, and a library has one room."""
    wrong = []
    for path in FILES:
        room, order = room_of(path), rooms()
        if room in ("__init__", "__main__"):
            continue
        above = set(order[: order.index(room) + 1]) | {"__init__"}
        for name in imports(path):
            first, _, rest = name.partition(".")
            other = rest.partition(".")[0]
            is_room = (PACKAGE / f"{other}.py").exists() or (PACKAGE / other).is_dir()
            if first == "mdtally" and other and is_room and other not in above:
                wrong.append(f"{room} imports {name}, which stands below it")
            elif room not in ONLY_IN.get(first, {room}):
                wrong.append(f"{room} imports {first}")
    assert wrong == []


MODULES = {".".join(path.relative_to(PROJECT).with_suffix("").parts).removesuffix(".__init__"): path for path in FILES}
"""Every module by its full name."""


def modules_of(path: Path) -> set[str]:
    """The modules of ours that a file imports; a package only if a name of its own is taken from it."""
    found = imports(path) & MODULES.keys()
    packages = {
        node.module
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.ImportFrom)
        and node.module
        and any(f"{node.module}.{alias.name}" not in MODULES for alias in node.names)
    }
    return {name for name in found if MODULES[name].name != "__init__.py" or name in packages}


def test_no_circle_inside_a_room() -> None:
    """A file imports, at its top or inside a function, only files that do not lead back to it."""
    within = {
        name: {other for other in modules_of(path) - {name} if room_of(MODULES[other]) == room}
        for name, path in MODULES.items()
        if (room := room_of(path)) not in ("__init__", "__main__")
    }
    reached = {name: set(others) for name, others in within.items()}
    for _ in reached:
        reached = {name: others.union(*(reached[other] for other in others)) for name, others in reached.items()}
    assert [name for name, others in reached.items() if name in others] == []


def test_an_init_only_hands_on() -> None:
    """An ``__init__.py`` has a docstring and imports of what is asked for outside; what is done stands in a named file.

    That of the package itself imports each public name when it is first asked for.
    """
    readers = [*FILES, *PROJECT.glob("tests/*.py"), *PROJECT.glob("bench/*.py")]
    for path in FILES:
        if path.name == "__init__.py" and path.parent != PACKAGE:
            room = path.parent.name
            for node in parsed(path).body:
                is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
                assert is_text or isinstance(node, ast.ImportFrom), path
                for alias in node.names if isinstance(node, ast.ImportFrom) else ():
                    name = alias.asname or alias.name
                    asked = {f"mdtally.{room}.{name}", name}
                    assert any(
                        asked & (imports(reader) | attributes(reader)) for reader in readers if reader != path
                    ), f"{room} hands on {name}, for which nobody asks"


def test_no_file_is_longer_than_a_reader_can_hold() -> None:
    """At most 450 lines; what is longer is two things."""
    assert [str(path) for path in FILES if path.read_text(encoding="utf-8").count("\n") > 450] == []


# What is still there: take a name out when it is mended.
LONG_FUNCTIONS = {"turns"}
SAME_NAMES = {"Heading"}


def test_no_function_is_longer_than_a_screen() -> None:
    """At most 60 lines, signature and docstring included."""
    functions = (
        node
        for path in FILES
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )
    assert {node.name for node in functions if (node.end_lineno or 0) - node.lineno >= 60} <= LONG_FUNCTIONS


def test_no_class_has_the_name_of_another() -> None:
    """Who looks a type up finds one."""
    names = [
        node.name
        for path in FILES
        for node in parsed(path).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    ]
    assert {name for name in names if names.count(name) > 1} <= SAME_NAMES
