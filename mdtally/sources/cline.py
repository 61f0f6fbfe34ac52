"""Cline, Roo Code and Kilo Code: a task's `ui_messages.json`, which is what was shown.

Since version 4 Cline keeps the messages of a session as they went to the model, with tags around what was typed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

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
from mdtally.sources.values import Json, Numbered, json_object, list_of, mapping, mappings, text_of
from mdtally.text.regex import regex

_PERSON = ("task", "user_feedback", "user_feedback_diff")
_QUESTIONS = {"followup": "question", "plan_mode_respond": "response"}
"""What the agent asks, with the name that its words have in the message's JSON."""
# "<user_input mode="act">Sort it.</user_input>", "<user_command slash="team">sort it</user_command>", at the beginning
_TYPED = regex(r'(?s)\s*<user_(input|command)\b(?: slash="([^"]+)")?[^>]*>(.*)</user_\1>')
# "<mode_notice>The user switched from plan mode to act mode before sending this message.</mode_notice>", what a hook
# says, "<hook_context source="x">…</hook_context>", and what a button sends, "[TASK RESUMPTION] Please continue …"
_NOTICE = regex(
    r"(?s)\A(?:\s*(?:<(mode_notice|hook_context)\b.*?</\1>|\[TASK RESUMPTION\] Please continue where you left off\.))+"
)
# "<file_content path="src/app.py">\n…\n</file_content>"
_FILE = regex(r'(?s)<file_content path="([^"]*)">.*?</file_content>')


def is_cline(value: Json) -> bool:
    """True for a message of a task, and for a session."""
    if isinstance(value.get("messages"), list):
        return {"agent", "sessionId"} <= value.keys()
    return isinstance(value.get("ts"), int | float) and value.get("type") in ("say", "ask") and value["type"] in value


def read_cline(values: Iterable[Numbered]) -> Iterator[Recording]:
    """The conversation of a task or session."""
    rows = [value | {"is_first": number == 1} for number, value in values if is_cline(value)]
    yield _session(rows[0]) if "messages" in rows[0] else _task(rows)


def _task(rows: list[Json]) -> Recording:
    """The conversation of a task."""
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
    return Recording(session=session, model=model, turns=turns_of(messages))


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


# -- Since version 4 --------------------------------------------------------------------------------------------------


def _session(value: Json) -> Recording:
    """The conversation of a session; what the program says in one to go on is marked as of a kind of its own."""
    rows = [row for row in mappings(value["messages"]) if not mapping(row.get("metadata")).get("kind")]
    calls = (block for row in rows for block in mappings(row.get("content")) if block.get("name") == "ask_question")
    asked = {str(block.get("id")): mapping(block.get("input")) for block in calls}
    return Recording(
        session=text_of(value["sessionId"]),
        model=most_used(mapping(row.get("modelInfo")).get("id") for row in rows),
        turns=turns_of(_session_message(row, asked) for row in rows),
        is_sub_agent=value["agent"] != "lead",
    )


def _session_message(row: Json, asked: Mapping[str, Json]) -> RecordedTurn:
    """What a message of a session adds, with what was asked in its dialogs by the ids of the calls."""
    role, content, parts = row.get("role"), row.get("content"), list[TurnPart]()
    for block in [{"type": "text", "text": content}] if isinstance(content, str) else mappings(content):
        kind, text, question = block.get("type"), block.get("text"), asked.get(str(block.get("tool_use_id")))
        if kind == "text" and role in ("user", "assistant"):
            parts += _prompt_parts(text_of(text)) if role == "user" else text_parts(text)
        elif kind == "tool_use":
            given = mapping(block.get("input"))
            commands = "; ".join(map(text_of, list_of(given.get("commands"))))
            call = tool_part(block.get("name"), commands or given)
            parts += dialog_parts(call, [given] if str(block.get("id")) in asked else [])
        elif kind == "tool_result" and question:
            parts += answer_parts(question, [block.get("content")])
        elif kind == "image":
            parts.append(attachment("picture"))
    return RecordedTurn(role == "user", tuple(parts), time_of(row.get("ts")))


def _prompt_parts(text: str) -> Iterator[TurnPart]:
    """What the person typed and sent along."""
    text = _NOTICE.sub("", text)
    wrapped = _TYPED.match(text)
    typed, around = (_NOTICE.sub("", wrapped[3]), _NOTICE.sub("", text[wrapped.end() :])) if wrapped else ("", text)
    slash = f"/{wrapped[2]} " if wrapped and wrapped[2] else ""
    yield from text_parts(f"{slash}{typed}{_FILE.sub('', around)}".strip())
    yield from (attachment("file", name) for name in _FILE.findall(around))
