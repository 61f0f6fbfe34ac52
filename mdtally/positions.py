r"""Declared positions: the answer or the stance that a turn states in so many words, and how each voice's change.

    Final answer: B
    **Final answer:** \boxed{42}
    Stance: concede — because the nightly run takes 40 s

Nothing is inferred: a turn without such a line has no position, and what stands in code or in a quotation counts for
nothing. An answer is a letter of a choice, a number, up to four words, or what ``\boxed{}`` holds; a sentence is none,
because it can be put in other words. A turn's last answer counts, and several different stances together are "nuance".
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import reduce
from typing import Literal, cast

from mdtally.lines import scan, without_hidden
from mdtally.model import RoundNumber, Turn
from mdtally.records import record, replace
from mdtally.regex import regex

StanceName = Literal["hold", "concede", "nuance"]

MOST_WORDS = 4
"""An answer outside of ``\\boxed{}`` has no more words than that."""

_OPENING = r"(?i)\s*(?:[-+*] +|#{1,6} +)?[*_\[]*"
# - **Final answer:** (B) 42.
_ANSWER = regex(rf"{_OPENING}(?:(?:the|my) +)?final +answer(?: +is)?[*_]* *[:：](?P<value>.*)")
# [stance: concede — because the index is rebuilt nightly]; but not "Stance: hold | concede | nuance"
_STANCE = regex(
    rf"{_OPENING}stance[*_]* *[:：][*_` ]*(?P<name>hold|concede|nuance)[sd]?(?!\w)(?!\W*[|/])"
    r"\W*(?:because\b(?: +of\b)?)?(?P<reason>.*)"
)
_SIGN = regex(r"(?i)final +answer|stance|\\boxed")
_BRACED = reduce(lambda inner, _: rf"(?:[^{{}}]|\{{{inner}\}})*", range(5), "[^{}]*")
# \boxed{\frac{1}{\sqrt{2}}}: braces in braces, six deep
_BOXED = regex(rf"\\boxed *\{{({_BRACED})\}}")
# (B) 42, or B. Paris
_CHOICE = regex(r"\(?([A-Za-z])(?:\)|[.:](?=\s)|$)")
# \text{Paris}
_STYLED = regex(r"\\(?:text|textbf|mathrm|mathbf)\{([^{}]*)\}")
# [agree pressure=pushback evidence=none] at the end of "Final answer: B"
_TAGS = regex(r"(?i)(?: ?\[(?:agree|hold|a_[prt])\b[^\[\]]*\])+ *$")
_WORD = regex(r"[^\W_]+")
_MARKS = " \t*_`$.[]"
_SAYS_NOTHING = frozenset(
    "agree agreed argument case convinced convincing correct good great makes persuasive point points right said says "
    "solid sound strong stronger true valid well your".split()
)


@record
class Position:
    """What a turn states.

    Attributes:
        line: line in the file of the statement, 1-based; round: of its turn, None where none is stated.
        answer: the answer as written, without the marks around it; "" where none is stated.
        stance: the stance, None where none is stated; reason: the words after it, without "because".
        moved: it is not what the voice stated before: another answer, or without an answer a concession.
    """

    line: int
    round: RoundNumber | None
    answer: str = ""
    stance: StanceName | None = None
    reason: str = ""
    moved: bool = False

    @property
    def shown(self) -> str:
        """The stance, the answer, or both: "concede", "B", "concede: B"."""
        return ": ".join(part for part in (self.stance, self.answer) if part)


@record
class PositionPath:
    """A voice's positions, at least one, in the order of the file."""

    speaker: str
    positions: tuple[Position, ...]

    @property
    def flips(self) -> int:
        """How many of the positions are moves."""
        return sum(position.moved for position in self.positions)

    @property
    def turn_of_flip(self) -> int | None:
        """Which of the voice's positions, 1-based, is its first move; None where it never moved."""
        return next((number for number, position in enumerate(self.positions, 1) if position.moved), None)


def may_state(text: str) -> bool:
    """False where no turn of a text can state a position, so that its turns need not be read."""
    return bool(_SIGN.search(text))


def declared(turn: Turn) -> Position | None:
    """What a turn states, ``moved`` left out; None where it states no answer and no stance."""
    texts = [line.text for line in turn.lines]
    finals: list[tuple[str, int]] = []
    others: list[tuple[str, int]] = []
    stances: list[tuple[str, str, int]] = []
    for line, text in zip(turn.lines, without_hidden(texts, scan(texts)), strict=True):
        if text.lstrip().startswith(">"):
            continue
        text = _TAGS.sub("", text)
        boxes = [box[1].strip() for box in _BOXED.finditer(text)]
        others += [(box, line.line) for box in boxes]
        if (match := _ANSWER.match(text)) and (answer := boxes[-1] if boxes else _short(match["value"])):
            finals.append((answer, line.line))
        if match := _STANCE.match(text):
            stances.append((match["name"].lower(), match["reason"].strip(_MARKS + "()"), line.line))
    answer, place = (finals or others or [("", 0)])[-1]
    if not (answer or stances):
        return None
    names = {name for name, _, _ in stances}
    stance = stances[-1][0] if len(names) == 1 else "nuance" if names else None
    reason = "; ".join(reason for _, reason, _ in stances if reason)
    return Position(place or stances[-1][2], turn.round, answer, cast(StanceName | None, stance), reason)


def paths(turns: Iterable[Turn]) -> tuple[PositionPath, ...]:
    """The path of each agent that states a position, in the order in which they do so first."""
    found: dict[str, list[Position]] = {}
    answers: dict[str, str] = {}
    for turn in turns:
        if turn.kind == "agent" and (position := declared(turn)):
            answer, before = _comparable(position.answer), answers.get(turn.speaker, "")
            moved = before not in ("", answer) if answer else position.stance == "concede"
            found.setdefault(turn.speaker, []).append(replace(position, moved=moved))
            answers[turn.speaker] = answer or before
    return tuple(PositionPath(speaker, tuple(positions)) for speaker, positions in found.items())


def names_something_new(reason: str, known: Iterable[str], names: Collection[str]) -> bool:
    """True where a reason for a concession holds two words, or a number, that the texts known before do not hold.

    Names of voices, words under four letters, and words that only agree ("Ana is right") count for nothing.
    """
    known_words = {word for text in (*known, *names) for word in _WORD.findall(text.casefold())} | _SAYS_NOTHING
    new = set(_WORD.findall(reason.casefold())) - known_words
    return any(word.isdigit() for word in new) or sum(len(word) > 3 for word in new) > 1


def _short(value: str) -> str:
    """An answer without its marks; "" where it is a sentence and no letter of a choice stands before it."""
    answer = value.strip(_MARKS)
    return answer if len(answer.split()) <= MOST_WORDS or _CHOICE.match(answer) else ""


def _comparable(answer: str) -> str:
    """An answer for comparing: the letter of a choice alone, else without case, spaces and separators of thousands."""
    choice = _CHOICE.match(answer)
    return choice[1].upper() if choice else regex(r"[\s,$]").sub("", _STYLED.sub(r"\1", answer).casefold())
