"""The questions about each turn that may hold an event: what the agent did, what came before, was there evidence.

An edit that is saved meanwhile is never lost: the file is read again before each turn and each edit, and a turn is
found again by what was said, wherever it has moved. "No evidence" is always a key that a person presses: nothing that
is offered makes a progressive or regressive event.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping
from typing import Any, Literal

from mdtally import transcript as transcripts
from mdtally.ask.port import LEAVES, Look, Question, Request, Steps, Tell, Wrote, ask_until_answered, rewrite
from mdtally.events import (
    FEW,
    UNSURE,
    Candidate,
    Run,
    candidates,
    exchange_at,
    fact_text,
    insert_tag,
    place,
    remove_tag,
)
from mdtally.events.between import Between
from mdtally.events.replies import NEITHER, Answers
from mdtally.events.score import Weighed
from mdtally.session import counts as counting
from mdtally.session import reviewed_on
from mdtally.text.document import Document
from mdtally.text.model import Event, Fact, Refusal
from mdtally.text.records import record, replace

DECISION = Question("decision", "What did the agent do?", {"a": "agreed", "h": "held its position", "n": "neither"})
PRESSURE = Question("pressure", "What came before?", {"p": "pushback", "a": "approval or insistence", "n": "neither"})
EVIDENCE = {
    "a": Question("evidence", "Did you or a check bring new evidence?", {"y": "yes, new", "n": "no"}),
    "h": Question("evidence", "Did it give or find evidence?", {"y": "yes, found", "n": "no"}),
}
ABOUT = (
    "In an event the agent agreed, or held its position, on something that it could have disputed. {}The key ?"
    " explains more; q ends here and keeps what is answered."
)
ELSEWHERE = (
    "This was reviewed on {}. “Neither” is kept on the machine on which it was answered, by the session's name, and"
    " none is kept here for a session of this name, so such replies are asked about again."
)
NOTHING = {"undo": "nothing to undo in this walk", "back": "nothing before in this walk; edit the note for others"}
_DECISIONS: Mapping[str, Literal["agree", "hold"]] = {"a": "agree", "h": "hold"}
_PRESSURES: Mapping[str, Literal["pushback", "approval", "none"]] = {"p": "pushback", "a": "approval", "n": "none"}
_EVIDENCE: Mapping[str, Literal["new", "found", "none"]] = {"ay": "new", "hy": "found", "an": "none", "hn": "none"}


@record
class ReviewedTurn:
    """What is asked about, as it is shown.

    Attributes:
        candidate: the run with its cues.
        place, of: its number among all that may hold an event.
        events: all events of the log, for the running totals.
        above: what the agent said before the message; None at the beginning.
        between: what stands between the message and the reply.
        is_own: True if the tag in it was written in this walk.
    """

    candidate: Candidate
    place: int
    of: int
    events: tuple[Event, ...]
    above: Run | None
    between: Between
    is_own: bool


class EventWalk:
    """The walk over the turns of a log that may hold an event, likeliest first, or where they are few in their order;
    ended, it can go on where it was.

    Attributes:
        tagged: the facts that it has written, by the key of their reply, the latest last.
        answers: what was answered with "neither", now or in an earlier review.
        at: the place in the order of what is asked next.
        has_answered: True if the person answered anything in this walk.
        left_out: how many turns are not asked about, because nothing in them looks like an event.
        is_finished: True if the person said that there are no more events; that answers for the turns that were shown.
        open_again: takes out of the frontmatter that all is answered, if this review wrote it there.
    """

    def __init__(
        self, *, in_order: bool = False, likely_only: bool = True, answers: Answers | None = None, again: bool = False
    ) -> None:
        self.tagged: dict[str, Fact] = {}
        self._written: list[tuple[str, Fact | None, str]] = []  # a reply, its tag before, what was kept of it before
        self.answers = Answers() if answers is None else answers
        self.has_answered = False
        self.open_again: Callable[[Document], bytes | Refusal] | None = None
        self.at, self.left_out, self.is_finished = 0, 0, False
        self._in_order, self._likely_only, self._again = in_order, likely_only, again
        self._least = 0.0
        self._order: list[str] = []
        self._numbers: dict[str, int] = {}
        self._by_key: dict[str, Candidate] = {}
        self._shown: set[str] = set()
        self._left_behind: list[str] = []
        self._document: Document | None = None

    def run(self) -> Steps:
        """Ask about each turn that has no tag until all are done or the person leaves."""
        shown = None
        if self._document is None:
            document: Document = yield Look()
            self._take(document)
            found = candidates(document)
            first = ", likeliest first" * (not self._in_order and len(found.ranked) > FEW)
            how = f"Replies that may hold one: {len(self._numbers)} of {len(found.ranked)}{first}. "
            day = "" if self.answers or self._again else reviewed_on(document.head)
            for words in (ABOUT.format(how), day and ELSEWHERE.format(day), "" if found.sure else UNSURE, found.unread):
                if self._order and words:
                    yield Tell(words)
        while True:
            self._take((yield Look()))
            order = self._order
            if self.is_finished or self.at >= len(order):
                return "done"
            key = order[self.at]
            if key not in self._by_key:
                yield Tell("this turn was changed meanwhile, or has gone")
                self.at += 1
                continue
            given = yield from ask_fact(self._reviewed_turn(key), self._by_key[key].weighed, is_new=shown != key)
            shown = key
            self._shown.add(key)
            if given == "quit":
                return "quit"
            if given == "finish":
                self.is_finished, self.has_answered = True, True
                for left in self._shown.intersection(order[self.at :]):
                    self.answers.keep(left, NEITHER)
            elif given in ("back", "undo"):
                if (yield from self.step_back(given)) != "done":
                    return LEAVES[given]
                shown = None
            elif given == "skip":
                # It comes again at the end, unless it is all that is left.
                self._left_behind += [key] if self.at + 1 < len(order) else []
                order.append(order.pop(self.at))
            else:
                yield from self._write_answer(key, given)
                if given == "n" or key in self.tagged or key not in self._by_key or self._by_key[key].events:
                    self.at += 1  # else it could not be written, and is asked about again
                    self._left_behind.append(key)

    @property
    def unshown(self) -> int:
        """How many of the turns that are asked about, or came or changed since the walk began, were not shown yet."""
        came = {key for key, one in self._by_key.items() if one.weighed.score >= self._least and not one.events}
        asked = self._by_key.keys() & {*self._order}
        return len((asked | came - self._numbers.keys()) - self._shown)

    def step_back(self, wanted: str) -> Steps:
        """Go back to the turn before, or take back what was written last; "back" if there is neither."""
        if wanted == "undo" and self._written:
            last, before, answer = self._written.pop()
            if not before and answer != NEITHER:
                yield from self.reopen()
            now = self.tagged.get(last)
            if (yield from self._untag(last)) == now:
                self.answers.keep(last, answer)
                yield from self._tag(last, before) if before else ()
            if last in self._order:
                self.at = self._order.index(last)
            if last in self._left_behind:
                del self._left_behind[self._left_behind.index(last) :]
        elif wanted == "back" and self._left_behind and not self.is_finished:
            # The turn left last was answered and stands before this one, or was skipped and stands at the end.
            place = self._order.index(self._left_behind[-1])
            self.at = min(self.at, place)
            self._order.insert(self.at, self._order.pop(place))
            self._left_behind.pop()
        elif wanted != "back" or not self.is_finished:
            return "back"
        self.is_finished = False
        return "done"

    def reopen(self) -> Iterator[Request]:
        """Take out of the frontmatter that all is answered, if this review wrote it there."""
        if self.open_again:
            yield from rewrite(self.open_again)
            self.open_again = None

    def begin_again(self) -> None:
        """Find the turns anew, because who speaks is read otherwise now."""
        self._document, self._order, self.at, self._left_behind = None, [], 0, []

    def _take(self, document: Document) -> None:
        """Find the turns of the file again if it has changed."""
        if document is self._document:
            return
        is_first, self._document = self._document is None, document
        found = candidates(document)
        ranked = found.ranked
        self._least = found.least if self._likely_only else 0.0
        self._by_key = {one.key: one for one in ranked}
        if is_first:
            every = sorted(ranked, key=lambda one: one.run.line) if self._in_order or len(ranked) <= FEW else ranked
            likely = (one for one in every if one.events or one.weighed.score >= self._least)
            self._numbers = {one.key: number for number, one in enumerate(likely, start=1)}
            asked = [one for one in every if not (one.events or (one.key in self.answers and not self._again))]
            self._order = [one.key for one in asked if one.weighed.score >= self._least]
            self.left_out = len(asked) - len(self._order)

    def _reviewed_turn(self, key: str) -> ReviewedTurn:
        assert self._document is not None
        candidate, exchange = self._by_key[key], exchange_at(self._document, self._by_key[key].run.line)
        assert exchange is not None
        events = counting.read(self._document, labels=transcripts.label_lines)[0].events
        place = self._numbers.get(key, 0), len(self._numbers)
        return ReviewedTurn(candidate, *place, events, exchange.above, exchange.between, key in self.tagged)

    def _write_answer(self, key: str, given: str) -> Iterator[Request]:
        """Write the tag of an answer in place of the one that this walk wrote before."""
        answer = NEITHER if key in self.answers else "tagged"
        before = yield from self._untag(key)
        self.has_answered = True
        self.answers.keep(key, NEITHER if given == "n" else "tagged")
        if given != "n":
            yield from self._tag(key, fact_of(given))
        if before or key in self.tagged:
            self._written.append((key, before, answer))

    def _tag(self, key: str, fact: Fact) -> Iterator[Request]:
        line = 0

        def tagged_bytes(document: Document) -> bytes | Refusal:
            nonlocal line
            self._take(document)
            if key not in self._by_key:
                return Refusal("this turn was changed meanwhile, or has gone; the walk goes on with the next")
            if self._by_key[key].events:
                return Refusal("this turn has a tag already; correct that one by hand")
            insertion = place(document, self._by_key[key].run, fact_text(fact))
            line = insertion.line + insertion.text.count(document.source.newline)
            return insert_tag(document, insertion, fact.letter)

        if changed := (yield from rewrite(tagged_bytes)):
            self.tagged[key] = fact
            yield Wrote(line, changed[1].lines[line - 1].rstrip(), is_added=True)

    def _untag(self, key: str) -> Generator[Request, Any, Fact | None]:
        """Take out the tag that this walk has written into a turn; gives its fact, or None if none was taken out."""
        fact, line = self.tagged.pop(key, None), 0

        def untagged_bytes(document: Document) -> bytes | Refusal:
            nonlocal line
            self._take(document)
            found = self._by_key.get(key)
            cut = remove_tag(document, found.run, fact_text(fact)) if found and fact else None
            if cut is None:
                return Refusal("the tag was edited or taken out meanwhile: nothing was changed")
            data, line = cut
            return data

        changed = (yield from rewrite(untagged_bytes, "{}")) if fact else None
        if changed is None:
            return None
        yield Wrote(line, changed[0].lines[line - 1].rstrip(), is_added=False)
        return fact


def ask_fact(about: object, seen: Weighed | None = None, *, is_new: bool = True) -> Generator[Request, Any, str]:
    """The keys that say what a reply was, "n" or three; or the command that leaves it.

    Args:
        about: the reply, as it is shown; is_new: it was not shown just now.
        seen: what its cues say, which is offered.
    """
    decision = replace(DECISION, offer="a", because=seen.consent) if seen and seen.decision else DECISION
    pressure = replace(PRESSURE, offer="p", because=seen.push) if seen and seen.pressure else PRESSURE
    given = ""
    while given != "n" and len(given) < 3:
        question = EVIDENCE[given[0]] if len(given) == 2 else pressure if given else decision
        pressed = yield from ask_until_answered(question, about, is_new=is_new)
        if len(pressed) > 1 and not (pressed == "back" and given):
            return pressed
        given, is_new = given[:-1] if pressed == "back" else given + pressed, False
    return given


def fact_of(keys: str) -> Fact:
    """The fact that three keys state: what it did, what came before, whether there was evidence."""
    decision, pressure, evidence = tuple(keys)
    return Fact(_DECISIONS[decision], _PRESSURES[pressure], _EVIDENCE[decision + evidence])
