"""What a debate comes to, from what ``lint`` says of it: its voices, its rounds, and who takes issue with whom."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal

from mdtally.check.reports import FileReport
from mdtally.check.rules import Response
from mdtally.gate.names import named_voices
from mdtally.text.model import RoundNumber, Turn
from mdtally.text.records import by_key, record

Answer = Literal["argues", "stands_down", "unsure", "silent"]
ANSWERS: tuple[Answer, ...] = ("argues", "stands_down", "unsure", "silent")
"""What a turn that could answer somebody does, in the order in which they are shown."""

State = Literal["judged", "no_turns", "unsure", "session", "one_voice", "no_language", "off"]
"""Whether the turns were judged, or else why not."""

PADDING = frozenset({"forbidden-phrase", "agreement-padding"})


@record
class TurnAnswer:
    """What one turn does.

    Attributes:
        answer: what it does; None where nobody had spoken whom it could answer, or it was not judged.
        decided_by: "words", "opinion" or "stance"; "" without an answer.
        score: how much speaks for "argues"; None without an answer.
        against: whom it takes issue with: whom its objections are about, or else who is on its label, or else the only
            agent that spoke before it in the round. Empty where it does not argue, or none of these tells.
        repeats: the earlier turn that it repeats, or None.
    """

    turn: Turn
    answer: Answer | None = None
    decided_by: str = ""
    score: float | None = None
    against: tuple[str, ...] = ()
    repeats: Turn | None = None


@record
class Voice:
    """One speaker over the whole debate, with the number of turns and words.

    Attributes:
        answers: how many of its turns that could answer somebody do what.
        padding: how many findings of flattery its turns have.
        repeats: by speaker, how many of its turns repeat one of theirs.
    """

    name: str
    kind: str
    turns: int
    words: int
    answers: Mapping[Answer, int]
    padding: int
    repeats: Mapping[str, int]


@record
class Round:
    """A round, or where the transcript states none a group of turns.

    Attributes:
        group: its number, 1-based; number: as stated, None where none is; line: that of its first turn.
        answers: how many of the turns that could answer somebody do what.
    """

    group: int
    number: RoundNumber | None
    line: int
    answers: Mapping[Answer, int]

    @property
    def answering_turns(self) -> int:
        """Turns that could answer somebody."""
        return sum(self.answers.values())


@record
class Debate:
    """A debate, counted.

    Attributes:
        file: what ``lint`` says of it; turns, voices, rounds: in its order.
        against: by (who, whom), how many turns argue against whom; whom is "" where a turn names nobody.
    """

    file: FileReport
    state: State
    turns: tuple[TurnAnswer, ...]
    voices: tuple[Voice, ...]
    rounds: tuple[Round, ...]
    against: Mapping[tuple[str, str], int]

    @property
    def answers(self) -> Mapping[Answer, int]:
        """How many of all turns that could answer somebody do what."""
        return answer_counts(self.turns)


def summarise(file: FileReport) -> Debate:
    """What the turns of a file come to."""
    names = tuple(dict.fromkeys(turn.speaker for turn in file.turns if turn.kind == "agent"))
    responses = {response.turn.index: response for response in file.responses}
    turns = tuple(_turn_answer(turn, responses.get(turn.index), names) for turn in file.turns)
    padding = Counter(problem.turn for problem in file.problems if problem.rule in PADDING)
    by_speaker = by_key((one.turn.speaker, one) for one in turns)
    groups = by_key((one.turn.group, one) for one in turns)
    arguing = [one for one in turns if one.answer == "argues"]
    against = Counter((one.turn.speaker, whom) for one in arguing for whom in one.against or ("",))
    voices = (_voice(name, said, padding) for name, said in by_speaker.items())
    rounds = (Round(key, said[0].turn.round, said[0].turn.line, answer_counts(said)) for key, said in groups.items())
    return Debate(file, _state(file, len(names)), turns, tuple(voices), tuple(rounds), against)


def decided_counts(answers: Mapping[Answer, int]) -> tuple[int, int]:
    """How many turns argue, and of how many: those that could answer somebody, without the unsure ones."""
    return answers["argues"], sum(answers.values()) - answers["unsure"]


def _voice(name: str, said: Sequence[TurnAnswer], padding: Mapping[int | None, int]) -> Voice:
    """One speaker over the whole debate, from what its turns do and how many findings of flattery each has."""
    words, flattery = sum(one.turn.words for one in said), sum(padding.get(one.turn.index, 0) for one in said)
    repeats = Counter(one.repeats.speaker for one in said if one.repeats)
    return Voice(name, said[0].turn.kind, len(said), words, answer_counts(said), flattery, repeats)


def _state(file: FileReport, agents: int) -> State:
    """Whether the turns were judged, or the first reason why not."""
    results = [response.result for response in file.responses if response.result is not None]
    why_not: tuple[tuple[State, bool], ...] = (
        ("unsure", file.reading == "unsure"),
        ("no_turns", not file.turns),
        ("session", file.kind == "session"),
        ("one_voice", agents < 2),
        ("off", not file.responses),
        ("no_language", bool(results) and not any(result.language or result.issue for result in results)),
    )
    return next((state for state, holds in why_not if holds), "judged")


def _turn_answer(turn: Turn, response: Response | None, names: Sequence[str]) -> TurnAnswer:
    if response is None or response.result is None or response.result.issue is None:
        return TurnAnswer(turn, repeats=response.repeats if response else None)
    result, issue = response.result, response.result.issue
    answer: Answer = "stands_down" if result.stand_down else issue.answer
    others, earlier = (name for name in names if name != turn.speaker), tuple(dict.fromkeys(response.earlier))
    against = issue.against or named_voices(turn.addressee, others) or (earlier if len(earlier) == 1 else ())
    against = against if answer == "argues" else ()
    return TurnAnswer(turn, answer, issue.decided_by, issue.score, against, response.repeats)


def answer_counts(turns: Sequence[TurnAnswer]) -> Mapping[Answer, int]:
    """How many of the turns that could answer somebody do what."""
    found = Counter(one.answer for one in turns if one.answer)
    return {answer: found[answer] for answer in ANSWERS}
