"""The answers of models that are kept, so that each is paid for once: a line each in ``opinions.jsonl``."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from mdtally.ask.model.prompts import Prompt
from mdtally.project import files
from mdtally.text.model import Refusal
from mdtally.text.percent import count

NAME = "opinions.jsonl"
"""The file's name, beside the calibration log."""


class KeptAnswers:
    """The kept answers of the files of a run, each beside its file's calibration log.

    Attributes:
        new: the keys of the answers that were not there at an earlier state of their file.
    """

    def __init__(
        self, place_of: Callable[[Path], Path | Refusal], label: str = "", earlier: Callable[[Path], str] | None = None
    ) -> None:
        """``label`` names the command whose answers count, "" for any; ``earlier`` gives the text of a file then."""
        self._place_of, self._label, self._earlier = cache(place_of), label, earlier
        self._read: set[Path] = set()
        self._answers: dict[str, object] = {}
        self.new: set[str] = set()
        self._unreadable: dict[Path, list[int]] = {}

    def get(self, prompt: Prompt[Any]) -> object:
        """The newest answer to a prompt; None if none is kept."""
        place = self._place_of(prompt.path)
        if isinstance(place, Path) and place not in self._read:
            self._read.add(place)
            known = set(self._earlier(place).split("\n")) if self._earlier else None
            for number, line in files.read_rows(place):
                if line is None or not isinstance(line.get("answer"), dict):
                    self._unreadable.setdefault(place, []).append(number)
                elif not self._label or line.get("command") == self._label:
                    self._take(line)
                    if known is not None and json.dumps(line, ensure_ascii=False) not in known:
                        self.new.add(_key(line))
        return self._answers.get(prompt.key)

    @property
    def faults(self) -> list[str]:
        """A sentence for each file with lines that hold no answer, such as marks of a merge conflict."""
        return [
            f"{files.relative(place, Path.cwd())}:{lines[0]}: {count(len(lines), 'line')} from here on can't be read"
            for place, lines in self._unreadable.items()
        ]

    def keep(self, prompt: Prompt[Any], answer: Mapping[str, object]) -> Refusal | None:
        """Keep an answer; gives why it could not be written."""
        question, version, shown = prompt.key.split()
        line = {"question": question, "version": int(version), "shown": shown, "command": self._label, "answer": answer}
        self._take(line)
        place = self._place_of(prompt.path)
        if isinstance(place, Refusal):
            return place
        return files.append_line(place, json.dumps(line, ensure_ascii=False), follows=lambda last: '"question"' in last)

    def _take(self, line: Mapping[str, object]) -> None:
        self._answers[_key(line)] = line.get("answer")


def _key(line: Mapping[str, object]) -> str:
    return " ".join(str(line.get(name)) for name in ("question", "version", "shown"))
