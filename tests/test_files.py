"""The disk: refusals in one line, notes replaced in one step, a log that many processes write and nobody loses from."""

import multiprocessing
import os
import stat
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdtally import files
from mdtally.files import Refusal

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="POSIX files")
NO_ROOT = pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root may do everything")


# -- Reading ----------------------------------------------------------------------------------------------------------


def test_bytes_come_as_they_are(tmp_path: Path) -> None:
    """No decoding and no newline is touched."""
    (tmp_path / "a.md").write_bytes(b"\xef\xbb\xbfa\r\n\xff")
    assert files.read(tmp_path / "a.md") == b"\xef\xbb\xbfa\r\n\xff"


@POSIX
def test_what_can_not_be_read_says_why(tmp_path: Path) -> None:
    """A missing file, a folder, a pipe (which would wait for ever) and an impossible path each get their own words."""
    (tmp_path / "file").write_text("")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    for name, words in {
        "missing": "no such file",
        ".": "a folder",
        "pipe": "not a regular file",
        "file/x": "no such file",
        "loop": "leads to itself",
        "a\0b": "NUL",
        "x" * 300: "too long",
    }.items():
        found = files.read(tmp_path / name)
        assert isinstance(found, Refusal)
        assert words in found.reason
        assert "\n" not in found.reason


@NO_ROOT
def test_no_permission_is_said(tmp_path: Path) -> None:
    """A file that may not be read or written is refused, and stays."""
    path = tmp_path / "a.md"
    path.write_text("old")
    path.chmod(0)
    assert files.read(path) == Refusal("no permission")
    path.chmod(0o444)
    assert files.write_atomically(path, b"new") == Refusal("no permission to write it")
    assert path.read_text() == "old"
    tmp_path.chmod(0o555)
    try:
        assert files.write_atomically(tmp_path / "b.md", b"new") == Refusal("no permission")
        assert files.append_line(tmp_path / "state" / "log", "x") == Refusal("no permission")
    finally:
        tmp_path.chmod(0o755)


# -- Replacing --------------------------------------------------------------------------------------------------------


def test_a_file_is_replaced_whole_and_nothing_is_left_behind(tmp_path: Path) -> None:
    """The new bytes are there, and no temporary file beside them; folders are made for a new file."""
    path = tmp_path / "new" / "a.md"
    assert files.write_atomically(path, b"one\r\n") is None
    assert files.write_atomically(path, b"two") is None
    assert path.read_bytes() == b"two"
    assert files.write_atomically(path, iter([b"in ", b"pieces"])) is None
    assert path.read_bytes() == b"in pieces"
    assert [entry.name for entry in path.parent.iterdir()] == ["a.md"]


@POSIX
def test_mode_and_links_stay(tmp_path: Path) -> None:
    """A private file stays private, a new one gets the usual mode, and a symbolic link still leads to its file."""
    real, link = tmp_path / "real.md", tmp_path / "link.md"
    real.write_text("old")
    real.chmod(0o640)
    link.symlink_to(real)
    assert files.write_atomically(link, b"new") is None
    assert link.is_symlink()
    assert real.read_bytes() == b"new"
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    mask = os.umask(0o027)
    try:
        files.write_atomically(tmp_path / "b.md", b"x")
        assert stat.S_IMODE((tmp_path / "b.md").stat().st_mode) == 0o640
    finally:
        os.umask(mask)


def test_a_write_that_fails_leaves_the_old_file_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk is told; the old content is whole and the temporary file gone."""
    path = tmp_path / "a.md"
    path.write_text("old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    assert files.write_atomically(path, b"new") == Refusal("no space is left on the disk")
    assert path.read_text() == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.md"]


def test_a_folder_is_not_replaced(tmp_path: Path) -> None:
    """Neither a folder nor a file below a file can be written."""
    assert files.write_atomically(tmp_path, b"x") == Refusal("a folder, not a file")
    (tmp_path / "file").write_text("")
    assert isinstance(files.write_atomically(tmp_path / "file" / "x", b"x"), Refusal)


# -- Appending --------------------------------------------------------------------------------------------------------


def test_lines_are_added_at_the_end(tmp_path: Path) -> None:
    """Folders and file are made; a last line that was torn off stays by itself."""
    path = tmp_path / "state" / "log.jsonl"
    assert files.append_line(path, "größe") is None
    with path.open("ab") as file:
        file.write(b'{"torn')
    assert files.append_line(path, "two") is None
    assert path.read_bytes() == 'größe\n{"torn\ntwo\n'.encode()


def test_a_line_is_one_line(tmp_path: Path) -> None:
    """A line end inside a line is a mistake of the caller's, and nothing is written."""
    with pytest.raises(ValueError, match="line end"):
        files.append_line(tmp_path / "log", "a\nb")
    assert not (tmp_path / "log").exists()
    assert files.append_line(tmp_path, "x") == Refusal("a folder, not a file")


