"""Faults at every call of the operating system that a writing command makes, and what they leave behind.

Each command runs in a folder of its own, in a process where one call (the first write, the second, ...) is made to
fail: the process is killed before or after it, gets SIGTERM or SIGHUP, or the call gives EIO, ENOSPC, EINTR or half of
what it was asked to write. Then the folder is looked at: every earlier line of the log is there, every note and
configuration is the old one or the new one, nothing of ours lies beside them, and the next run without a fault ends
well. Where the process was killed, or removing failed, a file beside the note is left, which a later run removes.

    python bench/faults.py [COMMAND ...]
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
CALLS = ("open", "write", "fsync", "replace", "link", "mkdir", "close", "unlink", "fchmod", "ftruncate")
FAULTS = ("kill before", "kill after", "SIGTERM", "SIGHUP", "EIO", "ENOSPC", "EINTR", "half")

# Runs in the process that is to fail: counts the calls that write, and breaks the one that is asked for.
BREAKER = """
import builtins, errno, os, signal, sys
wanted, fault, place = int(sys.argv[1]), sys.argv[2], sys.argv[3]
seen = 0
CALLS = sys.argv[4].split()
def broken(name, real):
    def call(*arguments, **further):
        global seen
        if name == "open" and not arguments[1] & (os.O_WRONLY | os.O_RDWR):
            return real(*arguments, **further)
        if name in ("write",) and arguments[0] < 3:
            return real(*arguments, **further)
        seen += 1
        if seen != wanted:
            return real(*arguments, **further)
        open(place, "w").write(name)
        if fault == "kill before":
            os.kill(os.getpid(), signal.SIGKILL)
        if fault in ("EIO", "ENOSPC"):
            if name == "close":
                real(*arguments, **further)
            raise OSError(getattr(errno, fault), os.strerror(getattr(errno, fault)))
        if fault == "EINTR":
            # Python repeats a call that a signal interrupted; what reaches us is the signal's handler.
            signal.signal(signal.SIGUSR1, lambda *_: None)
            os.kill(os.getpid(), signal.SIGUSR1)
            return real(*arguments, **further)
        if fault == "half" and name == "write":
            return real(arguments[0], arguments[1][: len(arguments[1]) // 2])
        done = real(*arguments, **further)
        if fault == "kill after":
            os.kill(os.getpid(), signal.SIGKILL)
        if fault.startswith("SIG"):
            os.kill(os.getpid(), getattr(signal, fault))
        return done
    return call
from mdtally.doors.cli import main
import mdtally.project.files.write, pathlib
for name in CALLS:
    setattr(os, name, broken(name, getattr(os, name)))
code = main(sys.argv[5:])
if not os.path.exists(place):
    open(place, "w").write("")
sys.exit(code)
"""

NOTE = "---\nkind: session\n---\n\n[A_P] [A_T] [A_T]\n"
LOG = "state/calibration-log.jsonl"
DEBATE = """\
---
kind: debate
agents: [Ana, Ben]
---
## Round 1

### Ana

Launch on the ninth. The audit closes on the sixth, and both findings are fixed in the branch already.

### Ben

Great point! I agree with Ana on every count, and I have nothing to add to such a clear plan.
"""
ANSWER = (
    "Ana, the ninth ignores the trade fair: from the eighth to the tenth nobody in sales can take a call, and last "
    "year's launch brought 340 calls in two days."
)
COMMANDS = {
    "verdict": ["verdict", "session.md"],
    "new": ["new", "session", "new.md"],
    "regenerate": ["regenerate", "debate.md", "--with", f"{sys.executable} answer.py"],
    "opinion": ["lint", "debate.md", "--exit-zero", "--ask", f"{sys.executable} opinion.py"],
    "save": ["turns", "--turn", "### {speaker}", "--save", "*.md", "debate.md"],
    "dashboard": ["history", "--output-format", "markdown", "--write", "dashboard.md"],
    "report": ["report", "debate.md", "-o", "debate.html"],
    "note": ["note", "recorded.jsonl"],
    "fix": ["lint", "--fix", "wrong.md"],
    "baseline": ["lint", "--write-baseline", "baseline.json", "debate.md"],
}
SAID = """{"type": "user", "uuid": "1", "sessionId": "s", "timestamp": "2026-01-01T10:00:00Z", \
"message": {"role": "user", "content": "Sort it."}}
"""
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(PROJECT)}


def prepare(folder: Path) -> None:
    """A project with a log of one line, a note to judge, a debate and a configuration."""
    (folder / ".git").mkdir()
    (folder / "earlier.md").write_text(NOTE)
    (folder / "session.md").write_text(NOTE + "\n[A_T]\n")
    (folder / "debate.md").write_text(DEBATE)
    (folder / "mdtally.toml").write_text("# mine\n[lint]\nmode = 'warn'\n")
    (folder / "recorded.jsonl").write_text(SAID)
    (folder / "wrong.md").write_text("[A_P]\n\nA_P: 2 | A_R: 0 | A_T: 2\n")
    (folder / "answer.py").write_text(f"print({ANSWER!r})\n")
    (folder / "opinion.py").write_text("""print('{"takes_issue": "no", "send_back": "yes", "quote": "plan"}')\n""")
    (folder / "dashboard.md").write_text("# All\n\n<!-- mdtally-dashboard -->\n<!-- mdtally-dashboard-end -->\n")
    ran = run(folder, ["-m", "mdtally", "verdict", "earlier.md"])
    assert ran.returncode == 0, ran.stderr


def run(folder: Path, words: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *words], cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, check=False
    )


def contents(folder: Path) -> dict[str, str]:
    """The text of every file of the project but the breaker's own."""
    return {
        path.relative_to(folder).as_posix(): path.read_text()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != "called"
    }


def judge(before: dict[str, str], after: dict[str, str], good: dict[str, str]) -> str:
    """What is wrong with what a fault left behind; "" where nothing is."""
    for name, text in before.items():
        if name not in after:
            return f"{name} is gone"
        if name == LOG:
            if not after[name].startswith(text):
                return "an earlier line of the log is gone or torn"
            continue
        # Times differ from run to run, so a new note is known by its length and its body.
        whole = len(after[name]) == len(good[name]) and after[name][-20:] == good[name][-20:]
        if after[name] != text and not whole:
            return f"{name} is neither the old one nor the new one"
    return ""


def main() -> None:
    """Print a row for each command and fault: how many calls were broken, and what was found."""
    chosen = sys.argv[1:] or list(COMMANDS)
    failed = 0
    for label in chosen:
        with tempfile.TemporaryDirectory() as name:
            prepare(Path(name))
            before = contents(Path(name))
            run(Path(name), ["-c", BREAKER, "0", "none", "called", " ".join(CALLS), *COMMANDS[label]])
            good = contents(Path(name))
        for fault in FAULTS:
            found: Counter[str] = Counter()
            broken = 0
            for number in range(1, 1000):
                with tempfile.TemporaryDirectory() as name:
                    folder = Path(name)
                    prepare(folder)
                    old = contents(folder)
                    ran = run(folder, ["-c", BREAKER, str(number), fault, "called", " ".join(CALLS), *COMMANDS[label]])
                    called = (folder / "called").read_text()
                    if not called:
                        break
                    broken += 1
                    wrong = judge(old, contents(folder), {**before, **good})
                    if "Traceback" in ran.stderr or "bug" in ran.stderr:
                        wrong = wrong or "a bug is told"
                    litter = [path for path in contents(folder) if path.endswith(".tmp")]
                    if litter and not fault.startswith("kill") and called != "unlink":
                        wrong = wrong or "a file is left beside"
                    again = run(folder, ["-m", "mdtally", *COMMANDS[label]])
                    if again.returncode == 2 and "exists" not in again.stderr:
                        wrong = wrong or "the next run fails"
                    if label == "verdict" and again.returncode == 0:
                        lines = (folder / LOG).read_text().split("\n")
                        ids = [line for line in lines if '"session.md"' in line and line.endswith("}")]
                        if len(ids) != 1:
                            wrong = wrong or f"{len(ids)} lines of one verdict"
                    if wrong:
                        found[f"{called}: {wrong}"] += 1
            failed += sum(found.values())
            said = "; ".join(f"{count} x {what}" for what, count in found.items()) or "all well"
            print(f"{label:<11} {fault:<12} {broken:>3} calls  {said}", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
