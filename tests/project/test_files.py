"""The disk: refusals in one line, notes replaced in one step, a log that many processes write and nobody loses from."""

import multiprocessing
import os
import re
import stat
import tempfile
from pathlib import Path
from typing import Any

import pytest
import writers
from hypothesis import given
from hypothesis import strategies as st

from mdtally.project import files
from mdtally.project.files import Refusal, write
from mdtally.project.settings import ConfigText, Settings, load

NO_ROOT = pytest.mark.skipif(getattr(os, "geteuid", lambda: 0)() == 0, reason="root may do everything")


# -- Reading ----------------------------------------------------------------------------------------------------------


def test_bytes_come_as_they_are(tmp_path: Path) -> None:
    """No decoding and no newline is touched."""
    (tmp_path / "a.md").write_bytes(b"\xef\xbb\xbfa\r\n\xff")
    assert files.read(tmp_path / "a.md") == b"\xef\xbb\xbfa\r\n\xff"


def test_what_can_not_be_read_says_why(tmp_path: Path) -> None:
    """A missing file, a folder, a pipe (which would wait for ever) and an impossible path each get their own words."""
    (tmp_path / "file").write_text("")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    for name, words in {
        "missing": "no such file",
        ".": "is a directory",
        "pipe": "not a regular file",
        "file/x": "not a directory",
        "loop": "symbolic links",
        "a\0b": "NUL",
        "x" * 300: "too long",
    }.items():
        found = files.read(tmp_path / name)
        assert isinstance(found, Refusal)
        assert words in found.reason
        assert "\n" not in found.reason


@NO_ROOT
@pytest.mark.portable
def test_no_permission_is_said(tmp_path: Path) -> None:
    """A file that may not be read or written is refused, and stays."""
    path = tmp_path / "a.md"
    path.write_text("old")
    path.chmod(0)
    assert files.read(path) == Refusal("permission denied")
    path.chmod(0o444)
    assert files.write_atomically(path, b"new", was=b"old") == Refusal("no permission to write it")
    assert path.read_text() == "old"
    path.chmod(0o644)
    tmp_path.chmod(0o555)
    try:
        # Known before anything else is done: a log has no line of a note that can't have its verdict.
        assert files.check_replace(path, was=b"old") == Refusal("no permission to write in its folder")
        assert files.write_atomically(tmp_path / "b.md", b"new", was=None) == Refusal("permission denied")
        assert files.append_line(tmp_path / "state" / "log", "x") == Refusal("permission denied")
    finally:
        tmp_path.chmod(0o755)


# -- Replacing --------------------------------------------------------------------------------------------------------


@pytest.mark.portable
def test_a_file_is_replaced_whole_and_nothing_is_left_behind(tmp_path: Path) -> None:
    """The new bytes are there, and no temporary file beside them; folders are made for a new file."""
    path = tmp_path / "new" / "a.md"
    assert files.write_atomically(path, b"one\r\n", was=None) is None
    assert files.write_atomically(path, b"two", was=b"one\r\n") is None
    assert path.read_bytes() == b"two"
    assert files.write_atomically(path, b"in pieces", was=b"two") is None
    assert path.read_bytes() == b"in pieces"
    assert [entry.name for entry in path.parent.iterdir()] == ["a.md"]


def test_mode_and_links_stay(tmp_path: Path) -> None:
    """A private file stays private, a new one gets the usual mode, and a symbolic link still leads to its file."""
    real, link = tmp_path / "real.md", tmp_path / "link.md"
    real.write_text("old")
    real.chmod(0o640)
    link.symlink_to(real)
    assert files.write_atomically(link, b"new", was=b"old") is None
    assert link.is_symlink()
    assert real.read_bytes() == b"new"
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    mask = os.umask(0o027)
    try:
        files.write_atomically(tmp_path / "b.md", b"x", was=None)
        assert stat.S_IMODE((tmp_path / "b.md").stat().st_mode) == 0o640
    finally:
        os.umask(mask)


