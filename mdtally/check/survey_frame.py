"""The frame of a survey: every reply of every session that it is to speak for, and why others were left out."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from mdtally import session as sessions
from mdtally import transcript as transcripts
from mdtally.check.reports import File
from mdtally.check.verdicts import session_of
from mdtally.events import Exchange, candidates, exchanges
from mdtally.events.replies import Answers, reply_keys
from mdtally.events.survey.drawing import NO_EVENT, Word
from mdtally.log.series.ceiling import family
from mdtally.session.counts.notation import fact_words
from mdtally.session.judging import given_date, is_headless
from mdtally.text.frontmatter import text_of
from mdtally.text.globs import matches_name
from mdtally.text.line_parts import leading_day
from mdtally.text.records import record

_NO_REPLY = "no reply of an agent to a person"


@record
class FramedReply:
    """A reply of the frame.

    Attributes:
        id: its session's name, "#", and the reply's key.
        session: its session's name; file: the note; score: how likely it holds an event.
        exchange: the reply with the push and what stands between.
        word: what its note's tags say of it, as facts; () if there is no tag, or a letter alone.
        is_neither: True if it was answered with "neither" in a review of the note on this machine.
    """

    id: str
    session: str
    file: File
    score: float
    exchange: Exchange
    word: tuple[str, ...] = ()
    is_neither: bool = False

    def answer_of(self, labeler: str) -> Word | None:
        """What this labeler has answered in the note; None if nothing, or if somebody else has labelled it."""
        if (text_of(self.file.document.head, "labeler") or self.file.settings.labeler or "") != labeler:
            return None
        return self.word or (NO_EVENT if self.is_neither else None)


@record
class SurveyFrame:
    """All replies that a survey is to speak for.

    Attributes:
        replies: by id, in the order of the notes.
        sides: by session the side it belongs to; None if no sides are compared.
        left_out: how many notes are not in it, by the reason.
        models: by side the models of its sessions.
        words: by id what a model says of a reply, where one was asked.
    """

    replies: Mapping[str, FramedReply]
    sides: Mapping[str, str] | None
    left_out: Mapping[str, int]
    models: Mapping[str, frozenset[str]]
    words: Mapping[str, Word] = {}

    @property
    def draw_rows(self) -> list[tuple[str, str, float, Word | None]]:
        """The rows that a draw is made of."""
        return [(one.id, one.session, one.score, self.words.get(one.id)) for one in self.replies.values()]

    @property
    def of_session(self) -> dict[str, list[FramedReply]]:
        """The replies of each session, in their order."""
        found: dict[str, list[FramedReply]] = {}
        for one in self.replies.values():
            found.setdefault(one.session, []).append(one)
        return found


@record
class Chosen:
    """Which sessions are meant, and how they are parted into sides.

    Attributes:
        since, until: the first and the last day; "" for any.
        where: keys of the frontmatter with the globs that their values have to fit.
        split: the day that parts before from since; "" for none.
        by: the key of the frontmatter, or "family", that makes the sides; "" for none.
    """

    since: str = ""
    until: str = ""
    where: tuple[tuple[str, str], ...] = ()
    split: str = ""
    by: str = ""


@record
class LookedAt:
    """What a file is to a survey.

    Attributes:
        session: its session's name.
        why_not: why it is not in the frame, for a person; "" if it may be.
        replies: its replies, in their order.
        side, model: the side that it belongs to, and its model; "" for none.
    """

    session: str
    why_not: str
    replies: tuple[FramedReply, ...] = ()
    side: str = ""
    model: str = ""


def look_at(chosen: Chosen, file: File) -> LookedAt:
    """What a file is to a survey, whatever other files there are."""
    session = session_of(file)
    if why := _why_not(file, chosen):
        return LookedAt(session, why)
    replies = tuple(replies_in(file))
    why = "" if replies else _NO_REPLY
    return LookedAt(session, why, replies, _side(file, chosen), text_of(file.document.head, "model") or "")


def frame_of(files: Iterable[LookedAt], chosen: Chosen) -> SurveyFrame:
    """The replies of all sessions that are meant and surely read; files that are no sessions are counted."""
    replies: dict[str, FramedReply] = {}
    left_out: Counter[str] = Counter()
    sides: dict[str, str] = {}
    models: dict[str, set[str]] = {}
    for one in files:
        is_twice = one.session in sides and one.why_not in ("", _NO_REPLY)
        if is_twice or one.why_not:
            left_out["another note of the same session" if is_twice else one.why_not] += 1
            continue
        sides[one.session] = one.side
        models.setdefault(one.side, set()).add(one.model)
        replies |= {reply.id: reply for reply in one.replies}
    has_sides = bool(chosen.split or chosen.by)
    named = {side: frozenset(filter(None, found)) for side, found in models.items()}
    return SurveyFrame(replies, sides if has_sides else None, dict(left_out), named)


def replies_in(file: File) -> list[FramedReply]:
    """The replies of a note, in their order, with what its tags say of them."""
    document, session = file.document, session_of(file)
    ranked = sorted(candidates(document).ranked, key=lambda one: one.run.line)
    keys, answers = reply_keys(one.run for one in ranked), Answers(session)
    between = {one.run.line: one for one in exchanges(document)}
    found = []
    for one in ranked:
        exchange = between.get(one.run.line)
        if exchange is None:
            continue
        facts = [event.fact for event in one.events]
        word = tuple(fact_words(fact) for fact in facts if fact) if all(facts) else ()
        key = keys[one.run.line]
        found.append(
            FramedReply(f"{session}#{key}", session, file, one.score, exchange, word, not facts and key in answers)
        )
    return found


def marks_of(replies: Sequence[FramedReply]) -> tuple[int, str]:
    """How many replies a session has, and 12 hexadecimal digits of a hash over them."""
    text = "\n".join(one.id for one in replies)
    return len(replies), hashlib.sha256(text.encode(errors="replace")).hexdigest()[:12]


def _why_not(file: File, chosen: Chosen) -> str:
    """Why a file is not in the frame, for a person; "" if it is."""
    document = file.document
    if document.is_survey:
        return "a survey"
    if document.conflict:
        return "a merge conflict in it"
    transcript = transcripts.read(document)
    if transcript.kind != "session" and not sessions.is_declared(document):
        return "no session"
    if is_headless(document):
        return "headless"
    if transcript.unsure or not candidates(document).sure:
        return "who speaks is not sure"
    day = day_of(file)
    if (chosen.since or chosen.until or chosen.split) and not day:
        return "no date"
    if day < chosen.since or (chosen.until and day[: len(chosen.until)] > chosen.until):
        return "another time"
    if any(not matches_name(glob, text_of(document.head, key) or "") for key, glob in chosen.where):
        return "another " + " or ".join(key for key, _ in chosen.where)
    return ""


def day_of(file: File) -> str:
    """The day of a session, as its note says; "" if it says none."""
    head = file.document.head
    return (given_date(file.document) or leading_day(file.path.name) or text_of(head, "calibration_date") or "")[:10]


def _side(file: File, chosen: Chosen) -> str:
    head = file.document.head
    if chosen.split:
        return f"{'since' if day_of(file) >= chosen.split else 'before'} {chosen.split}"
    if chosen.by == "family":
        return family(text_of(head, "model"), file.settings.families) or "(no family)"
    return (text_of(head, chosen.by) or f"(no {chosen.by})") if chosen.by else ""
