"""The frame of a survey: every reply that it is to speak for, as the draw and the survey's note know it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

from mdtally.events.candidates import Exchange
from mdtally.events.survey.drawing import NO_EVENT, Word
from mdtally.text.records import by_key, record


@record
class FramedReply:
    """A reply of the frame.

    Attributes:
        id: its session's name, "#", and the reply's key.
        session: its session's name; path: the note; score: how likely it holds an event.
        exchange: the reply with the push and what stands between.
        word: what its note's tags say of it, as facts; () if there is no tag, or a letter alone.
        labeler: who labelled the note; "" if nothing says it.
        is_neither: True if it was answered with "neither" in a review of the note on this machine.
    """

    id: str
    session: str
    path: Path
    score: float
    exchange: Exchange
    word: tuple[str, ...] = ()
    labeler: str = ""
    is_neither: bool = False

    def answer_of(self, labeler: str) -> Word | None:
        """What this labeler has answered in the note; None if nothing, or if somebody else has labelled it."""
        return None if self.labeler != labeler else self.word or (NO_EVENT if self.is_neither else None)


@record
class SurveyFrame:
    """All replies that a survey is to speak for.

    Attributes:
        replies: by id, in the order of the notes.
        sides: by session the side it belongs to; None if no sides are compared.
        left_out: how many notes are not in it, by the reason.
        models: by side the models of its sessions; none if the sides are models.
        words: by id what a model says of a reply, where one was asked.
    """

    replies: Mapping[str, FramedReply]
    sides: Mapping[str, str] | None
    left_out: Mapping[str, int]
    models: Mapping[str, frozenset[str]]
    words: Mapping[str, Word] = {}

    @property
    def of_session(self) -> dict[str, list[FramedReply]]:
        """The replies of each session, in their order."""
        return by_key((one.session, one) for one in self.replies.values())


def marks_of(replies: Sequence[FramedReply]) -> tuple[int, str]:
    """How many replies a session has, and 12 hexadecimal digits of a hash over them."""
    text = "\n".join(one.id for one in replies)
    return len(replies), hashlib.sha256(text.encode(errors="replace")).hexdigest()[:12]
