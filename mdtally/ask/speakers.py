"""The questions about who speaks: which reading is right if that is unsure, and then which voice is the person.

What is answered goes into the frontmatter as one edit, after the last of the two questions, and can be taken back.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Any

from mdtally import transcript
from mdtally.ask.paragraphs import ParagraphWalk
from mdtally.ask.port import LEAVES, Look, Propose, Question, Request, Steps, Tell, ask_until_answered, rewrite
from mdtally.check import settling
from mdtally.check.readings import left_over, with_values
from mdtally.check.settling import Offer
from mdtally.events.replies import keys_of
from mdtally.text.document import Document
from mdtally.text.model import Refusal, Source
from mdtally.text.records import record, replace
from mdtally.text.source import encode

NOBODY, NO_READING, ASK_MODEL = "n", "n", "a"
SKIPS = ("skip", "finish")
BY_PARAGRAPH = "w"
UNMARKED = "e"
MOST = 9
"""How many things can be chosen by one key."""


@record
class OfferedReadings:
    """Readings to choose from, or one in which the person is to be named, with the lines of the file."""

    offers: tuple[Offer, ...]
    lines: tuple[str, ...]


class WhoSpeaks:
    """The step that settles who speaks; ended, it asks again only what is still open.

    Attributes:
        written: what the file was and what it became, for each edit, the latest last.
    """

    def __init__(self, model: str = "") -> None:
        """``model`` is the name of one that can be asked for a reading; "" if there is none."""
        self._model = model
        self.written: list[tuple[Source, Source]] = []
        self._skipped: list[str] = []

    def run(self) -> Steps:
        """Ask what is open; "quit" also if there is nothing that could be reviewed."""
        while True:
            document: Document = yield Look()
            read = transcript.read(document)
            has_turns, offer = bool(read.turns), None
            is_open = settling.every_offer(document) or not has_turns or read.unsure
            if "reading" not in self._skipped and is_open:
                answer = yield from _reading(document, self._model)
                if answer == BY_PARAGRAPH:
                    walk = ParagraphWalk(document, keys_of(document.source.text))
                    ending = yield from walk.run()
                    if walk.written:
                        self.written.append(walk.written)
                    if ending in ("done", "back"):
                        continue
                    return ending
                if isinstance(answer, Offer):
                    offer = answer
                elif answer in SKIPS and has_turns:
                    self._skipped.append("reading")
                else:
                    return LEAVES.get(answer, "quit")
            ending = yield from self._person(document, offer)
            if not (offer and ending == "back"):
                return ending

    def back(self) -> Steps:
        """Take back what was written last, or else what was skipped; "back" if there is neither."""
        if self.written:
            before, after = self.written.pop()

            def earlier_bytes(document: Document) -> bytes | Refusal:
                now = document.source
                if now.head != after.head or (before.body != after.body and now.body != after.body):
                    return Refusal("the file was edited meanwhile: nothing was taken back")
                body = before.body if before.body != after.body else now.body
                return encode(replace(now, head=before.head, head_format=before.head_format, body=body))

            what = "the frontmatter is" if before.body == after.body else "the labels are taken out, and the file is"
            if (yield from rewrite(earlier_bytes, "{}")):
                yield Tell(f"{what} as it was")
        elif self._skipped:
            self._skipped.pop()
        else:
            return "back"
        return "done"

    def _person(self, document: Document, offer: Offer | None) -> Steps:
        """Ask which voice is the person if nothing tells, and write down what was answered."""
        named = None if "person" in self._skipped else open_offer(document, offer)
        if named:
            question = person_question(named)
            pressed = yield from ask_until_answered(question, OfferedReadings((named,), document.lines))
            if pressed in LEAVES:
                return LEAVES[pressed]
            if pressed == NOBODY:
                yield Tell("then nobody could be given in to; `mdtally lint` and `mdtally report` look at debates")
                return "quit"
            if pressed in SKIPS:
                self._skipped.append("person")
            else:
                chosen = settling.naming(named, list(named.voices)[int(pressed) - 1])
                offer = chosen if isinstance(chosen, Offer) else offer
        if offer:
            yield from self._keep(offer)
        return "done"

    def _keep(self, offer: Offer) -> Iterator[Request]:
        """Write into the frontmatter how the file is read."""
        changed = yield from rewrite(lambda document: with_values(document, settling.values_of(offer)), "not kept: {}")
        if changed is None:
            self._skipped += ["reading", "person"]
        else:
            before, after = changed
            self.written.append((before.source, after.source))
            yield Tell("its frontmatter says now how it is read")
            for one in left_over(after):
                yield Tell(one)


def open_offer(document: Document, offer: Offer | None) -> Offer | None:
    """The reading of a document, or one that is offered, if nothing tells who the person is in it; else None."""
    read = transcript.read(document)
    if not settling.unknown_voices(offer.turns if offer else read.turns):
        return None
    return offer or (None if settling.needs_no_person(document) else settling.reading_again(document))


def reading_question(offers: tuple[Offer, ...], model: str = "") -> Question:
    """Which of some readings is right; what a model proposes is never the answer that is offered."""
    answers: dict[str, str] = {}
    for number, offer in enumerate(offers, start=1):
        voices = ", ".join(f"{name} {turns}" for name, turns in offer.voices.items())
        answers[str(number)] = voices + f" (proposed by {offer.proposed_by})" * bool(offer.proposed_by)
    if model:
        answers[ASK_MODEL] = f"ask {model} for one more, which gets lines of this file"
    answers[NO_READING] = "none: show me lines"
    offered = ("1", "the likeliest") if offers and not offers[0].proposed_by else ("", "")
    return Question("reading", "Who speaks is not sure. Which reading is right?", answers, *offered)


def person_question(offer: Offer) -> Question:
    """Which voice is the person."""
    voices = {str(number): name for number, name in enumerate(list(offer.voices)[:MOST], start=1)}
    return Question("person", "Which voice is the person?", {**voices, NOBODY: "nobody: all are agents"})


def _reading(document: Document, model: str) -> Generator[Request, Any, Offer | str]:
    """The reading that is chosen, proposed or pointed at, or what else was asked for."""
    offers = settling.every_offer(document)
    while offers or model:
        about = OfferedReadings(offers, document.lines)
        pressed = yield from ask_until_answered(reading_question(offers, model), about)
        if pressed == ASK_MODEL:
            model, answer = "", (yield Propose())
            if isinstance(answer, Refusal):
                yield Tell(answer.reason)
            elif any(answer.turns == offer.turns for offer in offers):
                yield Tell("it proposes a reading that is offered already")
            else:
                offers = (*offers, answer)
            continue
        if pressed != NO_READING:
            return offers[int(pressed) - 1] if pressed.isdigit() else pressed
        answer = yield from _pointed_at(document)
        if answer != "back":
            return answer
    return (yield from _pointed_at(document))


def _pointed_at(document: Document) -> Generator[Request, Any, Offer | str]:
    """The reading whose labels look like lines at which the person points: their own and the agent's, if it has any."""
    rows = ["", *settling.without_chat_fences(document).lines]
    filled = [number for number in range(document.body_line, len(rows)) if rows[number].strip()]
    opening = [number for number in filled if not rows[number - 1].strip() or number == document.body_line]
    first = opening if len(opening) > 1 else filled  # a table has no blank lines between
    if len(first) < 2:
        yield Tell(settling.HOW_TO_LABEL)
        return "quit"
    answers = {str(key): rows[number].strip() for key, number in enumerate(first[:MOST], start=1)}
    answers[BY_PARAGRAPH] = "none of them: ask me paragraph by paragraph"
    unmarked = {UNMARKED: "none: what stands below mine up to the next is the agent's"}
    while True:
        keys: list[str] = []
        for whose, more in (("your", {}), ("the agent's", unmarked)):
            asks = f"Which line has {whose} name or mark?"
            left = {key: line for key, line in answers.items() if key not in keys} | more
            pressed = yield from ask_until_answered(Question("reading", asks, left), None)
            if pressed not in left or pressed == BY_PARAGRAPH:
                return pressed
            keys.append(pressed)
        lines = [first[int(key) - 1] for key in keys if key != UNMARKED]
        offer = settling.like(document, lines)
        if isinstance(offer, Offer):
            person = next(turn.speaker for turn in offer.turns if turn.line == lines[0])
            offer = settling.naming(offer, person)
        if isinstance(offer, Refusal):
            yield Tell(f"{offer.reason}; or press {BY_PARAGRAPH}")
            continue
        pressed = yield from ask_until_answered(reading_question((offer,)), OfferedReadings((offer,), document.lines))
        if pressed != NO_READING:
            return offer if pressed == "1" else pressed
