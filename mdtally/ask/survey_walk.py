"""The questions about the drawn replies of a survey, by the keys of a review; an answer goes into the survey's note."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from mdtally.ask.port import Look, Request, Steps, Tell, Wrote, ask_to_end, rewrite
from mdtally.ask.walk import ABOUT, NOTHING, ask_fact, fact_of
from mdtally.events.survey.drawing import NO_EVENT
from mdtally.events.survey.note import answer_text, read_sound_survey, set_mark, shown_items
from mdtally.session.counts.notation import fact_words
from mdtally.text.document import Document
from mdtally.text.model import Problem, Refusal


class SurveyWalk:
    """The walk over the items of a survey that have no answer yet; ended, it can go on where it was.

    ``again`` asks anew where no fact was answered, and shows what was taken over from notes.

    Attributes:
        done: the ids of the items that it has answered.
    """

    def __init__(self, *, again: bool = False) -> None:
        self.done: set[str] = set()
        self._written: list[tuple[str, str, str]] = []  # an item, its mark as it was and as it is
        self._again = again
        self._skipped: list[str] = []
        self._left_behind: list[str] = []

    def run(self) -> Steps:
        """Ask about each open item until all are answered or the person leaves."""
        shown = back_to = ""
        yield Tell(ABOUT.format(""))
        while True:
            document: Document = yield Look()
            note = read_sound_survey(document)
            if isinstance(note, Problem):
                yield Tell(f"line {note.region.line}: {note.message}")
                return "quit"
            asked = [one for one in note.ids_without_fact if one not in self.done] if self._again else note.open_ids
            skipped = [one for one in self._skipped if one in note.open_ids]
            left = [one for one in asked if one not in self._skipped] or skipped or note.open_ids
            one = back_to if back_to in note.lines else next(iter(left), "")
            mark = document.lines[note.lines[one] - 1] if one else ""
            item = next((item for item in shown_items(document, note) if item.id == one), None)
            given = yield from ask_fact(item, is_new=shown != one) if one else ask_to_end()
            shown, back_to = one, ""
            if given in ("done", "quit", "finish"):
                return "done" if given == "done" else "quit"
            if given == "undo" and self._written:
                shown, back_to = "", (yield from self._undo())
            elif given == "back" and self._left_behind:
                shown, back_to = "", self._left_behind.pop()
            elif given in ("undo", "back"):
                shown, back_to = "", one
                yield Tell(NOTHING[given])
            elif given == "skip":
                self._skipped = [*(other for other in self._skipped if other != one), one]
                self._left_behind += [one] if self._left_behind[-1:] != [one] else []
            else:
                answer = answer_text(NO_EVENT if given == "n" else fact_words(fact_of(given)))
                if (yield from self._put_answer(one, mark, f"**Answer:** {answer}")):
                    self._written.append((one, mark, f"**Answer:** {answer}"))
                    self.done.add(one)
                    self._left_behind.append(one)

    def _undo(self) -> Generator[Request, Any, str]:
        """Put the mark back that the latest answer replaced; gives its item."""
        one, was, mark = self._written.pop()
        self._left_behind = [other for other in self._left_behind if other != one]
        is_undone = yield from self._put_answer(one, mark, was, is_undone=True)
        if is_undone and all(one != other for other, *_ in self._written):
            self.done.remove(one)
        return one

    def _put_answer(self, one: str, was: str, mark: str, *, is_undone: bool = False) -> Generator[Request, Any, bool]:
        """Put another mark in place of one that still says what was shown or written; gives whether it stands there."""
        line = 0

        def answered_bytes(document: Document) -> bytes | Refusal:
            nonlocal line
            note = read_sound_survey(document)
            if isinstance(note, Problem) or one not in note.lines:
                return Refusal("this item was changed meanwhile, or has gone")
            line = note.lines[one]
            if document.lines[line - 1] != was:
                return Refusal(f"line {line} says something else meanwhile; change it by hand")
            return set_mark(document, line, mark)

        is_written = (yield from rewrite(answered_bytes)) is not None
        if is_written:
            yield Wrote(line, was if is_undone else mark, is_added=not is_undone)
        return is_written
