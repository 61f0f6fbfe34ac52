"""What the gate says of a response: the records that others read."""

from __future__ import annotations

from typing import Literal

from mdtally.text.model import Severity, Span
from mdtally.text.percent import count
from mdtally.text.records import record

FailureKind = Literal[
    "forbidden_phrase", "no_disagreement_signal", "too_short", "agreement_padding",
    "echo", "vague_objection", "stalled_turn",
]  # fmt: skip
Answer = Literal["argues", "silent", "unsure"]
"""Does a response take issue with something that somebody in this debate has said?"""
Decider = Literal["words", "opinion", "stance"]
StatedAnswer = Literal["argues", "stands_down", "silent"]
"""What a stance that a response states says of that; "stands_down" is a concession that names something new."""


@record
class Failure:
    """One layer of the gate that a response did not pass.

    Attributes:
        kind, layer: which test failed; 1, 2 or 3, or 0 for a rule beyond the three published layers.
        detail: what was seen or missed, in words; for a phrase, the phrase as the pack lists it.
        span: where in the response, in code points; None where it is about the whole of it.
        severity: "warning" or "info", graded by what else the response holds.
        source: for an echo, which of the earlier turns given to the gate it repeats, as an index; else None.
    """

    kind: FailureKind
    detail: str
    span: Span | None = None
    severity: Severity = "warning"
    layer: int = 0
    source: int | None = None


@record
class Issue:
    """Layer 2's answer: does a response take issue with something that somebody in this debate has said?

    Attributes:
        answer: "argues", "silent", or "unsure" where the words do not tell.
        score: how much speaks for "argues"; the further from the middle, the surer.
        decided_by: "words", "opinion" where a second reader was asked, or "stance" where the response states one.
        against: where it argues, whom with: the voices that its objections are about, as far as that shows.
    """

    answer: Answer
    score: float
    decided_by: Decider = "words"
    against: tuple[str, ...] = ()


@record
class Opinion:
    """What a second reader says of a response: whether it takes issue with somebody, whether a strict but fair editor
    would send it back, and the words of the response that show it."""

    takes_issue: Literal["yes", "no", "unsure"]
    send_back: Literal["yes", "no"]
    quote: str


@record
class GateResult:
    """What the gate says of one response.

    Attributes:
        failures: everything that failed, in the order of the text; hint: how to mend it, for a re-prompt.
        stand_down: True where an un-negated stand-down satisfies layers 2 and 3, or a stated concession layer 2.
        language: the language whose pack was used; "" where none fits, and layers 1 and 2 were skipped.
        issue: layer 2's answer; None where it is not asked.
        send_back: how much speaks for sending the response back; from 0 on what it fails are warnings. None where no
            pack was used.
        is_doubted: True if words may well be wrong on layer 2: a second reader is asked, where there is one.
    """

    failures: tuple[Failure, ...] = ()
    stand_down: bool = False
    language: str = "en"
    hint: str = ""
    issue: Issue | None = None
    send_back: float | None = None
    is_doubted: bool = False

    @property
    def ok(self) -> bool:
        """True if no layer failed; informational findings beyond the layers don't count."""
        return not any(failure.layer or failure.severity != "info" for failure in self.failures)

    def __bool__(self) -> bool:
        """True if no layer failed, as ``ok``: a result that is not empty would else always be true."""
        return self.ok


def too_short(words: int, least: int) -> str:
    """How many words a response has, and that they are fewer than so many."""
    return f"{count(words, 'word')}, fewer than {least}"