def append_many(path: Path, writer: int) -> None:
    for number in range(100):
        assert files.append_line(path, f"{writer}:{number}:" + "x" * (number * 7 % 300)) is None


def append_once_each(path: Path, _: int) -> None:
    for number in range(40):
        with files.locked(path) as refusal:
            assert refusal is None
            if f"line {number}" not in files.last_lines(path):
                assert files.append_line(path, f"line {number}") is None


def run_eight(target: object, path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=target, args=(path, number)) for number in range(8)]  # type: ignore[arg-type]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0] * 8


def test_eight_processes_lose_nothing(tmp_path: Path) -> None:
    """Eight writers of a hundred lines each: eight hundred whole lines, each writer's in its order."""
    path = tmp_path / "log.jsonl"
    run_eight(append_many, path)
    lines = path.read_text().split("\n")
    assert lines.pop() == ""
    for writer in range(8):
        mine = [line for line in lines if line.startswith(f"{writer}:")]
        assert mine == [f"{writer}:{number}:" + "x" * (number * 7 % 300) for number in range(100)]
    assert len(lines) == 800


def test_read_check_append_is_one_step(tmp_path: Path) -> None:
    """Eight processes that each add a line only where it is missing add each of them once, and leave no litter."""
    path = tmp_path / "log.jsonl"
    run_eight(append_once_each, path)
    assert sorted(path.read_text().split("\n")) == sorted(["", *(f"line {number}" for number in range(40))])
    assert [entry.name for entry in tmp_path.iterdir()] == ["log.jsonl"]


@NO_ROOT
def test_a_lock_that_can_not_be_had_is_a_refusal(tmp_path: Path) -> None:
    """No permission on the log's folder is a value, too."""
    tmp_path.chmod(0o555)
    try:
        with files.locked(tmp_path / "state" / "log") as refusal:
            assert refusal == Refusal("no permission")
    finally:
        tmp_path.chmod(0o755)


# -- The end of a log -------------------------------------------------------------------------------------------------


@given(st.lists(st.text(st.sampled_from("aé\u2028"), max_size=8), max_size=12), st.integers(1, 60), st.booleans())
def test_the_last_lines_are_whole_lines(lines: list[str], limit: int, ended: bool) -> None:
    """Exactly those lines that lie wholly within the last bytes, in order; where none does, the last one."""
    data = "\n".join(lines).encode() + (b"\n" if ended else b"")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log"
        path.write_bytes(data)
        found = files.last_lines(path, limit)
    expected, start = [], 0
    for line in lines:
        if line and start >= len(data) - limit:
            expected.append(line)
        start += len(line.encode()) + 1
    assert list(found) == (expected or [line for line in lines if line][-1:])


def test_the_end_of_a_log_costs_the_same_however_long_it_is(tmp_path: Path) -> None:
    """A log of many megabytes is read at its end only: a hole of a gigabyte before it makes no difference."""
    path = tmp_path / "log"
    with path.open("wb") as file:
        file.seek(1 << 30)
        file.write(b"\nlast line\r\n")
    assert files.last_lines(path) == ("last line",)
    assert files.last_lines(tmp_path / "missing") == ()
    assert files.last_lines(tmp_path) == ()


# -- Finding ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in (
        "b.md",
        "a.Markdown",
        "c.txt",
        "sub/z.md",
        "sub/drafts/d.md",
        ".git/x.md",
        ".hidden/x.md",
        "node_modules/p/x.md",
        "myenv/pyvenv.cfg",
        "myenv/x.md",
        "venv/x.md",
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    return tmp_path


def names(found: list[Path], root: Path) -> list[str]:
    return [path.relative_to(root).as_posix() for path in found]


def test_markdown_files_of_a_folder(tree: Path) -> None:
    """In one order on every machine, without what tools keep in hidden and library folders; named files as they are."""
    assert names(files.find_markdown(tree), tree) == ["a.Markdown", "b.md", "sub/z.md", "sub/drafts/d.md"]
    several = files.find_markdown([tree / "sub", tree / "c.txt", tree / "sub" / "z.md", tree / "gone.md"])
    assert names(several, tree) == ["sub/z.md", "sub/drafts/d.md", "c.txt", "gone.md"]
    assert names(files.find_markdown(tree / ".hidden"), tree) == [".hidden/x.md"]


@pytest.mark.parametrize(
    ("glob", "left"),
    [
        ("drafts", ["a.Markdown", "b.md", "sub/z.md"]),
        ("drafts/", ["a.Markdown", "b.md", "sub/z.md"]),
        ("sub/drafts/**", ["a.Markdown", "b.md", "sub/z.md"]),
        ("**/drafts/*.md", ["a.Markdown", "b.md", "sub/z.md"]),
        ("sub/*", ["a.Markdown", "b.md"]),
        ("sub/*.md", ["a.Markdown", "b.md", "sub/drafts/d.md"]),
        ("./sub", ["a.Markdown", "b.md"]),
        ("*.md", ["a.Markdown"]),
        ("[a-b].*", ["sub/z.md", "sub/drafts/d.md"]),
        ("[!z].md", ["a.Markdown", "sub/z.md"]),
        ("?.md", ["a.Markdown"]),
        ("", ["a.Markdown", "b.md", "sub/z.md", "sub/drafts/d.md"]),
        ("[", ["a.Markdown", "b.md", "sub/z.md", "sub/drafts/d.md"]),
    ],
)
def test_globs_leave_files_out(tree: Path, glob: str, left: list[str]) -> None:
    """As in .gitignore: a name at any depth, or a path; ``**`` crosses folders, ``*`` does not."""
    assert names(files.find_markdown(tree, [glob]), tree) == left


