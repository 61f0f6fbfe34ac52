"""The order of the rooms: each imports only from the rooms above it in docs/architecture.md."""

import ast
import re
from functools import cache
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
PACKAGE = PROJECT / "mdtally"

# Libraries that one room, or one folder or module of it, alone may import, so that replacing one is one place's work.
ONLY_IN = {
    "mistune": {"show"},
    "frontmatter": {"text.frontmatter", "doors.api"},
    "yaml": {"text.frontmatter"},
    "tomlkit": {"project.settings", "text.toml"},
    "typer": {"doors.cli"},
    "jinja2": {"show.page"},
    "markupsafe": {"show"},
    "subprocess": {"project.command"},
    "duckdb": {"fleet"},
    "pyspark": {"fleet"},
    "pandas": {"fleet"},
    "pygls": {"doors.server"},
    "lsprotocol": {"doors.server"},
}


@cache
def rooms() -> dict[str, list[str]]:
    """The rooms in their order, each with its modules in theirs, as the table in the documentation lists them."""
    text = (PROJECT / "docs" / "architecture.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \|.*\| (.+) \|$", text, re.MULTILINE)
    return {room: [name.rstrip("/") for name in re.findall(r"`([\w/]+)`", modules)] for room, modules in rows}


def place_of(path: Path) -> tuple[str, str]:
    """The room a file of the package belongs to, and the module or folder in it; "" for what belongs to the room."""
    parts = (*path.relative_to(PACKAGE).with_suffix("").parts, "__init__")
    return parts[0], parts[1].replace("__init__", "")


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


def test_every_room_and_module_is_in_the_table() -> None:
    """A new module has its place in the row of its room; a place has a module."""
    there = {place_of(path) for path in FILES if path.parent != PACKAGE}
    listed = {(room, module) for room, modules in rooms().items() for module in modules}
    missing, gone = there - listed - {(room, "") for room in rooms()}, listed - there
    assert (missing, gone) == (set(), set()), "the table of docs/architecture.md has them not, or too many"


def test_a_module_imports_only_what_stands_before_it() -> None:
    """The arrows point one way, between rooms and inside each of them, and a library has one place."""
    order = [(room, module) for room, modules in rooms().items() for module in (*modules, "")]
    wrong = []
    for path in FILES:
        room, module = place_of(path)
        if (room, module) not in order:
            continue  # of the package itself, or missing in the table, as the test above says
        for name in imports(path):
            first, *rest = name.split(".")
            if first == "mdtally" and rest and rest[0] in rooms():
                other = (rest[0], rest[1] if tuple(rest[:2]) in order else "")
                if other != (room, "") and order.index(other) > order.index((room, module)):
                    wrong.append(f"{room}.{module} imports {name}, which stands below it")
            elif not {room, f"{room}.{module}"} & ONLY_IN.get(first, {room}):
                wrong.append(f"{room}.{module} imports {first}")
    assert wrong == []


def test_the_package_has_sixteen_entries_at_its_top() -> None:
    """Who opens the folder sees the rooms, and nothing else."""
    entries = {path.name for path in PACKAGE.iterdir()} - {"__pycache__"}
    assert entries == {*rooms(), "__init__.py", "__main__.py", "py.typed"}


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
        name: {other for other in modules_of(path) - {name} if MODULES[other].parent == path.parent}
        for name, path in MODULES.items()
    }
    reached = {name: set(others) for name, others in within.items()}
    for _ in reached:
        reached = {name: others.union(*(reached[other] for other in others)) for name, others in reached.items()}
    assert [name for name, others in reached.items() if name in others] == []


def test_an_init_only_hands_on() -> None:
    """An ``__init__.py`` has a docstring and imports of what is asked for outside; what is done stands in a named file.

    That of the package itself imports each public name when it is first asked for.
    """
    readers = [*FILES, *PROJECT.glob("tests/**/*.py"), *PROJECT.glob("bench/*.py")]
    for path in FILES:
        if path.name == "__init__.py" and path.parent != PACKAGE:
            room = ".".join(path.relative_to(PROJECT).parts[:-1])
            for node in parsed(path).body:
                is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
                assert is_text or isinstance(node, ast.ImportFrom), path
                for alias in node.names if isinstance(node, ast.ImportFrom) else ():
                    name = alias.asname or alias.name
                    asked = {f"{room}.{name}", name}
                    assert any(
                        asked & (imports(reader) | attributes(reader)) for reader in readers if reader != path
                    ), f"{room} hands on {name}, for which nobody asks"


def test_no_file_is_longer_than_a_reader_can_hold() -> None:
    """At most 450 lines; what is longer is two things."""
    assert [str(path) for path in FILES if path.read_text(encoding="utf-8").count("\n") > 450] == []


def test_no_function_is_longer_than_a_screen() -> None:
    """At most 60 lines, signature and docstring included."""
    functions = (
        node
        for path in FILES
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )
    assert [node.name for node in functions if (node.end_lineno or 0) - node.lineno >= 60] == []


def test_no_class_has_the_name_of_another() -> None:
    """Who looks a type up finds one."""
    names = [
        node.name
        for path in FILES
        for node in parsed(path).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    ]
    assert {name for name in names if names.count(name) > 1} == set()