@pytest.mark.portable
def test_a_write_that_fails_leaves_the_old_file_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk is told; the old content is whole and the temporary file gone."""
    path = tmp_path / "a.md"
    path.write_text("old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    assert files.write_atomically(path, b"new", was=b"old") == Refusal("no space left on device")
    assert path.read_text() == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.md"]


@pytest.mark.portable
def test_a_folder_is_not_replaced(tmp_path: Path) -> None:
    """Neither a folder nor a file below a file can be written."""
    assert files.write_atomically(tmp_path, b"x", was=b"") == Refusal("is a directory")
    (tmp_path / "file").write_text("")
    assert isinstance(files.write_atomically(tmp_path / "file" / "x", b"x", was=None), Refusal)


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
    """Nothing is written of one that holds a line end."""
    assert files.append_line(tmp_path / "log", "a\nb") == Refusal("a line holds no line end")
    assert not (tmp_path / "log").exists()
    assert files.append_line(tmp_path, "x") == Refusal("is a directory")


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
    run_eight(writers.append_many, path)
    lines = path.read_text().split("\n")
    assert lines.pop() == ""
    for writer in range(8):
        mine = [line for line in lines if line.startswith(f"{writer}:")]
        assert mine == [f"{writer}:{number}:" + "x" * (number * 7 % 300) for number in range(100)]
    assert len(lines) == 800


def test_read_check_append_is_one_step(tmp_path: Path) -> None:
    """Eight processes that each add a line only where it is missing add each of them once, and leave no litter."""
    path = tmp_path / "log.jsonl"
    run_eight(writers.append_once_each, path)
    assert sorted(path.read_text().split("\n")) == sorted(["", *(f"line {number}" for number in range(40))])
    assert [entry.name for entry in tmp_path.iterdir()] == ["log.jsonl"]


@NO_ROOT
@pytest.mark.portable
def test_a_lock_that_can_not_be_had_is_a_refusal(tmp_path: Path) -> None:
    """No permission on the log's folder is a value, too."""
    tmp_path.chmod(0o555)
    try:
        with files.lock_file(tmp_path / "state" / "log") as refusal:
            assert refusal == Refusal("permission denied")
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
    assert files.last_lines(tmp_path) == Refusal("is a directory")


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


def found_in(root: Path, *paths: Path, exclude: tuple[str, ...] = (), **flags: Any) -> list[str]:
    settings = Settings(exclude=exclude, folder=str(root))
    return names(files.find_markdown(paths or [root], settings.excludes, **flags).files, root)


def test_markdown_files_of_a_folder(tree: Path) -> None:
    """In one order on every machine, without what tools keep in hidden and library folders; named files as they are."""
    assert found_in(tree) == ["a.Markdown", "b.md", "sub/z.md", "sub/drafts/d.md"]
    several = [tree / "sub", tree / "c.txt", tree / "sub" / "z.md", tree / "gone.md"]
    assert found_in(tree, *several) == ["sub/z.md", "sub/drafts/d.md", "c.txt", "gone.md"]
    assert found_in(tree, tree / ".hidden") == [".hidden/x.md"]


def test_a_glob_that_the_shell_left_alone(tree: Path) -> None:
    """Quoted, it means the same files on every machine; one that means none is told, a file of that name is taken."""
    assert found_in(tree, tree / "**" / "*.md") == ["b.md", "sub/z.md", "sub/drafts/d.md"]
    assert found_in(tree, tree / "sub" / "*") == ["sub/z.md"]
    (refused,) = files.find_markdown([tree / "sub" / "[a-c]*.md"]).refused
    assert "no file fits" in refused[1].reason
    (refused,) = files.find_markdown([tree / "sub" / "[a"]).refused
    assert "never closed" in refused[1].reason
    (tree / "[a].md").write_text("")
    assert found_in(tree, tree / "[a].md") == ["[a].md"]


