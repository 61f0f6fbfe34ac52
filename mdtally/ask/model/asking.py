"""Asking a model: what is kept is taken, the rest is noted and asked, and what fails leaves things as they were."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from mdtally.ask.model.kept import KeptAnswers
from mdtally.ask.model.prompts import Prompt
from mdtally.text.model import Refusal
from mdtally.text.regex import regex

Answer = TypeVar("Answer")

# "```json", an object, "```"
_FENCED = regex(r"\s*```(?:json)?[ \t]*\n(.*?)\n?```\s*", re.DOTALL)

_LONGEST = 10_000
"""Characters of an answer that is kept though it can't be used."""


def label_of(words: Sequence[str]) -> str:
    """A name for a command that gives no secret of it away: its program, and a hash of all its words."""
    import hashlib

    digest = hashlib.sha256("\0".join(words).encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{words[0].replace(chr(92), '/').rpartition('/')[2]} {digest}"


class Model:
    """Answers questions from the kept answers, and notes the others for a command to be asked.

    Attributes:
        wanted: by key, the prompts to which no answer is kept, and that were not asked.
        used: by key, the prompts to which an answer was kept or given.
        answered: how many of the command's answers could be used.
        failed: by prompt, "place: why" of each answer that could not, was not kept, or is kept and can't be.
    """

    def __init__(self, kept: KeptAnswers) -> None:
        self._kept = kept
        self.wanted: dict[str, Prompt[Any]] = {}
        self.used: dict[str, Prompt[Any]] = {}
        self.answered = 0
        self.failed: dict[str, str] = {}
        self._asked: set[str] = set()

    def __call__(self, prompt: Prompt[Answer]) -> Answer | None:
        """The answer to a prompt; None where there is none, or none yet."""
        found = self.answer_to(prompt)
        # A person can edit the file: what is kept is read as strictly as what is answered.
        answer = None if found is None else prompt.read(found)
        if isinstance(answer, Refusal) and prompt.key not in self._asked:
            self.failed[prompt.key] = f"{prompt.place}: a kept answer: {answer.reason}; it stays as it was without it"
        elif answer is not None:
            self.failed.pop(prompt.first, None)
        if answer is None or (isinstance(answer, Refusal) and not prompt.keeps_all):
            self.wanted |= {} if prompt.key in self._asked else {prompt.key: prompt}
            return None
        self.wanted.pop(prompt.key, None)
        self.used[prompt.key] = prompt
        return None if isinstance(answer, Refusal) else answer

    def answer_to(self, prompt: Prompt[Any]) -> Mapping[str, object] | None:
        """What was answered to a prompt, whether it can be used or not; None where nothing is kept."""
        found = self._kept.get(prompt)
        return found if isinstance(found, Mapping) else None

    @property
    def faults(self) -> list[str]:
        """What is wrong with answers, given or kept, in sentences."""
        return [*self._kept.faults, *self.failed.values()]

    @property
    def brought(self) -> list[str]:
        """The places of the answers that were used and were not kept at the earlier state."""
        return [prompt.place for key, prompt in self.used.items() if key in self._kept.new]

    def ask(
        self, prompts: Sequence[Prompt[Any]], answers: Callable[[Iterable[str]], Iterator[tuple[int, str | Refusal]]]
    ) -> None:
        """Ask prompts of a command, which gives with each answer the index of its prompt, and keep what can be used."""
        for prompt in prompts:
            self._asked.add(prompt.key)
            self.wanted.pop(prompt.key, None)
        for place, output in answers(prompt.text for prompt in prompts):
            prompt = prompts[place]
            answer = output if isinstance(output, Refusal) else object_in(output)
            found = answer if isinstance(answer, Refusal) else prompt.read(answer)
            if isinstance(found, Refusal):
                self.failed[prompt.key] = f"{prompt.place}: {found.reason}; it stays as it was without it"
            else:
                self.answered += 1
                for key in (prompt.key, prompt.first):
                    self.failed.pop(key, None)
            if isinstance(output, Refusal) or isinstance(answer, Refusal):
                continue
            if isinstance(found, Refusal) and (not prompt.keeps_all or len(output) > _LONGEST):
                continue
            if refusal := self._kept.keep(prompt, answer):
                self.failed[prompt.key] = f"{prompt.place}: its answer is used, but was not kept: {refusal.reason}"
        places = {prompt.key: place for place, prompt in enumerate(prompts)}  # answers come in any order
        self.failed = dict(sorted(self.failed.items(), key=lambda one: places.get(one[0], -1)))


def object_in(text: str) -> Mapping[str, object] | Refusal:
    """The one JSON object that an answer holds, alone or in a code fence."""
    fenced = _FENCED.fullmatch(text)
    try:
        found = json.loads(fenced[1] if fenced else text)
    except (ValueError, RecursionError):
        found = None
    return found if isinstance(found, dict) else Refusal("the answer is not one JSON object")
