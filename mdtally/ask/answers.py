"""A program's answers to the re-prompts of a debate: asked for, put into the file, or kept beside it."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

from mdtally.ask.regeneration import Attempt, Regeneration, SentBack
from mdtally.project import command, files
from mdtally.text.model import Refusal, Turn
from mdtally.text.source import encode


class Asking:
    """Asks a program again for each response of a debate that the gate sends back, and puts its answers into the file.

    Attributes:
        debate: as it stands after the answers that have landed so far.
        words: the program.
        waiting: the turns to ask about. An answer that landed can make a later turn an echo of it; that one waits for
            the next run, so that no more calls are made than were announced.
        calls: how often the program was asked.
        replaced: how many responses an answer has replaced, or would replace.
        is_refused: True if an answer could not be put into the file.
        unkept: an answer that could be written nowhere, after which nothing was asked; "" if there is none.
    """

    def __init__(self, path: Path, debate: Regeneration, words: list[str], protocol: str, *, write: bool) -> None:
        self.debate, self.words, self.waiting = debate, words, [response.turn for response in debate.sent_back()]
        self.calls, self.replaced, self.is_refused, self.unkept = 0, 0, False, ""
        self._path, self._protocol, self._write = path, protocol, write

    @property
    def refusal(self) -> Refusal | None:
        """Why no answer could be put into the file, as far as that is known before one is paid for."""
        if not (self._write and self.waiting):
            return None
        was, outside = encode(self.debate.document.source), self.debate.settings.allow_outside
        return files.check_replace(self._path, was=was, allow_outside=outside)

    def ask_all(self, tell: Callable[[str], object]) -> None:
        """Ask for each flagged response in transcript order; what happens is told in sentences."""
        for number, turn in enumerate(self.waiting, 1):
            response = self.debate.still_sent_back(turn)
            if response is None:
                continue
            where = f"[{number}/{len(self.waiting)}] line {response.turn.line}, {response.turn.speaker}"
            say = partial(_say, tell, where)
            answer = self._ask(response, say)
            if answer is None:
                say("the turn stays as it was")
            elif isinstance(landed := self._land(response.turn, answer.text), Refusal):
                say(f"error: {landed.reason}")
                self.is_refused = True
                if self.unkept:
                    break
            else:
                self.replaced += 1
                # As it stands there: what had to be escaped may be judged otherwise than the answer as it came.
                left = self.debate.still_sent_back(landed)
                say(f"{'replaced' if self._write else 'would be replaced'}{', still flagged' * bool(left)}")

    def _ask(self, response: SentBack, say: Callable[[str], object]) -> Attempt | None:
        """The answer to put in a response's place: the first that passes; else, as ``lint.keep`` says, the last.

        None if no answer may stand there; why one does not pass is told.
        """
        prompt, last, settings = self.debate.prompt(response, self._protocol), None, self.debate.settings
        for call in range(1, settings.max_regenerations + 1):
            self.calls += 1
            say(f"call {call} of {settings.max_regenerations} ...")
            attempt = self.debate.attempt(response, command.ask(self.words, prompt, settings.timeout))
            if not attempt.fault:
                return attempt
            say(attempt.fault)
            last = attempt if attempt.text and settings.keep == "last" else last
        return last

    def _land(self, turn: Turn, text: str) -> Turn | Refusal:
        """Put an answer into the file as it stands now; gives the turn with it, or why it did not land."""

        def with_answer(data: bytes) -> bytes | Refusal:
            self.debate = self.debate.reread(data)
            return self.debate.put(turn, text)

        was, outside = encode(self.debate.document.source), self.debate.settings.allow_outside
        edited = files.edit(self._path, with_answer, allow_outside=outside) if self._write else with_answer(was)
        if isinstance(edited, bytes):
            same = self.debate.find(turn)
            assert same is not None
            self.debate = self.debate.reread(edited)
            return self.debate.transcript.turns[same.index - 1]
        return self._keep(turn, text, edited) if self._write else edited

    def _keep(self, turn: Turn, text: str, why: Refusal) -> Refusal:
        """Keep an answer beside the file, as it may have cost money; says so behind why it did not land."""
        name = re.sub(r"[^\w-]+", "-", turn.speaker.lower()).strip("-")[:40] or "turn"
        for number in range(1, 100):
            target = self._path.with_name(f"{self._path.stem}-{turn.index:03}-{name}-answer-{number}.md")
            refusal = files.write_atomically(target, f"{text}\n".encode(), was=None)
            if refusal != files.EXISTS:
                break
        if refusal:
            self.unkept = f"{text}\n"
            ending = f"its answer is printed, and nothing more is asked: {target}: {refusal.reason}"
            return Refusal(f"{why.reason}; {ending}")
        return Refusal(f"{why.reason}; its answer is in {target}")


def _say(tell: Callable[[str], object], where: str, what: str) -> None:
    tell(f"{where}: {what}")
