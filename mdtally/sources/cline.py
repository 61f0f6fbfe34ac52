"""Cline, Roo Code and Kilo Code: a task's `ui_messages.json`, which is what was shown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mdtally.sources.recording import (
    RecordedTurn,
    Recording,
    TurnPart,
    answer_parts,
    attachment,
    dialog_parts,
    most_used,
    notice,
    text_parts,
    time_of,
    tool_part,
    turns_of,
)
from mdtally.sources.values import Json, Numbered, json_object, list_of, mapping, text_of

_PERSON = ("task", "user_feedback", "user_feedback_diff")
_QUESTIONS = {"followup": "question", "plan_mode_respond": "response"}
"""What the agent asks, with the name that its words have in the message's JSON."""


def is_cline(value: Json) -> bool:
    """True for a message of a task."""
    return isinstance(value.get("ts"), int | float) and value.get("type") in ("say", "ask") and value["type"] in value


def read_cline(values: Iterable[Numbered]) -> Iterator[Recording]:
    """The conversation of a task."""
    rows = [value | {"is_first": number == 1} for number, value in values if is_cline(value)]
    whole = {row["ts"] for row in rows if not row.get("partial")}
    rows = [row for row in rows if not (row.get("partial") and row["ts"] in whole)]
    messages: list[RecordedTurn] = []
    for row in rows:
        message = _message(row)
        # What was said last is said again when the task is completed.
        by_agent = messages and not (messages[-1].is_person or message.is_person)
        messages += [] if by_agent and message.parts and messages[-1].parts == message.parts else [message]
    session = str(rows[0]["ts"]).partition(".")[0]
    model = most_used(mapping(row.get("modelInfo")).get("modelId") for row in rows)
    yield Recording(session=session, model=model, turns=turns_of(messages))


def _message(row: Json) -> RecordedTurn:
    """What a message adds to what was shown."""
    kind, text, time = text_of(row.get(row["type"])), text_of(row.get("text")), time_of(row["ts"])
    is_person = row["type"] == "say" and (kind in _PERSON or (row["is_first"] and kind == "text"))
    parts: list[TurnPart] = []
    if is_person:
        parts = text_parts(json_object(text).get("feedback") if kind == "user_feedback_diff" else text)
        parts += [attachment("picture", name) for name in list_of(row.get("images"))]
        parts += [attachment("file", name) for name in list_of(row.get("files"))]
    elif row["type"] == "say" and kind in ("text", "completion_result"):
        parts = text_parts(text.removesuffix("HAS_CHANGES") if kind == "completion_result" else text)
    elif kind in _QUESTIONS:
        given = json_object(text) or {_QUESTIONS[kind]: "" if text.startswith("{") else text}
        asked = {"question": given.get(_QUESTIONS[kind]), "options": given.get("options")}
        # An offer that was chosen is told in the question, anything else is a message.
        parts = [*dialog_parts(None, [asked]), *answer_parts(asked, [given.get("selected")])]
    elif kind in ("tool", "command", "use_mcp_server", "browser_action_launch"):
        parts = [tool_part(*_call(kind, text))]
    elif kind == "resume_task":
        parts = [notice("interrupted")]
    return RecordedTurn(is_person, tuple(parts), time)


def _call(kind: str, text: str) -> tuple[str, object]:
    """The name and the arguments of a call: `{"tool": "readFile", "path": "src/app.py"}`."""
    given = json_object(text)
    name = text_of(given.get("tool")) or text_of(given.get("toolName")) or kind
    return ("run" if kind == "command" else name), given.get("path") or given.get("arguments") or given or text
