"""Build the page without installation: a folder of files that any web server can serve.

    npm install pyodide                       # in any folder; the page was tried with 314.0.7
    python docs/try/build.py node_modules/pyodide site
    python -m http.server --directory site    # then open http://localhost:8000/

In the folder are the page, the runtime of Pyodide, mdtally's wheel, its packages as `requirements.txt` beside this
file pins them, and some examples. Nothing is loaded from anywhere else.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROJECT = HERE.parents[1]
PAGE = ("index.html", "try.js", "try.css", "worker.js", "offline.js", "bridge.py", "icon.svg")
RUNTIME = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
EXAMPLES = ("session-untagged.md", "session.md", "debate-flagged.md", "calibration-log.jsonl")


def build(pyodide: Path, site: Path, wheel: Path | None = None) -> list[str]:
    """Write the page into an empty or new folder; the names of all its files. Without a wheel, one is built."""
    missing = [name for name in RUNTIME if not (pyodide / name).is_file()]
    if missing:
        raise SystemExit(f"{pyodide} is not the folder of the npm package pyodide: {missing[0]} is not there")
    if site.exists() and any(site.iterdir()):
        raise SystemExit(f"{site} is not empty")
    for folder, names, source in (
        (site, PAGE, HERE),
        (site / "pyodide", RUNTIME, pyodide),
        (site / "examples", EXAMPLES, PROJECT / "examples"),
    ):
        folder.mkdir(parents=True, exist_ok=True)
        for name in names:
            shutil.copyfile(source / name, folder / name)
    with tempfile.TemporaryDirectory() as work:
        if wheel is None:
            pip("wheel", "--no-deps", "-w", work, str(PROJECT))
            (wheel,) = Path(work).glob("mdtally-*.whl")
        shutil.copyfile(wheel, site / wheel.name)
        target = Path(work) / "packages"
        pip("install", "--no-deps", "--no-compile", "--target", str(target), "-r", str(HERE / "requirements.txt"))
        pack(target, site / "packages.zip")
    files = sorted(str(path.relative_to(site)) for path in site.rglob("*") if path.is_file())
    digest = hashlib.sha256(b"".join((site / name).read_bytes() for name in files)).hexdigest()[:16]
    manifest = {"version": f"mdtally-{digest}", "archives": [wheel.name, "packages.zip"], "files": ["./", *files]}
    (site / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
    return files


def pip(*arguments: str) -> None:
    """Run pip, quietly."""
    subprocess.run([sys.executable, "-m", "pip", "-q", *arguments], check=True)


def pack(folder: Path, archive: Path) -> None:
    """The Python files of some packages as one archive: compiled parts are for this machine, and each does without."""
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as out:
        for path in sorted(folder.rglob("*")):
            inside = path.relative_to(folder)
            if path.is_file() and path.suffix not in (".so", ".pyd", ".pyc", ".c") and inside.parts[0] != "bin":
                out.write(path, inside)


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        raise SystemExit(f"{__doc__}\nA wheel can be named as a third argument; else it is built.")
    made = build(*map(Path, sys.argv[1:]))
    print(f"{len(made)} files, {sum((Path(sys.argv[2]) / name).stat().st_size for name in made) / 1e6:.1f} MB")
