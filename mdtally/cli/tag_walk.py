"""The walk of ``tag``: a log that is read again before each step, and the questions about its turns.

An edit that is saved meanwhile is never lost: a turn is found again by what was said, wherever it has moved, and the
file is replaced only if it is still what was read.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from mdtally import counts, files
from mdtally.cli import common
from mdtally.document import parse
from mdtally.files import Refusal
from mdtally.model import Document, Event, Fact
from mdtally.records import replace
from mdtally.render import safe, tag_walk
from mdtally.render.style import Options
from mdtally.settings import Settings
from mdtally.source import UnreadableError
from mdtally.tagging import Candidate, Run, candidates, fact_text, place, proved, removed
from mdtally.tagging.walk import Walk, earlier_claim, offered

Key = tuple[str, str, int]
"""What a run is found again by, wherever it has moved: the message, the reply, and which of several with both."""

_TRIES = 3


class LostError(Exception):
    """Something that a person is told in one line: why the log can't be read, or a tag not be written."""


class Log:
    """A log on the disk.

    Attributes:
        document: as it was last read.
        by_key: its candidates.
        ranked: their keys, likeliest first.
        tagged: the tags that this walk has written, by the key of their turn, the latest last.
    """

    def __init__(self, path: Path, settings: Settings) -> None:
        self._path, self._settings = path, settings
        self._data = b""
        self.document: Document
        self.by_key: dict[Key, Candidate] = {}
        self.ranked: list[Key] = []
        self.sure = True
        self.tagged: dict[Key, str] = {}
        self.read()

    def read(self) -> None:
        """Read the file if it is another one than before.

        Raises:
            LostError: it can't be read.
        """
        data = files.read(self._path)
        if isinstance(data, Refusal):
            raise LostError(f"{self._path}: {data.reason}")
        if data != self._data or not self.by_key:
            self._data = data
            self.document = self._parsed(data)
            self.by_key, self.ranked, self.sure = _keyed(self.document)

    def _parsed(self, data: bytes) -> Document:
        try:
            document = parse(data)
        except UnreadableError as error:
            raise LostError(f"{self._path}: {error}") from error
        return replace(document, form=self._settings.transcript_for(self._path.absolute()))

    @property
    def events(self) -> tuple[Event, ...]:
        """Every event that is tagged in the log."""
        return counts.read(self.document)[0].events

    def tag(self, key: Key, fact: Fact) -> tuple[int, str]:
        """Write the tag of a turn.

        Returns:
            the number of the line that it ends, and that line.

        Raises:
            LostError: it was not written: the turn has gone or has a tag, no place for it, or the disk says no.
        """
        text = fact_text(fact)
        for _ in range(_TRIES):
            self.read()
            insertion = place(self.document, self._run(key), text)
            if self.by_key[key].events:
                raise LostError("this turn has a tag already; correct that one by hand")
            data = proved(self.document, insertion, fact.letter)
            if isinstance(data, str):
                raise LostError(data)
            if self._write(data):
                self.tagged[key] = text
                line = insertion.line + insertion.text.count(self.document.source.newline)
                return line, self.document.lines[line - 1].rstrip()
        raise LostError(f"{self._path} keeps changing; nothing was written")

    def untag(self, key: Key) -> tuple[int, str]:
        """Take out the tag that this walk has written into a turn.

        Returns:
            the number of its line, and that line as it was.

        Raises:
            LostError: it was edited or taken out meanwhile, or the disk says no.
        """
        for _ in range(_TRIES):
            self.read()
            found = self.by_key.get(key)
            cut = removed(self.document, found.run, self.tagged[key]) if found else None
            if cut is None:
                del self.tagged[key]
                raise LostError("the tag was edited or taken out meanwhile: nothing was changed")
            if self._write(cut[0]):
                del self.tagged[key]
                return cut[1], self.document.lines[cut[1] - 1].rstrip()
        raise LostError(f"{self._path} keeps changing; nothing was written")

    def _run(self, key: Key) -> Run:
        if key not in self.by_key:
            raise LostError("this turn was changed meanwhile, or has gone; the walk goes on with the next")
        return self.by_key[key].run

    def _write(self, data: bytes) -> bool:
        """Replace the file; False if it has changed since it was read."""
        refusal = files.write_atomically(self._path, data, was=self._data, allow_outside=self._settings.allow_outside)
        if refusal == files.CHANGED:
            return False
        if refusal is not None:
            raise LostError(f"{self._path}: {refusal.reason}")
        self.read()
        return True