def test_what_git_ignores_is_left_out(tree: Path) -> None:
    """The rules of every .gitignore above and below, the last that fits; not for what is named or spared."""
    (tree / ".gitignore").write_text("# ours\n\nb.md\n/sub/drafts/\n*.tmp.md\n!keep.tmp.md\nbroken[\n")
    (tree / "sub" / ".gitignore").write_text("z.*\n")
    for name in ("x.tmp.md", "keep.tmp.md", "sub/b.md"):
        (tree / name).write_text("")
    assert found_in(tree) == ["a.Markdown", "keep.tmp.md"]
    assert found_in(tree, tree / "sub") == []
    assert found_in(tree, tree / "b.md") == ["b.md"]
    assert found_in(tree, tree / "sub" / "drafts") == ["sub/drafts/d.md"]
    assert found_in(tree, tree / "sub" / "drafts", force_exclude=True) == []
    assert "sub/drafts/d.md" in found_in(tree, is_spared=lambda path: "drafts" in path.parts)
    assert len(found_in(tree, is_spared=lambda path: True)) == 7


@NO_ROOT
def test_a_folder_that_can_not_be_read_is_named(tree: Path) -> None:
    """And the walk goes on."""
    (tree / "sub").chmod(0)
    try:
        walk = files.find_markdown([tree])
    finally:
        (tree / "sub").chmod(0o755)
    assert names(walk.files, tree) == ["a.Markdown", "b.md"]
    assert [(path.name, refusal.reason) for path, refusal in walk.refused] == [("sub", "permission denied")]


def test_a_failing_disk_is_told_and_the_walk_goes_on(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As with a folder without permission, which root can't try out."""
    real = os.scandir

    def scandir(path: object) -> object:
        if str(path).endswith("sub"):
            raise OSError(5, "Input/output error", str(path))
        return real(path)  # type: ignore[call-overload]

    monkeypatch.setattr(os, "scandir", scandir)
    walk = files.find_markdown([tree])
    assert names(walk.files, tree) == ["a.Markdown", "b.md"]
    assert [(path.name, refusal.reason) for path, refusal in walk.refused] == [("sub", "input/output error")]


def test_links_out_of_the_repository_are_not_followed(tree: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """A repository's link could show or change any file; it is told."""
    other = tmp_path_factory.mktemp("other") / "private.md"
    other.write_text("private")
    (tree / "link.md").symlink_to(other)
    walk = files.find_markdown([tree])
    assert names(walk.files, tree) == ["a.Markdown", "b.md", "sub/z.md", "sub/drafts/d.md"]
    assert [path.name for path, _ in walk.refused] == ["link.md"]
    refusal = files.write_atomically(tree / "link.md", b"x", was=b"private")
    assert refusal is not None
    assert "--allow-outside" in refusal.reason
    assert other.read_text() == "private"
    assert files.write_atomically(tree / "link.md", b"x", was=b"private", allow_outside=True) is None
    assert other.read_text() == "x"


def test_a_link_beside_its_file_is_no_second_one(tree: Path) -> None:
    """A voice would count twice on a page; alone, a link is read, too."""
    (tree / "a-link.md").symlink_to("b.md")
    (tree / "sub" / "x.md").symlink_to(tree / "b.md")
    assert names(files.find_markdown([tree]).files, tree) == ["a.Markdown", "b.md", "sub/z.md", "sub/drafts/d.md"]
    assert names(files.find_markdown([tree / "a-link.md"]).files, tree) == ["a-link.md"]


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
    ],
)
def test_globs_leave_files_out(tree: Path, glob: str, left: list[str]) -> None:
    """As in .gitignore: a name at any depth, or a path; ``**`` crosses folders, ``*`` does not."""
    assert found_in(tree, exclude=(glob,)) == left


def test_globs_hold_from_where_they_were_written(tree: Path) -> None:
    """Also where one of the project's folders is searched, and for named files where that is asked for."""
    assert found_in(tree, tree / "sub", exclude=("sub/drafts/**",)) == ["sub/z.md"]
    named = tree / "sub" / "drafts" / "d.md"
    assert found_in(tree, named, exclude=("drafts",)) == ["sub/drafts/d.md"]
    assert found_in(tree, named, exclude=("drafts",), force_exclude=True) == []


