"""What was answered about replies that no tag tells.

A reply is known by its session, a hash of push and reply, and its ordinal among equals, however the file around it was
edited. "Neither" leaves no tag in the note; it is kept in the user's state folder, a file a session, and never in a
repository: another machine asks again.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Literal

from mdtally.events.candidates import Candidate, candidates
from mdtally.project import files
from mdtally.session import reviewed_on
from mdtally.session.counts import mentions_counters
from mdtally.text.document import Document
from mdtally.text.line_parts import original_name
from mdtally.text.model import Refusal

State = Literal["new", "begun", "reviewed"]
NEITHER = "neither"


class Answers:
    """What a person answered about the replies of one session, as far as no tag in the note tells it.

    Attributes:
        refusal: why it could not be kept, the first time; None if it was.
    """

    def __init__(self, session: str = "") -> None:
        self.refusal: Refusal | None = None
        self._session = session
        self._path = _session_file(session) if session else None
        self._answers: dict[str, str] = {}
        for kept in files.read_objects(self._path) if self._path else ():
            if kept.get("session") == session:
                self._answers[str(kept.get("reply"))] = str(kept.get("answer"))

    def __contains__(self, key: str) -> bool:
        """True if a reply was answered with "neither"."""
        return self._answers.get(key) == NEITHER

    def __bool__(self) -> bool:
        """True if anything was answered on this machine."""
        return bool(self._answers)

    def keep(self, key: str, answer: str) -> None:
        """Keep what was answered about a reply; another answer than "neither" stands in the note, as a tag."""
        if self._answers.get(key, "") != answer and (key in self._answers or answer == NEITHER):
            self._write(key, answer)

    def add(self, answer: str) -> None:
        """Keep one more key of a walk of which nothing stands in the note before its end."""
        self._write(str(len(self._answers)), answer)

    @property
    def keys(self) -> list[str]:
        """Those keys, in their order."""
        return [*self._answers.values()]

    def _write(self, key: str, answer: str) -> None:
        self._answers[key] = answer
        if self._path:
            line = json.dumps({"session": self._session, "reply": key, "answer": answer})
            self.refusal = self.refusal or files.append_line(self._path, line, allow_outside=True)


def answers_of(session: str, path: Path) -> Answers:
    """What was answered about the replies of a session's note, or of another labeler's copy of it.

    Answers of the first labeler are none of the second's.
    """
    return Answers(f"{session}/{path.name}" if original_name(path.name) else session)


def keys_of(text: str) -> Answers:
    """The keys that were pressed in a walk over this very text."""
    return Answers(f"text {hashlib.sha256(text.encode(errors='replace')).hexdigest()}")


def _session_file(session: str) -> Path | None:
    """The file of a session in the user's state folder; None if there is no home."""
    stated = os.environ.get("XDG_STATE_HOME") or os.environ.get("LOCALAPPDATA")
    home = files.attempt(Path("~").expanduser)
    folder = Path(stated) if stated else None if isinstance(home, Refusal) else home / ".local" / "state"
    name = hashlib.sha256(session.encode(errors="replace")).hexdigest()[:24]
    return folder / "mdtally" / "replies" / f"{name}.jsonl" if folder else None


def open_replies(document: Document, answers: Answers) -> list[Candidate]:
    """The replies that have neither a tag nor an answer, likeliest first, whether a review asks about them or not."""
    return [one for one in candidates(document).ranked if not (one.events or one.key in answers)]


def unanswered_replies(document: Document, answers: Answers) -> list[Candidate]:
    """The open replies that a review asks about, likeliest first."""
    least = candidates(document).least
    return [one for one in open_replies(document, answers) if one.weighed.score >= least]


def is_unasked(document: Document, answers: Answers) -> bool:
    """True if nobody has looked at the replies and a review asks about none of them: none looks like an event."""
    ranked = candidates(document).ranked
    is_looked_at = reviewed_on(document.head) or answers or any(one.events for one in ranked)
    return bool(ranked) and not (is_looked_at or unanswered_replies(document, answers))


def review_state(document: Document, answers: Answers, has_more: bool = False) -> State:
    """How far a review of a note has come.

    It is reviewed if the frontmatter says so and nothing has come since; on another machine, which has no answers, the
    frontmatter alone is believed, unless the document has more than what it was written for.
    """
    is_believed = not (answers or has_more)
    if reviewed_on(document.head) and (is_believed or not unanswered_replies(document, answers)):
        return "reviewed"
    if answers or reviewed_on(document.head):
        return "begun"
    # Most notes that nobody has begun hold no tag at all, and then no reply need be weighed.
    may_be_tagged = mentions_counters(document.lines)
    return "begun" if may_be_tagged and any(one.events for one in candidates(document).ranked) else "new"
