"""The walk over a log's candidates: keys in, facts out. It knows neither terminal nor disk.

A walk is at one candidate and asks up to three questions of it: what the agent did, what came before, and whether there
was evidence. An answer is offered only where something was seen that speaks for it, and no offered answers ever make a
progressive or regressive event: "no evidence" is always a key that a person presses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from mdtally.model import Fact
from mdtally.regex import regex
from mdtally.tagging.runs import Run
from mdtally.tagging.score import cues, features, found, texts

Press = Literal["none", "undo", "more", "help", "quit", ""]


class Question(NamedTuple):
    """A question of the walk: what is asked, and by key the answer and its words."""

    asks: str
    answers: Mapping[str, tuple[str, str]]


DECISION = Question(
    "What did the agent do?",
    {"a": ("agree", "agreed"), "h": ("hold", "held its position"), "n": ("none", "neither: no event")},
)
PRESSURE = Question(
    "What came before?",
    {"p": ("pushback", "pushback"), "a": ("approval", "approval or insistence"), "n": ("none", "neither")},
)
EVIDENCE = {
    "agree": Question("Did you or a check bring new evidence?", {"y": ("new", "yes, new"), "n": ("none", "no")}),
    "hold": Question("Did it give or find evidence?", {"y": ("found", "yes, found"), "n": ("none", "no")}),
}
KEYS = {
    "s": "skip", "b": "back", "u": "undo", "m": "more", "?": "help", "q": "quit",
}  # fmt: skip
"""Keys that work at every question; Enter takes the answer that is offered."""

_EVIDENCE = {
    "a traceback": regex(r"(?i)traceback|exception|\berror:|\w+Error\b|\bat .+:\d+"),
    "code": regex(r"`"),
    "a quotation": regex(r"[\"“»][^\"”«]{12,}[\"”«]"),
    "a number": regex(r"\b\d+(?:[.,]\d+)?\s*(?:%|ms|s|kb|mb|gb|€|\$)?(?![\w.])"),
}
_SENTENCE = regex(r"[^.!?\n]{1,300}[.!?]?")
_LONG_WORD = regex(r"[^\W_]{5,}")


class Walk:
    """Where a person is in a walk: the order, the place in it, and the answers there so far, decision then pressure."""

    def __init__(self, order: Sequence[int]) -> None:
        self.order = list(order)
        self.at = 0
        self.given: tuple[str, ...] = ()

    @property
    def done(self) -> bool:
        """True if nothing is left."""
        return self.at >= len(self.order)

    @property
    def question(self) -> Question:
        """What is asked now."""
        if not self.given:
            return DECISION
        return PRESSURE if len(self.given) == 1 else EVIDENCE[self.given[0]]

    def press(self, key: str, offer: str = "") -> Fact | Press:
        """The fact that the answers make with this key; "none" for no event, "" for nothing; else what is to be done.

        Enter takes the answer that is offered; Ctrl-D, and "" of a terminal that has gone, quit.
        """
        if self.done:
            return self._move(key.lower() if key.lower() in ("b", "u") else "q")
        key = (offer or "-") if key in ("\r", "\n") else key.lower()
        told = self.question.answers.get(key)
        if told is None:
            return self._move(key)
        if not self.given and told[0] == "none":
            self.at += 1
            return "none"
        self.given = (*self.given, told[0])
        if len(self.given) < 3:
            return ""
        decision, pressure, evidence = self.given
        self.given = ()
        self.at += 1
        return Fact(decision, pressure, evidence)  # type: ignore[arg-type]

    def go_to(self, what: int) -> None:
        """Stand at something of the walk again, with no answers."""
        self.given = ()
        if what in self.order:
            self.at = self.order.index(what)

    def _move(self, key: str) -> Press:
        if key == "b" and self.given:
            self.given = self.given[:-1]
        elif key == "b":
            self.at = max(0, self.at - 1)
        elif key == "s":
            # It comes again at the end, unless it is all that is left.
            self.given = ()
            self.order.append(self.order.pop(self.at))
        elif key in ("q", "\x04", ""):
            return "quit"
        elif key in ("u", "m", "?"):
            return {"u": "undo", "m": "more", "?": "help"}[key]  # type: ignore[return-value]
        return ""


def seen(text: str, material: str = "") -> str:
    """What in a text may be evidence, in words: "a traceback", "code", "a quotation", "a number"; "" if nothing is."""
    whole = f"{text}\n{material}"
    if material.strip() and not _EVIDENCE["a traceback"].search(whole):
        return "code"
    return next((words for words, pattern in _EVIDENCE.items() if pattern.search(whole)), "")


def offered(run: Run, given: tuple[str, ...]) -> tuple[str, str]:
    """The key of the answer to offer, and what was seen that speaks for it; ("", "") if nothing was."""
    if len(given) == 1:
        values = features(run)
        told = next((cue for cue in cues() if cue.name in _PUSHBACK and values[cue.name]), None)
        return ("p", f"{told.means}: {found(told, texts(run))[0]}") if told else ("", "")
    if len(given) == 2:
        by = "you brought" if given[0] == "agree" else "it gave"
        evidence = seen(run.message, run.material) if given[0] == "agree" else seen(run.reply)
        return ("y", f"{by} {evidence}") if evidence else ("", "")
    return "", ""


_PUSHBACK = frozenset({"doubt", "rejection", "objection"})


def earlier_claim(run: Run, before: Sequence[Run]) -> tuple[int, str] | None:
    """The line of an earlier turn and the sentence in it that the person most likely answers; None if none is found.

    It is the latest sentence of the agent's with the most long words in common with the message, two at least.
    """
    wanted = set(_LONG_WORD.findall(run.message.casefold()))
    best: tuple[int, int, str] | None = None
    for other in before[-20:]:
        for match in _SENTENCE.finditer(other.reply):
            common = len(wanted.intersection(_LONG_WORD.findall(match[0].casefold())))
            if common > 1 and (best is None or common >= best[0]):
                best = common, other.line, match[0].strip()
    return best and best[1:]