def test_a_folder_that_is_named_is_searched(tree: Path) -> None:
    """Also where the configuration leaves it out, as a file is read; not where hooks ask otherwise."""
    named = tree / "sub" / "drafts"
    assert found_in(tree, named, exclude=("sub",)) == ["sub/drafts/d.md"]
    assert found_in(tree, named, exclude=("sub",), force_exclude=True) == []


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
    assert "directory" in files.find_config(below)[0].error


@pytest.mark.skipif(getattr(os, "geteuid", lambda: 1)() != 0, reason="only root may give files away")
def test_another_users_configuration_does_not_hold(tmp_path: Path) -> None:
    """It could have been planted above the notes; it is told, and the next one above holds."""
    note = tmp_path / "a" / "b"
    note.mkdir(parents=True)
    (tmp_path / "mdtally.toml").write_text("")
    planted = tmp_path / "a" / "mdtally.toml"
    planted.write_text("[lint]\nmode = 'off'\n")
    os.chown(planted, 12345, 12345)
    near, ignored = files.find_config(note)
    assert (near.role, ignored.role) == ("project", "ignored")
    assert "another user" in ignored.error
    assert files.find_project_root(note) == tmp_path
    assert load([near, ignored])[0].mode == "warn"


@pytest.mark.parametrize(
    "mark", [".mdtally.toml", "mdtally.toml", ".git/HEAD", ".git", ".obsidian/x", "pyproject.toml"]
)
def test_the_project_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mark: str) -> None:
    """A configuration, a repository or a vault marks it; else a log that is there, else it is the note's folder, or
    the one that the command's own folder of notes is in."""
    notes = tmp_path / "project" / "notes"
    notes.mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    note = Path("..", "project", "notes", "a.md")
    assert files.find_project_root(note, "state/log.jsonl") == notes
    for made in ("sessions", "surveys"):
        assert files.find_project_root(notes / made / "a.md", "state/log.jsonl") == notes
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "log.jsonl").write_text("")
    assert files.find_project_root(note, "state/log.jsonl") == tmp_path
    (notes / "pyproject.toml").write_text("[project]\n")
    path = tmp_path / "project" / mark
    path.parent.mkdir(exist_ok=True)
    path.write_text("[tool.mdtally]\n" if mark == "pyproject.toml" else "")
    assert files.find_project_root(note) == tmp_path / "project"
    assert files.find_project_root(notes) == tmp_path / "project"


@pytest.mark.parametrize(
    "log", ["../.bashrc.jsonl", "/etc/log.jsonl", "~/log.jsonl", "~nosuch/log.jsonl", "out/l.jsonl"]
)
def test_the_log_stays_in_the_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, log: str) -> None:
    """A repository's configuration can't name a file outside; the user's own can, and a flag."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    (project / "out").symlink_to(tmp_path)
    refused = files.find_log(project / "a.md", Settings(log=log))
    assert isinstance(refused, Refusal)
    assert files.find_log(project / "a.md", Settings()) == project / "state" / "calibration-log.jsonl"
    if "nosuch" not in log:
        assert isinstance(files.find_log(project / "a.md", Settings(log=log, allow_outside=True)), Path)
        own, _ = load([ConfigText("own.toml", f"log = {log!r}\n", role="own")])
        assert isinstance(files.find_log(project / "a.md", own), Path)


def test_templates_of_the_users_come_first(tmp_path: Path) -> None:
    """A folder of the user's may override some of the templates; what is missing says where it was looked for."""
    mine, secret = tmp_path / "project" / "mine", tmp_path / "secret"
    mine.mkdir(parents=True)
    (mine / "session.md").write_bytes(b"mine\r\n")
    secret.write_text("private")
    (mine / "expert.md").symlink_to(secret)
    settings = Settings(templates=str(mine), folder=str(mine.parent))
    assert files.read_template("session", settings) == "mine\n"
    assert "## Protocol" in str(files.read_template("protocol", settings))
    for found, word in (
        (files.read_template("no-such-kind", settings), "no-such-kind.md"),
        (files.read_template("session", Settings(templates=str(mine / "gone"), folder=str(mine))), "gone"),
        (files.read_template("session", Settings(templates="~nosuchuser/x", folder=str(mine))), "nosuchuser"),
        (files.read_template("expert", settings), "--allow-outside"),
    ):
        assert isinstance(found, Refusal)
        assert word in found.reason
    assert files.read_template("expert", Settings(templates=str(mine), allow_outside=True)) == "private"


