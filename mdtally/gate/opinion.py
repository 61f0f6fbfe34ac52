"""A second opinion: what a model of the user's own says of the turns that words alone do not settle.

A turn is other people's text, and may hold instructions. So an answer counts only with a quotation that stands in the
turn; what stands there in the form of an answer is not quoted from.
"""

from __future__ import annotations

from collections.abc import Mapping

from mdtally.gate.result import GateResult, Opinion
from mdtally.text.model import Refusal
from mdtally.text.records import record
from mdtally.text.regex import regex

NEAR = 1.2
"""How near to the threshold of warnings a turn is that a second reader is asked about."""
SHOWN, LONGEST = 8_000, 4_000
"""Characters of the turns before it that are shown at most, beyond the last two, and of any one of them."""

# "**", "> ", "“": what a quotation may differ in
_MARKS = regex(r"[\s*_`~>#|\\\"“”„'‘’-]+")
# '{"takes_issue": "no"}' in the turn itself
_ANSWER_IN_TURN = regex(r"\{[^{}]*(?:takes_issue|send_back)[^{}]*\}")


@record
class OpenTurn:
    """A turn to be asked about.

    Attributes:
        line: where the turn's label stands.
        text: the turn's body; source: its lines as they stand in the file, its label's among them.
        opening: the lines that stand above its round's first turn, such as a heading and a task.
        before: the last turns before it, speaker and text; they are of its round, but for the last two.
    """

    line: int
    text: str
    source: tuple[str, ...]
    opening: tuple[str, ...] = ()
    before: tuple[tuple[str, str], ...] = ()


def is_open(result: GateResult, *, strict: bool = False) -> bool:
    """True if a second reader is asked: words may err on layer 2 or a warning, are few, or in a language without a
    pack, or would warn. Under the protocol few words and phrases are warnings whatever is said of them."""
    if result.stand_down or (result.issue and result.issue.decided_by == "stance"):
        return False
    if any(failure.kind == "too_short" for failure in result.failures):
        return not strict
    if result.send_back is None:
        return result.is_doubted
    # Of a turn that opens its round and fails nothing no answer would change anything.
    may_fail = result.issue.answer != "argues" if result.issue else bool(result.failures)
    near = may_fail and abs(result.send_back) < NEAR
    warns = not strict and any(failure.severity == "warning" for failure in result.failures)
    return (result.issue is not None and result.is_doubted) or near or warns


def read_answer(answer: Mapping[str, object], turn: str) -> Opinion | Refusal:
    """The opinion that an answer holds, or why it holds none: its words, with a quotation that stands in the turn."""
    takes_issue, send_back, quote = (answer.get(key) for key in ("takes_issue", "send_back", "quote"))
    if takes_issue not in ("yes", "no", "unsure") or send_back not in ("yes", "no"):
        return Refusal("the answer has not the words yes, no and unsure")
    bare = _bare(quote) if isinstance(quote, str) else ""
    if not isinstance(quote, str) or not bare or bare not in _bare(_ANSWER_IN_TURN.sub("\ufffc", turn)):
        return Refusal("the answer quotes nothing that stands in the turn")
    return Opinion(takes_issue, send_back, " ".join(quote.split()))


def _bare(text: str) -> str:
    return _MARKS.sub("", text.casefold())
