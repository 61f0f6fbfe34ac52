"""``report`` in its formats, of which JSON is written here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from mdtally.render import report_page, session_words
from mdtally.render.findings import findings
from mdtally.render.json_document import Object, diagnostic_fields, to_json

if TYPE_CHECKING:
    from mdtally.debate import Debate, TurnAnswer
    from mdtally.reports import FileError
    from mdtally.review.picture import PicturedEvent, Reported, SessionPicture


def report_json(files: Sequence[Reported], errors: Sequence[FileError] = ()) -> str:
    """Debates and sessions as JSON."""
    return to_json(
        {
            "generator": "mdtally report",
            "schema_version": 2,
            "files": [_file_fields(file) for file in files],
            "errors": errors,
        }
    )


def _file_fields(file: Reported) -> Object:
    picture = file.picture
    headline = " ".join(session_words.sentences(picture)) if picture else report_page.headline(file.debate)
    return {
        **_debate_fields(file.debate),
        "headline": headline,
        "session": _picture_fields(picture) if picture else None,
    }


def _debate_fields(debate: Debate) -> Object:
    against = [
        {"speaker": who, "whom": whom or None, "turns": number} for (who, whom), number in debate.against.items()
    ]
    return {
        "filename": debate.file.filename,
        "kind": debate.file.kind,
        "reading": debate.file.reading,
        "state": debate.state,
        "voices": debate.voices,
        "rounds": debate.rounds,
        "against": against,
        "turns": [_answer_fields(answer) for answer in debate.turns],
        "diagnostics": [diagnostic_fields(finding) for finding in findings(debate.file)],
    }


def _answer_fields(answer: TurnAnswer) -> Object:
    turn = answer.turn
    return {
        "index": turn.index,
        "line": turn.line,
        "group": turn.group,
        "round": turn.round,
        "speaker": turn.speaker,
        "kind": turn.kind,
        "words": turn.words,
        "answer": answer.answer,
        "score": answer.score,
        "decided_by": answer.decided_by or None,
        "against": answer.against,
        "repeats_line": answer.repeats and answer.repeats.line,
    }


def _picture_fields(picture: SessionPicture) -> Object:
    return {
        "replies": picture.replies,
        "pressed": picture.pressed,
        "without_facts": picture.without_facts,
        "events": [_event_fields(event) for event in picture.events],
    }


def _event_fields(event: PicturedEvent) -> Object:
    entry, exchange = event.entry, event.exchange
    return {
        "line": event.line,
        "outcome": event.outcome,
        "event": entry.event.letter,
        "reason": entry.reason,
        "human_line": exchange and exchange.run.human_line,
        "message": exchange and exchange.run.message,
        "reply_line": exchange and exchange.run.line,
        "reply": exchange and exchange.run.reply,
        "brought": exchange and exchange.between.brought,
        "looked": exchange and exchange.between.looked,
    }


PAGES: Mapping[str, Callable[[Reported], str]] = {"html": report_page.html, "markdown": report_page.markdown}
"""The formats of which each file is a page of its own."""
