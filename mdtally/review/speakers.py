"""The questions about who speaks: which reading is right if that is unsure, and then which voice is the person.

What is answered goes into the frontmatter as one edit, after the last of the two questions, and can be taken back.
"""

from __future__ import annotations

from mdtally import frontmatter, transcript
from mdtally.model import Document, Problem, Refusal, Source
from mdtally.records import record, replace
from mdtally.review.port import Ask, Asked, Edit, Look, Question, Steps, Tell
from mdtally.source import encode
from mdtally.transcript import Offer

NOBODY = "n"


@record
class OfferedReadings:
    """Readings to choose from, or one in which the person is to be named, with the lines of the file."""

    offers: tuple[Offer, ...]
    lines: tuple[str, ...]


class WhoSpeaks:
    """The step that settles who speaks; ended, it asks again only what is still open.

    Attributes:
        written: what the file was and the head that it got, for each edit, the latest last.
    """

    def __init__(self) -> None:
        self.written: list[tuple[Source, str]] = []
        self._skipped: list[str] = []

    def run(self) -> Steps:
        """Ask what is open; "quit" also if there is nothing that could be reviewed."""
        while True:
            document: Document = yield Look()
            offers, offer = transcript.offers(document), None
            if not transcript.read(document).turns and not offers:
                yield Tell(transcript.HOW_TO_LABEL)
                return "quit"
            if offers and "reading" not in self._skipped:
                pressed = yield from _asked(reading_question(offers), OfferedReadings(offers, document.lines))
                if pressed in ("back", "undo", "quit"):
                    return pressed  # type: ignore[return-value]
                if pressed == "skip":
                    self._skipped.append("reading")
                else:
                    offer = offers[int(pressed) - 1]
            ending = yield from self._person(document, offer)
            if not (offer and ending == "back"):
                return ending

    def back(self) -> Steps:
        """Take back what was written last, or else what was skipped; "back" if there is neither."""
        if self.written:
            before, head = self.written.pop()

            def make(document: Document) -> bytes | Refusal:
                if document.source.head != head:
                    return Refusal("the frontmatter was edited meanwhile: nothing was taken back")
                return encode(replace(document.source, head=before.head, head_format=before.head_format))

            document = yield Edit(make)
            yield Tell(document.reason if isinstance(document, Refusal) else "the frontmatter is as it was")
        elif self._skipped:
            self._skipped.pop()
        else:
            return "back"
        return "done"

    def _person(self, document: Document, offer: Offer | None) -> Steps:
        """Ask which voice is the person if nothing tells, and write down what was answered."""
        named = offer or transcript.reading_again(document)
        is_debate = offer is None and is_declared_debate(document)
        if named and "person" not in self._skipped and not is_debate and transcript.unknown_voices(named.turns):
            question = person_question(named)
            pressed = yield from _asked(question, OfferedReadings((named,), document.lines))
            if pressed in ("back", "undo", "quit"):
                return pressed  # type: ignore[return-value]
            if pressed == NOBODY:
                yield Tell("then nobody could be given in to; `mdtally lint` and `mdtally report` look at debates")
                return "quit"
            if pressed == "skip":
                self._skipped.append("person")
            else:
                offer = transcript.naming(named, list(named.voices)[int(pressed) - 1])  # type: ignore[assignment]
        if offer:
            yield from self._keep(offer)
        return "done"

    def _keep(self, offer: Offer) -> Steps:
        """Write into the frontmatter how the file is read."""
        before: Source | None = None

        def make(document: Document) -> bytes | Refusal:
            nonlocal before
            before = document.source
            changed = frontmatter.edit(document.source, document.head, transcript.values_of(document, offer))
            return Refusal(changed.message) if isinstance(changed, Problem) else encode(changed)

        document = yield Edit(make)
        if isinstance(document, Refusal):
            self._skipped += ["reading", "person"]
            yield Tell(f"not kept: {document.reason}")
        elif before is not None:
            self.written.append((before, document.source.head))
            yield Tell("its frontmatter says now how it is read")
        return "done"


def is_declared_debate(document: Document) -> bool:
    """True if the file says of itself that it is a debate, in which no person need take part."""
    read = transcript.read(document)
    return read.declared and read.kind == "debate"


def reading_question(offers: tuple[Offer, ...]) -> Question:
    """Which of some readings is right."""
    answers = {
        str(number): ", ".join(f"{name} {turns}" for name, turns in offer.voices.items())
        for number, offer in enumerate(offers, start=1)
    }
    return Question("reading", "Who speaks is not sure. Which reading is right?", answers, "1", "the likeliest")


def person_question(offer: Offer) -> Question:
    """Which voice is the person; at most nine can be chosen by one key."""
    voices = {str(number): name for number, name in enumerate(list(offer.voices)[:9], start=1)}
    return Question("person", "Which voice is the person?", {**voices, NOBODY: "nobody: all are agents"})


def _asked(question: Question, about: object) -> Asked:
    """The key of an answer, or what else was asked for and ends a question."""
    is_new = True
    while True:
        pressed = question.pressed((yield Ask(question, about, is_new)))
        is_new = False
        if pressed in question.answers or pressed in ("skip", "back", "undo", "quit"):
            return pressed
        if pressed in ("more", "help"):
            yield Tell(about=about) if pressed == "more" else Tell(question=question)
