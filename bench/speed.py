"""Lint, verdict, review and `--jobs` as ratios of processor time and of the clock, in paired runs.

    python bench/speed.py small documents transcripts jobs verdict review
        [--documents FOLDER] [--transcripts FOLDER] [--against COMMAND] [--runs 5]

Each run of ours is followed by one of what it is compared with, on the same files; the medians of the ratios are
printed. `--against` is the linter to hold `lint` against, with one rule, such as "markdownlint-cli2": it is run in a
folder with a configuration that leaves MD009 alone on. `jobs` holds two processes against one on ever more files.
`review` presses keys in a chat of 2.3 MB and gives seconds of the processor from the last key of a tag to the next
question, beside those of reading the chat. Many sessions: bench/sources.py; short runs: bench/startup.py.
"""

from __future__ import annotations

import argparse
import gc
import os
import random
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from startup import DEBATE, PROGRAM, PROJECT

ALONE = """\
import frontmatter, typer

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command()
def main(path: str) -> None:
    typer.echo(frontmatter.load(path).metadata.get("kind"))


app()
"""
OURS = [sys.executable, *PROGRAM]
WORDS = "the imports cache network file test build value error branch deploy check timeout thread memory option".split()


def run(command: Sequence[str], folder: Path) -> tuple[float, float]:
    """Seconds of the processor and of the clock."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    start = time.perf_counter()
    process = subprocess.Popen(command, cwd=folder, env={**kept, "PYTHONPATH": str(PROJECT)}, **quiet)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode > 1:
        sys.exit(f"{shlex.join(command)} failed with {process.returncode}")
    return usage.ru_utime + usage.ru_stime, time.perf_counter() - start


def compare(name: str, ours: Sequence[str], other: Sequence[str], folder: Path, runs: int) -> None:
    """Print the medians of the ratios of paired runs."""
    run(ours, folder), run(other, folder)
    pairs = [(run(ours, folder), run(other, folder)) for _ in range(runs)]
    processor, clock = (statistics.median(one[at] / two[at] for one, two in pairs) for at in (0, 1))
    seconds = statistics.median(one[1] for one, _ in pairs)
    print(f"{name:<28} {seconds:6.2f} s: {processor:.2f} of the processor, {clock:.2f} of the clock", flush=True)


def copied(source: Path | None, folder: Path) -> list[str]:
    """The Markdown files of a folder, copied flat into a repository."""
    for number, path in enumerate(sorted(source.rglob("*.md")) if source else ()):
        shutil.copy(path, folder / f"{number}.md")
    return sorted((path.name for path in folder.glob("*.md")), key=lambda name: int(Path(name).stem))


def jobs(files: Sequence[str], folder: Path, runs: int) -> None:
    """Hold two processes against one on ever more files."""
    files = random.Random(1).sample(files, len(files))
    for number in (5, 10, 20, 40, 80, 160):
        if number <= len(files):
            size = sum((folder / name).stat().st_size for name in files[:number]) // 1000
            for command in ("lint", "verdict --check"):
                two, one = ([*OURS, *command.split(), "--jobs", count, *files[:number]] for count in "21")
                compare(f"{command}, {number} files, {size} kB", two, one, folder, runs)


def review(path: Path, runs: int) -> None:
    """Press keys in a large chat."""
    sys.path.insert(0, str(PROJECT))
    from mdtally.ask import Ask, EventWalk, Look, Rewrite
    from mdtally.doors.cli.asking import Terminal
    from mdtally.doors.cli.common import Call

    gc.set_threshold(200_000, 20, 20)  # as the program sets it
    chance, said = random.Random(3), ["---\nkind: session\n---\n"]
    while sum(map(len, said)) < 2_300_000:
        push = chance.choice(["No, that is wrong. Are you sure? ", "Please go on. ", "I think so. "])
        reply = chance.choice(["You're right, I missed that. ", "No. That is not the answer. ", ""])
        texts = [" ".join(chance.choices(WORDS, k=size)).capitalize() + "." for size in (40, 50, 60)]
        said += [f"**Me:** {push}{texts[0]}\n", f"**Bot:** {reply}{texts[1]}\n\n{texts[2]}\n\n```\nx = 1\n```\n"]
    path.write_text("\n".join(said), encoding="utf-8")
    begun = time.process_time()
    terminal = Terminal(path, Call())
    steps, answer, keys = EventWalk().run(), None, iter("apn" * runs + "q")
    times = []
    while True:
        try:
            request = steps.send(answer)
        except StopIteration:
            break
        if isinstance(request, Ask):
            times.append(time.process_time() - begun)
            answer, begun = next(keys), time.process_time()
        elif isinstance(request, Look):
            answer = terminal._reread()
        else:
            answer = terminal._edit(request) if isinstance(request, Rewrite) else None
    print(f"review: {times[0]:.2f} s until the first question, {statistics.median(times[3::3]):.2f} s after each tag")


def main() -> None:
    """Print a line for each comparison."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="+", choices="small documents transcripts jobs verdict review".split())
    parser.add_argument("--documents", type=Path)
    parser.add_argument("--transcripts", type=Path)
    parser.add_argument("--against", default="markdownlint-cli2")
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    print(f"{len(os.sched_getaffinity(0))} cores, Python {sys.version.split()[0]}, {time.strftime('%Y-%m-%d')}")
    for what in options.what:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / ".git").mkdir()
            (folder / ".markdownlint-cli2.yaml").write_text("config:\n  default: false\n  MD009: true\n")
            other = shlex.split(options.against)
            if what == "verdict":
                (folder / "alone.py").write_text(ALONE)
                shutil.copy(PROJECT / "examples" / "session.md", folder)
                alone = [sys.executable, "alone.py", "session.md"]
                compare("verdict", [*OURS, "verdict", "--check", "session.md"], alone, folder, 3 * options.runs)
            elif what == "review":
                review(folder / "chat.md", options.runs)
            elif what == "small":
                (folder / "debate.md").write_text(DEBATE, encoding="utf-8")
                compare(what, [*OURS, "lint", "debate.md"], [*other, "debate.md"], folder, 3 * options.runs)
            elif files := copied(options.transcripts if what == "transcripts" else options.documents, folder):
                if what == "jobs":
                    jobs(files, folder, options.runs)
                else:
                    compare(f"{what}, {len(files)} files", [*OURS, "lint", "."], [*other, "*.md"], folder, options.runs)


if __name__ == "__main__":
    main()
