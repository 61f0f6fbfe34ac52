"""The questions about the drawn replies of a survey, by the keys of a review; an answer goes into the survey's note."""

from __future__ import annotations

from mdtally.ask.port import Look, Steps, Tell, Wrote, ask_to_end, rewrite
from mdtally.ask.walk import NOTHING, ask_fact, fact_of
from mdtally.events.survey.drawing import NO_EVENT
from mdtally.events.survey.note import answer_text, read_survey, set_answer, shown_items
from mdtally.session.counts.notation import fact_words
from mdtally.text.document import Document
from mdtally.text.model import Problem, Refusal


class SurveyWalk:
    """The walk over the items of a survey that have no answer yet; ended, it can go on where it was.

    Attributes:
        done: the ids of the items that it has answered, the latest last.
    """

    def __init__(self) -> None:
        self.done: list[str] = []
        self._skipped: set[str] = set()
        self._left_behind: list[str] = []

    def run(self) -> Steps:
        """Ask about each open item until all are answered or the person leaves."""
        shown, back_to = "", ""
        while True:
            document: Document = yield Look()
            note = read_survey(document)
            if isinstance(note, Problem) or any(one.severity == "error" for one in note.problems):
                wrong = note if isinstance(note, Problem) else note.problems[0]
                yield Tell(f"line {wrong.region.line}: {wrong.message}")
                return "quit"
            left = [one for one in note.open_ids if one not in self._skipped] or note.open_ids
            one = back_to or next(iter(left), "")
            if not one:
                ending = yield from ask_to_end()
                if ending not in ("back", "undo") or not self.done:
                    return "done" if ending == "done" else "quit"
                back_to = (self._step_back() if ending == "back" else "") or self.done[-1]
                yield from self._put_answer(back_to, "") if ending == "undo" else ()
                continue
            item = next((item for item in shown_items(document, note) if item.id == one), None)
            given = yield from ask_fact(item, is_new=shown != one)
            shown, back_to = one, ""
            if given in ("quit", "finish"):
                return "quit"
            if given == "undo" and self.done:
                shown, back_to = "", self.done.pop()
                self._left_behind = [other for other in self._left_behind if other != back_to]
                yield from self._put_answer(back_to, "")
            elif given == "undo":
                shown, back_to = "", one
                yield Tell(NOTHING["undo"])
            elif given == "back":
                shown, back_to = "", self._step_back() or one
            elif given == "skip":
                self._skipped.add(one)
                self._left_behind += [one] if self._left_behind[-1:] != [one] else []
            else:
                answer = NO_EVENT if given == "n" else fact_words(fact_of(given))
                yield from self._put_answer(one, answer_text(answer))
                self.done = [*(other for other in self.done if other != one), one]
                self._left_behind.append(one)

    def _step_back(self) -> str:
        """The item that was answered or skipped last before this one; "" if there is none."""
        return self._left_behind.pop() if self._left_behind else ""

    def _put_answer(self, one: str, answer: str) -> Steps:
        """Put an answer into the note, or take it out."""
        line = 0

        def answered_bytes(document: Document) -> bytes | Refusal:
            nonlocal line
            note = read_survey(document)
            if isinstance(note, Problem) or one not in note.lines:
                return Refusal("this item was changed meanwhile, or has gone")
            line = note.lines[one]
            return set_answer(document, line, answer)

        if document := (yield from rewrite(answered_bytes)):
            yield Wrote(line, document.lines[line - 1], is_added=bool(answer))
        return "done"