# -- What stands in the way -------------------------------------------------------------------------------------------


@pytest.mark.portable
def test_a_file_that_changed_is_not_replaced(tmp_path: Path) -> None:
    """Whoever saved it meanwhile keeps what they saved, whatever happened to the file."""
    path = tmp_path / "a.md"
    path.write_text("saved")
    assert files.write_atomically(path, b"new", was=b"read") == files.CHANGED
    assert files.write_atomically(path, b"new", was=None) == files.EXISTS
    assert path.read_text() == "saved"
    path.unlink()
    assert files.write_atomically(path, b"new", was=b"read") == files.CHANGED
    assert list(tmp_path.iterdir()) == []


def test_a_save_at_the_last_moment_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also one between the first look and the replacement, while the new content is written."""
    path = tmp_path / "a.md"
    path.write_text("read")
    real = os.fsync

    def save(descriptor: int) -> None:
        path.write_text("saved")
        real(descriptor)

    monkeypatch.setattr(os, "fsync", save)
    assert files.write_atomically(path, b"new", was=b"read") == files.CHANGED
    assert path.read_text() == "saved"
    path.unlink()
    assert files.write_atomically(path, b"new", was=None) == files.EXISTS
    assert path.read_text() == "saved"
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.md"]


def test_a_second_name_that_a_killed_run_left_is_removed(tmp_path: Path) -> None:
    """A new file takes its name by a link; what was killed before the other name went must not stop the next run."""
    path = tmp_path / "new.json"
    path.write_bytes(b"one")
    os.utime(path, (1, 1))
    os.link(path, tmp_path / ".new.json.mdtally-1-2.tmp")
    assert write.write_atomically(path, b"two", was=b"one") is None
    assert [entry.name for entry in tmp_path.iterdir()] == ["new.json"]


@pytest.mark.portable
def test_hard_links_are_refused_by_name(tmp_path: Path) -> None:
    """Replacing one name would leave the other with the old content."""
    path = tmp_path / "a.md"
    path.write_text("old")
    os.link(path, tmp_path / "b.md")
    refusal = files.write_atomically(path, b"new", was=b"old")
    assert refusal is not None
    assert "hard links" in refusal.reason
    assert path.read_text() == (tmp_path / "b.md").read_text() == "old"


@pytest.mark.skipif(not hasattr(os, "setxattr"), reason="no extended attributes here")
def test_extended_attributes_stay(tmp_path: Path) -> None:
    """Tags and access lists of a file are its owner's."""
    path = tmp_path / "a.md"
    path.write_text("old")
    try:
        os.setxattr(path, "user.tag", b"mine")
    except OSError:
        pytest.skip("this file system has none")
    assert files.write_atomically(path, b"new", was=b"old") is None
    assert os.getxattr(path, "user.tag") == b"mine"


def test_what_a_killed_run_left_is_removed(tmp_path: Path) -> None:
    """Only ours, and not while another process writes it; a pipe of such a name is not waited for."""
    path = tmp_path / "a.md"
    path.write_text("old")
    stale, fresh, other = (tmp_path / f".{name}.tmp" for name in ("a.md.mdtally-1", "a.md.mdtally-2", "b.md.mdtally-1"))
    for left in (stale, fresh, other):
        left.write_text("left")
    os.utime(stale, (1, 1))
    os.utime(other, (1, 1))
    os.mkfifo(tmp_path / ".c.md.mdtally-1.tmp")
    assert files.write_atomically(path, b"new", was=b"old") is None
    assert not stale.exists()
    assert fresh.exists()
    assert not other.exists()


