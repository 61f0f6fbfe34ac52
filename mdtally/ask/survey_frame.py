"""The frame of a survey from the notes of a folder, and why some of them are left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from mdtally import session as sessions
from mdtally import transcript as transcripts
from mdtally.check.reports import File
from mdtally.check.verdicts import session_of
from mdtally.events import candidates, exchanges
from mdtally.events.replies import Answers
from mdtally.events.runs import said_by
from mdtally.events.survey.frame import FramedReply, SurveyFrame
from mdtally.log.series.ceiling import family
from mdtally.project.files import find_project_root
from mdtally.session.counts.notation import fact_words
from mdtally.session.judging import date_of, is_headless
from mdtally.text.frontmatter import text_of
from mdtally.text.globs import fits
from mdtally.text.records import record, replace

A_SURVEY = "a survey"
UNSURE = "who speaks is not sure"
_NO_REPLY = "no reply of an agent to a person"


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
        session: its session's name; project: the folder of its project.
        why_not: why it is not in the frame, for a person; "" if it may be.
        replies: its replies, in their order.
        side, model: the side that it belongs to, and its model; "" for none.
    """

    session: str
    project: Path
    why_not: str
    replies: tuple[FramedReply, ...] = ()
    side: str = ""
    model: str = ""


def look_at(chosen: Chosen, file: File) -> LookedAt:
    """What a file is to a survey, whatever other files there are."""
    session, project = session_of(file), find_project_root(file.path, file.settings.log)
    if why := _why_not(file, chosen):
        return LookedAt(session, project, why)
    replies = tuple(replies_in(file))
    why = "" if replies else _NO_REPLY
    return LookedAt(session, project, why, replies, _side(file, chosen), text_of(file.document.head, "model") or "")


def frame_of(files: Iterable[LookedAt], chosen: Chosen) -> SurveyFrame:
    """The replies of all sessions that are meant and surely read; files that are no sessions are counted."""
    replies: dict[str, FramedReply] = {}
    left_out: Counter[str] = Counter()
    sides: dict[str, str] = {}
    models: dict[str, set[str]] = {}
    projects: dict[str, Path] = {}
    for one in files:
        if projects.get(one.session, one.project) != one.project:
            one = _with_project(one)
        is_twice = one.session in sides and one.why_not in ("", _NO_REPLY)
        if is_twice or one.why_not:
            left_out["another note of the same session" if is_twice else one.why_not] += 1
            continue
        sides[one.session], projects[one.session] = one.side, one.project
        models.setdefault(one.side, set()).add(one.model)
        replies |= {reply.id: reply for reply in one.replies}
    has_sides = bool(chosen.split or chosen.by)
    is_by_model = chosen.by in ("model", "family")
    named = {} if is_by_model else {side: frozenset(filter(None, found)) for side, found in models.items()}
    return SurveyFrame(replies, sides if has_sides else None, dict(left_out), named)


def _with_project(one: LookedAt) -> LookedAt:
    """A file whose session is called as one of another project, with its own project's name."""
    before = f"{one.project.name}/"
    named = (replace(reply, id=before + reply.id, session=before + reply.session) for reply in one.replies)
    return replace(one, session=before + one.session, replies=tuple(named))


def replies_in(file: File) -> Iterator[FramedReply]:
    """The replies of a note that say anything, in their order, with what its tags say of them."""
    document, session = file.document, session_of(file)
    ranked = sorted(candidates(document).ranked, key=lambda one: one.run.line)
    labeler, answers = text_of(document.head, "labeler") or file.settings.labeler or "", Answers(session)
    for one, exchange in zip(ranked, exchanges(document), strict=True):
        if not said_by(one.run.turns).strip():  # as in a page that is not filled in yet
            continue
        facts = [event.fact for event in one.events]
        word = tuple(fact_words(fact) for fact in facts if fact) if all(facts) else ()
        is_neither = not facts and one.key in answers
        id, score = f"{session}#{one.key}", one.weighed.score
        yield FramedReply(id, session, file.path, score, exchange, word, labeler, is_neither)


def _why_not(file: File, chosen: Chosen) -> str:
    """Why a file is not in the frame, for a person; "" if it is."""
    document = file.document
    if document.is_survey:
        return A_SURVEY
    if document.conflict:
        return "a merge conflict in it"
    transcript = transcripts.read(document)
    if not (transcript.unsure or transcript.kind == "session" or sessions.is_declared(document)):
        return "no session"
    if is_headless(document):
        return "headless"
    if transcript.unsure or not candidates(document).sure:
        return UNSURE
    day = date_of(document, file.path.name)[:10]
    if (chosen.since or chosen.until or chosen.split) and not day:
        return "no date"
    if day < chosen.since or (chosen.until and day[: len(chosen.until)] > chosen.until):
        return "another time"
    if any(not fits(glob, text_of(document.head, key) or "") for key, glob in chosen.where):
        return "another " + " or ".join(dict(chosen.where))
    return ""


def _side(file: File, chosen: Chosen) -> str:
    head = file.document.head
    if chosen.split:
        return f"{'since' if date_of(file.document, file.path.name) >= chosen.split else 'before'} {chosen.split}"
    if chosen.by == "family":
        return family(text_of(head, "model"), file.settings.families) or "(no family)"
    return (text_of(head, chosen.by) or f"(no {chosen.by})") if chosen.by else ""
