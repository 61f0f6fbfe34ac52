"""A coding agent's recorded session as a conversation: who said what, and which tools were called in between."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from mdtally.records import record


@record
class TurnPart:
    """A part of a turn.

    Attributes:
        kind: "text" for visible words, "tool" for a call of a tool, "notice" for what the program reports, such as an
            interruption.
        text: the words; of a tool its object: the command, pattern or file as it was given; "" if there was none.
        tool: the tool's name; "" for the other kinds.
    """

    kind: Literal["text", "tool", "notice"]
    text: str
    tool: str = ""


@record
class RecordedTurn:
    """What one side said and did until the other one spoke.

    Attributes:
        is_person: True if the person speaks, False for the agent.
        parts: the parts in their order; of a person's turn never none.
        time: when it began, as recorded (ISO, UTC); "" if the record does not tell.
        line: line of its first record in the session's file, 1-based.
    """

    is_person: bool
    parts: tuple[TurnPart, ...]
    time: str
    line: int

    @property
    def text(self) -> str:
        """The visible words, the parts parted by a blank line."""
        return "\n\n".join(part.text for part in self.parts if part.kind == "text")


@record
class Recording:
    """A recorded session.

    Attributes:
        session: its id; "" if no record tells.
        folder: the folder in which it was begun, as recorded; "" if no record tells.
        model: the model that gave most answers; "" if none did.
        turns: the conversation as it stood in the terminal at the end, without what the person took back by rewinding.
        size: how many lines of the file were read; a last line that is cut off is not one of them.
        unknown: kinds of records that are not known, with how many there were.
        broken: numbers of the lines that are not records, 1-based.
    """

    session: str = ""
    folder: str = ""
    model: str = ""
    turns: tuple[RecordedTurn, ...] = ()
    size: int = 0
    unknown: Mapping[str, int] = {}
    broken: tuple[int, ...] = ()

    @property
    def first_words(self) -> str:
        """The first message of the person that is not a command, else the first one; "" if there is none."""
        texts = [turn.text for turn in self.turns if turn.is_person]
        return next((text for text in texts if text[:1] not in ("/", "!", "#", "[")), next(iter(texts), ""))
