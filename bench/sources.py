"""How long ``mdtally note`` takes over many recorded sessions and over a large export, and how much memory.

    python bench/sources.py [--sessions 1000] [--gigabytes 1] [--conversations 5000]

makes sessions of 100 turns as Codex records them, and a ChatGPT export of that size with so many conversations of
different lengths, in a temporary folder. It prints for each command its time by the clock, its processor time over all
its processes, and the highest memory of the first one.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
WORDS = (
    "the retry loop holds when the limit fails because a queue is never full and I looked at src/app.py again so that"
    " each test of the parser waits for what was read before it writes another line to the log of this session"
).split()


def words(chance: random.Random, number: int) -> str:
    """So many words, in lines of prose, some of them code."""
    text = " ".join(chance.choices(WORDS, k=number)).capitalize()
    return f"{text}.\n\n```python\nx = [{number}]\n```\n\nThat is all." if number > 60 else f"{text}."


def sessions(folder: Path, number: int) -> None:
    """Rollouts of 100 turns: a prompt, a call of a tool, an answer, each written as event and as item."""
    for each in range(number):
        chance, lines = random.Random(each), list[object]()
        lines.append({"type": "session_meta", "payload": {"id": f"{each:08x}-0000", "cwd": str(folder / "project")}})
        for turn in range(50):
            time_ = f"2026-02-{1 + each % 28:02}T10:{turn:02}:00.000Z"
            prompt, answer = words(chance, 20), words(chance, 150)
            call = {"type": "function_call", "name": "shell", "arguments": json.dumps({"command": ["ls", "src"]})}
            output = {"type": "function_call_output", "output": words(chance, 400)}
            said = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": answer}]}
            lines += [
                {"type": "event_msg", "timestamp": time_, "payload": {"type": "user_message", "message": prompt}},
                *({"type": "response_item", "timestamp": time_, "payload": item} for item in (call, output, said)),
                {"type": "event_msg", "timestamp": time_, "payload": {"type": "agent_message", "message": answer}},
            ]
        path = folder / f".codex/sessions/2026/02/{1 + each % 28:02}/rollout-2026-02-01T10-00-00-{each:08x}-0000.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))


def conversations(number: int, size: int) -> Iterator[str]:
    """Conversations of an export that together have so many bytes; one in a hundred is twenty times as long."""
    chance = random.Random(1)
    weights = [20 if each % 100 == 99 else 1 for each in range(number)]
    for each, weight in enumerate(weights):
        wanted, written, nodes, before = size * weight // sum(weights), 0, dict[str, object](), None
        while written < wanted:
            name, is_person = f"{each}-{len(nodes)}", len(nodes) % 2 == 0
            message = {
                "id": name,
                "author": {"role": "user" if is_person else "assistant", "name": None, "metadata": {}},
                "create_time": 1.7e9 + each * 3600 + len(nodes),
                "content": {"content_type": "text", "parts": [words(chance, 30 if is_person else 200)]},
                "status": "finished_successfully",
                "recipient": "all",
                "metadata": {"model_slug": "gpt-9", "request_id": "0" * 40},
            }
            nodes[name] = {"id": name, "parent": before, "children": [], "message": message}
            written += len(json.dumps(nodes[name]))
            before = name
        whole = {"title": f"Chat {each}", "create_time": 1.7e9 + each * 3600, "current_node": before}
        yield json.dumps({**whole, "conversation_id": f"c{each}", "mapping": nodes})


def measured(folder: Path, *command: str) -> None:
    """Run a command in the project's folder and print its time and memory."""
    environment = {**os.environ, "HOME": str(folder), "PYTHONPATH": str(PROJECT)}
    started, before = time.perf_counter(), os.times()
    script = "import resource, sys; from mdtally.doors.cli import main; code = main(sys.argv[1:]); " + (
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr); sys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *command],
        cwd=folder / "project",
        env=environment,
        capture_output=True,
        text=True,
    )
    seconds, after = time.perf_counter() - started, os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    lines = done.stderr.strip().split("\n")
    said = done.stdout.strip().split("\n")[-1][:60]
    shown = " ".join(command).replace(f"{folder}/", "")
    memory = int(lines[-1]) / 1024
    print(
        f"mdtally {shown}: {seconds:.1f} s ({used:.1f} s used), {memory:.0f} MB; {done.returncode}; {said}", flush=True
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--sessions", type=int, default=1000)
    parser.add_argument("--gigabytes", type=float, default=1)
    parser.add_argument("--conversations", type=int, default=5000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        (folder / "project/.git").mkdir(parents=True)
        sessions(folder, given.sessions)
        export = folder / "conversations.json"
        longest = 0
        with export.open("w") as file:
            for each, text in enumerate(conversations(given.conversations, int(given.gigabytes * 1e9))):
                file.write(("[" if each == 0 else ", ") + text)
                longest = max(longest, len(text))
            file.write("]")
        size = export.stat().st_size / 1e6
        about = f"an export of {size:.0f} MB, its longest chat {longest / 1e6:.1f} MB"
        print(f"{given.sessions} sessions of 100 turns; {about}", flush=True)
        measured(folder, "note", "--all")
        measured(folder, "note", "--all")
        measured(folder, "note", "--list")
        (folder / "project/mdtally.toml").write_text('[note]\nfolder = "chats"\n')
        measured(folder, "note", "--list", "--from", str(export), "--match", "nothing-holds-this")
        measured(folder, "note", "--all", "--from", str(export))
        measured(folder, "note", "--all", "--from", str(export))


if __name__ == "__main__":
    main()
