"""What the page calls: the command line, and the walk over a log's turns. Each function gives a text, mostly JSON."""

from __future__ import annotations

import contextlib
import io
import json
from pathlib import Path
from typing import Any

from mdtally import files
from mdtally.cli import main
from mdtally.document import parse
from mdtally.model import Document, Refusal
from mdtally.review import Ask, Edit, EventWalk, Look, ReviewedTurn, Steps, Tell, Wrote

KEYS = {"s": "skip", "b": "back", "u": "undo", "q": "stop here"}
"""What can be pressed at every question, beside its answers."""

_walks: dict[str, PageWalk] = {}


def run(arguments: str) -> str:
    """Run a command line, given as a JSON list: its exit code and its two streams."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(json.loads(arguments))
    return json.dumps({"code": int(code or 0), "out": out.getvalue(), "err": err.getvalue()})


def begin(path: str, start: int) -> str:
    """Begin a walk over a log's turns, likeliest first, at one of them (0 is the first): what is asked first."""
    _walks[path] = PageWalk(Path(path), start)
    return _walks[path].go_on(None)


def answer(path: str, key: str) -> str:
    """Give the key of an answer to a walk: what is asked next."""
    return _walks[path].go_on(key)


class PageWalk:
    """A walk over the turns of a log, answered from the page."""

    def __init__(self, path: Path, start: int) -> None:
        self._path, self._data = path, b""
        self._document = self._read()
        self._steps: Steps = EventWalk(start=start).run()

    def go_on(self, key: str | None) -> str:
        """What is asked next, with what is told before; at its end only what is told."""
        said: list[str] = []
        reply: Any = key
        while True:
            try:
                request = self._steps.send(reply)
            except StopIteration:
                return json.dumps({"ended": True, "said": said})
            reply = None
            if isinstance(request, Ask):
                return json.dumps({"ended": False, "said": said, **_asked(request)})
            if isinstance(request, Look):
                reply = self._read()
            elif isinstance(request, Edit):
                reply = self._edit(request)
            elif isinstance(request, Tell):
                said.append(request.message)
            elif isinstance(request, Wrote):
                now = "now reads" if request.is_added else "was, before the tag was taken out"
                said.append(f"Line {request.line} {now}: {request.text}")

    def _read(self) -> Document:
        data = files.read(self._path)
        if isinstance(data, Refusal):
            raise OSError(f"{self._path}: {data.reason}")
        return self._taken(data)

    def _taken(self, data: bytes) -> Document:
        if data != self._data:
            self._data, self._document = data, parse(data)
        return self._document

    def _edit(self, request: Edit) -> Document | Refusal:
        written = files.edit(self._path, lambda data: request.make(self._taken(data)))
        return written if isinstance(written, Refusal) else self._taken(written)


def _asked(request: Ask) -> dict[str, Any]:
    question = request.question
    fields = ("name", "asks", "offer", "because")
    return {
        "question": {name: getattr(question, name) for name in fields} | {"answers": dict(question.answers)},
        "keys": {key: words for key, words in KEYS.items() if key not in question.answers},
        "about": _about(request.about) if isinstance(request.about, ReviewedTurn) else [],
    }


def _about(turn: ReviewedTurn) -> list[dict[str, str]]:
    run = turn.candidate.run
    parts = [
        (f"turn {turn.place} of {turn.of}, line {run.line}", ""),
        (f"Earlier the agent said (line {turn.claim_line})", turn.claim),
        ("You said", run.message),
        ("Between", turn.between.words),
        ("The agent replied", run.reply),
    ]
    return [{"title": title, "text": text} for title, text in parts if text or not title.startswith("Earlier")]
