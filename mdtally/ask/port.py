"""What a review asks of whoever runs it: it knows no terminal, no disk and no clock.

A terminal, an editor or a page each need one loop:

    steps, answer = Review().run(), None
    while True:
        request = steps.send(answer)          StopIteration at the end
        answer = ...                          a key for Ask, a document for Look and Rewrite, a report for Judge,
                                              an offer or a refusal for Propose
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from typing import Any, Literal

from mdtally.text.document import Document
from mdtally.text.model import Refusal
from mdtally.text.records import record, replace

Command = Literal["skip", "back", "undo", "finish", "more", "help", "quit", "again"]

COMMANDS: Mapping[str, Command] = {
    "s": "skip", "b": "back", "u": "undo", "f": "finish", "m": "more", "?": "help", "q": "quit",
    "\x04": "quit", "": "quit",
}  # fmt: skip
"""Keys that mean the same at every question; "" is a terminal that has gone."""


@record
class Question:
    """A question that one key answers.

    Attributes:
        name: what it is about; "reading", "person", "speaker" and "labels" are who speaks.
        asks: the question.
        answers: by key, the answer in words.
        offer: the key that Enter stands for, because something was seen that speaks for it; "" if nothing was.
        because: what was seen.
    """

    name: Literal["reading", "person", "speaker", "labels", "decision", "pressure", "evidence", "end", "verdict"]
    asks: str
    answers: Mapping[str, str]
    offer: str = ""
    because: str = ""

    def key_meaning(self, key: str) -> str | Command:
        """The key of the answer that a key gives, or what it asks for; "again" if it means nothing here."""
        key = self.offer if key in ("\r", "\n") else key if key in COMMANDS else key.lower()
        meaning = key if key in self.answers else COMMANDS.get(key or "-", "again")
        # Of a reply that is begun "no more events" says nothing: f may stand for "found".
        return "again" if meaning == "finish" and self.name in ("pressure", "evidence") else meaning


@record
class Ask:
    """Ask a question; the answer is a key. What it is about is shown before, unless it has been shown just now."""

    question: Question
    about: Any
    is_new: bool = True


@record
class Look:
    """Read the file again; the answer is the document as it stands now."""


@record
class Rewrite:
    """Change the file as it stands now; the answer is the document as it is then, or why it was not changed."""

    make: Callable[[Document], bytes | Refusal]


@record
class Judge:
    """Judge the session, and write the verdict down if asked to; the answer is a ``VerdictReport``."""

    write: bool


@record
class Propose:
    """Ask a model how the file is read; the answer is an ``Offer``, or a refusal that says why there is none."""


@record
class Tell:
    """Tell something; there is no answer.

    Attributes:
        message: a sentence; "" without one.
        about: a record to show whole, such as a picture.
        question: one whose keys and answers are to be explained.
    """

    message: str = ""
    about: Any = None
    question: Question | None = None


@record
class Wrote:
    """Show a line of the file that was written, or taken out; there is no answer."""

    line: int
    text: str
    is_added: bool


Request = Ask | Look | Rewrite | Judge | Propose | Tell | Wrote
Ending = Literal["done", "back", "undo", "quit"]
"""How some steps ended: all was done, or the person goes back, takes the step before back, or leaves."""

Steps = Generator[Request, Any, Ending]

LEAVES: Mapping[str, Ending] = {"back": "back", "undo": "undo", "quit": "quit"}
"""The commands that end a step, and how."""

END = Question("end", "All turns are done.", {"d": "done"}, offer="d")


def ask_until_answered(question: Question, about: Any, *, is_new: bool = True) -> Generator[Request, Any, str]:
    """Ask until there is an answer, or a command to go elsewhere; gives that, or the answer's key."""
    while True:
        pressed = question.key_meaning((yield Ask(question, about, is_new)))
        is_new = False
        if pressed in ("more", "help"):
            yield Tell(about=about) if pressed == "more" else Tell(question=question)
        elif pressed != "again":
            return pressed


def rewrite(
    make: Callable[[Document], bytes | Refusal], why_not: str = "not written: {}"
) -> Generator[Request, Any, tuple[Document, Document] | None]:
    """Change the file as it stands now; gives the document before and after that, or None after telling why not."""
    before: list[Document] = []

    def make_bytes(document: Document) -> bytes | Refusal:
        before.append(document)
        return make(document)

    after: Document | Refusal = yield Rewrite(make_bytes)
    if isinstance(after, Document):
        return before[-1], after
    yield Tell(why_not.format(after.reason))
    return None


def ask_to_end(*, is_all: bool = True) -> Steps:
    """Ask whether that was all, so that one can still go back; of turns that were not shown nobody says that."""
    pressed = yield from ask_until_answered(END if is_all else replace(END, asks="The rest stays open."), None)
    return LEAVES.get(pressed, "done")
