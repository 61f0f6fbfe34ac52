"""The walk of ``tag``: a log that is read again before each step, and the questions about its turns.

An edit that is saved meanwhile is never lost: a turn is found again by what was said, wherever it has moved, and the
file is replaced only if it is still what was read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

from mdtally import counts, files
from mdtally.cli.common import Call, granted, out
from mdtally.cli.options import fail
from mdtally.document import parse
from mdtally.model import Event, Fact
from mdtally.records import replace
from mdtally.render import safe, tag_walk
from mdtally.source import UnreadableError
from mdtally.tagging import Candidate, candidates, fact_text, place, proved, removed
from mdtally.tagging.walk import Walk, earlier_claim, offered

Key = tuple[str, str, int]
"""What a run is found again by, wherever it has moved: the message, the reply, and which of several with both."""


class Tagger:
    """A log on the disk, and the walk over it: shows turn after turn, reads keys, writes tags.

    Attributes:
        by_key: the candidates, likeliest first.
        is_sure: False if the turns, or who the person is, are a guess.
    """

    def __init__(self, path: Path, call: Call) -> None:
        self._path, self._settings, self._options = path, call.settings(path), call.options()
        self._data = b""
        self.by_key: dict[Key, Candidate] = {}
        # The tags that this walk has written, by the key of their turn, the latest last.
        self._tagged: dict[Key, str] = {}
        self._keys: list[Key] = []
        self._walk = Walk(())
        self._read()

    def walk(self, read: Callable[[], str], *, in_order: bool, start: int) -> None:
        """Ask about each turn that has no tag until all are done or the person leaves.

        Args:
            read: gives the next key.
            in_order: in the order of the log, not likeliest first.
            start: how many turns to leave out.
        """
        self._keys = sorted(self.by_key, key=lambda key: self.by_key[key].run.line) if in_order else [*self.by_key]
        self._walk = Walk([n for n, key in enumerate(self._keys) if n >= start and not self.by_key[key].events])
        shown: Key | None = None
        while True:
            self._read()
            key = None if self._walk.done else self._keys[self._walk.order[self._walk.at]]
            if key is not None and key not in self.by_key:
                out("\nthis turn was changed meanwhile, or has gone\n")
                self._walk.at += 1
                continue
            offer = ("", "")
            if key is None:
                out("\nAll turns are done.  [u] undo the last tag  [b] back  [q] quit\n> ")
            else:
                if shown != key:
                    self._show(key)
                offer = offered(self.by_key[key].run, self._walk.given)
                out(tag_walk.question(self._walk.question, offer, self._options))
            shown = key
            pressed = read()
            told = self._walk.question.answers.get(offer[0] if pressed in ("\r", "\n") else pressed)
            out(f"{told[1] if told and key is not None else safe.terminal(pressed.strip())}\n")
            got = self._walk.press(pressed, offer[0])
            if got == "quit":
                return
            if got == "undo" and not self._tagged:
                out("nothing to undo: no tag was written in this walk\n")
            elif got == "undo":
                last = [*self._tagged][-1]
                if self._untag(last):
                    self._walk.go_to(self._keys.index(last))
                shown = None
            elif got == "more" and key is not None:
                self._show(key, whole=True)
            elif got == "help":
                out(tag_walk.help_text())
            elif key is not None and (got == "none" or isinstance(got, Fact)):
                self._untag(key)  # an answer takes the place of the one before
                if isinstance(got, Fact):
                    self._tag(key, got)

    def summary(self, again: str, then: str) -> str:
        """What was done, what the log counts now, and the commands to go on with the walk, or after it."""
        shown = f"\n{tag_walk.tagged_now(len(self._tagged))} {tag_walk.totals(self._events)}\n"
        for problem in counts.read(self.document)[1]:
            if problem.severity == "error":
                shown += f"line {problem.region.line}: {safe.terminal(problem.message)}\n"
        if not self._walk.done:
            shown += f"to go on at this turn: {safe.terminal(again)} --from {self._walk.order[self._walk.at] + 1}\n"
        return f"{shown}then: {safe.terminal(then)}\n"

    @property
    def _events(self) -> tuple[Event, ...]:
        return counts.read(self.document)[0].events

    def _read(self) -> None:
        try:
            self._take(granted(files.read(self._path), self._path))
        except UnreadableError as error:
            fail(f"{self._path}: {error}")

    def _take(self, data: bytes) -> None:
        """Read the log's bytes if they are others than before."""
        if data == self._data and self.by_key:
            return
        self._data = data
        self.document = replace(parse(data), form=self._settings.transcript_for(self._path.absolute()))
        found = candidates(self.document)
        keys: dict[int, Key] = {}
        times: Counter[tuple[str, str]] = Counter()
        for one in sorted(found.ranked, key=lambda one: one.run.line):
            said = one.run.message, one.run.reply
            times[said] += 1
            keys[one.run.line] = (*said, times[said])
        self.by_key, self.is_sure = {keys[one.run.line]: one for one in found.ranked}, found.sure

    def _change(self, change: Callable[[], bytes | str]) -> str:
        """Write what is made of the log as it stands now; gives why it was not, or ""."""

        def made(data: bytes) -> bytes | str:
            try:
                self._take(data)
            except UnreadableError as error:
                return str(error)
            return change()

        written = files.edit(self._path, made, allow_outside=self._settings.allow_outside)
        if isinstance(written, files.Refusal):
            return safe.terminal(written.reason)
        self._take(written)
        return ""

    def _show(self, key: Key, *, whole: bool = False) -> None:
        one = self.by_key[key]
        others = sorted((other.run for other in self.by_key.values()), key=lambda run: run.line)
        before = [run for run in others if run.line < one.run.line and run.turns[0] not in one.run.asked]
        claim = earlier_claim(one.run, before)
        place = self._keys.index(key) + 1, len(self._keys)
        own = key in self._tagged
        out(tag_walk.turn(one, place, self._events, claim, self._options, own=own, whole=whole))

    def _tag(self, key: Key, fact: Fact) -> None:
        """Write the tag of a turn."""
        text, line = fact_text(fact), 0

        def change() -> bytes | str:
            nonlocal line
            if key not in self.by_key:
                return "this turn was changed meanwhile, or has gone; the walk goes on with the next"
            if self.by_key[key].events:
                return "this turn has a tag already; correct that one by hand"
            insertion = place(self.document, self.by_key[key].run, text)
            line = insertion.line + insertion.text.count(self.document.source.newline)
            return proved(self.document, insertion, fact.letter)

        if why := self._change(change):
            out(f"not written: {why}\n")
            return
        self._tagged[key] = text
        out(tag_walk.written(line, self.document.lines[line - 1].rstrip(), self._options))

    def _untag(self, key: Key) -> bool:
        """Take out the tag that this walk has written into a turn, if there is one; True if it has gone."""
        tag, line, shown = self._tagged.get(key), 0, ""
        if tag is None:
            return False

        def change() -> bytes | str:
            nonlocal line, shown
            found = self.by_key.get(key)
            cut = removed(self.document, found.run, tag) if found else None
            if cut is None:
                del self._tagged[key]
                return "the tag was edited or taken out meanwhile: nothing was changed"
            line, shown = cut[1], self.document.lines[cut[1] - 1].rstrip()
            return cut[0]

        if why := self._change(change):
            out(f"{why}\n")
            return False
        del self._tagged[key]
        out(tag_walk.written(line, shown, self._options, "-"))
        return True