def test_globs_hold_from_where_they_were_written(tree: Path) -> None:
    """A glob of the project's configuration holds, too, where one of its folders is searched."""
    assert names(files.find_markdown(tree / "sub", ["sub/drafts/**"], tree), tree) == ["sub/z.md"]
    assert names(files.find_markdown(tree / "sub", ["drafts/**"]), tree) == ["sub/z.md"]


def test_the_nearest_configuration_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The nearest folder wins; in one folder the hidden name, then the plain one, then pyproject.toml with a table."""
    monkeypatch.chdir(tmp_path)
    below = tmp_path / "x" / "y"
    below.mkdir(parents=True)
    assert not [text for text in files.find_config(below) if text.path.startswith("x")]

    def nearest() -> tuple[str, str]:
        text = files.find_config(below)[0]
        return text.path.replace("\\", "/"), text.text

    (tmp_path / "pyproject.toml").write_text("[tool.mdtally]\n")
    assert nearest() == ("pyproject.toml", "[tool.mdtally]\n")
    (tmp_path / "x" / "pyproject.toml").write_text("[tool.other]\nname = 'mdtally'\n")
    assert nearest()[0] == "pyproject.toml"
    (tmp_path / "x" / "mdtally.toml").write_bytes("\ufeff# größe\n".encode())
    assert nearest() == ("x/mdtally.toml", "# größe\n")
    (tmp_path / "x" / ".mdtally.toml").write_text("")
    assert nearest()[0] == "x/.mdtally.toml"
    (below / "pyproject.toml").write_text("[tool.mdtally\n")
    assert nearest()[0] == "x/y/pyproject.toml"
    (below / ".mdtally.toml").write_bytes(b"\xff")
    assert "UTF-8" in files.find_config(below)[0].error
    (below / ".mdtally.toml").unlink()
    (below / ".mdtally.toml").mkdir()
    assert "folder" in files.find_config(below)[0].error


def test_configurations_extend_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each path counts from the file that names it; a missing file and a circle are errors, not loops."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sub").mkdir()
    (tmp_path / "mdtally.toml").write_text('extend = "sub/one.toml"\n')
    (tmp_path / "sub" / "one.toml").write_text('extend = "../two.toml"\n')
    missing = files.find_config(tmp_path)
    assert [text.path for text in missing] == ["mdtally.toml", str(Path("sub", "one.toml")), "two.toml"]
    assert "no such file" in missing[-1].error
    assert "one.toml" in missing[-1].error
    (tmp_path / "two.toml").write_text('extend = "mdtally.toml"\n')
    circle = files.read_config(Path("mdtally.toml"))
    assert len(circle) == 4
    assert "in turn" in circle[-1].error
    assert "no such file" in files.read_config(Path("other.toml"))[0].error


@pytest.mark.parametrize("mark", [".mdtally.toml", "mdtally.toml", ".git/HEAD", ".git", "pyproject.toml"])
def test_the_project_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mark: str) -> None:
    """A configuration or a repository marks it, also a worktree's ``.git`` file; else it is the working directory."""
    notes = tmp_path / "project" / "notes"
    notes.mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    note = Path("..", "project", "notes", "a.md")
    if not [folder for folder in tmp_path.parents if (folder / ".git").exists()]:
        assert files.find_project_root(note) == tmp_path / "elsewhere"
    (notes / "pyproject.toml").write_text("[project]\n")
    path = tmp_path / "project" / mark
    path.parent.mkdir(exist_ok=True)
    path.write_text("[tool.mdtally]\n" if mark == "pyproject.toml" else "")
    assert files.find_project_root(note) == tmp_path / "project"
    assert files.find_project_root(notes) == tmp_path / "project"


def test_templates_of_the_users_come_first(tmp_path: Path) -> None:
    """A folder of the user's may override some of the templates; what is missing says where it was looked for."""
    (tmp_path / "session.md").write_bytes(b"mine\r\n")
    assert files.read_template("session", str(tmp_path)) == "mine\n"
    missing = files.read_template("no-such-kind", str(tmp_path))
    assert isinstance(missing, Refusal)
    assert "no-such-kind.md" in missing.reason
    gone = files.read_template("session", str(tmp_path / "gone"))
    assert isinstance(gone, Refusal)
    assert "gone" in gone.reason