class Asker:
    """Shows turn after turn, reads keys, writes tags."""

    def __init__(self, log: Log, keys: Sequence[Key], start: int, options: Options) -> None:
        self._log, self._keys, self._options = log, keys, options
        self._walk = Walk([n for n, key in enumerate(keys) if n >= start and not log.by_key[key].events])

    def ask(self, read: Callable[[], str]) -> None:
        """Ask until all turns are done or the person leaves; ``read`` gives the next key."""
        shown: Key | None = None
        while True:
            self._log.read()
            key = None if self._walk.done else self._keys[self._walk.order[self._walk.at]]
            if key is not None and key not in self._log.by_key:
                common.out("\nthis turn was changed meanwhile, or has gone\n")
                self._walk.at += 1
                continue
            offer = ("", "")
            if key is not None:
                if shown != key:
                    self._show(key)
                offer = offered(self._log.by_key[key].run, self._walk.given)
                common.out(tag_walk.question(self._walk.question, offer, self._options))
            else:
                common.out("\nAll turns are done.  [u] undo the last tag  [b] back  [q] quit\n> ")
            shown = key
            pressed = read()
            told = self._walk.question.answers.get(offer[0] if pressed in ("\r", "\n") else pressed)
            common.out(f"{told[1] if told and key is not None else safe.terminal(pressed.strip())}\n")
            got = self._walk.press(pressed, offer[0])
            if got == "quit":
                return
            if got == "undo":
                shown = self._undo(shown)
            elif got == "more" and key is not None:
                self._show(key, whole=True)
            elif got == "help":
                common.out(tag_walk.help_text())
            elif key is not None and (got == "none" or isinstance(got, Fact)):
                self._untag(key)  # an answer takes the place of the one before
                if isinstance(got, Fact):
                    self._tag(key, got)

    def _show(self, key: Key, *, whole: bool = False) -> None:
        one = self._log.by_key[key]
        before = [
            other.run
            for other in self._log.by_key.values()
            if other.run.line < one.run.line and other.run.turns[0] not in one.run.asked
        ]
        claim = earlier_claim(one.run, sorted(before, key=lambda run: run.line))
        place = self._keys.index(key) + 1, len(self._keys)
        own = key in self._log.tagged
        common.out(tag_walk.turn(one, place, self._log.events, claim, self._options, own=own, whole=whole))

    def _tag(self, key: Key, fact: Fact) -> None:
        try:
            line, text = self._log.tag(key, fact)
        except LostError as error:
            common.out(f"not written: {safe.terminal(str(error))}\n")
        else:
            common.out(tag_walk.written(line, text, self._options))

    def _untag(self, key: Key) -> bool:
        """Take out the tag that this walk has written into a turn, if there is one; True if it has gone."""
        if key not in self._log.tagged:
            return False
        try:
            line, text = self._log.untag(key)
        except LostError as error:
            common.out(f"{safe.terminal(str(error))}\n")
            return False
        common.out(tag_walk.written(line, text, self._options, "-"))
        return True

    def _undo(self, shown: Key | None) -> Key | None:
        """Take the last tag back and go to its turn; the turn that is shown then, None if it is to be shown anew."""
        if not self._log.tagged:
            common.out("nothing to undo: no tag was written in this walk\n")
            return shown
        key = list(self._log.tagged)[-1]
        if self._untag(key):
            self._walk.go_to(self._keys.index(key))
        return None

    def summary(self, again: str, then: str) -> str:
        """What was done, what the log counts now, and the commands to go on with the walk, or after it."""
        log, walk = self._log, self._walk
        shown = f"\n{tag_walk.tagged_now(len(log.tagged))} {tag_walk.totals(log.events)}\n"
        for problem in counts.read(log.document)[1]:
            if problem.severity == "error":
                shown += f"line {problem.region.line}: {safe.terminal(problem.message)}\n"
        if not walk.done:
            shown += f"to go on at this turn: {safe.terminal(again)} --from {walk.order[walk.at] + 1}\n"
        return f"{shown}then: {safe.terminal(then)}\n"


def _keyed(document: Document) -> tuple[dict[Key, Candidate], list[Key], bool]:
    found = candidates(document)
    in_order = sorted(found.ranked, key=lambda one: one.run.line)
    keys: dict[int, Key] = {}
    times: dict[tuple[str, str], int] = {}
    for one in in_order:
        said = one.run.message, one.run.reply
        times[said] = times.get(said, 0) + 1
        keys[one.run.line] = (*said, times[said])
    by_key = {keys[one.run.line]: one for one in found.ranked}
    return by_key, list(by_key), found.sure
