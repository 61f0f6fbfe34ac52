"""Gemini CLI and Qwen Code, which began as one program.

Gemini's recordings are one JSON object, and lines of JSON since 2026; Qwen's lines form a tree. A saved chat and the
log of what was typed are read, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain

from mdtally.sources.recording import (
    PHRASES,
    RecordedTurn,
    Recording,
    TurnPart,
    answer_parts,
    attachment,
    branch,
    dialog_parts,
    most_used,
    notice,
    text_parts,
    tool_part,
    turns_of,
    unknown_kinds,
)
from mdtally.sources.values import Json, Numbered, json_object, mapping, mappings, text_of, texts_of
from mdtally.text.regex import regex

_NOT_SAID, _TASK = PHRASES["gemini-not-said"], PHRASES["gemini-task"]
# What it has the model answer to that in a saved chat
_THANKS = regex(r"Got it\. Thanks for the (?:additional )?context!")
# "User steering update:\n<user_input>\nOnly the tests.\n</user_input>\nInternal instruction: …", typed while it worked
_STEERED = regex(r"(?s)\s*User steering update:\s*<user_input>\n?(.*?)\n?</user_input>\s*Internal instruction:.*")
_COMPACTED = regex(r"(?:Context|Chat history) compressed from ")
_STOPPED = regex(r"⚠️\s+(?=Response (?:stopped|truncated) )")  # "⚠️  Response stopped due to safety reasons."
_NO_DIGIT = regex(r"\D")
# The content of files that a prompt names: "\n--- Content from referenced files ---\nContent from @notes.md:\n…"
_FILES = regex(r"(?sm)\s*^--- Content from referenced files ---.*")
_FILE = regex(r"(?m)^Content from @?(.+):$")
# What Gemini Code Assist puts behind a prompt: "\nCurrent File Path:\n```python\nC:\\app\\main.py\n```\n\n", what is
# selected, "\nUser Selected Files:\n- C:\\app\\notes.md\n", all earlier prompts, "\n PRIOR CHAT HISTORY: Sort it.\n\n…"
_ADDED = regex(
    r"(?s)\n(?:Current (?:File Path|Selection):\n```(?:(?!\n```).)*\n```\s*|User Selected Files:\n(?:- [^\n]+\n)+\s*"
    r"| PRIOR CHAT HISTORY: .*)+\Z"
)
# "**Order**: By date."
_ANSWER = regex(r"(?m)^\*\*(.+?)\*\*: ")
_AGENT = ("gemini", "qwen", "model", "assistant")
_KNOWN = (*_AGENT, "user", "tool_result", "system", "compacted", "info", "error", "warning")


def is_gemini(value: Json) -> bool:
    """True for a recording, a line of one, a saved chat, or an entry of the log of what was typed."""
    if any(keys <= value.keys() for keys in ({"sessionId", "projectHash"}, {"sessionId", "messageId", "message"})):
        return True
    first = next(iter(mappings(value.get("history"))), value)
    return first.get("role") in ("user", "model") and isinstance(first.get("parts"), list)


def read_gemini(values: Iterable[Numbered]) -> Iterator[Recording]:
    """The conversation of a recording; those of a log of what was typed, one a session."""
    meta: Json = {}
    messages: dict[str, Json] = {}
    others: list[Json] = []
    alive: set[str] = set()  # what was shown and still goes to the model
    typed: dict[str, list[Json]] = {}
    for number, value in values:
        if "messageId" in value:
            typed.setdefault(str(value.get("sessionId")), []).append(value)
        elif "$rewindTo" in value:
            names = list(messages)
            first = names.index(value["$rewindTo"]) if value["$rewindTo"] in names else 0
            others += [messages.pop(name) for name in names[first:]]
        elif "$set" in value:
            meta |= mapping(value["$set"])
            # What goes to the model was changed: outputs of tools are shortened, or a summary takes the place of
            # messages that were shown all the same.
            history = _messages_by_id(mappings(mapping(value["$set"]).get("messages")))
            if history and not messages:
                messages = history
            elif history and alive & history.keys() and alive - history.keys():
                messages[f"compacted {number}"] = {"type": "compacted"}
            alive &= history.keys() if history else alive
        elif "parts" in value or "type" in value:
            name = text_of(value.get("id")) or str(number)
            messages[name] = value
            alive |= {name} if _message(value).is_person else set()
        else:
            meta |= value
            messages |= _messages_by_id(mappings(value.get("messages")) or mappings(value.get("history")))
    for session, rows in typed.items():
        rows = [row for row in rows if row.get("type", "user") == "user"]
        said = [RecordedTurn(True, (*text_parts(row.get("message")),), text_of(row.get("timestamp"))) for row in rows]
        yield Recording(f"gemini-{session}" if session.isdigit() else session, turns=turns_of(said))
    turns = turns_of(chain.from_iterable(map(_turns, messages.values())))
    # What follows a /clear is a recording of its own with the same id.
    begun = _NO_DIGIT.sub("", text_of(meta.get("startTime")))[:12]
    # Before 2026 nothing else says that a recording is a sub-agent's.
    is_task = any(_TASK.match(turn.text) for turn in turns[:1])
    if not typed:
        yield Recording(
            session="-".join(filter(None, (text_of(meta.get("sessionId")), begun))),
            model=most_used(message.get("model") for message in messages.values()),
            **texts_of(meta, title="summary", begun="startTime"),
            turns=turns,
            elsewhere=len(turns_of(chain.from_iterable(map(_turns, others)))),
            is_sub_agent=meta.get("kind") == "subagent" or is_task,
            unknown=unknown_kinds(map(_kind, messages.values()), _KNOWN),
        )


def _messages_by_id(rows: Iterable[Json]) -> dict[str, Json]:
    """Messages by their ids; of several with one id the last one, at the place of the first."""
    return {text_of(row.get("id")) or str(at): row for at, row in enumerate(rows)}


def _kind(row: Json) -> object:
    return row.get("type") or row.get("role")


def _turns(row: Json) -> Iterator[RecordedTurn]:
    """What a message adds to what was shown, with what the person answered in its dialogs."""
    message = _message(row)
    calls = [] if message.is_person else mappings(row.get("toolCalls"))
    yield from (message, RecordedTurn(True, tuple(chain(*map(_answers, calls))), message.time))


def _message(row: Json) -> RecordedTurn:
    """What a message adds to what was shown."""
    kind, time = _kind(row), text_of(row.get("timestamp"))
    if kind == "compacted" or (kind == "info" and _COMPACTED.match(text_of(row.get("content")))):
        return RecordedTurn(False, (notice("the conversation so far was compacted"),), time)
    if kind == "info" and row.get("content") == "Request cancelled.":
        return RecordedTurn(False, (notice("interrupted"),), time)
    said = "\n".join(text_of(part.get("text")) for part in _content(row)) if kind in ("error", "info") else ""
    if said and (kind == "error" or _STOPPED.match(said)):
        return RecordedTurn(False, (notice(f"failed: {_STOPPED.sub('', said)}"),), time)
    if kind == "user":
        return RecordedTurn(True, tuple(_prompt_parts(row.get("displayContent") or _content(row))), time)
    parts: list[TurnPart] = []
    for part in _content(row) if kind in _AGENT else ():
        if call := mapping(part.get("functionCall")):
            parts += [] if row.get("toolCalls") else _call(call)
        elif not part.get("thought") and not (kind == "model" and _THANKS.fullmatch(text_of(part.get("text")))):
            parts += text_parts(part.get("text"))
    calls = mappings(row.get("toolCalls")) if kind in _AGENT else []
    return RecordedTurn(False, (*parts, *chain(*map(_call, calls))), time)


def _questions(call: Json) -> list[Json]:
    """What a call of a tool asks in a dialog; nothing if it shows none."""
    is_dialog = call.get("name") in ("ask_user", "ask_user_question")
    return mappings(mapping(call.get("args")).get("questions")) if is_dialog else []


def _call(call: Json) -> list[TurnPart]:
    return dialog_parts(tool_part(call.get("name"), call.get("args")), _questions(call))


def _answers(call: Json) -> Iterator[TurnPart]:
    """What the person answered in a dialog: "{"answers":{"0":"By date."}}" to Gemini, "**Order**: By date." to Qwen."""
    responses = (mapping(mapping(one.get("functionResponse")).get("response")) for one in mappings(call.get("result")))
    output = text_of(next(responses, {}).get("output"))
    pieces, given = _ANSWER.split(output), mapping(json_object(output).get("answers"))
    by_header = dict(zip(pieces[1::2], map(str.strip, pieces[2::2]), strict=True))
    for number, question in enumerate(_questions(call)):
        yield from answer_parts(question, [given.get(str(number)), by_header.get(text_of(question.get("header")))])


def _content(row: Json) -> list[Json]:
    """The parts of a message's content, which may be a bare text."""
    content = row.get("content", row.get("parts"))
    content = content.get("parts") if isinstance(content, dict) else content
    return [{"text": content}] if isinstance(content, str) else mappings(content)


