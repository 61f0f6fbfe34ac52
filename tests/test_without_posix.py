"""Where a system lacks what only POSIX has, files are read and written and verdicts given all the same.

Windows is not at hand: the modules and calls that it lacks are taken away, and the tests of files and verdicts run.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

TAKEN_AWAY = """
import os, sys
for name in ("fcntl", "pwd", "grp", "termios", "tty", "resource", "pty"):
    sys.modules[name] = None
for name in "fchmod fchown geteuid killpg pread listxattr getxattr setxattr".split():
    vars(os).pop(name, None)
"""
TESTS = Path(__file__).parent


def test_files_and_verdicts_do_without_posix() -> None:
    """The promises marked as portable: whole writes, a lock, and a verdict through all of it.

    Several processes are not among them: those that they start would have the modules again.
    """
    files = [str(TESTS / name) for name in ("doors/test_cli_verdict.py", "project/test_files.py")]
    arguments = [*files, "-q", "-p", "no:cacheprovider", "-n", "0", "-m", "portable"]
    code = f"{TAKEN_AWAY}\nimport pytest\nsys.exit(pytest.main({arguments!r}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout[-4000:]


def test_every_module_imports_without_posix() -> None:
    """Nothing fails to import, the walk at the terminal included."""
    code = f"""{TAKEN_AWAY}
import importlib, pkgutil, mdtally
for module in pkgutil.walk_packages(mdtally.__path__, "mdtally."):
    if not module.name.startswith(("mdtally.doors.server.", "mdtally.fleet.spark", "mdtally.__main__")):
        importlib.import_module(module.name)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