def test_a_large_input_is_refused_by_its_size(tmp_path: Path) -> None:
    """A note has some thousand bytes; a gigabyte would only fill the memory."""
    path = tmp_path / "a.md"
    with path.open("wb") as file:
        file.truncate(files.LIMIT + 1)
    assert files.read(path) == Refusal("larger than 32 MB, which no note is")
    with path.open("wb") as file:
        file.truncate(100)
    assert files.read(path) == bytes(100)


@pytest.mark.parametrize("text", ["words\n", '{"a": 1}\n', "no newline"])
def test_a_line_follows_its_kind_only(tmp_path: Path, text: str) -> None:
    """What is no log is not appended to."""
    path = tmp_path / "x.jsonl"
    path.write_text(text)
    refusal = files.append_line(path, "{}", follows=lambda line: "verdict" in line)
    assert refusal is not None
    assert "its last line is none that mdtally writes" in refusal.reason
    assert path.read_text() == text


def test_a_torn_first_line_does_not_end_a_log(tmp_path: Path) -> None:
    """The very first write may have been cut short."""
    path = tmp_path / "x.jsonl"
    path.write_text('{"verd')
    assert files.append_line(path, "{}", follows=lambda line: "verdict" in line) is None
    assert path.read_text() == '{"verd\n{}\n'


def test_after_a_failed_flush_the_line_may_be_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Saying that nothing was written would be false."""

    def fail(descriptor: int) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "fsync", fail)
    refusal = files.append_line(tmp_path / "x.jsonl", "line")
    assert refusal is not None
    assert "may have been written" in refusal.reason


def test_a_lock_is_waited_for_and_its_holder_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not for ever: whoever holds it may be stuck."""
    import fcntl

    monkeypatch.setattr(write, "PATIENCE", 0.1)
    path = tmp_path / "x.jsonl"
    path.write_text("")
    descriptor = os.open(path, os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    refusal = files.append_line(path, "line")
    os.close(descriptor)
    assert refusal is not None
    assert "has held its lock for" in refusal.reason
    if Path("/proc/locks").exists():
        assert str(os.getpid()) in refusal.reason
    assert path.read_text() == ""


@pytest.mark.parametrize("error", [OSError(5, "Input/output error"), OSError(116, "Stale file handle")])
def test_only_a_file_that_is_not_there_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: OSError
) -> None:
    """A disk that fails at a look must not make an old configuration a new one."""
    path = tmp_path / "mdtally.toml"
    path.write_text("old")

    def fail(*_: object, **__: object) -> None:
        raise error

    with monkeypatch.context() as patched:
        patched.setattr(os, "stat", fail)
        patched.setattr(Path, "stat", fail)
        assert isinstance(files.status(path), Refusal)
        assert isinstance(files.write_atomically(path, b"new", was=None, allow_outside=True), Refusal)
    assert path.read_text() == "old"


def test_no_other_room_asks_the_disk_by_itself() -> None:
    """``Path.exists`` and the like take every failure for "no": only ``files`` asks, and tells them apart."""
    bare = re.compile(r"\.(?:exists|lexists|is_file|is_dir|is_symlink|isfile|isdir|islink|glob|rglob|iterdir)\(")
    package = Path(files.__file__).parents[1]
    asking = [
        f"{path.relative_to(package)}:{number}"
        for path in package.rglob("*.py")
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        # The gate's packs are files of the package itself.
        if bare.search(line) and not {"files", "gate", "packs"} & set(path.parts)
    ]
    assert asking == []


def test_a_folder_of_many_notes_is_not_listed_for_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Looking for what a killed run left costs one listing, however many notes are written."""
    listed: list[Path] = []
    glob = Path.glob
    monkeypatch.setattr(Path, "glob", lambda path, pattern: listed.append(path) or glob(path, pattern))
    for number in range(20):
        assert files.write_atomically(tmp_path / f"{number}.md", b"text\n", was=None) is None
    assert listed == [tmp_path]