def _prompt_parts(content: object) -> Iterator[TurnPart]:
    """What the person typed and sent along; of the files that it names, which stand behind it, the names."""
    parts = [{"text": content}] if isinstance(content, str) else mappings(content)
    whole = "".join(_as_typed(text_of(part.get("text"))) for part in parts)
    yield from text_parts(_FILES.sub("", whole))
    yield from (attachment("file", name) for found in _FILES.findall(whole) for name in _FILE.findall(found))
    sent = (part[key] for part in parts for key in ("inlineData", "fileData") if key in part)
    yield from (attachment("file", mapping(one).get("displayName")) for one in sent)


def _as_typed(text: str) -> str:
    """The text of a part as it was typed; "" for what the program put there."""
    if _NOT_SAID.match(text) or text.rstrip().endswith("</state_snapshot>"):
        return ""
    steered = _STEERED.fullmatch(text)
    return _ADDED.sub("", steered[1] if steered else text)


# -- Qwen Code --------------------------------------------------------------------------------------------------------


def is_qwen(value: Json) -> bool:
    """True for a line of a recording."""
    is_line = "parts" in mapping(value.get("message")) or "systemPayload" in value
    return is_line and {"uuid", "parentUuid", "sessionId"} <= value.keys()


def read_qwen(values: Iterable[Numbered]) -> Iterator[Recording]:
    """The conversation of a recording; of an answer that was written in pieces all have one id."""
    rows: dict[str, Json] = {}
    for _, value in values:
        name = text_of(value.get("uuid"))
        parts = [*_content(rows.get(name, {})), *_content(mapping(value.get("message")))]
        rows[name] = value | {"content": parts} if name else value
    leaves = [name for name, row in rows.items() if row.get("type") in ("user", "assistant", "tool_result")]
    shown, others = branch({name: row.get("parentUuid") for name, row in rows.items()}, None, leaves)
    payloads = [mapping(rows[name].get("systemPayload")) for name in shown]
    calls = (mapping(part.get("functionCall")) for row in rows.values() for part in _content(row))
    dialogs = {text_of(call.get("id")): call for call in calls if _questions(call)}
    yield Recording(
        session=next((text_of(rows[name].get("sessionId")) for name in shown), ""),
        folder=next((text_of(rows[name].get("cwd")) for name in shown), ""),
        model=most_used(rows[name].get("model") for name in shown),
        title=next((title for payload in payloads[::-1] if (title := text_of(payload.get("customTitle")))), ""),
        turns=turns_of(_turn_of_line(rows[name], dialogs) for name in shown),
        elsewhere=len(turns_of(_turn_of_line(rows[name], dialogs) for name in others)),
        unknown=unknown_kinds(map(_kind, rows.values()), _KNOWN),
    )


def _turn_of_line(row: Json, dialogs: Mapping[str, Json]) -> RecordedTurn:
    """What a line adds to what was shown; of the result of a call that shows a dialog what the person answered."""
    kind, subtype = row.get("type"), row.get("subtype")
    if kind == "system" and subtype == "chat_compression":
        return RecordedTurn(False, (notice("the conversation so far was compacted"),))
    is_typed = subtype in (None, "mid_turn_user_message") and row.get("provenance", "real_user") == "real_user"
    if kind == "user" and is_typed:
        return _message(row | {"displayContent": mapping(row.get("systemPayload")).get("displayText")})
    if kind == "tool_result":
        parts = [(text_of(mapping(part.get("functionResponse")).get("id")), part) for part in _content(row)]
        answers = (_answers(dialogs[name] | {"result": [part]}) for name, part in parts if name in dialogs)
        return RecordedTurn(True, tuple(chain(*answers)), text_of(row.get("timestamp")))
    return _message(row if kind == "assistant" else {})
